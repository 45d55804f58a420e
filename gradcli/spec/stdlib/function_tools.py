"""functools: functions of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..guard.size_limits import caps, charged
from ..values.classes.sealed_classes import known_as
from ..values.show import Writer, written_so
from ..values.tables.table import attributes, declare
from ..values.user_definitions import MISSING, NOTED, UserFunction, UserType, declared, put_in
from .iteration import iterate

Table = dict[str, Any]


class Partial:
    """A function with some of its arguments."""

    __slots__ = ("__dict__", "args", "func", "keywords")
    func: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]

    def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if type(func) is Partial and not func.__dict__:
            # One that is called through no other.
            args, keywords, func = (*func.args, *args), {**func.keywords, **keywords}, func.func
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        return caps.guarded(self.func)(*self.args, *args, **{**self.keywords, **keywords})


def _shown(writer: Writer, made: Partial, how: Any) -> str:
    given = [writer.repr(value) for value in (made.func, *made.args)]
    given += [f"{name}={writer.repr(value)}" for name, value in made.keywords.items()]
    return f"functools.partial({', '.join(given)})"


known_as(Partial, "partial", "functools")
written_so(Partial, _shown)
declare(
    Partial, base=object, fields={**attributes("func args"), "keywords": lambda made: dict(made.keywords)}
).free = True
_NONE: Any = object()


def _reduce(function: Any, iterable: Any, initial: Any = _NONE, /) -> Any:
    call = caps.guarded(function)
    values = charged(iterate(iterable))
    found = next(values, _NONE) if initial is _NONE else initial
    if found is _NONE:
        raise TypeError("reduce() of empty iterable with no initial value")
    for value in values:
        found = call(found, value)
    return found


def _wraps(wrapped: Any) -> Callable[[Any], Any]:
    """A decorator that gives a function the name, the words and the annotations of another."""
    from ..values.annotations import noted
    from ..values.members import NAMED_AFTER, get

    def told(name: str) -> Any:
        try:
            return get(wrapped, name)
        except AttributeError:
            return None

    def rename(function: Any) -> Any:
        if isinstance(function, UserFunction):
            for name in ("__name__", "__qualname__", "__doc__"):
                if isinstance(found := told(name), str):
                    setattr(function, name, found)
            if isinstance(wrapped, UserFunction):
                function.__dict__[NOTED] = noted(wrapped)
            function.wrapped = wrapped
        elif isinstance(type(function), UserType):
            for name in NAMED_AFTER:
                found = wrapped if name == "__wrapped__" else told(name)
                if name == "__wrapped__" or isinstance(found, str):
                    function.__dict__[name] = found
        return function

    rename.__name__ = rename.__qualname__ = "wraps"
    return rename


def _totally_ordered(cls: Any) -> Any:
    """total_ordering(): a class with one comparison gets the others from it."""
    if not isinstance(cls, UserType):
        raise TypeError(f"total_ordering() is for classes, not {type(cls).__name__}")
    given = next((name for name in _ORDERS if declared(cls, name) is not MISSING), None)
    if given is None:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    for name, compare in _ORDERS[given].items():
        if declared(cls, name) is MISSING:
            put_in(cls, name, _comparing(name, compare))
    return cls


def _comparing(name: str, compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compared(self: Any, other: Any) -> Any:
        caps.tick(1)
        return compare(self, other)

    compared.__name__ = compared.__qualname__ = name
    return compared


# What is given -> how the others follow.
_ORDERS: dict[str, dict[str, Callable[[Any, Any], Any]]] = {
    "__lt__": {
        "__gt__": lambda a, b: not a < b and a != b,
        "__le__": lambda a, b: a < b or a == b,
        "__ge__": lambda a, b: not a < b,
    },
    "__le__": {
        "__ge__": lambda a, b: not a <= b or a == b,
        "__lt__": lambda a, b: a <= b and a != b,
        "__gt__": lambda a, b: not a <= b,
    },
    "__gt__": {
        "__lt__": lambda a, b: not (a > b or a == b),
        "__ge__": lambda a, b: a > b or a == b,
        "__le__": lambda a, b: not a > b,
    },
    "__ge__": {
        "__le__": lambda a, b: not a >= b or a == b,
        "__gt__": lambda a, b: a >= b and a != b,
        "__lt__": lambda a, b: not a >= b,
    },
}


def functools() -> Table:
    """The names of functools, beside those that are written in the language of specs."""
    return {"partial": Partial, "reduce": _reduce, "wraps": _wraps, "total_ordering": _totally_ordered}
