"""Memory layouts, and arrays that lie like others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import BF16, F32, Array, zeros_of
from ..numeric.bfloat16 import Brain
from ..numeric.halves import converted


def empty_like(a: Array, dtype: Any) -> Array:
    """Zeros in the shape of ``a``, its axes in the same order in memory."""
    e = zeros_of(a.shape, dtype)
    strides = tuple(s // a.itemsize for s in a.strides)
    if not a.size or strides == tuple(s // e.itemsize for s in e.strides):
        return e
    if not is_dense(a):
        return in_order(e, axes_in_memory([strides], a.shape))
    size = e.itemsize
    return array_in(zeros_of(a.size, dtype), dtype, a.shape, 0, tuple(s * size for s in strides))


def unwrapped(a: Array) -> Any:
    """An array, or its number where it has no axes."""
    return a if a.ndim else a[()]


def full_like(a: Array, value: Any, d: Any) -> Array:
    """An array of one value in the shape of ``a``, its axes in the same order in memory."""
    if not a.ndim:
        return d.type(value)
    made = empty_like(a, d)
    made[...] = value
    return made


def array_in(memory: Array, d: Any, shape: Sequence[int], start: int, strides: Sequence[int]) -> Any:
    """An array of ``d`` in somebody's memory: from which byte on, and how many bytes apart its elements lie."""
    made: Any = np.ndarray(shape, F32 if d is BF16 else d, memory, start, strides)
    return made.view(Brain) if d is BF16 else made


def is_dense(a: Array) -> bool:
    """Tell whether the elements fill their stretch of memory, each in a place of its own."""
    step = a.itemsize
    for stride, n in sorted((s, n) for s, n in zip(a.strides, a.shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= n
    return True


def laid_out(flat: Array, a: Array) -> Array:
    """Elements in the order of memory, in the shape of ``a``."""
    if not a.ndim or a.flags.c_contiguous:
        return flat.reshape(a.shape)
    slow_first = axes_in_memory([a.strides], a.shape)
    places = sorted(range(a.ndim), key=slow_first.__getitem__)
    return flat.reshape([a.shape[i] for i in slow_first]).transpose(places)


def rounded(x: Array, dtype: Any) -> Array:
    """``x`` in another floating dtype; in half precision by way of single, as in PyTorch."""
    if x.dtype == dtype:
        return x
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    with np.errstate(over="ignore"):
        if dtype is BF16:
            return converted(x, dtype)
        return (x.astype(np.float32) if dtype.itemsize == 2 else x).astype(dtype, copy=False)


def like_operands(r: Array, *operands: Array) -> Array:
    """A result with its axes in memory in PyTorch's order: the first operand that can tell two axes apart decides.

    NumPy lets row-major order win whenever the operands disagree.
    """
    first = operands[0]
    if r.strides == first.strides and r.shape == first.shape:
        return r
    if 0 not in first.strides and all(x.strides == first.strides and x.shape == first.shape for x in operands):
        return r
    return in_order(r, axes_in_memory([_strides_in(x, r) for x in operands], r.shape))


def converted_like(a: Array, d: Any) -> Array:
    """A copy in another element type, its axes in the same order in memory, also where elements share theirs."""
    if a.ndim < 2 or 0 not in a.strides:
        return converted(a, d)
    return in_order(converted(a, d, "C"), axes_in_memory([a.strides], a.shape))


def in_order(r: Array, order: Sequence[int]) -> Array:
    """``r`` with its axes in memory from the slowest to the fastest."""
    if r.transpose(order).flags.c_contiguous:
        return r
    # NumPy's own function would make ordinary arrays of bfloat16.
    return r.transpose(order).copy().transpose(sorted(range(r.ndim), key=order.__getitem__))


def axes_in_memory(strides: Sequence[Sequence[int]], shape: tuple[int, ...]) -> list[int]:
    """The axes of a result from the slowest in memory to the fastest, by the strides of its operands.

    The first operand that tells two axes apart decides; a stride of 0 tells nothing.
    """
    order = list(range(len(shape) - 1, -1, -1))
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            verdict = _compared(strides, shape, order[before], order[at])
            if verdict < 0:
                break
            if verdict > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    return order[::-1]


def _compared(strides: Sequence[Sequence[int]], shape: tuple[int, ...], inner: int, outer: int) -> int:
    """1 when two axes should change places, -1 when they are in order, 0 when nothing tells."""
    for s in strides:
        if s[inner] and s[outer]:
            if s[inner] != s[outer]:
                return 1 if s[inner] > s[outer] else -1
            if shape[inner] > shape[outer]:
                return 1
    return 0


def _strides_in(x: Array, r: Array) -> list[int]:
    """An operand's strides along the axes of the result, 0 where it is broadcast."""
    lead = r.ndim - x.ndim
    own = [0 if n == 1 != m else s for s, n, m in zip(x.strides, x.shape, r.shape[lead:], strict=True)]
    return [0] * lead + own
