"""The arguments that a function takes: read of the function, which is never called for it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from .library_calls import is_own


def declared(function: Any) -> Any:
    """The function that stands behind those that Python's programs find: its cost is declared under its own name."""
    while type(behind := function.__dict__.get("__wrapped__")) is FunctionType:
        function = behind
    return function


def parameters(function: Any) -> tuple[str, ...]:
    """The names of the arguments that a function takes by place."""
    # A program's own function may have any attributes.
    op = None if is_own(function) else getattr(function, "op", None)
    if op is not None:
        return op.parameters[: op.positional]  # type: ignore[no-any-return]
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount]


def arguments(function: Any) -> tuple[str, ...]:
    """The names of all arguments that a function takes, by place or by name."""
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
