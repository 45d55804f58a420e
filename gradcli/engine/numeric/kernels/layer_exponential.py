"""The exponential of the library that PyTorch leaves whole layers to, step by step, each rounded as it is there."""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, F64, Array
from .fused import LARGEST, multiply_add, polynomial
from .sums import VECTOR

# A power of two, and a polynomial beside it.
_FOR_EXP = [float(F32.type(c)) for c in (0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999701, 1)]
_PER_LOG, _LOG, _LEAST = F32.type(1.44269502), float(F32.type(0.693147182)), F32.type(-87.3365479)
_HALF = F32.type(0.5)


def below_1(a: Array) -> Array:
    """The exponential of what is not positive."""
    x = np.maximum(a, _LEAST)
    power = np.floor(x * _PER_LOG + _HALF)
    return _beside_power(x, power) * (a >= _LEAST)


def _beside_power(x: Array, power: Array) -> Array:
    """The exponential by a power of two, and by a polynomial of what is beside its logarithm."""
    found: Array = np.ldexp(polynomial(multiply_add(x, power, -_LOG).astype(F64), _FOR_EXP), power.astype(np.intc))
    return found


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
