"""Iterating: what a program may walk through, and the iterators it may hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator as HostIterator
from types import GeneratorType
from typing import Any

from ...engine.guard.addresses import address
from ...engine.tensor import Tensor
from ..guard.limits import too_tangled
from ..guard.size_limits import DEEPEST, caps, charge_comparing, charged, fits, holds_others, weigh
from ..values.classes.sealed_classes import known_as

_SIZED = frozenset((list, tuple, dict, set, frozenset, str, range, bytes, bytearray))
# What is searched by comparing one item after the other.
_IN_A_ROW: tuple[type[Any], ...] = (list, tuple, deque, type({}.values()))


class Lazy:
    """An iterator that a program holds: it has no attributes, and knows how many others it takes its values from."""

    __slots__ = ("below", "depth", "source")
    depth: int

    def __init__(self, source: HostIterator[Any], *below: Any) -> None:
        self.source = source
        self.below = below
        self.depth = 1 + max((v.depth for v in below if isinstance(v, Lazy)), default=0)
        # Each level is a call in C, which no recursion limit counts.
        if self.depth > DEEPEST:
            raise too_tangled()

    def __iter__(self) -> HostIterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self.source)

    def __repr__(self) -> str:
        cls = type(self)
        name = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"
        return f"<{name} object at {address(self):#x}>"


class Generator(Lazy):
    """A generator that is not the program's own function: from PyTorch's methods, and from generator expressions."""

    __slots__ = ("name",)

    def __init__(self, source: HostIterator[Any], name: str, *below: Any) -> None:
        super().__init__(source, *below)
        self.name = name

    def __repr__(self) -> str:
        return f"<generator object {self.name} at {address(self):#x}>"


class UserGenerator(Generator):
    """A generator made by a program's generator function."""

    __slots__ = ()
    # It counts calls as a function does.
    source: Any

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle 'generator' object")


def _thrown(self: Any, error: Any, /) -> Any:
    """generator.throw()"""
    if isinstance(error, type) and issubclass(error, Exception):
        error = error()
    if not isinstance(error, Exception):
        kind = type(error).__name__
        raise TypeError(f"exceptions must be classes or instances deriving from BaseException, not {kind}")
    from ..language.exception_marks import marks

    marks(error).raised = True
    return self.source.throw(error)


GENERATOR_METHODS: dict[str, Callable[..., Any]] = {
    "send": lambda self, value, /: self.source.send(value),
    "throw": _thrown,
    "close": lambda self, /: self.source.close(),
}
for _name, _method in GENERATOR_METHODS.items():
    _method.__name__, _method.__qualname__ = _name, f"generator.{_name}"


class Zip(Lazy):
    """zip(): tuples of the values that stand at the same place."""

    __slots__ = ()

    def __init__(self, *iterables: Any, **strict: Any) -> None:
        super().__init__(zip(*(iterate(v) for v in iterables), **strict), *iterables)  # noqa: B905 (strict may hold it)


class Map(Lazy):
    """map(): what a function makes of each value."""

    __slots__ = ()

    def __init__(self, *args: Any) -> None:
        if len(args) < 2:
            raise TypeError("map() must have at least two arguments.")
        function, *iterables = args
        super().__init__(map(caps.guarded(function), *(iterate(v) for v in iterables)), *iterables)


class Filter(Lazy):
    """filter(): the values that a function finds true."""

    __slots__ = ()

    def __init__(self, *args: Any) -> None:
        if len(args) != 2:
            raise TypeError(f"filter expected 2 arguments, got {len(args)}")
        function, iterable = args
        # It may pass over any number of values before it gives one.
        choose = function if function is None else caps.guarded(function)
        super().__init__(filter(choose, charged(iterate(iterable))), iterable)


class Enumerate(Lazy):
    """enumerate(): the values with their numbers."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        iterable = args[0] if args else kwargs.pop("iterable", None)
        # What does not fit, Python says itself.
        source = enumerate(*args, **kwargs) if iterable is None else enumerate(iterate(iterable), *args[1:], **kwargs)
        super().__init__(source, iterable)


class Until(Lazy):
    """iter() of a function: what it gives, call for call, until it gives one value."""

    __slots__ = ()

    def __init__(self, function: Any, end: Any, /) -> None:
        if not callable(function):
            raise TypeError("iter(v, w): v must be callable")
        weigh(end)
        super().__init__(charged(self._calls(caps.guarded(function), end)))

    @staticmethod
    def _calls(call: Callable[[], Any], end: Any) -> HostIterator[Any]:
        while True:
            value = call()
            weigh(value)
            if value == end:
                return
            yield value


for _class, _name in (
    (Until, "callable_iterator"),
    (Generator, "generator"),
    (UserGenerator, "generator"),
    (Zip, "zip"),
    (Map, "map"),
    (Filter, "filter"),
    (Enumerate, "enumerate"),
):
    known_as(_class, _name, "builtins")


def iterate(value: Any) -> HostIterator[Any]:
    """The values of what a program may iterate over, or the TypeError of what it may not."""
    if type(value) in _SIZED:
        return iter(value)
    if isinstance(value, Lazy):
        return value.source
    if isinstance(value, Tensor) and value._a.ndim:
        # A tensor is taken apart into all its rows at once.
        fits(value._a.shape[0], "tuple")
    return iter(value)


def iterator(value: Any) -> Any:
    """Return the guarded iter(): a program may hold the iterator."""
    if isinstance(value, Lazy):
        return value
    found = iterate(value)
    return Generator(found, found.__qualname__) if isinstance(found, GeneratorType) else found


def backwards(value: Any) -> Any:
    """Return the guarded reversed(); a tensor is flipped."""
    if isinstance(value, Tensor):
        from ...engine.offers import find

        return value if value.ndim == 0 else find("Tensor", "flip")(value, 0)
    return reversed(value)


def contains(values: Any, value: Any) -> bool:
    """``value in values``, with every comparison that it takes charged."""
    weigh(value)
    if isinstance(values, _IN_A_ROW):
        if holds_others(value):
            # Each comparison may take long.
            return any(item is value or item == value for item in charged(values))
        caps.tick(len(values) >> 6)
        charge_comparing(value, len(values))
        return value in values
    if type(values) is range and not isinstance(value, int):
        return any(item is value or item == value for item in charged(values))
    if isinstance(values, Lazy):
        return any(item is value or item == value for item in charged(values.source))
    return value in values
