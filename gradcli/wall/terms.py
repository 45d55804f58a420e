"""The allowances of a child process."""

from __future__ import annotations

from typing import NamedTuple


class Terms(NamedTuple):
    """The allowances of a child process."""

    # Of the processor, and of the clock while somebody waits for it.
    seconds: float
    waiting: float
    # Bytes of data past which it is told to stop; 0 where those are not counted.
    data: int = 0
    # The files beside those of Python itself that it may read, and whether the kernel is asked to see to that.
    readable: tuple[str, ...] = ()
    walled: bool = True
    # Whether it runs the user's own code: with the user's environment, and what is printed goes to the standard error.
    own_code: bool = False
