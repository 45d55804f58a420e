"""The standard input, as programs read it: whoever runs them in this process says where its lines come from."""

from __future__ import annotations

import _thread
from collections.abc import Callable


class StandardInput:
    """Lines by their numbers: a program that runs twice reads the same ones twice."""

    def __init__(self) -> None:
        self._ask: Callable[[int], object] | None = None
        self._line = b""
        # Held while no line is there that was asked for.
        self._there = _thread.allocate_lock()
        self._there.acquire()

    def asks(self, ask: Callable[[int], object]) -> None:
        """Ask for lines by this from now on; each is given from another thread."""
        self._ask = ask

    def given(self, line: bytes) -> None:
        """Take the line that was asked for."""
        self._line = line
        self._there.release()

    def line(self, number: int) -> str:
        """Return the line with this number, with its end; nothing behind the last, and where there is no input."""
        if self._ask is None:
            return ""
        self._ask(number)
        self._there.acquire()
        return self._line.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


standard_input = StandardInput()
