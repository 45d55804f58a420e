"""The standard input, as programs read it: whoever runs them in this process says where its lines come from."""

from __future__ import annotations

from collections.abc import Callable


def _none(number: int) -> str:
    """Return no line: there is no standard input."""
    return ""


class StandardInput:
    """Lines by their numbers: a program that runs twice reads the same ones twice."""

    def __init__(self) -> None:
        # A line with its end, nothing behind the last.
        self.line: Callable[[int], str] = _none


standard_input = StandardInput()
