"""Lines that speak to a notebook, and are no Python: a program goes on without those that change nothing of it."""

from __future__ import annotations

import re

from ..guard.notes import note

# Commands for a shell, and those of IPython that change only how things are shown, timed or installed.
_COMMAND = re.compile(
    r"\s*(!|%(matplotlib|pylab inline|config|load_ext|reload_ext|autoreload|pip|conda|precision)\b"
    r"|%%(time|timeit|capture)\b|%time(it)?\b)"
)
# What is timed is done all the same.
_TIMED = re.compile(r"(\s*)%time (?=\s*\S)")


def is_command(line: str) -> bool:
    """Tell whether a program does the same without a line."""
    return _COMMAND.match(line) is not None


def pass_over(lines: list[str], at: int) -> None:
    """Put a statement that does nothing in the place of a command, and of the lines that it goes on in.

    What stands behind `%time` stays, in its place.
    """
    if _TIMED.match(lines[at]):
        lines[at] = _TIMED.sub(r"\1pass; ", lines[at], count=1)
        return
    goes_on, first = True, at
    while goes_on and at < len(lines):
        line = lines[at].rstrip()
        goes_on = line.endswith("\\")
        lines[at] = line[: len(line) - len(line.lstrip())] + "pass" if at == first else ""
        at += 1


def tell() -> None:
    """Say that there were such lines."""
    note("commands of a notebook (!pip, %matplotlib) are not carried out here: the program goes on without them")
