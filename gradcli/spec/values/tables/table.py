"""A table of attributes, and the registry of all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from types import FunctionType
from typing import Any

Method = Callable[..., Any]
Getter = Callable[[Any], Any]
Setter = Callable[[Any, Any], None]

MISSING: Any = object()

_HERE = __name__.rpartition(".")[0]


class Methods(dict[str, Method]):
    """Methods by name; None for a name that is none. What is loaded on demand is kept."""

    __slots__ = ("load",)

    def __init__(self, methods: Mapping[str, Method], load: Callable[[str], Method | None] | None) -> None:
        super().__init__(methods)
        self.load = load

    def __missing__(self, name: str) -> Any:
        if self.load is None:
            return None
        method = self.load(name)
        if method is not None:
            self[name] = method
        return method

    def get(self, name: str, default: Any = None) -> Any:
        """The method of a name, or the default."""
        method = self[name]
        return default if method is None else method


class Table:
    """The methods and attributes that a program may use of values of one type."""

    __slots__ = (
        "deleters", "extra", "fields", "find", "free", "hidden", "in_python", "later", "methods", "setters", "statics",
    )  # fmt: skip

    methods: Methods
    fields: dict[str, Getter]
    setters: dict[str, Setter]
    deleters: dict[str, Callable[[Any], None]]
    # What the class itself has to be called on: ``dict.fromkeys``.
    statics: dict[str, Method]
    # The names of methods that are loaded on demand, and of those that PyTorch has in Python.
    later: frozenset[str]
    in_python: frozenset[str]
    # Whether values have a dictionary of their own for a program's attributes; what in it is none of its business.
    free: bool
    hidden: frozenset[str]
    # Attributes that depend on the value: how one is found, and how they are called.
    find: Callable[[Any, str], Any] | None
    extra: Callable[[Any], list[str]] | None

    def __init__(self, base: Table | None) -> None:
        self.methods = Methods(base.methods if base else {}, base.methods.load if base else None)
        self.fields = dict(base.fields) if base else {}
        self.setters = dict(base.setters) if base else {}
        self.deleters = dict(base.deleters) if base else {}
        self.statics = dict(base.statics) if base else {}
        self.later = base.later if base else frozenset()
        self.in_python = base.in_python if base else frozenset()
        self.free = base.free if base else False
        self.hidden = base.hidden if base else frozenset()
        self.find = base.find if base else None
        self.extra = base.extra if base else None


# Who makes the tables of the classes of a room or a module.
_READERS = {
    "nn": "modules", "nn.utils.rnn": "packed", "optim": "optimisers", "utils": "loading", "engine.finfo": "machinery",
    "engine.amp.autocast_mode": "machinery", "engine.amp.grad_scaler": "machinery",
    "engine.walk.saved_tensors_hooks": "graphs",
}  # fmt: skip


class Tables(dict[type, Table]):
    """Tables by type; a type that has none has that of the nearest of its bases that has one."""

    def __missing__(self, cls: type) -> Table:
        for base in cls.__mro__:
            table = self[base] if base in self else self.derived(base)
            if table is not None:
                # A class that a program made goes away again, and must not be kept here.
                if _reader_of(cls) is not None:
                    self[cls] = table
                return table
        raise KeyError(cls)

    def derived(self, cls: type) -> Table | None:
        """The table of a class of a room that is read only when it is used, or None."""
        reader = _reader_of(cls)
        if reader is None:
            return None
        from importlib import import_module

        found: Table | None = import_module(f".{reader}", __package__).table_of(cls)
        if found is not None:
            self[cls] = found
        return found


def _reader_of(cls: type) -> str | None:
    """Who makes the table of a class that is ours, or None."""
    _, _, place = cls.__module__.partition(".")
    reader = _READERS.get(place) or _READERS.get(place.partition(".")[0])
    if reader is None or getattr(sys.modules.get(cls.__module__), cls.__name__, None) is not cls:
        return None
    return reader


TABLES = Tables()


def declare(
    cls: type,
    *,
    base: type | None = None,
    methods: Mapping[str, Method] | None = None,
    fields: Mapping[str, Getter] | None = None,
) -> Table:
    """Make the table of a type, which has all that its base's table has."""
    table = TABLES[cls] = Table(TABLES[base] if base else None)
    for name, method in (methods or {}).items():
        if isinstance(method, FunctionType) and method.__module__.startswith(_HERE):
            # What Python says when the arguments do not fit.
            method.__name__, method.__qualname__ = name, f"{cls.__name__}.{name}"
        table.methods[name] = method
    table.fields.update(fields or {})
    return table


# What every table goes back to.
declare(object)


def own_methods(cls: type, names: str) -> dict[str, Method]:
    """Methods as their class has them."""
    return {name: getattr(cls, name) for name in names.split()}


def attributes(names: str) -> dict[str, Getter]:
    """Attributes that are read as they are."""
    return {name: attrgetter(name) for name in names.split()}


def constant(value: Any) -> Getter:
    """An attribute that is the same for all values."""
    return lambda _: value
