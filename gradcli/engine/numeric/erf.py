"""The error function, its complement, its inverse and the scaled complement."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import Array
from .common import Kernel, Ratio, cases, on_arrays

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)

# So few elements are faster through the C library's function, one after another.
FEW = 64


def _one_by_one(function: Callable[[float], float]) -> Callable[[Array], Array]:
    each: Any = np.frompyfunc(function, 1, 1)
    return lambda x: each(x).astype(np.float64)


_erf_of_few = _one_by_one(math.erf)
_erfc_of_few = _one_by_one(math.erfc)

# erfcx(a) for 0 <= a <= 6.
_SCALED = Ratio(
    (
        1.0, 2.057110151938936, 2.109073775358956, 1.37420668619514, 0.6194540692076502, 0.19916376205711941,
        0.045590359527249526, 0.007174129817372572, 0.0007073027022922095, 3.35673040904615e-05,
    ),
    (
        1.0, 3.1854893190344558, 4.703513559962426, 4.248316858441003, 2.6059459372404077, 1.1377296037354119,
        0.35933679272168345, 0.08143363555931914, 0.01274556242048684, 0.001253661394257413, 5.949649745538124e-05,
    ),
)  # fmt: skip
# erfcx(a) * a * sqrt(pi) for a >= 6, by 1 / a**2.
_SCALED_TAIL = Ratio(
    (
        1.0, 15.780986081956206, 69.80060612092487, 87.7352951206658, 15.08462987281346,
    ),
    (
        1.0, 16.280986081956126, 77.19109916198624, 115.99510510581281, 39.15321415190453,
    ),
)  # fmt: skip
# erfinv(x) / x for |x| <= 0.85, by 0.7225 - x**2.
_INVERSE = Ratio(
    (
        1.1975323115670913, 13.344915641813985, 58.153971002398386, 125.94479053614009, 142.70401045829178,
        81.88079137640888, 21.21198854085952, 1.9014970752034004, 0.02611838702843324,
    ),
    (
        1.0, 11.894993276945726, 56.11975906195894, 134.18970002942044, 172.69396663436586, 117.55089180257552,
        38.89807024629957, 5.182257907349442, 0.17466711836077384,
    ),
)  # fmt: skip
# The inverse of erfc at q, by w = sqrt(-log(q)) less 1.3 (to 3), less 3 (to 6.25), less 6.25 (to 27.5).
_INVERSE_NEAR = Ratio(
    (
        0.9383075247499923, 3.2403682514198215, 4.68955566043025, 3.658952551103201, 1.6363702422314517,
        0.4076330628074975, 0.04996548389029379, 0.0021964389071510684,
    ),
    (
        1.0, 2.3605257761575995, 2.366916963788499, 1.2465159295929202, 0.351140665728651, 0.047145792477209354,
        0.002195777878992578, 1.0785988681592572e-08,
    ),
)  # fmt: skip
_INVERSE_FAR = Ratio(
    (
        2.714760997939285, 5.945278416284211, 5.094455868060081, 2.2377221010831336, 0.5430127833153324,
        0.07191817538289239, 0.004702229142121777, 0.00011232666453213125,
    ),
    (
        1.0, 1.8062458532249577, 1.1854585281764487, 0.37297128820533865, 0.05909731227141508, 0.004366269763851089,
        0.00011231640013470011, 8.805797028968785e-11,
    ),
)  # fmt: skip
_INVERSE_TINY = Ratio(
    (
        6.056061309587933, 4.51398139625557, 1.3914832020693206, 0.2289417813485738, 0.02164726229334635,
        0.0011796184818034326, 3.516795377990389e-05, 5.043994741604147e-07, 2.522876443515679e-09,
    ),
    (
        1.0, 0.5771882569238375, 0.1330228709733539, 0.015585351981398612, 0.0009800841304065321,
        3.2122311070606944e-05, 4.886357713085581e-07, 2.522868390027107e-09, 1.280368121782631e-17,
    ),
)  # fmt: skip


# The table of erf: this many points to 1, out to 6, where erf is 1 to the last bit.
_STEPS = 256
_REACH = 6
# Added to a float, this leaves the nearest integer in its last bits.
_ROUND = np.array(1.5 * 2.0**52)
_FIRST = _ROUND.view(np.int64) - _STEPS * _REACH


def _gauss(x: Array) -> Array:
    """The slope of erf."""
    return _TWO_OVER_ROOT_PI * np.exp(-(x * x))


@functools.cache
def _table() -> tuple[Array, ...]:
    """Taylor coefficients of erf about each point of the table, for a distance counted in steps."""
    # With -0 in the middle, so that the sum for a zero has its sign.
    x = -(np.arange(_STEPS * _REACH, -_STEPS * _REACH - 1, -1) / _STEPS)
    h = 1 / _STEPS
    s = _gauss(x) * h
    y = x * h
    return (
        _one_by_one(math.erf)(x),
        s,
        -y * s,
        s * (4 * y * y - 2 * h * h) / 6,
        s * y * (3 * h * h - 2 * y * y) / 6,
        s * (4 * y**4 - 12 * (h * y) ** 2 + 3 * h**4) / 30,
    )


def _erf(x: Array) -> Array:
    if x.size <= FEW:
        return _erf_of_few(x)
    u = np.minimum(x, _REACH)
    np.maximum(u, -_REACH, out=u)
    u *= _STEPS
    nearest = u + _ROUND
    k = nearest.view(np.int64) - _FIRST
    nearest -= _ROUND
    u -= nearest
    *rest, last = _table()
    # A nan has any index: it comes back by its distance.
    y = last.take(k, mode="clip")
    for c in reversed(rest):
        y *= u
        y += c.take(k, mode="clip", out=nearest)
    return y


def _exp_minus_square(a: Array) -> Array:
    """exp(-a**2), with the square exact in two parts."""
    high = a.astype(np.float32).astype(np.float64)
    return np.exp(-high * high) * np.exp((high - a) * (high + a))


def _scaled_tail(a: Array) -> Array:
    u = 1.0 / a
    return _SCALED_TAIL(u * u) * u * (1 / math.sqrt(math.pi))


def _scaled(a: Array) -> Array:
    """erfcx for a >= 0."""
    if a.size and a.max() <= 6.0:
        return _SCALED(a)
    return cases(a, (a <= 6.0, _SCALED), (a > 6.0, _scaled_tail))


def _erfc(x: Array) -> Array:
    if x.size <= FEW:
        return _erfc_of_few(x)
    # Beyond 27.5 there is nothing left.
    a = np.minimum(np.abs(x), 27.5)
    y = _exp_minus_square(a) * _scaled(a)
    return np.where(x < 0, 2.0 - y, y)


def _square_exp(x: Array) -> Array:
    """exp(x**2), with the square exact in two parts."""
    high = x.astype(np.float32).astype(np.float64)
    return np.exp(high * high) * np.exp((x - high) * (x + high))


def _erfcx(x: Array) -> Array:
    return cases(x, (x >= 0, _scaled), (x < 0, lambda z: 2.0 * _square_exp(np.maximum(z, -27.5)) - _scaled(-z)))


def _erfcx_slope(x: Array) -> Array:
    """The slope of erfcx: far out 2 * x * erfcx(x) is all but what is taken from it."""
    slope = 2 * x * erfcx(x) - _TWO_OVER_ROOT_PI
    far = x > 6.0
    s = x[far] ** -2.0
    slope[far] = -s * (_SCALED_TAIL(s) + 2 * s * _SCALED_TAIL.slope(s)) / math.sqrt(math.pi)
    return slope


def tail_inverse(q: Array) -> Array:
    """The inverse of erfc for 0 <= q <= 0.15."""
    w = np.sqrt(-np.log(q))
    return cases(
        w,
        (w <= 3.0, lambda w: _INVERSE_NEAR(w - 1.3)),
        (w <= 6.25, lambda w: _INVERSE_FAR(w - 3.0)),
        (w < 28.0, lambda w: _INVERSE_TINY(w - 6.25)),
        (w == np.inf, lambda w: w),
    )


def central_inverse(x: Array) -> Array:
    """The inverse of erf for |x| <= 0.85."""
    return x * _INVERSE(0.7225 - x * x)


def _erfinv(x: Array) -> Array:
    a = np.abs(x)
    return cases(
        x,
        (a <= 0.85, central_inverse),
        (a <= 1.0, lambda z: np.copysign(tail_inverse(1.0 - np.abs(z)), z)),
    )


def _ndtri(p: Array) -> Array:
    root = math.sqrt(2)
    return cases(
        p,
        (np.abs(p - 0.5) <= 0.425, lambda p: root * central_inverse(2.0 * p - 1.0)),
        ((p >= 0) & (p < 0.5), lambda p: -root * tail_inverse(2.0 * p)),
        ((p > 0.5) & (p <= 1), lambda p: root * tail_inverse(2.0 * (1.0 - p))),
    )


erf: Kernel = on_arrays(_erf, _gauss)
erfc: Kernel = on_arrays(_erfc, lambda x: -_gauss(x))
erfcx: Kernel = on_arrays(_erfcx, _erfcx_slope)
erfinv: Kernel = on_arrays(_erfinv, lambda x: np.exp(erfinv(x) ** 2) / _TWO_OVER_ROOT_PI)
ndtri: Kernel = on_arrays(_ndtri, lambda x: math.sqrt(2 * math.pi) * np.exp(ndtri(x) ** 2 / 2))
