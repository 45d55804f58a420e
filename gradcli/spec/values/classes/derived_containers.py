"""Classes of a program that derive from dict, list or tuple: C passes by the methods that they define."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...guard.size_limits import CONSTRUCTORS
from ..show import How, Writer, said_by_class, written_so
from ..tables.containers import Defaults, special_of
from .making_classes import MADE_EMPTY
from .sealed_classes import known_as


def _begins(cls: type) -> Callable[..., None]:
    """The __init__ of a class that derives from one of Python's own: it looks at what it is given."""
    fill = special_of(cls, "__init__")

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        fill(self, *args, **kwargs)

    return __init__


class Mapped(dict[Any, Any]):
    """Base of a program's classes that derive from dict."""

    __slots__ = ()
    __init__ = _begins(dict)


class Defaulting(Defaults):
    """Base of a program's classes that derive from defaultdict."""

    __slots__ = ()
    __init__ = _begins(Defaults)


class Ordered(OrderedDict[Any, Any]):
    """Base of a program's classes that derive from OrderedDict."""

    __slots__ = ()
    __init__ = _begins(OrderedDict)


class Listed(list[Any]):
    """Base of a program's classes that derive from list."""

    __slots__ = ()
    __init__ = _begins(list)


class Tupled(tuple[Any, ...]):
    """Base of a program's classes that derive from tuple."""

    def __new__(cls, iterable: Any = (), /) -> Any:
        return tuple.__new__(cls, CONSTRUCTORS[tuple](iterable))


known_as(Tupled, "tuple", "builtins")
known_as(Mapped, "dict", "builtins")
known_as(Defaulting, "defaultdict", "collections")
known_as(Ordered, "OrderedDict", "collections")
known_as(Listed, "list", "builtins")

# What a program derives from -> the class that stands for it.
MADE_EMPTY.update((Mapped, Defaulting, Ordered, Listed, Tupled))
BASES: dict[type, type] = {dict: Mapped, Defaults: Defaulting, OrderedDict: Ordered, list: Listed, tuple: Tupled}


def _way(base: type) -> Callable[[Writer, Any, How], str]:
    def written(w: Writer, value: Any, how: How) -> str:
        cls: Any = type(value)
        if how is str and cls.__str__ is not object.__str__:
            return said_by_class(value, str, "__str__")
        if cls.__repr__ is not base.__repr__:
            return said_by_class(value, repr, "__repr__")
        return w.written_as(value, next(kind for kind in (list, tuple, dict) if issubclass(base, kind)))

    return written


for _base in BASES.values():
    written_so(_base, _way(_base))
