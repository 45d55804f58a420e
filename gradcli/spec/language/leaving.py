"""Generators that a program leaves half-way: what their ``finally`` and ``with`` do runs when nobody holds them.

The host counts references as Python does, and an environment holds what the program's does: so a generator of the
program's is freed here where it is there. One that lies in a circle is found at a time of the host's own; its code
runs at the end, as that of those does which are there still.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..input.parse import nodes_of, nodes_of_kind
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


class Left:
    """The generators of a run that have something to do when they are left."""

    def __init__(self) -> None:
        # Once a run is over, no code of the program runs.
        self.over = False
        # What ended the program while a generator was closed, where nothing could pass it on.
        self.stopped: BaseException | None = None
        # Those that there are, none in most runs. What runs in each is held: the host would close it, and nothing of
        # the program's would run, where it finds both in a circle.
        self.begun: dict[int, tuple[ref[Leaving], Stream]] = {}
        self._found: list[Leaving] = []

    def begins(self, running: Leaving) -> None:
        """Take note of a generator."""
        if _note_search not in gc.callbacks:
            gc.callbacks.append(_note_search)
        self.begun[id(running)] = ref(running), running.stream

    def freed(self, running: Leaving) -> None:
        """Close a generator that nobody holds, unless nobody knows when that would be."""
        self.begun.pop(id(running), None)
        if self.over or not running.has_begun():
            return
        if _searching:
            self._found.append(running)
        else:
            running.leave()

    def end(self, values: Iterable[Any]) -> None:
        """Close what is left, as Python does when it ends: first what the program's names stand for."""
        if self.begun or self._found:
            named = [value.source for value in values if hasattr(value, "source")]
            alive = [running for each, _ in self.begun.values() if (running := each()) is not None]
            for running in dict.fromkeys([*(each for each in named if each in alive), *self._found, *alive]):
                running.leave()
        self.over = True
        self.begun.clear()


def letting_go(code: Code, body: list[ast.stmt], left: Left) -> Code:
    """The code of a body, after which its environment holds no more than the functions in it can ask for.

    They hold all of it and it holds them, a circle, where in Python they hold single variables.
    """
    asked: set[str] | None = None

    def run(env: Any) -> Any:
        nonlocal asked
        value = code(env)
        if left.begun:
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
