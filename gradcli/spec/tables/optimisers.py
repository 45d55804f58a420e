"""Optimisers and learning-rate schedules."""

from __future__ import annotations

from ...optim.optimizer import Optimizer
from ...optim.schedule import LRScheduler
from ..reserved import reserved
from .modules import private, with_public
from .table import TABLES, Table


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.optim, or None."""
    if not issubclass(cls, (Optimizer, LRScheduler)):
        return None
    table = with_public(Table(TABLES[object]), cls)
    table.in_python = frozenset(table.methods)
    table.free = True
    table.hidden = reserved(cls) if issubclass(cls, Optimizer) else frozenset(private(cls))
    return table
