"""Python's own types as functions: int('3'), list(range(9)), type(x)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from ..guard.size_limits import CONSTRUCTORS, checked_int, collected, fits, slice_of, wrapping
from ..values import visible_types
from ..values.bound_methods import Bound, Unbound
from ..values.classes.derived_scalars import Text
from ..values.classes.sealed_classes import TYPE, opened, sealed
from ..values.encodings import decoded
from ..values.show import text
from ..values.standing import value_of
from ..values.tables.byte_strings import BYTES, made_bytearray, made_bytes, made_view
from ..values.tables.containers import Defaults, Queue, count, factory_of, items_of, pairs, queue, weigh_keys
from ..values.user_definitions import MISSING, Super, answer, as_place
from ..values.visible_types import type_of, word_of
from .hints import Hint
from .iteration import Generator, iterate

Constructor = Callable[..., Any]

visible_types.FOUND_ONLY += (Bound, Unbound, Generator, Hint)


def constructor(cls: type) -> Constructor | None:
    """Return the guarded constructor of one of Python's types, or None for other types."""
    return CONSTRUCTORS.get(cls)


def refuse_found_only(cls: type) -> None:
    """Refuse to make what a program can only be given."""
    if issubclass(opened(cls), visible_types.FOUND_ONLY):
        raise TypeError(f"cannot create '{word_of(cls)}' instances")


def _of_one(cls: Any, make: Callable[[Any], Any]) -> Constructor:
    """A type that takes one argument or none; of more, Python complains."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return make(args[0]) if len(args) == 1 and not kwargs else cls(*args, **kwargs)

    return call


def _int(*args: Any, **kwargs: Any) -> int:
    try:
        return checked_int(int(*args, **kwargs))
    except TypeError:
        args = tuple(map(as_place, _plain(args)))
        told: Any = answer(args[0], "__truncating__") if len(args) == 1 else MISSING
        return checked_int(int(*args, **kwargs) if told is MISSING else int(told))


def _float(*args: Any) -> float:
    try:
        return float(*args)
    except TypeError:
        return float(*map(as_place, _plain(args)))


def _complex(*args: Any, **kwargs: Any) -> complex:
    told = answer(args[0], "__as_complex__") if len(args) == 1 else MISSING
    if told is MISSING:
        return complex(*map(as_place, args), **kwargs)
    if not isinstance(told, complex):
        raise TypeError(f"__complex__ returned non-complex (type {type(told).__name__})")
    return told


def _range(*args: Any) -> range:
    return range(*map(as_place, args))


def _plain(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of which the first is to become a number: a text of a program's class is none that Python reads."""
    return (value_of(args[0]), *args[1:]) if args and isinstance(args[0], Text) else args


def _str(*args: Any, **kwargs: Any) -> str:
    if len(args) + len(kwargs) == 1 and (args or "object" in kwargs):
        return text(args[0] if args else kwargs["object"])
    return decoded(*args, **kwargs) if args and type(args[0]) in BYTES else str(*args, **kwargs)


def _hashed(cls: Any) -> Callable[[Any], Any]:
    def make(values: Any) -> Any:
        found = items_of(values, cls.__name__)
        weigh_keys(found)
        return cls(found)

    return make


def _dict(*args: Any, **kwargs: Any) -> dict[Any, Any]:
    made: dict[Any, Any] = dict(pairs(args[0]), **kwargs) if len(args) == 1 else dict(*args, **kwargs)
    fits(len(made), "dict")
    return made


def _type(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 3 and not kwargs:
        from .class_bases import made_by_type

        return made_by_type(*args)
    if len(args) != 1 or kwargs:
        raise TypeError("type() takes 1 or 3 arguments")
    return type_of(args[0])


def _counter(*args: Any, **kwargs: Any) -> Counter[Any]:
    made: Counter[Any] = Counter()
    count(made, *args, **kwargs)
    return made


def _defaults(*args: Any, **kwargs: Any) -> Defaults:
    first, *rest = args or (None,)
    made = Defaults(factory_of(first), *map(pairs, rest), **kwargs)
    fits(len(made), "defaultdict")
    return made


CALLS: dict[type, Constructor] = {
    int: _int,
    float: _float,
    complex: _complex,
    bool: bool,
    str: _str,
    bytes: made_bytes,
    bytearray: made_bytearray,
    memoryview: made_view,
    list: _of_one(list, lambda values: collected(values if type(values) in (list, range) else iterate(values))),
    tuple: _of_one(tuple, lambda values: tuple(items_of(values, "tuple"))),
    set: _of_one(set, _hashed(set)),
    frozenset: _of_one(frozenset, _hashed(frozenset)),
    dict: _dict,
    range: _range,
    sealed(slice): slice_of,
    object: object,
    TYPE: _type,
}
# Those that have to be imported.
_IMPORTED: dict[type, Constructor] = {Counter: _counter, Defaults: _defaults, Queue: queue}
_WRAPPING: dict[type, Constructor] = {sealed(cls): wrapping(cls) for cls in (property, staticmethod, classmethod)}
CONSTRUCTORS.update(CALLS | _IMPORTED | _WRAPPING)
# What only programs have, and not their inputs.
FOR_CLASSES = {cls.__name__: cls for cls in (*_WRAPPING, sealed(Super))}
