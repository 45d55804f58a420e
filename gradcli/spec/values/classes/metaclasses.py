"""The classes of classes that a program writes: they make classes, and are asked what can be done with those."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

from ....errors import SpecError
from ...guard.size_limits import caps
from ..user_definitions import METACLASS, MISSING, PREPARING, UserType, bound, declared, is_special
from .sealed_classes import known_as


class Metaclass:
    """Base of a program's metaclasses, which stands for `type`: none of its instances is ever made."""

    __slots__ = ("__dict__", "__weakref__")

    def __init__(cls, name: Any, bases: Any, namespace: Any, /, **told: Any) -> None:
        """type.__init__(): the class is made already."""

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        """type.__call__(): an instance of the class."""
        made: Any = cls
        return type.__call__(made, *args, **kwargs)


known_as(Metaclass, "type", "builtins")


class AbstractMetaclass(Metaclass):
    """Base of those metaclasses of a program that derive from `abc.ABCMeta`."""

    __slots__ = ()


known_as(AbstractMetaclass, "ABCMeta", "abc")


class Prepared(dict[Any, Any]):
    """The environment of a class's body, whose names stand in what the metaclass prepared for them."""

    __slots__ = ("mapping",)
    mapping: Any

    def __setitem__(self, name: Any, value: Any) -> None:
        self.mapping[name] = value

    def __delitem__(self, name: Any) -> None:
        del self.mapping[name]

    def get(self, name: Any, default: Any = None) -> Any:
        """Give the value of a name, also of one that the mapping makes when it is asked for it."""
        try:
            return self.mapping[name]
        except KeyError:
            return default


def prepared(meta: Any, name: str, bases: tuple[Any, ...], told: dict[str, Any], qualname: str) -> Prepared | None:
    """The environment that a metaclass wants the body of a class to run in, or None for one like all others."""
    prepare = None if meta is None else found_in_line(meta.__mro__, PREPARING)
    if prepare is None:
        return None
    made = Prepared()
    # It is asked of the metaclass itself, of which a plain function is no method.
    if isinstance(prepare, (classmethod, staticmethod)):
        prepare = bound(prepare, meta)
    made.mapping = caps.guarded(prepare)(name, bases, **told)
    if not isinstance(made.mapping, dict):
        raise SpecError(
            f"{meta.__name__}.__prepare__() gives what is no dict", help="give a dict, or a class of your own of them"
        )
    made["__module__"], made["__qualname__"] = "__main__", qualname
    return made


def found_in_line(line: tuple[type, ...], kept: str) -> Any:
    """The value that the first of some classes to have one keeps under a name of ours, or None."""
    return next((cls.__dict__[kept] for cls in line if kept in cls.__dict__), None)


# The bodies of the classes that are being made: a metaclass may hand on a copy of what it was given.
_BODIES: list[Body] = []


def making(meta: Any, name: str, bases: Any, namespace: Any, body: Body, told: dict[str, Any]) -> Any:
    """The class that a metaclass makes."""
    _BODIES.append(body)
    try:
        return meta(name, bases, namespace, **told)
    finally:
        _BODIES.pop()


def body_behind(namespace: dict[str, Any]) -> Body | None:
    """The body that the names are of with which a class is made."""
    if isinstance(namespace, Body):
        return namespace
    last = _BODIES[-1] if _BODIES else None
    return last if last is not None and namespace.get("__qualname__") == last.qualname else None


class Body(dict[str, Any]):
    """The names of a class's body as its metaclass is given them; what we keep of it stands beside."""

    __slots__ = ("kept", "qualname")
    kept: dict[str, Any]
    qualname: str


def body_of(space: dict[str, Any], qualname: str, kept: dict[str, Any]) -> Body:
    """The names of a class's body, in Python's order."""
    doc = space.pop("__doc__", None)
    made = Body({"__module__": "__main__", "__qualname__": qualname})
    dict.update(made, {} if doc is None else {"__doc__": doc}, **space)
    made.kept, made.qualname = kept, qualname
    return made


class Making(UserType):
    """The class of a program's metaclasses: a call of one makes a class."""

    def __call__(cls, /, *args: Any, **told: Any) -> Any:
        make = declared(cls, "__new__")
        made = new_of_type(cls, *args, **told) if make is MISSING else _guarded(make)(cls, *args, **told)
        begin = declared(cls, "__init__")
        if begin is not MISSING and metaclass_of(made) is cls:
            _guarded(begin)(made, *args, **told)
        return made


class Made(UserType):
    """The class of the classes that a program's metaclasses make."""

    def __call__(cls, /, *args: Any, **kwargs: Any) -> Any:
        call = _method(cls, "__call__")
        return type.__call__(cls, *args, **kwargs) if call is None else call(*args, **kwargs)

    def __len__(cls) -> int:
        found: int = _asked(cls, "__len__", "object of type '#'", "has no len()")()
        return found

    def __iter__(cls) -> Iterator[Any]:
        found: Iterator[Any] = iter(_asked(cls, "__iter__", "'#' object", "is not iterable")())
        return found

    def __getitem__(cls, key: Any) -> Any:
        return _asked(cls, "__getitem__", "'#' object", "is not subscriptable")(key)

    def __contains__(cls, value: Any) -> bool:
        return bool(_asked(cls, "__contains__", "argument of type '#'", "is not iterable")(value))

    def __bool__(cls) -> bool:
        return True

    def __str__(cls) -> str:
        shown = _method(cls, "__str__")
        return repr(cls) if shown is None else shown()

    def __repr__(cls) -> str:
        shown = _method(cls, "__repr__")
        return type.__repr__(cls) if shown is None else shown()


