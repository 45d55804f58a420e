"""Single precision as PyTorch's kernels have it: products added in one rounding, functions right to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array
from ..common import quiet

# Beyond so many elements a last digit is not worth passes in double width.
LARGEST = 1 << 20

# So many elements in double width are at hand at once.
_PIECE = 1 << 12


def multiply_add(a: Array, b: Array, factor: Any) -> Array:
    """``a + b * factor``, in single precision rounded once."""
    if not isinstance(factor, (np.ndarray, np.generic)):
        factor = a.dtype.type(factor)
    if not (a.dtype is b.dtype is factor.dtype is F32) or max(a.size, b.size) > LARGEST:
        return sum_with(b * factor, a)
    plain = type(a) is type(b) is np.ndarray and a.shape == b.shape and factor.ndim == 0
    if a.size > _PIECE and plain and a.flags.c_contiguous and b.flags.c_contiguous:
        return _in_pieces(a, b, factor)
    # A product of two is exact in double width; the sum is rounded twice, which hardly ever shows.
    return (np.multiply(b, factor, dtype=F64) + a).astype(F32)


def _in_pieces(a: Array, b: Array, factor: Array) -> Array:
    """The same of many numbers that stand one after the other, by one factor."""
    r = np.empty_like(a)
    of_a, of_b, of_r = (v.reshape(-1) for v in (a, b, r))
    wide, by = np.empty(_PIECE), float(factor)
    for i in range(0, a.size, _PIECE):
        piece = slice(i, i + _PIECE)
        w = wide[: len(of_a[piece])]
        np.multiply(of_b[piece], by, w, dtype=F64)
        np.add(w, of_a[piece], w)
        of_r[piece] = w
    return r


def in_parts(function: Any, a: Array) -> Array:
    """``function(a)`` of each element by itself: of many, part by part, as many steps are soonest done."""
    if a.size <= 2 * _PIECE:
        return function(a)
    # A copy laid as NumPy lays results, and a view of it as one row.
    r = np.positive(a)
    row = r.ravel("K")
    for i in range(0, a.size, 2 * _PIECE):
        row[i : i + 2 * _PIECE] = function(row[i : i + 2 * _PIECE])
    return r


def polynomial(x: Array, coefficients: list[Any]) -> Array:
    """A polynomial of numbers in double width, the highest power first: each step rounded once to single precision."""
    y = np.asarray(x * coefficients[0])
    y += coefficients[1]
    rounded = y.astype(F32)
    for c in coefficients[2:]:
        y[...] = rounded
        y *= x
        y += c
        rounded[...] = y
    return rounded


def one_and(a: Array, b: Array) -> Array:
    """``1 + a * b``, in single precision rounded once."""
    if not (a.dtype is b.dtype is F32) or a.size > LARGEST:
        return sum_with(a * b, 1)
    return (np.multiply(a, b, dtype=F64) + 1).astype(F32)


def one_less_square(a: Array) -> Array:
    """``1 - a * a``, in single precision rounded once."""
    if a.dtype is not F32 or a.size > LARGEST:
        return 1 - a * a
    wide = a.astype(F64)
    return (1 - wide * wide).astype(F32)


def sum_with(a: Array, b: Any) -> Array:
    """``a + b``, written over ``a`` where that is a pass the less."""
    alike = type(b) is int or (type(b) is np.ndarray and b.dtype is a.dtype and b.shape == a.shape)
    return np.add(a, b, a) if alike and type(a) is np.ndarray and a.size > LARGEST else a + b


def rounded(function: Any, a: Array, *more: Any) -> Array:
    """``function(a, ...)``, in single precision computed in double width: NumPy's own is less exact there."""
    if a.dtype is not F32 or a.size > LARGEST:
        return function(a, *more)
    return in_parts(lambda part: function(part.astype(F64), *more).astype(F32), a)


def exactly(function: Any, a: Array) -> Array:
    """The same of one operand, without warnings, and without a detour for a single number."""
    if a.dtype is not F32 or a.size > LARGEST:
        return quiet(function, a)
    if type(a) is np.ndarray:
        return in_parts(lambda part: quiet(quiet(function, part.astype(F64)).astype, F32), a)
    return quiet(F32.type, quiet(function, float(a)))


def between(a: Array, b: Array, share: Any) -> Array:
    """From ``a`` this share of the way to ``b``, counted from the nearer end."""
    if a.dtype == F32:
        share = F32.type(share)
    return multiply_add(a, b - a, share) if abs(share) < 0.5 else multiply_add(b, b - a, share - 1)
