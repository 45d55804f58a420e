"""Functions that come from outside: whoever runs a program may put a way of calling of its own before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Guard = Callable[[Any], Any]

_NAMES = ("__name__", "__qualname__", "__doc__")


def as_it_is(function: Any) -> Any:
    """The function itself: in a library nobody stands before it."""
    return function


class _Calling:
    """How functions from outside are called now."""

    __slots__ = ("guard",)

    def __init__(self) -> None:
        self.guard: Guard = as_it_is


_calling = _Calling()


def guard_with(guard: Guard) -> Guard:
    """Have a guard make what is called in the place of a function; gives the guard there was."""
    before, _calling.guard = _calling.guard, guard
    return before


def guarded(function: Any) -> Any:
    """A function that came from outside, as the engine may call it."""
    return _calling.guard(function)


def named_after(function: Any, made: F) -> F:
    """What was made of a function, under its names; nothing else of it is taken over."""
    for name in _NAMES:
        found = getattr(function, name, None)
        if isinstance(found, str):
            setattr(made, name, found)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made
