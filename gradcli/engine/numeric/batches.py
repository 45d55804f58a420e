"""Batch norm in single precision, summed and rounded as PyTorch's kernels do it.

Where a channel has one number in each sample, sums go one sample after the other; where it has a plane of them, they go
in double width over the samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .fused import F32, F64, multiply_add
from .sums import in_vectors

Array = Any

_add = np.add.reduce

# Up to so many terms the products of all columns are a cheap way to the few that are wanted, and in the wanted order.
_CHEAP, _LONGEST = 1 << 20, 384

# The kernel for planes has vectors of so many numbers.
_WIDTH = 8


def statistics(x: Array) -> tuple[Array, Array]:
    """The mean of each channel, and the sum of the squared distances from it."""
    if x.ndim == 2:
        mean = _add(x, 0) / F32.type(len(x))
        apart = x - mean
        return mean, _dot(apart, apart.copy())
    mean = (_add(x, (0, 2), F64) / (len(x) * x.shape[2])).astype(F32)
    apart = x - mean[:, None]
    apart *= apart
    return mean, _add(apart, (0, 2), F64).astype(F32)


def _dot(a: Array, b: Array) -> Array:
    """The products of each column of two matrices, each added in one rounding."""
    rows, columns = a.shape
    if rows <= _LONGEST and rows * columns * columns <= _CHEAP:
        return a.T.dot(b).diagonal().copy()
    return _add(np.multiply(a, b, dtype=F64), 0).astype(F32)


def inverse_deviation(variance: Array, eps: float) -> Array:
    """One over the standard deviation."""
    return (1 / np.sqrt(variance.astype(F64) + eps)).astype(F32)


def raised(p: Array, x: Array) -> Array:
    """Numbers of the channels beside an array of two or three axes."""
    return p if x.ndim == 2 else p[:, None]


def normalised(x: Array, mean: Array, scale: Array, bias: Array | None) -> Array:
    """``(x - mean) * scale + bias`` as one product and one sum."""
    shift = -mean * scale if bias is None else multiply_add(bias, mean, -scale)
    return multiply_add(raised(shift, x), x, raised(scale, x))


def gradients(g: Array, x: Array, mean: Array, invstd: Array, weight: Array | None) -> tuple[Array, Array, Array]:
    """The gradients of what was normalised, of the weight and of the bias."""
    apart = x - raised(mean, x)
    if x.ndim == 2:
        total, along = _add(g, 0), _dot(apart, g)
        count = len(x)
    else:
        total, along = (_add(in_vectors(p, width=_WIDTH), 0, F64) for p in (g, apart * g))
        count = len(x) * x.shape[2]
    slope = along.astype(F32) * invstd * invstd / F32.type(count)
    level = (total / count).astype(F32)
    to_input = multiply_add(g - raised(level, x), apart, -raised(slope, x)) * raised(invstd, x)
    if weight is not None:
        to_input *= raised(weight, x)
    return to_input, (along * invstd).astype(F32), total.astype(F32)
