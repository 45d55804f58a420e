"""The names of the array API standard that NumPy has beside its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps, fits, whole
from ...values.classes.named_tuples import namedtuple
from ...values.element_types import element_type
from .arguments import Function, array_of, room

# Other names of functions that go through arrays element by element.
EACH = (
    "acos acosh asin asinh atan atan2 atanh bitwise_count bitwise_invert bitwise_left_shift bitwise_not "
    "bitwise_right_shift pow"
)

# Functions that make nothing larger than their arrays are.
WHOLE = "i0 matrix_transpose permute_dims"

# Functions of what is there once, each with the class of what it gives, and the names in that.
_UNIQUE = {
    "unique_all": ("UniqueAllResult", "values indices inverse_indices counts"),
    "unique_counts": ("UniqueCountsResult", "values counts"),
    "unique_inverse": ("UniqueInverseResult", "values inverse_indices"),
}


def of_standard() -> dict[str, Function]:
    """The functions of the standard that are no other names alone."""
    made: dict[str, Function] = {name: _running(name) for name in ("cumulative_sum", "cumulative_prod")}
    made.update({name: _unique(name, *result) for name, result in _UNIQUE.items()})
    made.update(astype=_astype, unique_values=_unique_values, unstack=_unstack, vecdot=vecdot)
    return made


def _astype(x: Any, dtype: Any, /, *, copy: Any = True) -> Any:
    a = array_of(x)
    room(a.size)
    return np.astype(a, element_type(dtype), copy=bool(copy))


def _running(name: str) -> Function:
    function = getattr(np, name)

    def call(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
        a = array_of(x)
        room(a.size + a.size // max(1, min(a.shape, default=1)))
        along = None if axis is None else whole(axis)
        return function(a, axis=along, dtype=element_type(dtype), include_initial=bool(include_initial))

    return call


def _unique(name: str, result: str, fields: str) -> Function:
    function = getattr(np, name)

    def call(x: Any, /) -> Any:
        a = array_of(x)
        room(a.size, 20)
        return namedtuple(result, fields)(*function(a))

    return call


def _unique_values(x: Any, /) -> Any:
    a = array_of(x)
    room(a.size, 20)
    return np.unique_values(a)


def _unstack(x: Any, /, *, axis: Any = 0) -> Any:
    a = array_of(x)
    fits(a.shape[whole(axis)] if a.ndim else 0, "tuple")
    return np.unstack(a, axis=whole(axis))


def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    """vecdot(): the inner products along an axis."""
    a, b = array_of(x1), array_of(x2)
    caps.spend(max(a.size, b.size), int(np.prod(np.broadcast_shapes(a.shape, b.shape), dtype=float)))
    function: Function = np.vecdot
    return function(a, b, axis=whole(axis))
