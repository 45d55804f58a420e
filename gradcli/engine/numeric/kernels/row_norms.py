"""The layer norm of single precision step by step as PyTorch's kernels compute it.

The mean and the variance of a row are made right with every element, by vectors of eight in chunks of sixteen.
"""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, F64, Array
from .fused import LARGEST, multiply_add
from .products import of_columns
from .sums import in_vectors, products_in_vectors

# How many elements were seen, their mean, and the sum of the squares of their distances from it.
Moments = tuple[int, Array, Array]

_LANES, _CHUNK = 8, 16


def follows(x: Array) -> bool:
    """Tell whether these rows are few enough to be computed as PyTorch does."""
    return x.dtype is F32 and 0 < x.size <= LARGEST


def moments(x: Array) -> tuple[Array, Array]:
    """The mean and the variance of each row."""
    count = x.shape[1]
    vectors = count // _LANES
    left = x[:, vectors * _LANES :]
    seen = 0, x[:, 0], x[:, 0]
    if left.shape[1]:
        seen = 1, left[:, 0], np.zeros(len(x), F32)
        for i in range(1, left.shape[1]):
            apart = left[:, i] - seen[1]
            mean = seen[1] + apart / F32.type(i + 1)
            seen = i + 1, mean, seen[2] + apart * (left[:, i] - mean)
    if vectors:
        _, means, squares = _of_lanes(x[:, : vectors * _LANES].reshape(-1, vectors, _LANES))
        for mean, square in zip(means.T, squares.T, strict=True):
            seen = _joined(seen, (vectors, mean, square))
        return seen[1], seen[2] / F32.type(count)
    return seen[1], _beside_none(seen[1], seen[2]) / F32.type(count)


def _beside_none(mean: Array, square: Array) -> Array:
    """The squares of a group that is joined with an empty one: no number where that of the mean is too large."""
    return square if np.isfinite(np.vdot(mean, mean)) else square + mean * mean * F32.type(0)


def _of_lanes(x: Array) -> Moments:
    """The moments of each lane of vectors: those of its chunks, joined as the digits of a counter are."""
    vectors = x.shape[1]
    mean, square = x[:, ::_CHUNK].copy(), np.zeros_like(x[:, ::_CHUNK])
    for i in range(1, min(_CHUNK, vectors)):
        at = x[:, i::_CHUNK]
        some = np.s_[:, : at.shape[1]]
        means = mean[some]
        apart = at - means
        _add_to(means, apart, F32.type(1) / F32.type(i + 1))
        _add_to(square[some], apart, at - means)
    square = _beside_none(mean, square)
    levels: list[Moments | None] = [None] * max((mean.shape[1] - 1).bit_length(), 1)
    for i in range(mean.shape[1]):
        found: Moments = min(_CHUNK, vectors - i * _CHUNK), mean[:, i], square[:, i]
        level = 0
        found = _joined_lanes(levels[0], found)
        while level + 1 < len(levels) and not (i + 1) >> level & 1:
            levels[level] = None
            level += 1
            found = _joined_lanes(levels[level], found)
        levels[level] = found
    result: Moments | None = levels[0]
    for more in levels[1:]:
        if more is not None:
            result = _joined_lanes(result, more)
    assert result is not None
    return result


def _joined_lanes(a: Moments | None, b: Moments) -> Moments:
    """The moments of two groups of vectors, every step but the last rounded by itself."""
    if a is None:
        return b
    count = a[0] + b[0]
    apart, share = b[1] - a[1], F32.type(b[0]) / F32.type(count)
    square = a[2] + b[2]
    _add_to(square, apart, apart * (share * F32.type(a[0])))
    return count, a[1] + share * apart, square


def _joined(a: Moments, b: Moments) -> Moments:
    """The moments of two groups of numbers."""
    if not a[0]:
        return b
    count = a[0] + b[0]
    apart, share = b[1] - a[1], F32.type(b[0]) / F32.type(count)
    mean, square = a[1].copy(), b[2].copy()
    _add_to(mean, apart, share)
    _add_to(square, apart * apart * share, F32.type(a[0]))
    return count, mean, a[2] + square


def _add_to(total: Array, a: Array, b: Array) -> None:
    """Add products, each in one rounding."""
    np.add(np.multiply(a, b, dtype=F64), total, total, casting="same_kind")


# -- gradients -----------------------------------------------------------------------------------


def to_rows(g: Array, x: Array, mean: Array, scale: Array, weight: Array | None) -> Array:
    """The gradient of the rows."""
    if weight is None:
        along, along_x = in_vectors(g, _LANES), products_in_vectors(g, x)
        h = scale * g
    else:
        along, along_x = products_in_vectors(g, weight), products_in_vectors(g * x, weight)
        h = scale * g * weight
    along, along_x = along[:, None], along_x[:, None]
    share = F32.type(1) / F32.type(x.shape[1])
    slope = multiply_add(-along_x, along, mean) * scale * scale * scale * share
    return multiply_add(h, slope, x) + multiply_add(-(along * scale * share), -slope, mean)


def to_parameters(g: Array, x: Array, mean: Array, scale: Array, wanted: tuple[bool, bool]) -> list[Array | None]:
    """The gradients of the factors and of what is added."""
    of_weight, of_bias = wanted
    to_weight = of_columns(g, multiply_add(-scale * mean, scale, x)).astype(F32) if of_weight else None
    return [to_weight, of_columns(g).astype(F32) if of_bias else None]

