"""The classes that a program's class derives from, and those that derive from it, as the program sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....nn.base.holder import Holder
from ...guard.size_limits import fits
from ...torch_names.namespaces import NAMESPACES, SEEN
from ..bound_methods import Bound
from ..user_definitions import UserType
from .derived_containers import BASES
from .making_classes import Plain
from .sealed_classes import sealed

_NAMED_SO: dict[type, type] = {**{stands: cls for cls, stands in BASES.items()}, Plain: object}


def _seen(cls: type) -> type:
    """A class above a program's, with which a program does no more than it may anyway."""
    free = isinstance(cls, UserType) or cls in (object, *BASES) or issubclass(cls, Exception)
    return cls if free or _is_of_torch(cls) else _NAMED_SO.get(cls) or sealed(cls)


def _is_module(cls: type) -> bool:
    """True for nn.Module: Holder is the base of it, and of nothing else."""
    return Holder in cls.__bases__


# Where PyTorch's own classes are found by their names, if they are any that a program knows.
_PLACES = ("torch.nn.modules", "torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.distributions")


# Those that are derived from others there than here.
_OTHER = frozenset(
    "Parameter Buffer DataParallel LinearCrossEntropyLoss UninitializedParameter UninitializedBuffer".split()
)


def _is_known(cls: type) -> bool:
    """True of a class that PyTorch or Python has as well, and false of those that only we share things by."""
    return isinstance(cls, UserType) or cls.__module__ == "builtins" or _is_of_torch(cls)


def _is_of_torch(cls: type) -> bool:
    name = cls.__name__
    if name.startswith("Parametrized"):
        return _is_of_torch(cls.__bases__[0])
    if name.startswith("_"):
        return name in SEEN and issubclass(cls, Holder)
    return _is_module(cls) or any(NAMESPACES[place].find(name) is cls for place in _PLACES)


def _bases(cls: type) -> tuple[type, ...]:
    if isinstance(cls, UserType):
        return tuple([_seen(base) for base in cls.__bases__])
    known = [cls for base in cls.__bases__ for cls in _first_known(base)]
    # What only shares something with others may derive from what another base derives from.
    return tuple(dict.fromkeys([a for a in known if not any(a is not b and issubclass(b, a) for b in known)]))


def _first_known(cls: type) -> tuple[type, ...]:
    return (_seen(cls),) if _is_known(cls) else _bases(cls)


def _line(cls: type) -> list[type]:
    """The classes in which names are looked up: the program's, and of ours those that PyTorch or Python has as well."""
    derived_from = {base for own in cls.__mro__ if isinstance(own, UserType) for base in own.__bases__}
    known = [base for base in cls.__mro__ if base is not Plain and (base in derived_from or _is_known(base))]
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


def is_told(cls: type, asked: str) -> bool:
    """True of what any class of the program's tells, and of what is above one of PyTorch's there as here."""
    name = cls.__name__
    if isinstance(cls, UserType) or asked == "__subclasses__" or asked not in LINEAGE:
        return isinstance(cls, UserType)
    return _is_of_torch(cls) and name not in _OTHER and not name.startswith("Lazy")
