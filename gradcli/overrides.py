"""torch.overrides: classes that say what functions make of their objects, and blocks that see every call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from .engine.dispatch.overriding import (
    BaseTorchFunctionMode as BaseTorchFunctionMode,
    TorchFunctionMode as TorchFunctionMode,
    asked as _asked,
    engage,
    function_modes,
    handled,
)
from .engine.modes import enable_grad
from .engine.offers import names
from .engine.tensor import Tensor

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_overridable_functions",
    "handle_torch_function",
    "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip

engage()

# The modules of functions, as users know them.
_PLACES = {
    "torch": "", "torch.nn.functional": ".nn.functional", "torch.linalg": ".linalg", "torch.fft": ".fft",
    "torch.special": ".special",
}  # fmt: skip
_OFFERED = {"torch": "torch", "torch.nn.functional": "F", "torch.linalg": "linalg", "torch.fft": "fft",
            "torch.special": "special"}  # fmt: skip


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Tell whether a class of these values, or a mode, is to be asked."""
    return bool(function_modes()) or bool(_asked(relevant_args))


def has_torch_function_unary(value: Any) -> bool:
    """Tell whether the class of a value, or a mode, is to be asked."""
    return has_torch_function((value,))


def has_torch_function_variadic(*values: Any) -> bool:
    """Tell whether a class of these values, or a mode, is to be asked."""
    return has_torch_function(values)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], /, *args: Any, **kwargs: Any) -> Any:
    """Let a mode, or else the classes of the arguments, answer a call of the program's own function."""
    return handled(public_api, _asked(relevant_args), args, kwargs, function_modes())


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Any], Any]:
    """A decorator of a function whose arguments are asked first; ``dispatcher`` tells which of them."""

    def wrap(function: Any) -> Any:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(called, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return called

    return wrap


def enable_reentrant_dispatch() -> Any:
    """A block in which a class that answers for an op may record what it computes."""
    return enable_grad()


def is_tensor_like(inp: Any) -> bool:
    """Tell whether a value is a tensor, or of a class that says what functions make of it."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Tell whether a function is a method of tensors, or reads one of their properties."""
    return func in _methods() or getattr(func, "__name__", None) == "__get__"


def resolve_name(f: Any) -> str | None:
    """The name that users know a function by, or None."""
    if isinstance(f, str):
        return f
    return next((name for module, each in _public() for name in [f"{module}.{each[0]}"] if each[1] is f), None)


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that classes and modes are asked about: a module, or Tensor -> its functions."""
    found: dict[Any, list[Callable[..., Any]]] = {}
    for module, (_, function) in _public():
        found.setdefault(Tensor if module == "torch.Tensor" else _module(module), []).append(function)
    return found


def _module(place: str) -> ModuleType:
    from importlib import import_module

    return import_module(__package__ + _PLACES[place])


def _public() -> Iterable[tuple[str, tuple[str, Any]]]:
    for place, offered in _OFFERED.items():
        module = _module(place)
        for name in sorted(names(offered)):
            function = getattr(module, name)
            if callable(function) and not name.startswith("_"):
                yield place, (name, function)
    for name in sorted(names("Tensor")):
        if callable(getattr(Tensor, name)):
            yield "torch.Tensor", (name, getattr(Tensor, name))


@functools.cache
def _methods() -> frozenset[Any]:
    return frozenset(function for place, (_, function) in _public() if place == "torch.Tensor")


def _get_current_function_mode() -> Any:
    """The innermost of the modes that the program is in, or None."""
    return next(reversed(function_modes()), None)


def _get_current_function_mode_stack() -> list[Any]:
    """The modes that the program is in, the innermost last."""
    return list(function_modes())
