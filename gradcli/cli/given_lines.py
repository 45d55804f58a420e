"""The lines of gradcli's own standard input, handed to the programs that ask for them."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ..errors import InputError
from ..report.colour import is_terminal

# Nobody reads a longer line.
_LONGEST = 1 << 24

_read: list[bytes] = []


def given_line(number: int, asks: Callable[[], object] | None) -> bytes:
    """The line with this number, with its end; nothing behind the last.

    Each program begins with the first. Somebody at a terminal is asked where ``asks`` shows them for what.
    """
    stream = getattr(sys.stdin, "buffer", None)
    while len(_read) <= number:
        if stream is None or (is_terminal(sys.stdin) and asks is None):
            return b""
        if asks is not None:
            asks()
        try:
            line: bytes = stream.readline(_LONGEST + 1)
        except (OSError, ValueError):
            # It is closed, or nobody may read it: for a program it is at its end.
            return b""
        if len(line) > _LONGEST:
            raise InputError(
                f"line {number + 1} of the standard input has more than {_LONGEST:,} bytes",
                help="lend the program a file: --lend PATH",
                code="E502",
            )
        if not line:
            return b""
        _read.append(line)
    return _read[number]
