"""Lists, tuples, dicts and sets: methods that grow them look at the limit, those that compare or hash weigh first."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ....engine.properties import Size
from ....errors import SpecError
from ...guard.size_limits import (
    CONSTRUCTORS,
    caps,
    charge_comparing,
    collected,
    fits,
    holds_others,
    weigh,
    weigh_key,
    whole,
)
from ...stdlib.iteration import Lazy, contains, iterate
from ...stdlib.sorting import sort
from ..classes.making_classes import Memo
from ..classes.sealed_classes import known_as
from ..copying import deep_copy
from ..show import of_host
from ..user_definitions import MISSING as NOT_DECLARED, UserType, declared
from ..visible_types import show_as, word
from .table import MISSING, attributes, declare, own_methods


def items_of(value: Any, what: str = "list") -> Any:
    """The values of an iterable, in a list unless they stand in a container already."""
    if isinstance(value, (list, tuple, dict, set, frozenset, str)):
        return value
    return collected(value if isinstance(value, (range, Lazy)) else iterate(value), what)


# -- lists -------------------------------------------------------------------------------------


# A class of a program may define what these call by the same name: they call Python's own.


def _append(self: list[Any], value: Any) -> None:
    list.append(self, value)
    if len(self) > caps.limits.sequence:
        fits(len(self), "list")


def _extend(self: list[Any], values: Any) -> None:
    found = items_of(values)
    fits(len(self) + len(found), "list")
    list.extend(self, found)


def _insert(self: list[Any], index: int, value: Any) -> None:
    fits(len(self) + 1, "list")
    list.insert(self, index, value)


def _filled(self: list[Any], *iterable: Any) -> None:
    if len(iterable) > 1:
        raise TypeError(f"list expected at most 1 argument, got {len(iterable)}")
    list.__init__(self, CONSTRUCTORS[list](*iterable))


def _set_place(self: list[Any], index: Any, value: Any, /) -> None:
    if isinstance(index, slice):
        value = items_of(value)
        fits(len(self) + len(value), "list")
    list.__setitem__(self, index, value)


def _found(cls: type) -> Any:
    def found(self: Any, value: Any, /) -> bool:
        return contains(cls.copy(self), value)  # type: ignore[attr-defined]

    return found


def _weighing(cls: type, name: str) -> Any:
    """A method that compares a value with others, or hashes it."""
    method = getattr(cls, name)

    def weighed(self: Any, value: Any, *args: Any) -> Any:
        weigh(value)
        if isinstance(self, (list, tuple, deque)):
            # It is compared with each of them.
            charge_comparing(value, len(self))
            if holds_others(value):
                weigh(self)
        return method(self, value, *args)

    return weighed


declare(
    list,
    methods={
        **own_methods(list, "pop clear reverse copy"),
        "append": _append,
        "extend": _extend,
        "insert": _insert,
        "remove": _weighing(list, "remove"),
        "index": _weighing(list, "index"),
        "count": _weighing(list, "count"),
        "sort": sort,
    },
)


def _field(value: Any, name: str) -> Any:
    """A field of a named tuple: PyTorch returns several."""
    fields = _fields(value)
    return value[fields.index(name)] if name in fields else MISSING


def _fields(value: Any) -> list[str]:
    return list(getattr(type(value), "_fields", ()))


_TUPLE = declare(tuple, methods={name: _weighing(tuple, name) for name in ("count", "index")})
_TUPLE.find, _TUPLE.extra = _field, _fields
declare(Size, base=tuple, methods=own_methods(Size, "numel"))


# -- dicts -------------------------------------------------------------------------------------


def _setdefault(self: dict[Any, Any], key: Any, default: Any = None) -> Any:
    weigh_key(key)
    fits(len(self) + 1, "dict")
    return _plain_class(self).setdefault(self, key, default)


def _plain_class(value: dict[Any, Any]) -> Any:
    """The class of Python's own that a dict is of, or that its class derives from."""
    return next(cls for cls in type(value).__mro__ if not isinstance(cls, UserType))


