"""Sliding windows over the trailing axes of arrays: what convolutions and pools are made of. Raw NumPy only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from ....errors import EngineTypeError
from ...dtypes import Array, full_of, zeros_of

Sizes = tuple[int, ...]
# What to put before and after each trailing axis; negative to take away.
Margins = Sequence[tuple[int, int]]


def spread(value: Any, n: int) -> Sizes:
    """A size for each of ``n`` axes, from one number or a sequence of them; a sequence of one serves all."""
    if isinstance(value, int):
        return (value,) * n
    if isinstance(value, (tuple, list)):
        try:
            found = tuple([index(v) for v in value])
        except TypeError:
            other = next(type(v).__name__ for v in value if not hasattr(v, "__index__"))
            raise EngineTypeError(f"expected a tuple of ints, but found element of type {other}") from None
        return found * n if len(found) == 1 else found
    if hasattr(value, "__index__"):
        return (int(value),) * n
    raise EngineTypeError(f"expected a number or a tuple of ints, not {type(value).__name__}")


def padded(x: Array, margins: Margins, fill: Any = 0) -> Array:
    """``x`` with its trailing axes grown by ``margins``; ``x`` itself where there is nothing to add."""
    if not any(a or b for a, b in margins):
        return x
    lead = x.ndim - len(margins)
    sizes = x.shape[lead:]
    shape = x.shape[:lead] + tuple([a + n + b for n, (a, b) in zip(sizes, margins, strict=True)])
    grown: Array = zeros_of(shape, x.dtype) if fill == 0 else full_of(shape, fill, x.dtype)
    inside = tuple([slice(max(a, 0), a + n + min(b, 0)) for n, (a, b) in zip(sizes, margins, strict=True)])
    taken = tuple([slice(max(-a, 0), n + min(b, 0)) for n, (a, b) in zip(sizes, margins, strict=True)])
    grown[(..., *inside)] = x[(..., *taken)]
    return grown


def cropped(x: Array, starts: Sequence[int], sizes: Sequence[int]) -> Array:
    """The part of ``x`` with these sizes along its trailing axes."""
    part = x[(..., *[slice(a, a + n) for a, n in zip(starts, sizes, strict=True)])]
    return part if part.shape == x.shape else np.ascontiguousarray(part)


def windows(x: Array, kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """A view of ``x``: its leading axes, then the axes of a kernel, then those of the windows' positions."""
    n = len(kernel)
    shape = x.shape[: x.ndim - n] + kernel + out
    if 0 in shape:
        return zeros_of(shape, x.dtype)
    x = np.ascontiguousarray(x)
    lead, own = x.strides[: x.ndim - n], x.strides[x.ndim - n :]
    inner = tuple([s * d for s, d in zip(own, dilation, strict=True)])
    outer = tuple([s * k for s, k in zip(own, stride, strict=True)])
    return np.ndarray(shape, x.dtype, x, 0, lead + inner + outer)


def positions(kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> list[tuple[Sizes, tuple[Any, ...]]]:
    """For each place in a kernel, the slices of the input that it meets as the window slides."""
    axes = [
        [(k, slice(k * d, k * d + (o - 1) * s + 1, s)) for k in range(n)]
        for n, o, s, d in zip(kernel, out, stride, dilation, strict=True)
    ]
    found: list[tuple[Sizes, tuple[Any, ...]]] = [((), ())]
    for axis in axes:
        found = [((*place, k), (*slices, s)) for place, slices in found for k, s in axis]
    return found


def fold(columns: Array, size: Sizes, kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """Add windows to where they were taken from: the adjoint of ``windows``, onto trailing axes of ``size``."""
    n = len(kernel)
    lead = columns.shape[: columns.ndim - 2 * n]
    total = zeros_of(lead + size, columns.dtype)
    if columns.size:
        for place, slices in positions(kernel, out, stride, dilation):
            total[(..., *slices)] += columns[(slice(None),) * len(lead) + place]
    return total


def range_sum(x: Array, starts: Array, ends: Array, axis: int) -> Array:
    """Sums of ``x`` over stretches ``starts[i]:ends[i]`` along an axis counted from the end (-1 or -2 ...)."""
    n = len(starts)
    lead = x.ndim + axis
    shape = (*x.shape[:lead], n, *x.shape[lead + 1 :])
    empty = ends <= starts
    if math.prod(shape) == 0 or empty.all():
        return zeros_of(shape, x.dtype)
    margins = [(0, 0)] * (-axis)
    margins[0] = (0, 1)
    pairs = np.stack([starts, ends], 1).ravel()
    total = np.add.reduceat(padded(x, margins), pairs, axis)[(..., slice(None, None, 2)) + (slice(None),) * (-axis - 1)]
    if empty.any():
        total[(..., empty) + (slice(None),) * (-axis - 1)] = 0
    return np.ascontiguousarray(total)
