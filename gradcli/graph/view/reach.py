"""The nodes that a graph has, from its root on: found without recursion, in an order that is always the same."""

from __future__ import annotations

from typing import Any

Edges = tuple[tuple[Any, int], ...]


def is_leaf(node: Any) -> bool:
    """Tell whether a node is a leaf's AccumulateGrad."""
    return hasattr(type(node), "variable")


def reachable(root: Any) -> dict[Any, Edges]:
    """All nodes with their edges, each when it is first come upon, depth first and in the order of arguments."""
    found: dict[Any, Edges] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = edges = node.next_functions
        for before, _ in reversed(edges):
            if before is not None and before not in found:
                waiting.append(before)
    return found


def forward_order(graph: dict[Any, Edges]) -> list[Any]:
    """The ops in the order in which they were recorded; where nodes do not tell, each behind what it was made of."""
    nodes = [node for node in graph if not is_leaf(node)]
    if not all(hasattr(node, "_sequence_nr") for node in {type(node): node for node in nodes}.values()):
        return _behind_arguments(graph)
    recorded = {node: node._sequence_nr() for node in nodes}
    # Nodes that several threads recorded have numbers of several counts.
    for node in nodes:
        number = recorded[node]
        for before, _ in graph[node]:
            if before is not None and recorded.get(before, -1) >= number:
                return _behind_arguments(graph)
    return sorted(nodes, key=recorded.__getitem__)


def _behind_arguments(graph: dict[Any, Edges]) -> list[Any]:
    """The ops, each behind those that its arguments are from, the first argument's first."""
    done: dict[Any, None] = {}
    waiting = [(next(iter(graph)), False)]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            done[node] = None
        elif node not in done:
            waiting.append((node, True))
            waiting += [(before, False) for before, _ in reversed(graph[node]) if before is not None]
    return [node for node in done if not is_leaf(node)]
