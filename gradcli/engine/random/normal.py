"""From uniform to normal numbers, sixteen at a time, to the bit as PyTorch does it.

In blocks of sixteen, the first eight numbers give the radii and the last eight the angles. Single
precision goes by the polynomials of the Cephes library with fused multiply-adds, each rounded once:
here a product and a sum in double precision, rounded to single. Double precision goes by the C library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import Array
from ..numeric.kernels.fused import polynomial

F32, F64 = np.float32, np.float64

# As many elements at a time as the nearest memory holds.
_CHUNK = 1 << 15

_TWO_PI = F32(2 * math.pi)
_HALF_SQRT2_BITS = np.int32(0x3F3504F3)
_LOG = [F64(F32(c)) for c in (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)]  # fmt: skip
# The logarithm of 2, in two parts.
_LOG2_LOW, _LOG2_HIGH = F32(-2.12194440e-4), F64(0.693359375)
_COS = [F64(F32(c)) for c in (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)]
_SIN = [F64(F32(c)) for c in (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)]
_FOUR_OVER_PI = F32(1.27323954473516)
# A quarter of pi, in three parts.
_QUARTER_PI = [F64(F32(c)) for c in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)]


def singles(u: Array, mean: float, std: float) -> Array:
    """Normal numbers from uniform ones in single precision; as many as a multiple of sixteen."""
    out = np.empty(u.size, F32)
    for i in range(0, u.size, _CHUNK):
        part = u[i : i + _CHUNK].reshape(-1, 2, 8)
        radius = np.sqrt(F32(-2) * _log(F32(1) - part[:, 0].ravel()))
        sin, cos = _sin_cos(_TWO_PI * part[:, 1].ravel())
        z = out[i : i + _CHUNK].reshape(-1, 2, 8)
        np.multiply(radius, cos, out=cos)
        np.multiply(radius, sin, out=sin)
        z[:, 0] = _fused(cos, F64(F32(std)), F64(F32(mean))).reshape(-1, 8)
        z[:, 1] = _fused(sin, F64(F32(std)), F64(F32(mean))).reshape(-1, 8)
    return out


def doubles(u: Array, mean: float, std: float) -> Array:
    """Normal numbers from uniform ones in double precision; as many as a multiple of sixteen."""
    pairs = u.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * exactly(math.log, 1.0 - pairs[:, 0].ravel()))
    angle = 2 * math.pi * pairs[:, 1].ravel()
    z = np.empty(pairs.shape)
    z[:, 0] = (radius * exactly(math.cos, angle)).reshape(-1, 8)
    z[:, 1] = (radius * exactly(math.sin, angle)).reshape(-1, 8)
    return fused(z.ravel(), std, mean)


def scalars(u: Array) -> Array:
    """Normal numbers made in pairs from pairs of uniform ones, as PyTorch makes them one at a time."""
    radius = np.sqrt(-2.0 * exactly(math.log1p, -u[1::2]))
    angle = 2 * math.pi * u[::2]
    z = np.empty(u.size)
    z[::2] = radius * exactly(math.cos, angle)
    z[1::2] = radius * exactly(math.sin, angle)
    return z


def fused(x: Array, factor: Any, term: Any) -> Array:
    """``x * factor + term`` in double precision, rounded once."""
    if factor == 1 or not np.any(term):
        return x * factor + term
    # The rounding errors of the product (Dekker) and of the sum (Knuth) make up for the roundings.
    product = x * factor
    high, low = _split(x)
    f_high, f_low = _split(F64(factor))
    lost = ((high * f_high - product) + high * f_low + low * f_high) + low * f_low
    total = product + term
    back = total - product
    lost += (product - (total - back)) + (term - back)
    return total + lost


def _split(x: Array) -> tuple[Array, Array]:
    c = x * F64(134217729)
    high = c - (c - x)
    return high, x - high


# So many numbers alike, and the rest will be.
_TELLING = 1 << 14

# Functions of the C library whose NumPy twins were seen to give the same bits, or not to.
_SAME: dict[Any, bool] = {}


def exactly(function: Callable[[float], float], x: Array) -> Array:
    """A function of the C library, to the bit: NumPy's own where it agrees, else one by one."""
    if x.size >= _TELLING:
        vectorised = getattr(np, function.__name__)
        if function not in _SAME:
            probe = x[:_TELLING]
            _SAME[function] = bool(np.array_equal(vectorised(probe), _one_by_one(function, probe), equal_nan=True))
        if _SAME[function]:
            return vectorised(x)
    return _one_by_one(function, x)


