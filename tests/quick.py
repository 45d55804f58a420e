"""What must not take long: measured on the processor, so that a busy machine changes nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

# By then, what waits for something that never comes is ended.
_PATIENCE = 300


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Have what is inside take no more than so many seconds of the processor, in this process and those it waits for.

    Hundreds of times as long as it takes is a good limit: what grows as it must not takes longer than that.
    """
    with _ended():
        before = sum(os.times()[:4])
        yield
        used = sum(os.times()[:4]) - before
    assert used < seconds, f"it took {used:.1f} s of the processor"


@contextmanager
def _ended() -> Iterator[None]:
    """Where the system can tell, have what waits for ever interrupted."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: object) -> NoReturn:
        raise TimeoutError(f"it was waited for for {_PATIENCE} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
