"""All that a program adds to PyTorch's classes: methods under new names, and its own functions in methods' places."""

from __future__ import annotations

import types
from typing import Any

from ...engine.guard.tables_of_a_run import of_a_run
from ...engine.tensor import Tensor
from ...errors import SpecError
from ...nn.base.holder import Holder
from ..guard.size_limits import caps, fits
from .bound_methods import Unbound
from .classes.sealed_classes import opened
from .tables.table import MISSING, TABLES
from .user_definitions import UserFunction, UserType, bound, is_special
from .visible_types import name_of

Names = dict[type, dict[str, Any]]
# What the running program has added, by class, and what of its own stands in the places of methods of layers.
_added: Names = of_a_run({})
_instead: Names = {}
# What those classes had there themselves.
_before: Names = {}


def set_aside() -> Names:
    """Let layers have their own methods again; what stood in their places, for one to come back to."""
    found = {cls: dict(names) for cls, names in _instead.items()}
    for cls, names in found.items():
        for name in names:
            _put_back(cls, name)
    return found


def take_up(found: Names) -> None:
    """Come back to what was set aside."""
    set_aside()
    for cls, names in found.items():
        for name, function in names.items():
            _put(cls, name, function)


def _put(cls: type, name: str, function: UserFunction) -> None:
    """Let a layer's own callers find a function of the program's under the name of a method."""
    _before.setdefault(cls, {}).setdefault(name, vars(cls).get(name, MISSING))
    _instead.setdefault(cls, {})[name] = function
    type.__setattr__(cls, name, function)


def _put_back(cls: type, name: str) -> None:
    del _instead[cls][name]
    own = _before[cls].pop(name)
    if own is MISSING:
        type.__delattr__(cls, name)
    else:
        type.__setattr__(cls, name, own)


def its_own(cls: type, name: str, value: Any) -> Any:
    """The attribute of a class as it is where no program has put anything else."""
    return _before[cls][name] if name in _before.get(cls, ()) else value


def replace(cls: type, name: str, value: Any) -> bool:
    """Put a function of the program's into the place of a layer's method, or that method back; False if neither is."""
    if not issubclass(cls, Holder) or TABLES[cls].methods[name] is None or not callable(getattr(cls, name, None)):
        return False
    if isinstance(value, UserFunction):
        _put(cls, name, value)
        return True
    if isinstance(value, Unbound) and value.name == name and issubclass(cls, value.owner):
        if name in _instead.get(cls, {}):
            _put_back(cls, name)
        return True
    return False


def in_place(cls: type, name: str) -> Any:
    """The function of the program's that stands in the place of a method of a class, or MISSING."""
    for base in cls.__mro__ if _instead else ():
        if name in _instead.get(base, ()):
            return _instead[base][name]
        if name in vars(base):
            break
    return MISSING


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
    if replace(opened(cls), name, value):
        return
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
