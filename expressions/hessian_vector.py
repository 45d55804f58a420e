"""A Hessian times a vector, without the Hessian.

The gradient of g · v, with g the gradient of f and v held fixed, is H v: two backward passes however
many variables there are. The whole matrix stands beside it to compare.
"""

import torch

x = torch.tensor([1.0, 2.0, -1.0, 0.5], dtype=torch.float64, requires_grad=True)
v = torch.tensor([1.0, 0.0, -1.0, 2.0], dtype=torch.float64)


def f(x):
    return (x[:-1] * x[1:] ** 2).sum() + torch.exp(x).sum()


(g,) = torch.autograd.grad(f(x), x, create_graph=True)
slope = g @ v
slope.backward()
print("H v by two passes:", x.grad)

hessian = torch.autograd.functional.hessian(f, x.detach())
print(hessian)
print("H v by the matrix:", hessian @ v)
print("symmetric:", torch.allclose(hessian, hessian.T))
