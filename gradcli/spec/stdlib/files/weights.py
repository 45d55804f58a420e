"""Weights only, as torch.load() reads them: the names in a pickle, in their order, and which are allowed."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator
from enum import Enum
from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from .... import serialization
from ....engine.dtypes import dtype
from ....engine.memory.places import Device, Layout
from ....engine.registry import PUBLIC
from ....engine.tensor import Size, Tensor
from ...guard.size_limits import caps
from ...torch_names.namespaces import NAMESPACES
from ...values.bound_methods import Bound
from ...values.classes.making_classes import made_by_class
from ...values.classes.sealed_classes import opened
from ...values.user_definitions import UserFunction, UserType
from ...values.visible_types import built_in, full_name, function_name, seen_as
from .pickles import Pickle, Told, unpickling_error

_PLAIN = (int, float, str, bool, type(None), complex, bytes, bytearray, dtype, Device, Layout, Size)
_BY_CLASS = (copyreg.__newobj__, made_by_class)  # type: ignore[attr-defined]
# What is told by another name than that of its class.
_OTHERWISE = {"pathlib.Path": "pathlib.PosixPath", "builtins.ellipsis": "builtins.Ellipsis"}
# Where functions are, by the tables of ours that have them.
_PLACES = {"torch": "torch", "F": "torch.nn.functional", "linalg": "torch.linalg", "special": "torch.special"}
_LIBRARIES = ("numpy", "math", "torch.nn.init")
_ALLOWED = frozenset((
    "collections.OrderedDict", "collections.Counter", "builtins.bytearray", "builtins.complex", "builtins.set",
    "torch.nn.parameter.Parameter", "torch.Size", "torch.Tensor", "torch.device", "torch.layout",
))  # fmt: skip


class _Name(NamedTuple):
    """A class or a function by its full name."""

    path: str


class _Deed(NamedTuple):
    """Something done to an object of a class, in words; a program can allow it only where it is ``open``."""

    words: str
    path: str
    open: bool


_Step = _Name | _Deed


def check(pickle: Pickle) -> None:
    """Raise PyTorch's error for the first thing in a pickle that is none of the allowed ones."""
    allowed = _ALLOWED | _allowed_by_program().keys()
    for step in _steps(pickle.root, set()):
        if isinstance(step, _Name):
            if step.path not in allowed:
                raise refusal(serialization.unsupported(step.path.removeprefix("builtins.")))
        elif not (step.open and step.path in allowed):
            raise refusal(f"{step.words}, but got <class '{step.path.removeprefix('builtins.')}'>")


def refusal(message: str) -> Exception:
    """The error of a file that holds more than weights."""
    return unpickling_error(serialization.refused(message))


def unsafe_names(pickle: Pickle) -> list[str]:
    """The full names in a pickle that are not allowed."""
    allowed = _ALLOWED | _allowed_by_program().keys()
    names = {step.path: None for step in _steps(pickle.root, set()) if isinstance(step, _Name)}
    return [name for name in names if name not in allowed]


def _allowed_by_program() -> dict[str, Any]:
    found: dict[str, Any] = caps.library("torch.serialization")["_by_name"]()
    return found


def _steps(value: Any, seen: set[int]) -> Iterator[_Step]:
    """All that a pickle of a value names, and does, in the order of the pickle."""
    kind = type(value)
    if kind in _PLAIN or id(value) in seen:
        return
    seen.add(id(value))
    caps.tick(1)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _steps(key, seen)
            yield from _steps(item, seen)
    elif kind in (list, tuple, set, frozenset):
        if kind is frozenset:
            yield _Name("builtins.frozenset")
        for item in value:
            yield from _steps(item, seen)
    elif kind is Told:
        yield from _of_object(value, seen)
    elif isinstance(value, Tensor):
        if isinstance(kind, UserType):
            yield _Name(path_of(kind))
    elif isinstance(value, (np.ndarray, np.generic, np.dtype)):
        yield from _of_numpy(value)
    elif isinstance(value, Enum):
        yield _Name(path_of(kind))
        yield from _steps(value.value, seen)
    elif isinstance(value, (MethodType, Bound)):
        yield _Name("builtins.getattr")
    elif isinstance(value, type) or callable(value):
        yield _Name(path_of(value))
    else:
        yield _Name(path_of(kind))


def _of_object(told: Told, seen: set[int]) -> Iterator[_Step]:
    of_class = next((True for make in _BY_CLASS if told.make is make), False)
    path = path_of(told.args[0] if of_class else told.make)
    yield _Name(path)
    for part in told.args[of_class:]:
        yield from _steps(part, seen)
    for part in told.items or ():
        yield from _steps(part, seen)
    if told.items:
        yield _Deed(f"Can only {'append to' if len(told.items) == 1 else 'extend'} lists", path, False)
    for pair in told.pairs or ():
        yield from _steps(pair, seen)
    if told.pairs:
        deed = "SETITEM" if len(told.pairs) == 1 else "SETITEMS"
        yield _Deed(f"Can only {deed} for dict, collections.OrderedDict, collections.Counter", path, False)
    yield from _steps(told.state, seen)


def _of_numpy(value: Any) -> Iterator[_Step]:
    """The names with which an array, a number or an element type of NumPy's is pickled."""
    of = value if isinstance(value, np.dtype) else value.dtype
    if isinstance(value, np.ndarray):
        yield _Name("numpy._core.multiarray._reconstruct")
        yield _Name("numpy.ndarray")
    elif value is not of:
        yield _Name("numpy._core.multiarray.scalar")
    yield _Name("numpy.dtype")
    words = "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`"
    yield _Deed(words, f"numpy.dtypes.{type(of).__name__}", True)


def path_of(value: Any) -> str:
    """The full name of a class or a function, as a pickle has it."""
    value = opened(value)
    if value is type(None):
        return "builtins.type"
    if isinstance(value, type):
        name = full_name(seen_as(value))
        if isinstance(value, UserType) and name.startswith("__main__."):
            name = f"__main__.{value.__qualname__}"
        if "." not in name:
            name = f"{'exceptions' if issubclass(value, Exception) else 'builtins'}.{name}"
        return _OTHERWISE.get(name, name)
    if isinstance(value, UserFunction):
        return f"{caps.builtins['getattr'](value, '__module__')}.{value.__qualname__}"
    return _path_of_function(value)


def _path_of_function(function: Any) -> str:
    name = function_name(function) if hasattr(function, "__name__") else type(function).__name__
    behind = getattr(function, "__wrapped__", function)
    for place, module in _PLACES.items():
        if PUBLIC[place].get(name) in (function, behind):
            return "builtins.getattr" if module == "torch" and built_in(function) else f"{module}.{name}"
    module = next((module for module in _LIBRARIES if NAMESPACES[module].find(name) is function), "builtins")
    return f"{module}.{name}"
