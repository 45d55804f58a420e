"""All that a program adds to classes of PyTorch's: methods and the like, under names that those classes do not have."""

from __future__ import annotations

import types
from typing import Any

from ...engine.guard.tables_of_a_run import of_a_run
from ...engine.tensor import Tensor
from ...errors import SpecError
from ...nn.base.holder import Holder
from ..guard.size_limits import caps, fits
from .bound_methods import Unbound
from .sealed_classes import opened
from .tables.table import MISSING, TABLES
from .user_definitions import UserType, bound, is_special
from .visible_types import name_of

# What the running program has added, by class.
_added: dict[type, dict[str, Any]] = of_a_run({})


def is_open(cls: type, name: str) -> bool:
    """True for a public name of a class that a program may add to: a layer's or a tensor's."""
    return issubclass(opened(cls), (Tensor, Holder)) and not name.startswith("_")


def _below(cls: type) -> list[type]:
    found: list[type] = []
    below: list[type] = type.__subclasses__(cls)
    for derived in below:
        found += [derived, *_below(derived)]
    return found


def _has(cls: type, name: str) -> bool:
    table = TABLES[cls]
    return name in table.fields or name in table.statics or table.methods[name] is not None or name in vars(cls)


def add(cls: type, name: str, value: Any) -> None:
    """Add a name to a class, for the rest of the run."""
    kinds = [opened(cls), *_below(opened(cls))]
    # All of them are asked.
    caps.tick(len(kinds))
    known = next((kind for kind in kinds if not isinstance(kind, UserType) and _has(kind, name)), None)
    if known is not None:
        raise SpecError(
            f"{name_of(known)}.{name} is PyTorch's own: nothing else is called in its place",
            help="write a class that derives from it, or give what is assigned another name",
            code="E205",
        )
    names = _added.setdefault(opened(cls), {})
    fits(len(names) + 1, "dict")
    names[name] = value


def find(value: Any, name: str) -> Any:
    """Return what was added under a name, as a class or its instance sees it; MISSING for nothing."""
    if not _added or is_special(name):
        return MISSING
    of_class = isinstance(value, type)
    for cls in (opened(value) if of_class else type(value)).__mro__:
        if cls in _added and name in _added[cls]:
            found = _added[cls][name]
            if of_class:
                return found.__func__ if isinstance(found, staticmethod) else found
            return types.MethodType(found, value) if isinstance(found, Unbound) else bound(found, value)
    return MISSING
