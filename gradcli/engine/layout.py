"""How elements lie in memory, and arrays that lie like others."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .tensor import Array


def memory_order(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The axes from the one that moves fastest through memory to the slowest, as PyTorch's iterators take them."""
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            one, two = order[before], order[at]
            if not strides[one] or not strides[two]:
                # An axis that repeats elements stays where it is, and others pass it.
                continue
            if (strides[one], shape[one]) <= (strides[two], shape[two]):
                if strides[one] < strides[two]:
                    break
                continue
            order[before], order[at] = two, one
            at = before
    return order


def empty_like(a: Array, dtype: Any) -> Array:
    """Memory for the shape of ``a``, its axes in the same order in memory."""
    e = np.empty(a.shape, dtype)
    strides = tuple(s // a.itemsize for s in a.strides)
    if strides == tuple(s // e.itemsize for s in e.strides):
        return e
    if not _is_dense(a.shape, strides):
        dense = [1] * a.ndim
        step = 1
        for axis in memory_order(a.shape, strides):
            dense[axis] = step
            step *= max(a.shape[axis], 1)
        strides = tuple(dense)
    size = e.itemsize
    if not a.size:
        return e
    return np.ndarray(a.shape, e.dtype, np.empty(a.size, e.dtype), 0, tuple(s * size for s in strides))


def _is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements fill their stretch of memory, each in a place of its own."""
    step = 1
    for stride, n in sorted((s, n) for s, n in zip(strides, shape, strict=True) if n != 1):
        if stride != step:
            return False
        step *= n
    return True


def laid_out(flat: Array, a: Array) -> Array:
    """Elements in the order of memory, in the shape of ``a``."""
    if not a.ndim or a.flags.c_contiguous:
        return flat.reshape(a.shape)
    slow_first = memory_order(a.shape, a.strides)[::-1]
    places = sorted(range(a.ndim), key=slow_first.__getitem__)
    return flat.reshape([a.shape[i] for i in slow_first]).transpose(places)


def count(shape: tuple[int, ...]) -> int:
    """How many elements a shape has."""
    return prod(shape)