def _update(self: dict[Any, Any], *args: Any, **kwargs: Any) -> None:
    if len(args) > 1:
        raise TypeError(f"update expected at most 1 argument, got {len(args)}")
    update = _plain_class(self).update
    if args:
        update(self, pairs(args[0]))
    update(self, kwargs)
    fits(len(self), "dict")


def _made(self: dict[Any, Any], *args: Any, **kwargs: Any) -> None:
    """dict(), where a class derives from it."""
    if len(args) > 1:
        raise TypeError(f"dict expected at most 1 argument, got {len(args)}")
    _update(self, *args, **kwargs)


# What makes an empty value of one of Python's own types, and nothing else.
_EMPTY = (bool, complex, dict, float, frozenset, int, list, set, str, tuple)


def factory_of(function: Any) -> Any:
    """The function that a defaultdict makes its values by, as it may be called."""
    plain = not callable(function) or any(function is cls for cls in _EMPTY)
    return function if plain else caps.guarded(function)


def _made_with(self: defaultdict[Any, Any], default_factory: Any = None, /, *args: Any, **kwargs: Any) -> None:
    """defaultdict(), where a class derives from it."""
    if default_factory is not None and not callable(default_factory):
        raise TypeError("first argument must be callable or None")
    defaultdict.__init__(self, factory_of(default_factory))
    _made(self, *args, **kwargs)


def _set_item(self: dict[Any, Any], key: Any, value: Any, /) -> None:
    """d.__setitem__(key, value), as hooks write it that are lambdas."""
    weigh_key(key)
    _plain_class(self).__setitem__(self, key, value)
    fits(len(self), "dict")


def _get_item(self: Any, key: Any, /) -> Any:
    """d.__getitem__(key)"""
    weigh_key(key)
    return dict.__getitem__(self, key)


def _drop_item(self: Any, key: Any, /) -> None:
    """d.__delitem__(key)"""
    weigh_key(key)
    _plain_class(self).__delitem__(self, key)


def pairs(value: Any) -> Any:
    """Read the argument of dict() and dict.update(): a mapping, or pairs of keys and values."""
    if isinstance(value, Mapping) or hasattr(type(value), "keys"):
        return value
    found = items_of(value, "dict")
    for pair in found:
        if isinstance(pair, tuple):
            weigh(pair)
    return found


def spread(value: Any) -> Any:
    """A value after ``**``: a dict of it, if it is of a class of the program's that has keys."""
    has_keys = isinstance(type(value), UserType) and declared(type(value), "keys") is not NOT_DECLARED
    return CONSTRUCTORS[dict](value) if has_keys else value


def _fromkeys(keys: Any, value: Any = None) -> dict[Any, Any]:
    found = items_of(keys, "dict")
    weigh_keys(found)
    return dict.fromkeys(found, value)


def weigh_keys(values: Any) -> None:
    """Refuse values that are to be hashed and cannot be in reasonable time."""
    for value in values:
        weigh_key(value)


_DICT = declare(
    dict,
    methods={
        **own_methods(dict, "keys values items popitem clear copy"),
        "get": _weighing(dict, "get"),
        "pop": _weighing(dict, "pop"),
        "setdefault": _setdefault,
        "update": _update,
        "__getitem__": _get_item,
        "__setitem__": _set_item,
    },
)
_DICT.statics["fromkeys"] = _fromkeys


def _move_to_end(self: OrderedDict[Any, Any], key: Any, last: bool = True) -> None:
    weigh_key(key)
    self.move_to_end(key, last)


# What a state dict knows of the modules that it was taken from: the versions of their classes.
_METADATA = "_metadata"


def _metadata(self: OrderedDict[Any, Any]) -> Any:
    try:
        return self.__dict__[_METADATA]
    except KeyError:
        raise AttributeError(f"'{word(self)}' object has no attribute '{_METADATA}'") from None


