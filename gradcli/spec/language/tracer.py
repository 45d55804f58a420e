"""Notes of a traced run: the place and the statement that made a node, and the program's names for its tensors."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ...engine.graph import LEAF, next_sequence_number, node_of
from ...engine.tape.backwards import Backwards
from ...engine.tape.tape import Tape, edge_of, entry_of
from ...engine.tensor import Tensor
from ...nn.modules.module import Module
from ..values.models import parameters_of
from ..values.user_definitions import Namespace, UserFunction
from .compiler import Code
from .decisions import Decisions

# What is no tensor and holds none that is looked for there.
_OTHERS = frozenset((
    int, float, bool, str, type(None), list, dict, range, FunctionType, MethodType, UserFunction, Namespace
))  # fmt: skip


class Turn:
    """One run of one statement."""

    __slots__ = ("number", "owner", "statement")

    def __init__(self, statement: ast.AST, owner: str | None, number: int) -> None:
        # A statement, or the expression that a program ends with.
        self.statement = statement
        # The function whose statement it is; None at the outermost level.
        self.owner = owner
        # The first, the second ... time that the statement runs.
        self.number = number


class Binding:
    """A name that a statement gave to what an op made."""

    __slots__ = ("name", "number", "output_nr", "rank", "statement")

    def __init__(self, name: str, turn: Turn, number: int, rank: int, output_nr: int) -> None:
        self.name = name
        self.statement = turn.statement
        # The number of the statement's run; where one run binds the name many times, which time it is.
        self.number = number
        # How much the name says.
        self.rank = rank
        self.output_nr = output_nr


def _working_part(statement: ast.AST) -> ast.AST:
    """The expression that a statement computes, of a loop or a branch before its body; else the statement."""
    match statement:
        case (
            ast.Assign(value=part) | ast.AugAssign(value=part) | ast.Expr(value=part) | ast.For(iter=part)
            | ast.If(test=part) | ast.While(test=part) | ast.AnnAssign(value=ast.expr() as part)
            | ast.Return(value=ast.expr() as part)
        ):  # fmt: skip
            return part
    return statement


# How much a name says of a leaf: the program's variable, a variable of a function, one of a loop or an attribute.
VARIABLE, LOCAL, PASSING = 0, 1, 2


class Noted:
    """A leaf: where it was first seen, and what the program called it then."""

    __slots__ = ("edge", "is_inner", "name", "number", "place", "rank", "tensor", "version")

    def __init__(self, edge: Any, tensor: Tensor, place: ast.AST, is_inner: bool) -> None:
        self.edge = edge
        self.tensor = tensor
        self.place = place
        # Whether a custom function made it for itself, of what it was given.
        self.is_inner = is_inner
        self.version = tensor._version
        # The name, how much it says (the less the more), and which time it was given there.
        self.name: str | None = None
        self.rank = 0
        self.number = 1


class Named:
    """A module, and the name that says the most of it.

    Its leaves are named in the end, when a function that made it may be over: with parameters, it is kept until then.
    """

    __slots__ = ("kept", "module", "name", "rank")

    def __init__(self, module: Module) -> None:
        self.module = weakref.ref(module)
        self.kept: Module | None = None
        self.name = ""
        self.rank = PASSING + 1

    def take(self, name: str, rank: int) -> None:
        """Take a name that says more than those before it."""
        if rank < self.rank:
            self.name, self.rank = name, rank
        module = self.module()
        if self.kept is None and module is not None and next(parameters_of(module), None) is not None:
            self.kept = module


class Tracer:
    """Notes, while a program runs, what is needed to tell its graphs in the program's own terms."""

    def __init__(
        self,
        tape: Tape,
        replace: dict[int, Any] | None = None,
        versions: dict[int, int] | None = None,
        decisions: Decisions | None = None,
    ) -> None:
        self.tape = tape
        self.backwards = tape.backwards = Backwards()
        tape.makes_leaf = self._of_transform
        # What the program decides by its numbers.
        self.decisions = Decisions() if decisions is None else decisions
        # The first sequence number after what a place made, and the place.
        self.until: list[int] = []
        self.places: list[ast.AST] = []
        self._last = next_sequence_number()
        # How many calls builtins and modules are in, and which places at what depth wait for theirs to be over.
        self._depth = 0
        self._unplaced: list[tuple[int, int]] = []
        # How often each statement ran.
        self._turns: dict[ast.AST, list[int]] = {}
        # And each name was given there.
        self._bindings: dict[tuple[ast.AST, str], list[int]] = {}
        # Leaves in the order they were made.
        self.leaves: dict[Any, Noted] = {}
        # Gives the tensor inside an array, where the program's values are arrays.
        self.tensor_in: Callable[[Any], Any] | None = None
        # The modules that names stood for, in the order in which they had one.
        self.modules: dict[int, Named] = {}
        # The last tensors that were assigned with a graph, to a variable and inside a function.
        self.last: Tensor | None = None
        self.last_local: Tensor | None = None
        # Other values for leaves, by the order in which they are made, and after how many writes they are put in.
        self._replace = replace or {}
        self._versions = versions or {}
        self._waiting: dict[int, Tensor] = {}

    # -- statements ----------------------------------------------------------------------------

    def turning(self, code: Code, statement: ast.AST, owner: str | None) -> Code:
        """Code that notes which statement runs, and for which time."""
        tape, turns = self.tape, self._turns.setdefault(statement, [0])

        def run(env: Any) -> Any:
            turns[0] += 1
            before = tape.where
            tape.where = Turn(statement, owner, turns[0])
            try:
                return code(env)
            finally:
                tape.where = before
                if self._waiting:
                    self._put_written()

        return run

    def turns_of(self, statement: ast.AST) -> int:
        """Count the runs of a statement so far."""
        return self._turns.get(statement, [0])[0]

    # -- places --------------------------------------------------------------------------------

    def note(self, value: Any, node: ast.AST) -> None:
        """Note that what was recorded since the last note came about at ``node``."""
        now = next_sequence_number()
        if now != self._last + 1:
            self.until.append(now)
            self.places.append(node)
        self._last = now
        if self._unplaced:
            self._place(node)
        kind = type(value)
        if kind in _OTHERS:
            return
        if isinstance(value, Tensor):
            self.leaf(value, node)
        elif kind is tuple:
            for item in value:
                if isinstance(item, Tensor):
                    self.leaf(item, node)
        elif isinstance(value, Module):
            for _, parameter in parameters_of(value):
                self.leaf(parameter, node)

    def called(self, code: Code) -> Code:
        """Code of the program that a builtin or a module may call, in a call of its own, which has recorded something.

        Until that call is over, what it recorded has the place of the statement.
        """

        def run(given: Any) -> Any:
            now, turn = next_sequence_number(), self.tape.where
            if now == self._last + 1:
                self._last = now
            elif turn is not None:
                self._unplaced.append((self._depth, len(self.places)))
                self.until.append(now)
                self.places.append(_working_part(turn.statement))
                self._last = now
            self._depth += 1
            try:
                return code(given)
            finally:
                self._depth -= 1

        return run

    def _place(self, node: ast.AST) -> None:
        """Note that a call is over within which the program was called."""
        while self._unplaced and self._unplaced[-1][0] >= self._depth:
            self.places[self._unplaced.pop()[1]] = node

    def leaf(self, tensor: Tensor, place: ast.AST) -> Noted | None:
        """Note a leaf when it is first seen."""
        edge = edge_of(tensor)
        if edge is None or edge.kind != LEAF:
            return None
        noted = self.leaves.get(edge)
        if noted is None:
            ordinal = len(self.leaves)
            if self._versions.get(ordinal, 0) > tensor._version:
                self._waiting[ordinal] = tensor
            elif ordinal in self._replace:
                # In memory of its own: a leaf may share what it was detached from.
                tensor._set_array(np.array(self._replace[ordinal], tensor._a.dtype))
            noted = self.leaves[edge] = Noted(edge, tensor, place, self.tape.function is not None)
        return noted

    def _of_transform(self, leaf: Tensor, of: Tensor) -> None:
        """Note a leaf that a transform made of an argument: it is called what that is."""
        turn: Turn | None = self.tape.where
        noted = None if turn is None else self.leaf(leaf, turn.statement)
        if noted is not None and of._label is not None:
            noted.name, noted.rank = of._label, VARIABLE

    def _put_written(self) -> None:
        """Put other values into leaves that have been written to as often as they were to be."""
        for ordinal, tensor in list(self._waiting.items()):
            if tensor._version >= self._versions[ordinal]:
                # In the memory that it has: it may be known under other names by now.
                tensor._memory()[...] = self._replace[ordinal]
                del self._waiting[ordinal]

    def place_of(self, seq: int) -> ast.AST | None:
        """Where the program was at a sequence number."""
        from bisect import bisect_right

        at = bisect_right(self.until, seq)
        return self.places[at] if at < len(self.places) else None

    # -- names ---------------------------------------------------------------------------------

    def binding(self, name: str, place: ast.AST, rank: int = PASSING) -> Callable[[Any], None]:
        """A function that notes that a name now stands for a value, each time it does.

        What a backward of the program's own, or a hook, calls a tensor while it runs is no name of the forward's.
        """
        tape, times = self.tape, self._bindings.setdefault((place, name), [0])

        def bind(value: Any) -> None:
            if tape.walks:
                return
            times[0] += 1
            if type(value) not in _OTHERS:
                self._bind(value if self.tensor_in is None else self.tensor_in(value), name, place, rank, times[0])

        return bind

    def _bind(self, value: Any, name: str, place: ast.AST, rank: int, number: int) -> None:
        if isinstance(value, Tensor):
            turn: Turn | None = self.tape.where
            if turn is not None and type(turn.statement) is ast.For:
                rank = PASSING
            if value._label is None and rank != PASSING:
                value._label = name
            edge = edge_of(value)
            if edge is not None and edge.kind == LEAF:
                self._name(value, name, place, number, rank)
            elif edge is not None and turn is not None:
                entry = entry_of(node_of(edge))
                nr = value.output_nr
                if entry is not None and all((name, nr) != (known.name, known.output_nr) for known in entry.bound):
                    which = number if rank == PASSING else turn.number
                    entry.bound = (*entry.bound, Binding(name, turn, which, rank, nr))
                if rank == VARIABLE:
                    self.last = value
                elif rank == LOCAL:
                    self.last_local = value
        elif isinstance(value, Module):
            named = self.modules.get(id(value))
            if named is None or named.module() is not value:
                self.modules[id(value)] = named = Named(value)
            named.take(name, rank)

    def _name(self, tensor: Tensor, name: str, place: ast.AST, number: int, rank: int) -> None:
        noted = self.leaf(tensor, place)
        if noted is not None and (noted.name is None or rank < noted.rank):
            noted.name, noted.rank, noted.number = name, rank, number
