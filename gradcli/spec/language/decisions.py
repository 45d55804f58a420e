"""Decisions: which way the comparisons came out that choose what a program does, and how near the other way was.

A condition may hang on numbers in many ways: `if x.sum() > 3`, `while error.item() > 1e-9`, `if (x > 0).all()`, a flag
that was assigned before. What counts is the difference of the two sides of the comparison, wherever its numbers come
from. Of a condition that is written without such a comparison, what it reads of graphs is noted while it is evaluated:
`if x.gt(3).all()`, `if torch.allclose(x, y)`, `if x.argmax() == 2`; and so it is of a call that gives a flag its value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...engine.tape.asked import Asked, Compared
from ...engine.tape.tape import edge_of
from ...engine.tensor import Tensor, result
from ..input.parse import nodes_of, nodes_of_kind

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PLAIN = frozenset((int, float))


class Near(NamedTuple):
    """The difference of two sides that came nearest to another outcome, and what it is made of."""

    gap: float
    # What was compared.
    sides: tuple[float, float]
    # Tensors in their places in the graph, each with its sign in the difference.
    parts: list[tuple[Tensor, float]]
    # The shape of all differences, and which one it is.
    shape: tuple[int, ...]
    entry: int


class Decision:
    """A comparison, or a condition on many numbers at once, all its evaluations together.

    ``owner``: the custom Function's method that it stands in.
    """

    def __init__(self, node: ast.expr, owner: str | None) -> None:
        self.node = node
        self.owner = owner
        self.outcomes: set[bool] = set()
        # Of a comparison of two numbers one, of arrays the largest and the smallest difference.
        self.nears: dict[str, Near] = {}
        # Whether only whole numbers were compared: those made of an input do not change at once when it moves.
        self.whole = True
        # Whether it is known by its outcome only: nothing shows how near the other one is.
        self.is_blind = False


class Hanging(NamedTuple):
    """Comparisons for order that conditions hang on, each with its condition and the Function's method it is in.

    ``conditions``: all that there are outside of such methods; ``open``: those of them that may hang on any number
    that was read before; ``calls``: of a condition on flags, the calls that these were given by.
    """

    comparisons: dict[ast.expr, tuple[ast.expr, str | None]]
    conditions: set[ast.expr]
    open: set[ast.expr]
    calls: dict[ast.expr, list[ast.expr]]


class Decisions:
    """Decisions that a run made by its numbers."""

    def __init__(self, hanging: Hanging | None = None) -> None:
        self.hanging = {} if hanging is None else hanging.comparisons
        self.conditions = {condition for condition, _ in self.hanging.values()}
        if hanging is not None:
            self.conditions |= hanging.conditions
        self.open: set[ast.expr] = set() if hanging is None else hanging.open
        # The calls that gave a condition's flags, and what was read while they were made last.
        self._calls = {} if hanging is None else hanging.calls
        self.noted: dict[ast.expr, Asked | None] = {call: None for calls in self._calls.values() for call in calls}
        # The conditions that a comparison of floating numbers is written in.
        self._shown: set[ast.expr] = set()
        self.made: dict[tuple[int, ...], Decision] = {}

    def comparing(self, node: ast.Compare, link: int) -> Callable[[Any, Any, Any], None]:
        """A function that notes a comparison of numbers for their order, each time it is made."""
        condition, owner = self.hanging[node]
        known: Decision | None = None

        def compared(a: Any, b: Any, value: Any) -> None:
            nonlocal known
            if type(a) not in _PLAIN or type(b) not in _PLAIN:
                self._compared(node, link, a, b, value)
                return
            # A loop does little else.
            left, right = float(a), float(b)
            gap = left - right
            if not isfinite(gap):
                return
            if known is None:
                known = self._decision(node, link, owner)
            known.outcomes.add(value)
            if type(a) is float or type(b) is float:
                known.whole = False
                self._shown.add(condition)
            near = known.nears.get("")
            if near is None or abs(gap) < abs(near.gap):
                known.nears[""] = Near(gap, (left, right), [], (), 0)

        return compared

    def _compared(self, node: ast.Compare, link: int, a: Any, b: Any, value: Any) -> None:
        left, right = _numbers(a), _numbers(b)
        condition, owner = self.hanging[node]
        if left is None or right is None:
            return
        if owner is not None and (isinstance(a, Tensor) or isinstance(b, Tensor)):
            # Tensors that a custom Function compares are looked at with its inner ops.
            return
        with np.errstate(all="ignore"):
            difference = np.asarray(np.subtract(left, right, dtype=float))
        if not difference.size or not np.isfinite(difference).all():
            return
        if difference.size == 1:
            decision = self._decision(node, link, owner)
            decision.outcomes.add(bool(value))
            if left.dtype.kind == "f" or right.dtype.kind == "f":
                decision.whole = False
                self._shown.add(condition)
            _bring_near(decision, "", difference, 0, a, b)
        else:
            self._shown.add(condition)
            decision = self._decision(condition, -1, owner)
            decision.whole = False
            _bring_near(decision, "largest", difference, int(np.argmax(difference)), a, b)
            _bring_near(decision, "smallest", difference, int(np.argmin(difference)), a, b)

    def deciding(self, condition: ast.expr) -> Callable[[bool, Asked], None]:
        """A function that notes how a condition came out, and what it read, each time it is asked."""
        key, calls = key_of(condition, -1), self._calls.get(condition, ())

        def decided(outcome: bool, asked: Asked) -> None:
            for call in calls:
                asked.add(self.noted[call])
            decision = self.made.get(key)
            if asked.reads and condition not in self._shown:
                decision = self._decision(condition, -1, None)
                decision.whole = False
                decision.is_blind = not asked.few
                for number, made in enumerate(asked.few):
                    for name, find in ("largest", np.argmax), ("smallest", np.argmin):
                        _bring_nearer(decision, f"{name} {number}", made, int(find(made.difference)))
            if decision is not None:
                decision.outcomes.add(outcome)

        return decided

    def _decision(self, node: ast.expr, link: int, owner: str | None) -> Decision:
        key = key_of(node, link)
        if key not in self.made:
            self.made[key] = Decision(node, owner)
        return self.made[key]


def key_of(node: ast.expr, link: int) -> tuple[int, ...]:
    """A key that is the same whenever the program runs, whatever tree it was compiled from."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, link


