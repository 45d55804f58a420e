# e = a*b + log(d)*c: every leaf has one path.
import torch

a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
c = torch.tensor([5.0], requires_grad=True)
d = torch.tensor([10.0], requires_grad=True)

u = a * b
t = torch.log(d)
v = t * c
e = u + v
print(e, u.is_leaf, a.is_leaf, v.grad_fn is not None)

e.backward()
print(a.grad, b.grad, c.grad, d.grad)
