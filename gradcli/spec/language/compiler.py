"""The base of the compiler: the current scope and source, and the dispatch from a node to its code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ...engine.tensor import Tensor
from ...errors import SpecError
from ..input.parse import span_of
from ..stdlib.iteration import iterate
from .machine import Machine
from .operators import Binary, binary_operators, comparisons, unary_operators
from .scopes import Scope

# What a node becomes: handed the environment it computes its value, or does what it says.
Code = Callable[[dict[Any, Any]], Any]

E = TypeVar("E", bound=Exception)
F = TypeVar("F", bound=Callable[..., Any])

# What Python has and the language has not.
_ABSENT = {
    "AsyncFor": "async loops",
    "AsyncFunctionDef": "async functions",
    "AsyncWith": "async with",
    "Await": "await",
    "TypeAlias": "type statements",
}


def nothing(env: Any) -> None:
    """Do nothing."""


class Compiler:
    """Turns syntax into closures, by the function that `compiles` each kind of node: the other files have them."""

    def __init__(self, machine: Machine, bound: set[str]) -> None:
        self.machine = machine
        # The names that the program or its inputs bind at the outermost level.
        self.bound = bound
        self.scope = Scope("module", None)
        # What a program reads of itself: its words at its head, and the name of its file, without the way to it.
        self.doc: str | None = None
        name = machine.source.name
        self.file = None if name.startswith("<") else name.replace("\\", "/").rpartition("/")[2]
        # The class, and the dotted path of functions and classes, that the compiler is inside of.
        self.owner: str | None = None
        self.path: tuple[str, ...] = ()
        self.in_function = False
        # The number of functions that were met so far.
        self.functions = 0
        self.in_loop = False
        # Whether it depends on a condition if a statement runs, and whether the program is ready for what it lacks.
        self.in_branch = self.optional = False
        # Whether it is ready for a name that a module has not.
        self.does_without = False
        # The first parameter of the method that is being compiled.
        self.first_parameter: str | None = None
        # The nodes with a `yield` in them, of the functions seen so far.
        self.paused: set[ast.AST] = set()
        self.binary = binary_operators(machine)
        self.unary = unary_operators(machine)
        self.compare = comparisons(machine)

    def code(self, node: ast.AST) -> Code:
        """Compile a node into a closure that does what the node says."""
        form = FORMS.get(type(node))
        if form is None:
            kind = type(node).__name__
            absent = _ABSENT.get(kind, kind)
            raise self.placed(
                SpecError(f"the spec language has no {absent}", help="`gradcli explain E102` lists what it has"), node
            )
        code = form(self, node)
        return self.turning(code, node) if isinstance(node, ast.stmt) else code

    def turning(self, code: Code, statement: ast.AST) -> Code:
        """Code that, in a traced run, notes which statement runs."""
        tracer = self.machine.tracer
        if tracer is None or code is nothing:
            return code
        return tracer.turning(code, statement, self.path[-2] if self.in_function else None)

    def called(self, code: Code) -> Code:
        """Code that builtins and modules may call: in a traced run, what these recorded until then is theirs."""
        tracer = self.machine.tracer
        return code if tracer is None else tracer.called(code)

    def framed(self, code: F, kind: str, node: ast.AST, name: str) -> F:
        """Code of which, where frames are wanted, every run is one."""
        tracer = self.machine.tracer
        if tracer is None or not tracer.tape.frames.wanted:
            return code
        made: F = tracer.tape.frames.within(kind, node, name, code)  # type: ignore[assignment]
        return made

    def placed(self, error: E, node: ast.AST) -> E:
        """An error with its place."""
        error.span = span_of(self.machine.source, node)  # type: ignore[attr-defined]
        return error

    def refused(self, node: ast.AST, message: str, code: str = "E102", help: str | None = None) -> SpecError:
        """The error for what the language has not."""
        return self.placed(SpecError(message, help=help, code=code), node)

    def iterating(self, node: ast.AST) -> Callable[[Any], Iterator[Any]]:
        """A function that iterates over the value of an expression.

        In a traced run it notes that a tensor is taken apart there: else that would be told of what is computed next.
        """
        tracer = self.machine.tracer
        if tracer is None:
            return iterate
        note = tracer.note

        def noting(value: Any) -> Iterator[Any]:
            items = iterate(value)
            if isinstance(value, Tensor):
                note(None, node)
            return items

        return noting

    def traced(self, code: Code, node: ast.AST) -> Code:
        """Code that, in a traced run, notes what it recorded."""
        tracer = self.machine.tracer
        if tracer is None:
            return code
        note = tracer.note

        def run(env: Any) -> Any:
            value = code(env)
            note(value, node)
            return value

        return run

    def noting(self, operate: Binary, node: ast.AST) -> Binary:
        """A function of two values that, in a traced run, notes what it recorded."""
        tracer = self.machine.tracer
        if tracer is None:
            return operate
        note = tracer.note

        def run(a: Any, b: Any) -> Any:
            value = operate(a, b)
            note(value, node)
            return value

        return run


FORMS: dict[type[ast.AST], Callable[[Compiler, Any], Code]] = {}


def compiles(*kinds: type[ast.AST]) -> Callable[[F], F]:
    """Declare the function that compiles some kinds of nodes."""

    def declare(form: F) -> F:
        FORMS.update(dict.fromkeys(kinds, form))
        return form

    return declare
