"""The library that somebody's function is of, as its inputs tell it, or the names that it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ...engine.guard.references import codes, enclosed
from ...errors import InputError
from .arguments import name_of
from .function import Library
from .nested import leaves
from .pytorch import is_module, is_tensor, tensor_of, torch
from .with_jax import JaxLibrary, is_array
from .with_numpy import NumpyLibrary
from .with_torch import TorchLibrary

HELP = "give its derivative: grad=, vjp=, jac= or jvp=; functions of PyTorch and JAX have one of their own"


def library_of(
    function: Callable[..., Any],
    given: Any,
    derivatives: Mapping[str, Any],
    name: str = "",
    *,
    train: bool = False,
    held: Collection[str] = (),
    help: str = HELP,
) -> Callable[[str], Library]:
    """Choose the maker of a function's library in "float64", or in its "own" precision; inputs ``held`` do not move."""
    if isinstance(function, type) and hasattr(function, "apply") and hasattr(function, "backward"):
        # A custom Function by its class.
        name, function = name or function.__name__, function.apply
    chosen = {kind: value for kind, value in derivatives.items() if value is not None}
    if len(chosen) > 1:
        raise InputError(f"there are several derivatives: {', '.join(chosen)}", help="give one of them")
    if not callable(function):
        raise InputError(f"{name or type(function).__name__} is no function", help="give what is to be called")
    for kind, derivative in chosen.items():
        if not callable(derivative) and not (kind == "grad" and derivative is True):
            raise InputError(f"{kind}= is no function: {type(derivative).__name__}", help=f"give {kind}=df, uncalled")
        return lambda dtype: NumpyLibrary(function, given, kind, derivative, name, dtype=dtype, held=held)
    values = [given]
    if isinstance(given, (Mapping, tuple)):
        values = list(given.values() if isinstance(given, Mapping) else given)
    values = [leaf for x in values for leaf in leaves(x)]
    if is_module(function) or any(map(is_tensor, values)):
        return lambda dtype: TorchLibrary(function, given, name, dtype=dtype, train=train, held=held)
    if any(map(is_array, values)) or type(function).__module__.startswith("jax"):
        return lambda dtype: JaxLibrary(function, given, name, dtype=dtype, held=held)
    used = libraries_of(function)
    if "torch" in used:
        made, numbers = _tensors(given)
        return lambda dtype: TorchLibrary(function, made, name, dtype=dtype, train=train, numbers=numbers, held=held)
    if "jax" in used:
        return lambda dtype: JaxLibrary(function, given, name, dtype=dtype, held=held)
    raise InputError(f"there is no gradient of {name or name_of(function)} to check", help=help, code="G114")


_FAMILIAR = ("torch", "jax", "numpy", "scipy", "gradcli")


def is_own(used: set[str]) -> bool:
    """Tell whether a function that uses these libraries is of gradcli's own tensors."""
    return "gradcli" in used and used.isdisjoint(("torch", "jax"))


def libraries_of(function: Any) -> set[str]:
    """The libraries that a function is of, by what it and the functions that it calls refer to, or by its module."""
    used = used_by(function)
    # A function that asks NumPy, and no other library, is one of NumPy whatever else its module has.
    if used.isdisjoint(_FAMILIAR):
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        imported = [x for x in (vars(module).values() if module else ()) if isinstance(x, ModuleType)]
        used = {home for x in imported for home in _homes(x)}
    return used & {"torch", "jax", "gradcli"}


def used_by(function: Any) -> set[str]:
    """The libraries that a function and the functions that it calls refer to."""
    used: set[str] = set()
    seen: dict[int, Any] = {}
    left = [function]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        homes = _homes(one)
        used |= homes
        # What a library is made of says nothing of whoever calls it.
        if homes.isdisjoint(_FAMILIAR):
            left += _inner(one)
            left += _referred(one) if homes.isdisjoint(sys.stdlib_module_names) else ()
    return used


def _homes(x: Any) -> set[str]:
    """The libraries that an object is of: by the name of its module, or by its class."""
    name = x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None)
    classes = x.__mro__ if isinstance(x, type) else type(x).__mro__
    # An array of NumPy's is a number to any library.
    found = {cls.__module__.partition(".")[0].replace("jaxlib", "jax") for cls in classes} & {"torch", "jax"}
    return {*found, name.partition(".")[0]} if isinstance(name, str) else found


def _inner(x: Any) -> list[Any]:
    """The functions that run where an object is called."""
    call = None if isinstance(x, type) else getattr(type(x), "__call__", None)  # noqa: B004
    inner = [getattr(x, name, None) for name in ("__func__", "__wrapped__", "func")]
    return [*(f for f in inner if callable(f)), *([call] if isinstance(call, FunctionType) else [])]


def _referred(x: Any) -> Iterator[Any]:
    """The objects that the names in a function stand for, and the modules that it imports itself."""
    if not isinstance(x, FunctionType):
        return
    held = {**x.__globals__, **dict(enclosed(x))}
    for code in codes(x):
        for name in (*code.co_names, *code.co_freevars):
            first = name.partition(".")[0]
            if name in held or first in _FAMILIAR:
                yield held[name] if name in held else sys.modules.get(first)


def _tensors(given: Any) -> tuple[Any, list[Any]]:
    """The same with tensors for arrays and floats, and those of them that are for single numbers."""
    if isinstance(given, Mapping):
        made, numbers = _tensors(tuple(given.values()))
        return dict(zip(given, made, strict=True)), numbers
    if not isinstance(given, tuple):
        (made,), numbers = _tensors((given,))
        return made, numbers
    made = tuple(map(_tensor, given))
    return made, [t for t, x in zip(made, given, strict=True) if is_tensor(t) and not is_tensor(x) and t.dim() == 0]


def _tensor(x: Any) -> Any:
    if isinstance(x, (float, complex)):
        return torch().as_tensor(x, dtype=torch().complex128 if isinstance(x, complex) else torch().float64)
    return tensor_of(np.asarray(x)) if hasattr(x, "__array__") and not is_tensor(x) else x
