"""Decisions: which way the comparisons came out that choose what a program does, and how near the other way was.

A condition may hang on numbers in many ways: `if x.sum() > 3`, `while error.item() > 1e-9`, `if (x > 0).all()`, a flag
that was assigned before. What counts is the difference of the two sides of the comparison, wherever its numbers come
from. Nothing is noted of programs that choose nothing by an order of numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...engine.tape.tape import edge_of
from ...engine.tensor import Tensor, result
from ..input.parse import nodes_of

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


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


class Decisions:
    """Decisions that a run made by its numbers; ``hanging``: comparisons, each with the condition it is for."""

    def __init__(self, hanging: dict[ast.expr, tuple[ast.expr, str | None]]) -> None:
        self.hanging = hanging
        self.conditions = {condition for condition, _ in hanging.values()}
        self.made: dict[tuple[int, ...], Decision] = {}

    def compared(self, node: ast.Compare, link: int, a: Any, b: Any, value: Any) -> None:
        """Note a comparison of numbers for their order."""
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
            decision.whole &= left.dtype.kind != "f" and right.dtype.kind != "f"
            _bring_near(decision, "", difference, 0, a, b)
        else:
            decision = self._decision(condition, -1, owner)
            decision.whole = False
            _bring_near(decision, "largest", difference, int(np.argmax(difference)), a, b)
            _bring_near(decision, "smallest", difference, int(np.argmin(difference)), a, b)

    def decided(self, condition: ast.expr, outcome: bool) -> None:
        """Note how a condition came out."""
        decision = self.made.get(_key(condition, -1))
        if decision is not None:
            decision.outcomes.add(outcome)

    def _decision(self, node: ast.expr, link: int, owner: str | None) -> Decision:
        key = _key(node, link)
        if key not in self.made:
            self.made[key] = Decision(node, owner)
        return self.made[key]


def _key(node: ast.expr, link: int) -> tuple[int, ...]:
    """A key that is the same whenever the program runs, whatever tree it was compiled from."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, link


def _numbers(x: Any) -> Any:
    """The numbers of one side of a comparison; None where there are none."""
    if isinstance(x, Tensor):
        return np.asarray(x._a) if x._a.dtype.kind in "fiu" else None
    return np.asarray(x) if isinstance(x, (int, float)) else None


def _bring_near(decision: Decision, name: str, difference: Any, entry: int, a: Any, b: Any) -> None:
    gap = float(difference.reshape(-1)[entry])
    known = decision.nears.get(name)
    if known is None or abs(gap) < abs(known.gap):
        parts = [(_placed(x), sign) for x, sign in ((a, 1.0), (b, -1.0)) if isinstance(x, Tensor)]
        sides = [float(np.broadcast_to(_numbers(x), difference.shape).reshape(-1)[entry]) for x in (a, b)]
        decision.nears[name] = Near(gap, (sides[0], sides[1]), parts, difference.shape, entry)


def _placed(x: Tensor) -> Tensor:
    """A tensor in the place in its graph that it has now."""
    made = result(x._a)
    made._node = edge_of(x)
    return made


# -- which comparisons decide --------------------------------------------------------------------


def hanging(tree: ast.AST) -> dict[ast.expr, tuple[ast.expr, str | None]]:
    """Comparisons for order that conditions hang on: each with its condition, and the Function's method it is in."""
    conditions = list(_conditions(tree))
    if not any(True for _ in conditions):
        return {}
    flags = _flags(tree)
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
    return found


def _conditions(tree: ast.AST) -> Iterator[ast.expr]:
    for node in nodes_of(tree):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs


def _flags(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Expressions that truth values are given names by: what is assigned, or returned by a function of that name."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes_of(tree):
        if isinstance(node, ast.Assign) and _is_truth(node.value):
            for name in filter(None, map(_name, node.targets)):
                found.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.FunctionDef):
            returned = (x.value for x in ast.walk(node) if isinstance(x, ast.Return) and x.value is not None)
            found.setdefault(node.name, []).extend(value for value in returned if _is_truth(value))
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
    for node in nodes_of(tree):
        if isinstance(node, ast.ClassDef):
            methods = [x for x in node.body if isinstance(x, ast.FunctionDef)]
            if {"forward"} < {x.name for x in methods} and not {"backward", "vjp"}.isdisjoint(x.name for x in methods):
                found |= {part: f"{node.name}.{x.name}" for x in methods for part in ast.walk(x)}
    return found
