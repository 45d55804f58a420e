"""Modified Bessel functions of the first kind, of order 0 and 1, also scaled by exp(-|x|)."""

from __future__ import annotations

import math

import numpy as np

from ..dtypes import Array
from .common import Kernel, Polynomial, Ratio, cases, on_arrays

# Up to here the power series is summed: its terms are all positive, and 42 of them are enough.
_SERIES_END = 20.0

# I0(x) and 2 * I1(x) / x, by (x / 2)**2.
_I0_SERIES = Polynomial([1 / math.factorial(k) ** 2 for k in range(42)])
_I1_SERIES = Polynomial([1 / (math.factorial(k) * math.factorial(k + 1)) for k in range(42)])
# sqrt(2 * pi * x) * exp(-x) * I(x) for x >= 20, by 1 / x.
_I0_TAIL = Ratio(
    (
        1.0, -9.43634422853144, 24.74857060631969, -18.53581415566502, 2.095197649091136,
    ),
    (
        1.0, -9.56134422853133, 25.87342613483594, -21.17095258504656, 3.510482333944736,
    ),
)  # fmt: skip
_I1_TAIL = Ratio(
    (
        1.0, -9.220991739624639, 24.38811335492333, -20.82771651424944, 4.646395925922082,
    ),
    (
        1.0, -8.84599173962479, 21.188053952634068, -13.81629688902709, 1.1853966295175686,
    ),
)  # fmt: skip


def _i0_series(a: Array) -> Array:
    return _I0_SERIES(0.25 * a * a)


def _i1_series(a: Array) -> Array:
    return 0.5 * a * _I1_SERIES(0.25 * a * a)


def _scaled(series: Kernel, tail: Ratio) -> Kernel:
    return lambda a: cases(
        a,
        (a <= _SERIES_END, lambda a: np.exp(-a) * series(a)),
        (a <= np.inf, lambda a: tail(1.0 / a) / np.sqrt(2 * math.pi * a)),
    )


def _plain(series: Kernel, tail: Ratio) -> Kernel:
    def large(a: Array) -> Array:
        # In two halves: the exponential overflows before the function does.
        half = np.exp(0.5 * a)
        return tail(1.0 / a) / np.sqrt(2 * math.pi * a) * half * half

    # PyTorch's functions are not a number at infinity.
    return lambda a: cases(a, (a <= _SERIES_END, series), (a < np.inf, large))


_i0_of = _plain(_i0_series, _I0_TAIL)
_i1_of = _plain(_i1_series, _I1_TAIL)
_i0e_of = _scaled(_i0_series, _I0_TAIL)
_i1e_of = _scaled(_i1_series, _I1_TAIL)


def _i1_slope(x: Array) -> Array:
    return i0(x) - np.where(x == 0, 0.5, i1(x) / x)


def _i0e_slope(x: Array) -> Array:
    return _with_tail(i1e(x) - np.sign(x) * i0e(x), x, _I0_TAIL, np.sign(x))


def _i1e_slope(x: Array) -> Array:
    return _with_tail(i0e(x) - np.where(x == 0, 0.5, i1e(x) * (np.sign(x) + 1 / x)), x, _I1_TAIL, np.ones_like(x))


def _with_tail(slope: Array, x: Array, tail: Ratio, sign: Array) -> Array:
    """The slope of a scaled function: far out, where the others cancel, that of its tail."""
    far = np.abs(x) > _SERIES_END
    s = 1.0 / np.abs(x[far])
    slope[far] = -sign[far] * s * (0.5 * tail(s) + s * tail.slope(s)) * np.sqrt(s / (2 * math.pi))
    return slope


i0: Kernel = on_arrays(lambda x: _i0_of(np.abs(x)), lambda x: i1(x))
i1: Kernel = on_arrays(lambda x: np.copysign(_i1_of(np.abs(x)), x), _i1_slope)
i0e: Kernel = on_arrays(lambda x: _i0e_of(np.abs(x)), _i0e_slope)
i1e: Kernel = on_arrays(lambda x: np.copysign(_i1e_of(np.abs(x)), x), _i1e_slope)
