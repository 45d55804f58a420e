"""Which numbers an element type of NumPy's has, and which type holds those of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps
from ...values.classes.sealed_classes import known_as, sealed
from ...values.element_types import ElementType, element_type, holds_records, is_subtype
from ...values.tables.table import declare
from .arguments import Function, array_of


def of_types() -> dict[str, Function]:
    """The functions of the module `numpy` that look at element types."""
    made = {name: _of_types(name) for name in ("promote_types", "result_type", "can_cast", "min_scalar_type")}
    made.update({name: _asked(name) for name in ("iscomplexobj", "isrealobj")})
    made.update(common_type=_common, isdtype=_is_type, issubdtype=is_subtype)
    return made


def _asked(name: str) -> Function:
    function = getattr(np, name)
    return lambda x: function(_given(x))


def _given(value: Any) -> Any:
    """An array or a number as it is, and all else as an array."""
    return value if isinstance(value, (int, float, complex, np.generic, np.ndarray)) else array_of(value)


def _common(*arrays: Any) -> Any:
    """common_type(): the class of the numbers with a fraction that hold what is in some arrays."""
    return sealed(np.common_type(*[array_of(a) for a in arrays]))


_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


def _is_type(dtype: Any, kind: Any) -> bool:
    """isdtype(): True if an element type is another, or is of a kind that the array API standard names."""
    of = element_type_of(dtype).of
    if isinstance(kind, tuple):
        return any(_is_type(dtype, one) for one in kind)
    if isinstance(kind, str) and kind not in _KINDS:
        raise ValueError(f"kind argument is a string, but {kind!r} is not a known kind name.")
    return of.kind in _KINDS[kind] if isinstance(kind, str) else bool(of == element_type_of(kind).of)


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
    found = element_type(dtype)
    return ElementType(np.dtype(float) if found is None else found)


class Precision:
    """finfo(): what the numbers of an element type can tell apart."""

    __slots__ = ("of",)

    def __init__(self, dtype: Any = float) -> None:
        self.of = np.finfo(_of_number(dtype))

    def __repr__(self) -> str:
        return repr(self.of)

    def __str__(self) -> str:
        return str(self.of)


known_as(Precision, "finfo", "numpy")
_PRECISION = (
    "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution smallest_normal "
    "smallest_subnormal tiny"
)
_TYPE = {"dtype": lambda self: ElementType(self.of.dtype)}


def _of_number(given: Any) -> Any:
    """The element type that is given, or that of a number or an array."""
    if isinstance(given, (int, float, complex, np.generic, np.ndarray)) and not isinstance(given, type):
        return np.asarray(given).dtype
    return element_type(given)


def _facts(names: str) -> dict[str, Any]:
    return {name: (lambda self, name=name: getattr(self.of, name)) for name in names.split()}


declare(Precision, base=object, fields=_facts(_PRECISION) | _TYPE)


class Whole:
    """iinfo(): which whole numbers an element type has."""

    __slots__ = ("of",)

    def __init__(self, type: Any = int) -> None:
        self.of = np.iinfo(_of_number(type))

    def __repr__(self) -> str:
        return repr(self.of)

    def __str__(self) -> str:
        return str(self.of)


known_as(Whole, "iinfo", "numpy")
_WHOLE_TYPE = {"dtype": lambda self: ElementType(np.dtype(self.of.dtype))}
declare(Whole, base=object, fields=_facts("bits max min kind") | _WHOLE_TYPE)
