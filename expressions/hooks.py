"""Hooks: a look at gradients as they pass by, and one way to change them.

A hook on a tensor sees its gradient while backward() runs, last layer first. What it returns takes
the gradient's place, here twice as much of it; a hook that returns nothing only looks.
"""

import torch

x = torch.tensor([1.0, -2.0], requires_grad=True)


def forward():
    h = torch.sin(x)
    y = h * h
    return h, y, y.sum()


h, y, loss = forward()
handle = h.register_hook(lambda g: g * 2)
loss.backward()
print("h's gradient doubled:", x.grad)
handle.remove()

x.grad = None
h, y, loss = forward()
for name, value in (("h", h), ("y", y), ("x", x)):
    value.register_hook(lambda g, name=name: print(f"  gradient of {name}: {g}"))
print("in the order of the walk:")
loss.backward()
print("sin(2x) =", torch.sin(2 * x.detach()))
