"""The world that a program is told of: a time, a seed that nobody chose, which neither its text nor its seed decides.

One that learnt nothing does the same whenever it is run.
"""

from __future__ import annotations


class _Run:
    """The program that runs."""

    __slots__ = ("has_learnt",)

    def __init__(self) -> None:
        self.has_learnt = False


_run = _Run()


def set_aside() -> bool:
    """Begin with a program that has learnt nothing; return what there was to say of the one before."""
    before, _run.has_learnt = _run.has_learnt, False
    return before


def take_up(before: bool) -> None:
    """Come back to what there was to say."""
    _run.has_learnt = before


def learn() -> None:
    """Note that the program is told something of the world."""
    _run.has_learnt = True


def has_learnt() -> bool:
    """Tell whether the program was told anything of the world."""
    return _run.has_learnt
