# Where the gradient goes when several values are largest.
import torch

x = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
for f in (torch.max, torch.amax, torch.median, torch.min):
    x.grad = None
    f(x).backward()
    print(f"{f.__name__ if hasattr(f, '__name__') else 'f':>7}", x.grad)

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
torch.maximum(a, b).sum().backward()
print(a.grad, b.grad)
