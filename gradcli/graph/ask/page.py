"""The level at which a graph fits a page: as much of it as can be read at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..view.view import CONST, LEAF, Item, View
from . import clusters
from .levels import deepest, levelled

AUTO = "auto"

# So many nodes are read on one page, so many side by side, and so many one below the other: a node with its edge is
# some 200 pixels wide and high.
_NODES, _ABREAST, _BELOW = 60, 9, 20
# So many edges may pass by each other, each with a label.
_PASSING = 10
# Leaves and constants of more uses are drawn for each.
_SHARED = 4


def at_level(view: View, level: int | str | None, expand: Collection[str] = (), collapse: Collection[str] = ()) -> View:
    """The view at a level, or with "auto" at the deepest that fits a page; without, only what is named is changed."""
    if level == AUTO and not any(item.scope is not None for item in view.items):
        return view
    if level is None or level == AUTO:
        most = deepest(view)
        if level is None:
            return levelled(view, most, expand, collapse)
        if not expand and not collapse and fits(view):
            return view
        shown = [levelled(view, one, expand, collapse) for one in range(1, most + 1)]
        return next((each for each in reversed(shown) if fits(each)), shown[0])
    return levelled(view, int(level), expand, collapse)


def fits(view: View) -> bool:
    """True if a picture of a view is no wider, and has no more in it, than a page."""
    if len(view.items) > _NODES:
        return False
    uses = Counter(edge.to for _, edge in view.edges() if edge.to is not None)
    often = {item for item, count in uses.items() if count > _SHARED and item.kind in (LEAF, CONST)}
    rank = _ranks(view)
    places = clusters.paths(view, clusters.usual(view))
    placed = [_Placed(places.get(item, ()), rank[item]) for item in view.items if item not in often]
    passing: Counter[int] = Counter()
    for item in view.items:
        for edge in item.edges:
            if edge.to in often or edge.to is None:
                placed.append(_Placed(places.get(item, ()), rank[item] + 1))
            else:
                passing.update(range(rank[item] + 1, rank[edge.to]))
    lengths = _abreast(placed), max(passing.values(), default=0), max(rank.values())
    return all(length <= most for length, most in zip(lengths, (_ABREAST, _PASSING, _BELOW), strict=True))


class _Placed(NamedTuple):
    """A node, and the frames that it is in, the outermost first."""

    frames: clusters.Path
    rank: int


def _abreast(placed: Iterable[_Placed], depth: int = 0) -> int:
    """The width of a drawing in nodes: frames that share a rank stand beside each other, as each leads to the next."""
    single: Counter[int] = Counter()
    framed: dict[str, list[_Placed]] = {}
    for each in placed:
        if len(each.frames) > depth:
            framed.setdefault(each.frames[depth], []).append(each)
        else:
            single[each.rank] += 1
    widest = max(single.values(), default=0)
    row: list[tuple[int, int, int]] = []
    boxes = [
        (min(each.rank for each in inner), max(each.rank for each in inner), _abreast(inner, depth + 1))
        for inner in framed.values()
    ]
    for first, last, width in sorted(boxes):
        before = max((wide for _, end, wide in row if end >= first), default=0)
        row.append((first, last, before + width))
        beside = max((count for rank, count in single.items() if first <= rank <= last), default=0)
        widest = max(widest, before + width + beside)
    return widest


def _ranks(view: View) -> dict[Item, int]:
    """The depth of each item: below all that leads to it, and beside its user where nothing is below."""
    rank = dict.fromkeys(view.items, 0)
    for item in reversed(view.items):
        for edge in item.edges:
            if edge.to is not None:
                rank[edge.to] = max(rank[edge.to], rank[item] + 1)
    return rank
