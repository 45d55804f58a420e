"""Values from outside the library: whoever runs a program decides how they are called, read and computed with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_NAMES = ("__module__", "__name__", "__qualname__", "__doc__")


# Of a function's code: that it takes any number of arguments by place.
_TAKES_MORE = 0x04
# The same by name.
_TAKES_NAMES = 0x08


class Signature(NamedTuple):
    """The parameters that a function takes by place and by name alone, their defaults, and whether it takes more."""

    names: tuple[str, ...]
    defaults: Mapping[str, Any]
    takes_more: bool = False
    only_named: tuple[str, ...] = ()
    takes_names: bool = False


class Outside:
    """The way of a library: values from outside are taken as they are."""

    __slots__ = ()

    def guarded(self, function: Any) -> Any:
        """A function that came from outside, as the library may call it."""
        return function

    def signature(self, function: Any) -> Signature | None:
        """The parameters of a function by place, if that is known."""
        if not isinstance(function, FunctionType):
            return None
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        only_named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        by_place = function.__defaults__ or ()
        defaults = dict(zip(names[len(names) - len(by_place) :], by_place, strict=True))
        defaults |= function.__kwdefaults__ or {}
        more, named = bool(code.co_flags & _TAKES_MORE), bool(code.co_flags & _TAKES_NAMES)
        return Signature(names, defaults, more, only_named, named)

    def around(self, function: Any) -> Iterator[Any]:
        """The values of the names around a function whose insides are not Python's."""
        return iter(())

    def attributes(self, function: Any) -> dict[str, Any] | None:
        """The attributes of a callable object, as they can be saved; None of what has none, such as a function."""
        return None if isinstance(function, FunctionType) else dict(function.__dict__)

    def take(self, function: Any, attributes: Mapping[str, Any]) -> None:
        """Give a callable object attributes that were saved."""
        function.__dict__.update(attributes)

    def times(self, a: Any, b: Any) -> Any:
        """A product with a factor that came from outside."""
        return a * b

    def power(self, a: Any, b: Any) -> Any:
        """A power of what came from outside."""
        return a**b

    def entry(self, of: Any, index: Any) -> Any:
        """An entry of what came from outside."""
        return of[index]

    def twin(self, of: Any) -> Any:
        """A copy of an object, with attributes of its own."""
        from copy import copy

        return copy(of)

    def stacks(self, count: int) -> int | None:
        """The size of the stacks on which so many calls wait for each other: 0 for the usual one, None for none."""
        del count
        return 0

    def stack(self) -> Any:
        """The calls that there are now, to come back to them from a stack beside theirs."""
        return None

    def on_stack(self, stack: Any) -> None:
        """Come back to those calls."""

    def generators(self) -> Any:
        """All generators of random numbers that there are, to be set aside, taken up and seeded together."""
        from ..random import everywhere

        return everywhere

    def note(self, text: str) -> None:
        """Say what is done otherwise here: who reads this library's documentation knows."""


class _Now:
    """Who says so now."""

    __slots__ = ("says",)

    def __init__(self) -> None:
        self.says = Outside()


_now = _Now()


def outside() -> Outside:
    """Who says how to take what comes from outside."""
    return _now.says


def let_say(other: Outside) -> Outside:
    """Let another say so; gives the one before."""
    before, _now.says = _now.says, other
    return before


def guarded(function: Any) -> Any:
    """A function that came from outside, as the library may call it."""
    return _now.says.guarded(function)


def entry(of: Any, index: Any) -> Any:
    """An entry of what came from outside."""
    return _now.says.entry(of, index)


def named_after(function: Any, made: F) -> F:
    """Give a wrapper the names of its function; nothing else of it is taken over."""
    for name in _NAMES:
        found = getattr(function, name, None)
        if isinstance(found, str):
            setattr(made, name, found)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made
