"""The sine and cosine of single precision as PyTorch's library of functions has them.

It computes in double width, of what is left of a half turn, by a polynomial that is good for little more than single
precision: the coefficients are those that fit its answers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .fused import F32, F64, LONGEST, exactly

Array = Any

_FITTED = (2.6057289313642906e-06, -0.0001980958243654273, 0.008333066031678259, -0.16666659547042711)
_FROM_NINTH, _FROM_SEVENTH, _FROM_FIFTH, _FROM_THIRD = _FITTED
_PER_PI = 1 / math.pi
# Beyond so many turns the rest is not exact enough.
_FAR = 10000
# So few are computed soonest one by one.
_FEW = 12


def sine(a: Array) -> Array:
    """The sine."""
    return _wave(np.sin, a, 0.0)


def cosine(a: Array) -> Array:
    """The cosine."""
    return _wave(np.cos, a, 0.5)


def _wave(function: Any, a: Array, ahead: float) -> Array:
    """The sine of what is this many half turns ahead."""
    if type(a) is not np.ndarray or a.dtype is not F32 or not 0 < a.size <= LONGEST:
        return exactly(function, a)
    if a.size <= _FEW and a.flags.c_contiguous:
        found = [_of_one(x, ahead) for x in a.ravel().tolist()]
        return exactly(function, a) if None in found else np.array(found, F32).reshape(a.shape)
    if not np.maximum.reduce(np.abs(a), None) < _FAR:
        return exactly(function, a)
    x = a.astype(F64)
    half_turns = x * _PER_PI
    half_turns += ahead
    np.rint(half_turns, half_turns)
    odd = half_turns.astype(np.int32) & 1 != 0
    half_turns -= ahead
    half_turns *= math.pi
    x -= half_turns
    square = x * x
    y = square * _FROM_NINTH
    for c in _FITTED[1:]:
        y += c
        y *= square
    y += 1
    y *= x
    np.negative(y, out=y, where=odd)
    return y.astype(F32)


def _of_one(x: float, ahead: float) -> float | None:
    if not -_FAR < x < _FAR:
        return None
    half_turns = round(x * _PER_PI + ahead)
    x -= (half_turns - ahead) * math.pi
    s = x * x
    y = ((((s * _FROM_NINTH + _FROM_SEVENTH) * s + _FROM_FIFTH) * s + _FROM_THIRD) * s + 1) * x
    return -y if half_turns & 1 else y
