"""Running a module that is written in the spec language, for the program that imports it."""

from __future__ import annotations

from typing import Any

from ...errors import Source
from ..library import tree_of
from ..stdlib.builtin_types import FOR_CLASSES
from .interpreter import Interpreter
from .machine import Machine
from .scopes import global_names


class Inner(Machine):
    """The machine of a module: what it does is counted, and bounded, as the doing of the program that imports it."""

    def __init__(self, outer: Machine, module: str) -> None:
        self.outer = outer
        self.source = Source(module, "")
        self.limits = outer.limits
        self.deepest = outer.deepest
        self.budget = outer.budget
        self.globals = {}
        self.builtins = {**outer.builtins, **FOR_CLASSES}
        self.wide = False
        # Of its functions a program calls few.
        self.compiles_all = False
        # What it computes is no step of the program's, and its loops are none of the program's.
        self.tracer = None
        self.rounds = None
        self.last = None
        self.all_of = []
        # What begins with an underscore is known to us alone.
        self.module = None if module.startswith("_") else module

    def write(self, text: str) -> None:
        """Print what the module prints."""
        self.outer.write(text)

    @property
    def steps(self) -> int:
        """The steps that are left to the program."""
        return self.outer.steps

    @steps.setter
    def steps(self, n: int) -> None:
        self.outer.steps = n

    @property
    def depth(self) -> int:
        """The number of calls that the program is inside of."""
        return self.outer.depth

    @depth.setter
    def depth(self, n: int) -> None:
        self.outer.depth = n

    @property
    def handling(self) -> list[BaseException]:
        """The exceptions that the program is dealing with."""
        return self.outer.handling

    @handling.setter
    def handling(self, errors: list[BaseException]) -> None:
        self.outer.handling = errors


class Library:
    """The modules that one run of a program has imported."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._tables: dict[str, dict[Any, Any]] = {}

    def end(self) -> None:
        """Call what the program wants called when it has come to its end."""
        if "atexit" in self._tables:
            self._tables["atexit"]["_run_exitfuncs"]()

    def __call__(self, module: str) -> dict[Any, Any]:
        """The names of a module, which runs when it is first asked for one."""
        if module not in self._tables:
            machine = Inner(self.machine, module)
            tree = tree_of(module)
            self._tables[module] = machine.globals
            Interpreter(machine, global_names(tree)).program(tree)(machine.globals)
        return self._tables[module]
