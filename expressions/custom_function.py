"""A function of our own whose backward is written by hand.

forward keeps what backward will need; backward turns the gradient of the output into that of the
input. It is made of differentiable operations, so it is right to any order: 3x^2, then 6x.
"""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
cubes = Cube.apply(x)
print("made by", cubes.grad_fn.name())

y = cubes.sum()
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print("3x^2 =", first)
print("6x   =", second)

y.backward()
print("the same by backward():", torch.equal(x.grad, first))
