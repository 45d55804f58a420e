"""Objects that stand where a tape does, and before one: each sees what the tape is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .frames import Frames


class _Alone:
    """The place of what is set on a tape, where there is none."""

    def __init__(self) -> None:
        self.parent: Any = None
        self.function: Any = None
        self.order = 0
        self.checkpoints = 0


class Before:
    """Pass on what a tape is told, if there is one; a subclass looks at some of it first."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        self._told: Any = _Alone() if tape is None else tape
        # What calls of modules and checkpoints ask a tape for.
        self.frames: Frames = Frames() if tape is None else tape.frames

    # A walk sets two of these, a checkpoint the third, a custom Function the last.

    @property
    def parent(self) -> Any:
        """The node whose backward runs."""
        return self._told.parent

    @parent.setter
    def parent(self, value: Any) -> None:
        self._told.parent = value

    @property
    def order(self) -> int:
        """The number of backwards that record what is computed."""
        return int(self._told.order)

    @order.setter
    def order(self, value: int) -> None:
        self._told.order = value

    @property
    def checkpoints(self) -> int:
        """The number of checkpoints that the program is in."""
        return int(self._told.checkpoints)

    @checkpoints.setter
    def checkpoints(self, value: int) -> None:
        self._told.checkpoints = value

    @property
    def function(self) -> Any:
        """The custom Function whose forward or backward runs."""
        return self._told.function

    @function.setter
    def function(self, value: Any) -> None:
        self._told.function = value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tape, name) if self.tape is not None else _nothing

    def given(self, args: Sequence[Any]) -> Any:
        """Arguments as they are now."""
        return args if self.tape is None else self.tape.given(args)

    @property
    def asked(self) -> Any:
        """The one who wants to know what a condition asks."""
        return None if self.tape is None else self.tape.asked


def _nothing(*_: Any, **__: Any) -> None:
    """Take whatever a tape is told, where there is none."""
