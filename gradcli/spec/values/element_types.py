"""Element types of NumPy's arrays as programs know them: the class of a number, and what the `dtype` of an array is.

NumPy's own dtypes can be multiplied, indexed and compared with whatever names another; no program holds one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import SpecError
from .classes.sealed_classes import Given, Sealed, known_as, opened, sealed
from .tables.table import attributes, declare

NAMES = (
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint32", "uint16", "uint8", "bool",
    "complex128", "complex64",
)  # fmt: skip
# Other texts that name them.
_ALSO = {
    "float": "float64", "double": "float64", "f8": "float64", "d": "float64", "single": "float32", "f4": "float32",
    "f": "float32", "half": "float16", "f2": "float16", "int": "int64", "i8": "int64", "i4": "int32", "i": "int32",
    "i2": "int16", "i1": "int8", "l": "int64", "q": "int64", "h": "int16", "b": "int8", "I": "uint32", "H": "uint16",
    "B": "uint8", "e": "float16", "F": "complex64", "D": "complex128", "u4": "uint32", "u2": "uint16", "u1": "uint8",
    "?": "bool", "complex": "complex128",
    "c8": "complex64", "c16": "complex128",
}  # fmt: skip
# The order of bytes that all have here may stand before a size.
_ALSO |= {f"<{code}": name for code, name in _ALSO.items() if code[-1].isdigit()}


class ElementType(Given):
    """The `dtype` of an array."""

    __slots__ = ("byteorder", "char", "itemsize", "kind", "name", "of", "shown", "str", "type")

    def __init__(self, of: np.dtype[Any]) -> None:
        self.of = of
        self.name, self.kind, self.itemsize, self.type = of.name, of.kind, of.itemsize, sealed(of.type)
        self.char, self.str, self.byteorder = of.char, of.str, of.byteorder
        self.shown = of.str if of.kind == "U" else of.name

    def __eq__(self, other: Any) -> bool:
        known = _known(other)
        # Nothing at all is float64 to NumPy; what names no element type is equal to none.
        return self.of == (np.dtype(np.float64) if other is None else known) if other is None or known else False

    def __hash__(self) -> int:
        return hash(self.of)

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        # Texts of no length are those of any.
        return f"dtype('{'<U' if self.shown == '<U0' else self.shown}')"


known_as(ElementType, "dtype", "numpy")
declare(ElementType, base=object, fields=attributes("name itemsize kind type char str byteorder"))


def _known(named: Any) -> np.dtype[Any] | None:
    """NumPy's dtype of what programs name it by, or None."""
    if type(named) is ElementType:
        return named.of
    if type(named) is Sealed and issubclass(named.real, np.generic):
        # Of the abstract ones, such as np.floating, there are no arrays.
        return np.dtype(named.real) if named.real.__name__.rstrip("_") in NAMES else None
    if type(named) is str:
        name = _ALSO.get(named, named)
        return np.dtype(name) if name in NAMES else None
    if named is float or named is int or named is bool or named is complex or named is str:
        return np.dtype(named)
    return None


def element_type(named: Any) -> np.dtype[Any] | None:
    """NumPy's dtype of what programs name it by; None is left to NumPy."""
    known = _known(named)
    if (known is None and named is not None) or holds_texts(named):
        raise SpecError("this is no element type of arrays in the spec language", help=f"there are {', '.join(NAMES)}")
    return known


def holds_texts(named: Any) -> bool:
    """True if a program asks for arrays of texts, as long as they are."""
    return named is str or (type(named) is ElementType and named.of == np.dtype(str))


def holds_objects(named: Any) -> bool:
    """True if a program asks for arrays that hold anything."""
    return named is object or named is sealed(np.object_) or (type(named) is str and named in ("object", "O"))


def holds_records(named: Any) -> bool:
    """True if a program asks for arrays of records: it names their fields."""
    from .user_definitions import hook_of

    if type(named) is str:
        return "," in named
    return isinstance(named, (list, dict)) or hook_of(named, "_is_of_fields") is not None


def is_subtype(arg1: Any, arg2: Any) -> bool:
    """True if the numbers of an element type, or of a class of numbers, are among those of another."""
    return issubclass(_class_of(arg1), _class_of(arg2))


def _class_of(named: Any) -> type:
    cls = opened(named)
    if isinstance(cls, type) and issubclass(cls, np.generic):
        return cls
    return (element_type(named) or np.dtype(float)).type
