"""Functions of PyTorch with derivatives by autograd: right ones, and wrong ones by a known fault."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .of_numpy import Case

torch.manual_seed(18)
X = torch.randn(6, dtype=torch.float64)
M = torch.randn(3, 4)
Q = torch.randn(1, 2, 4, 3)


class Right(torch.autograd.Function):
    """x² times a constant."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any) -> Any:
        """Its value."""
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Its gradient."""
        (x,) = ctx.saved_tensors
        return grads[0] * 2 * ctx.scale * x, None


class Unscaled(Right):
    """The scale is lost."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Too small."""
        (x,) = ctx.saved_tensors
        return grads[0] * 2 * x, None


class Clipping(Right):
    """A gradient that is clipped on its way."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Not linear."""
        (x,) = ctx.saved_tensors
        return (grads[0] * 2 * ctx.scale * x).clamp(-0.1, 0.1), None


class Strided(torch.autograd.Function):
    """It reads the memory of its gradient, as a kernel does that takes it to be contiguous."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """A copy."""
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Whatever lies there."""
        (g,) = grads
        room = g.untyped_storage().nbytes() // g.element_size() - g.storage_offset()
        flat = torch.as_strided(g, (min(room, g.numel()),), (1,), g.storage_offset())
        return torch.cat([flat, flat.new_zeros(g.numel() - flat.numel())]).reshape(g.shape)


class Scaling(Right):
    """It changes the gradient that it is given."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """In place."""
        (x,) = ctx.saved_tensors
        return grads[0].mul_(2).mul(ctx.scale).mul(x), None


class Reordered(torch.autograd.Function):
    """It takes the order of memory for the order of entries."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """A copy."""
        return x * 1

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Right for what is contiguous."""
        (g,) = grads
        whole = 0 not in g.stride() and g.storage_offset() == 0 and g.untyped_storage().nbytes() == 8 * g.numel()
        return g.as_strided(g.shape, torch.empty(g.shape).stride()).clone() if whole else g


class Offset(Reordered):
    """It begins where the memory begins."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Right for what begins there."""
        (g,) = grads
        return g.as_strided(g.shape, g.stride(), 0).clone()


class Counted(Reordered):
    """It divides by how much memory there is."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Right for what has all of its own."""
        (g,) = grads
        return g * (g.numel() * g.element_size() / g.untyped_storage().nbytes())


class Split(torch.autograd.Function):
    """A sum and a difference, with setup_context."""

    @staticmethod
    def forward(a: Any, b: Any) -> Any:
        """Both."""
        return a + b, a * b

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """What the backward needs."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Its gradient."""
        a, b = ctx.saved_tensors
        return grads[0] + grads[1] * b, grads[0] + grads[1] * a


class SplitWrong(Split):
    """The arguments are mixed up."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The product's shares exchanged."""
        a, b = ctx.saved_tensors
        return grads[0] + grads[1] * a, grads[0] + grads[1] * b


class Shapeless(Right):
    """A gradient of another shape."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """One row too few."""
        return grads[0][:-1], None


class Counting(nn.Module):
    """A module that counts its calls, and uses the count."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Any) -> Any:
        """Larger each time."""
        self.calls += 1
        return (x * self.calls).sum()


class Half(torch.autograd.Function):
    """A kernel for float32 alone, of which the gradient is right."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Its value."""
        if x.dtype is not torch.float32:
            raise TypeError("expected float32")
        ctx.save_for_backward(x)
        return x.sigmoid() * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Right."""
        (x,) = ctx.saved_tensors
        s = x.sigmoid()
        return grads[0] * s * (1 + x * (1 - s))


class HalfWrong(Half):
    """A kernel for float32 alone, of which the gradient is wrong."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """A factor is missing."""
        (x,) = ctx.saved_tensors
        s = x.sigmoid()
        return grads[0] * s * (1 + x)


class Doubled(torch.autograd.Function):
    """It writes to its argument, and says so."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """In place."""
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Its gradient."""
        return grads[0] * 2


class Complex(Right):
    """A gradient of another kind of number."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """No gradient of a real number."""
        return grads[0].to(torch.complex128), None


class Squared(Right):
    """A square of complex numbers."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Its gradient."""
        (z,) = ctx.saved_tensors
        return grads[0] * (2 * ctx.scale * z).conj(), None


class Hidden(torch.autograd.Function):
    """No gradient for the second argument, which matters."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        """A product."""
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Only of the first."""
        _, b = ctx.saved_tensors
        return grads[0] * b, None


def solve(a: Any, b: Any) -> Any:
    """A linear system."""
    return torch.linalg.solve(a @ a.T + torch.eye(3, dtype=a.dtype), b)


def fixed_point(x: Any) -> Any:
    """y = cos(y)/2 + x, by enough steps."""
    y = torch.zeros_like(x)
    for _ in range(60):
        y = torch.cos(y) / 2 + x
    return y


