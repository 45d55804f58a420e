"""A count of the directions that a check looks along, for whoever watches a long one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[int], object]

_watchers: list[Watcher] = []
_looked = 0


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell somebody how many directions have been looked along, again and again, while something is checked."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def looked_along(directions: int) -> None:
    """Count directions that were looked along."""
    global _looked
    _looked += directions
    for watcher in _watchers:
        watcher(_looked)
