"""The protocol of a child's messages to its parent: frames of a kind, a length, and so many bytes."""

from __future__ import annotations

import _thread
import os

# A kind is one byte, a length four.
HEAD = 5
LONGEST = 1 << 28

# The kinds that are about the child itself: that it has begun, that it is done, that it met a bug, and that it was
# ended for what it tried.
BEGUN, DONE, BUG, TRIED = b"!", b".", b"b", b"t"
# What its parent says to it: a line of the standard input, as a frame is, beside the question where it is.
LINE = b"="


def line_said(line: bytes) -> bytes:
    """A line of the standard input, as a parent says it."""
    return LINE + len(line).to_bytes(HEAD - 1, "big") + line


def read_line(ears: int) -> bytes:
    """Read a line that a parent says, once it has begun to."""
    return _read(ears, int.from_bytes(_read(ears, HEAD - 1), "big"))


def _read(ears: int, size: int) -> bytes:
    found = b""
    while len(found) < size and (part := os.read(ears, size - len(found))):
        found += part
    return found


class Mouth:
    """Writes frames, each whole: while one is written, an interruption has to wait."""

    def __init__(self, sink: int) -> None:
        self.busy = False
        self._sink = sink
        self._lock = _thread.allocate_lock()

    def say(self, kind: bytes, data: bytes = b"") -> None:
        """Write a frame."""
        self.busy = True
        try:
            self.add(kind, data)
        finally:
            self.busy = False

    def add(self, kind: bytes, data: bytes) -> None:
        """Write a frame from beside the main thread."""
        if len(data) > LONGEST:
            raise ValueError("nobody hears so much at once")
        left = memoryview(kind + len(data).to_bytes(HEAD - 1, "big") + data)
        with self._lock:
            while left:
                left = left[os.write(self._sink, left) :]
