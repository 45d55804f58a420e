"""Causal self-attention by hand: four tokens, each looking at itself and at what came before.

Scores are scaled dot products, the future is masked with -inf, softmax turns each row into weights
that add up to one. The library's own function gives the same output.
"""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(0)
tokens, width = 4, 3
x = torch.randn(tokens, width, requires_grad=True)
w_query = torch.randn(width, width, requires_grad=True)
w_key = torch.randn(width, width, requires_grad=True)
w_value = torch.randn(width, width, requires_grad=True)

query, key, value = x @ w_query, x @ w_key, x @ w_value
scores = query @ key.T / math.sqrt(width)
future = torch.triu(torch.ones(tokens, tokens), diagonal=1).bool()
weights = torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
out = weights @ value

print(weights.detach())
print("each row adds up to one:", torch.allclose(weights.sum(dim=-1), torch.ones(tokens)))
library = F.scaled_dot_product_attention(query, key, value, is_causal=True)
print("as in the library:", torch.allclose(out, library, atol=1e-6))

# Asked of the second token alone, the later tokens have no say.
loss = out[1].square().sum()
loss.backward()
print("gradient for each token:", [round(size, 4) for size in x.grad.norm(dim=1).tolist()])
