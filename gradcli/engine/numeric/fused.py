"""Single precision as PyTorch's kernels have it: products added in one rounding, functions right to the last digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .common import quiet

Array = Any

F32, F64 = np.dtype("float32"), np.dtype("float64")

# Beyond so many elements a last digit is not worth passes in double width: of a sum, and of a function.
LARGEST = 1 << 13
_LONGEST = 1 << 11


def multiply_add(a: Array, b: Array, factor: Any) -> Array:
    """``a + b * factor``, in single precision rounded once."""
    if not isinstance(factor, (np.ndarray, np.generic)):
        factor = a.dtype.type(factor)
    if not (a.dtype is b.dtype is factor.dtype is F32) or max(a.size, b.size) > LARGEST:
        return sum_with(b * factor, a)
    # A product of two is exact in double width; the sum is rounded twice, which hardly ever shows.
    return (np.multiply(b, factor, dtype=F64) + a).astype(F32)


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
    if a.dtype is not F32 or a.size > _LONGEST:
        return function(a, *more)
    return function(a.astype(F64), *more).astype(F32)


def exactly(function: Any, a: Array) -> Array:
    """The same of one operand, without warnings, and without a detour for a single number."""
    if a.dtype is not F32 or a.size > _LONGEST:
        return quiet(function, a)
    if type(a) is np.ndarray:
        return quiet(quiet(function, a.astype(F64)).astype, F32)
    return quiet(F32.type, quiet(function, float(a)))


# The exponential of PyTorch's vectors: a power of two, with log(2) in two parts, times a polynomial.
_PER_LOG2, _LOG2, _LOG2_LOW = F32.type(1.442695), 0.693145751953125, float(F32.type(1.4286068e-06))
_POWERS = [float(F32.type(c)) for c in (0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)]
_HIGHEST = float(F32.type(0.00019852762))
# Below and above, the exponential is 0 and infinity.
_LOW, _HIGH = F32.type(-105), F32.type(100)


def exponential(a: Array) -> Array:
    """``exp(a)`` as kernels of several steps have it, which round each step of theirs; torch.exp itself is exact."""
    if a.dtype is not F32 or a.size > _LONGEST:
        return np.exp(a)
    x = np.minimum(np.maximum(a, _LOW), _HIGH)
    q = np.rint(x * _PER_LOG2)
    wide = q.astype(F64)
    s = (x - wide * _LOG2).astype(F32)
    s = (s - wide * _LOG2_LOW).astype(F32)
    wide = s.astype(F64)
    u = wide * _HIGHEST
    for power in _POWERS:
        u += power
        u = u.astype(F32).astype(F64)
        u *= wide if power != _POWERS[-1] else s * s
    u += wide
    return np.ldexp(u.astype(F32) + F32.type(1), q.astype(np.intc))


# The logarithm of PyTorch's vectors: of a power of two, and of what is beside it by a polynomial in (m - 1) / (m + 1).
_LOG_OF_2, _FOR_LOG = math.log(2), [float(F32.type(c)) for c in (0.30272949, 0.39961082, 0.66666948)]
_THREE_QUARTERS = F32.type(4 / 3)


def logarithm(a: Array) -> Array:
    """``log(a)`` of normal numbers as kernels of several steps have it."""
    if a.dtype is not F32 or a.size > _LONGEST:
        return np.log(a)
    power = np.frexp(a * _THREE_QUARTERS)[1] - 1
    m = np.ldexp(a, -power)
    below, above = m - F32.type(1), m + F32.type(1)
    x = below / (m + F64.type(1))
    rounded_x = below * (F32.type(1) / above)
    square = rounded_x * rounded_x
    u: Array = F32.type(_FOR_LOG[0])
    for c in _FOR_LOG[1:]:
        u = (np.multiply(u, square, dtype=F64) + c).astype(F32)
    return (power * _LOG_OF_2 + 2 * x + square * rounded_x * u).astype(F32)


def between(a: Array, b: Array, share: Any) -> Array:
    """From ``a`` this share of the way to ``b``, counted from the nearer end."""
    if a.dtype == F32:
        share = F32.type(share)
    return multiply_add(a, b - a, share) if abs(share) < 0.5 else multiply_add(b, b - a, share - 1)
