"""Values that stand for others: members of enumerations, and instances of classes made of str, int or float."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Class of what stands for a value -> what gives that.
_STANDING: dict[type, Callable[[Any], Any]] = {}


def stands_by(cls: type, value: Callable[[Any], Any]) -> None:
    """Let instances of a class stand for the values that a function gives of them."""
    _STANDING[cls] = value


def value_of(value: Any) -> Any:
    """The value that another stands for; all else stands for itself."""
    for cls, found in _STANDING.items():
        if isinstance(value, cls):
            return found(value)
    return value
