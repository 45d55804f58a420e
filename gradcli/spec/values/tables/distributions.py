"""Distributions: their public methods, and the tensors that they are made of."""

from __future__ import annotations

from ....distributions import Distribution
from ...guard.size_limits import caps
from .modules import with_public
from .table import TABLES, Table, attributes


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.distributions, or None."""
    if not issubclass(cls, Distribution):
        return None
    table = with_public(Table(TABLES[object]), cls)
    table.in_python = frozenset(table.methods)
    for base in reversed(cls.__mro__):
        table.fields.update({n: p.fget for n, p in vars(base).items() if isinstance(p, property) and p.fget})
    table.fields.update(attributes(" ".join((*cls.parameters, "batch_shape", "event_shape"))))
    table.fields["support"] = lambda made: caps.guarded(caps.library("_distributions")["_support_of"])(made)
    table.fields["arg_constraints"] = lambda made: caps.guarded(caps.library("_distributions")["_constraints_of"])(made)
    return table
