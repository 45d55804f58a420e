# An argument that is no tensor lives on ctx, and gets None.
import torch
from torch import autograd


class Power(autograd.Function):
    @staticmethod
    def forward(ctx, base, exponent):
        ctx.exponent = exponent
        ctx.save_for_backward(base)
        return base.pow(exponent)

    @staticmethod
    def backward(ctx, grad_output):
        base, = ctx.saved_tensors
        return grad_output * ctx.exponent * base.pow(ctx.exponent - 1), None


x = torch.tensor([2.0, 3.0], requires_grad=True)
for n in (1, 2, 5):
    x.grad = None
    Power.apply(x, n).sum().backward()
    print(n, x.grad)
