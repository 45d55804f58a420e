# Functions in lists and dicts, and the names they carry.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def softsign(x):
    return x / (1 + x.abs())


x = torch.tensor([-1.0, 0.5])
for f in [torch.tanh, torch.sigmoid, F.relu, F.softplus, F.gelu, softsign]:
    print(f"{f.__name__:>10} {f(x)}")
for layer in [nn.ReLU, nn.Sigmoid, nn.ELU]:
    print(layer.__name__, layer()(x))
print([f.__name__ for f in (len, print, math.sqrt, torch.matmul, torch.cat, torch.stack, torch.where, torch.argmax)])
print((lambda: 0).__name__, softsign.__doc__, torch.no_grad.__name__, x.sum.__name__)
for name in ("sin", "cos", "exp"):
    pair = {"sin": (math.sin, torch.sin), "cos": (math.cos, torch.cos), "exp": (math.exp, torch.exp)}[name]
    print(name, abs(pair[0](0.3) - pair[1](torch.tensor(0.3)).item()) < 1e-6)
