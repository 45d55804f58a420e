"""Objects that stand where a tape does, and before one: each sees what the tape is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .frames import Frames


class Before:
    """Pass on what a tape is told, if there is one; a subclass looks at some of it first."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        # What a walk sets on a tape.
        self.parent: Any = None
        self.order = 0
        # What calls of modules and checkpoints ask a tape for.
        self.frames: Frames = Frames() if tape is None else tape.frames
        self._checkpoints = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tape, name) if self.tape is not None else _nothing

    def given(self, args: Sequence[Any]) -> Any:
        """Arguments as they are now."""
        return args if self.tape is None else self.tape.given(args)

    @property
    def asked(self) -> Any:
        """The one who wants to know what a condition asks."""
        return None if self.tape is None else self.tape.asked

    @property
    def checkpoints(self) -> int:
        """The number of checkpoints that the program is in."""
        return self._checkpoints if self.tape is None else int(self.tape.checkpoints)

    @checkpoints.setter
    def checkpoints(self, value: int) -> None:
        if self.tape is None:
            self._checkpoints = value
        else:
            self.tape.checkpoints = value


def _nothing(*_: Any, **__: Any) -> None:
    """Take whatever a tape is told, where there is none."""
