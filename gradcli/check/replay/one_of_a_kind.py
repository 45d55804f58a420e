"""Applications of one Function that do the same, but with other numbers: what is found of one is known of all.

They are given arguments of the same shapes and dtypes, and where forward and backward of the first choose nothing by
their numbers, so do those of all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tape.entry import Operand, entry_of
from ...errors import raised_by_program
from .inside_function import Inside, inside
from .only_ops import is_pure
from .plan import Plan, Unreplayable
from .subject import Subject

Array = np.ndarray[Any, Any]


def insides(plan: Plan, nodes: Iterable[FunctionNode], rng: np.random.Generator) -> Iterator[tuple[Any, Inside]]:
    """The inside of each of some Functions of a graph that may do otherwise than one before it."""
    straight: list[FunctionNode] = []
    for node in nodes:
        if any(_do_the_same(plan, node, other) for other in straight):
            continue
        recorded = plan.functions.get(node)
        seen = inside(node, node.function, rng) if recorded is None else recorded.seen(rng)
        if not seen.watch.varies:
            straight.append(node)
        yield node, seen


def are_straight(subject: Subject, own: Iterable[FunctionNode], rng: np.random.Generator) -> bool:
    """Tell whether Functions are known to do the same whatever their numbers are, and whenever they are called."""
    own = list(own)
    try:
        return all(is_pure(x.function) for x in own) and all(
            not seen.watch.varies for _, seen in insides(subject.plan, own, rng)
        )
    except Unreplayable:
        return False
    except raised_by_program():
        # What is wrong with a forward that stops, others tell.
        return False


def _do_the_same(plan: Plan, node: FunctionNode, other: FunctionNode) -> bool:
    """Tell whether two applications of a Function do the same, unless their numbers choose otherwise."""
    own, its = plan.functions.get(node), plan.functions.get(other)
    return own is not None and its is not None and own.is_like(its)


class Known:
    """The Functions of a program that were looked at, which tell of others with much the same numbers."""

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        self._subject = subject
        self._rng = rng
        self._looked_at: list[FunctionNode] = []

    def tells_of(self, node: FunctionNode) -> bool:
        """Tell whether one that is known tells of a Function, too; else this is known from now on."""
        try:
            alike = [x for x in self._looked_at if _do_the_same(self._subject.plan, node, x)]
        except Unreplayable:
            return False
        if any(map(self.is_straight, alike)) and any(_is_among(node, x) for x in alike):
            return True
        self._looked_at.append(node)
        return False

    def is_straight(self, node: FunctionNode) -> bool:
        """Tell whether a Function is known to do the same whatever its numbers are, and whenever it is called."""
        return are_straight(self._subject, [node], self._rng)


def _is_among(node: FunctionNode, other: FunctionNode) -> bool:
    """Tell whether the numbers that one is given are none that the other could not as well have been given."""
    pairs = zip(_arrays(node), _arrays(other), strict=True)
    return all(_are_of_one_kind(a, b) for a, b in pairs if a.size and a.dtype.kind == "f")


def extent(node: FunctionNode) -> tuple[int, float]:
    """A measure of what the numbers of one tell of those of others: by the operands of both signs, then by size."""
    given = [a for a in _arrays(node) if a.size and a.dtype.kind == "f"]
    return sum(a.min() < 0 < a.max() for a in given), max((float(np.abs(a).max()) for a in given), default=0.0)


def _arrays(node: FunctionNode) -> list[Array]:
    entry = entry_of(node)
    assert entry is not None
    return [np.asarray(x.array) for x in entry.args if type(x) is Operand]


def _are_of_one_kind(a: Array, b: Array) -> bool:
    """Tell whether numbers are of signs that others have, too, and lie no further away than those are apart."""
    if set(np.sign(a).reshape(-1).tolist()) - set(np.sign(b).reshape(-1).tolist()):
        return False
    low, high = float(b.min()), float(b.max())
    return bool(low - (high - low) <= a.min() and a.max() <= high + (high - low))
