import torch
from torch.autograd import Function


class Mixed(Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        return s, x * s, None, "bar"

    @staticmethod
    def backward(ctx, *gs):
        print([None if g is None else g.tolist() for g in gs])
        return gs[1] * ctx.s, None


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        out = x * 2
        return out, out

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a * 2 + b * 2


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class DoubledBesideOther(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x, y + 1

    @staticmethod
    def backward(ctx, g, h):
        return g * 2, h


class DoubledInSecret(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
out = Mixed.apply(x, 3.0)
print(out[0], out[1], out[2], out[3], out[1].output_nr)
out[1].sum().backward()
print(x.grad)

x.grad = None
a, b = Twice.apply(x)
print(a is b, a.output_nr, b.output_nr)
(a.sum() + b.sum()).backward()
print(x.grad)

# A view that a function writes to: its base goes through CopySlices.
leaf = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
base = leaf.clone()
view = base[:2]
out = Doubled.apply(view)
print(out is view, type(base.grad_fn).__name__, type(out.grad_fn).__name__)
(base * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(base, leaf.grad)

for call in (
    lambda: DoubledBesideOther.apply(leaf.clone()[:2], torch.ones(2)),
    lambda: DoubledInSecret.apply(leaf.clone()),
    lambda: Doubled.apply(leaf),
    lambda: Doubled.apply(leaf[:2]),
):
    try:
        call()
    except RuntimeError as error:
        print(error)
