# Scaled dot-product attention by hand, with a causal mask.
import math

import torch
import torch.nn.functional as F

torch.manual_seed(0)
T, d = 4, 6
q, k, v = [torch.randn(1, T, d, requires_grad=True) for _ in range(3)]
scores = q @ k.transpose(-2, -1) / math.sqrt(d)
mask = torch.tril(torch.ones(T, T)).bool()
scores = scores.masked_fill(~mask, float("-inf"))
weights = F.softmax(scores, dim=-1)
out = weights @ v
print(weights)
print(torch.allclose(out, F.scaled_dot_product_attention(q, k, v, is_causal=True), atol=1e-6))
out[0, 0].sum().backward()
print(v.grad[0, :, 0])
print(q.grad.abs().sum() < 1e-6)
