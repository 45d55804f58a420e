"""Room on the stack of the host: what a program nests, Python partly does by recursion in C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

# Frames of the host that a program's calls and expressions may need, and what each may take of the stack; and how many
# where nobody can say how large the stack is.
FRAMES = 30_000
_UNSEEN = 8_000
_FRAME = 1 << 11
# How large the stack may become: Linux leaves so much free, and gives it only where it is used.
_STACK = 64 << 20
# What Python itself and the command line stand on.
_LEAST = 250


# Slots of the host's own stack of frames that a run begins with. Python takes such room in small pieces, and gives a
# piece back as soon as it is empty: a call at the edge of one costs as much as fifty others.
_SLOTS = 1 << 17


def with_room(function: Callable[[], T]) -> T:
    """Call a function in a frame that asks for so much room that the same again is left behind it."""
    return function()


with_room.__code__ = with_room.__code__.replace(co_stacksize=_SLOTS)


class Stack:
    """The stack of this process, made larger for a run where that is allowed."""

    __slots__ = ("before", "frames", "resource")

    def __init__(self) -> None:
        self.before: tuple[int, int] | None = None
        self.frames = _UNSEEN
        self.resource: Any = None
        try:
            import resource
        except ImportError:
            return
        self.resource = resource
        soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
        endless = resource.RLIM_INFINITY
        size = soft
        if soft != endless and soft < _STACK:
            size = _STACK if hard == endless else min(hard, _STACK)
            resource.setrlimit(resource.RLIMIT_STACK, (size, hard))
            self.before = soft, hard
        self.frames = FRAMES
        if size != endless:
            self.frames = max(min(FRAMES, size // _FRAME), _LEAST)

    def restore(self) -> None:
        """Leave everything as it was."""
        if self.before is not None:
            self.resource.setrlimit(self.resource.RLIMIT_STACK, self.before)
