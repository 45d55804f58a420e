"""The classes that a program's class derives from, and those that derive from it, as the program sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...nn.base.holder import Holder
from ..guard.size_limits import fits
from .bound_methods import Bound
from .derived_containers import BASES
from .making_classes import Plain
from .sealed_classes import sealed
from .user_definitions import UserType

_NAMED_SO: dict[type, type] = {**{stands: cls for cls, stands in BASES.items()}, Plain: object}


def _seen(cls: type) -> type:
    """A class above a program's, with which a program does no more than it may anyway."""
    free = isinstance(cls, UserType) or cls in (object, *BASES) or issubclass(cls, Exception)
    return cls if free or _is_module(cls) else _NAMED_SO.get(cls) or sealed(cls)


def _is_module(cls: type) -> bool:
    """True for nn.Module: Holder is the base of it, and of nothing else."""
    return Holder in cls.__bases__


def _bases(cls: type) -> tuple[type, ...]:
    return tuple([_seen(base) for base in cls.__bases__])


def _line(cls: type) -> list[type]:
    """The classes in which names are looked up: the program's, and of ours those that Python has as well."""
    derived_from = {base for own in cls.__mro__ if isinstance(own, UserType) for base in own.__bases__}
    known = [
        base
        for base in cls.__mro__
        if base is not Plain
        and (base in derived_from or base is object or base.__module__ == "builtins" or _is_module(base))
    ]
    fits(len(known), "list")
    return list(dict.fromkeys([_seen(base) for base in (cls, *known)]))


def _below(cls: type) -> list[type]:
    below: list[type] = type.__subclasses__(cls)
    found: list[type] = [sub for sub in below if isinstance(sub, UserType)]
    fits(len(found), "list")
    return found


# What a program asks of its classes -> what it is told.
LINEAGE: dict[str, Callable[[type], Any]] = {
    "__bases__": _bases,
    "__mro__": lambda cls: tuple(_line(cls)),
    "mro": lambda cls: Bound(cls, "mro", _line),
    "__subclasses__": lambda cls: Bound(cls, "__subclasses__", _below),
}
