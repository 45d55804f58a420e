"""Functions of single precision as PyTorch's kernels take them vector by vector from a library, step by step.

Steps that the library takes with two numbers, one of them what the other has lost, are taken here in double width. In
loops over all elements what fills no two vectors is computed number by number, by the C library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..flags import threads
from . import alone
from .common import log1p as exact_log1p
from .fused import F32, F64, LARGEST, in_parts, polynomial
from .sums import UNSHARED, VECTOR

Array = Any
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
_FOUR_THIRDS, _VAST = F32.type(4 / 3), F32.type(2.5e38)


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


def power(a: Array, b: Array) -> Array:
    """``a ** b`` of two arrays."""
    a, b = np.broadcast_arrays(a, b)
    if not 0 < a.size <= LARGEST:
        return np.power(a, b)
    order = _in_memory(a)
    if a.strides == b.strides and order != list(range(a.ndim)) and a.transpose(order).flags.c_contiguous:
        return power(a.transpose(order), b.transpose(order)).transpose(np.argsort(order))
    r = np.empty(a.shape, F32)
    row, bases, exponents = r.reshape(-1), a.reshape(-1), b.reshape(-1)
    for i in range(0, r.size, _AT_ONCE):
        part = slice(i, i + _AT_ONCE)
        row[part] = _power_of_any(bases[part], exponents[part])
    for of_r, of_a, of_b in left_over(r, a, b):
        of_r[...] = alone.nearest(np.power, of_a, of_b)
    return r[()]
