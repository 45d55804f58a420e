# Where a gradient becomes inf or nan, and the usual cure.
import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
torch.sqrt(x).sum().backward()
print(x.grad)

x.grad = None
y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
y.sum().backward()
print(x.grad)

x.grad = None
safe = torch.where(x > 0, x, torch.ones_like(x))
torch.where(x > 0, torch.sqrt(safe), torch.zeros_like(x)).sum().backward()
print(x.grad)
print(torch.isnan(torch.tensor([float("nan"), 1.0])), torch.tensor(1.0) / 0)
