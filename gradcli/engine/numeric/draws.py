"""The slope of a draw with respect to a parameter of its distribution, while its place in the distribution stays.

That is what the distribution grows by with the parameter, negated, divided by the density. Where the draw is small,
the series of the distribution is taken; where parameters are large, the expansion about the saddle point; in between,
ratios of polynomials whose numbers are PyTorch's: they are right to three to five digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import F64, Array
from .common import Polynomial

# What log(x) - 1 / (2 * x) leaves of -digamma from 10 on, by 1 / x**2: the numbers of Bernoulli.
_DIGAMMA_TAIL = Polynomial((0.0, 1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12))
_DIGAMMA_TEN = 2.25175258906672110764

# The logarithm of a gamma draw's slope is a ratio of polynomials in log(x / alpha), down, and log(alpha), along.
_GAMMA = np.array(
    (
        (0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084),
        (0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623),
        (0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
         -1.5247877e-07),
    )
)  # fmt: skip
# What a beta draw's slope is of its first approximation: a ratio of polynomials in log(x), log(alpha / x) and
# log(total / alpha * x).
_BETA = np.array(
    (
        (
            ((1.003668233, -0.01061107488, -0.0657888334, 0.01201642863),
             (0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033),
             (-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013)),
            ((0.221950385, -0.3187676331, 0.01799915743, 0.01074823814),
             (-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057),
             (0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05)),
            ((-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565),
             (0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181),
             (0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05)),
        ),
        (
            ((1, -0.02924021934, -0.04438342661, 0.007285809825),
             (0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521),
             (-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149)),
            ((0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273),
             (0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956),
             (-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05)),
            ((0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05),
             (0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05),
             (-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06)),
        ),
    )
)  # fmt: skip


def _rounded(function: Callable[..., Array], *given: Array) -> Array:
    """A function's values, computed in double precision and rounded to that of what is given."""
    return function(*_in_double(*given)).astype(given[0].dtype)


def _digamma(x: Array) -> Array:
    """digamma of numbers above zero, with PyTorch's steps: up to ten in the precision that they have."""
    x, found = x.copy(), np.zeros(x.shape, F64)
    while (low := x < 10).any():
        found -= np.where(low, 1 / x, 0)
        x += low
    tail = _DIGAMMA_TAIL((1 / (x * x)).astype(F64))
    large = found + _rounded(np.log, x) - 0.5 / x - tail
    return np.where(x == 10, found + _DIGAMMA_TEN, large).astype(x.dtype)


def gamma_slope(alpha: Array, x: Array) -> Array:
    """The slope of gamma numbers ``x`` of rate 1 by their concentrations, in double precision."""
    a, x = np.broadcast_arrays(np.asarray(alpha, F64), np.asarray(x, F64))
    near = (0.9 * a <= x) & (x <= 1.1 * a)
    return _by_case(
        (x < 0.8, _gamma_small),
        ((a > 8) & near, _gamma_near),
        (a > 8, _gamma_far),
        (True, _gamma_middle),
    )(a, x)


def _by_case(*cases: tuple[Any, Callable[..., Array]]) -> Callable[..., Array]:
    """A function that answers for each number by the first case that holds for it."""

    def answer(*given: Array) -> Array:
        out = np.empty(given[0].shape, given[0].dtype)
        left = np.ones(out.shape, bool)
        with np.errstate(all="ignore"):
            for holds, function in cases:
                here = left & holds
                if here.any():
                    out[here] = function(*(a[here] for a in given))
                left &= ~here
        return out

    return answer


def _gamma_small(a: Array, x: Array) -> Array:
    term, below = np.ones_like(x), a.copy()
    series, squares = 1 / below, 1 / (below * below)
    for i in range(1, 6):
        term *= -x / i
        below += 1
        series += term / below
        squares += term / (below * below)
    power = np.power(x, a)
    grown = (np.log(x) - _digamma(a)) * (power * series) - power * squares
    slope = -grown / (np.power(x, a - 1) * np.exp(-x))
    return np.where(np.isnan(slope), 0, slope)


def _gamma_near(a: Array, x: Array) -> Array:
    first = 1 + 24 * a * (1 + 12 * a)
    second = 1440 * (a * a) + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return first * second / (1244160 * (a * a) * (a * a))


def _gamma_far(a: Array, x: Array) -> Array:
    root, away = np.sqrt(8 * a), a - x
    turned = np.power(x - a - a * np.log(x / a), -1.5)
    both = root / away + np.where(x < a, -turned, turned)
    inner = np.log(x / a) * both - np.sqrt(2 / a) * (a + x) / (away * away)
    stirling = 1 + 1 / (12 * a) * (1 + 1 / (24 * a))
    return -stirling * (x * inner) / root


