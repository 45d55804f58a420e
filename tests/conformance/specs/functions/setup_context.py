# The newer form: forward without ctx, and setup_context beside it.
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, factor = inputs
        ctx.save_for_backward(x, factor)

    @staticmethod
    def backward(ctx, g):
        x, factor = ctx.saved_tensors
        return g * factor, (g * x).sum()


x = torch.tensor([1.0, 2.0], requires_grad=True)
k = torch.tensor(3.0, requires_grad=True)
out = Scale.apply(x, k)
out.sum().backward()
print(out)
print(x.grad, k.grad)
