"""Packed sequences: a named tuple that goes to other element types."""

from __future__ import annotations

from ....nn.utils.rnn import PackedSequence
from .table import TABLES, Table, attributes, own_methods

_METHODS = "to cpu cuda double float half long int short char byte is_pinned"


def table_of(cls: type) -> Table | None:
    """The table of a class of gradcli.nn.utils.rnn, or None."""
    if cls is not PackedSequence:
        return None
    table = Table(TABLES[tuple])
    table.methods.update(own_methods(cls, _METHODS))
    table.in_python = frozenset(table.methods)
    table.fields.update(attributes("is_cuda"))
    return table
