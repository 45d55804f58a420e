"""Hold the process that runs a program to its limits: it can be interrupted, and its memory is capped.

Whoever started it keeps the clock, tells it to stop by a signal, and ends it where it does not: see `gradcli.wall`.
"""

from __future__ import annotations

import _thread
import functools
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from ...errors import LimitError, Span
from ...wall.mouth import LINE, read_line
from . import garbage, spare_memory
from .limits import Limits, too_much_memory, too_slow

Where = Callable[[FrameType], Span | None]

# Memory that is left to what has to be done when a program has used up its own, a little at a time: without any,
# Python itself cannot go on. A large array that does not fit leaves more than that.
_RESERVE = 24_000_000
# What may be used to say so, and what nothing may use.
_LAST = 128_000_000
# A search for garbage that takes so many seconds is not made again over the same objects.
_LONG = 0.05
# Memory that is not counted when the limit is set, and may still come: libraries, error messages.
_SLACK = 40_000_000
# How often the peak of the memory is looked at, where nobody outside can tell it.
_LOOK = 0.02


class Room(NamedTuple):
    """Bounds on the data a process maps: beyond the first it is told to stop, beyond the second allocation fails."""

    told: int
    failing: int


def room(limits: Limits) -> Room | None:
    """The memory of a process that is about to be started as a copy of this one; None where nobody can tell."""
    _warm_up_blas()
    size = _data_and_resident()
    if size is None:
        return None
    data, resident = size
    # A process that is large already, by what it did before, is judged by what it adds.
    more = max(limits.memory - resident - _SLACK, limits.memory // 4)
    return Room(data + more, data + more + min(_RESERVE, more))


@contextmanager
def held(
    limits: Limits, where: Where, *, memory: Room | None, is_busy: Callable[[], bool] = lambda: False
) -> Iterator[Held]:
    """Have what runs inside interrupted with a LimitError by signals, and fail where it needs too much memory.

    ``where`` finds the place of a program that a Python frame is at; while ``is_busy``, an interruption has to wait.
    """
    watch = Held(limits, where, memory, is_busy)
    watch.start()
    try:
        watch.armed = True
        yield watch
    finally:
        # Here and not in stop(): it might be interrupted as it is called, and what it was to put back would stay.
        watch.armed = False
        watch.stop()


class Held:
    """A process that is held to its limits."""

    def __init__(self, limits: Limits, where: Where, memory: Room | None, is_busy: Callable[[], bool]) -> None:
        self.limits = limits
        self.where = where
        self.is_busy = is_busy
        self.memory = _Memory(limits, memory)
        self.garbage = _Garbage()
        # Where the program was when it was first interrupted: on its way out it is nowhere.
        self.found: Span | None = None
        self.armed = False

    def start(self) -> None:
        """Begin."""
        import _signal as signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, for 0.4 ms

        self.main = _thread.get_ident()
        self.signal: Any = signal
        self.memory.start()
        self.garbage.start()
        self.hook_before = sys.unraisablehook
        sys.unraisablehook = self._swallowed
        numbers = {"SIGVTALRM": self._too_slow, "SIGUSR2": self._too_large}
        self.handlers_before = {
            getattr(signal, name): signal.signal(getattr(signal, name), handler)
            for name, handler in numbers.items()
            if hasattr(signal, name)
        }

    def stop(self) -> None:
        """Leave everything as it was."""
        for number, handler in self.handlers_before.items():
            self.signal.signal(number, handler)
        sys.unraisablehook = self.hook_before
        self.garbage.stop()
        self.memory.restore()

    def answer(
        self, ears: int, told: Callable[[Span | None], None], given: Callable[[bytes], None] = lambda line: None
    ) -> None:
        """From now on, say where the program is to whoever asks; end with whoever does no longer listen.

        ``given`` takes the lines of the standard input that are handed in between.
        """
        try:
            _thread.start_new_thread(self._answer, (ears, told, given))
        except RuntimeError:
            # The system has no thread to give: the place stays unknown.
            return

    def _answer(
        self, ears: int, told: Callable[[Span | None], None], given: Callable[[bytes], None]
    ) -> None:
        while word := self._listen(ears):
            if word == LINE:
                given(read_line(ears))
            else:
                told(self.found or self.where(sys._current_frames()[self.main]))
        os._exit(LimitError.exit_code)

    def _listen(self, ears: int) -> bytes:
        """Wait until somebody speaks, watching the memory where nobody else can; nothing once nobody can any more."""
        if self.memory.allowed:
            from select import select

            while not select([ears], [], [], _LOOK)[0]:
                # The thread goes on after the run: another run in this process has a watch of its own.
                if self.armed and self.memory.is_short():
                    _thread.interrupt_main(self.signal.SIGUSR2)
        return os.read(ears, 1)

    def _too_slow(self, number: int, frame: FrameType) -> None:
        del number
        if self._may_end(frame):
            self.found = self.found or self.where(frame)
            raise too_slow(self.limits, self.found)

    def _too_large(self, number: int, frame: FrameType) -> None:
        del number
        if self._may_end(frame):
            self.found = self.found or self.where(frame)
            self.memory.lift()
            error = too_much_memory(self.limits)
            error.span = self.found
            raise error

    def _may_end(self, frame: FrameType | None) -> bool:
        """Tell whether an error may arise in a frame now; otherwise the next signal does it."""
        if not self.armed or self.is_busy():
            return False
        while frame is not None and frame.f_code.co_name != "__set_name__":
            frame = frame.f_back
        # While the attributes of a new class learn their names, Python 3.11 turns all errors into its own.
        return frame is None

    def _swallowed(self, unraisable: Any) -> None:
        """An interruption that met a destructor, or a destructor without memory: the next one will do."""
        if not isinstance(unraisable.exc_value, (LimitError, MemoryError)):
            self.hook_before(unraisable)


class _Garbage:
    """The search for garbage, which holds the interpreter: over millions of objects, past the end of the time."""

    def __init__(self) -> None:
        self.began = 0.0
        self.spared = False

    def start(self) -> None:
        """Begin to look how long each search takes."""
        gc.callbacks.append(self._searched)

    def stop(self) -> None:
        """Leave everything as it was."""
        gc.callbacks.remove(self._searched)
        if self.spared:
            garbage.search_again()

    def _searched(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self.began = time.perf_counter()
        elif info["generation"] == 2 and time.perf_counter() - self.began > _LONG:
            self.spared = True
            garbage.spare()


class _Memory:
    """The memory of the process while a program runs."""

    def __init__(self, limits: Limits, room: Room | None) -> None:
        self.limits = limits
        self.room = room
        # What lifts the limit of a run around this one.
        self.outer = spare_memory.limit.lift
        self.before: tuple[int, int] | None = None
        # Bytes of memory at the most, where the system does not tell those of data.
        self.allowed = 0

    def start(self) -> None:
        """Let allocations fail past the limit, untouched pages included."""
        spare_memory.limit.lift = self.lift
        try:
            import resource
        except ImportError:
            return
        self.resource = resource
        if self.room is None:
            self.allowed = max(self.limits.memory, self._peak() + self.limits.memory // 4)
            return
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = self.room.failing
        if soft == resource.RLIM_INFINITY or soft > most:
            last = most + _LAST if hard == resource.RLIM_INFINITY else min(most + _LAST, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, last))
            self.before = last, last

    def lift(self) -> None:
        """Let allocations succeed again, as many as it takes to say what happened."""
        if self.before is not None:
            self.resource.setrlimit(self.resource.RLIMIT_DATA, self.before)
            self.before = None

    def restore(self) -> None:
        """Leave as much as was left."""
        self.lift()
        spare_memory.limit.lift = self.outer

    def is_short(self) -> bool:
        """True if the program has used up its memory."""
        return 0 < self.allowed < self._peak()

    def _peak(self) -> int:
        kilobytes: int = self.resource.getrusage(self.resource.RUSAGE_SELF).ru_maxrss
        return kilobytes if sys.platform == "darwin" else kilobytes * 1024


def _data_and_resident() -> tuple[int, int] | None:
    """The bytes of data that are mapped and those of all kinds that are in memory; None where that is not Linux."""
    try:
        with open("/proc/self/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return None
    page = os.sysconf("SC_PAGESIZE")
    return int(fields[5]) * page, int(fields[1]) * page


@functools.cache
def _warm_up_blas() -> None:
    """Let OpenBLAS allocate its buffers, without which it ends the process: larger products need no others."""
    import numpy as np

    square = np.zeros((128, 128), np.float32)
    square @ square
