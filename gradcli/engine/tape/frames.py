"""Frames: the calls and turns of loops that a program is in, noted with each op when a tape is asked to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MODULE, FUNCTION, LOOP = "module", "function", "loop"


class Frame:
    """One call of a module or a function, or one turn of a loop."""

    __slots__ = ("kind", "name", "number", "outer", "what")

    def __init__(self, kind: str, what: Any, name: str, number: int, outer: Frame | None) -> None:
        self.kind = kind
        # The module itself, or in whatever terms whoever runs the program has, the function or the loop.
        self.what = what
        # What it is called: a class, a function, `for i`.
        self.name = name
        # Which call, or which turn, since the tape is on.
        self.number = number
        # The call that this one is in.
        self.outer = outer


class Frames:
    """The frame that a program is in."""

    __slots__ = ("_times", "here", "wanted")

    def __init__(self) -> None:
        # Whether anybody asks for frames: noting them costs a little with each call.
        self.wanted = False
        self.here: Frame | None = None
        self._times: dict[tuple[str, int], int] = {}

    def enter(self, kind: str, what: Any, name: str) -> Frame | None:
        """Enter a frame, and return the one that it is in, for :meth:`leave`."""
        key = kind, id(what)
        number = self._times[key] = self._times.get(key, 0) + 1
        outer = self.here
        self.here = Frame(kind, what, name, number, outer)
        return outer

    def leave(self, outer: Frame | None) -> None:
        """Be again where the program was before a frame was entered."""
        self.here = outer

    def within(self, kind: str, what: Any, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose every call is a frame."""

        def inside(*args: Any, **kwargs: Any) -> Any:
            outer = self.enter(kind, what, name)
            try:
                return call(*args, **kwargs)
            finally:
                self.here = outer

        return inside
