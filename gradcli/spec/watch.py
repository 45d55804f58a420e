"""The backstop behind the counted limits: time and memory of the process that runs a program.

Three things can go on for too long. Python code is interrupted by a signal handler that raises. Code in C
that released the interpreter (BLAS, sorting) never looks at signals: a thread reports and ends the process.
Code in C that holds the interpreter stops that thread as well: an alarm that nobody handles ends the process,
with neither of the exit codes that are verdicts.
"""

from __future__ import annotations

import _thread
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ..errors import LimitError, Span
from .limits import Limits, too_much_memory, too_slow

Where = Callable[[FrameType], Span | None]
Report = Callable[[LimitError], None]

# How long before the end of its time a program is interrupted: half of it later the thread ends the process.
_MARGIN = 0.4
# How long the thread waits between two looks, and interruptions: the first may meet code that swallows exceptions.
_LOOK = 0.02
# Memory that is left to what has to be done when a program has used up its own, a little at a time: without any,
# Python itself cannot go on. A large array that does not fit leaves more than that.
_RESERVE = 24_000_000
# How long a process may have waited while it started.
_WAITED = 0.5
# How long the alarm leaves to those who say why a process ends, however short the time of the program.
_GRACE = 0.25
# A search for garbage that takes so many seconds is not made again over the same objects.
_LONG = 0.05
# Memory that is not counted when the limit is set, and may still come: libraries, error messages.
_SLACK = 40_000_000


def process_start() -> float:
    """When this process started, on the clock of ``time.perf_counter``.

    Of the time that it did not compute in only a little counts: on a busy machine it had to wait, but it may also have
    been another program that slept before it became this one.
    """
    now = time.perf_counter()
    worked = now - time.process_time()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return worked
    return min(max(now - age, worked - _WAITED), worked)


@contextmanager
def enforced(limits: Limits, where: Where, report: Report, started: float | None = None) -> Iterator[None]:
    """Hold what runs inside to its time, counted from ``started``, and to its memory.

    ``where`` finds the place of a program that a Python frame is at. A LimitError is raised in the main thread
    where that can be; else ``report`` is told, and the process ends with its exit code. Outside of the main
    thread nothing is enforced.
    """
    memory, garbage = _Memory(limits), _Garbage()
    clock = _Clock(limits, where, report, time.perf_counter() if started is None else started, memory)
    if not clock.prepare():
        yield
        return
    try:
        memory.start()
        garbage.start()
        # The time may be over at once: from here on, an error may come up anywhere.
        clock.start()
        yield
    finally:
        try:
            clock.stop()
        finally:
            garbage.stop()
            memory.restore()


def allow_memory() -> None:
    """Lift the limit, for what is left to do after it was met."""
    if _memory is not None:
        _memory.lift()


