"""The classes of classes that a program writes: they make classes, and are asked what can be done with those."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

from ....errors import SpecError
from ...guard.size_limits import caps
from ..user_definitions import KEPT, METACLASS, MISSING, UserType, bound, declared, is_special
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

    def __repr__(cls) -> str:
        shown = _method(cls, "__repr__")
        return type.__repr__(cls) if shown is None else shown()


for _kind in (Making, Made):
    _kind.__name__ = _kind.__qualname__ = "type"
    _kind.__module__ = "builtins"
# The special methods that a metaclass may define, the names that say something of it, and what is no method of it.
_ANSWERED = frozenset(
    ("__new__", "__init__", "__call__", "__len__", "__iter__", "__getitem__", "__contains__", "__repr__", "__doc__")
)


def refuse_unanswered(namespace: dict[str, Any]) -> None:
    """Refuse the special methods of a metaclass that nobody would ask."""
    for name in namespace:
        if name in KEPT or (is_special(name) and callable(namespace[name]) and name not in _ANSWERED):
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
    return {"__new__": new_of_type, "__init__": Metaclass.__init__, "__call__": Metaclass.__call__}.get(name)


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
