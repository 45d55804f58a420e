# Writing into a view changes the base, and its gradient.
import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
v = y[:2]
v.mul_(10)
print(y)
print(v._base is y, v._is_view())
y.sum().backward()
print(x.grad)
print(y.grad_fn.name())
