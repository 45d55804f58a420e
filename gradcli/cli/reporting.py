"""Where the results of a check go: to standard output as they come or as a document, and to files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from ..report.check import document
from ..report.check.outcome import Outcome, exit_code
from ..report.colour import is_terminal, terminal_width, wants_colour
from ..report.stream import draws_unicode, emit
from .process import tell
from .target import Target

# Who waits no longer sees no progress.
_PATIENCE = 0.5
# How long a process may have waited while it started.
_WAITED = 0.5


class Reporter:
    """Takes the outcomes one by one, in their order, and tells of them in one format; files get their own."""

    def __init__(
        self, form: str, reports: Sequence[tuple[str, Target]], *, detail: int = 0, colour: str = "auto"
    ) -> None:
        self.form = form
        self.reports = reports
        self.outcomes: list[Outcome] = []
        self.progress = Progress()
        # Asked now: of a process that waits for others it could not be told later.
        self.started = process_start()
        if form == "text":
            from ..report.check.text import Look

            stream = sys.stdout
            self.look = Look(
                terminal_width(stream, os.environ),
                wants_colour(stream, colour, os.environ),
                not draws_unicode(stream, os.environ),
                detail,
            )

    def add(self, outcome: Outcome) -> None:
        """Take an outcome; text goes out at once, and the errors of specs to stderr."""
        self.outcomes.append(outcome)
        self.progress.clear()
        if self.form != "text":
            return
        from ..report.check.text import about, spec_lines

        lines = spec_lines(outcome, self.look)
        if lines:
            emit("".join(f"{line}\n" for line in lines), sys.stdout)
        if outcome.checked.failure is not None:
            tell(outcome.checked.failure, about(outcome))

    def finish(self, more: str = "") -> None:
        """Write what is written when everything is known; ``more`` stands behind the count."""
        self.progress.clear()
        for form, target in self.reports:
            target.write([document(form, self.outcomes).encode("utf-8", "backslashreplace")])
        if self.form == "text":
            from ..report.check.text import closing

            seconds = time.perf_counter() - self.started
            emit(f"{closing(self.outcomes, seconds, self.look)}{more}\n", sys.stdout)
        else:
            # The same bytes everywhere, whatever the locale.
            emit(document(self.form, self.outcomes), getattr(sys.stdout, "buffer", sys.stdout))

    def exit_code(self, exit_zero: bool) -> int:
        """What the process ends with."""
        return exit_code(self.outcomes, exit_zero=exit_zero)


class Progress:
    """A line on stderr that says how far a check is: on a terminal, and of what takes long."""

    def __init__(self) -> None:
        capable = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self.stream: Any = sys.stderr if capable else None
        self.since = time.perf_counter()
        self.shown = False

    def show(self, done: int, count: int, name: str) -> None:
        """Say which spec comes next."""
        if self.stream is None or count < 2 or time.perf_counter() - self.since < _PATIENCE:
            return
        from ..text.cells import cut
        from ..text.escape import encodable, one_line

        width = terminal_width(self.stream, os.environ) or 80
        text = cut(encodable(one_line(f"[{done + 1}/{count}] {name}"), "ascii"), width - 1, "...")
        self._put(f"\r\x1b[K{text}")
        self.shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            self._put("\r\x1b[K")
            self.shown = False

    def _put(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):
            # Nobody looks.
            self.stream, self.shown = None, False


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
