"""Functions that PyTorch leaves to a library for whole arrays, step by step as that computes them in single precision.

The exponential and the logarithm take steps of single precision, the others polynomials in double width. Coefficients
are those that fit every answer; of several that do, any.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array
from ..common import quiet
from .fused import LARGEST, exactly, in_parts


def exp(a: Array) -> Array:
    """The exponential."""
    return _followed(np.exp, _exp, a, (-_FAR_POWER, _FAR_POWER))


def log(a: Array) -> Array:
    """The natural logarithm."""
    return _followed(np.log, _log, a, (_SMALLEST, _LARGEST_FINITE))


def tanh(a: Array) -> Array:
    """The hyperbolic tangent."""
    return _followed(np.tanh, _tanh, a, (-np.inf, np.inf), 0.02)


def sin(a: Array) -> Array:
    """The sine."""
    return _followed(np.sin, lambda x: _wave(x, 0.0), a, (-_FAR, _FAR))


def cos(a: Array) -> Array:
    """The cosine."""
    return _followed(np.cos, lambda x: _wave(x, 0.5), a, (-_FAR, _FAR))


def _single(number: float) -> Array:
    """A constant of single precision: an array without axes meets others in half the time that a number takes."""
    return np.array(number, F32)


def _whole(number: int) -> Array:
    return np.array(number, np.int32)


# Double width has so many bits more than single precision.
_MORE = 1 << 29


def _followed(
    function: Any, steps: Callable[[Array], Array], a: Array, ends: tuple[float, float], doubt: float = 0.5
) -> Array:
    """The function by these steps between the ends; beyond them the library is exact.

    Where the exact result is farther than this doubt, in units of the last place, from the middle between two numbers
    of single precision, the steps lead to the nearest, too: long ones are not taken there.
    """
    if type(a) is not np.ndarray or a.dtype is not F32 or not 0 < a.size <= LARGEST:
        return exactly(function, a)

    def stepped(x: Array) -> Array:
        # A single number is written over itself in three times the time that two take.
        return steps(x) if len(x) != 1 else steps(x.repeat(2))[:1]

    def found(x: Array) -> Array:
        # The place of an extreme is found in a fifth of the time that its value takes, and is that of a nan.
        if doubt == 0.5 and x.item(x.argmin()) >= ends[0] and x.item(x.argmax()) <= ends[1]:
            return stepped(x)
        wide = quiet(function, x.astype(F64))
        r: Array = quiet(wide.astype, F32)
        near = round(doubt * _MORE)
        open_ = (wide.view(np.int64) + (near - _MORE // 2)) & (_MORE - 1) < 2 * near
        if open_.any():
            open_ &= (x >= ends[0]) & (x <= ends[1])
            r[open_] = stepped(x[open_])
        return r

    # A copy laid as NumPy lays results, and a view of it as one row.
    r = np.asarray(np.positive(a))
    row = r.ravel("K")
    row[:] = in_parts(found, row)
    return r if r.ndim else r[()]


# -- the exponential: a power of 2 ** (1 / 128), from a table in two parts, and a parabola of what is beside it --

_FAR_POWER = 87.3365
_PER_STEP = _single(128 / math.log(2))
# A step in two parts, the first of so few digits that multiples of it are exact.
_STEP, _STEP_LEFT = _single(355 / 65536), _single(-2.12194440e-4 / 128)
_HALF = _single(0.5)
_PLACE, _TO_EXPONENT, _EXPONENT = _whole(127), _whole(16), _whole(-1 << 23)


@cache
def _powers() -> Array:
    exact = 2 ** (np.arange(128) / 128)
    high = exact.astype(F32)
    return np.array([high, exact - high], F32)


def _exp(x: Array) -> Array:
    steps = np.rint(x * _PER_STEP)
    rest = x - steps * _STEP
    rest -= steps * _STEP_LEFT
    y = rest * rest
    y *= _HALF
    y += rest
    whole = steps.astype(np.int32)
    top, low = _powers().take(whole & _PLACE, 1)
    y *= top
    y += low
    y += top
    # Times a power of two: what stands before the seven bits of the place is added to the exponent.
    whole <<= _TO_EXPONENT
    whole &= _EXPONENT
    bits = y.view(np.int32)
    bits += whole
    return y


# -- the logarithm: of a power of two, and of what is between 2/3 and 4/3 by a polynomial --

_SMALLEST, _LARGEST_FINITE = float(np.finfo(F32).smallest_normal), float(np.finfo(F32).max)
_TWO_THIRDS, _MANTISSA = _whole(0x3F2AAAAB), _whole(23)
_ONE, _LOG_2, _LOG_2_LEFT = _single(1), _single(0.69314575), _single(1.4286068e-06)
# Of the tenth power first, down to the third.
_FOR_LOG = [_single(c) for c in (
    -0.12891686, 0.13984437, -0.12184261, 0.1400587, -0.16680488, 0.20010406, -0.24999797, 0.33333215,
)]  # fmt: skip


def _log(x: Array) -> Array:
    bits = x.view(np.int32)
    power = bits - _TWO_THIRDS
    power >>= _MANTISSA
    w = (bits - (power << _MANTISSA)).view(F32)
    w -= _ONE
    y = w * _FOR_LOG[0]
    for c in _FOR_LOG[1:]:
        y += c
        y *= w
    y -= _HALF
    y *= w
    y *= w
    y += w
    powers = power.astype(F32)
    y += powers * _LOG_2_LEFT
    y += powers * _LOG_2
    return y


# -- the hyperbolic tangent: a polynomial for each quarter of a power of two --

# Below, the tangent is the number itself; up to an eighth it is the number times a polynomial; from there on one is
# 1 to the last place.
_TINY, _EIGHTH, _FLAT = 2.0**-12, _single(0.125), _single(9.010839)
_BEFORE = (
    1.0000000000965625, -5.57566845e-08, -0.33332811566769, -0.00017871028725, 0.1361047958538, -0.019881132842,
)  # fmt: skip
# Quarter by quarter, of what is beyond its beginning, up to the sixth power.
_QUARTERS = """
    .1243530017718663 .98453633081087 -.1224300228388 -.31295627026 .0798038282 .11506288 -.0403748
    .1549907303715562 .97597787356434 -.1512675407356 -.30187906987 .0971219898 .10931189 -.0718544
    .1853331999082219 .96565160497417 -.1789672980831 -.28871526718 .1131439721 .09772027 -.0751657
    .2153263396657743 .95363456745632 -.2053426424848 -.27366248858 .1273854108 .08433545 -.0557497
    .2449186624038661 .940014848751291 -.2302271720989 -.256951747755 .13968342019 .07229186 -.070635183
    .3027097293325299 .908366819450379 -.2749714307121 -.21955484065 .15818472623 .0446103264 -.067798588
    .3583573983508119 .871579975017631 -.312337128497 -.178598584255 .16812443381 .0184149253 -.066680087
    .4115700556740337 .830610089273305 -.341854239318 -.136173287332 .17000932341 -.0064756547 -.057057483
    .4621171572614448 .786447731722718 -.36343082620559 -.0942096259551 .164863498502 -.02944806033 -.0374185998
    .5545997223528042 .692419146254808 -.38401527651127 -.0178400651112 .138082872537 -.05731207205 -.011347055
    .6351489523872459 .596585807675954 -.37892075836661 .0418045189161 .099863424672 -.0653858244 .0072577411
    .7039056039367264 .50451690052502 -.3551322395633 .0818054906498 .060837244774 -.05941322261 .0169482963
    .7615941559379624 .419974348335482 -.319850413335715 .10361357126557 .0276198622243 -.0458882356508 .01846632946
    .8482836399246428 .280414879633283 -.237872218059579 .10833195578118 -.0128321382423 -.0177511091251
    .010982497656 .9051482536259507 .180706647129014 -.163566842661991 .08782960874175 -.0251220531112 -.00170164283
    .004128443742 .9413755384882603 .113812099106866 -.107140155809715 .06292725451397 -.0235869093006
    .0041116168232 .000652573826 .9640275799719622 .070650847819017 -.068110161478462 .042120079072745
    -.017964796118203 .0050495581213 -.00071514060981 .9866142982489307 .026592207225193 -.026235646244153
    .01701350367033 -.008005002975042 .00273321371583 -.0005455944889 .9950547537450489 .009866025415979
    -.00981686461089 .006475344242255 -.003148210813111 .00113598350892 -.00024365334529 .9981778976358066
    .003640879722467 -.003634087498072 .00241200035664 -.001186426968869 .0004361904405 -9.56939339e-05
    .9993293005112379 .0013408717211144 -.0013387365063856 .0008838997872824 -.0004197059438832 .0001362082455453
    -2.26343254753e-05 .9999092043684763 .0001815723831663 -.0001813859133886 .0001198839531842 -5.70172528588e-05
    1.85410027598e-05 -3.0869965212e-06 .9999877116642264 2.45750931335e-05 -2.45518152804e-05 1.62295883348e-05
    -7.7208380523e-06 2.5115654688e-06 -4.183284918e-07 .9999983369463551 3.325887167e-06 -3.3225688779e-06
    2.1956605068e-06 -1.0433924646e-06 3.385562201e-07 -5.61600675e-08 .9999997841581388 6.888588e-08
    3.9248929062e-06 -2.08897212916e-05 4.71968447429e-05 -4.76881804588e-05 1.75313960944e-05
