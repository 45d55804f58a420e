"""Special methods by their names, of values that are not the program's own: each does what its operator does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..guard.size_limits import CONSTRUCTORS, caps
from .classes.sealed_classes import opened
from .user_definitions import UserType
from .visible_types import word

# Special method -> the function of `operator` that does the same.
_OPERATORS = {
    "getitem": "getitem", "setitem": "setitem", "delitem": "delitem", "contains": "contains",
    "sub": "sub", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod", "pow": "pow",
    "matmul": "matmul", "neg": "neg", "pos": "pos", "abs": "abs", "invert": "invert", "and": "and_", "or": "or_",
    "xor": "xor", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
}  # fmt: skip
# Of these the form with its operands the other way round, and the one that writes to the first.
_REFLECTED = {"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"}
# And those of Python's builtins that do what theirs do.
_BUILTINS = {"len", "iter", "next", "hash", "repr"}
_BY_THEIR_NAMES = {"divmod", "round"}
_TYPES: dict[str, type] = {"str": str, "bool": bool, "int": int, "float": float}


def operation(name: str) -> Callable[..., Any] | None:
    """The function that does what a special method does, or None for a name that is not offered so."""
    word = name[2:-2]
    if word in ("add", "mul"):
        return caps.add if word == "add" else caps.times
    if word in _OWN:
        return _OWN[word]
    if word in _OPERATORS:
        return caps.library("operator").get(_OPERATORS[word])
    if word[1:] in _REFLECTED and word[0] in "ri":
        return _reflected(word[1:]) if word[0] == "r" else caps.library("operator").get(word)
    if word in _BY_THEIR_NAMES:
        return caps.builtins[word]  # type: ignore[no-any-return]
    if word in _BUILTINS:
        return caps.library("operator").get(f"_{word}")
    return CONSTRUCTORS[_TYPES[word]] if word in _TYPES else None


def _reflected(word: str) -> Callable[[Any, Any], Any]:
    operate: Any = operation(f"__{word}__")
    return lambda a, b: operate(b, a)


def _called(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return caps.guarded(function)(*args, **kwargs)


def _entered(manager: Any) -> Any:
    from ..stdlib.contexts import protocol

    return protocol(manager)[0]()


def _left(manager: Any, /, *error: Any) -> Any:
    from ..stdlib.contexts import protocol

    return protocol(manager)[1](*error)


def _formatted(value: Any, spec: Any, /) -> str:
    from .formatting import formatted

    if not isinstance(spec, str):
        raise TypeError(f"__format__() argument must be str, not {word(spec)}")
    return formatted(value, spec)


# Those that are functions of ours.
_OWN: dict[str, Callable[..., Any]] = {"call": _called, "enter": _entered, "exit": _left, "format": _formatted}


def has_method(cls: type, name: str) -> bool:
    """True if a class, be it the program's or not, has a special method, and does not say that it has none."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None) is not None


def has(value: Any, name: str) -> bool:
    """True if Python can do with a value what a special method stands for."""
    if isinstance(value, type) and name == "__call__":
        return True
    kind = opened(value) if isinstance(value, type) else type(value)
    return any(base.__dict__.get(name) is not None for base in kind.__mro__ if not isinstance(base, UserType))
