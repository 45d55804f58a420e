"""Which numbers an element type of NumPy's has, and which type holds those of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps
from ...values.classes.sealed_classes import known_as
from ...values.element_types import ElementType, element_type, holds_records, holds_texts, is_subtype
from ...values.tables.table import attributes, declare
from .arguments import Function, array_of


def of_types() -> dict[str, Function]:
    """The functions of the module `numpy` that look at element types."""
    made = {name: _of_types(name) for name in ("promote_types", "result_type", "can_cast", "min_scalar_type")}
    made.update({name: _asked(name) for name in ("iscomplexobj", "isrealobj")})
    made["issubdtype"] = is_subtype
    return made


def _asked(name: str) -> Function:
    function = getattr(np, name)
    return lambda x: function(_given(x))


def _given(value: Any) -> Any:
    """An array or a number as it is, and all else as an array."""
    return value if isinstance(value, (int, float, complex, np.generic, np.ndarray)) else array_of(value)


def _of_types(name: str) -> Function:
    """A function of element types, or of what has one."""
    function = getattr(np, name)

    def call(*types: Any) -> Any:
        how = list(types[2:]) if name == "can_cast" else []
        if not _CASTINGS.issuperset(how):
            raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'")
        found = function(*[_type_or_value(one) for one in types[: len(types) - len(how)]], *how)
        return ElementType(found) if isinstance(found, np.dtype) else found

    return call


_CASTINGS = frozenset(("no", "equiv", "safe", "same_kind", "unsafe"))


def _type_or_value(value: Any) -> Any:
    return value if isinstance(value, (int, float, complex, np.generic, np.ndarray)) else element_type(value)


def element_type_of(dtype: Any, /) -> Any:
    """dtype(): an element type by its name, by the class of its numbers, or by the fields of records."""
    if holds_records(dtype):
        return caps.library("_records")["dtype"](dtype)
    found = np.dtype(str) if holds_texts(dtype) else element_type(dtype)
    return ElementType(np.dtype(float) if found is None else found)


class Precision:
    """finfo(): what the numbers of an element type can tell apart."""

    __slots__ = ("bits", "eps", "max", "min", "resolution", "shown", "tiny")

    def __init__(self, dtype: Any = float) -> None:
        of = np.finfo(element_type(dtype))
        self.bits, self.eps, self.max, self.min = of.bits, of.eps, of.max, of.min
        self.resolution, self.tiny = of.resolution, of.tiny
        self.shown = str(of)

    def __repr__(self) -> str:
        return self.shown


known_as(Precision, "finfo", "numpy")
declare(Precision, base=object, fields=attributes("bits eps max min resolution tiny"))


class Whole:
    """iinfo(): which whole numbers an element type has."""

    __slots__ = ("bits", "max", "min", "shown")

    def __init__(self, type: Any = int) -> None:
        of = np.iinfo(element_type(type))
        self.bits, self.max, self.min = of.bits, of.max, of.min
        self.shown = str(of)

    def __repr__(self) -> str:
        return self.shown


known_as(Whole, "iinfo", "numpy")
declare(Whole, base=object, fields=attributes("bits max min"))
