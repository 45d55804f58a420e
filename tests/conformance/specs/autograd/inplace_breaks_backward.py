# A value that backward needs may not be written over.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.exp(x)
print(y._version)
y.add_(1)
print(y._version)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)

z = torch.exp(x)
w = z + 1
w.mul_(2)
w.sum().backward()
print(x.grad)
