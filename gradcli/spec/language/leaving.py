"""Generators that a program leaves half-way, and objects with a ``__del__``: what those do when nobody holds them.

The host counts references as Python does, and an environment holds what the program's does: so what is the
program's is freed here where it is there. What lies in a circle is found at a time of the host's own; its code
runs at the end, as that of those does which are there still.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...engine.guard.addresses import address
from ..input.parse import nodes_of, nodes_of_kind
from ..values.user_definitions import FREEING, UserFunction, hook_of
from .scopes import UP

if TYPE_CHECKING:
    from .compiler import Code
    from .generators import Leaving
    from .held_values import Stream

# What runs with the variables around it, later.
_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)

# Whether the host is looking for circles just now.
_searching = False


def _note_search(phase: str, info: Any) -> None:
    global _searching
    _searching = phase == "start"


class Dying:
    """An object of the program's and the ``__del__`` of its class."""

    __slots__ = ("_last", "_owner")

    def __init__(self, owner: Any, last: UserFunction) -> None:
        self._owner, self._last = owner, last

    def leave(self) -> None:
        """Run what is to be done last."""
        last = self._last
        name = f"<function {last.__qualname__} at {address(last):#x}>"
        last.machine.do_last(lambda: last(self._owner), name)


class Left:
    """The generators of a run, and the objects, that have something to do when they are left."""

    def __init__(self) -> None:
        # Once a run is over, no code of the program runs.
        self.over = False
        # What ended the program while a generator was closed, where nothing could pass it on.
        self.stopped: BaseException | None = None
        # Those that there are, none in most runs. What runs in each is held: the host would close it, and nothing of
        # the program's would run, where it finds both in a circle.
        self.begun: dict[int, tuple[ref[Leaving], Stream]] = {}
        # Whether there is a class with a `__del__`.
        self.expects_ends = False
        self._found: list[Leaving | Dying] = []

    def begins(self, running: Leaving) -> None:
        """Take note of a generator."""
        _notice_searches()
        self.begun[id(running)] = ref(running), running.stream

    def expect_ends(self) -> None:
        """Take note of a class with a ``__del__``."""
        _notice_searches()
        self.expects_ends = True

    def has_died(self, owner: Any, last: UserFunction) -> None:
        """Run the ``__del__`` of an object that nobody holds, unless nobody knows when that would be."""
        if not self.over:
            self._let_go(Dying(owner, last))

    def freed(self, running: Leaving) -> None:
        """Close a generator that nobody holds, unless nobody knows when that would be."""
        self.begun.pop(id(running), None)
        if not self.over and running.has_begun():
            self._let_go(running)

    def _let_go(self, each: Leaving | Dying) -> None:
        if _searching:
            self._found.append(each)
        else:
            each.leave()

    def leave_found(self) -> None:
        """Do what is to be done by those that the host has found in circles by now."""
        found, self._found = self._found, []
        for each in found:
            each.leave()

    def end(self, values: Iterable[Any]) -> None:
        """Close what is left, as Python does when it ends: first what the program's names stand for."""
        values = list(values)
        if self.begun or self._found:
            named = [value.source for value in values if hasattr(value, "source")]
            alive = [running for each, _ in self.begun.values() if (running := each()) is not None]
            for running in dict.fromkeys([*(each for each in named if each in alive), *self._found, *alive]):
                running.leave()
        if self.expects_ends:
            for each in self._living(values):
                each.leave()
        self.over = True
        self.begun.clear()

    def _living(self, values: list[Any]) -> Iterable[Dying]:
        """The objects that are there still and have a ``__del__`` to run: first what the program's names stand for."""
        known = set()
        for value in [*values, *(each for age in (2, 1, 0) for each in gc.get_objects(age))]:
            last = hook_of(value, FREEING)
            if last is not None and last.machine.left is self and id(value) not in known and not gc.is_finalized(value):
                known.add(id(value))
                yield Dying(value, last)


def _notice_searches() -> None:
    if _note_search not in gc.callbacks:
        gc.callbacks.append(_note_search)


def letting_go(code: Code, body: list[ast.stmt], left: Left) -> Code:
    """The code of a body, after which its environment holds no more than the functions in it can ask for.

    They hold all of it and it holds them, a circle, where in Python they hold single variables.
    """
    asked: set[str] | None = None

    def run(env: Any) -> Any:
        nonlocal asked
        value = code(env)
        if left.begun or left.expects_ends:
            asked = _asked(body) if asked is None else asked
            for name in [each for each in env if each != UP and each not in asked]:
                del env[name]
        return value

    return run


def _asked(body: list[ast.stmt]) -> set[str]:
    """The names that the functions in a body speak of."""
    inner = [node for statement in body for node in nodes_of(statement) if isinstance(node, _FUNCTIONS)]
    names = {node.id for function in inner for node in nodes_of_kind(function, ast.Name)}
    return names.union(*(node.names for function in inner for node in nodes_of_kind(function, ast.Nonlocal)))
