# Custom functions in forward mode: what their jvp is given, and must return.
import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd import Function

x, y, v = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([0.5, 1.0])


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, y, n):
        ctx.save_for_forward(x, y)
        ctx.save_for_backward(x, y)
        ctx.n = n
        return x * y * n, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y * ctx.n + h, g * x * ctx.n + h, None

    @staticmethod
    def jvp(ctx, x_t, y_t, n_t):
        print("jvp", x_t, y_t, n_t, torch.is_grad_enabled())
        x, y = ctx.saved_tensors
        return (x_t * y + x * y_t) * ctx.n, x_t + y_t


class Doubled(Function):
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx, t):
        return 2 * t


class Sparing(Scaled):
    @staticmethod
    def forward(ctx, x, y, n):
        ctx.set_materialize_grads(False)
        return x * n, y * n

    @staticmethod
    def jvp(ctx, x_t, y_t, n_t):
        print(x_t, y_t, n_t)
        return x_t * 2, x_t * 0


class OnlyBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def returning(value):
    class Returning(OnlyBackward):
        @staticmethod
        def jvp(ctx, t):
            return value

    return Returning


with fwAD.dual_level():
    d = fwAD.make_dual(x, v)
    print(Scaled.apply(d, y, 2))
    print(Scaled.apply(d, d * 2, 2))
    print(Scaled.apply(x, y, 2))
    print(Doubled.apply(d))
    print(Sparing.apply(d, y, 2))
    for wrong in (OnlyBackward, returning(3.0), returning((v, v)), returning(torch.ones(3))):
        try:
            wrong.apply(d)
        except (RuntimeError, NotImplementedError) as e:
            print(e)
print(torch.func.jvp(Doubled.apply, (x,), (v,)))
try:
    torch.func.jvp(lambda x: Scaled.apply(x, y, 2)[0], (x,), (v,))
except RuntimeError as e:
    print(e)
