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
from .inside_function import Inside, inside
from .only_ops import is_pure
from .plan import Plan, Unreplayable
from .subject import Subject

Array = np.ndarray[Any, Any]


def insides(plan: Plan, nodes: Iterable[FunctionNode], rng: np.random.Generator) -> Iterator[tuple[Any, Inside]]:
    """The inside of each of some Functions of a graph that may do otherwise than one before it."""
    seen: dict[FunctionNode, Inside] = plan.kept.setdefault(inside, {})
    straight: list[FunctionNode] = []
    for node in nodes:
        if any(_do_the_same(plan, node, other) for other in straight):
            continue
        if node not in seen:
            seen[node] = inside(node, node.function, rng)
        if not seen[node].watch.varies:
            straight.append(node)
        yield node, seen[node]


def _do_the_same(plan: Plan, node: FunctionNode, other: FunctionNode) -> bool:
    """Tell whether two applications of a Function do the same, unless their numbers choose otherwise."""
    own, its = plan.functions.get(node), plan.functions.get(other)
    return own is not None and its is not None and own.is_like(its)


class Known:
    """The Functions of a program that were looked at, which tell of others with much the same numbers."""

    def __init__(self, subject: Subject, rng: np.random.Generator) -> None:
        try:
            self._plan = subject.plan
        except Unreplayable:
            self._plan = None
        self._rng = rng
        self._looked_at: list[FunctionNode] = []

    def tells_of(self, node: FunctionNode) -> bool:
        """Tell whether one that is known tells of a Function, too; else this is known from now on."""
        if self._plan is None:
            return False
        alike = [x for x in self._looked_at if _do_the_same(self._plan, node, x)]
        if any(map(self.is_straight, alike)) and any(_is_among(node, x) for x in alike):
            return True
        self._looked_at.append(node)
        return False

    def is_straight(self, node: FunctionNode) -> bool:
        """Tell whether a Function is known to do the same whatever its numbers are, and whenever it is called."""
        if self._plan is None or not is_pure(node.function):
            return False
        return not any(seen.watch.varies for _, seen in insides(self._plan, [node], self._rng))


def _is_among(node: FunctionNode, other: FunctionNode) -> bool:
    """Tell whether the numbers that one is given are none that the other could not as well have been given."""
    pairs = zip(_arrays(node), _arrays(other), strict=True)
    return all(_has_one_kind(a, b) for a, b in pairs if a.size and a.dtype.kind == "f")


def _arrays(node: FunctionNode) -> list[Array]:
    entry = entry_of(node)
    assert entry is not None
    return [np.asarray(x.array) for x in entry.args if type(x) is Operand]


def _has_one_kind(a: Array, b: Array) -> bool:
    """Tell whether numbers are of signs that others have, too, and lie no further away than those are apart."""
    low, high = float(b.min()), float(b.max())
    if not all(np.any(b == sign) or not np.any(a == sign) for a, b in ((np.sign(a), np.sign(b)),) for sign in (-1, 0, 1)):
        return False
    return bool(low - (high - low) <= a.min() and a.max() <= high + (high - low))
