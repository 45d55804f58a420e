# Rounding whose gradient passes straight through.
import torch


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.tensor([0.4, 1.6, -2.3], requires_grad=True)
(torch.round(x) * 2).sum().backward()
print("torch.round:", x.grad)
x.grad = None
(RoundSTE.apply(x) * 2).sum().backward()
print("RoundSTE:   ", x.grad)
x.grad = None
trick = x + (x.round() - x).detach()
print(trick.tolist())
trick.sum().backward()
print("detach:     ", x.grad)
