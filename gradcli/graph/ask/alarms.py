"""Alarms: wrong numbers of a graph, and where they began; what harms nothing is no alarm.

A value that is not finite harms where the root, or the gradient of a leaf, is not finite for it; a gradient of zeros
where it is all that a leaf would have got.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..numbers import INF, NAN, ZERO, trouble
from ..view.view import CONST, Array, Edge, Item, View

NOT_FINITE = (NAN, INF)


class Alarm(NamedTuple):
    """Where something began to go wrong: in the value of an item, or, with an edge, in the gradient along it."""

    item: Item
    edge: Edge | None
    # "nan", "inf" or "zero".
    kind: str


def not_finite(view: View) -> Alarm | None:
    """Where the first number came about that is not finite and was to be."""
    root = view.root.output(view.output_nr).value
    kind = None if root is None else trouble(root)
    if kind in NOT_FINITE:
        return _born(view.root, view.output_nr)
    return next(_bad_gradients(view), None)


# Ops that put a given number in some places: an infinity there is what the program wants.
_PUT = ("MaskedFill", "Where", "IndexPut", "IndexFill", "MaskedScatter", "Fill", "ConstantPad")


def _born(item: Item, nr: int) -> Alarm | None:
    """Where a value that is not finite began; None where a program has written it down itself."""
    while True:
        kind = _of(item.output(nr).value)
        assert kind is not None
        before = [(edge, _of(edge.to.output(edge.output_nr).value)) for edge in item.edges if edge.to is not None]
        same = next((edge for edge, its in before if its == kind), None)
        if same is None and kind == NAN:
            # Of an infinity that came about, and was not meant.
            same = next((edge for edge, its in before if its == INF and _is_accident(edge)), None)
        if same is None or same.to is None:
            meant = kind == INF and item.name.startswith(_PUT)
            return None if meant else Alarm(item, None, kind)
        if same.to.kind == CONST and _of(same.to.value) == INF:
            return None
        item, nr = same.to, same.output_nr


def _is_accident(edge: Edge) -> bool:
    return edge.to is not None and edge.to.kind != CONST and _born(edge.to, edge.output_nr) is not None


def _of(value: Array | None) -> str | None:
    kind = None if value is None else trouble(value)
    return kind if kind in NOT_FINITE else None


def _bad_gradients(view: View) -> Iterator[Alarm]:
    """Where gradients of leaves began not to be finite, in forward order."""
    bad = {item for item in view.leaves() if _of(item.grad)}
    if not bad:
        return
    found = {}
    for item in reversed(view.items):
        for edge in item.edges:
            kind = _of(edge.grad)
            if kind is not None and _of(item.grad) is None:
                found[item, edge] = kind
    leading = _leading(view, bad)
    for (item, edge), kind in reversed(found.items()):
        if edge.to in leading:
            yield Alarm(item, edge, kind)


def _leading(view: View, ends: set[Item]) -> set[Item]:
    """The items that pass on to some ends what is not finite."""
    found = set(ends)
    for item in view.items:
        if any(edge.to in found and _of(edge.grad) for edge in item.edges):
            found.add(item)
    return found


def starved(view: View) -> Alarm | None:
    """Where the whole gradient of a leaf became zero, the first in forward order."""
    empty = {item for item in view.leaves() if item.grad is not None and item.grad.size and trouble(item.grad) == ZERO}
    if not empty:
        return None
    dead = set(empty)
    for item in view.items:
        for edge in item.edges:
            if edge.to not in dead or edge.grad is None or trouble(edge.grad) != ZERO:
                continue
            if item.grad is not None and trouble(item.grad) != ZERO:
                return Alarm(item, edge, ZERO)
            dead.add(item)
    return None
