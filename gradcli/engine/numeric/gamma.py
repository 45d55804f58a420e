"""The logarithm of the gamma function, and its derivatives; the Hurwitz zeta function."""

from __future__ import annotations

import functools
import math

import numpy as np

from ..dtypes import F64, Array
from .common import Kernel, Polynomial, Ratio, cases, on_arrays, quiet

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)

# lgamma(2 + z) / z for |z| <= 0.5.
_LOG_GAMMA = Ratio(
    (
        0.42278433509846713, 0.9513782781144113, 0.7656301471977016, 0.2826349848398298, 0.04907095463387521,
        0.0035418121285641715, 6.96381707504132e-05,
    ),
    (
        1.0, 1.487546232155985, 0.8356455013974402, 0.21943980544908323, 0.026874566991640057, 0.0013080058235837777,
        1.5027508028379353e-05,
    ),
)  # fmt: skip
# What Stirling's formula leaves of lgamma for x >= 8, times x, by 1 / x**2.
_STIRLING = Polynomial(
    (
        0.08333333333333333, -0.0027777777777776786, 0.0007936507935156814, -0.000595238024939805,
        0.0008417328019780002, -0.0019149916610639083, 0.006209332142644087, -0.020877631173419432,
    )
)  # fmt: skip
# digamma(1 + y) / (1 + y - root) for 0 <= y <= 1.
_DIGAMMA = Ratio(
    (
        1.2503801375034054, 1.8700004632099108, 0.9743351771738434, 0.2176796704107109, 0.020179187929673017,
        0.0005912062204258752, 1.1202902769995628e-06,
    ),
    (
        1.0, 2.1790923752611815, 1.6669512155874397, 0.5736292686203763, 0.09182417490087925, 0.006176461390090594,
        0.00012271747963690002,
    ),
)  # fmt: skip
# What log(x) - 1 / (2 * x) leaves of -digamma for x >= 8, times x**2, by 1 / x**2.
_DIGAMMA_TAIL = Polynomial(
    (
        0.08333333333333333, -0.008333333333331734, 0.0039682539660696545, -0.004166665528235582,
        0.0075754647853719815, -0.021051515992142885, 0.08004449601034926, -0.29981065552987224,
    )
)  # fmt: skip
# The positive zero of digamma, in two parts.
_ROOT = 1.4616321449683622
_ROOT_REST = 9.549995429965697e-17


def _sin_pi(x: Array) -> Array:
    """|sin(pi * x)|, 0 at the integers."""
    r = x - np.floor(x)
    return np.sin(math.pi * np.minimum(r, 1.0 - r))


# -- lgamma ----------------------------------------------------------------------------------


def _lgamma_near_two(x: Array) -> Array:
    z = x - 2.0
    return z * _LOG_GAMMA(z)


def _lgamma_small(x: Array) -> Array:
    """For 0 < x < 0.5: two steps up."""
    return x * _LOG_GAMMA(x) - np.log1p(x) - np.log(x)


def _lgamma_near_one(x: Array) -> Array:
    z = x - 1.0
    return z * _LOG_GAMMA(z) - np.log1p(z)


def _lgamma_middle(x: Array) -> Array:
    """For 2.5 <= x <= 8: steps down, their product in one logarithm."""
    x = x.copy()
    product = np.ones(x.size)
    while (high := x > 2.5).any():
        x -= high
        product *= np.where(high, x, 1.0)
    return _lgamma_near_two(x) + np.log(product)


def _lgamma_large(x: Array) -> Array:
    u = 1.0 / x
    return (x - 0.5) * (np.log(x) - 1.0) + (_HALF_LOG_TWO_PI - 0.5 + u * _STIRLING(u * u))


def _lgamma_above_zero(x: Array) -> Array:
    return cases(
        x,
        (x < 0.5, _lgamma_small),
        (x < 1.5, _lgamma_near_one),
        (x <= 2.5, _lgamma_near_two),
        (x < 8.0, _lgamma_middle),
        (x < np.inf, _lgamma_large),
        (x == np.inf, np.positive),
    )


def _lgamma_below_zero(x: Array) -> Array:
    """By reflection."""
    a = -x
    return math.log(math.pi) - np.log(a) - np.log(_sin_pi(a)) - _lgamma_above_zero(a)


def _lgamma(x: Array) -> Array:
    return cases(
        x,
        (x > 0, _lgamma_above_zero),
        (x == np.floor(x), lambda x: np.full(x.size, np.inf)),
        (x < 0, _lgamma_below_zero),
    )


# -- digamma ---------------------------------------------------------------------------------


def _digamma_core(x: Array) -> Array:
    return ((x - _ROOT) - _ROOT_REST) * _DIGAMMA(x - 1.0)


def _digamma_middle(x: Array) -> Array:
    x = x.copy()
    total = np.zeros(x.size)
    while (high := x > 2.0).any():
        x -= high
        total += high / x
    return _digamma_core(x) + total


def _digamma_large(x: Array) -> Array:
    u = 1.0 / x
    v = u * u
    return np.log(x) - 0.5 * u - v * _DIGAMMA_TAIL(v)


