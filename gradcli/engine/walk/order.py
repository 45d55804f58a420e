"""The order of a walk: which nodes run, in what order, and for which of their inputs."""

from __future__ import annotations

import heapq
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ..graph import CUT, LEAF, LEAF_SEQUENCE_NUMBER, OUTPUT, Extra, node_of


class Ending:
    """The turn of a leaf in a walk: after the last node that has a share of its gradient."""

    __slots__ = ("leaf", "seq")

    kind: ClassVar[int] = LEAF
    edges: ClassVar[tuple[Any, ...]] = ()
    extra: ClassVar[None] = None

    def __init__(self, leaf: Any, seq: int) -> None:
        self.leaf = leaf
        self.seq = seq


def discovered(starts: Sequence[tuple[Any, Any]]) -> list[Any]:
    """The nodes and the leaves' turns that lead on from ``starts``, in order, consumers first."""
    last: dict[Any, Ending] = {}
    # An edge that leads nowhere needs no look.
    seen: set[Any] = {None}
    order: list[Any] = []
    stack: list[Any] = []
    for edge, _ in starts:
        if edge.kind == LEAF:
            last[edge] = Ending(edge, LEAF_SEQUENCE_NUMBER)
        elif (node := node_of(edge)) not in seen:
            seen.add(node)
            stack.append(node)
    while stack:
        node = stack.pop()
        order.append(node)
        for edge in node.edges:
            if edge in seen:
                continue
            kind = edge.kind
            if kind == LEAF:
                ending = last.get(edge)
                if ending is None:
                    last[edge] = Ending(edge, node.seq)
                elif ending.seq > node.seq:
                    ending.seq = node.seq
                continue
            if kind == OUTPUT:
                edge = edge.node
                if edge in seen:
                    continue
            elif kind == CUT:
                continue
            seen.add(edge)
            stack.append(edge)
    # The sort is stable: a leaf's turn comes after that of the node whose number it bears.
    order += last.values()
    order.sort(key=_sequence, reverse=True)
    return _as_numbered(order) if Extra.numbered else order


_sequence = operator.attrgetter("seq")


def _as_numbered(order: list[Any]) -> list[Any]:
    """The order in which what could run next runs by the number that a program gave it; a leaf at once."""
    waiting: Counter[Any] = Counter()
    turns = {turn.leaf: turn for turn in order if turn.kind == LEAF}

    def following(node: Any) -> Iterator[Any]:
        for edge in node.edges:
            if edge is not None and edge.kind != CUT:
                yield turns[edge] if edge.kind == LEAF else node_of(edge)

    for node in order:
        waiting.update(following(node))
    found: list[Any] = []
    ready = [(_urgency(node), i, node) for i, node in enumerate(order) if not waiting[node]]
    heapq.heapify(ready)
    places = {node: i for i, node in enumerate(order)}
    while ready:
        node = heapq.heappop(ready)[2]
        found.append(node)
        for after in following(node):
            waiting[after] -= 1
            if not waiting[after]:
                heapq.heappush(ready, (_urgency(after), places[after], after))
    return found


def _urgency(node: Any) -> int:
    return -LEAF_SEQUENCE_NUMBER if node.kind == LEAF else -node._sequence_nr()


def narrowed(
    order: list[Any], targets: Sequence[Any], points: dict[Any, list[Any]]
) -> tuple[list[Any], dict[Any, tuple[Any, ...]]]:
    """Those of ``order`` that ``targets`` need, and the edges of those that have others besides.

    A node at which a gradient is captured, and that leads to no target, passes nothing on.
    """
    through, fewer = _leading(order, targets)
    fewer.update((node, ()) for node in points if node not in through)
    leaves = {edge for edge in targets if edge.kind == LEAF}
    return [
        node for node in order if node in through or node in points or (node.kind == LEAF and node.leaf in leaves)
    ], fewer


def _leading(order: list[Any], targets: Sequence[Any]) -> tuple[set[Any], dict[Any, tuple[Any, ...]]]:
    """The nodes through which a target is reached, and the edges of those that have others besides."""
    leading = set(map(node_of, targets))
    through: set[Any] = set()
    fewer: dict[Any, tuple[Any, ...]] = {}
    for node in reversed(order):
        leads = strays = False
        for edge in node.edges:
            if edge is not None:
                if (edge.node if edge.kind == OUTPUT else edge) in leading:
                    leads = True
                else:
                    strays = True
        if leads:
            through.add(node)
            if strays:
                fewer[node] = tuple(e if e is not None and node_of(e) in leading else None for e in node.edges)
            leading.add(node)
    return through, fewer


def capture_points(targets: Sequence[Any]) -> dict[Any, list[Any]]:
    """The edges whose gradient is asked for, by their (non-leaf) node."""
    points: dict[Any, list[Any]] = {}
    for edge in targets:
        if edge.kind != LEAF:
            points.setdefault(node_of(edge), []).append(edge)
    return points
