"""The methods of NumPy's functions of two numbers: `np.add.at`, `np.maximum.accumulate` and the like."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ...guard.size_limits import whole
from ...values.element_types import element_type
from ...values.tables.functions import FUNCTIONS
from ...values.tables.table import MISSING
from .arguments import Function, array_of, chosen_of, number_or_array, room
from .quiet import quiet


def _reduce(
    of: Any, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    a, chosen = array_of(array), chosen_of(where)
    room(max(a.size, chosen.size if isinstance(chosen, np.ndarray) else 1))
    start = {} if initial is None else {"initial": number_or_array(initial)}
    if chosen is not True:
        start["where"] = chosen
    return of.reduce(a, _axes(axis), element_type(dtype), keepdims=bool(keepdims), **start)


def _axes(axis: Any) -> Any:
    if axis is None:
        return None
    return tuple([whole(n) for n in axis]) if isinstance(axis, tuple) else whole(axis)


def _accumulate(of: Any, array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    a = array_of(array)
    room(a.size)
    return of.accumulate(a, whole(axis), element_type(dtype))


def _reduceat(of: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    a, places = array_of(array), array_of(indices)
    # Each of the parts may be all of the array.
    room(max(a.size, a.size * places.size))
    return of.reduceat(a, places, whole(axis))


def _outer(of: Any, A: Any, B: Any) -> Any:
    a, b = array_of(A), array_of(B)
    room(a.size * b.size)
    return of.outer(a, b)


def _at(of: Any, a: Any, indices: Any, *b: Any) -> None:
    if not isinstance(a, np.ndarray):
        raise TypeError("first operand must be array")
    given = indices if isinstance(indices, tuple) else (indices,)
    places = [i if isinstance(i, slice) else number_or_array(i) for i in given]
    values = [number_or_array(value) for value in b]
    room(_chosen(a, places) + sum(np.size(value) for value in values), 4)
    of.at(a, tuple(places), *values)


def _chosen(a: Any, places: list[Any]) -> int:
    """The most elements that some places choose of an array."""
    arrays = [np.asarray(i) for i in places if not isinstance(i, slice)]
    if any(i.dtype == bool for i in arrays):
        return int(a.size) * max(1, *[i.size for i in arrays])
    along = math.prod(n for n, i in zip(a.shape, places, strict=False) if not isinstance(i, slice))
    return int(math.prod(np.broadcast_shapes(*[i.shape for i in arrays])) * (a.size // max(1, along)))


_METHODS: dict[str, Callable[..., Any]] = {
    "accumulate": _accumulate, "at": _at, "outer": _outer, "reduce": _reduce, "reduceat": _reduceat,
}  # fmt: skip
# A function that a program holds -> its methods.
_KNOWN: dict[FunctionType, dict[str, Function]] = {}


def with_methods(functions: dict[str, Function]) -> None:
    """Note the methods of NumPy's functions of two numbers, which there are wherever programs name such a function."""
    for name, function in functions.items():
        of = getattr(np, name, None)
        if isinstance(of, np.ufunc) and (of.nin, of.nout) == (2, 1) and isinstance(function, FunctionType):
            _KNOWN[function] = {key: quiet(key, _bound(method, of)) for key, method in _METHODS.items()}


def _bound(method: Callable[..., Any], of: Any) -> Function:
    return lambda *args, **kwargs: method(of, *args, **kwargs)


def _found(function: Any, name: str) -> Any:
    return _KNOWN.get(function, {}).get(name, MISSING)


FUNCTIONS.find = _found
FUNCTIONS.extra = lambda function: sorted(_KNOWN.get(function, ()))