def _digamma_above_zero(x: Array) -> Array:
    return cases(
        x,
        (x < 1.0, lambda x: _digamma_core(1.0 + x) - 1.0 / x),
        (x <= 2.0, _digamma_core),
        (x < 8.0, _digamma_middle),
        (x <= np.inf, _digamma_large),
    )


def _cot_pi(x: Array) -> Array:
    """cot(pi * x), from the distance to the nearest integer."""
    return 1.0 / np.tan(math.pi * (x - np.rint(x)))


def _digamma(x: Array) -> Array:
    return cases(
        x,
        (x > 0, _digamma_above_zero),
        (x == 0, lambda x: np.copysign(np.inf, -x)),
        ((x < 0) & (x != np.floor(x)), lambda x: _digamma_above_zero(1.0 - x) - math.pi * _cot_pi(x)),
    )


# -- polygamma: the derivatives of digamma ---------------------------------------------------


@functools.cache
def _bernoulli_over_factorial() -> tuple[float, ...]:
    """B(2 j) / (2 j)! for j = 1, 2 ... 14, from zeta(2 j)."""
    zetas = (sum(k ** -(2.0 * j) for k in range(1, 60)) if j > 3 else 0.0 for j in range(1, 15))
    exact = (math.pi**2 / 6, math.pi**4 / 90, math.pi**6 / 945)
    return tuple(
        (-1) ** (j + 1) * 2 * (exact[j - 1] if j <= 3 else z) / (2 * math.pi) ** (2 * j)
        for j, z in enumerate(zetas, 1)
    )


def zeta_above_zero(s: Array, q: Array) -> Array:
    """The sum of (q + k)**-s over k = 0, 1, 2 ... for s > 1 and q > 0: ten terms, then Euler and Maclaurin."""
    total = np.zeros(q.size)
    for k in range(10):
        total += (q + k) ** -s
    w = q + 10.0
    u = w**-s
    total += u * (w / (s - 1.0) + 0.5)
    u *= s / w
    for j, b in enumerate(_bernoulli_over_factorial()):
        total += b * u
        u *= (s + 2 * j + 1.0) * (s + 2 * j + 2.0) / (w * w)
    return total


def _zeta(s: Array, q: Array) -> Array:
    # Below zero, for integral s: up to zero by single terms.
    usual = (s > 1) & ((q > 0) | (s == np.floor(s)))
    before, up = np.zeros(q.size), np.where(usual, q, 1.0)
    while (low := (up < 0) & np.isfinite(up)).any():
        before += np.where(low, up**-s, 0.0)
        up = up + low
    total = np.where(usual & (up > 0), before + zeta_above_zero(s, up), np.nan)
    return np.where((s == 1) | ((s > 1) & (q <= 0) & (q == np.floor(q))), np.inf, total)


def zeta(s: Array, q: Array) -> Array:
    """The Hurwitz zeta function of two arrays; ``q`` may be complex, and is a real one and a direction then."""
    if q.dtype.kind == "c":
        return zeta(s, q.real) - 1j * (s * zeta(s + 1.0, q.real) * q.imag)
    both = np.broadcast_arrays(s, q)
    flat = (np.asarray(a, F64).reshape(-1) for a in both)
    return quiet(_zeta, *flat).reshape(both[0].shape)[()].astype(q.dtype)


@functools.cache
def _cot_derivative(n: int) -> tuple[float, ...]:
    """The n-th derivative of cot(t), a polynomial in cot(t), from the constant up."""
    p = [0.0, 1.0]
    for _ in range(n):
        # d/dt of c**k is -k * (c**(k-1) + c**(k+1)).
        d = [0.0] * (len(p) + 1)
        for k, a in enumerate(p[1:], 1):
            d[k - 1] -= k * a
            d[k + 1] -= k * a
        p = d
    return tuple(p)


def _polygamma_kernel(n: int) -> Kernel:
    factor = (-1.0) ** (n + 1) * math.exp(math.lgamma(n + 1.0)) if n > 20 else (-1.0) ** (n + 1) * math.factorial(n)

    def above_zero(x: Array) -> Array:
        return factor * zeta_above_zero(n + 1.0, x)

    def below_zero(x: Array) -> Array:
        c = _cot_pi(x)
        turned = np.zeros(x.size)
        for a in reversed(_cot_derivative(n)):
            turned = turned * c + a
        return (-1.0) ** n * above_zero(1.0 - x) - math.pi ** (n + 1) * turned

    def kernel(x: Array) -> Array:
        # At inf, as PyTorch has it: the first derivative is 0, the others are no numbers.
        return cases(
            x,
            ((x == np.inf) & (n == 1), np.zeros_like),
            (x > 0, above_zero),
            ((x == np.floor(x)) & ((n > 1) | np.isfinite(x)), lambda x: np.full(x.size, np.copysign(np.inf, factor))),
            (np.isfinite(x), below_zero),
        )

    return kernel


lgamma: Kernel = on_arrays(_lgamma, lambda x: digamma(x))
digamma: Kernel = on_arrays(_digamma, lambda x: polygamma(1, x))


@functools.cache
def _polygamma(n: int) -> Kernel:
    return digamma if n == 0 else on_arrays(_polygamma_kernel(n), lambda x: polygamma(n + 1, x))


def polygamma(n: int, x: Array) -> Array:
    """The n-th derivative of digamma."""
    return _polygamma(n)(x)
