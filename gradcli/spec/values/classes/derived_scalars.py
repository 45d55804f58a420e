"""Classes of a program that derive from int, float or str: their instances stand for a value of those."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from ...guard.size_limits import ARRAYS, CONSTRUCTORS, caps, checked, weigh, weigh_key, whole
from ..formatting import formatted
from ..show import representation, text
from ..standing import stands_by, value_of
from ..tables.table import declare
from .derived_containers import BASES
from .making_classes import MADE_EMPTY, host_of
from .sealed_classes import known_as


class Scalar:
    """Base of such classes: what is computed with an instance is computed with its value."""

    __slots__ = ("__dict__", "__weakref__", "_stands_for")
    of: type
    _stands_for: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made._stands_for = CONSTRUCTORS[kind_of(cls)](*map(value_of, args), **kwargs)
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: its __new__ was given its value."""

    def __getnewargs__(self) -> tuple[Any, ...]:
        """The value that a copy is made of."""
        return (self._stands_for,)

    def __repr__(self) -> str:
        return representation(self._stands_for)

    def __str__(self) -> str:
        own: Any = type(self)
        plain = own.__repr__ is Scalar.__repr__ or type(self._stands_for) is str
        return text(self._stands_for) if plain else repr(self)

    def __format__(self, spec: str) -> str:
        return formatted(self._stands_for, spec) if spec else str(self)

    def __hash__(self) -> int:
        weigh_key(self._stands_for)
        return hash(self._stands_for)

    def __eq__(self, other: object) -> Any:
        weigh(other)
        return other == self._stands_for if isinstance(other, ARRAYS) else bool(self._stands_for == value_of(other))

    def __ne__(self, other: object) -> Any:
        return other != self._stands_for if isinstance(other, ARRAYS) else not self == other

    def __bool__(self) -> bool:
        return bool(self._stands_for)


def kind_of(cls: type) -> type:
    """The type of the values that the instances of such a class stand for."""
    host: Any = host_of(cls)
    kind: type = host.of
    return kind


class Number(Scalar):
    """Base of a program's classes that derive from int or float."""

    __slots__ = ()

    def __int__(self) -> int:
        return whole(self._stands_for) if type(self._stands_for) is int else checked(int(self._stands_for))

    def __float__(self) -> float:
        return float(self._stands_for)

    def __neg__(self) -> Any:
        return checked(-self._stands_for)

    def __pos__(self) -> Any:
        return self._stands_for

    def __abs__(self) -> Any:
        return checked(abs(self._stands_for))

    def __round__(self, digits: Any = None) -> Any:
        return checked(round(self._stands_for, digits))


class Whole(Number):
    """Base of a program's classes that derive from int."""

    __slots__ = ()
    of = int

    def __index__(self) -> int:
        return whole(self._stands_for)


class Real(Number):
    """Base of a program's classes that derive from float."""

    __slots__ = ()
    of = float


class Text(Scalar):
    """Base of a program's classes that derive from str."""

    __slots__ = ()
    of = str

    def __len__(self) -> int:
        return len(self._stands_for)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stands_for)

    def __getitem__(self, place: Any) -> Any:
        return caps.item(self._stands_for, place)

    def __contains__(self, part: Any) -> bool:
        return value_of(part) in self._stands_for


def _checked(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: checked(operate(a, b))


def _operators(name: str, operate: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The special methods of an operator, with the instance on its left and on its right."""

    def left(self: Any, other: Any) -> Any:
        return operate(value_of(self), value_of(other))

    def right(self: Any, other: Any) -> Any:
        return operate(value_of(other), value_of(self))

    left.__name__, right.__name__ = f"__{name}__", f"__r{name}__"
    return left, right


# What is looked up when it is called, as each run has limits of its own.
_OF_ALL: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: caps.add(a, b), "mul": lambda a, b: caps.times(a, b), "mod": lambda a, b: caps.remainder(a, b),
}  # fmt: skip
OF_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "divmod": lambda a, b: (caps.quotient(a, b), caps.remainder(a, b)),
    "floordiv": lambda a, b: caps.quotient(a, b), "pow": lambda a, b: caps.power(a, b), "sub": _checked(operator.sub),
    "truediv": _checked(operator.truediv),
}  # fmt: skip
OF_WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "rshift": operator.rshift,
    "lshift": lambda a, b: caps.times(a, caps.power(2, b)),
}  # fmt: skip


def give_operators(cls: type, operations: dict[str, Callable[[Any, Any], Any]]) -> None:
    """Give a class whose instances stand for values operators that compute with those."""
    for name, operate in operations.items():
        for method in _operators(name, operate):
            setattr(cls, method.__name__, method)


for _class, _operations in ((Scalar, _OF_ALL), (Number, OF_NUMBERS), (Whole, OF_WHOLE)):
    give_operators(_class, _operations)
for _operate in (operator.lt, operator.le, operator.gt, operator.ge):
    _left, _ = _operators(_operate.__name__, _operate)
    setattr(Scalar, _left.__name__, _left)
for _class, _of in ((Scalar, "object"), (Number, "object"), (Whole, "int"), (Real, "float"), (Text, "str")):
    known_as(_class, _of, "builtins")
MADE_EMPTY.update((Whole, Real, Text))
BASES.update({int: Whole, float: Real, str: Text})
declare(Scalar, base=object)
stands_by(Scalar, lambda made: made._stands_for)
