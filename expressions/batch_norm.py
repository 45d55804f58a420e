"""Batch normalisation by hand, beside nn.BatchNorm1d.

Every column is brought to mean zero and variance one, then stretched and moved. The mean and the
variance depend on the inputs too, so the gradient of x has no part along either: its columns add up
to zero, alone and weighted with the normalised values.
"""

import torch
import torch.nn as nn

x = torch.tensor([[1.0, -2.0], [2.0, 0.5], [4.0, 1.0], [0.0, 3.0]], requires_grad=True)
gamma = torch.tensor([1.5, 0.5], requires_grad=True)
beta = torch.tensor([0.0, 1.0], requires_grad=True)

mean = x.mean(dim=0)
variance = x.var(dim=0, unbiased=False)
normal = (x - mean) / torch.sqrt(variance + 1e-5)
out = gamma * normal + beta

layer = nn.BatchNorm1d(2)
with torch.no_grad():
    layer.weight.copy_(gamma)
    layer.bias.copy_(beta)
print("as in the library:", torch.allclose(out, layer(x), atol=1e-6))
print("running mean after one batch:", layer.running_mean)

loss = (out**3).mean()
loss.backward()
print(x.grad)
print("columns add up to zero:", torch.allclose(x.grad.sum(dim=0), torch.zeros(2), atol=1e-6))
print("weighted as well:      ", torch.allclose((x.grad * normal).sum(dim=0), torch.zeros(2), atol=1e-4))
print("gamma.grad", gamma.grad)
print("beta.grad ", beta.grad)
