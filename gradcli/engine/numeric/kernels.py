"""Functions of single precision step by step as PyTorch's kernels compute them, each step rounded as it is there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .fused import F32, F64, LARGEST, LONGEST, multiply_add
from .sums import VECTOR

Array = Any

# The exponential of PyTorch's vectors: a power of two, with log(2) in two parts, times a polynomial.
_PER_LOG2, _LOG2, _LOG2_LOW = F32.type(1.442695), 0.693145751953125, float(F32.type(1.4286068e-06))
_POWERS = [float(F32.type(c)) for c in (0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)]
_HIGHEST = float(F32.type(0.00019852762))
# Below and above, the exponential is 0 and infinity.
_LOW, _HIGH = F32.type(-105), F32.type(100)


def exponential(a: Array) -> Array:
    """``exp(a)`` as kernels of several steps have it, which round each step of theirs; torch.exp itself is exact."""
    if a.dtype is not F32 or a.size > LONGEST:
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


def rough_exponential(a: Array) -> Array:
    """``exp(a)`` along rows as kernels have it that need not be exact; of what fills no vector it is."""
    if a.dtype is not F32 or a.size > LARGEST:
        return np.exp(a)
    n = a.shape[-1]
    whole = n - n % VECTOR
    r = np.empty_like(a)
    r[..., whole:] = np.exp(a[..., whole:].astype(F64))
    if whole:
        x = np.maximum(a[..., :whole], _LEAST)
        power = np.floor(multiply_add(_HALF, x, _PER_LOG))
        r[..., :whole] = np.where(a[..., :whole] < _LEAST, 0, _beside_power(x, power))
    return r


def one_and_exponential(a: Array) -> Array:
    """``1 + exp(-a)`` as loops over all elements have it: those that fill no two vectors, one by one, are exact."""
    y = exponential(-a)
    row = _side_by_side(a) if a.dtype is F32 and a.size <= LONGEST and y.flags.c_contiguous else 0
    left = row % (2 * VECTOR) if row else 0
    if left:
        last = a.reshape(-1, row)[:, -left:]
        y.reshape(-1, row)[:, -left:] = np.exp(-last.astype(F64))
    y += 1
    return y


def _side_by_side(a: Array) -> int:
    """The number of elements that stand in memory one after the other before there is a gap."""
    if a.flags.c_contiguous:
        return int(a.size)
    count = 1
    for size, step in zip(reversed(a.shape), reversed(a.strides), strict=True):
        if size > 1 and step != count * a.itemsize:
            break
        count *= size
    return count


# The logarithm of PyTorch's vectors: of a power of two, and of what is beside it by a polynomial in (m - 1) / (m + 1).
_LOG_OF_2, _FOR_LOG = math.log(2), [float(F32.type(c)) for c in (0.30272949, 0.39961082, 0.66666948)]
_THREE_QUARTERS = F32.type(4 / 3)


def logarithm(a: Array) -> Array:
    """``log(a)`` of normal numbers as kernels of several steps have it."""
    if a.dtype is not F32 or a.size > LONGEST:
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


# The logarithm of a single number, from the C library: one over 16 numbers about 1, and a polynomial of what is left.
_RECIPROCALS = np.array([float.fromhex(f"0x1.{digits}p+0") for digits in (
    "661ec79f8f3be", "571ed4aaf883d", "49539f0f010b0", "3c995b0b80385", "30d190c8864a5", "25e227b0b8ea0",
    "1bb4a4a1a343f", "12358f08ae5ba", "0953f419900a7", "0000000000000",
)] + [float.fromhex(f"0x1.{digits}p-1") for digits in (
    "e608cfd9a47ac", "ca4b31f026aa0", "b2036576afce6", "9c2d163a1aa2d", "886e6037841ed", "767dcf5534862",
)])  # fmt: skip
_LEFT = [float.fromhex(c) for c in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")]
_BEGUN = 0x3F330000


def logarithm_of_one(a: Array) -> Array:
    """``log(a)`` of normal numbers of single precision, each computed alone."""
    bits = a.view(np.int32).astype(np.int64)
    power, place = bits - _BEGUN >> 23, bits - _BEGUN >> 19 & 15
    reciprocal = _RECIPROCALS[place]
    r = (bits - (power << 23)).astype(np.int32).view(F32).astype(F64) * reciprocal - 1
    highest, middle, lowest = _LEFT
    y = highest * (r * r) + (middle * r + lowest)
    return (y * (r * r) + (power * _LOG_OF_2 - np.log(reciprocal) + r)).astype(F32)


# The exponential of the library that PyTorch leaves some functions to: a power of two, and a polynomial beside it.
_FOR_EXP = [float(F32.type(c)) for c in (0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999701, 1)]
_PER_LOG, _LOG, _LEAST = F32.type(1.44269502), float(F32.type(0.693147182)), F32.type(-87.3365479)
_HALF = F32.type(0.5)


def polynomial(x: Array, coefficients: list[Any]) -> Array:
    """A polynomial, each step rounded once."""
    wide = x.astype(F64)
    highest, *others = coefficients
    u = wide * highest
    for c in others[:-1]:
        u += c
        u = u.astype(F32) * wide
    u += others[-1]
    return u.astype(F32)


def below_1(a: Array) -> Array:
    """The exponential of what is not positive."""
    x = np.maximum(a, _LEAST)
    power = np.floor(x * _PER_LOG + _HALF)
    return _beside_power(x, power) * (a >= _LEAST)


def _beside_power(x: Array, power: Array) -> Array:
    """The exponential by a power of two, and by a polynomial of what is beside its logarithm."""
    found: Array = np.ldexp(polynomial(multiply_add(x, power, -_LOG), _FOR_EXP), power.astype(np.intc))
    return found
