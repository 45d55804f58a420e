# detach cuts one path and leaves the other.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
u = y.detach()
z = u * x
print(u.requires_grad, z.requires_grad, u.grad_fn)
z.sum().backward()
print(x.grad == u)

x.grad.zero_()
y.sum().backward()
print(x.grad == 2 * x)
print(x.grad.tolist())
