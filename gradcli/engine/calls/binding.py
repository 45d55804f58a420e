"""Binding arguments, by place and by name, for calls that are not written in the short way."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...errors import EngineTypeError
from ..declaration import ALIASES, IN_PYTHON

if TYPE_CHECKING:
    from ..registry import Op

Bind = Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, ...]]

# NumPy's names of arguments, and PyTorch's for the same.
NUMPY_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
}  # fmt: skip

# The flag of a function with ``**``.
_TAKES_ANY_NAME = 0x08


def in_torch_names(function: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments under the names that a function of the engine declares, where NumPy's were given."""
    names = _names_in_c(function)
    return {
        own if name not in names and (own := NUMPY_NAMES.get(name, name)) in names else name: value
        for name, value in kwargs.items()
    }


def understanding(function: Any) -> Any:
    """A method that understands NumPy's name of an axis, where the function itself knows PyTorch's alone."""
    if not isinstance(function, FunctionType):
        return function
    code, op = function.__code__, getattr(function, "op", None)
    named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & _TAKES_ANY_NAME or "dim" not in named or (op is not None and op.kind != "composite"):
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **(in_torch_names(function, kwargs) if kwargs else kwargs))

    return call


@functools.cache
def _names_in_c(function: Any) -> tuple[str, ...]:
    """The names of the arguments of a function that PyTorch has in C."""
    from ..registry import PUBLIC

    # It may stand behind a door, or be made of another.
    layers = _layers_of(function)
    only_here = _is_among(layers, PUBLIC["F"]) and not _is_among(layers, PUBLIC["torch"])
    if only_here or any(f in IN_PYTHON for f in layers):
        return ()
    # A function that writes its result takes what the one takes that returns it.
    function = PUBLIC["Tensor"].get(function.__name__.removesuffix("_"), function)
    op, code = getattr(function, "op", None), _layers_of(function)[-1].__code__
    names = op.parameters if op else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return (*names, "input") if "self" in names else names


def _is_among(layers: list[Any], names: dict[str, Any]) -> bool:
    return any(f in names.values() for f in layers)


def _layers_of(function: Any) -> list[Any]:
    """A function, the one that it calls in its place, and so on."""
    layers = [function]
    while (inner := getattr(layers[-1], "__wrapped__", None)) is not None:
        layers.append(inner)
    return layers


def binder(op: Op, rest: bool = False) -> Bind:
    """All arguments of an op in order, or those after the first, from what was given by place, by name or not."""
    names = op.parameters[1:] if rest else op.parameters
    before = 1 if rest else 0
    most = op.positional - before
    defaults = op.defaults

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if len(args) > most:
            raise EngineTypeError(
                f"{op.name}() takes {op.positional} positional arguments but {len(args) + before} were given"
            )
        found = dict(zip(names, args, strict=False))
        for k, v in kwargs.items():
            k = k if k in names else ALIASES.get(NUMPY_NAMES.get(k, k), NUMPY_NAMES.get(k, k))
            if k not in names:
                raise EngineTypeError(f"{op.name}() got an unexpected keyword argument '{k}'")
            if k in found:
                raise EngineTypeError(f"{op.name}() got multiple values for argument '{k}'")
            found[k] = v
        missing = [n for n in names if n not in found and n not in defaults]
        if missing:
            listed = ", ".join(f'"{"input" if n == "self" else n}"' for n in missing)
            # PyTorch's own words: of one argument it speaks as of several.
            s = "s" if len(missing) == 1 else ""
            raise EngineTypeError(f"{op.name}() missing {len(missing)} required positional argument{s}: {listed}")
        return tuple([found[n] if n in found else defaults[n] for n in names])

    return bind


def in_todays_order(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of an old call, whose factor stands before the tensors: it stands behind them today."""
    factor, others = op.parameters[-1], op.parameters[1:-1]
    tensors = ", ".join(f"Tensor {name}" for name in others)
    warnings.warn(
        f"This overload of {op.name} is deprecated:\n\t{op.name}(Number {factor}, {tensors})\nConsider using one of "
        f"the following signatures instead:\n\t{op.name}({tensors}, *, Number {factor} = 1)",
        UserWarning,
        stacklevel=4,
    )
    number = args[1]
    return (args[0], *args[2:], number if isinstance(number, (int, float, complex)) else number.item())


def written(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call that was given ``out=`` among its keyword arguments: what it computes is written there."""
    rest = {name: value for name, value in kwargs.items() if name != "out"}
    if kwargs["out"] is None:
        return call(*args, **rest)
    from .given_outputs import into

    return into(call.__name__, call, kwargs["out"], args, rest)
