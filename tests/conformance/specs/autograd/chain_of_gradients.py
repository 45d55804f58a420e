# Gradients at every step of a chain, kept in a dict.
import torch

values = {}


def keep(name, t):
    t.retain_grad()
    values[name] = t
    return t


a = keep("a", torch.tensor(2.0, requires_grad=True))
b = keep("b", torch.tensor(3.0, requires_grad=True))
c = keep("c", a + b)
d = keep("d", b + 1)
y = keep("y", c * d)
y.backward()
for name in sorted(values):
    t = values[name]
    print(name, "value", t.item(), "gradient", t.grad.item(), "leaf" if t.is_leaf else t.grad_fn.name())
