"""A recorded graph evaluated again, node by node, from what the tape wrote down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.engine.graph import LEAF, OUTPUT, node_of
from gradcli.engine.tape.replay import again, why_not
from gradcli.engine.tape.tape import Operand, entry_of
from gradcli.engine.tensor import Tensor


def nodes_of(*roots: Tensor) -> list[Any]:
    """The ops behind tensors, in forward order."""
    seen: set[Any] = set()
    waiting = [node_of(root._node) for root in roots]
    while waiting:
        node = waiting.pop()
        if node is not None and node.kind != LEAF and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return sorted(seen, key=lambda node: node.seq)


def replayed(root: Tensor, leaves: Mapping[Any, Any] | None = None) -> Any:
    """The numbers of a root with other numbers for the leaves, which are given by their node."""
    made: dict[Any, tuple[Any, ...]] = {}
    given = leaves or {}

    def number(value: Any) -> Any:
        if not isinstance(value, Operand) or value.node is None:
            return getattr(value, "array", value)
        return made[value.node][value.output_nr] if value.node in made else given.get(value.node, value.array)

    for node in nodes_of(root):
        entry = entry_of(node)
        assert entry is not None
        assert why_not(node) is None
        made[node] = again(node, [number(a.value) for a in entry.operands])
    edge = root._node
    return made[node_of(edge)][edge.nr if edge.kind == OUTPUT else 0]


def same(a: Any, b: Any) -> bool:
    """Whether two arrays are the same to the last bit."""
    if a is None or b is None:
        return a is b
    return bool(a.dtype == b.dtype and np.shape(a) == np.shape(b) and np.array_equal(a, b, equal_nan=True))
