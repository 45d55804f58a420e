"""The names that a function of Python refers to."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any


def enclosed(function: Any) -> Iterator[tuple[str, Any]]:
    """The names that a function has from the functions around it, and their values, as far as they have one yet."""
    for name, cell in zip(function.__code__.co_freevars, getattr(function, "__closure__", None) or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:
            # It has no value yet.
            continue
        yield name, value


def codes(function: Any) -> Iterator[CodeType]:
    """The code of a function, and of the functions that it makes."""
    left = [function.__code__]
    while left:
        code = left.pop()
        left += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        yield code
