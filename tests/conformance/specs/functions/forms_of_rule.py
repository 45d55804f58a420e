import torch
from torch.autograd import Function


class Scaled(Function):
    @staticmethod
    def forward(x, factor=2.0, name="scaled"):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, factor, name = inputs
        print(len(inputs), factor, name)
        ctx.factor = factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None, None


class ByVjp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None, x)
        return x * x

    @staticmethod
    def vjp(ctx, g):
        a, none, b = ctx.saved_tensors
        print(none, a is b)
        return g * (a + b)


class ByBoth(ByVjp):
    @staticmethod
    def backward(ctx, g):
        return g


class KeepsNumber(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.tensor([1.0, 2.0], requires_grad=True)
for given in ((), (3.0,), (3.0, "other")):
    x.grad = None
    Scaled.apply(x, *given).sum().backward()
    print(x.grad)

x.grad = None
ByVjp.apply(x).sum().backward()
print(x.grad)

for function in (ByBoth, KeepsNumber):
    try:
        function.apply(x).sum().backward()
    except (RuntimeError, TypeError) as error:
        print(error)
