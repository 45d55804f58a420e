"""Bessel functions of the first, second and third kind, modified ones of the second, and Airy's.

Near zero they are power series; elsewhere the integrals that define them: the integrands are smooth and end on both
sides in next to nothing, so that sums over equal steps are right to the last digits. Far out Hankel's function is
summed by powers of 1 / x.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..dtypes import Array
from .bessel import i0, i1

_GAMMA = 0.5772156649015329
_STEP = 1 / 32
_NEAR, _FAR = 2.0, 25.0
_TERMS = 24
_AT_ONCE = 1 << 11


def _powers(coefficients: list[float], q: Array) -> Array:
    found = np.zeros_like(q)
    for c in reversed(coefficients):
        found = found * q + c
    return found


def _harmonic(k: int) -> float:
    return math.fsum(1 / i for i in range(1, k + 1))


# By the order: the coefficients of a series in x**2 / 4, and those that stand beside the logarithm.
_SERIES = {n: [1 / (math.factorial(k) * math.factorial(k + n)) for k in range(_TERMS)] for n in (0, 1)}
_BESIDE = {
    n: [c * (_harmonic(k) + _harmonic(k + n) - 2 * _GAMMA) for k, c in enumerate(cs)] for n, cs in _SERIES.items()
}


def _summed(x: Array, terms: Callable[[Array], Array]) -> Array:
    """The sums of rows of terms, for some of the numbers at a time."""
    parts = [terms(x[at : at + _AT_ONCE, None]).sum(-1) for at in range(0, x.size, _AT_ONCE)]
    return np.concatenate(parts) if parts else x


def _line(ends: float) -> Array:
    return np.arange(-ends, ends + _STEP, _STEP)


def _hankel(order: float, x: Array) -> Array:
    """Hankel's function of the first kind, for x beyond 2: along a path on which nothing oscillates for long."""
    s = _line(7.0)
    t = s + 0.5j * math.pi * np.tanh(s)
    weights = np.cosh(order * t) * (1 + 0.5j * math.pi / np.cosh(s) ** 2)
    path = np.cosh(t)
    near = _summed(np.minimum(x, _FAR), lambda x: np.exp(1j * x * path) * weights)
    near = near * _STEP * np.exp(-0.5j * math.pi * order) / (1j * math.pi)
    far = np.sqrt(2 / (math.pi * x)) * np.exp(1j * (x - (order / 2 + 0.25) * math.pi)) * _in_powers(order, x, 1j)
    found: Array = np.where(x > _FAR, far, near)
    return found


def _in_powers(order: float, x: Array, turn: complex) -> Array:
    """The series in powers of 1 / x, for x that is large."""
    term, total = 1.0 + 0.0 * x, 1.0 + 0.0 * x
    for k in range(1, _TERMS):
        term = term * turn * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k * np.maximum(x, _FAR))
        total = total + term
    return total


def _third_kind(order: float, x: Array) -> Array:
    """The modified function of the second kind times exp(x), for x beyond 2."""
    s = _line(8.0)
    weights = np.cosh(order * s)
    near = _summed(np.minimum(x, _FAR), lambda x: np.exp(-2 * x * np.sinh(s / 2) ** 2) * weights) * _STEP / 2
    found: Array = np.where(x > _FAR, np.sqrt(math.pi / (2 * x)) * _in_powers(order, x, 1), near)
    return found


def _by_ranges(x: Array, near: Callable[[Array], Array], far: Callable[[Array], Array]) -> Array:
    """A function of positive numbers: a series near zero, and an integral beyond."""
    flat = np.asarray(x, np.float64).ravel()
    found = np.full(flat.shape, np.nan)
    close = (flat >= 0) & (flat <= _NEAR)
    beyond = flat > _NEAR
    with np.errstate(all="ignore"):
        found[close], found[beyond] = near(flat[close]), far(flat[beyond])
    return found.reshape(np.shape(x))


def _first(order: int, x: Array) -> Array:
    return (x / 2) ** order * _powers([(-1) ** k * c for k, c in enumerate(_SERIES[order])], x * x / 4)


def first_kind(order: int, x: Array) -> Array:
    """The function of the first kind, of order 0 or 1."""
    found = _by_ranges(np.abs(x), lambda a: _first(order, a), lambda a: _settled(_hankel(order, a).real, a))
    return np.where(np.asarray(x) < 0, -found, found) if order else found


def _settled(found: Array, x: Array) -> Array:
    return np.where(np.isinf(x), 0.0, found)


def second_kind(order: int, x: Array) -> Array:
    """The function of the second kind, of order 0 or 1; there is none of what is negative."""

    def near(a: Array) -> Array:
        beside = _powers([(-1) ** k * c for k, c in enumerate(_BESIDE[order])], a * a / 4) * (a / 2) ** order
        pole = 2 / (math.pi * a) if order else 0.0
        found = 2 / math.pi * np.log(a / 2) * _first(order, a) - beside / math.pi - pole
        return np.where(a == 0, -np.inf, found)

    return _by_ranges(x, near, lambda a: _settled(_hankel(order, a).imag, a))


def modified_second_kind(order: int, x: Array, scaled: bool = False) -> Array:
    """The modified function of the second kind, of order 0 or 1, also times exp(x)."""

    def near(a: Array) -> Array:
        beside = _powers(_BESIDE[order], a * a / 4) * (a / 2) ** order
        whole, sign = (i1(a), 1) if order else (i0(a), -1)
        found = sign * (np.log(a / 2) * whole - beside / 2) + (1 / a if order else 0.0)
        return np.where(a == 0, np.inf, found * np.exp(a) if scaled else found)

    def far(a: Array) -> Array:
        found = _third_kind(order, a)
        return _settled(found if scaled else found * np.exp(-a), a)

    return _by_ranges(x, near, far)


# -- Airy's function -----------------------------------------------------------------------------

_AT_ZERO, _SLOPE_AT_ZERO = 0.3550280538878172, 0.2588194037928068


def airy(x: Array) -> Array:
    """Airy's function Ai."""
    flat = np.asarray(x, np.float64).ravel()
    found = np.full(flat.shape, np.nan)
    near, above, below = np.abs(flat) <= _NEAR, flat > _NEAR, flat < -_NEAR
    with np.errstate(all="ignore"):
        found[near] = _airy_series(flat[near])
        a = flat[above]
        depth = 2 / 3 * a**1.5
        found[above] = _settled(np.sqrt(a / 3) / math.pi * _third_kind(1 / 3, depth) * np.exp(-depth), a)
        a = -flat[below]
        wave = np.exp(1j * math.pi / 6) * _hankel(1 / 3, 2 / 3 * a**1.5)
        found[below] = _settled(np.sqrt(a / 3) * wave.real, a)
    return found.reshape(np.shape(x))


def _airy_series(x: Array) -> Array:
    even, odd = np.ones_like(x), np.array(x)
    first, second = np.array(even), np.array(odd)
    for k in range(1, _TERMS):
        even = even * x**3 / ((3 * k - 1) * 3 * k)
        odd = odd * x**3 / (3 * k * (3 * k + 1))
        first, second = first + even, second + odd
    return _AT_ZERO * first - _SLOPE_AT_ZERO * second