# The operators that a metaclass may answer for its classes: by none of them anything is found in a table.
_OPERATORS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv mod matmul rmatmul and rand or ror xor lshift rshift neg pos "
    "invert lt le gt ge"
)


def _answering(name: str) -> Callable[..., Any]:
    plainly = getattr(type, name, None)

    def operate(cls: Any, *other: Any) -> Any:
        method = _method(cls, name)
        if method is not None:
            return method(*other)
        return NotImplemented if plainly is None else plainly(cls, *other)

    return operate


for _word in _OPERATORS.split():
    setattr(Made, f"__{_word}__", _answering(f"__{_word}__"))
for _kind in (Making, Made):
    _kind.__name__ = _kind.__qualname__ = "type"
    _kind.__module__ = "builtins"
# The special methods that a metaclass may define, the names that say something of it, and what is no method of it.
_ANSWERED = frozenset(
    f"__{word}__"
    for word in (
        "new init call len iter getitem contains repr str doc match_args getattr setattr delattr prepare instancecheck "
        "subclasscheck " + _OPERATORS
    ).split()
)


def refuse_unanswered(namespace: dict[str, Any]) -> None:
    """Refuse the special methods of a metaclass that nobody would ask."""
    for name in namespace:
        if is_special(name) and callable(namespace[name]) and name not in _ANSWERED:
            raise SpecError(f"a metaclass of a spec may not define {name}", help="write a class method", code="E205")


def metaclass_of(cls: Any) -> Any:
    """The metaclass of the program's that a class is of, or None."""
    return next((base.__dict__[METACLASS] for base in cls.__mro__ if METACLASS in base.__dict__), None)


def wanted_metaclass(named: Any, bases: tuple[type, ...]) -> Any:
    """The metaclass of a class with these bases: that which its statement names, or a base has; of several, the last
    in line, which all others are above of."""
    found = [meta for base in bases if (meta := metaclass_of(base)) is not None]
    found += [] if named is None else [named]
    last = next((meta for meta in found if all(issubclass(meta, other) for other in found)), None)
    if last is None and found:
        raise TypeError(
            "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses "
            "of all its bases"
        )
    return last


# type(name, bases, namespace), which stands where all that a class may derive from is known: see stdlib/class_bases.py.
made_by_type: Callable[..., Any]


def new_of_type(meta: Any, /, *args: Any, **told: Any) -> Any:
    """type.__new__(): a class of a metaclass of the program's."""
    if not isinstance(meta, Making):
        raise TypeError("type.__new__(X): X is not a metaclass of the program's own")
    if len(args) != 3:
        raise TypeError(f"type.__new__() takes exactly 3 arguments ({len(args)} given)")
    return made_by_type(*args, meta=meta, told=told)  # noqa: F821


def inherited(cls: Any, name: str) -> Any:
    """The value that a class has of its metaclass under a name, or MISSING."""
    meta = metaclass_of(cls)
    found = MISSING if meta is None else declared(meta, name)
    return found if found is MISSING or is_special(name) else bound(found, cls)


def of_type(name: str) -> Callable[..., Any] | None:
    """A method of `type` that is called on what it is given."""
    return _OF_TYPE.get(name)


def _is_instance(cls: Any, value: Any, /) -> bool:
    return isinstance(value, cls)


def _is_subclass(cls: Any, other: Any, /) -> bool:
    return issubclass(other, cls)


def _nothing_prepared(*args: Any, **told: Any) -> dict[str, Any]:
    return {}


_OF_TYPE: dict[str, Callable[..., Any]] = {
    "__new__": new_of_type, "__init__": Metaclass.__init__, "__call__": Metaclass.__call__,
    "__instancecheck__": _is_instance, "__subclasscheck__": _is_subclass, "__prepare__": _nothing_prepared,
}  # fmt: skip


def says_of(cls: Any, kept: str, value: Any) -> Any:
    """The answer of a metaclass about a value, by a method that it keeps under a name of ours, or MISSING."""
    meta = metaclass_of(cls)
    method = None if meta is None else found_in_line(meta.__mro__, kept)
    return MISSING if method is None else caps.guarded(bound(method, cls))(value)


def _method(cls: Any, name: str) -> Any:
    found = declared(metaclass_of(cls), name)
    return None if found is MISSING else MethodType(_guarded(found), cls)


def _asked(cls: Any, name: str, kind: str, wrong: str) -> Any:
    found = _method(cls, name)
    if found is None:
        raise TypeError(f"{kind.replace('#', metaclass_of(cls).__name__)} {wrong}")
    return found


def _guarded(function: Any) -> Any:
    return caps.guarded(function.__func__ if isinstance(function, (classmethod, staticmethod)) else function)
