"""Methods as values: what ``x.sum`` is before it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.guard.addresses import hash_of
from .standing import value_of
from .tables.table import TABLES
from .visible_types import c_name, name_of, seen_as, word


class Bound:
    """A method of a table, and the value that it belongs to."""

    __slots__ = ("function", "name", "owner")

    def __init__(self, owner: Any, name: str, function: Callable[..., Any]) -> None:
        self.owner = owner
        self.name = name
        self.function = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.owner, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bound) and self.owner is other.owner and self.name == other.name

    def __hash__(self) -> int:
        return hash((hash_of(self.owner), self.name))


class Unbound:
    """A method of a table, as its class has it: ``str.upper``."""

    __slots__ = ("function", "name", "owner")

    def __init__(self, owner: type, name: str, function: Callable[..., Any]) -> None:
        self.owner = owner
        self.name = name
        self.function = function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"unbound method {c_name(self.owner)}.{self.name}() needs an argument")
        if not isinstance(args[0], self.owner) and isinstance(value_of(args[0]), self.owner):
            args = tuple(map(value_of, args))
        if not isinstance(args[0], self.owner):
            raise TypeError(
                f"descriptor '{self.name}' for '{c_name(self.owner)}' objects doesn't apply to a "
                f"'{word(args[0])}' object"
            )
        return self.function(*args, **kwargs)


Bound.__name__ = Bound.__qualname__ = "builtin_function_or_method"
Unbound.__name__ = Unbound.__qualname__ = "method_descriptor"
Bound.__module__ = Unbound.__module__ = "builtins"


def place_of(cls: type, name: str) -> str | None:
    """The class that PyTorch has a method in, where that is written in Python."""
    if name not in TABLES[cls].in_python:
        return None
    base = next((c for c in cls.__mro__ if name in vars(c)), cls)
    return "Module" if base.__name__ == "Holder" else name_of(seen_as(base))
