# One result with a gradient, one marked as having none.
import torch


class SortDescending(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, order = torch.sort(x, descending=True)
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    def backward(ctx, g_values, g_order):
        order, = ctx.saved_tensors
        g = torch.zeros_like(g_values)
        g[order] = g_values
        return g


x = torch.tensor([3.0, 9.0, 5.0], requires_grad=True)
values, order = SortDescending.apply(x)
print(values.tolist(), order.tolist(), values.requires_grad, order.requires_grad)
(values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)