def _set_metadata(self: OrderedDict[Any, Any], value: Any) -> None:
    if not isinstance(value, dict):
        raise SpecError(f"{_METADATA} is a dict, not a {word(value)}", help="give what a state dict has", code="E203")
    self.__dict__[_METADATA] = value


def _delete_metadata(self: OrderedDict[Any, Any]) -> None:
    if self.__dict__.pop(_METADATA, None) is None:
        raise AttributeError(_METADATA)


_ORDERED = declare(
    OrderedDict,
    base=dict,
    methods={
        "move_to_end": _move_to_end,
        "pop": _weighing(OrderedDict, "pop"),
        **own_methods(OrderedDict, "popitem clear copy keys values items"),
    },
    fields={_METADATA: _metadata},
)
_ORDERED.setters = {_METADATA: _set_metadata}
_ORDERED.deleters = {_METADATA: _delete_metadata}


# Python frees what nests in these by recursion in C, however deep it is; in a subclass, level by level.


class Queue(deque[Any]):
    """The deque of a program."""

    __slots__ = ()


class Defaults(defaultdict[Any, Any]):
    """The defaultdict of a program."""

    __slots__ = ()


known_as(Queue, "deque", "collections")
known_as(Defaults, "defaultdict", "collections")
declare(defaultdict, base=dict, fields=attributes("default_factory"))


def count(self: Counter[Any], *args: Any, **kwargs: Any) -> None:
    """Count the values of an iterable, or add the numbers of a mapping."""
    if args and not isinstance(args[0], Mapping):
        found = items_of(args[0], "Counter")
        weigh_keys(found)
        args = (found, *args[1:])
    self.update(*args, **kwargs)
    fits(len(self), "Counter")


def _elements(self: Counter[Any]) -> Iterator[Any]:
    """Each value as often as it was counted."""
    fits(sum(max(whole(n), 0) for n in self.values()), "list")
    return iter(list(self.elements()))


def _subtract(self: Counter[Any], *args: Any, **kwargs: Any) -> None:
    """Take away what `update` would add."""
    taken: Counter[Any] = Counter()
    count(taken, *args, **kwargs)
    self.subtract(taken)
    fits(len(self), "Counter")


declare(
    Counter,
    base=dict,
    methods={
        **own_methods(Counter, "most_common total copy"),
        "elements": _elements, "subtract": _subtract, "update": count,
    },
)  # fmt: skip


# -- special methods, as classes that derive from these call them ---------------------------------

_SPECIAL: dict[type, dict[str, Any]] = {
    list: {
        **own_methods(list, "__getitem__ __delitem__ __len__ __iter__"),
        "__init__": _filled, "__repr__": of_host(list, "__repr__"), "__setitem__": _set_place,
        "__contains__": _found(list),
    },
    tuple: {
        **own_methods(tuple, "__getitem__ __len__ __iter__"),
        "__repr__": of_host(tuple, "__repr__"), "__contains__": lambda self, value, /: contains(tuple(self), value),
    },
    defaultdict: {"__init__": _made_with},
    dict: {
        **own_methods(dict, "__len__ __iter__"),
        "__init__": _made, "__repr__": of_host(dict, "__repr__"), "__getitem__": _get_item,
        "__setitem__": _set_item, "__delitem__": _drop_item, "__contains__": _weighing(dict, "__contains__"),
    },
}  # fmt: skip


def special_of(cls: type, name: str) -> Any:
    """A special method of a list or a dict, or None."""
    for base, methods in _SPECIAL.items():
        if issubclass(cls, base) and name in methods:
            return methods[name]
    return None


# -- what an instance holds ----------------------------------------------------------------------


class Held(dict[str, Any]):
    """The attributes of an instance: a copy, through which they are set and taken away as by their names."""

    __slots__ = ("drop", "store")

    def __init__(self, own: dict[str, Any], store: Callable[[str, Any], None], drop: Callable[[str], None]) -> None:
        super().__init__(own)
        self.store, self.drop = store, drop

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is not str or (key.startswith("__") and key.endswith("__")):
            raise SpecError(
                f"an object cannot have an attribute {key!r} by its __dict__ in the spec language",
                help="its attributes are names that do not both begin and end with two underscores",
                code="E205",
            )
        self.store(key, value)
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.drop(key)

    def __ior__(self, other: Any) -> Held:  # type: ignore[misc, override]
        _store_all(self, other)
        return self

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return {key: deep_copy(value) for key, value in self.items()}


