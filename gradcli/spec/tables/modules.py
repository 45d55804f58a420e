"""Modules: their public methods, and the parameters, buffers, submodules and other data that they hold."""

from __future__ import annotations

from types import FunctionType, GeneratorType
from typing import Any

from ...nn.holder import PARAMETRIZATIONS, Holder
from ..iteration import Generator
from .table import MISSING, TABLES, Method, Table, attributes, constant

_KINDS = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.nn, or None."""
    if not issubclass(cls, Holder):
        return None
    table = with_public(Table(TABLES[object]), cls)
    table.methods["_get_name"] = _get_name
    table.in_python = frozenset(table.methods)
    table.fields.update(attributes(" ".join(_KINDS)))
    if hasattr(cls, "all_weights"):
        table.fields.update(attributes("all_weights"))
    table.free = True
    # What a module keeps account in, and its methods that are none of PyTorch's.
    table.hidden = frozenset(("_transient", *_KINDS, *_HOOKS, *private(cls)))
    table.find, table.extra = _member, _members
    return table


def with_public(table: Table, cls: type) -> Table:
    """A table with all public methods of a class of our own, which are PyTorch's."""
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if name.startswith("_"):
                continue
            if isinstance(value, FunctionType):
                table.methods[name] = _giving_iterators(value)
            elif isinstance(value, classmethod):
                table.statics[name] = getattr(cls, name)
            elif isinstance(value, staticmethod):
                table.statics[name] = value.__func__
                table.fields[name] = constant(value.__func__)
    return table


def private(cls: type) -> list[str]:
    """The names of a class of our own that are no business of a program."""
    return [name for name in dir(cls) if name.startswith("_")]


def _giving_iterators(function: Any) -> Method:
    """A method that gives no host's generator to a program."""
    if function.__code__.co_flags & 0x20 == 0 and function.__name__ not in ("values", "items"):
        found: Method = function
        return found

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = function(self, *args, **kwargs)
        return Generator(found, function.__qualname__) if isinstance(found, GeneratorType) else found

    method.__name__, method.__qualname__ = function.__name__, function.__qualname__
    return method


def _get_name(self: Any) -> str:
    name = type(self).__name__
    return f"Parametrized{name}" if PARAMETRIZATIONS in self._modules else name


def _member(module: Any, name: str) -> Any:
    """A parameter, buffer or submodule, or what is computed of them."""
    state = module.__dict__
    for kind in _KINDS:
        held = state.get(kind)
        if held and name in held:
            return held[name]
    computed = state.get("_modules", {}).get(PARAMETRIZATIONS)
    return computed[name]() if computed is not None and name in computed else MISSING


def _members(module: Any) -> list[str]:
    return [name for kind in _KINDS for name in module.__dict__.get(kind, ())]