"""
_FIRST_QUARTER, _QUARTER_BITS = _whole(0x3E000000 >> 21), _whole(21)


@cache
def _by_quarters() -> Array:
    return np.array(_QUARTERS.split(), F64).reshape(-1, 7).T[::-1].copy()


def _tanh(x: Array) -> Array:
    size = np.abs(x)
    flat = size > _FLAT
    np.minimum(size, _FLAT, out=size)
    quarter = size.view(np.int32) >> _QUARTER_BITS
    np.maximum(quarter, _FIRST_QUARTER, out=quarter)
    beyond = (size - (quarter << _QUARTER_BITS).view(F32)).astype(F64)
    quarter -= _FIRST_QUARTER
    y, *others = _by_quarters().take(quarter, 1)
    for c in others:
        y *= beyond
        y += c
    r = y.astype(F32)
    small = size < _EIGHTH
    if small.any():
        w = size[small].astype(F64)
        y = np.full_like(w, _BEFORE[-1])
        for before in _BEFORE[-2::-1]:
            y *= w
            y += before
        y *= w
        r[small] = np.where(w < _TINY, w, y)
    r[flat] = 1
    return np.copysign(r, x)


# -- the sine: a polynomial of what is left of a half turn --

_NINTH, _SEVENTH = 2.6057806411170206e-06, -0.00019809602902802213
_FIFTH, _THIRD = 0.008333066246082939, -0.1666665955042733
_PER_PI = 1 / math.pi
# Half a turn in two parts, the first of so few digits that multiples of it are exact; the other is not negative, or a
# zero would lose its sign.
_PI = float.fromhex("0x1.921fb4p+1")
_PI_LEFT = math.pi - _PI
# Beyond so large an angle another way is taken.
_FAR = 10000.0


def _wave(a: Array, ahead: float) -> Array:
    """The sine of what is this many half turns ahead."""
    x = a.astype(F64)
    half_turns = x * _PER_PI
    half_turns += ahead
    np.rint(half_turns, half_turns)
    odd = half_turns.astype(np.int32) & 1 != 0
    half_turns -= ahead
    x -= half_turns * _PI
    half_turns *= _PI_LEFT
    x -= half_turns
    square = x * x
    y = square * _NINTH
    for c in (_SEVENTH, _FIFTH, _THIRD):
        y += c
        y *= square
    y += 1
    y *= x
    np.negative(y, out=y, where=odd)
    return y.astype(F32)
