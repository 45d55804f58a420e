# A linear layer that computes only the gradients that are needed.
import torch


class LinearFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp, weight, bias=None):
        ctx.save_for_backward(inp, weight, bias)
        out = inp.mm(weight.t())
        if bias is not None:
            out = out + bias
        return out

    @staticmethod
    def backward(ctx, g):
        inp, weight, bias = ctx.saved_tensors
        print("needs:", ctx.needs_input_grad)
        gi = gw = gb = None
        if ctx.needs_input_grad[0]:
            gi = g.mm(weight)
        if ctx.needs_input_grad[1]:
            gw = g.t().mm(inp)
        if bias is not None and ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gi, gw, gb


x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w = torch.tensor([[1.0, 0.5]], requires_grad=True)
b = torch.tensor([0.1], requires_grad=True)
LinearFn.apply(x, w, b).sum().backward()
print(w.grad, b.grad)
LinearFn.apply(x.requires_grad_(), w.detach()).sum().backward()
print(x.grad)
