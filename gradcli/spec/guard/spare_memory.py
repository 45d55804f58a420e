"""Memory for telling that a program has used up its own: whoever limits the process says here how to lift the limit."""

from __future__ import annotations

from collections.abc import Callable


class _Limit:
    """The limit on the memory of this process."""

    __slots__ = ("lift",)

    def __init__(self) -> None:
        self.lift: Callable[[], None] | None = None


limit = _Limit()


def allow_memory() -> None:
    """Lift the limit, for what is left to do after it was met."""
    if limit.lift is not None:
        limit.lift()
