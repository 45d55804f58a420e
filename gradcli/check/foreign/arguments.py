"""The arguments of someone's function: which of them are moved, and how it is called with them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import InputError


class Arguments:
    """The arguments of a function: an array, several in their order, or several by their names."""

    def __init__(self, function: Callable[..., Any], name: str, given: Any) -> None:
        self.by_name = isinstance(given, Mapping)
        self.as_one = self.by_name and not _takes(function, (), dict(given))
        if self.by_name:
            self.keys: list[Any] = list(given)
            self.values: list[Any] = list(given.values())
            self.names = [str(key) for key in self.keys]
        else:
            several = isinstance(given, tuple)
            self.values = list(given) if several else [given]
            self.keys = list(range(len(self.values)))
            self.names = _parameters(function, len(self.values))
        if not self.values:
            raise InputError(f"{name} is given no input", help="give it arrays: numbers are moved, all else stays")
        positional, named = self.of(self.values)
        if not _takes(function, positional, named):
            takes = f"{name}{inspect.signature(function)}"
            got = ", ".join(self.names) if self.by_name else _count(len(self.values))
            raise InputError(
                f"{takes} cannot be called with {got}",
                help="several arguments are a tuple (x, y), or a dict of names {'x': x, 'y': y}",
            )

    def of(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional arguments and those by name for these values."""
        if not self.by_name:
            return tuple(values), {}
        pairs = dict(zip(self.keys, values, strict=True))
        return ((pairs,), {}) if self.as_one else ((), pairs)


def _count(n: int) -> str:
    return "one argument" if n == 1 else f"{n} arguments"


def _parameters(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first parameters, or their numbers where nobody knows them."""
    try:
        known = [p.name for p in inspect.signature(function).parameters.values() if p.kind in _PLACED]
    except (TypeError, ValueError):
        known = []
    rest = [f"x{i}" for i in range(len(known), count)]
    return ["x"] if count == 1 and not known else [*known[:count], *rest]


_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _takes(function: Callable[..., Any], positional: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Tell whether a function can be called so, as far as it says."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


def name_of(function: Any, default: str = "f") -> str:
    """The name of a function; of a class's method also the class."""
    found = getattr(function, "__name__", None)
    owner = getattr(function, "__self__", None)
    if found == "apply" and isinstance(owner, type):
        return f"{owner.__name__}.apply"
    if found in (None, "<lambda>"):
        return default if found else type(function).__name__
    return str(found)
