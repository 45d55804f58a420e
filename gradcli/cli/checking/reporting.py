"""Where the results of a check go: to standard output as they come or as a document, and to files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...errors import OutputError
from ...report.check import document
from ...report.check.outcome import Missing, Outcome, exit_code
from ...report.progress import Progress
from ...report.screen import Screen
from ...report.stream import emit
from ..process import tell
from ..target import Target

_NOTHING = Missing()
# How long a process may have waited while it started.
_WAITED = 0.5


class Reporter:
    """Takes the outcomes one by one, in their order, and tells of them in one format; files get their own."""

    def __init__(
        self,
        form: str,
        reports: Sequence[tuple[str, Target]],
        *,
        count: int = 1,
        detail: int = 0,
        colour: str = "auto",
        durations: int | None = None,
    ) -> None:
        # How many of the slowest specs are told, 0 for all.
        self.durations = durations
        self.form = form
        self.reports = reports
        self.outcomes: list[Outcome] = []
        # What could not be written, and why.
        self._unwritten: list[str] = []
        self.progress = Progress(Screen(sys.stderr, colour, os.environ), count)
        # Asked now: of a process that waits for others it could not be told later.
        self.started = process_start()
        if form == "text":
            from ...report.check.text import Look

            self.screen = Screen(sys.stdout, colour, os.environ)
            self.look = Look(self.screen.width, self.screen.ascii, detail)

    def add(self, outcome: Outcome) -> None:
        """Take an outcome; text goes out at once, and the errors of specs to stderr."""
        with self._kept():
            self._add(outcome)

    @contextmanager
    def _kept(self) -> Iterator[None]:
        """Tell of what cannot be written, once, and go on: other places may take what is found."""
        try:
            yield
        except OutputError as error:
            if error.message not in self._unwritten:
                self._unwritten.append(error.message)
                tell(error)

    def _add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        self.progress.clear()
        self.progress.add(not outcome.clean)
        if self.form != "text":
            return
        from ...report.check.text import about, spec_lines

        lines = spec_lines(outcome, self.look)
        if lines:
            self.screen.put(lines)
        if outcome.checked.failure is not None:
            tell(outcome.checked.failure, about(outcome))

    def finish(self, missing: Missing = _NOTHING) -> None:
        """Write what is written when everything is known: each report, also where another cannot be written."""
        self.progress.clear()
        for form, target in self.reports:
            with self._kept():
                target.write([document(form, self.outcomes, missing).encode("utf-8", "backslashreplace")])
        with self._kept():
            if self.form == "text":
                from ...report.check.text import closing

                seconds = time.perf_counter() - self.started
                self.screen.put([closing(self.outcomes, seconds, missing)])
            else:
                # The same bytes everywhere, whatever the locale.
                emit(document(self.form, self.outcomes, missing), getattr(sys.stdout, "buffer", sys.stdout))

            if self.durations is not None:
                self._tell_durations(self.durations)

    def _tell_durations(self, count: int) -> None:
        from ...text.escape import harmless, one_line
        from ..project.shards import slowest

        seconds = [(harmless(one_line(outcome.name)), outcome.checked.seconds) for outcome in self.outcomes]
        lines = ["slowest:", *slowest(seconds, count)]
        emit("".join(f"{line}\n" for line in lines), sys.stdout if self.form == "text" else sys.stderr)

    def exit_code(self, exit_zero: bool) -> int:
        """The exit code of the process."""
        code = exit_code(self.outcomes, exit_zero=exit_zero)
        return OutputError.exit_code if self._unwritten else code


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
