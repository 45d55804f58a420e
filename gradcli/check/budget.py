"""The time of a check, apart from that of its program: what there is no time for is left out, and that is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

from ..errors import LimitError
from ..verdicts import Note, NoteKind

# The part of the time that looking at entries may take, and after which nothing else is begun.
ENTRIES, ANYTHING = 0.6, 0.9
# The part after which even what was begun is left: a program in a process of its own is stopped when all is over.
LATE = 0.95

_budgets: list[Budget] = []


class OutOfTime(LimitError):
    """The time for what is being done is over."""


class Budget:
    """So many seconds on the processor, from the moment at which the program was recorded."""

    def __init__(self, seconds: float, begun: Callable[[], object]) -> None:
        self.seconds = seconds
        self._tell = begun
        self._began: float | None = None

    def begin(self) -> None:
        """Begin to count, unless it was begun before."""
        if self._began is None:
            self._began = thread_time()
            self._tell()

    def is_spent(self, part: float) -> bool:
        """Tell whether a part of the time is over."""
        return self._began is not None and thread_time() - self._began >= part * self.seconds


@contextmanager
def within(budget: Budget) -> Iterator[None]:
    """Give all checks inside a time of their own."""
    _budgets.append(budget)
    try:
        yield
    finally:
        _budgets.remove(budget)


def begin() -> None:
    """Begin to count: the program has been recorded."""
    for budget in _budgets:
        budget.begin()


def is_spent(part: float = ANYTHING) -> bool:
    """Tell whether a part of the time is over; without a budget it never is."""
    return any(budget.is_spent(part) for budget in _budgets)


def go_on(part: float) -> None:
    """Go on, unless a part of the time is over."""
    if is_spent(part):
        raise OutOfTime("the time of the check is over")


def allowed() -> str:
    """The time that a check may take, in words."""
    return f"the {min(budget.seconds for budget in _budgets):g} s that a check may take" if _budgets else "the time"


def left_out(what: str) -> Note:
    """A note that there was no time to look at something."""
    return Note(NoteKind.BUDGET, f"not looked at in {allowed()}: {what}")
