"""Refuse to call functions that no program can have come by honestly, whoever handed them on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

from ...errors import SpecError
from ..stdlib.builtin_types import constructor
from ..stdlib.function_tools import Partial
from ..stdlib.hints import TypedRow
from ..values.bound_methods import Bound, Unbound
from ..values.classes.sealed_classes import Given, Sealed
from ..values.user_definitions import UserFunction, UserType

_OURS = f"{__package__.partition('.')[0]}."
# Python's own functions: those that are builtins of the language, and the modules all of whose functions are offered.
_BUILTINS = frozenset((len, callable, next, ord, chr, bin, hex, oct, float.fromhex))
_MODULES = frozenset(("cmath", "math", "time"))
_RECORDS = (Bound, Unbound, Partial, TypedRow, staticmethod)


def refusing(function: Any) -> Callable[..., NoReturn]:
    """Return a function that refuses to be called, to stand in for one that the language does not offer."""
    found = getattr(function, "__name__", None)
    name = found if isinstance(found, str) else type(function).__name__

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise SpecError(f"{name} cannot be called in the spec language", code="E205")

    return refuse


def is_offered(function: Any) -> bool:
    """True if a program can have come by a function through what the language offers."""
    while isinstance(function, MethodType):
        function = function.__func__
    kind = type(function)
    if kind is UserFunction or isinstance(kind, UserType) or not callable(function):
        return True
    if kind is BuiltinFunctionType:
        home = function.__self__
        return function in _BUILTINS or (type(home) is ModuleType and home.__name__ in _MODULES)
    if kind is FunctionType:
        # Where it was written: what was made of a function bears the names of that.
        return _from_here(function) or function is copy
    if not isinstance(function, type):
        return isinstance(function, _RECORDS) or kind.__module__.startswith(_OURS)
    if isinstance(function, (UserType, Sealed)) or constructor(function) is not None:
        return True
    return issubclass(function, Exception) or function is OrderedDict or _is_ours(function)


def _is_ours(cls: type) -> bool:
    """True if a class was written in this project, whatever module its name claims."""
    if issubclass(cls, Given) or _written_here(cls) or _written_here(type(cls)):
        return True
    parts = (value for base in cls.__mro__ for value in base.__dict__.values())
    return any(type(part) is FunctionType and _from_here(part) for part in parts)


def _from_here(function: FunctionType) -> bool:
    name: str = function.__globals__["__name__"]
    return name.startswith(_OURS)


def _written_here(cls: type) -> bool:
    return cls.__module__.startswith(_OURS)
