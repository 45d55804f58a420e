"""Sorting, and the key functions that programs sort and choose by."""

from __future__ import annotations

from typing import Any

from ..guard.size_limits import caps, heft, weigh


def sort(self: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    """Sort a list in place."""
    caps.tick(len(self))
    if key is None:
        weigh(self)
    list.sort(self, key=key_of(key, len(self)), reverse=reverse)


def key_of(function: Any, count: int = 0) -> Any:
    """A key function whose calls are charged, and whose results can be compared.

    Among ``count`` values to be sorted, each is compared as often as their number has bits: all in one go, when
    nobody can interrupt it.
    """
    if function is None:
        return None
    call = caps.guarded(function)
    rounds = max(count.bit_length(), 1)

    def key(value: Any) -> Any:
        found = call(value)
        steps = heft(found)
        if steps:
            caps.tick(steps * rounds)
        # A copy does not become longer once it is weighed.
        return found[:] if type(found) is list else found

    return key
