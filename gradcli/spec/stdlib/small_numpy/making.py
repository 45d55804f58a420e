"""Arrays that are made: of what a program holds, of one number, of numbers in a row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...guard.size_limits import CONSTRUCTORS, caps, whole
from ...values.classes.sealed_classes import sealed
from ...values.element_types import NAMES, element_type, holds_objects, holds_records
from ...values.tables.byte_strings import BYTES
from ...values.text_arrays import holds_none
from ...values.visible_types import word
from .arguments import Function, array_of, number, number_or_array, order_of, room, size_of
from .other_arrays import OfObjects, as_objects
from .quiet import quiet


def _array(object: Any, dtype: Any = None, *, copy: Any = True, ndmin: Any = 0) -> Any:
    object = as_objects(object)
    if holds_objects(dtype) or (dtype is None and (isinstance(object, OfObjects) or holds_none(object))):
        return caps.library("_objects")["made"](object)
    found = array_of(object)
    room(found.size)
    kept = copy if copy is None or isinstance(object, np.ndarray) else True
    return np.array(found, dtype=element_type(dtype), copy=kept if kept is None else bool(kept), ndmin=whole(ndmin))


def _as_array(name: str) -> Function:
    """A function that gives an array as it is, and makes one of all else."""
    function = getattr(np, name)

    def call(a: Any, dtype: Any = None) -> Any:
        a = as_objects(a)
        if isinstance(a, OfObjects) and (dtype is None or holds_objects(dtype)):
            return a
        if holds_objects(dtype) or (dtype is None and holds_none(a)):
            return _array(a, dtype)
        found = array_of(a)
        room(found.size)
        return function(found, dtype=element_type(dtype))

    return call


def _from_buffer(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    """The numbers that bytes stand for, in the memory of those."""
    if type(buffer) not in (*BYTES, memoryview) and not isinstance(buffer, np.ndarray):
        raise TypeError(f"a bytes-like object is required, not '{word(buffer)}'")
    return np.frombuffer(buffer, element_type(dtype), whole(count), whole(offset))


def _numbers_of(cls: type) -> Function:
    """Return the function that a program calls by the name of a class of numbers."""
    of = np.dtype(cls)
    return lambda value=0: array_of(float(value) if isinstance(value, str) else value).astype(of)[()]


NUMBER_CLASSES = [np.dtype(name).type for name in NAMES]
for _class in NUMBER_CLASSES:
    CONSTRUCTORS[sealed(_class)] = quiet(_class.__name__, _numbers_of(_class))


def _filled(name: str, item: Any) -> Function:
    """A function that makes an array of numbers, or one that holds an item in each place."""
    function = getattr(np, name)

    def call(shape: Any, dtype: Any = None) -> Any:
        if holds_objects(dtype):
            return caps.library("_objects")["filled"](shape, item)
        if holds_records(dtype):
            return caps.library("_records")["filled"](shape, dtype, item or 0)
        return function(size_of(shape), dtype=element_type(dtype))

    call.__name__ = call.__qualname__ = function.__name__
    return call


def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    if holds_objects(dtype):
        return caps.library("_objects")["filled"](shape, fill_value)
    return np.full(size_of(shape), number_or_array(fill_value), element_type(dtype))


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    given = (0, start, step) if stop is None else (start, stop, step)
    first, last, step = [number(n) for n in given]
    if step:
        room(max(0, math.ceil((last - first) / step)))
    made: Any = np.arange(first, last, step, dtype=element_type(dtype))
    return made


def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: Any = False, dtype: Any = None,
    axis: Any = 0,
) -> Any:  # fmt: skip
    first, last = _end_of_row(start), _end_of_row(stop)
    room(max(0, whole(num)) * math.prod(np.broadcast_shapes(np.shape(first), np.shape(last))))
    function: Function = np.linspace
    how = {"endpoint": bool(endpoint), "retstep": bool(retstep), "dtype": element_type(dtype), "axis": whole(axis)}
    return function(first, last, whole(num), **how)


def _option(name: str, value: Any) -> Any:
    return element_type(value) if name == "dtype" else whole(value) if name == "axis" else number_or_array(value)


def _end_of_row(value: Any) -> Any:
    """Where numbers in a row begin or end: a number, or an array with an end for each of several rows."""
    ends = number_or_array(value)
    return ends if np.ndim(ends) else number(ends)


def _spaced(name: str) -> Function:
    function: Function = getattr(np, name)

    def call(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, **how: Any) -> Any:
        first, last = _end_of_row(start), _end_of_row(stop)
        choices = {key: _option(key, value) for key, value in how.items()}
        shapes = [np.shape(a) for a in (first, last, choices.get("base", 0))]
        room(max(0, whole(num)) * math.prod(np.broadcast_shapes(*shapes)), 10)
        return function(first, last, whole(num), bool(endpoint), **choices)

    return call


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    size_of((N, N if M is None else M))
    return np.eye(N, M, whole(k), dtype=element_type(dtype))


def _like(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, dtype: Any = None, *, shape: Any = None) -> Any:
        array = array_of(a)
        return function(array, element_type(dtype), shape=None if shape is None else size_of(shape))

    return call


def _tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float) -> Any:
    room(max(0, whole(N)) * max(0, whole(N if M is None else M)))
    return np.tri(whole(N), None if M is None else whole(M), whole(k), dtype=element_type(dtype))


def _full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    a = array_of(a)
    room(a.size)
    return np.full_like(a, number_or_array(fill_value), element_type(dtype))


def _meshgrid(*xi: Any, indexing: Any = "xy", sparse: Any = False, copy: Any = True) -> Any:
    if type(indexing) is not str or indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    arrays = [array_of(x) for x in xi]
    room((sum if sparse else math.prod)(a.size for a in arrays) * len(arrays))
    # Of copies alone each element is written by itself.
    return np.meshgrid(*arrays, indexing="ij" if indexing == "ij" else "xy", sparse=bool(sparse))


def of_making() -> dict[str, Function]:
    """The functions of the module `numpy` that make arrays."""
    made: dict[str, Function] = {"array": _array, "frombuffer": _from_buffer, "arange": _arange, "linspace": _linspace}
    made.update({name: _as_array(name) for name in ("asarray", "asanyarray")})
    made.update(identity=lambda n, dtype=float: _eye(n, dtype=dtype))
    # What was in memory before is no program's business.
    made.update(empty=_filled("zeros", None), empty_like=_like("zeros_like"))
    made.update(eye=_eye, meshgrid=_meshgrid, full=_full, zeros=_filled("zeros", 0), ones=_filled("ones", 1))
    made.update({name: _like(name) for name in ("zeros_like", "ones_like")})
    made.update({name: _spaced(name) for name in ("logspace", "geomspace")}, full_like=_full_like, tri=_tri)
    made = {name: function if name in _IN_ROWS else in_order(function) for name, function in made.items()}
    return {**made, "ascontiguousarray": _as_array("ascontiguousarray"), "asfortranarray": _as_array("asfortranarray")}


# Of which nobody asks in which order their elements lie.
_IN_ROWS = ("arange", "frombuffer", "geomspace", "linspace", "logspace", "meshgrid", "tri")


def in_order(function: Function) -> Function:
    """A function that makes an array, whose elements then lie in memory in the order that a letter says."""

    def call(*args: Any, order: Any = None, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if order is None or not isinstance(made, np.ndarray):
            return made
        room(made.size)
        return np.asarray(made, order=order_of(order))

    return call
