"""Who is recorded: requires_grad spreads from inputs to outputs, and from nowhere else.

One input that requires a gradient is enough for the output to require one. What the user made is a
leaf; what an operation recorded is not. Only leaves keep their gradient after backward().
"""

import torch

x = torch.tensor([1.0, 2.0])
y = torch.tensor([3.0, 4.0])
z = torch.tensor([5.0, 6.0], requires_grad=True)

a = x + y
b = a + z
c = z * b + torch.sum(z)
loss = c.sum()

print("       requires_grad  is_leaf  grad_fn")
for name, value in (("x", x), ("z", z), ("a", a), ("b", b), ("c", c), ("loss", loss)):
    maker = value.grad_fn.name() if value.grad_fn is not None else None
    print(f"{name:<6} {value.requires_grad!s:<13}  {value.is_leaf!s:<7}  {maker}")

loss.backward()
print("x.grad:", x.grad)
print("z.grad:", z.grad)
print("by hand, a + 2z + 2:", (a + 2 * z + 2).detach())
