# What PyTorch says when a backward returns too much, or the wrong shape.
import torch


class TooMany(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, g


class WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(5)


for fn in (TooMany, WrongShape):
    x = torch.ones(3, requires_grad=True)
    try:
        fn.apply(x).sum().backward()
    except RuntimeError as e:
        print(fn.__name__, "->", e)
