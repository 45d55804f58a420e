"""Batch norm in single precision, summed and rounded as PyTorch's kernels do it.

Where a channel has one number in each sample, sums go one sample after the other; where it has a plane of them, they go
in double width over the samples.
"""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, F64, Array
from ..common import by_samples
from .fused import multiply_add
from .products import of_columns
from .sums import in_vectors, products_in_vectors

_add = np.add.reduce

# The kernel for planes has vectors of so many numbers.
_WIDTH = 8

# Beyond so many numbers a last digit is not worth passes in double width; so many have such a pass at once.
LARGEST = 1 << 22
_AT_ONCE = 1 << 14


def statistics(x: Array) -> tuple[Array, Array]:
    """The mean of each channel, and the sum of the squared distances from it."""
    if x.ndim == 2:
        mean = (of_columns(x) / len(x)).astype(F32)
        apart = x - mean
        return mean, of_columns(apart, apart).astype(F32)
    mean = (_add(x, (0, 2), F64) / (len(x) * x.shape[2])).astype(F32)
    apart = x - mean[:, None]
    apart *= apart
    return mean, _add(apart, (0, 2), F64).astype(F32)


def inverse_deviation(variance: Array, eps: float) -> Array:
    """One over the standard deviation."""
    return (1 / np.sqrt(variance.astype(F64) + eps)).astype(F32)


def raised(p: Array, x: Array) -> Array:
    """Numbers of the channels beside an array of two or three axes."""
    return p if x.ndim == 2 else p[:, None]


def normalised(x: Array, mean: Array, scale: Array, bias: Array | None) -> Array:
    """``(x - mean) * scale + bias`` as one product and one sum."""
    shift = -mean * scale if bias is None else multiply_add(bias, mean, -scale)
    shift, scale = raised(shift, x), raised(scale, x)
    return by_samples(lambda part: multiply_add(shift, part, scale), _some(x), x)


def _some(x: Array) -> int:
    """So many samples are at hand at once: all of those of few numbers."""
    return len(x) if x.size <= _AT_ONCE else max(_AT_ONCE * len(x) // x.size, 1)


def sums(g: Array, apart: Array) -> tuple[Array, Array]:
    """The sum of what comes back to each channel, and of its products with the distances from the mean."""
    if g.ndim == 2:
        return of_columns(g).astype(F32), of_columns(apart, g).astype(F32)
    return _add(in_vectors(g, _WIDTH), 0, F64), _add(products_in_vectors(apart, g, _WIDTH), 0, F64)


def gradients(g: Array, x: Array, mean: Array, invstd: Array, weight: Array | None) -> tuple[Array, Array, Array]:
    """The gradients of what was normalised, of the weight and of the bias."""
    apart = x - raised(mean, x)
    total, along = sums(g, apart)
    count = len(x) if x.ndim == 2 else len(x) * x.shape[2]
    slope = along.astype(F32) * invstd * invstd / F32.type(count)
    level = (total / total.dtype.type(count)).astype(F32)
    to_input = g - raised(level, x)
    whole = x.shape[1] - x.shape[1] % _WIDTH if x.ndim == 2 else None
    down = -raised(slope, x)[:whole]
    both = to_input[:, :whole], apart[:, :whole]
    to_input[:, :whole] = by_samples(lambda back, apart: multiply_add(back, apart, down), _some(both[0]), *both)
    if whole is not None:
        # What fills no vector is multiplied first, and then subtracted.
        to_input[:, whole:] -= apart[:, whole:] * slope[whole:]
    to_input *= raised(invstd, x)
    if weight is not None:
        to_input *= raised(weight, x)
    return to_input, (along * invstd).astype(F32), total.astype(F32)
