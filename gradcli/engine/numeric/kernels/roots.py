"""The square root of float32 as PyTorch's library of functions has it on processors of AMD.

It begins with what the processor answers for 1 / sqrt(x), 12 digits of it from a table by the exponent's last digit and
12 digits of x, and makes that exact in two steps, the products of which are rounded by themselves.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ...dtypes import F32, Array
from .fused import LARGEST
from .products import follows

# Numbers for which no product of the steps leaves the range.
_LEAST, _MOST = F32.type(1e-30), F32.type(1e30)

# By how much the table's first entry for each 8 digits of x (of exponents that are even, then of odd ones) is below or
# above the nearest number to 1 / sqrt(x), and how far it goes down, by 4 digits of x, for each of the last 4 digits.
_NEAREST = (
    "-==--===========-==------===-====-==--==========-==-===-=====-==========--==-==================="
    "=======-===-==-=================--===========--===-===-====-=-=-=======================++++++==="
    "-====--===-==-==-====-=-=-=-=-====-=====-=======-===============---=---=---==--==-=--=======-==="
    "==--=====-========---====-======--=---======--==-=====-============--==-=-===-==-==----------==="
    "================-================-==-=======-==-===+======++++++---===--==-==-=================="
    "-==================--====-===-=="
)
_DOWN = (
    "011233455677899a00122334556778990012233445667788001223344556677800112233445566770111223344556667"
    "001122233445556600112223344455660001122233344555001112223334445500111222333444550111222333444455"
    "000111222233344400011122223334440011112222333344001111222233334401234567789abcde01233456789aabcd"
    "012234566789abbc0122344567789aab001223455677899a011233455667889a00122334456678890011223445566788"
    "011223344556677800112233445566770011223334455667011222334455666700111223334455660011222334445556"
    "00111223334455560001112233344455"
)
_HALF = F32.type(0.5)


@cache
def _answers() -> Array:
    """The table: 1 / sqrt(x), for x between 1 and 4, as bits of single precision."""
    beyond = np.array(["-=+".index(c) - 1 for c in _NEAREST]).reshape(2, 16, 16, 1)
    down = np.array([int(c, 16) for c in _DOWN]).reshape(2, 16, 1, 16)
    x = np.array([2, 1])[:, None] * (1 + np.arange(256) / 256)
    nearest = np.rint(2**13 / np.sqrt(x)).reshape(2, 16, 16, 1)
    return ((nearest + beyond - down) / 2**13).astype(F32).view(np.int32).ravel()


def square_root(a: Array) -> Array:
    """The square root."""
    plain = type(a) is np.ndarray or type(a) is np.float32
    if not (plain and follows and a.dtype is F32 and 0 < a.size <= LARGEST):
        return np.sqrt(a)
    if not a.flags.c_contiguous:
        # The table's answers lie row by row; the roots, as the numbers do.
        laid = np.empty_like(a)
        laid[...] = square_root(np.ascontiguousarray(a))
        return laid
    if not (np.minimum.reduce(a, None) >= _LEAST and np.maximum.reduce(a, None) <= _MOST):
        r = np.sqrt(a)
        within = (a >= _LEAST) & (a <= _MOST)
        found: Array = np.where(within, in_steps(np.where(within, a, _HALF)), r)
        return found[()]
    return in_steps(np.asarray(a))[()]


def in_steps(a: Array) -> Array:
    """The square root of numbers within that range: a table's answer, made exact in two steps."""
    bits = a.view(np.int32)
    exponent = (bits + (1 << 23) >> 24) - 64
    y = (_answers().take(bits >> 11 & 0x1FFF) - (exponent << 23)).view(F32)
    half = y * _HALF
    s = a * y
    e = _HALF - half * s
    s += s * e
    half += half * e
    e = a - s * s
    e *= half
    s += e
    return s