def _one_by_one(function: Callable[[float], float], x: Array) -> Array:
    found = np.empty(x.size, F64)
    # In parts, between which Python can be interrupted, and few of the numbers are objects.
    for start in range(0, x.size, _TELLING):
        part = x[start : start + _TELLING]
        found[start : start + _TELLING] = np.fromiter(map(function, part.tolist()), F64, part.size)
    return found


# -- single precision, rounded where PyTorch rounds ------------------------------------------


def _fused(x: Array, factor: Any, term: Any) -> Array:
    """``x * factor + term``, rounded once to single precision."""
    if factor == 1 and term == 0:
        # What is left of it: a negative zero becomes a positive one.
        return x + F32(0)
    wide = x.astype(F64)
    wide *= factor
    wide += term
    return wide.astype(F32)


def _log(u: Array) -> Array:
    """The logarithm of numbers in (0, 1]."""
    # u = 2**e * (1 + x), with 1 + x between the root of a half and that of 2.
    bits = u.view(np.int32)
    e = bits - _HALF_SQRT2_BITS
    e >>= 23
    x = (bits - (e << 23)).view(F32)
    x -= F32(1)
    e = e.astype(F32)
    z = x * x
    y = polynomial(x.astype(F64), _LOG)
    y *= x
    wide = y.astype(F64)
    z_wide = z.astype(F64)
    wide *= z_wide
    wide += e * _LOG2_LOW
    y[...] = wide
    z_wide *= -0.5
    z_wide += y
    y[...] = z_wide
    x += y
    wide[...] = e
    wide *= _LOG2_HIGH
    wide += x
    return wide.astype(F32)


def _sin_cos(angle: Array) -> tuple[Array, Array]:
    """Sine and cosine of angles from 0 to two pi."""
    # The angle is j quarters of pi, j even, and x between minus a quarter of pi and a quarter.
    j = (angle * _FOUR_OVER_PI).astype(np.int32)
    j += 1
    j &= ~1
    quarters = j.astype(F64)
    wide = quarters * _QUARTER_PI[0]
    # No rounding here: this difference has few enough bits.
    wide += angle
    wide += quarters * _QUARTER_PI[1]
    wide = wide.astype(F32).astype(F64)
    quarters *= _QUARTER_PI[2]
    wide += quarters
    x = wide.astype(F32)
    wide[...] = x
    z = x * x
    z_wide = z.astype(F64)
    cos = polynomial(z_wide, _COS)
    cos *= z
    quarters[...] = cos
    quarters *= z_wide
    z_wide *= 0.5
    quarters -= z_wide
    cos[...] = quarters
    cos += F32(1)
    z_wide += z_wide
    sin = polynomial(z_wide, _SIN)
    sin *= z
    quarters[...] = sin
    quarters *= wide
    quarters += wide
    sin[...] = quarters
    swapped = (j & 2).astype(np.bool_)
    # Signs, as the highest bits of the numbers.
    sin_sign = (j & 4) << 29
    cos_sign = (~(j - 2) & 4) << 29
    s: Array = np.where(swapped, cos, sin)
    c: Array = np.where(swapped, sin, cos)
    s.view(np.int32)[...] ^= sin_sign
    c.view(np.int32)[...] ^= cos_sign
    return s, c
