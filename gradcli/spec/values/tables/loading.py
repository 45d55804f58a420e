"""Data sets, samplers and the loader."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ....utils.data import DataLoader, Dataset, Sampler
from ...guard.reserved_names import reserved
from .modules import giving_iterators, with_public
from .table import TABLES, Table

# What a subclass may ask its base for.
_SPECIAL = ("__getitem__", "__getitems__", "__len__", "__iter__", "__add__")


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.utils.data, or None."""
    if not issubclass(cls, (Dataset, Sampler, DataLoader)):
        return None
    table = with_public(Table(TABLES[object]), cls)
    for name in _SPECIAL:
        found: Any = getattr(cls, name, None)
        if isinstance(found, FunctionType):
            table.methods[name] = giving_iterators(found)
    table.in_python = frozenset(table.methods)
    for base in cls.__mro__:
        table.fields.update({n: p.fget for n, p in vars(base).items() if isinstance(p, property) and p.fget})
    table.free = True
    table.hidden = reserved(cls)
    return table
