"""Sums in the order in which PyTorch adds: four rows side by side, in blocks, and eight or four lanes across.

Rounding depends on the order. NumPy has another one, so that of the same numbers it makes another last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

_add, _running, _joined = np.add.reduce, np.add.accumulate, np.concatenate
_lanes = {np.dtype("float32"): 8, np.dtype("float64"): 4}

# Beyond so many elements PyTorch parts a sum among threads, and the order is not one.
_LARGEST = 1 << 15

_BLOCK = 16

# Fewer than eight elements NumPy adds one after another: they need only be in order.
_FEW = {n: np.array([0, *range(4, n), 1, 2, 3]) for n in range(5, 8)}


def total(a: Array) -> Array:
    """The sum of all elements."""
    n = a.size
    lanes = _lanes.get(a.dtype, 0)
    if n < 5 or not lanes or n > _LARGEST:
        return _add(a, None)
    if a.flags.c_contiguous:
        x = a.reshape(-1)
    elif a.flags.f_contiguous:
        x = a.T.reshape(-1)
    else:
        return _add(a, None)
    if n < lanes:
        return _add(x.take(_FEW[n]))
    whole = n - n % lanes
    across = _rows(x[:whole], lanes)
    if n > whole:
        across = _joined((x[whole:], across))
    return _add(across) if across.size < 8 else _running(across)[-1]


def _rows(x: Array, lanes: int) -> Array:
    """The sum of each lane: of every fourth row by itself first."""
    group = 4 * lanes
    count = x.size // group
    if count:
        begun = group * count
        parts = x[:begun]
        if count > 1:
            parts = parts.reshape(count, group)
            parts = _add(parts, 0) if count < _BLOCK else _blocks(parts)
        x = _joined((parts[:lanes], x[begun:], parts[lanes:])) if x.size > begun else parts
    return _add(x.reshape(-1, lanes), 0)


def _blocks(a: Array) -> Array:
    """The sum of each column: by blocks of rows, then by blocks of blocks."""
    sums = None
    while len(a):
        blocks, rest = divmod(len(a), _BLOCK)
        if rest:
            left = _add(a[len(a) - rest :], 0)
            sums = left if sums is None else sums + left
        a = _add(a[: len(a) - rest].reshape(blocks, _BLOCK, -1), 1) if blocks else a[:0]
    return sums
