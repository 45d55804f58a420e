"""Between the ops: where a gradient goes wrong though each op alone is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from ...engine.dtypes import limits_of
from ...engine.graph import CUT, LEAF, OUTPUT, MultiNode, Output, node_of
from ...engine.modes import no_grad
from ...engine.numeric.halves import converted
from ...engine.tape.tape import entry_of
from ...engine.tensor import Tensor, result
from ...graph.view.gradients import Gradients, fitted, gradients
from ...graph.view.several import Several
from ..arrays import Array
from ..judging.one_derivative import judge
from ..judging.verdict import BLAMED, Judged
from ..replay.line import Line
from ..replay.plan import Plan, Unreplayable
from ..slopes.magnitude import rms

# What a sum may differ by from the same in another order, of the largest share.
_ROUNDING = 1e-12


class Reason(StrEnum):
    """Why what arrives is not the gradient."""

    # A hook of the program's made something else of it.
    HOOK = "hook"
    # What arrives is not the sum of what was passed on.
    SUM = "sum"
    # All is as it should be, and the adjoint is wrong all the same.
    NONE = "none"


class Cut(NamedTuple):
    """The place nearest to the output where a gradient goes wrong."""

    # A node or a leaf, and of which of its outputs.
    node: Any
    output_nr: int
    reason: Reason
    # The nodes whose shares meet here.
    consumers: tuple[Any, ...]
    # What was found of the adjoint, where that was looked at.
    judged: Judged | None = None


def cut(
    root: Tensor, weights: Array, nodes: Sequence[Any], leaves: Sequence[Any], rng: np.random.Generator
) -> Cut | None:
    """Where, from the output back, a gradient is first wrong.

    ``nodes``: in forward order, those between the output and the leaves that are wrong; ``leaves``: those.
    """
    start = Several([root], [result(converted(np.array(weights), root._a.dtype)[()])])
    seen = gradients(start, nodes, leaves)
    if seen.failure is not None:
        return None
    edges = _Edges(root, weights, nodes, leaves, seen)
    return edges.changed() or edges.wrong(rng)


class _Edges:
    """The gradients that arrived at the values of a graph, beside those that were passed on to them."""

    def __init__(
        self, root: Tensor, weights: Array, nodes: Sequence[Any], leaves: Sequence[Any], seen: Gradients
    ) -> None:
        self.root = root
        self.weights = weights
        self.nodes = nodes
        self.leaves = leaves
        self.seen = seen
        # By node or leaf and output: the edges that lead there, with the node they are of and their place in it.
        self.leading: dict[tuple[Any, int], list[tuple[Any, int]]] = {}
        for node in nodes:
            for slot, edge in enumerate(node.edges):
                if edge is not None and edge.kind != CUT:
                    self.leading.setdefault(_key(edge), []).append((node, slot))

    # -- bookkeeping ---------------------------------------------------------------------------

    def changed(self) -> Cut | None:
        """Where what arrived is not the sum of what was passed on, or what was passed on not what the op says."""
        for node in reversed(self.nodes):
            for nr, arrived in enumerate(self.seen.of.get(node, ())):
                found = self._differs(node, nr, arrived)
                if found is not None:
                    return found
            if self._hooked(node):
                return Cut(node, 0, Reason.HOOK, (node,))
        for leaf in self.leaves:
            if leaf in self.seen.leaves:
                found = self._differs(leaf, 0, self.seen.leaves[leaf])
                if found is not None:
                    return found
        return None

    def _differs(self, node: Any, nr: int, arrived: Array | None) -> Cut | None:
        shares = list(self._shares(node, nr))
        if arrived is None or not shares:
            return None
        with np.errstate(all="ignore"):
            total = sum(shares[1:], shares[0])
            room = _rounding(arrived) * sum(np.abs(share) for share in shares)
            same = (np.abs(total - arrived) <= room) | (total == arrived) | ~np.isfinite(total)
        if np.all(same):
            return None
        extra = node.extra
        hooks = (extra is not None and (extra.tensor or extra.pre)) or (node.kind == LEAF and node.hooks)
        consumers = tuple(consumer for consumer, _ in self.leading.get((node, nr), ()))
        return Cut(node, nr, Reason.HOOK if hooks else Reason.SUM, consumers)

    def _shares(self, node: Any, nr: int) -> Iterator[Array]:
        """The gradients that are passed on to a value."""
        if _key(self.root._node) == (node, nr):
            yield np.asarray(self.weights)
        for consumer, slot in self.leading.get((node, nr), ()):
            along = self.seen.along.get(consumer)
            share = None if along is None else along[slot]
            if share is not None:
                edge = consumer.edges[slot]
                passed = fitted(np.asarray(share), edge.shape, edge.dtype)
                yield np.asarray(passed, np.complex128 if passed.dtype.kind == "c" else np.float64)

    def _hooked(self, node: Any) -> bool:
        """Tell whether a hook behind a node changed what it passes on."""
        if node.extra is None or not node.extra.post or node not in self.seen.of:
            return False
        given = [None if g is None else g for g in self.seen.of[node]]
        with no_grad(), np.errstate(all="ignore"):
            own = list(node.run(given if isinstance(node, MultiNode) else given[0], node.edges))
        return any(
            share is not None and not np.array_equal(np.asarray(share), np.asarray(after), equal_nan=True)
            for share, after in zip(own, self.seen.along[node], strict=True)
        )

    # -- adjoints --------------------------------------------------------------------------------

    def wrong(self, rng: np.random.Generator) -> Cut | None:
        """The first value whose adjoint is wrong, from the output back."""
        for node in reversed(self.nodes):
            for nr, arrived in enumerate(self.seen.of.get(node, ())):
                if arrived is not None and _key(self.root._node) != (node, nr):
                    judged = self._judged(node, nr, arrived, rng)
                    if judged is not None:
                        return self._cut(node, nr, judged)
        for leaf in self.leaves:
            judged = self._judged(leaf, 0, self.seen.leaves.get(leaf), rng)
            if judged is not None:
                return self._cut(leaf, 0, judged)
        return None

    def _cut(self, node: Any, nr: int, judged: Judged) -> Cut:
        consumers = dict.fromkeys(consumer for consumer, _ in self.leading.get((node, nr), ()))
        return Cut(node, nr, Reason.NONE, tuple(consumers), judged)

    def _judged(self, node: Any, nr: int, arrived: Array | None, rng: np.random.Generator) -> Judged | None:
        """The worst found of the adjoint of a value, along all of it together and along random directions."""
        value = self._value(node, nr)
        if value is None or value._a.dtype.kind != "f":
            return None
        claim = np.zeros(value._a.shape) if arrived is None else np.asarray(arrived, np.float64)
        try:
            plan = Plan([self.root], [value])
            for direction in self._directions(np.asarray(value._a, np.float64), rng):
                with np.errstate(all="ignore"):
                    claimed = float((claim * direction).sum())
                judged = judge(Line(plan, [direction], [self.weights]), np.array([claimed]))[0]
                if judged.verdict in BLAMED:
                    return judged
        except Unreplayable:
            return None
        return None

    @staticmethod
    def _directions(a: Array, rng: np.random.Generator) -> Iterator[Array]:
        usual = rms(a)
        yield np.asarray(rng.standard_normal(a.shape) * np.where(a == 0, usual, np.abs(a)))
        yield np.asarray(rng.standard_normal(a.shape) * usual)

    def _value(self, node: Any, nr: int) -> Tensor | None:
        """A value of the graph, in its place."""
        if node.kind == LEAF:
            leaf: Tensor = node.variable
            return leaf
        entry = entry_of(node)
        a = None if entry is None else entry.outputs[nr]
        if a is None:
            return None
        value = result(a)
        value._node = Output(node, nr, np.asarray(a)) if isinstance(node, MultiNode) else node
        return value


def _rounding(a: Array) -> float:
    """The share of a sum of this width by which it may differ."""
    return _ROUNDING * float(limits_of(a.dtype).eps / limits_of(np.float64).eps) if a.dtype.kind in "fc" else _ROUNDING


def _key(edge: Any) -> tuple[Any, int]:
    """The value that an edge leads to."""
    return node_of(edge), edge.nr if edge.kind == OUTPUT else 0
