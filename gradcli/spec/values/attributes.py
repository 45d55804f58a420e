"""Attributes: what a name after a dot means, by the type of the value before it.

Names are looked up in tables only; no name of a program ever reaches Python's own getattr.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

from ...engine.function import FunctionNode
from ...engine.tensor import Tensor
from . import added_to
from .bound_methods import Bound, Unbound
from .classes.derived_scalars import Scalar
from .classes.enumerations import EnumType, Mixed
from .classes.sealed_classes import opened
from .classes.tensor_classes import unbound
from .known_names import is_dunder
from .special_names import has, operation
from .standing import value_of
from .tables import (  # noqa: F401 (they fill the tables)
    arrays as _arrays,
    byte_strings as _byte_strings,
    containers as _containers,
    functions as _functions,
    graphs,
    numbers as _numbers,
    strings as _strings,
    tensors as _tensors,
)
from .tables.table import MISSING, TABLES, Methods, Table
from .user_definitions import is_special
from .visible_types import c_name, name_of, seen_as, type_of, word


def methods_of(cls: type) -> Methods:
    """The methods of values of a type; they are called with the value first."""
    return TABLES[cls].methods


def get(value: Any, name: str) -> Any:
    """An attribute of a value, or Python's AttributeError."""
    table = TABLES[type(value)]
    field = table.fields.get(name)
    if field is not None:
        return field(value)
    if table.free:
        own = value.__dict__
        if name in own and name not in table.hidden:
            return own[name]
    method = table.methods[name]
    if method is not None:
        instead = added_to.in_place(type(value), name) if table.free else MISSING
        return Bound(value, name, method) if instead is MISSING else MethodType(instead, value)
    if name in table.statics:
        return table.statics[name]
    if table.find is not None:
        found = table.find(value, name)
        if found is not MISSING:
            return found
    if name == "__class__":
        return type_of(value)
    if name == "__doc__":
        found = type_of(value).__doc__
        return found if isinstance(found, str) else None
    of_class = isinstance(value, type)
    # A class is called by a call alone.
    if is_special(name) and not (of_class and name == "__call__") and has(value, name):
        operate = operation(name)
        if operate is not None:
            if value is Tensor:
                return unbound(name, operate)
            return Unbound(value, name, operate) if of_class else Bound(value, name, operate)
    found = added_to.find(value, name)
    if found is not MISSING:
        return found
    raise missing(value, name)


def _of_value(member: Any, name: str) -> Any:
    """A method of the text or the number that something stands for, such as a member of an enumeration."""
    try:
        return get(value_of(member), name)
    except AttributeError:
        return MISSING


for _class in (Mixed, Scalar):
    TABLES[_class].find = _of_value


def missing(value: Any, name: str) -> AttributeError:
    """Python's words for an attribute that there is not."""
    if isinstance(value, EnumType):
        return AttributeError(name)
    if isinstance(value, type):
        return AttributeError(f"type object '{name_of(seen_as(value))}' has no attribute '{name}'")
    return AttributeError(f"'{word(value)}' object has no attribute '{name}'")


def assign(value: Any, name: str, new: Any) -> None:
    """Set an attribute of a value, or raise Python's AttributeError."""
    table = TABLES[type(value)]
    setter = table.setters.get(name)
    if setter is not None:
        setter(value, new)
        return
    _refuse_fixed(value, table, name)
    if isinstance(value, FunctionNode):
        graphs.hold(value, name, new)
    elif isinstance(value, BaseException):
        _functions.hold_attribute(value, name, new)
    elif table.free:
        setattr(value, name, new)
    else:
        raise missing(value, name)


def delete(value: Any, name: str) -> None:
    """Take an attribute of a value away, or raise Python's AttributeError."""
    table = TABLES[type(value)]
    deleter = table.deleters.get(name)
    if deleter is not None:
        deleter(value)
        return
    _refuse_fixed(value, table, name)
    if isinstance(value, FunctionNode):
        if graphs.drop(value, name):
            return
    elif table.free and (name in value.__dict__ or (table.find is not None and table.find(value, name) is not MISSING)):
        delattr(value, name)
        return
    raise missing(value, name)


def names(value: Any) -> list[str]:
    """The attributes that a value has."""
    table = TABLES[opened(value) if isinstance(value, type) else type(value)]
    found = {*table.methods, *table.later, *table.statics}
    if not isinstance(value, type):
        found.update(table.fields)
        if table.free:
            found.update(value.__dict__.keys() - table.hidden)
        if table.extra is not None:
            found.update(table.extra(value))
    return sorted(found)


def _refuse_fixed(value: Any, table: Table, name: str) -> None:
    """Refuse to overwrite what belongs to the type, or to us."""
    if name in table.fields:
        raise AttributeError(f"attribute '{name}' of '{c_name(type_of(value))}' objects is not writable")
    kept = name[:2] == "__" and (is_special(name) or not is_dunder(name))
    fixed = kept or name in table.hidden
    if fixed or (not (table.free and table.find is not None) and table.methods[name] is not None):
        raise AttributeError(f"'{word(value)}' object attribute '{name}' is read-only")
