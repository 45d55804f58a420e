"""The bar of what takes long, drawn by rich: on a terminal only, below what was written, and never left behind."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, Any

from .screen import Screen

if TYPE_CHECKING:
    from rich.progress import Progress as RichBar, ProgressColumn

# Who waits no longer sees no bar; it is drawn at most so often.
_PATIENCE, _AGAIN = 0.5, 0.1
# A narrower terminal has a shorter bar, and fewer words beside it.
_WIDE, _LONG, _SHORT = 60, 30, 10


class _Bar:
    """A bar on a terminal. Whoever writes elsewhere on the terminal takes it away first."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._drawn = self._begun = time.perf_counter()
        # Nobody looks where there is no terminal, and on a dumb one nothing can be taken away.
        self._lost = screen.width is None or screen.dumb
        self._bar: RichBar | None = None

    def clear(self) -> None:
        """Take it away."""
        if self._bar is not None:
            try:
                self._bar.stop()
            except (OSError, ValueError):
                self._lost = True

    def _draw(self, total: int | None, **fields: Any) -> None:
        """Show it as it is now, if it is time."""
        now = time.perf_counter()
        if self._lost or now - self._begun < _PATIENCE or now - self._drawn < _AGAIN:
            return
        self._drawn = now
        try:
            if self._bar is None:
                self._bar = self._made()
                self._bar.add_task("", total=total, **fields)
                # The time that is left is reckoned from the beginning.
                self._bar.tasks[0].start_time = self._bar.get_time() - (now - self._begun)
            self._bar.update(self._bar.tasks[0].id, total=total, **fields)
            self._bar.start()
            self._bar.refresh()
        except (OSError, ValueError):
            # Nobody looks any more.
            self._lost = True

    def _again(self) -> None:
        """Have the next one begin now: the time that is left is another's."""
        self.clear()
        self._bar = None
        self._begun = time.perf_counter()

    @property
    def _is_wide(self) -> bool:
        return (self._screen.width or 0) >= _WIDE

    def _columns(self) -> tuple[ProgressColumn, ...]:
        raise NotImplementedError

    def _made(self) -> RichBar:
        from rich.progress import Progress

        return Progress(
            *self._columns(),
            console=self._screen.console(),
            # One of many may take longer than what rich takes for long.
            speed_estimate_period=inf,
            transient=True,
            # A thread of its own would be there when the next check is forked.
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )


class Progress(_Bar):
    """A count of what is done and failed, and the time that the rest may take; of a single check, how far it looked."""

    def __init__(self, screen: Screen, total: int) -> None:
        super().__init__(screen)
        self._total = total
        self._done = self._failed = 0

    def add(self, failed: bool) -> None:
        """Count one that is done."""
        self._done += 1
        self._failed += failed

    def tick(self, directions: int = 0) -> None:
        """Draw it, if it is time; ``directions`` is how many a single check has looked along."""
        failed = f"{self._failed} failed" if self._failed else ""
        total = self._total if self._total > 1 else None
        looked = f"{directions:,} direction{'s' * (directions != 1)}"
        self._draw(total, completed=self._done, failed=failed, directions=looked)

    def _columns(self) -> tuple[ProgressColumn, ...]:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn as TimeLeft,
        )

        bar = BarColumn(_LONG if self._is_wide else _SHORT)
        if self._total < 2:
            return bar, TextColumn("{task.fields[directions]}"), TimeElapsedColumn()
        return MofNCompleteColumn(), bar, TextColumn("{task.fields[failed]}", style="bad"), TimeLeft()


class LoopBar(_Bar):
    """The rounds of a program's outermost loop, with the time that the rest of them may take."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._line = 0

    def show(self, round: Any) -> None:
        """Draw it, if it is time: the number of a round, of how many, the line and the words that begin the loop."""
        if round is None:
            return
        number, of, line, head = round
        if line != self._line:
            if self._line:
                self._again()
            self._line = line
        place = f"line {line}: {head}" if self._is_wide else f"line {line}"
        count = f"{number:,}" if of is None else f"{number:,}/{of:,}"
        # The round that is running is not done.
        self._draw(of, completed=number - 1, place=place, count=count)

    def _columns(self) -> tuple[ProgressColumn, ...]:
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.table import Column

        place = TextColumn("{task.fields[place]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
        bar = BarColumn(_LONG if self._is_wide else _SHORT)
        return place, TextColumn("{task.fields[count]}"), bar, TimeRemainingColumn(elapsed_when_finished=True)
