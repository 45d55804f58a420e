# A Function that limits the gradient that flows through it.
import torch


class ClipGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clamp(-ctx.limit, ctx.limit), None


def run(limit):
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    h = w
    for _ in range(5):
        h = ClipGradient.apply(h, limit) * 3
    h.sum().backward()
    return w.grad


for limit in (1e9, 50.0, 1.0):
    print(limit, run(limit))