def penalty(x: Any) -> Any:
    """The square of a gradient, taken inside."""
    y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return (g**2).sum()


def remembering() -> Any:
    """A function that uses what it was given before."""
    before = [0.0]

    def called(x: Any) -> Any:
        value = (x * x).sum() + before[0]
        before[0] = float(x.detach()[0])
        return value

    return called


def dropped(x: Any) -> Any:
    """Random numbers of a state that is set back."""
    return F.dropout(x, 0.5, training=True) * x


B = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2))
Z = torch.randn(3, dtype=torch.complex128)

CASES = [
    Case("gelu", F.gelu, X, {}),
    Case("layer norm", lambda x: F.layer_norm(x, (4,)), M, {}),
    Case("cross entropy", lambda x: F.cross_entropy(x, torch.tensor([0, 2, 1])), M, {}),
    Case("attention", F.scaled_dot_product_attention, (Q, Q + 1, Q * 2), {}),
    Case("module in evaluation", B, M, {}),
    Case("linear system", solve, (torch.randn(3, 3), torch.randn(3)), {}),
    Case("fixed point", fixed_point, X, {}),
    Case("gradient inside", penalty, X, {}),
    Case("dropout of one state", dropped, X, {}),
    Case("complex", lambda z: (z.abs() ** 2).sum() + (z * z).imag.sum(), Z, {}),
    Case("spectrum", lambda x: torch.fft.rfft(x).abs().sum(), X, {}),
    Case("custom", lambda x: Right.apply(x, 3.0), X, {}),
    Case("custom by its class", Right, (X, 3.0), {}),
    Case("scale lost", lambda x: Unscaled.apply(torch.sin(x), 3.0).sum(), X, {}, "Unscaled.backward"),
    Case("clipped", lambda x: Clipping.apply(x, 3.0).sum(), X, {}, "Clipping"),
    Case("layout", lambda x: Strided.apply(x).sin(), M, {}, "LAYOUT: the backward of Strided"),
    Case("memory's order", lambda x: Reordered.apply(x).sin(), M, {}, "when it arrives transposed"),
    Case("memory's beginning", lambda x: Offset.apply(x).sin(), M, {}, "when it arrives a slice of something larger"),
    Case("memory's size", lambda x: Counted.apply(x).sin(), M, {}, "LAYOUT: the backward of Counted"),
    Case("gradient written to", lambda x: Scaling.apply(x, 3.0).sin(), X, {}, "Scaling"),
    Case("two outputs", lambda a, b: sum(Split.apply(a, b)), (X, X + 1), {}),
    Case("two outputs, mixed up", lambda a, b: sum(SplitWrong.apply(a, b)), (X, X + 1), {}, "SplitWrong.backward"),
    Case("shape", lambda x: Shapeless.apply(x, 2.0), M, {}, "SHAPE: Function ShapelessBackward"),
    Case("state", Counting(), X, {}, "it keeps self.calls between calls"),
    Case("state of a closure", remembering(), X, {}, "it keeps before between calls"),
    Case("a single target", lambda x: F.huber_loss(x, torch.zeros(3)), torch.tensor([0.5, -2.0, 0.3]), {}),
    Case("single inside", lambda x: (x.float() ** 2).sum(), M, {}),
    Case("float32 kernel", Half.apply, M, {}),
    Case("float32 kernel, wrong", HalfWrong.apply, M, {}, "HalfWrong"),
    Case("bfloat16", lambda x: (x.bfloat16() ** 2).sum(), M.bfloat16(), {}),
    Case("in place", lambda x: Doubled.apply(x * 1).sin(), X, {}),
    Case("in place, by its class", Doubled, X, {}),
    Case("of complex numbers", lambda x: Complex.apply(x, 1.0), X, {}, "gives a real input a complex gradient"),
    Case("square of complex numbers", Squared, (Z, 2.0), {}),
    Case("square of complex numbers, not conjugated", Right, (Z, 2.0), {}, "return grads[0] * 2 * ctx.scale * x"),
    Case("state of a network", nn.LSTM(2, 3), (torch.randn(4, 1, 2), (torch.randn(1, 1, 3), torch.randn(1, 1, 3))), {}),
    Case("sparse", lambda x: x.to_sparse() * 2, M, {}),
    Case("sparse gradient", nn.Embedding(5, 3, sparse=True), torch.tensor([0, 2, 2]), {}),
    Case("flat, and beside it not", lambda x: 1e20 * torch.tanh(x), torch.tensor([20.0, 19.0]).double(), {}),
    Case("no gradient", Hidden.apply, (X, X + 1), {}, "NO_GRADIENT"),
    Case("straight through", lambda x: (x + (x.round() - x).detach()).sum(), X, {}, "G10"),
]  # fmt: skip
