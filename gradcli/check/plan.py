"""A recorded graph, evaluated again at other values of its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.graph import LEAF, node_of
from ..engine.replay import again, why_not
from ..engine.tape import Operand, entry_of
from ..engine.tensor import Tensor


class Unreplayable(Exception):
    """A graph that cannot be evaluated again: at which node, and why."""

    def __init__(self, node: Any, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class Plan:
    """The graph between some tensors and some leaves, recorded on a tape, ready to be evaluated again.

    ``at``: the numbers of the leaves when the graph was recorded.
    """

    def __init__(self, roots: Sequence[Tensor], leaves: Sequence[Tensor]) -> None:
        self.roots = [root._node for root in roots]
        self.leaves = [leaf._node for leaf in leaves]
        self.at: list[Any] = [leaf._a for leaf in leaves]
        self._constants = {i: root._a for i, root in enumerate(roots) if root._node is None}
        self.nodes = _between(self.roots)
        for node in self.nodes:
            reason = why_not(node)
            if reason is not None:
                raise Unreplayable(node, reason)

    def outputs(self, arrays: Sequence[Any]) -> list[Any]:
        """The numbers of the roots when the leaves have these: of another dtype, too, such as complex."""
        values = self.values(arrays)
        return [self._constants[i] if edge is None else values[_key(edge)] for i, edge in enumerate(self.roots)]

    def values(self, arrays: Sequence[Any]) -> dict[Any, Any]:
        """The numbers of all leaves (by leaf) and of all outputs of nodes (by node and output number)."""
        found: dict[Any, Any] = dict(zip(self.leaves, arrays, strict=True))
        with np.errstate(all="ignore"):
            for node in self.nodes:
                entry = entry_of(node)
                assert entry is not None
                given = [_value(a.value, found) for a in entry.operands]
                for nr, made in enumerate(again(node, given)):
                    found[node, nr] = made
        return found


def _key(edge: Any) -> Any:
    """Where the value that an edge leads to is found."""
    return edge if edge.kind == LEAF else (node_of(edge), getattr(edge, "nr", 0))


def _value(x: Any, found: dict[Any, Any]) -> Any:
    if type(x) is not Operand:
        return x
    edge = x.edge
    if edge is None:
        return x.array
    key = edge if edge.kind == LEAF else (x.node, x.output_nr)
    return found.get(key, x.array)


def _between(roots: Sequence[Any]) -> list[Any]:
    """The nodes that roots were computed by, in the order in which they were recorded."""
    seen: set[Any] = set()
    stack = [node_of(edge) for edge in roots if edge is not None and edge.kind != LEAF]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        entry = entry_of(node)
        if entry is None:
            raise Unreplayable(node, why_not(node) or "")
        for argument in entry.operands:
            x = argument.value
            if type(x) is Operand and x.edge is not None and x.edge.kind != LEAF and x.node not in seen:
                stack.append(x.node)
    return sorted(seen, key=lambda node: node._sequence_nr())