def _numbers(x: Any) -> Any:
    """The numbers of one side of a comparison; None where there are none."""
    if isinstance(x, Tensor):
        return np.asarray(x._a) if x._a.dtype.kind in "fiu" else None
    return np.asarray(x) if isinstance(x, (int, float)) else None


def _bring_near(decision: Decision, name: str, difference: Any, entry: int, a: Any, b: Any) -> None:
    parts = tuple((x, sign) for x, sign in ((a, 1.0), (b, -1.0)) if isinstance(x, Tensor))
    _bring_nearer(decision, name, Compared(_numbers(a), _numbers(b), difference, parts), entry)


def _bring_nearer(decision: Decision, name: str, made: Compared, entry: int) -> None:
    """Keep a difference where none is known that is nearer to another outcome."""

    def at_entry(x: Any) -> float:
        return float(np.broadcast_to(x, made.difference.shape).reshape(-1)[entry])

    gap = at_entry(made.difference)
    known = decision.nears.get(name)
    if known is None or abs(gap) < abs(known.gap):
        parts = [(_placed(x), at_entry(sign)) for x, sign in made.parts]
        sides = at_entry(made.left), at_entry(made.right)
        decision.nears[name] = Near(gap, sides, parts, made.difference.shape, entry)


def _placed(x: Tensor) -> Tensor:
    """A tensor in the place in its graph that it has now."""
    made = result(x._a)
    made._node = edge_of(x)
    return made


# -- which comparisons decide --------------------------------------------------------------------


