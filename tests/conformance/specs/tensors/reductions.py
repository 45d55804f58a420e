# Sums, means and extremes along dimensions.
import torch

t = torch.tensor([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]])
print(t.sum(), t.sum(dim=0), t.sum(1), t.sum(1, keepdim=True).shape)
print(t.mean(), t.mean(0), t.std(), t.var(dim=1, unbiased=False))
print(t.max(), t.min().item(), t.argmax(), t.argmin(dim=1))
values, indices = t.max(dim=1)
print(values, indices)
print(t.max(dim=0))
result = t.min(1)
print(result.values, result.indices)
print(t.prod(), t.norm(), t.norm(p=1), t.abs().amax(dim=(0, 1)))
print(t.median(), t.cumsum(1), t.cumprod(0))
print((t - t.mean(1, keepdim=True)) / t.std(1, keepdim=True))
print(torch.all(t > -3), torch.any(t > 4), torch.count_nonzero(t > 0))
