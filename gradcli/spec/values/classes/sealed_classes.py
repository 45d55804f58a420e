"""Stand-ins for classes that only we may call: a program can compare with them, and make nothing by them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


class Sealed(type):
    """The class of what stands for a class.

    A program may hand on any class: to a hook, as a method of its own. Whoever calls it then is no part of the
    interpreter, and looks at nothing: Python's own ``type`` would make classes with whatever methods, NumPy's arrays
    show any memory, and ours are filled with what belongs to the interpreter.
    """

    real: type
    # More classes whose instances are its own.
    kin: tuple[type, ...] = ()
    # What a call makes, of a class that programs may make values of.
    makes: tuple[Callable[..., Any], ...] = ()

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        for make in cls.makes:
            return make(*args, **kwargs)
        raise TypeError(f"cannot create '{cls.__name__}' instances")

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, (cls.real, *cls.kin))

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(opened(other), cls.real)


class Given:
    """Base of classes of ours that a program is given values of, and makes none of itself."""

    __slots__ = ()


class Numberless(Given):
    """Base of those of them that nothing computes with."""

    __slots__ = ()


_made: dict[type, Sealed] = {}


def sealed(cls: type) -> Sealed:
    """Return the stand-in for a class: always the same one."""
    found = _made.get(cls)
    if found is None:
        names = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
        found = _made[cls] = Sealed(cls.__name__, (), {**names, "real": cls})
    return found


def known_as(cls: type, name: str, module: str) -> None:
    """Give a class of our own the name, and the place, that a program knows it by; messages name its methods so."""
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = module
    for key, value in vars(cls).items():
        if isinstance(value, FunctionType):
            value.__qualname__ = f"{name}.{key}"


# What messages call it.
known_as(Sealed, "type", "builtins")


def opened(cls: Any) -> Any:
    """The class that one stands for, or else the same."""
    return cls.real if type(cls) is Sealed else cls


# ``type`` itself, of which a program knows no more than the function.
TYPE = sealed(type)
