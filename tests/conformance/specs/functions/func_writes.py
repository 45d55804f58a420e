# Forward mode lets a function write to what it is differentiated by; reverse mode does not.
import torch
from torch.func import grad, jacfwd, jvp


def doubled(t):
    return t.mul_(2)


def of_itself(t):
    return (t.sin_() * t).sum()


def first(t):
    t[0] = 5.0
    return t * t


def both(t, u):
    t.add_(u)
    return t * u


for f in (doubled, of_itself, first):
    a = torch.tensor([1.0, 2.0])
    y, slope = jvp(f, (a,), (torch.ones(2),))
    print(y, slope, a)
    a = torch.tensor([1.0, 2.0])
    print(jacfwd(f)(a))

a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
print(jvp(both, (a, b), (torch.ones(2), torch.ones(2))), a, b)

try:
    grad(of_itself)(a)
except RuntimeError as e:
    print(e)
