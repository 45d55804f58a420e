"""Objects that stand where a tape does, and before one: each sees what the tape is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .frames import Frames


def _of_tape(name: str, without: Any) -> Any:
    """An attribute that is set on a tape, and is the tape's own where there is one."""
    own = f"_{name}"

    def read(self: Before) -> Any:
        return self.__dict__.get(own, without) if self.tape is None else getattr(self.tape, name)

    def write(self: Before, value: Any) -> None:
        if self.tape is None:
            self.__dict__[own] = value
        else:
            setattr(self.tape, name, value)

    return property(read, write)


class Before:
    """Pass on what a tape is told, if there is one; a subclass looks at some of it first."""

    def __init__(self, tape: Any) -> None:
        self.tape = tape
        # What calls of modules and checkpoints ask a tape for.
        self.frames: Frames = Frames() if tape is None else tape.frames

    # What a walk sets on a tape, and a checkpoint.
    parent = _of_tape("parent", None)
    order = _of_tape("order", 0)
    checkpoints = _of_tape("checkpoints", 0)

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
