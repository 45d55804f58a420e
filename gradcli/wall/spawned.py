"""A child that is a new process, where the system lets nobody copy one: it reads everything anew, and its task."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from threading import Thread
from typing import TYPE_CHECKING, Any

from .inside import do
from .mouth import Mouth

if TYPE_CHECKING:
    from .terms import Terms

_SIZE = 8
_PART = 1 << 16
# The same modules as here, found in the same places, and nothing of the directory that a stranger's files are in.
_START = "import sys; sys.path[:] = {path!r}; from gradcli.wall.spawned import live; live()"

Act = Callable[[Mouth, int, Any], object]

# What the threads have heard: of a process, a part of what it said.
_said: SimpleQueue[tuple[Process, bytes]] = SimpleQueue()


class Process:
    """A process that was started; its time is that of the clock."""

    def __init__(self, act: Act, argument: Any, terms: Terms) -> None:
        command = [sys.executable, "-P", "-c", _START.format(path=sys.path)]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE)
        task = pickle.dumps((act, argument, terms))
        self.ask(len(task).to_bytes(_SIZE, "big") + task)
        Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        part = b"-"
        while part:
            part = os.read(self._process.stdout.fileno(), _PART)
            _said.put((self, part))

    def seconds(self) -> float | None:
        """Return None: this system does not tell the processor time of a process."""
        return None

    def data(self) -> int:
        """The bytes of data that it has mapped: nobody tells."""
        return 0

    def ask(self, words: bytes = b"?") -> None:
        """Ask where it is."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(words)
            self._process.stdin.flush()
        except OSError:
            # It is gone already, which is heard next.
            return

    def interrupt(self, why: str) -> bool:
        """Tell it to stop, where it can be told."""
        import signal

        number = getattr(signal, "SIGVTALRM", None)
        if number is not None:
            self._process.send_signal(number)
        return number is not None

    def kill(self) -> None:
        """End it; what it said until then can still be heard."""
        self._process.kill()

    def end(self) -> int:
        """End it if it has not ended, and let go of it; its exit code, or its signal below zero."""
        self.kill()
        code = self._process.wait()
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            # What nobody read any more could not be written.
            return code
        return code


def ready(processes: Sequence[Process], seconds: float) -> dict[Process, list[bytes]]:
    """Collect what processes say within so many seconds; an empty part where one says no more."""
    found: dict[Process, list[bytes]] = {process: [] for process in processes}
    try:
        while True:
            process, part = _said.get(timeout=seconds)
            if process in found:
                found[process].append(part)
            seconds = 0
    except Empty:
        return found


def live() -> None:
    """Be a child: read the task, and do it; what is printed by mistake goes to the standard error."""
    source, sink = sys.stdin.buffer, os.dup(1)
    os.dup2(2, 1)
    size = int.from_bytes(source.read(_SIZE), "big")
    # What is loaded already is what may be read later.
    import numpy as _numpy  # noqa: F401

    # The parent made it, and no stranger.
    act, argument, terms = pickle.loads(source.read(size))
    os._exit(do(act, argument, terms, Mouth(sink), source.fileno()))
