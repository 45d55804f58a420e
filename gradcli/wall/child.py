"""A process that does one thing, says what comes of it in frames, and is ended from outside when its time is over.

The process that started it keeps the clock and the last word: whatever happens in the child, be it that code in C
never returns or that it crashes, the parent goes on and knows why.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .mouth import BEGUN, DONE, HEAD, LONGEST, Mouth
from .terms import Terms as Terms

# How long the parent waits for frames between two looks at the time and the memory that were used.
_LOOK = 0.02
# What a child that was told to stop may still use, of the processor and of the clock, before it is ended.
_GRACE, _PATIENCE = 0.5, 10.0
# What it may use before it is told to stop once more.
_AGAIN = 0.05

# A copy of this process is there at once; where the system's own libraries forbid to copy it, a new one is started.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"

Heard = Callable[[bytes, bytes], object]


class Ending(NamedTuple):
    """Why a child ended: it was done, its time or its memory was used up, or it was ended by a signal or by itself."""

    why: str
    # The signal, or the exit code.
    number: int = 0
    # What it had used of the processor, where that is known, and how long it was waited for.
    used: float | None = None
    waited: float = 0.0


class Child:
    """A process that calls ``act(mouth, ears, argument)``; ``heard`` takes the frames that its mouth says."""

    def __init__(self, act: Callable[[Mouth, int, Any], object], argument: Any, terms: Terms, heard: Heard) -> None:
        self.terms = terms
        self.heard = heard
        self.ending: Ending | None = None
        self.waited = 0.0
        self._held = b""
        self._why: str | None = None
        self._told_at = 0.0
        # Of the processor, or of the clock where that is not told.
        self._seconds = terms.seconds
        # When it is told again: by what it uses, and by the clock.
        self._again_at = self._again_latest = 0.0
        self.process = _processes().Process(act, argument, terms)

    # -- what it says ------------------------------------------------------------------------

    def hear(self, part: bytes) -> None:
        """Take a part of what it said; where it says no more, it has ended."""
        if self.ending is not None:
            return
        if not part:
            self._end()
            return
        self._held += part
        at = 0
        while (end := self._end_of_frame(at)) is not None:
            kind, data = self._held[at : at + 1], self._held[at + HEAD : end]
            if kind == BEGUN:
                self.waited = 0.0
            elif kind == DONE:
                # Nothing is left to be done: one that goes on all the same is not waited for.
                self._why = "done"
                self._end()
                return
            else:
                self.heard(kind, data)
            at = end
        self._held = self._held[at:]

    def _end_of_frame(self, at: int) -> int | None:
        """Where a frame ends, if all of it is here."""
        if len(self._held) < at + HEAD:
            return None
        size = int.from_bytes(self._held[at + 1 : at + HEAD], "big")
        if size > LONGEST:
            # No mouth of ours says that.
            self.process.kill()
            return None
        return at + HEAD + size if at + HEAD + size <= len(self._held) else None

    # -- what it uses ------------------------------------------------------------------------

    def look(self, waited: float) -> None:
        """Count the time that it was waited for, and tell it to stop, or end it, where it has used too much."""
        if self.ending is not None:
            return
        self.waited += waited
        used = self.process.seconds()
        if self._why is None:
            self._why = self._too_much(used)
            if self._why is None:
                return
            self._told_at = self.waited
            self.process.ask()
        if self._is_stubborn(used) or (self._has_gone_on(used) and not self.process.interrupt(self._why)):
            self.process.kill()

    def _too_much(self, used: float | None) -> str | None:
        if used is None:
            return "slow" if self.waited >= self._seconds else None
        if used >= self._seconds:
            return "slow"
        if self.waited >= self.terms.waiting:
            return "waited"
        return "memory" if 0 < self.terms.data < self.process.data() else None

    def _is_stubborn(self, used: float | None) -> bool:
        """True if the child goes on though it was told to stop."""
        since = self.waited - self._told_at
        if self._why == "slow" and used is not None:
            # On a busy machine it may not have come to hear of it.
            return since > _PATIENCE or (since > _GRACE and used > self._seconds + _GRACE)
        return since > 2 * _GRACE

    def _has_gone_on(self, used: float | None) -> bool:
        """True if it is time to tell it once more: code that swallows exceptions may have met the last telling."""
        now = self.waited if used is None else used
        if now < self._again_at and self.waited < self._again_latest:
            return False
        self._again_at, self._again_latest = now + _AGAIN, self.waited + _GRACE
        return True

    def allow(self, seconds: float) -> None:
        """Let it use so much from now on, whatever it has used."""
        used = self.process.seconds()
        self._seconds = (self.waited if used is None else used) + seconds

    # -- how it ends -------------------------------------------------------------------------

    def _end(self) -> None:
        """Note why it ended; one that says no more has nothing left to do."""
        if self.ending is None:
            used = self.process.seconds()
            code = self.process.end()
            why = self._why or ("signal" if code < 0 else "exit")
            self.ending = Ending(why, 0 if why == "done" else abs(code), used, self.waited)

    def kill(self) -> None:
        """End it now."""
        self._end()


def attend(children: Sequence[Child]) -> list[Child]:
    """Hear what children say for a moment, and look at what they use; those that have ended by then."""
    began = time.perf_counter()
    said = _processes().ready([child.process for child in children], _LOOK)
    waited = time.perf_counter() - began
    for child in children:
        for part in said.get(child.process, ()):
            child.hear(part)
    for child in children:
        child.look(waited)
    return [child for child in children if child.ending is not None]


def _processes() -> Any:
    """Return the module that starts processes on this system, and hears them."""
    if FORKS:
        from . import forked

        return forked
    from . import spawned

    return spawned
