"""Calls of the host with what it cannot use, where all that Python says is that this lacks some attribute."""

from __future__ import annotations

import ast
import re
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ...engine.registry import PUBLIC
from ...engine.tensor import Tensor, View
from ...errors import EngineTypeError, GradcliError
from ..guard.cost import declared, parameters
from ..guard.library_calls import is_own
from ..values.bound_methods import Bound, Unbound
from ..values.members import found_in
from ..values.user_definitions import UserType
from ..values.visible_types import built_in, function_name, name_of, word

# What only they have, of what the host may be handed; the arrays in tensors count as tensors.
_OF_TENSORS = frozenset(n for cls in (Tensor, View, np.ndarray) for n in dir(cls) if n[:2] != "__") | {"_a"}
_OF_DTYPES = frozenset(("c_name", "np", "tensor_name"))
_OF_WORDS, _OF_DICTS = frozenset(dir(str)), frozenset(dir(dict))
# What many functions take beside tensors.
_OFTEN_TAKEN = (bool, int, float, str, list, tuple, dict, type(None))


# Where functions are offered whose signatures are known.
_PLACES = ("torch", "F", "linalg", "fft", "special")


def complaint(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception, node: ast.AST
) -> GradcliError | None:
    """The error that PyTorch raises of the arguments of a call that ended in another one; None where it takes them."""
    from .first_steps import of_layers_within

    return of_arguments(function, args, kwargs, node) or of_layers_within(error.__traceback__)


def of_arguments(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST | None = None
) -> GradcliError | None:
    """The same of the arguments themselves."""
    from .first_steps import of_call

    words = of_signatures(function, args, kwargs, node)
    return of_call(function, args, kwargs) if words is None else EngineTypeError(words)


def without_output(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST
) -> GradcliError | None:
    """The error for ``out=`` in a call of what does not take it; None of what does."""
    from ...engine.calls.signatures import takes_output

    keys = _keys(function, node)
    if not keys or takes_output(keys[0]):
        return None
    wrong = of_arguments(function, args, kwargs, node)
    name = keys[0].partition(".")[2]
    return wrong or EngineTypeError(f"{name}() got an unexpected keyword argument 'out'")


def _keys(function: Any, node: ast.AST | None) -> list[str]:
    """The places and names that a function of PyTorch's is offered under, first those that a call names it by."""
    if type(function) in (Bound, Unbound):
        own = isinstance(function.owner, Tensor) or function.owner is Tensor
        return [f"Tensor.{function.name}"] if own else []
    if type(function) is not FunctionType or function.__module__.startswith("gradcli.spec"):
        return []
    offered = (function, declared(function), function.__dict__.get("__wrapped__"))
    called = getattr(node, "func", None)
    place, name = getattr(getattr(called, "value", None), "attr", ""), getattr(called, "attr", "")
    keys = [f"{place}.{name}", *(f"{p}.{n}" for n in (name, function_name(function)) for p in _PLACES)]
    return [
        key for key in dict.fromkeys(keys) for p, _, n in (key.partition("."),)
        if p in _PLACES and n and any(PUBLIC[p].get(n) is f for f in offered)
    ]  # fmt: skip


def of_signatures(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.AST | None = None
) -> str | None:
    """PyTorch's words for arguments that fit no signature of a function that it has in C; None where they fit one."""
    from ...engine.calls.signatures import mistake, signatures

    if type(function) is Unbound:
        if not args or not isinstance(args[0], Tensor):
            return None
        keys, args = _keys(function, node), args[1:]
    else:
        keys = _keys(function, node)
    key = next((key for key in keys if signatures(key)), None)
    if key is None or any(map(_answers_itself, (*args, *kwargs.values()))):
        return None
    if any(each.hides for each in signatures(key)) and _in_the_old_order(args):
        return None
    place, _, name = key.partition(".")
    shown = name if place in ("torch", "F", "Tensor") else f"{place}_{name}"
    return mistake(shown, signatures(key), args, kwargs, word, place == "Tensor")


