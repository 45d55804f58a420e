"""Functions of single precision as the C library computes them, one number by itself, and not always to the nearest."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array

_ONE, _TWO = F32.type(1), F32.type(2)


def nearest(function: Any, *arrays: Array) -> Array:
    """The number that is nearest to the exact result."""
    r: Array = function(*[a.astype(F64) for a in arrays]).astype(F32)
    return r


def expm1(a: Array) -> Array:
    """The exponential less one: NumPy leaves that of a complex number to the C library."""
    r: Array = np.expm1(a.astype(np.complex64)).real
    return r


def sinh(a: Array) -> Array:
    """The hyperbolic sine."""
    return _unless_steep(np.sinh, a)


def cosh(a: Array) -> Array:
    """The hyperbolic cosine."""
    return _unless_steep(np.cosh, a)


def _unless_steep(function: Any, a: Array) -> Array:
    """A function that the library of complex numbers takes another way to where it is steep."""
    return np.where(np.abs(a) < F32.type(87), function(a.astype(np.complex64)).real, nearest(function, a))


@cache
def _is_exact() -> bool:
    """Tell whether this C library rounds to the nearest, as those of late do."""
    some = np.linspace(-4, 4, 999, dtype=F32)
    return bool((expm1(some) == nearest(np.expm1, some)).all())


def _unless_exact(function: Any) -> Callable[[Callable[[Array], Array]], Callable[[Array], Array]]:
    """Steps that are taken only where the library does not round to the nearest."""
    return lambda steps: lambda a: nearest(function, a) if _is_exact() else steps(a)


@_unless_exact(np.tanh)
def tanh(a: Array) -> Array:
    """The hyperbolic tangent."""
    size = np.minimum(np.abs(a), F32.type(22))
    e = expm1(np.where(size >= _ONE, size, -size) * _TWO)
    return np.copysign(np.where(size >= _ONE, _ONE - _TWO / (e + _TWO), -e / (e + _TWO)), a)


_LOG_2, _LOG_2_LEFT = F32.type(0.693138123), F32.type(9.0580006145e-06)
# Of the seventh power first.
_FOR_LOG = [F32.type(c) for c in (
    0.14798198640, 0.15313838422, 0.18183572590, 0.22222198546, 0.28571429849, 0.40000000596, 0.66666668653,
)]  # fmt: skip
_LOW, _HIGH, _ROOT_2 = F32.type(-0.29289323), F32.type(0.41421354), 0x3504F7
_MANTISSA, _BITS_OF_1 = (1 << 23) - 1, 0x3F800000


@_unless_exact(np.log1p)
def log1p(a: Array) -> Array:
    """The logarithm of one and a number: of what is near to a power of two, and of that power."""
    whole = a + _ONE
    bits = whole.view(np.int32)
    power = (bits >> 23) - 127
    lost = np.where(power > 0, _ONE - (whole - a), a - (whole - _ONE)) / whole
    bits = bits & _MANTISSA
    high = bits >= _ROOT_2
    beside = (np.where(high, _BITS_OF_1 - (1 << 23), _BITS_OF_1) | bits).astype(np.int32).view(F32) - _ONE
    near = (a > _LOW) & (a < _HIGH)
    f = np.where(near, a, beside)
    powers = (power + high).astype(F32)
    half = F32.type(0.5) * f * f
    s = f / (_TWO + f)
    z = s * s
    r = _FOR_LOG[0] * z
    for c in _FOR_LOG[1:]:
        r = (r + c) * z
    beyond = powers * _LOG_2 - ((half - (s * (half + r) + (powers * _LOG_2_LEFT + lost))) - f)
    found = np.where(near, f - (half - s * (half + r)), beyond)
    # Of infinity, of -1, and of what no logarithm has, any library has the same.
    return np.where((a > -_ONE) & (a < np.inf), found, nearest(np.log1p, a))


# One over 16 numbers about 1, and a polynomial of what is left.
_RECIPROCALS = np.array([float.fromhex(f"0x1.{digits}p+0") for digits in (
    "661ec79f8f3be", "571ed4aaf883d", "49539f0f010b0", "3c995b0b80385", "30d190c8864a5", "25e227b0b8ea0",
    "1bb4a4a1a343f", "12358f08ae5ba", "0953f419900a7", "0000000000000",
)] + [float.fromhex(f"0x1.{digits}p-1") for digits in (
    "e608cfd9a47ac", "ca4b31f026aa0", "b2036576afce6", "9c2d163a1aa2d", "886e6037841ed", "767dcf5534862",
)])  # fmt: skip
_OF_LEFT = [float.fromhex(c) for c in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")]
_BEGUN, _SMALLEST = 0x3F330000, float(np.finfo(F32).smallest_normal)


def log(a: Array) -> Array:
    """The logarithm."""
    regular = (a >= _SMALLEST) & (a < np.inf)
    return _log(a) if regular.all() else np.where(regular, _log(a), nearest(np.log, a))


def _log(a: Array) -> Array:
    bits = a.view(np.int32).astype(np.int64)
    power, place = bits - _BEGUN >> 23, bits - _BEGUN >> 19 & 15
    reciprocal = _RECIPROCALS[place]
    r = (bits - (power << 23)).astype(np.int32).view(F32).astype(F64) * reciprocal - 1
    highest, middle, lowest = _OF_LEFT
    y = highest * (r * r) + (middle * r + lowest)
    return (y * (r * r) + (power * math.log(2) - np.log(reciprocal) + r)).astype(F32)


_FLAT, _FAR, _FARTHEST, _LOG_OF_2 = F32.type(2.0**-15), F32.type(2.0**15), F32.type(2.0**28), F32.type(math.log(2))


@_unless_exact(np.arcsinh)
def arcsinh(a: Array) -> Array:
    """The inverse hyperbolic sine: a logarithm."""
    size = np.abs(a)
    square = size * size
    root = np.sqrt(square + _ONE)
    far = log(_TWO * size + _ONE / (root + size))
    near = log1p(size + square / (_ONE + root))
    r = np.where(size > _FAR, log(size) + _LOG_OF_2, np.where(size > _TWO, far, np.where(size < _FLAT, size, near)))
    return np.where(size < np.inf, np.copysign(r, a), a)


@_unless_exact(np.arccosh)
def arccosh(a: Array) -> Array:
    """The inverse hyperbolic cosine: a logarithm."""
    far = log(_TWO * a - _ONE / (a + np.sqrt(a * a - _ONE)))
    beyond = a - _ONE
    near = log1p(beyond + np.sqrt(_TWO * beyond + beyond * beyond))
    r = np.where(a >= _FARTHEST, log(a) + _LOG_OF_2, np.where(a > _TWO, far, near))
    return np.where((a >= _ONE) & (a < np.inf), r, nearest(np.arccosh, a))


# The angles from which others are counted, with what single precision leaves of them, and where those begin.
_ANGLES = np.array((0, 4.6364760399e-01, 7.8539812565e-01, 9.8279368877e-01, 1.5707962513e00), F32)
_ANGLES_LEFT = np.array((0, 5.0121582440e-09, 3.7748947079e-08, 3.4473217170e-08, 7.5497894159e-08), F32)
_BEGINNINGS = np.array((0.4375, 0.6875, 1.1875, 2.4375), F32)
# Even powers, and odd ones; the highest first.
_FOR_ANGLE = [F32.type(c) for c in (
    1.6285819933e-02, 4.9768779427e-02, 6.6610731184e-02, 9.0908870101e-02, 1.4285714924e-01, 3.3333334327e-01,
)], [F32.type(c) for c in (
    -3.6531571299e-02, -5.8335702866e-02, -7.6918758452e-02, -1.1111110449e-01, -2.0000000298e-01,
)]  # fmt: skip
_HALF_TURN, _HALF_TURN_LEFT = F32.type(3.1415927410), F32.type(-8.7422776573e-08)


def _arctan(size: Array) -> Array:
    """The angle of a slope above zero."""
    place = np.searchsorted(_BEGINNINGS, size, "right")
    half = F32.type(1.5)
    slopes = (
        size, (_TWO * size - _ONE) / (_TWO + size), (size - _ONE) / (size + _ONE),
        (size - half) / (_ONE + half * size), -_ONE / size,
    )  # fmt: skip
    slope = np.choose(place, slopes)
    square = slope * slope
    fourth = square * square
    even = odd = F32.type(0)
    for c in _FOR_ANGLE[0]:
        even = even * fourth + c
    for c in _FOR_ANGLE[1]:
        odd = odd * fourth + c
    bend = slope * (square * even + fourth * odd)
    return np.where(place == 0, slope - bend, _ANGLES[place] - ((bend - _ANGLES_LEFT[place]) - slope))


def arctan2(y: Array, x: Array) -> Array:
    """The angle of a point."""
    exact = nearest(np.arctan2, y, x)
    if _is_exact():
        return exact
    ratio = np.abs(y / x)
    angle = _arctan(ratio)
    angle = np.where(np.signbit(x), _HALF_TURN - (angle - _HALF_TURN_LEFT), angle)
    return np.where((ratio > F32.type(2.0**-60)) & (ratio < F32.type(2.0**60)), np.copysign(angle, y), exact)
