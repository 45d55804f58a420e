"""The bar of a long check, drawn by rich: on a terminal only, below what was written so far, and never left behind."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from .screen import Screen

if TYPE_CHECKING:
    from rich.progress import Progress as Bar, TaskID

# Who waits no longer sees no bar; it is drawn at most so often.
_PATIENCE, _AGAIN = 0.5, 0.1
# A narrower terminal has a shorter bar.
_WIDE, _LONG, _SHORT = 60, 30, 10


class Progress:
    """A count of what is done and failed, with the time that the rest may take; of a single check, how far it looked.

    Whoever writes elsewhere on the terminal takes the bar away first.
    """

    def __init__(self, screen: Screen, total: int) -> None:
        self._screen = screen
        self._total = total
        self._done = self._failed = 0
        self._drawn = self._begun = time.perf_counter()
        # Nobody looks where there is no terminal, and on a dumb one nothing can be taken away.
        self._lost = screen.width is None or screen.dumb
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def add(self, failed: bool) -> None:
        """Count one that is done."""
        self._done += 1
        self._failed += failed

    def tick(self, directions: int = 0) -> None:
        """Draw it, if it is time; ``directions`` is how many a single check has looked along."""
        now = time.perf_counter()
        if self._lost or now - self._begun < _PATIENCE or now - self._drawn < _AGAIN:
            return
        self._drawn = now
        try:
            self._draw(directions)
        except (OSError, ValueError):
            # Nobody looks any more.
            self._lost = True

    def clear(self) -> None:
        """Take it away."""
        if self._bar is not None:
            try:
                self._bar.stop()
            except (OSError, ValueError):
                self._lost = True

    def _draw(self, directions: int) -> None:
        if self._bar is None:
            self._bar = self._made()
            total = self._total if self._total > 1 else None
            self._task = self._bar.add_task("", total=total, failed="", directions="")
            # The time that is left is reckoned from the beginning.
            self._bar.tasks[0].start_time = self._bar.get_time() - (time.perf_counter() - self._begun)
        assert self._task is not None
        failed = f"{self._failed} failed" if self._failed else ""
        self._bar.update(self._task, completed=self._done, failed=failed, directions=f"{directions:,}")
        self._bar.start()
        self._bar.refresh()

    def _made(self) -> Bar:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn as TimeLeft,
        )

        bar = BarColumn(_LONG if (self._screen.width or 0) >= _WIDE else _SHORT)
        columns = (
            (bar, TextColumn("{task.fields[directions]} directions"), TimeElapsedColumn())
            if self._total < 2
            else (MofNCompleteColumn(), bar, TextColumn("{task.fields[failed]}", style="bad"), TimeLeft())
        )
        return Progress(
            *columns,
            console=self._screen.console(),
            # One of many may take longer than what rich takes for long.
            speed_estimate_period=inf,
            transient=True,
            # A thread of its own would be there when the next check is forked.
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