def _in_the_old_order(args: tuple[Any, ...]) -> bool:
    """Tell whether a factor stands before a tensor, as calls of add() and its like were written once."""
    return len(args) > 1 and isinstance(args[-1], Tensor) and any(isinstance(x, (int, float)) for x in args[:-1])


_STANDING_FOR = frozenset(("__int__", "__float__", "__complex__", "__len__"))


def _answers_itself(value: Any) -> bool:
    """Tell whether an instance of a program's class may stand for something that PyTorch takes."""
    kind = type(value)
    if not isinstance(kind, UserType):
        return False
    return hasattr(kind, "__torch_function__") or not _STANDING_FOR.isdisjoint(found_in(kind))


def told(error: AttributeError, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The words for a call of the host that ended so, or None where the error is not about what it was handed."""
    kinds = (("Tensor", _OF_TENSORS), ("torch.dtype", _OF_DTYPES), ("str", _OF_WORDS), ("dict", _OF_DICTS))
    wanted = next((kind for kind, names in kinds if error.name in names), None)
    name, names = _signature(function)
    if wanted is None or name is None:
        return None
    places = {n: i for i, n in enumerate(names)}
    given = [*enumerate(args), *((places.get(key, -1), value) for key, value in kwargs.items())]
    got = word(error.obj)
    for at, value in given:
        if value is error.obj:
            return f"{name}(): argument{_named(names, at)} must be {wanted}, not {got}"
        if isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                if item is error.obj:
                    return f"{name}(): expected {wanted} as element {i} in argument {at}, but got {got}"
    for at, value in given:
        if not isinstance(value, (Tensor, *_OFTEN_TAKEN)):
            return f"{name}(): argument{_named(names, at)} cannot be {word(value)}"
    return f"{name}(): expected a {wanted} as an argument, but got {got}"


def _signature(function: Any) -> tuple[str | None, tuple[str, ...]]:
    """The name of what was called, if that is of the host, and the names of the arguments that it takes by place."""
    name, skipped = None, 0
    if isinstance(function, (Bound, Unbound)):
        name, skipped, function = function.name, isinstance(function, Bound), function.function
    elif isinstance(function, MethodType):
        skipped, function = 1, function.__func__
    if isinstance(function, FunctionType):
        function = declared(function)
        ours = not function.__module__.startswith("gradcli.spec")
        return (name or function_name(function) if ours else None), parameters(function)[skipped:]
    if isinstance(function, type):
        made: Any = function
        return name_of(function), () if is_own(function) else parameters(made.__init__)[1:]
    return word(function), ()


def _named(names: tuple[str, ...], at: int) -> str:
    """An argument's name and place, as far as they are known."""
    name = "" if not 0 <= at < len(names) else " 'input'" if names[at] == "self" else f" '{names[at]}'"
    return f"{name} (position {at + 1})" if at >= 0 else name


# What Python says of arguments that there are not.
_MISSING = re.compile(r"missing (\d+) required positional arguments?: (.*)")


def in_its_name(words: tuple[Any, ...], function: Any) -> tuple[Any, ...]:
    """Tell what Python says of a call of the host that lacks arguments in the name that the program knows, and of what
    is written in C in PyTorch as that says it."""
    bound = isinstance(function, (Bound, Unbound))
    called = function.function if bound else function
    if type(called) is not FunctionType or len(words) != 1 or not isinstance(words[0], str):
        return words
    inner = declared(called)
    head = f"{inner.__qualname__}() "
    if not words[0].startswith(head) or not inner.__module__.startswith("gradcli.engine."):
        return words
    rest = words[0].removeprefix(head)
    lacking = _MISSING.fullmatch(rest)
    if lacking is not None and built_in(called):
        names = [name.strip("' ") for name in re.split(r",? and |, ", lacking[2])]
        shown = ", ".join([f'"{name}"' for name in names])
        rest = f"missing {lacking[1]} required positional arguments: {shown}"
    return (f"{function.name if bound else function_name(called)}() {rest}",)
