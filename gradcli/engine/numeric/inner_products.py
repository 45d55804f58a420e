"""The inner product of two vectors of single precision, added as PyTorch's library adds it on processors of AMD.

Four vectors of four lanes take sixteen products in turn, each product rounded by itself; what is left goes to the
first two, to the first, and to its first lane. What stands before a place that memory is read at whole goes there, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..flags import threads
from .fused import F32, LARGEST
from .products import follows

Array = Any

# From so many elements on two threads take a half each.
_SHARED = 1 << 13


def inner(a: Array, b: Array) -> Array:
    """The inner product."""
    n = a.size
    if not (follows and a.dtype is b.dtype is F32 and 1 < n <= LARGEST):
        return a.dot(b)
    if n < _SHARED or threads() == 1:
        return _of_part(a, b)
    if threads() > 2:
        return a.dot(b)
    half = n - n // 2
    return _of_part(a[:half], b[:half]) + _of_part(a[half:], b[half:])


def _of_part(a: Array, b: Array) -> Array:
    products = a * b
    n = products.size
    if n < 4 or a.strides[0] != 4 or b.strides[0] != 4:
        return np.add.accumulate(products)[-1]
    place = _place(b)
    begin = -place % 4
    if n - begin < 4:
        return np.add.accumulate(products)[-1]
    if begin:
        products[begin] += np.add.accumulate(products[:begin])[-1]
    left = n - (n - begin) % 16
    if place != _place(a):
        # They never are at such a place together: there is just one vector.
        left = begin + 4
        lanes = products[begin:left]
    elif n - begin < 8:
        left = begin + 4
        lanes = products[begin:left]
        if n - left >= 4:
            lanes += products[left : left + 4]
            left += 4
    else:
        sums = np.add.reduce(products[begin:left].reshape(-1, 4, 4), 0)
        if n - left >= 8:
            sums[:2] += products[left : left + 8].reshape(2, 4)
            left += 8
        if n - left >= 4:
            sums[0] += products[left : left + 4]
            left += 4
        for i in range(left, n):
            sums[0, 0] += products[i]
        left = n
        lanes = np.add.reduce(sums, 0)
    for i in range(left, n):
        lanes[0] += products[i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


def _place(a: Array) -> int:
    """Where an array begins among four numbers that memory is read by; one of its own begins the first."""
    return 0 if a.base is None else int(a.__array_interface__["data"][0]) // 4 % 4
