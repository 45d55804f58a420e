# A Function with its own vmap computes a batch at once: deep in a function's calls, in a generator, in a handler.
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x

    @staticmethod
    def vmap(info, in_dims, x, y):
        print("at once:", info, in_dims, tuple(x.shape), tuple(y.shape))
        y = y if in_dims[1] is None else y.movedim(in_dims[1], 0)
        return Scaled.apply(x.movedim(in_dims[0], 0), y), 0


def handled(x):
    try:
        raise ValueError("first")
    except ValueError as first:

        def deep(n):
            return Scaled.apply(x, x) if n == 0 else deep(n - 1)

        y = deep(5)
        try:
            raise
        except ValueError as again:
            assert again is first
        return y + 1


def generated(x):
    def parts():
        yield Scaled.apply(x, x)
        yield x

    return sum(parts())


def failing(x):
    Scaled.apply(x, x)
    raise KeyError("no")


x = torch.arange(6.0).reshape(2, 3).requires_grad_()
loss = torch.vmap(Scaled.apply, in_dims=(1, None))(x, torch.tensor([2.0, 3.0])).sum()
loss.backward()
print(x.grad)
x = x.detach()
print(torch.vmap(handled)(torch.ones(3, 2)))
print(torch.vmap(torch.func.grad(lambda a, b: Scaled.apply(a, b).sum()))(x, x + 1))
print(torch.vmap(generated)(x))
try:
    torch.vmap(failing)(x)
except KeyError as error:
    print(repr(error))