def _gamma_middle(a: Array, x: Array) -> Array:
    u, v = np.log(x / a), np.log(a)
    c = [row0 + u * (row1 + u * row2) for row0, row1, row2 in _GAMMA.T]
    over = c[0] + v * (c[1] + v * (c[2] + v * c[3]))
    below = c[4] + v * (c[5] + v * (c[6] + v * c[7]))
    return np.exp(over / below)


def beta_slope(x: Array, alpha: Array, total: Array) -> Array:
    """The slope of beta numbers by the first of their concentrations, of which the sum is ``total``.

    Series are summed in the precision of what is given, and all else in double precision, as PyTorch does.
    """
    x, alpha, total = np.broadcast_arrays(x, alpha, total)
    beta, edge = total - alpha, total * x * (1 - x)
    return _by_case(
        ((x <= 0.5) & (edge < 2.5), _beta_at_zero),
        ((x >= 0.5) & (edge < 0.75), _beta_at_one),
        ((alpha > 6) & (beta > 6), lambda x, a, t: _beta_large(*_in_double(x, a, t))),
        (True, _beta_middle),
    )(x, alpha, total)


def _in_double(*arrays: Array) -> tuple[Array, ...]:
    return tuple(a.astype(F64) for a in arrays)


def _beta_at_zero(x: Array, a: Array, total: Array) -> Array:
    b = total - a
    factor = _digamma(a) - _digamma(a + b) - _rounded(np.log, x)
    term = np.ones_like(x)
    series = term / a * (factor + 1 / a)
    for i in range(1, 11):
        n = x.dtype.type(i)
        term = term * ((n - b) * x / n)
        below = a + n
        series = series + term / below * (factor + 1 / below)
    slope = x * _rounded(np.power, 1 - x, -b) * series
    return np.where(np.isnan(slope), 0, slope)


def _beta_at_one(x: Array, a: Array, total: Array) -> Array:
    # Seen from the other end, where the draw is small and the concentrations are changed.
    y, a, b = 1 - x, total - a, a
    factor = _digamma(a + b) - _digamma(b)
    term, product, slope_of_product = np.ones_like(y), np.ones_like(y), np.zeros_like(y)
    series = factor / a
    for i in range(1, 9):
        n = y.dtype.type(i)
        term = term * (-y / n)
        slope_of_product = slope_of_product * (b - n) + product
        product = product * (b - n)
        series = series + term / (a + n) * (slope_of_product + factor * product)
    slope = _rounded(np.power, 1 - y, 1 - b) * series
    return np.where(np.isnan(slope), 0, slope)


def _beta_large(x: Array, a: Array, total: Array) -> Array:
    b = total - a
    total = a + b
    mean = a / total
    spread = np.sqrt(a * b / (total + 1)) / total
    near = (mean - 0.1 * spread <= x) & (x <= mean + 0.1 * spread)
    return _by_case((near, _beta_near), (True, _beta_far))(x, a, b, total, mean)


def _beta_near(x: Array, a: Array, b: Array, total: Array, mean: Array) -> Array:
    last = 8 * (1 - x) * (135 * b - 11)
    third = (453 + 1620 * b * (1 - x) - 455 * x) * b + a * last
    second = 3 * (59 + 180 * b - 90 * x) * (b * b) + a * third
    first = (43 + 20 * (16 + 27 * b) * x) * (b * b) * b + a * second
    whole = 47 * x * (b * b) * (b * b) + a * first
    over = (1 + 12 * a) * (1 + 12 * b) / (total * total)
    below = 12960 * a * a * a * b * b * (1 + 12 * total)
    return over / (1 - x) * whole / below


def _beta_far(x: Array, a: Array, b: Array, total: Array, mean: Array) -> Array:
    def stirling(n: Array) -> Array:
        return 1 + 1 / (12 * n) + 1 / (288 * n * n)

    away = a * (x - 1) + b * x
    over = 2 * (a * a) * (x - 1) + a * b * (x - 1) - x * (b * b)
    first = over / (np.sqrt(2 * a / b) * np.power(total, 1.5) * away * away)
    second = 0.5 * np.log(a / (total * x))
    third = np.sqrt(8 * a * b / total) / (b * x + a * (x - 1))
    turned = np.power(b * np.log(b / (total * (1 - x))) + a * np.log(a / (total * x)), -1.5)
    inner = first + second * (third + np.where(x < mean, turned, -turned))
    return stirling(a) * stirling(b) / stirling(total) * (-x / np.sqrt(2 * a * b / total)) * inner


def _beta_middle(x: Array, alpha: Array, total: Array) -> Array:
    x_, a_, t_ = _in_double(x, alpha, total)
    u = np.log(x_)
    a = np.log(a_) - u
    b = np.log(t_) - a
    over, below = (
        sum(
            u**i * a**j * (c[0] + b * (c[1] + b * (c[2] + b * c[3])))
            for i, rows in enumerate(table)
            for j, c in enumerate(rows)
        )
        for table in _BETA
    )
    first = x_ * (_digamma(total).astype(F64) - _digamma(alpha)) / (t_ - a_)
    return over / below * first
