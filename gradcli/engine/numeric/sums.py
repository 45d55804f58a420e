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
    if 5 <= a.size <= _LARGEST and a.dtype in _lanes:
        if a.flags.c_contiguous:
            return along(a.reshape(-1))
        if a.flags.f_contiguous:
            return along(a.T.reshape(-1))
    return _add(a, None)


def along(x: Array) -> Array:
    """The sum along the last axis, of each row as ``total`` has it."""
    n = x.shape[-1]
    lanes = _lanes.get(x.dtype, 0)
    if n < 5 or not lanes or n > _LARGEST:
        return _add(x, -1)
    if n < lanes:
        return _add(x.take(_FEW[n], -1), -1)
    whole = n - n % lanes
    across = _rows(x[..., :whole], lanes)
    if n > whole:
        across = _joined((x[..., whole:], across), -1)
    return _add(across, -1) if across.shape[-1] < 8 else _running(across, -1)[..., -1][()]


def _rows(x: Array, lanes: int) -> Array:
    """The sum of each lane: of every fourth row by itself first."""
    group = 4 * lanes
    *lead, n = x.shape
    count = n // group
    if count:
        begun = group * count
        parts = x[..., :begun]
        if count > 1:
            parts = parts.reshape(*lead, count, group)
            parts = _add(parts, -2) if count < _BLOCK else _blocks(parts)
        x = _joined((parts[..., :lanes], x[..., begun:], parts[..., lanes:]), -1) if n > begun else parts
    return _add(x.reshape(*lead, -1, lanes), -2)


def _blocks(a: Array) -> Array:
    """The sum of each column: by blocks of rows, then by blocks of blocks."""
    sums = None
    *lead, count, width = a.shape
    while count:
        blocks, rest = divmod(count, _BLOCK)
        if rest:
            left = _add(a[..., count - rest :, :], -2)
            sums = left if sums is None else sums + left
        a = a[..., : count - rest, :].reshape(*lead, blocks, _BLOCK, width)
        a = _add(a, -2)
        count = blocks
    return sums
