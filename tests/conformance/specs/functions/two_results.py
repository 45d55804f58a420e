# A Function with two results.
import torch


class SumAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b

    @staticmethod
    def backward(ctx, g_sum, g_product):
        a, b = ctx.saved_tensors
        print("arrived:", g_sum, g_product)
        return g_sum + g_product * b, g_sum + g_product * a


a = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([5.0], requires_grad=True)
s, p = SumAndProduct.apply(a, b)
print(s, p)
(s * 10 + p).backward()
print(a.grad, b.grad)
s, p = SumAndProduct.apply(a, b)
p.backward()
print(a.grad, b.grad)
