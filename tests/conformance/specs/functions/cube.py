# A Function that keeps its input.
import torch


class Cube(torch.autograd.Function):
    """x cubed, with its derivative written out."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2


x = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
y = Cube.apply(x)
print(y)
y.sum().backward()
print(x.grad)
z = Cube.apply(x)
g, = torch.autograd.grad(z.sum(), x, create_graph=True)
print(torch.autograd.grad(g.sum(), x)[0])
