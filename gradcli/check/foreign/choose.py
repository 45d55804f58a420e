"""The library that somebody's function is of, as its inputs tell it, or the names that it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

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
    help: str = HELP,
) -> Callable[[str], Library]:
    """Choose the maker of a function's library in "float64", or in its "own" precision."""
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
        return lambda dtype: NumpyLibrary(function, given, kind, derivative, name, dtype=dtype)
    values = [given]
    if isinstance(given, (Mapping, tuple)):
        values = list(given.values() if isinstance(given, Mapping) else given)
    values = [leaf for x in values for leaf in leaves(x)]
    if is_module(function) or any(map(is_tensor, values)):
        return lambda dtype: TorchLibrary(function, given, name, dtype=dtype, train=train)
    if any(map(is_array, values)) or type(function).__module__.startswith("jax"):
        return lambda dtype: JaxLibrary(function, given, name, dtype=dtype)
    used = libraries_of(function)
    if "torch" in used:
        return lambda dtype: TorchLibrary(function, _tensors(given), name, dtype=dtype, train=train)
    if "jax" in used:
        return lambda dtype: JaxLibrary(function, given, name, dtype=dtype)
    raise InputError(f"there is no gradient of {name or name_of(function)} to check", help=help, code="G114")


def libraries_of(function: Any) -> set[str]:
    """The libraries that a function is of, by the names in it and in its module."""
    held = getattr(getattr(function, "__func__", function), "__globals__", None)
    if held is None and getattr(function, "__self__", None) is not None:
        module = sys.modules.get(getattr(function.__self__, "__module__", ""))
        held = vars(module) if module is not None else {}
    modules = {key: x.__name__.partition(".")[0] for key, x in (held or {}).items() if isinstance(x, ModuleType)}
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    own = {modules[key] for key in getattr(code, "co_names", ()) if key in modules}
    # A function that itself asks NumPy, and no other library, is one of NumPy whatever else its module has.
    found = own if "numpy" in own else {*modules.values()}
    return {name for name in ("torch", "jax") if name in found}


def _tensors(given: Any) -> Any:
    """The same with tensors for arrays and floats."""
    if isinstance(given, Mapping):
        return {key: _tensor(x) for key, x in given.items()}
    return tuple(map(_tensor, given)) if isinstance(given, tuple) else _tensor(given)


def _tensor(x: Any) -> Any:
    if isinstance(x, (float, complex)):
        return torch().as_tensor(x, dtype=torch().complex128 if isinstance(x, complex) else torch().float64)
    return tensor_of(np.asarray(x)) if hasattr(x, "__array__") and not is_tensor(x) else x
