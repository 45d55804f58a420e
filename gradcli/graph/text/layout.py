"""Which rows a graph is drawn in: nested, along its spine, or as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..view.view import CONST, LEAF, OP, Edge, Item, View

NESTED, SPINE, LIST = "nested", "spine", "list"


class Row(NamedTuple):
    """One line of a drawing: an item, or in a nested one the end of an edge."""

    # None: nothing is known of what is at the end of the edge.
    item: Item | None
    edge: Edge | None
    depth: int
    # Whether its parent has no further row; whether the item has been drawn before.
    last: bool = False
    again: bool = False


class Plan(NamedTuple):
    """The rows of a drawing, and the numbers that it knows items by."""

    layout: str
    rows: Sequence[Row]
    numbers: dict[Item, int]

    @property
    def depth(self) -> int:
        """The depth of the deepest row."""
        return max(row.depth for row in self.rows)


def planned(view: View, layout: str) -> Plan:
    """The rows of a view in a layout."""
    if layout == SPINE:
        return spine(view)
    if layout == LIST:
        return listed(view)
    plan = nested(view)
    assert plan is not None
    return plan


def nested(view: View, most: int | None = None) -> Plan | None:
    """A row for every edge, in the order of arguments; what has been drawn before is not drawn again.

    None when that takes more than ``most`` rows.
    """
    rows: list[Row] = []
    numbers: dict[Item, int] = {}
    waiting = [Row(view.root, None, 0, True)]
    while waiting:
        row = waiting.pop()
        item = row.item
        if item in numbers:
            row = row._replace(again=True)
        elif item is not None:
            if item.kind != CONST:
                numbers[item] = len(numbers)
            first = len(waiting)
            waiting += [Row(edge.to, edge, row.depth + 1) for edge in reversed(item.edges)]
            if item.edges:
                waiting[first] = waiting[first]._replace(last=True)
        rows.append(row)
        if most is not None and len(rows) + len(waiting) > most:
            return None
    return Plan(NESTED, rows, numbers)


def inline(item: Item) -> bool:
    """Tell whether an item is named where it is used, in a drawing with a row for each node."""
    return item.kind in (LEAF, CONST) and not item.edges


def spine(view: View) -> Plan:
    """A row for every op, under its immediate dominator.

    What hides the most goes on at the same depth, behind what stands beside it: the depth is at most the logarithm of
    the number of ops.
    """
    from ..ask.dominators import immediate_dominators

    order = [item for item in reversed(view.items) if not inline(item)]
    above = immediate_dominators(order)
    size = [1] * len(order)
    below: list[list[int]] = [[] for _ in order]
    for n in range(len(order) - 1, 0, -1):
        size[above[n]] += size[n]
        below[above[n]].append(n)
    rows: list[Row] = []
    numbers: dict[Item, int] = {}
    waiting = [(0, 0)]
    while waiting:
        n, depth = waiting.pop()
        numbers[order[n]] = len(rows)
        rows.append(Row(order[n], None, depth))
        # These stand with the first of the order at the end, where the next is taken from.
        branches = below[n]
        if branches:
            heavy = max(reversed(branches), key=size.__getitem__)
            waiting.append((heavy, depth))
            waiting += [(branch, depth + 1) for branch in branches if branch != heavy]
    return Plan(SPINE, rows, numbers)


def listed(view: View) -> Plan:
    """A row for every op and leaf, in the order in which a backward runs them."""
    from heapq import heappop, heappush

    place = {item: n for n, item in enumerate(view.items)}
    missing = dict.fromkeys(view.items, 0)
    for _, edge in view.edges():
        if edge.to in missing:
            missing[edge.to] += 1
    rows: list[Row] = []
    numbers: dict[Item, int] = {}
    # The last recorded runs first, and a leaf as soon as all of its gradient is there.
    ready = [(0, -place[view.root])]
    while ready:
        item = view.items[-heappop(ready)[1]]
        if item.kind != CONST:
            numbers[item] = len(rows)
            rows.append(Row(item, None, 0))
        for edge in item.edges:
            to = edge.to
            if to in missing:
                missing[to] -= 1
                if not missing[to]:
                    heappush(ready, (int(to.kind == OP), -place[to]))
    return Plan(LIST, rows, numbers)
