"""The paths from a root to an item: how many there are, and which contribute most to its gradient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import nsmallest
from typing import NamedTuple

import numpy as np

from ...engine.dtypes import ones_of
from ..numbers import largest_first, norm
from ..view.local_gain import shares
from ..view.view import ROOT, Array, Edge, Item, View
from .select import above

# How many paths are told of, and remembered for each item on the way.
SHOWN = 4


class Path(NamedTuple):
    """One way from the root to an item, and what it contributes to the item's gradient."""

    steps: list[tuple[Item, Edge]]
    # What has arrived along this path alone behind each step; None where that cannot be told.
    arrived: list[Array | None]

    @property
    def contribution(self) -> Array | None:
        """Its share of the gradient of its end."""
        return self.arrived[-1] if self.arrived else None


class Paths(NamedTuple):
    """All paths to an item."""

    number: int
    # The few with the largest contributions, the largest first.
    largest: list[Path]


# A way to an item: minus the logarithm of what it multiplies a gradient by, and where it came from: the item before,
# the edge from there, and which of that item's ways it goes on from.
_Way = tuple[float, Item | None, Edge | None, int]


def paths(view: View, target: Item) -> Paths:
    """The paths along which the gradient of an item comes about."""
    kept = above(view, target)
    counts = _counted(view, kept, target)
    ways = _best(view, kept)
    found = [_path(view, ways, counts[1], target, rank) for rank in range(len(ways.get(target, ())))]
    found.sort(key=lambda path: largest_first(path.contribution))
    return Paths(counts[0], found)


def passes(edge: Edge, item: Item) -> bool:
    """Tell whether a gradient goes along an edge; where none is known at all, one might."""
    return edge.grad is not None or item.grad is None


def _counted(view: View, kept: set[Item], target: Item) -> tuple[int, set[Item]]:
    """The number of paths to an item, and the items to which there is only one."""
    counts = {view.root: 1}
    single = set()
    total = 0
    for item in reversed(view.items):
        # Of a chain of doublings the numbers are long: none is kept longer than it is needed.
        count = counts.pop(item, 0) if item in kept else 0
        if count == 1:
            single.add(item)
        if item is target:
            total = count
        for edge in item.edges if count else ():
            if edge.to in kept and edge.to is not None and passes(edge, item):
                counts[edge.to] = counts.get(edge.to, 0) + count
    return total, single


def _best(view: View, kept: set[Item]) -> dict[Item, list[_Way]]:
    """For each item the ways to it that multiply a gradient by most."""
    ways: dict[Item, list[_Way]] = {view.root: [(0.0, None, None, 0)]}
    for item in reversed(view.items):
        if item not in ways:
            continue
        if len(ways[item]) > 1:
            # Sorting is stable: of equal ones the first found stay first.
            ways[item] = nsmallest(SHOWN, ways[item], key=_weight)
        leading = [edge for edge in item.edges if edge.to in kept and passes(edge, item)]
        if not leading:
            continue
        factors = _factors(item, leading, any(way[0] < math.inf for way in ways[item]))
        for edge, factor in zip(leading, factors, strict=True):
            assert edge.to is not None
            have = ways.setdefault(edge.to, [])
            have += [(way[0] + factor, item, edge, rank) for rank, way in enumerate(ways[item])]
            if len(have) > 16 * SHOWN:
                ways[edge.to] = nsmallest(SHOWN, have, key=_weight)
    return ways


def _weight(way: _Way) -> float:
    return way[0]


def _factors(item: Item, edges: Sequence[Edge], alive: bool) -> list[float]:
    """Minus the logarithm of what each edge multiplies a gradient by."""
    before = 0.0 if item.grad is None else norm(item.grad)
    if before:
        return [_logarithm(edge.grad, before) for edge in edges]
    if not alive or item.grad is None:
        return [math.inf if item.grad is not None else 0.0] * len(edges)
    # What arrives cancels out: what the op would do with anything else has to be asked of it.
    ones = ones_of(item.grad.shape, item.grad.dtype)
    found = shares(item, 0, ones)
    size = norm(ones)
    return [_logarithm(None if found is None or edge.slot is None else found[edge.slot], size) for edge in edges]


def _logarithm(grad: Array | None, before: float) -> float:
    after = 0.0 if grad is None else norm(grad)
    if not after:
        return math.inf
    factor = after / before
    return -math.log(factor) if 0.0 < factor < math.inf else 0.0


def _path(view: View, ways: dict[Item, list[_Way]], single: set[Item], target: Item, rank: int) -> Path:
    """A way as a path, with what arrives along it."""
    steps: list[tuple[Item, Edge]] = []
    at = target
    while True:
        _, item, edge, before = ways[at][rank]
        if item is None or edge is None:
            break
        steps.append((item, edge))
        at, rank = item, before
    steps.reverse()
    arrived: list[Array | None] = []
    here, nr = view.root.grad, 0
    for item, edge in steps:
        here = edge.grad if edge.to in single else _passed_on(item, edge, nr, here)
        nr = edge.output_nr
        arrived.append(here)
    return Path(steps, arrived)


def _passed_on(item: Item, edge: Edge, nr: int, given: Array | None) -> Array | None:
    """The gradient that an op passes on along an edge when only this arrives."""
    if item.kind == ROOT:
        return edge.grad
    if given is None or edge.grad is None:
        return None
    total = item.grad if item.arrived is None else item.arrived
    if given.size == 1 and total is not None and total.size == 1 and item.outputs == 1:
        whole = total.item()
        if whole and math.isfinite(whole):
            # In proportion: the derivative is the same for whatever arrives.
            return np.asarray(edge.grad * np.float64(given.item() / whole))
    if item.arrived is not None:
        # What a hook would make of this alone, only the hook could tell.
        return None
    found = shares(item, nr, given)
    return None if found is None or edge.slot is None else found[edge.slot]
