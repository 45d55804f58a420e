"""e = a * b + c * log(d): four leaves, three values in between, one root.

Leaves have no grad_fn and receive a gradient; the values in between have a grad_fn and receive none,
unless they ask for it, as v does. Before backward() nobody has a gradient.
"""

import torch

a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([3.0], requires_grad=True)
c = torch.tensor([5.0], requires_grad=True)
d = torch.tensor([10.0], requires_grad=True)

u = a * b
t = torch.log(d)
v = t * c
e = u + v
v.retain_grad()

for name, value in (("a", a), ("b", b), ("c", c), ("d", d), ("u", u), ("t", t), ("v", v), ("e", e)):
    maker = value.grad_fn.name() if value.grad_fn is not None else "nobody"
    print(f"{name}: leaf {value.is_leaf!s:5}  made by {maker}")
print("before:", a.grad, d.grad)

e.backward()
print(f"de/da = b      = {a.grad.item():.4f}")
print(f"de/db = a      = {b.grad.item():.4f}")
print(f"de/dc = log(d) = {c.grad.item():.4f}")
print(f"de/dd = c / d  = {d.grad.item():.4f}")
print(f"de/dv = 1      = {v.grad.item():.4f}, kept because v asked for it")
