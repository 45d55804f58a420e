"""Products of matrices of single precision, their terms added one after the other, as PyTorch's BLAS adds them.

Rounding depends on the order. OpenBLAS has kernels for small matrices that add by lanes, and so make another last
digit, but none where the columns of the left factor lie together: copying a small factor is cheap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

_F32 = np.dtype("float32")

# The kernels by lanes are used for sums of at least so many terms, up to so many terms in all, up to so many results
# where the columns of the right factor lie together, and otherwise where the results have so many columns beyond whole
# vectors.
_FEWEST, _MOST, _RESULTS, _VECTOR, _HALF = 32, 10**6, 1200, 16, 8

# Longer sums are added up block by block: whole ones while two are left, and the rest in halves.
_BLOCK = 384


def product(a: Array, b: Array, start: Array | None = None) -> Array:
    """``a @ b`` of two matrices, with ``start`` added to it."""
    if a.dtype is _F32 and a.shape[1] >= _FEWEST:
        return _in_order(a, b, start)
    r = a.dot(b)
    if start is not None:
        r += start
    return r


def _in_order(a: Array, b: Array, start: Array | None) -> Array:
    total, begun, terms = start, 0, a.shape[1]
    if b.shape[0] != terms or 1 in (a.shape[0], b.shape[1]):
        # BLAS takes a row or a column for a vector, and refuses what does not fit.
        total = a.dot(b)
        if start is not None:
            total += start
        return total
    while begun < terms:
        left = terms - begun
        length = _BLOCK if left >= 2 * _BLOCK else left if left <= _BLOCK else (left + 1) // 2
        part = a if length == terms else a[:, begun : begun + length]
        r = _by_terms(part, b[begun : begun + length])
        if total is not None:
            r += total
        total = r
        begun += length
    return total


def _by_terms(a: Array, b: Array) -> Array:
    (m, k), n = a.shape, b.shape[1]
    if m * k * n <= _MOST and a.strides[0] != a.itemsize:
        by_lanes = m * n <= _RESULTS if b.strides[0] == b.itemsize else 0 < n % _VECTOR <= _HALF
        if by_lanes:
            a = np.asfortranarray(a)
    return a.dot(b)
