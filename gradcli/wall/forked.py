"""A child that is a copy of this process: there in less than a millisecond, with all that was read already."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, for 2 ms
import gc
import os
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from .inside import do
from .kernel import die_with_parent
from .mouth import Mouth

if TYPE_CHECKING:
    from .terms import Terms

# As much as is read at a time.
_PART = 1 << 16

Act = Callable[[Mouth, int, Any], object]


class Process:
    """A process that was forked, and what the system tells of it."""

    def __init__(self, act: Act, argument: Any, terms: Terms) -> None:
        self.source, sink = os.pipe()
        ears, self._mouthpiece = os.pipe()
        parent = os.getpid()
        with _quiet_about_threads():
            self.pid = os.fork()
        if self.pid == 0:
            _live(act, argument, terms, sink, ears, parent)
        os.close(sink)
        os.close(ears)
        self._statm = _opened(f"/proc/{self.pid}/statm")
        self._threads = f"/proc/{self.pid}/task"
        # Threads that have ended are not told of any more.
        self._used: float | None = None

    def seconds(self) -> float | None:
        """Return the processor time that its busiest thread used, where the system tells."""
        # Not the sum: on a machine of many cores BLAS would count many times. Nor that of its main thread, which waits
        # while a sample of a vmap runs on a stack of its own.
        for used in map(_seconds, _names(self._threads)):
            if used is not None:
                self._used = max(self._used or 0.0, used)
        return self._used

    def data(self) -> int:
        """The bytes of data that it has mapped, where the system tells."""
        fields = _read(self._statm)
        return int(fields[5]) * os.sysconf("SC_PAGESIZE") if len(fields) > 5 else 0

    def ask(self, words: bytes = b"?") -> None:
        """Ask where it is: that can be answered also while code in C does not look at signals."""
        left = memoryview(words)
        try:
            while left:
                left = left[os.write(self._mouthpiece, left) :]
        except OSError:
            # It is gone already, which is heard next.
            return

    def interrupt(self, why: str) -> bool:
        """Tell it to stop, by a signal of its own for a lack of memory; whether that can be told at all."""
        os.kill(self.pid, signal.SIGUSR2 if why == "memory" else signal.SIGVTALRM)
        return True

    def kill(self) -> None:
        """End it; what it said until then can still be heard."""
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """End it if it has not ended, and let go of it; its exit code, or its signal below zero."""
        self.kill()
        _, status = os.waitpid(self.pid, 0)
        for handle in (self.source, self._mouthpiece, self._statm):
            if handle is not None:
                os.close(handle)
        return os.waitstatus_to_exitcode(status)


def ready(processes: Sequence[Process], seconds: float) -> dict[Process, list[bytes]]:
    """Collect what processes say within so many seconds; an empty part where one says no more."""
    poll = select.poll()
    for process in processes:
        poll.register(process.source, select.POLLIN)
    sources = {source for source, _ in poll.poll(seconds * 1000)}
    return {process: [os.read(process.source, _PART)] for process in processes if process.source in sources}


@contextmanager
def _quiet_about_threads() -> Iterator[None]:
    """Fork without Python's warning of threads: those of BLAS are stopped for that, and no other touches the child."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        # There is no /proc here, or it does not tell.
        return None


def _read(handle: int | None) -> list[bytes]:
    try:
        return os.pread(handle, 200, 0).split() if handle is not None else []
    except OSError:
        # The process is gone.
        return []


def _names(folder: str) -> list[str]:
    """The paths of what is in a folder; none where there is none."""
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def _seconds(thread: str) -> float | None:
    """The processor time of a thread; None for one that has ended, and where the system does not tell."""
    handle = _opened(f"{thread}/schedstat")
    fields = _read(handle)
    if handle is not None:
        os.close(handle)
    return int(fields[0]) * 1e-9 if fields else None


# -- in the child ------------------------------------------------------------------------------


def _live(act: Act, argument: Any, terms: Terms, sink: int, ears: int, parent: int) -> NoReturn:
    """Be a child that was just forked: let go of all that the parent has, and leave nothing behind."""
    status = 1
    try:
        die_with_parent(parent)
        # What the parent made is no garbage of the child's.
        gc.freeze()
        sink, ears = _alone(sink, ears, terms.own_code)
        status = do(act, argument, terms, Mouth(sink), ears)
    finally:
        os._exit(status)


def _alone(sink: int, ears: int, says: bool = False) -> tuple[int, int]:
    """Have nothing open but what leads to and from the parent, and be interrupted by nobody but it.

    ``says``: what is printed goes to the parent's standard error.
    """
    import fcntl

    # Whoever interrupts a command interrupts its parent, too, and that one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    # Where the parent had no standard streams, these would stand in their place.
    sink, ears = (fcntl.fcntl(handle, fcntl.F_DUPFD, 3) for handle in (sink, ears))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(2 if says and number else nothing, number)
    for handle in _open_handles():
        if handle > 2 and handle not in (sink, ears):
            _close(handle)
    return sink, ears


def _open_handles() -> list[int]:
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    try:
        return [int(name) for name in os.listdir(folder)]
    except OSError:
        return list(range(1024))


def _close(handle: int) -> None:
    try:
        os.close(handle)
    except OSError:
        # It was open only while they were counted.
        return
