"""Functions of single precision as PyTorch's kernels take them vector by vector from a library, step by step.

Steps that the library takes with two numbers, one of them what the other has lost, are taken here in double width. In
loops over all elements what fills no two vectors is computed number by number, by the C library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array
from ...flags import threads
from ..common import log1p as exact_log1p
from . import alone
from .fused import LARGEST, in_parts, polynomial
from .sums import UNSHARED, VECTOR

Steps = Callable[[Array], Array]


def _singles(*coefficients: float) -> list[float]:
    """Coefficients that have no more digits than single precision."""
    return [float(F32.type(c)) for c in coefficients]


def _followed(steps: Steps, otherwise: Any, a: Array) -> Array:
    """A function by these steps, of as many numbers of single precision as are followed."""
    if a.dtype is not F32 or not 0 < a.size <= LARGEST:
        r: Array = otherwise(a)
        return r
    return in_parts(steps, a) if a.ndim else steps(a.reshape(1))[0]


# -- what fills no two vectors -----------------------------------------------------------------------


def _looped(steps: Steps, single: Steps, otherwise: Any, a: Array) -> Array:
    """The same of a loop over all elements: this is done for single numbers, those that fill no two vectors."""
    if a.dtype is F32 and a.size < 2 * VECTOR:
        return single(a) if a.ndim else single(a.reshape(1))[0]
    r = _followed(steps, otherwise, a)
    if r.dtype is F32 and r.size <= LARGEST:
        for of_r, of_a in left_over(r, a):
            of_r[...] = single(of_a)
    return r


def left_over(r: Array, *arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The parts of a result, and of arrays as large, that fill no two vectors."""
    order = _in_memory(r)
    if all(a.strides == r.strides for a in arrays) and r.transpose(order).flags.c_contiguous:
        rows = [a.transpose(order).reshape(1, -1) for a in (r, *arrays)]
    elif r.flags.c_contiguous:
        row = min(_side_by_side(a) for a in arrays)
        rows = [a.reshape(-1, row) for a in (r, *arrays)]
    else:
        return
    row = rows[0].shape[1]
    parts = min(threads(), -(-row // UNSHARED))
    share = -(-row // parts)
    for begun in range(0, row, share):
        end = min(begun + share, row)
        left = (end - begun) % (2 * VECTOR)
        if left:
            yield tuple([a[:, end - left : end] for a in rows])


def _in_memory(a: Array) -> list[int]:
    """The axes in the order in which elements follow each other in memory."""
    return sorted(range(a.ndim), key=lambda axis: -a.strides[axis])


def _side_by_side(a: Array) -> int:
    """The number of elements that stand in memory one after the other before there is a gap."""
    count, first = 1, None
    for size, step in zip(reversed(a.shape), reversed(a.strides), strict=True):
        # What is the same number over and over stands side by side, too.
        first = step if first is None and size > 1 else first
        if size > 1 and step != (count * a.itemsize if first else 0):
            break
        count *= size
    return count


# -- exponentials: a power of two, and beside it a polynomial ------------------------------------------

_PER_LOG_2, _LOG_2, _LOG_2_LEFT = F32.type(1.442695), *_singles(0.693145751953125, 1.4286068e-06)
_FOR_EXP = _singles(0.00019852762, 0.0013930436, 0.008333361, 0.041666485, 0.16666667, 0.5)
# Below and above, the exponential is 0 and infinity.
_LOW, _HIGH = F32.type(-105), F32.type(100)
_ONE = F32.type(1)


def exponential(a: Array) -> Array:
    """``exp(a)`` as kernels of several steps have it; torch.exp itself has another."""
    if a.dtype is not F32 or a.size > LARGEST:
        return np.exp(a)
    return in_parts(_exp, a)


def _exp(a: Array) -> Array:
    x = np.minimum(np.maximum(a, _LOW), _HIGH)
    q = np.rint(x * _PER_LOG_2)
    wide = q.astype(F64)
    s = (x - wide * _LOG_2).astype(F32)
    s = (s - wide * _LOG_2_LEFT).astype(F32)
    wide = s.astype(F64)
    u = polynomial(wide, _FOR_EXP) * (s * s).astype(F64) + wide
    return np.ldexp(u.astype(F32) + _ONE, q.astype(np.intc))


def exponential_in_loop(a: Array) -> Array:
    """The same in a loop over all elements."""
    return _looped(_exp, lambda x: alone.nearest(np.exp, x), np.exp, a)


def one_and_exponential(a: Array) -> Array:
    """``1 + exp(-a)`` in such a loop."""
    y = _looped(lambda x: _exp(-x), lambda x: alone.nearest(np.exp, -x), lambda x: np.exp(-x), a)
    y += 1
    return y


_FOR_EXP_IN_TWO = _singles(0.1980960224e-3, 0.1394256484e-2, 0.8333456703e-2, 0.4166637361e-1)
_SIXTH = float(F32.type(0.16666666))


def _exp_in_two(a: Array) -> tuple[Array, Array]:
    """The exponential with more digits, of numbers in double width: less one, over a power of two, and that power."""
    q = np.rint((a * _PER_LOG_2).astype(F32)).astype(F64)
    s = (a - q * _LOG_2) - q * _LOG_2_LEFT
    u = polynomial(s.astype(F32).astype(F64), _FOR_EXP_IN_TWO)
    return s + s * s * (s * (s * u + _SIXTH) + 0.5), q.astype(np.intc)


def _expm1(a: Array) -> Array:
    x = np.minimum(np.maximum(a, _LOW), _HIGH).astype(F64)
    beside, power = _exp_in_two(x)
    r = np.where(power == 0, beside, np.ldexp(1 + beside, power) - 1).astype(F32)
    return np.where(a == 0, a, r)


def expm1(a: Array) -> Array:
    """The exponential less one."""
    return _followed(_expm1, np.expm1, a)


def expm1_in_loop(a: Array) -> Array:
    """The same in a loop over all elements."""
    return _looped(_expm1, alone.expm1, np.expm1, a)


_FOR_EXP2 = _singles(0.1535920892e-3, 0.1339262701e-2, 0.9618384764e-2, 0.5550347269e-1, 0.2402264476, 0.6931471825)


def _exp2(a: Array) -> Array:
    x = np.minimum(np.maximum(a, -200), 200)
    q = np.rint(x)
    s = (x - q).astype(F64)
    return np.ldexp((1 + polynomial(s, _FOR_EXP2) * s).astype(F32), q.astype(np.intc))


def exp2(a: Array) -> Array:
    """The power of two."""
    return _looped(_exp2, lambda x: alone.nearest(np.exp2, x), np.exp2, a)


# -- hyperbolic functions ----------------------------------------------------------------------------

# From here on the tangent is 1, and the others are infinite; up to there the first terms of a series do.
_FLAT, _STEEP, _SMALL = F32.type(8.664339742), F32.type(89), 2.0**-10
_HALF = F32.type(0.5)


def _exp_of_size(a: Array) -> tuple[Array, Array]:
    """A number without its sign, and its exponential, both in double width."""
    size = np.minimum(np.abs(a), _STEEP).astype(F64)
    beside, power = _exp_in_two(size)
    return size, np.ldexp(1 + beside, power)


def _sinh(a: Array) -> Array:
    size, e = _exp_of_size(a)
    r = np.where(size < _SMALL, 2 * (size + size**3 / 6), e - 1 / e).astype(F32)
    return np.copysign(r * _HALF, a)


def _cosh(a: Array) -> Array:
    _, e = _exp_of_size(a)
    return (e + 1 / e).astype(F32) * _HALF


def sinh(a: Array) -> Array:
    """The hyperbolic sine."""
    return _looped(_sinh, alone.sinh, np.sinh, a)


def cosh(a: Array) -> Array:
    """The hyperbolic cosine."""
    return _looped(_cosh, alone.cosh, np.cosh, a)


def _tanh(a: Array) -> Array:
    size, e = _exp_of_size(a)
    r = np.where(size < _SMALL, size - size**3 / 3, (e - 1 / e) / (e + 1 / e)).astype(F32)
    return np.copysign(np.where(size > _FLAT, _ONE, r), a)


def tanh(a: Array) -> Array:
    """The hyperbolic tangent in a loop of several steps; torch.tanh itself has another."""
    return _looped(_tanh, alone.tanh, np.tanh, a)


# -- logarithms: of a power of two, and of what is beside it by a polynomial in (m - 1) / (m + 1) ------

_LOG_OF_2, _FOR_LOG = math.log(2), _singles(0.30272949, 0.39961082, 0.66666948)
# From here on, four thirds of a number are infinite.
_FOUR_THIRDS, _VAST, _SMALLEST = F32.type(4 / 3), F32.type(2.5e38), float(np.finfo(F32).smallest_normal)


def _log_beside(below: Array, above: Array, power: Array) -> Array:
    """The logarithm of 2 ** power * (above + below) / (above - below) from ``below``, and ``above`` in double width."""
    x = below / above
    rounded_x = below * (_ONE / above.astype(F32))
    square = rounded_x * rounded_x
    u = polynomial(square.astype(F64), _FOR_LOG)
    return (power * _LOG_OF_2 + 2 * x + square * rounded_x * u).astype(F32)


def _log(a: Array) -> Array:
    power = np.frexp(a * _FOUR_THIRDS)[1] - 1
    m = np.ldexp(a, -power)
    return _log_beside(m - _ONE, m + F64.type(1), power)


def logarithm(a: Array) -> Array:
    """``log(a)`` of normal numbers as kernels of several steps have it."""
    if a.dtype is not F32 or a.size > LARGEST:
        return np.log(a)
    return in_parts(_log, a)


def _log1p(a: Array) -> Array:
    power = np.frexp((a + _ONE) * _FOUR_THIRDS)[1] - 1
    scale = np.ldexp(_ONE, -power)
    m = (a.astype(F64) * scale + (scale - _ONE)).astype(F32)
    r = _log_beside(m, m + F64.type(2), power)
    regular = (a > -_ONE) & (a < _VAST) & (a != 0)
    return r if regular.all() else np.where(regular, r, alone.nearest(np.log1p, a))


def log1p(a: Array) -> Array:
    """The logarithm of one and a number."""
    return _followed(_log1p, exact_log1p, a)


_LOG_OF_TWO = F32.type(_LOG_OF_2)


# -- functions of both -------------------------------------------------------------------------------


def softplus(a: Array) -> Array:
    """``log(1 + exp(a))`` in a loop over all elements."""
    return _looped(
        lambda x: _log1p(_exp(x)), lambda x: alone.log1p(alone.nearest(np.exp, x)), lambda x: exact_log1p(np.exp(x)), a
    )


def tanh_of_softplus(a: Array) -> Array:
    """The hyperbolic tangent of it in such a loop."""
    return _looped(
        lambda x: _tanh(_log1p(_exp(x))),
        lambda x: alone.tanh(alone.log1p(alone.nearest(np.exp, x))),
        lambda x: np.tanh(exact_log1p(np.exp(x))),
        a,
    )


def log_of_sum(a: Array, b: Array) -> Array:
    """``log(exp(a) + exp(b))`` in such a loop."""
    apart = -np.abs(a - b)
    if apart.dtype is not F32:
        return np.logaddexp(a, b)
    return np.where(a == b, a + _LOG_OF_TWO, np.maximum(a, b) + softplus(apart))


# -- powers: the exponential of a product with a logarithm ---------------------------------------------

_FOR_LOG_IN_TWO = _singles(0.240320354700088500976562, 0.285112679004669189453125, 0.400007992982864379882812)
_LAST_FOR_LOG = 0.66666662693023681640625 + 3.69183861259614332084311e-09
_AT_ONCE = 1 << 13
_FOR_EXP_OF_TWO = _singles(
    0.00136324646882712841033936, 0.00836596917361021041870117, 0.0416710823774337768554688,
    0.166665524244308471679688, 0.499999850988388061523438,
)  # fmt: skip


def _power(a: Array, b: Array) -> Array:
    """Powers of positive numbers."""
    power = np.frexp(a * _FOUR_THIRDS)[1] - 1
    m = np.ldexp(a.astype(F64), -power)
    x = (m - 1) / (m + 1)
    square = x * x
    u = polynomial(square.astype(F32).astype(F64), _FOR_LOG_IN_TWO)
    log = power * _LOG_OF_2 + 2 * x + (square * x) * (square * u + _LAST_FOR_LOG)
    return _exp_of_two(np.minimum(np.maximum(log * b, -1000), 1000))


def _exp_of_two(a: Array) -> Array:
    q = np.rint(a.astype(F32) * _PER_LOG_2).astype(F64)
    s = (a - q * _LOG_2) - q * _LOG_2_LEFT
    u = polynomial(s.astype(F32).astype(F64), _FOR_EXP_OF_TWO)
    return np.ldexp((1 + (s + s * s * u)).astype(F32), q.astype(np.intc))


def _power_of_any(a: Array, b: Array) -> Array:
    r = _power(np.abs(a), b)
    regular = (a > 0) & (a < _VAST) & (np.abs(b) < np.inf)
    if regular.all():
        return r
    exact = alone.nearest(np.power, a, b)
    signed = (a < 0) & (np.abs(exact) < np.inf) & (exact != 0)
    return np.where(regular, r, np.where(signed, np.copysign(r, exact), exact))


def power_of_number(a: Array, b: float) -> Array:
    """``a ** b``, by a number that single elements take in double width."""
    by = F32.type(b)
    return _looped(
        lambda x: _power_of_any(x, by), lambda x: np.power(x.astype(F64), b).astype(F32), lambda x: np.power(x, b), a
    )


def _of_two(steps: Any, single: Any, otherwise: Any, a: Array, b: Array) -> Array:
    """A function of two arrays in a loop over all elements."""
    a, b = np.broadcast_arrays(a, b)
    if not 0 < a.size <= LARGEST:
        return otherwise(a, b)
    order = _in_memory(a)
    if a.strides == b.strides and order != list(range(a.ndim)) and a.transpose(order).flags.c_contiguous:
        found = _of_two(steps, single, otherwise, a.transpose(order), b.transpose(order))
        return found.transpose(np.argsort(order))
    r = np.empty(a.shape, F32)
    row, of_first, of_second = r.reshape(-1), a.reshape(-1), b.reshape(-1)
    for i in range(0, r.size, _AT_ONCE):
        part = slice(i, i + _AT_ONCE)
        row[part] = steps(of_first[part], of_second[part])
    for of_r, of_a, of_b in left_over(r, a, b):
        of_r[...] = single(of_a, of_b)
    return r[()]


def power(a: Array, b: Array) -> Array:
    """``a ** b`` of two arrays."""
    return _of_two(_power_of_any, lambda x, y: alone.nearest(np.power, x, y), np.power, a, b)


# -- angles ------------------------------------------------------------------------------------------

_FOR_ANGLE = _singles(
    -0.00176397908944636583328247, 0.0107900900766253471374512, -0.0309564601629972457885742,
    0.0577365085482597351074219, -0.0838950723409652709960938, 0.109463557600975036621094,
    -0.142626821994781494140625, 0.199983194470405578613281,
)  # fmt: skip
_THIRD, _QUARTER_TURN = float(F32.type(-0.333332866430282592773438)), 1.5707963705062866211 - 4.3711388286737928865e-08


def _arctan2(y: Array, x: Array) -> Array:
    up, along = np.abs(y).astype(F64), np.abs(x).astype(F64)
    steep = along < up
    turns = steep - 2.0 * np.signbit(x)
    s = np.where(steep, -along, up) / np.where(steep, up, along)
    square = s * s
    rounded_square = square.astype(F32)
    u = polynomial(rounded_square.astype(F64), _FOR_ANGLE)
    angle = turns * _QUARTER_TURN + s * (1 + square * (_THIRD + (u * rounded_square).astype(F64)))
    r = np.copysign(np.abs(angle), y).astype(F32)
    regular = (y != 0) & (x != 0) & (np.maximum(up, along) < np.inf) & (np.minimum(up, along) > _SMALLEST)
    return r if regular.all() else np.where(regular, r, alone.nearest(np.arctan2, y, x))


def arctan2(y: Array, x: Array) -> Array:
    """The angle of a point."""
    return _of_two(_arctan2, alone.arctan2, np.arctan2, y, x)


# -- functions that are taken number by number everywhere ----------------------------------------------


def arcsinh(a: Array) -> Array:
    """The inverse hyperbolic sine."""
    return _followed(alone.arcsinh, np.arcsinh, a)


def arccosh(a: Array) -> Array:
    """The inverse hyperbolic cosine."""
    return _followed(alone.arccosh, np.arccosh, a)


# What log(x) - 1 / (2 * x) leaves of -digamma from 10 on, by 1 / x**2, and its value there.
_FOR_DIGAMMA = _singles(1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
_DIGAMMA_10 = F32.type(2.25175258906672110764)


def _digamma(a: Array) -> Array:
    x, r = a, np.zeros_like(a)
    while (low := x < 10).any():
        r = np.where(low, r - _ONE / x, r)
        x = np.where(low, x + _ONE, x)
    part = _ONE / (x * x)
    rest = part * polynomial(part.astype(F64), _FOR_DIGAMMA)
    return np.where(x == 10, r + _DIGAMMA_10, r + alone.log(x) - F32.type(0.5) / x - rest)


def digamma(a: Array) -> Array:
    """The slope of the gamma function's logarithm, of numbers above zero."""
    return in_parts(_digamma, a) if a.ndim else _digamma(a.reshape(1))[0]


# What follows 1 / x + 1 / (2 * x**2) in trigamma, by 1 / x**2, but for the signs.
_FOR_TRIGAMMA = [F32.type(1 / 6), F32.type(1 / 30), F32.type(1 / 42)]


def _trigamma(a: Array) -> Array:
    x, r = a, np.zeros_like(a)
    for _ in range(6):
        r = r + _ONE / (x * x)
        x = x + _ONE
    sixth, thirtieth, last = _FOR_TRIGAMMA
    part = _ONE / (x * x)
    return r + (_ONE + _ONE / (x + x) + part * (sixth - part * (thirtieth - part * last))) / x


def trigamma(a: Array) -> Array:
    """The slope of digamma, of numbers from a half on."""
    return in_parts(_trigamma, a) if a.ndim else _trigamma(a.reshape(1))[0]
