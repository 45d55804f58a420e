"""Tables that a program fills, of hooks and names: it finds them empty, and others have theirs back after it."""

from __future__ import annotations

from typing import Any, TypeVar

_Table = TypeVar("_Table", bound=dict[Any, Any])

_tables: list[dict[Any, Any]] = []


def of_a_run(table: _Table) -> _Table:
    """The table, which is from now on set aside while a program runs."""
    _tables.append(table)
    return table


def set_aside() -> list[dict[Any, Any]]:
    """Empty the tables, and return what was in them."""
    before = [dict(table) for table in _tables]
    take_up([])
    return before


def take_up(before: list[dict[Any, Any]]) -> None:
    """Have what was in the tables before, and nothing in those that came since."""
    for number, table in enumerate(_tables):
        table.clear()
        table.update(before[number] if number < len(before) else {})
