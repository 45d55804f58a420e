"""A process that does one thing, says what comes of it in frames, and is ended from outside when its time is over.

The process that started it keeps the clock and the last word: whatever happens in the child, be it that code in C
never returns or that it crashes, the parent goes on and knows why.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .mouth import DONE, HEAD, LONGEST, Mouth

# How long the parent waits for frames between two looks at the time and the memory that were used.
_LOOK = 0.02
# What a child that was told to stop may still use, of the processor and of the clock, before it is ended.
_GRACE, _PATIENCE = 0.5, 10.0
# As much as is read at a time.
_PART = 1 << 16

_FORKS = hasattr(os, "fork") and sys.platform != "darwin"

Heard = Callable[[bytes, bytes], object]


class Terms(NamedTuple):
    """What a child may have."""

    # Of the processor, and of the clock while somebody waits for it.
    seconds: float
    waiting: float
    # Bytes of data past which it is told to stop; 0 where those are not counted.
    data: int = 0
    # The files beside those of Python itself that it may read, and whether the kernel is asked to see to that.
    readable: tuple[str, ...] = ()
    walled: bool = True


class Ending(NamedTuple):
    """Why a child ended: it was done, its time or its memory was used up, or it was ended by a signal or by itself."""

    why: str
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
        if _FORKS:
            self._fork(act, argument)
        else:
            from .spawned import spawn

            self.source, self._mouthpiece, self.pid = spawn(act, argument, terms)
        os.set_blocking(self.source, False)
        self._uses = _Uses(self.pid)

    def _fork(self, act: Callable[[Mouth, int, Any], object], argument: Any) -> None:
        from .inside import live

        self.source, sink = os.pipe()
        ears, self._mouthpiece = os.pipe()
        parent = os.getpid()
        with _quiet_about_threads():
            self.pid = os.fork()
        if self.pid == 0:
            live(act, argument, self.terms, sink, ears, parent)
        os.close(sink)
        os.close(ears)

    # -- what it says ------------------------------------------------------------------------

    def hear(self) -> None:
        """Take what it has said; where it says no more, it has ended."""
        try:
            part = os.read(self.source, _PART)
        except BlockingIOError:
            return
        if not part:
            self._end()
            return
        self._held += part
        at = 0
        while (end := self._end_of_frame(at)) is not None:
            self._take(self._held[at : at + 1], self._held[at + HEAD : end])
            at = end
        self._held = self._held[at:]

    def _end_of_frame(self, at: int) -> int | None:
        """Where a frame ends, if all of it is here."""
        if len(self._held) < at + HEAD:
            return None
        size = int.from_bytes(self._held[at + 1 : at + HEAD], "big")
        if size > LONGEST:
            # No mouth of ours says that.
            self._why = "signal"
            _kill(self.pid)
            return None
        return at + HEAD + size if at + HEAD + size <= len(self._held) else None

    def _take(self, kind: bytes, data: bytes) -> None:
        if kind == DONE:
            self._why = "done"
        else:
            self.heard(kind, data)

    # -- what it uses ------------------------------------------------------------------------

    def look(self, waited: float) -> None:
        """Count the time that it was waited for, and tell it to stop, or end it, where it has used too much."""
        if self.ending is not None or self._why == "done":
            return
        self.waited += waited
        used = self._uses.seconds()
        if self._why is None:
            self._why = self._too_much(used)
            if self._why is None:
                return
            self._told_at = self.waited
            self._ask()
        if self._is_stubborn(used):
            os.kill(self.pid, signal.SIGKILL)
        elif hasattr(signal, "SIGVTALRM"):
            # Again and again: the first may meet code that swallows exceptions.
            os.kill(self.pid, signal.SIGUSR2 if self._why == "memory" else signal.SIGVTALRM)

    def _too_much(self, used: float | None) -> str | None:
        if used is not None and used >= self.terms.seconds:
            return "slow"
        if self.waited >= (self.terms.seconds if used is None else self.terms.waiting):
            return "slow" if used is None else "waited"
        return "memory" if 0 < self.terms.data < self._uses.data() else None

    def _is_stubborn(self, used: float | None) -> bool:
        """Whether it goes on though it was told to stop."""
        since = self.waited - self._told_at
        if used is None or not hasattr(signal, "SIGVTALRM"):
            return since > _GRACE
        return since > _PATIENCE or (since > _GRACE and used > self.terms.seconds + _GRACE) or self._is_idle(since)

    def _is_idle(self, since: float) -> bool:
        return self._why in ("waited", "memory") and since > 2 * _GRACE

    def _ask(self) -> None:
        """Ask where it is: that can be answered also while code in C does not look at signals."""
        try:
            os.write(self._mouthpiece, b"?")
        except OSError:
            # It is gone already, which is heard next.
            return

    # -- how it ends -------------------------------------------------------------------------

    def _end(self) -> None:
        """Note why it ended."""
        if self.ending is not None:
            return
        used = self._uses.seconds()
        # One that says no more has nothing left to do; whatever it does is none of ours.
        _kill(self.pid)
        _, status = os.waitpid(self.pid, 0)
        self._close()
        code = os.waitstatus_to_exitcode(status)
        if self._why is not None:
            why, number = self._why, max(-code, 0)
        else:
            why, number = ("signal", -code) if code < 0 else ("exit", code)
        self.ending = Ending(why, number, used, self.waited)

    def kill(self) -> None:
        """End it now."""
        if self.ending is None:
            _kill(self.pid)
            self._end()

    def _close(self) -> None:
        for handle in (self.source, self._mouthpiece):
            os.close(handle)
        self._uses.close()


def attend(children: Sequence[Child]) -> list[Child]:
    """Hear what children say for a moment, and look at what they use; those that have ended by then."""
    poll = select.poll()
    by_source = {child.source: child for child in children}
    for source in by_source:
        poll.register(source, select.POLLIN)
    began = time.perf_counter()
    ready = poll.poll(_LOOK * 1000)
    waited = time.perf_counter() - began
    for source, _ in ready:
        by_source[source].hear()
    for child in children:
        child.look(waited)
    return [child for child in children if child.ending is not None]


def until_done(child: Child) -> Ending:
    """Hear a child out."""
    try:
        while not attend([child]):
            pass
    finally:
        child.kill()
    assert child.ending is not None
    return child.ending


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        # It is gone.
        return


@contextmanager
def _quiet_about_threads() -> Iterator[None]:
    """Fork without Python's warning of threads: those of BLAS are stopped for that, and no other touches the child."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


class _Uses:
    """What a process uses, as the system tells: nothing where there is no /proc."""

    def __init__(self, pid: int) -> None:
        self._data = _opened(f"/proc/{pid}/statm")
        # The clock of its main thread alone: on a machine of many cores BLAS would count many times.
        self._time = _opened(f"/proc/{pid}/task/{pid}/schedstat")

    def seconds(self) -> float | None:
        """How long it had the processor."""
        fields = _read(self._time)
        return int(fields[0]) * 1e-9 if fields else None

    def data(self) -> int:
        """The bytes of data that are mapped."""
        fields = _read(self._data)
        return int(fields[5]) * _PAGE if fields else 0

    def close(self) -> None:
        """Let go of what was opened."""
        for handle in (self._data, self._time):
            if handle is not None:
                os.close(handle)
        self._data = self._time = None


_PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None


def _read(handle: int | None) -> list[bytes]:
    try:
        return os.pread(handle, 200, 0).split() if handle is not None else []
    except OSError:
        return []
