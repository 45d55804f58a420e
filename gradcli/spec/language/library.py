"""Running a module that is written in the spec language, for the program that imports it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...errors import Source, SpecError
from ..library import tree_of
from ..stdlib.builtin_types import FOR_CLASSES
from ..values.user_definitions import BOUND, MISSING, Namespace, is_special
from .interpreter import Interpreter
from .machine import Machine
from .scopes import global_names

if TYPE_CHECKING:
    from ..input.whole import Beside

# Where the classes of a module without a public name say that they are from.
_HOMES = {"_objects": "numpy", "_pickle": "_pickle", "_tables": "pandas"}
# Modules whose numbers a program computes with as it does with its own: doubles where it is checked in doubles.
_OF_DATA = ("_environments", "gymnasium", "gymnasium.spaces")


class Inner(Machine):
    """The machine of a module: what it does is counted, and bounded, as the doing of the program that imports it."""

    def __init__(self, outer: Machine, module: str) -> None:
        self.outer = outer
        self.source = Source(module, "")
        self.limits = outer.limits
        self.deepest = outer.deepest
        self.budget = outer.budget
        self.left = outer.left
        self.globals = {}
        self.builtins = {**outer.builtins, **FOR_CLASSES}
        self.wide = outer.wide and module in _OF_DATA
        # Of its functions a program calls few.
        self.compiles_all = False
        # What it computes is no step of the program's, and its loops are none of the program's.
        self.tracer = None
        self.rounds = None
        self.last = None
        self.all_of = []
        self.own = {}
        # What begins with an underscore is known to us alone.
        self.module = _HOMES.get(module.partition(".")[0]) if module.startswith("_") else module

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


class OfProgram(Inner):
    """The machine of a module of the program's own: what it does is shown, and checked, as the program's doing."""

    def __init__(self, outer: Machine, source: Source, module: str) -> None:
        super().__init__(outer, module)
        self.source, self.module = source, module
        self.wide, self.compiles_all = outer.wide, outer.compiles_all
        self.tracer, self.rounds = outer.tracer, outer.rounds
        self.library, self.own = outer.library, outer.own
        # What it prints the program prints, and is counted there as well.
        self._write, self.room = outer.write, outer.limits.output

    write = Machine.write


class OwnModule:
    """A module beside a program, which runs once, when it is imported."""

    def __init__(self, outer: Machine, tree: Beside) -> None:
        self.outer, self.tree = outer, tree
        self._names: dict[Any, Any] = {}
        self._begun = False
        self.space = Namespace(tree.name, self._find, self._listed, self._set, is_own=True)

    def __call__(self) -> Namespace:
        """The module, which has run, or is running."""
        if self._begun:
            return self.space
        if self.tree.error is not None:
            raise self.tree.error
        self._begun = True
        machine = OfProgram(self.outer, self.tree.source, self.tree.name)
        self._names = machine.globals
        try:
            Interpreter(machine, global_names(self.tree)).program(self.tree)(machine.globals)
        except BaseException:
            # Whoever imports it once more has it run again.
            self._begun = False
            raise
        return self.space

    def _find(self, name: str) -> Any:
        if is_special(name) and name not in BOUND:
            return {"__name__": self.tree.name, "__file__": self.tree.source.name}.get(name, MISSING)
        inner = self.outer.own.get(f"{self.tree.name}.{name}")
        found = self._names.get(name, MISSING)
        return inner.space if found is MISSING and inner is not None and inner._begun else found

    def _listed(self) -> list[str]:
        return [name for name in self._names if type(name) is str]

    def _set(self, name: str, value: Any) -> None:
        if is_special(name):
            raise SpecError(f"{self.tree.name}.{name} cannot be assigned to", code="E205")
        self._names[name] = value


def modules_of(machine: Machine, tree: ast.Module) -> dict[str, OwnModule]:
    """The modules beside a program that one run of it may import."""
    return {module.name: OwnModule(machine, module) for module in getattr(tree, "beside", ())}


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