class _Clock:
    """The time of one program, and a look at its memory again and again."""

    def __init__(self, limits: Limits, where: Where, report: Report, started: float, memory: _Memory) -> None:
        self.limits = limits
        self.memory = memory
        self.short_of_memory = False
        self.where = where
        self.report = report
        margin = min(0.2 * limits.seconds, _MARGIN)
        end = started + limits.seconds
        # What holds the interpreter for a moment gets a second chance: after the alarm nobody says why it ended.
        self.raise_at, self.leave_at, self.kill_at = end - margin, end - margin / 2, end + margin
        self.armed = self.alarmed = False
        # Where the program was when it was first interrupted: on its way out it is nowhere.
        self.found: Span | None = None

    def prepare(self) -> bool:
        """Make ready to be interrupted; False outside of the main thread."""
        import _signal as signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, for 0.4 ms

        self.signal: Any = signal
        # Signals that nobody sends, so that a handler for them disturbs nobody.
        self.poke = getattr(signal, "SIGVTALRM", None) or signal.SIGBREAK
        try:
            self.handler_before = signal.signal(self.poke, self._interrupted)
        except ValueError:
            return False
        self.main = _thread.get_ident()
        self.hook_before = sys.unraisablehook
        sys.unraisablehook = self._swallowed
        return True

    def start(self) -> None:
        """Begin to watch."""
        self.alarmed = self._set_alarm()
        self.done, self.begun, self.gone = (_thread.allocate_lock() for _ in range(3))
        for lock in (self.done, self.begun, self.gone):
            lock.acquire()
        self.armed = True
        try:
            _thread.start_new_thread(self._watch, ())
        except RuntimeError:
            # The system has no thread to give: the alarm is left.
            self.gone.release()
        else:
            # A thread that could begin only once all memory is taken never would.
            self.begun.acquire()

    def stop(self) -> None:
        """Leave everything as it was."""
        if self.alarmed:
            self.signal.setitimer(self.signal.ITIMER_REAL, 0)
        if self.armed:
            self.armed = False
            self.done.release()
            self.gone.acquire()
        self._restore()

    def _restore(self) -> None:
        # A function of its own: entering it is where Python runs the handler for a last interruption.
        self.signal.signal(self.poke, self.handler_before)
        sys.unraisablehook = self.hook_before

    def _set_alarm(self) -> bool:
        """The last resort, unless someone else uses the alarm."""
        signal = self.signal
        if not hasattr(signal, "setitimer"):
            return False
        if signal.getsignal(signal.SIGALRM) != signal.SIG_DFL or signal.getitimer(signal.ITIMER_REAL)[0]:
            return False
        signal.setitimer(signal.ITIMER_REAL, max(self.kill_at - time.perf_counter(), _GRACE))
        return True

    def _interrupted(self, number: int, frame: FrameType) -> None:
        del number
        if self.armed:
            raise self._error(frame)

    def _error(self, frame: FrameType) -> LimitError:
        self.found = self.found or self.where(frame)
        if not self.short_of_memory:
            return too_slow(self.limits, self.found)
        self.memory.lift()
        error = too_much_memory(self.limits)
        error.span = self.found
        return error

    def _swallowed(self, unraisable: Any) -> None:
        """An interruption that met a destructor, or a destructor without memory: the next one will do."""
        if not isinstance(unraisable.exc_value, (LimitError, MemoryError)):
            self.hook_before(unraisable)

    def _watch(self) -> None:
        """Wait for the end of the program, or of its time."""
        self.begun.release()
        try:
            while True:
                try:
                    if self.done.acquire(timeout=_LOOK):
                        break
                    self._look()
                except MemoryError:
                    # The program took all there is; its end is waited for all the same.
                    continue
        finally:
            self.gone.release()

    def _look(self) -> None:
        self.short_of_memory = self.short_of_memory or self.memory.is_short()
        now = time.perf_counter()
        if now >= self.leave_at:
            self._leave()
        if self.short_of_memory or now >= self.raise_at:
            _thread.interrupt_main(self.poke)

    def _leave(self) -> None:
        """End the process from outside of the main thread, which does not answer."""
        try:
            if self.alarmed:
                self.signal.setitimer(self.signal.ITIMER_REAL, 0)
            self.report(self._error(sys._current_frames()[self.main]))
        finally:
            os._exit(LimitError.exit_code)


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
            gc.unfreeze()

    def _searched(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self.began = time.perf_counter()
        elif info["generation"] == 2 and time.perf_counter() - self.began > _LONG:
            self.spared = True
            gc.freeze()


class _Memory:
    """The memory of the process while a program runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.outer = _memory
        self.before: tuple[int, int] | None = None
        # Bytes of data; where the system does not tell them, of memory at the most.
        self.most_data = self.allowed = 0

    def start(self) -> None:
        """Begin to watch."""
        global _memory
        _memory = self
        try:
            import resource
        except ImportError:
            return
        self.resource = resource
        _warm_up_blas()
        # A process that is large already, by what it did before, is judged by what it adds.
        self.allowed = max(self.limits.memory, self._peak() + self.limits.memory // 4)
        size = _data_and_resident()
        if size is not None:
            data, resident = size
            more = max(self.limits.memory - resident - _SLACK, self.limits.memory // 4)
            self.most_data = data + more
            self._lower(data + more + min(_RESERVE, more))

    def _lower(self, most: int) -> None:
        """Let allocations fail past so many bytes of data, untouched pages included."""
        resource = self.resource
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if soft == resource.RLIM_INFINITY or soft > most:
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
            self.before = soft, hard

    def lift(self) -> None:
        """Let allocations succeed again."""
        if self.before is not None:
            self.resource.setrlimit(self.resource.RLIMIT_DATA, self.before)
            self.before = None

    def restore(self) -> None:
        """Leave everything as it was."""
        global _memory
        self.lift()
        _memory = self.outer

    def is_short(self) -> bool:
        """Whether the program has used up its memory."""
        size = _data_and_resident() if self.most_data else None
        if size is not None:
            return size[0] > self.most_data
        return 0 < self.allowed < self._peak()

    def _peak(self) -> int:
        kilobytes = self.resource.getrusage(self.resource.RUSAGE_SELF).ru_maxrss
        return kilobytes if sys.platform == "darwin" else kilobytes * 1024


_memory: _Memory | None = None


def _data_and_resident() -> tuple[int, int] | None:
    """The bytes of data that are mapped and those of all kinds that are in memory; None where that is not Linux."""
    try:
        with open("/proc/self/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return None
    page = os.sysconf("SC_PAGESIZE")
    return int(fields[5]) * page, int(fields[1]) * page


def _warm_up_blas() -> None:
    """Let OpenBLAS allocate its buffers, without which it ends the process: larger products need no others."""
    import numpy as np

    square = np.zeros((128, 128), np.float32)
    square @ square
