# Derivatives of elementary functions at one point, as a table.
import math

import torch

table = [
    ("sin", torch.sin, math.cos),
    ("cos", torch.cos, lambda v: -math.sin(v)),
    ("exp", torch.exp, math.exp),
    ("log", torch.log, lambda v: 1 / v),
    ("sqrt", torch.sqrt, lambda v: 0.5 / math.sqrt(v)),
    ("tanh", torch.tanh, lambda v: 1 - math.tanh(v) ** 2),
    ("atan", torch.atan, lambda v: 1 / (1 + v * v)),
    ("rsqrt", torch.rsqrt, lambda v: -0.5 * v ** -1.5),
]
at = 0.8
print(f"{'name':6}|{'autograd':>12}|{'formula':>12}")
print("-" * 32)
for name, f, df in table:
    x = torch.tensor(at, dtype=torch.double, requires_grad=True)
    f(x).backward()
    exact = df(at)
    assert math.isclose(x.grad.item(), exact, rel_tol=1e-12), name
    print(f"{name:6}|{x.grad.item():12.6f}|{exact:12.6f}")
