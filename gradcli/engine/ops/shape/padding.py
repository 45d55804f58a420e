"""Padding: a border around the last axes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_sizes
from ...costs import ALWAYS, costs
from ...dtypes import zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..memory_order import laid_as


def zeros_like(x: Value) -> Value:
    """Zeros in the shape of an array or tensor."""
    if isinstance(x, Tensor):
        return constants(zeros_of(x._a.shape, x._a.dtype))
    return zeros_of(x.shape, x.dtype)


def by_axis(pad: Sequence[int], n: int) -> list[tuple[int, int, int]]:
    """Padding is listed from the last axis back: (axis, before, after) of each padded axis."""
    return [(n - 1 - k, pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)]


def zeros(info: tuple[Any, Any], like: Value) -> Value:
    """Zeros of a shape and dtype: a tensor beside tensors, an array beside arrays."""
    z = zeros_of(*info)
    return result(z) if isinstance(like, Tensor) else z


# -- a constant border -------------------------------------------------------------------------


@primitive(self=lambda g, pad: constant_pad_nd(g, tuple([-p for p in pad]), 0), rounding="exact", form="stacked")
def constant_pad_nd(self: Array, pad: Any, value: float = 0) -> Array:
    """A border of one value; a negative width cuts off."""
    n = self.ndim
    source = [slice(None)] * n
    goal = [slice(None)] * n
    size = list(self.shape)
    for i, before, after in by_axis(pad, n):
        have = size[i]
        size[i] = have + before + after
        if have + min(before, 0) + min(after, 0) < 0:
            fail("narrow(): length must be non-negative.")
        if size[i] < 0:
            fail(
                f"The input size {have}, plus negative padding {before} and {after} resulted in a negative output "
                f"size, which is invalid. Check dimension {i} of your input."
            )
        source[i] = slice(max(-before, 0), have - max(-after, 0))
        goal[i] = slice(max(before, 0), size[i] - max(after, 0))
    if pad and max(pad) <= 0:
        # What is only cut off is copied as it lies in memory.
        return self[tuple(source)].copy("K")
    out = zeros_of(size, self.dtype)
    if value != 0:
        out.fill(ops.filled.fitted(value, out.dtype))
    out[tuple(goal)] = self[tuple(source)]
    return laid_as(self, out)


@public("torch.constant_pad_nd")
@costs("arranging.padded")
@composite
def padded_by_constant(input: Value, pad: Any, value: float = 0) -> Value:
    """A border of one value; a negative width cuts off."""
    only_sizes("constant_pad_nd", pad=pad, places=(2,))
    if not isinstance(pad, (tuple, list)):
        got = type(pad).__name__
        raise EngineTypeError(f"constant_pad_nd(): argument 'pad' (position 2) must be tuple of ints, not {got}")
    if len(pad) % 2:
        fail(f"Length of pad must be even but instead it equals {len(pad)}")
    n = len(input.shape)
    if len(pad) > 2 * n:
        fail(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {n}dimensions."
        )
    return constant_pad_nd(input, tuple(pad), value)


# -- a border made of the tensor itself ----------------------------------------------------------

Where = Callable[[int, int, int], Array]


def _mirrored(have: int, before: int, after: int) -> Array:
    """The places that reflection reads: 2 1 | 0 1 2 3 | 2 1."""
    at = np.abs(np.arange(-before, have + after))
    return have - 1 - np.abs(have - 1 - at)


def _edge(have: int, before: int, after: int) -> Array:
    """The places that replication reads: 0 0 | 0 1 2 3 | 3 3."""
    return np.clip(np.arange(-before, have + after), 0, have - 1)


def _bordered(a: Array, padding: Sequence[int], where: Where) -> Array:
    given = a
    for i, before, after in by_axis(padding, a.ndim):
        a = a.take(where(a.shape[i], before, after), i)
    return laid_as(given, a)


def _folded(g: Array, size: tuple[int, ...], padding: Sequence[int], where: Where) -> Array:
    """The gradient of a border: each share added to the place that it was read from."""
    for i, before, after in by_axis(padding, len(size)):
        have = size[i]
        places = where(have, before, after)
        out_size = (*g.shape[:i], have, *g.shape[i + 1 :])
        lead = (slice(None),) * i
        # The middle was read in place; only the border goes elsewhere.
        first, last = max(-before, 0), have - max(-after, 0)
        out = zeros_of(out_size, g.dtype)
        out[(*lead, slice(first, last))] = g[(*lead, slice(before + first, before + last))]
        moved = [k for k in range(len(places)) if not first <= k - before < last]
        if moved:
            np.add.at(np.moveaxis(out, i, 0), places[moved], np.moveaxis(g, i, 0)[moved])
        g = out
    return g


def _check_reflection(a: Array, padding: Sequence[int], rank: int) -> None:
    _check_rank(a, padding, rank)
    for i, before, after in by_axis(padding, a.ndim):
        if before >= a.shape[i] or after >= a.shape[i]:
            fail(
                f"Argument #{2 + 2 * (a.ndim - i)}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({before}, {after}) at dimension {i} of input {list(a.shape)}"
            )


def _check_rank(a: Array, padding: Sequence[int], rank: int) -> None:
    if 0 in a.shape[-rank - 1 :]:
        words = {1: "2D or 3D (batch mode)", 2: "3D or 4D (batch mode)", 3: "4D or 5D (batch mode)"}[rank]
        fail(
            f"Expected {words} tensor with possibly 0 batch size and other non-zero dimensions for input, but got: "
            f"{list(a.shape)}"
        )
    for i, before, after in by_axis(padding, a.ndim):
        if a.shape[i] + before + after < 1:
            fail(f"input (W: {a.shape[i]}) is too small. Calculated output W: {a.shape[i] + before + after}")


# The ops that such borders, and their gradients, are made by.
BORDER_OPS: list[Any] = []


def _declared(kind: str, rank: int, where: Where, check: Callable[[Array, Sequence[int], int], None]) -> Any:
    """The op of a border of one kind on the last ``rank`` axes, and that of its gradient."""

    def forward(self: Array, padding: Any) -> Array:
        if self.dtype.kind == "b":
            raise EngineNotImplementedError(f"\"{kind}_pad{rank}d\" not implemented for 'Bool'")
        check(self, padding, rank)
        return _bordered(self, padding, where)

    def backward(grad_output: Array, self: Array, padding: Any) -> Array:
        return laid_as(self, _folded(grad_output, self.shape, padding, where))

    forward.__name__ = f"{kind}_pad{rank}d"
    forward.__doc__ = (
        f"The last {rank} axes with a border made by {kind}."
        if rank > 1
        else (f"The last axis with a border made by {kind}.")
    )
    backward.__name__ = forward.__name__ + "_backward"
    backward.__doc__ = f"The gradient of {forward.__name__}."
    node = f"{kind.title()}Pad{rank}DBackward"
    op = primitive(form="stacked", node=node + "0", self=lambda g, self, padding: back(g, self, padding))(forward)
    if (kind, rank) != ("reflection", 3):
        op = under_autocast("single")(op)
    back = primitive(
        form="stacked",
        node=node + "Backward0",
        backward=True,
        grad_output=lambda g, padding: op(g, padding),
        self=lambda g, self: zeros_like(self),
    )(backward)
    BORDER_OPS.extend((op, back))
    return op


_BORDERS = {
    "reflect": [_declared("reflection", rank, _mirrored, _check_reflection) for rank in (1, 2, 3)],
    "replicate": [_declared("replication", rank, _edge, _check_rank) for rank in (1, 2, 3)],
}


def _circular(input: Value, pad: Sequence[int]) -> Value:
    """A border of what comes round from the other end, written into a new tensor side by side."""
    n = input.ndim
    size = list(input.shape)
    sides = by_axis(pad, n)
    for i, before, after in sides:
        if before > size[i] or after > size[i]:
            fail("Padding value causes wrapping around more than once.")
        if before + after + size[i] < 0:
            fail("Negative padding value is resulting in an empty dimension")
    for i, before, after in sides:
        size[i] += before + after
    out = ops.filled.new_zeros(input, size)
    inner: Value = out
    source = input
    for i, before, after in sides:
        inner = ops.views.slice_(inner, i, max(before, 0), size[i] - max(after, 0), 1)
        source = ops.views.slice_(source, i, max(-before, 0), input.shape[i] - max(-after, 0), 1)
    inner.copy_(source)
    for i, before, after in sides:
        if before > 0:
            end = size[i] - max(after, 0)
            ops.views.slice_(out, i, 0, before, 1).copy_(ops.views.slice_(out, i, end - before, end, 1))
        if after > 0:
            start, end = max(before, 0), size[i] - after
            # Of what another side has cut shorter, more than once.
            for at in range(end, size[i], max(end - start, 1)):
                to = min(at + max(end - start, 1), size[i])
                ops.views.slice_(out, i, at, to, 1).copy_(ops.views.slice_(out, i, start, start + to - at, 1))
    return out


def _no_sizes(pad: Any) -> EngineTypeError:
    """PyTorch's error for sizes of a border that are no ints."""
    words = "pad(): argument 'pad' (position 2) must be tuple of ints"
    for place, p in enumerate(pad if isinstance(pad, (tuple, list)) else ()):
        if not hasattr(p, "__index__"):
            return EngineTypeError(f"{words}, but found element of type {type(p).__name__} at pos {place}")
    return EngineTypeError(f"{words}, not {type(pad).__name__}")


@public("F.pad")
@costs("arranging.padded", careful=ALWAYS)
def pad_any(input: Value, pad: Any, mode: str = "constant", value: float | None = None) -> Value:
    """A border around the last axes: a constant, mirrored, repeated or circular."""
    only_sizes("pad", pad=pad, places=(2,))
    given = pad
    try:
        pad = tuple(map(operator.index, pad)) if not isinstance(pad, Tensor) else None
    except TypeError:
        pad = None
    if pad is None:
        raise _no_sizes(given)
    if value is not None and not isinstance(value, (int, float, Tensor, np.generic)):
        raise EngineTypeError(f"pad(): argument 'value' (position 4) must be float, not {type(value).__name__}")
    if mode not in ("constant", "circular", *_BORDERS):
        raise EngineNotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        fail("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        fail(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        fail(f'Padding mode "{mode}" doesn\'t take in value argument')
    n = input.ndim
    sides = len(pad) // 2
    if sides not in (1, 2, 3) or n not in (sides + 1, sides + 2):
        raise EngineNotImplementedError(
            f"Padding size {len(pad)} is not supported for {n}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _circular(input, pad)
    return _BORDERS[mode][sides - 1](input, pad)
