"""The memory in which the elements of arrays lie: other arrays there, bits in bytes, NumPy's own order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib import array_utils, stride_tricks

from ....errors import Unsupported
from ...guard.size_limits import whole
from .arguments import Function, Table, array_of, room


def of_layout() -> dict[str, Function]:
    """The functions of the module `numpy` that ask for the memory of arrays, or pack it."""
    return {
        "copy": _copy, "isfortran": lambda a: bool(np.isfortran(a)), "packbits": _packbits, "unpackbits": _unpackbits,
        **dict.fromkeys(("matrix", "asmatrix", "bmat"), _no_matrix),
    }  # fmt: skip


def names() -> Table:
    """The names of the module `numpy.lib.stride_tricks`."""
    return {"as_strided": _as_strided, "sliding_window_view": _windows}


def _copy(a: Any, order: Any = "K") -> Any:
    from .arguments import order_of

    array = array_of(a)
    room(array.size)
    return np.array(array, order=order_of(order), copy=True)


def _as_strided(x: Any, shape: Any = None, strides: Any = None, subok: Any = False, writeable: Any = True) -> Any:
    """as_strided(): the elements at steps of one's own, none of which leads out of the array."""
    a = array_of(x)
    sizes = a.shape if shape is None else _numbers(shape)
    steps = a.strides if strides is None else _numbers(strides)
    if len(sizes) != len(steps):
        raise ValueError("mismatch in length of strides and shape")
    if any(n < 0 for n in sizes):
        raise ValueError("negative dimensions are not allowed")
    room(math.prod(sizes))
    low, high = array_utils.byte_bounds(a)
    first: int = a.__array_interface__["data"][0]
    ways = [step * (n - 1) for n, step in zip(sizes, steps, strict=True)]
    begin, end = first + sum(min(0, way) for way in ways), first + sum(max(0, way) for way in ways) + a.itemsize
    if math.prod(sizes) and not (low <= begin and end <= high):
        raise Unsupported(
            f"as_strided(shape={sizes}, strides={steps}) leads out of the memory of its array",
            help="the last element is at the sum of (shape - 1) * strides bytes",
        )
    if a.size == 0 or 0 in sizes:
        return np.zeros(sizes, a.dtype)
    return stride_tricks.as_strided(a, sizes, steps, writeable=bool(writeable))


def _windows(x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False) -> Any:
    """sliding_window_view(): what is seen of an array through a window at each of its places."""
    a, window = array_of(x), _numbers(window_shape)
    room(a.size * max(1, math.prod(max(n, 0) for n in window)))
    along = None if axis is None else _numbers(axis)
    return stride_tricks.sliding_window_view(a, window, axis=along, writeable=bool(writeable))


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple([whole(n) for n in value]) if isinstance(value, (tuple, list, np.ndarray)) else (whole(value),)


def _packbits(a: Any, axis: Any = None, bitorder: Any = "big") -> Any:
    array = array_of(a)
    room(array.size)
    return np.packbits(array, None if axis is None else whole(axis), _bit_order(bitorder))


def _unpackbits(a: Any, axis: Any = None, count: Any = None, bitorder: Any = "big") -> Any:
    array = array_of(a)
    many = None if count is None else whole(count)
    room(8 * array.size + max(0, many or 0) * max(1, array.size))
    return np.unpackbits(array, None if axis is None else whole(axis), many, _bit_order(bitorder))


def _bit_order(value: Any) -> Any:
    if value not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    return value


def _no_matrix(*data: Any, **how: Any) -> Any:
    raise Unsupported(
        "np.matrix is not in gradcli: NumPy itself advises against it", help="use np.array, and @ for products"
    )
