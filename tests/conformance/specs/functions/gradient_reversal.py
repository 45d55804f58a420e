# The identity going forward, a change of sign going back.
import torch
import torch.nn as nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.strength * grad, None


class GradientReversal(nn.Module):
    def __init__(self, strength=1.0):
        super().__init__()
        self.strength = strength

    def forward(self, x):
        return Reverse.apply(x, self.strength)

    def extra_repr(self):
        return f"strength={self.strength}"


layer = GradientReversal(0.25)
x = torch.tensor([1.0, -1.0], requires_grad=True)
y = layer(x)
print(layer)
print(torch.equal(x, y))
(y * torch.tensor([4.0, 8.0])).sum().backward()
print(x.grad)
