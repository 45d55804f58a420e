"""Sorting, and the key functions that programs sort and choose by."""

from __future__ import annotations

from typing import Any

from .caps import caps, weigh


def sort(self: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    """Sort a list in place."""
    caps.tick(len(self))
    if key is None:
        weigh(self)
    self.sort(key=key_of(key), reverse=reverse)


def key_of(function: Any) -> Any:
    """A key function whose calls are charged, and whose results can be compared."""
    if function is None:
        return None
    call = caps.guarded(function)

    def key(value: Any) -> Any:
        found = call(value)
        weigh(found)
        return found

    return key
