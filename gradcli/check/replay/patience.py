"""Loops at other numbers than the program's own: one that is nowhere near its end is left, and gives no answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from ...engine.guard.outside import let_say, outside
from ...errors import LimitError, NoAnswer
from ...spec.guard.handed_values import Handed
from ...spec.language.machine import Machine
from ...spec.values.user_definitions import UserFunction
from ...verdicts import Note, NoteKind

# So many times the steps that it took first, and no fewer than so many; after that was too long, half as many, and so
# on: as many times the steps that it usually takes to its end.
_TIMES, _LEAST, _USUALLY = 20, 1000, 4
_TOO_MANY_STEPS = "E403"


class Endless(NoAnswer):
    """A loop goes on for far longer here than where it came to its end."""


class Patience:
    """The steps that something may take: all that are left when it is run first, then many more than that took.

    Each time it is left the patience is half as long. ``what``: it, in words.
    """

    __slots__ = ("_allowed", "_ended", "_taken", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._allowed: int | None = None
        # How often it came to its end, and all steps that these took.
        self._ended = self._taken = 0

    @contextmanager
    def with_(self, machine: Machine) -> Iterator[None]:
        """Let what runs on a machine take so many steps, or be left."""
        held = machine.steps
        allowed = held if self._allowed is None else min(held, self._allowed)
        machine.steps = allowed
        try:
            yield
            took = allowed - machine.steps
            self._ended += 1
            self._taken += took
            if self._allowed is None:
                self._allowed = max(_TIMES * took, _LEAST)
        except LimitError as error:
            if error.code != _TOO_MANY_STEPS or allowed == held:
                raise
            self._allowed = max(allowed // 2, _USUALLY * self._taken // self._ended)
            now = outside()
            if isinstance(now, _Patient):
                now.left[self._what] = None
            raise Endless("a loop goes on for far longer here than at the point itself") from None
        finally:
            machine.steps += held - allowed


class _Patient(Handed):
    """The answers to the engine's questions while a program is checked: its functions go on for so long."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        # What was left, in words.
        self.left: dict[str, None] = {}

    def guarded(self, function: Any) -> Any:
        """A function of the program that ends in time, or gives no answer."""
        if type(function) is not UserFunction:
            return super().guarded(function)
        patience = _known.get(function.node)
        if patience is None:
            patience = _known[function.node] = Patience(f"{function.__qualname__} (line {function.node.lineno})")

        def called(*args: Any, **kwargs: Any) -> Any:
            with patience.with_(function.machine):
                return function(*args, **kwargs)

        return called


# By what defines a function.
_known: WeakKeyDictionary[Any, Patience] = WeakKeyDictionary()


@contextmanager
def with_patience() -> Iterator[None]:
    """Have patience with the functions of a program that was run, but not for ever."""
    before = let_say(_Patient())
    try:
        yield
    finally:
        let_say(before)


def left() -> Iterator[Note]:
    """Tell what was left so far, while there is patience with it."""
    now = outside()
    if isinstance(now, _Patient) and now.left:
        where = f"at other numbers a loop of {', '.join(now.left)}"
        yield Note(NoteKind.ENDLESS, f"{where} goes on for many times its steps here, and was left there")