def _store_all(self: Held, *args: Any, **kwargs: Any) -> None:
    given: dict[Any, Any] = {}
    _update(given, *args, **kwargs)
    for key, value in given.items():
        self[key] = value


def _dropped(self: Held, key: Any, *default: Any) -> Any:
    weigh_key(key)
    if key not in self and default:
        return default[0]
    found = self[key]
    del self[key]
    return found


def _stored(self: Held, key: Any, default: Any = None) -> Any:
    weigh_key(key)
    if key not in self:
        self[key] = default
    return self[key]


def _drop_all(self: Held) -> None:
    for key in list(self):
        del self[key]


show_as(Held, dict)
show_as(Memo, dict)
declare(
    Held,
    base=dict,
    methods={
        "copy": lambda self: dict(self),
        "update": _store_all, "pop": _dropped, "setdefault": _stored, "clear": _drop_all,
        "popitem": lambda self: (key := next(reversed(self)), _dropped(self, key)),
    },
)  # fmt: skip


# -- queues ------------------------------------------------------------------------------------


def queue(*args: Any, **kwargs: Any) -> deque[Any]:
    """A queue of the values of an iterable."""
    return Queue(*((items_of(args[0], "deque"), *args[1:]) if args else ()), **kwargs)


def _growing(name: str) -> Any:
    method = getattr(deque, name)

    def grow(self: deque[Any], values: Any) -> None:
        method(self, items_of(values, "deque") if name.startswith("extend") else values)
        fits(len(self), "deque")

    return grow


def _insert_in_queue(self: deque[Any], index: Any, value: Any, /) -> None:
    fits(len(self) + 1, "deque")
    caps.tick(len(self))
    self.insert(whole(index), value)


declare(
    deque,
    methods={
        **own_methods(deque, "pop popleft clear copy reverse rotate"),
        **{name: _growing(name) for name in ("append", "appendleft", "extend", "extendleft")},
        **{name: _weighing(deque, name) for name in ("count", "index", "remove")},
        "insert": _insert_in_queue,
    },
    fields=attributes("maxlen"),
)


# -- sets --------------------------------------------------------------------------------------


def _add(self: set[Any], value: Any) -> None:
    weigh_key(value)
    self.add(value)
    fits(len(self), "set")


def _of_sets(cls: type, name: str) -> Any:
    """A method that takes any number of iterables."""
    method = getattr(cls, name)

    def combined(self: Any, *others: Any) -> Any:
        if len(others) < 2:
            return one(self, *others)
        # One after the other: all at once could take for ever.
        found, made = self, None
        for other in others:
            made = one(found, other)
            found = self if made is None else made
        return made

    def one(self: Any, *others: Any) -> Any:
        given = [items_of(other, "set") for other in others]
        for other in given:
            caps.tick(len(other) >> 1)
            weigh_keys(other)
        found = method(self, *given)
        fits(len(self), "set")
        if isinstance(found, (set, frozenset)):
            fits(len(found), "set")
        return found

    return combined


_COMPARING = "union intersection difference symmetric_difference issubset issuperset isdisjoint"
_CHANGING = "update intersection_update difference_update symmetric_difference_update"

declare(
    set,
    methods={
        **own_methods(set, "pop clear copy"),
        **{name: _of_sets(set, name) for name in f"{_COMPARING} {_CHANGING}".split()},
        "add": _add,
        "remove": _weighing(set, "remove"),
        "discard": _weighing(set, "discard"),
    },
)
declare(
    frozenset,
    methods={**own_methods(frozenset, "copy"), **{n: _of_sets(frozenset, n) for n in _COMPARING.split()}},
)
