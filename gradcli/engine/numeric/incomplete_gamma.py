"""The incomplete gamma functions: a series below the middle, and a continued fraction above it."""

from __future__ import annotations

import numpy as np

from ..dtypes import Array
from .gamma import lgamma

_STEPS = 10_000
_EPS = 2.0**-53


def both(a: Array, x: Array) -> tuple[Array, Array]:
    """The shares of the gamma function's integral below ``x``, and above it."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    with np.errstate(all="ignore"):
        front = np.exp(a * np.log(x) - x - lgamma(np.array(a)))
        low = x < a + 1
        # Nothing converges outside of the domain and at its edges, of which the values are known.
        inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
        below = np.where(low, front * _series(a, x, inside & low), 0)
        above = np.where(low, 0, front * _fraction(a, x, inside & ~low))
        below, above = np.where(low, below, 1 - above), np.where(low, 1 - below, above)
    # The edges of the domain, and what lies outside of it.
    for where, value in ((x == 0, 0.0), ((a == 0) & (x > 0), 1.0), (np.isinf(x) & np.isfinite(a), 1.0),
                         (np.isinf(a) & np.isfinite(x), 0.0)):  # fmt: skip
        below, above = np.where(where, value, below), np.where(where, 1 - value, above)
    outside = (a < 0) | (x < 0) | ((a == 0) & (x == 0)) | (np.isinf(a) & np.isinf(x)) | np.isnan(a) | np.isnan(x)
    return np.where(outside, np.nan, below), np.where(outside, np.nan, above)


def _series(a: Array, x: Array, wanted: Array) -> Array:
    term = 1 / np.where(a > 0, a, 1)
    total = term
    for k in range(1, _STEPS):
        term = term * x / (a + k)
        total = total + term
        if not np.any(wanted & (np.abs(term) > _EPS * np.abs(total))):
            break
    return total


def _fraction(a: Array, x: Array, wanted: Array) -> Array:
    """Lentz's way of a continued fraction."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = np.full(np.shape(x), 1 / tiny), 1 / np.where(b == 0, tiny, b)
    found = d
    for k in range(1, _STEPS):
        step = -k * (k - a)
        b = b + 2
        d = 1 / _held_off(step * d + b, tiny)
        c = _held_off(b + step / c, tiny)
        found = found * d * c
        if not np.any(wanted & (np.abs(d * c - 1) > _EPS)):
            break
    return found


def _held_off(x: Array, tiny: float) -> Array:
    return np.where(np.abs(x) < tiny, tiny, x)
