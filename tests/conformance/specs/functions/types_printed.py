# The types of functions, their nodes and modules.
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


print(type(Exp), Exp, Exp.__name__, issubclass(Exp, torch.autograd.Function))
x = (
    torch.randn(3, requires_grad=True, generator=torch.Generator().manual_seed(0))
    if False
    else torch.tensor([1.0, 2.0], requires_grad=True)
)
y = Exp.apply(x)
print(y, y.grad_fn, type(y.grad_fn), y.grad_fn.name(), type(y.grad_fn).__name__)
y.sum().backward()
print(x.grad)
print(type(x.grad_fn), type(y.grad_fn.next_functions[0][0]), type(torch.relu), type(torch.nn.Linear), torch.nn.Linear)
