"""Arrays of records and of anything at all, beside those of numbers: who makes them, and which functions take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps
from ...values.classes.sealed_classes import sealed
from ...values.element_types import holds_records
from ...values.user_definitions import ARRAYING, UserType, hook_of
from .arguments import Function

# Those that are written for arrays of objects, too.
_OF_OBJECTS = frozenset(
    "unique concatenate hstack vstack column_stack where isin sort argsort ravel reshape squeeze shape ndim size "
    "transpose copy sum mean array_equal".split()
)


class _Instances(type):
    home: str

    def __instancecheck__(cls, value: Any) -> bool:
        kind = type(value)
        return kind.__name__ == "ndarray" and isinstance(kind, UserType) and kind is caps.library(cls.home)["ndarray"]


# And those for arrays of records.
_OF_RECORDS = frozenset("sort argsort copy concatenate hstack zeros_like empty_like shape ndim size".split())


def _are_records(value: Any) -> bool:
    """Tell whether a value is an array of records, or a list that begins with one."""
    return isinstance(value[0] if isinstance(value, (list, tuple)) and value else value, _OfRecords)


class OfObjects(metaclass=_Instances):
    """The arrays that hold anything, whose class is written in the spec language."""

    home = "_objects"


class _OfRecords(metaclass=_Instances):
    """Those of records."""

    home = "_records"


sealed(np.ndarray).kin = (*sealed(np.ndarray).kin, OfObjects, _OfRecords)


def as_objects(value: Any) -> Any:
    """The array of objects that a value says it is, or the value."""
    make = hook_of(value, ARRAYING)
    made = None if make is None else caps.guarded(make)(value)
    return made if isinstance(made, OfObjects) else value


def _making_records(name: str, function: Function) -> Function:
    """A function that makes an array of what it is given, or one of records if it is told of their fields."""

    def call(object: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        given = _are_records(object) and not isinstance(object, (list, tuple))
        if not given and not holds_records(dtype):
            return function(object, *(() if dtype is None else (dtype,)), *args, **kwargs)
        if given and dtype is None and name == "asarray":
            return object
        return caps.library("_records")["made"](object, object.dtype if dtype is None else dtype)

    call.__name__ = call.__qualname__ = name
    return call


def taking_others(name: str, function: Function) -> Function:
    """A function of NumPy's that takes arrays of objects or records as well, if it is one that does."""
    if name in ("array", "asarray"):
        return _making_records(name, function)
    if name not in _OF_OBJECTS | _OF_RECORDS:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in _OF_RECORDS and args and _are_records(args[0]):
            return caps.library("_records")["functions"][name](*args, **kwargs)
        if name not in _OF_OBJECTS:
            return function(*args, **kwargs)
        given = [list(map(as_objects, a)) if isinstance(a, (list, tuple)) else as_objects(a) for a in args]
        if any(isinstance(v, OfObjects) for a in given for v in (a if isinstance(a, list) else (a,))):
            return caps.library("_objects")["functions"][name](*given, **kwargs)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call
