# A vmap of a gradient: what was computed before is walked once for all rows, and freed then.
import torch
from torch.func import vmap

x = torch.arange(4.0).requires_grad_()
y = x**2
(rows,) = vmap(lambda v: torch.autograd.grad(y, x, v))(torch.eye(4))
print(rows)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:45])
y = x**3
(rows,) = torch.vmap(lambda v: torch.autograd.grad(y, x, v, retain_graph=True))(torch.eye(4))
print(rows)
(rows,) = vmap(vmap(lambda v: torch.autograd.grad(y, x, v)))(torch.eye(8).reshape(2, 4, 8)[..., :4])
print(rows)
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:45])
