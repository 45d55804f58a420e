# torch.autograd.functional: jacobian, hessian, vjp, jvp, hvp.
import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vjp


def energy(v):
    return (v[0] ** 2 * v[1]) + v[1] ** 3 * v[2]


v = torch.tensor([1.0, 2.0, 3.0])
print(jacobian(energy, v))
print(hessian(energy, v))
value, product = hvp(energy, v, torch.tensor([1.0, 0.0, 0.0]))
print(value, product)
print(vjp(lambda t: t ** 2, v, torch.ones(3)))
print(jvp(lambda t: t ** 2, v, torch.tensor([1.0, 0.0, -1.0])))