def hanging(tree: ast.AST) -> Hanging:
    """Find the conditions of a program, and the comparisons for order that they hang on."""
    conditions = list(_conditions(tree))
    if not any(True for _ in conditions):
        return Hanging({}, set(), set(), {})
    flags, given = _flags(tree), _assigned(tree, lambda value: isinstance(value, ast.Call))
    owners = _owners(tree)
    found: dict[ast.expr, tuple[ast.expr, str | None]] = {}
    for condition in conditions:
        pending: list[ast.expr] = [condition]
        seen: set[str] = set()
        while pending:
            expression = pending.pop()
            for part in ast.walk(expression):
                if isinstance(part, ast.Compare) and all(isinstance(op, _ORDERED) for op in part.ops):
                    found.setdefault(part, (condition, owners.get(part)))
                elif (name := _name(part)) is not None and name not in seen:
                    seen.add(name)
                    pending += flags.get(name, ())
    outside = {condition for condition in conditions if condition not in owners}
    calls = {condition: [call for name in _truths(condition) for call in given.get(name, ())] for condition in outside}
    return Hanging(found, outside, {condition for condition in outside if _is_open(condition)}, calls)


def _truths(condition: ast.expr) -> Iterator[str]:
    """The names that are a condition themselves, or are joined to one by `and`, `or` and `not`."""
    if isinstance(condition, ast.BoolOp):
        for value in condition.values:
            yield from _truths(value)
    elif isinstance(condition, ast.UnaryOp):
        yield from _truths(condition.operand)
    elif (name := _name(condition)) is not None:
        yield name


def _is_open(condition: ast.expr) -> bool:
    """Tell whether a condition may hang on numbers by its looks: flags and equalities do, `is None` does not."""
    if isinstance(condition, ast.BoolOp):
        return any(map(_is_open, condition.values))
    if isinstance(condition, ast.UnaryOp):
        return _is_open(condition.operand)
    if isinstance(condition, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot)) for op in condition.ops)
    if isinstance(condition, ast.Call):
        return _name(condition.func) not in ("isinstance", "hasattr", "callable", "issubclass")
    return isinstance(condition, (ast.Name, ast.Subscript, ast.NamedExpr))


def _conditions(tree: ast.AST) -> Iterator[ast.expr]:
    yield from (node.test for node in nodes_of_kind(tree, ast.If))
    yield from (node.test for node in nodes_of_kind(tree, ast.While))
    yield from (node.test for node in nodes_of_kind(tree, ast.IfExp))
    for comprehension in nodes_of_kind(tree, ast.comprehension):
        yield from comprehension.ifs


def _flags(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Expressions that truth values are given names by: what is assigned, or returned by a function of that name."""
    found = _assigned(tree, _is_truth)
    for node in nodes_of(tree):
        if isinstance(node, ast.FunctionDef):
            returned = (x.value for x in ast.walk(node) if isinstance(x, ast.Return) and x.value is not None)
            found.setdefault(node.name, []).extend(value for value in returned if _is_truth(value))
    return found


def _assigned(tree: ast.AST, chosen: Callable[[ast.expr], bool]) -> dict[str, list[ast.expr]]:
    """The chosen ones among the expressions that are assigned to each name."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes_of(tree):
        if isinstance(node, ast.Assign) and chosen(node.value):
            for name in filter(None, map(_name, node.targets)):
                found.setdefault(name, []).append(node.value)
    return found


def _name(part: ast.AST) -> str | None:
    """The name of a variable, or of an attribute whoever's it is."""
    return part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else None


def _is_truth(value: ast.expr) -> bool:
    """Tell whether an expression is a truth value by its looks."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return True
    return isinstance(value, (ast.Compare, ast.BoolOp))


def _owners(tree: ast.AST) -> dict[ast.AST, str]:
    """The parts of custom Functions' methods, with the names of these."""
    found: dict[ast.AST, str] = {}
    for node in nodes_of_kind(tree, ast.ClassDef):
        methods = [x for x in node.body if isinstance(x, ast.FunctionDef)]
        if {"forward"} < {x.name for x in methods} and not {"backward", "vjp"}.isdisjoint(x.name for x in methods):
            found |= {part: f"{node.name}.{x.name}" for x in methods for part in ast.walk(x)}
    return found
