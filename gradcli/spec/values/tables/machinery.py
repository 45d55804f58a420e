"""The attributes of dtypes and of gradient scalers."""

from __future__ import annotations

from .modules import with_public
from .table import TABLES, Table, attributes


def table_of(cls: type) -> Table | None:
    """The table of a class of the engine that is read only when it is used, or None."""
    table = with_public(Table(TABLES[object]), cls)
    # What is kept for each object in a slot with a public name may be read.
    slots = [name for base in cls.__mro__ for name in getattr(base, "__slots__", ()) if not name.startswith("_")]
    table.fields.update(attributes(" ".join(slots)))
    return table
