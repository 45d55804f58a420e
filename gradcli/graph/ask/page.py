"""The level at which a graph fits a page: as much of it as can be read at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ..view.view import CONST, LEAF, OP, Item, View
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
    """Whether a picture of a view is no wider, and has no more in it, than a page."""
    if len(view.items) > _NODES:
        return False
    uses = Counter(edge.to for _, edge in view.edges() if edge.to is not None)
    often = {item for item, count in uses.items() if count > _SHARED and item.kind in (LEAF, CONST)}
    rank = _ranks(view)
    abreast: Counter[int] = Counter()
    passing: Counter[int] = Counter()
    for item in view.items:
        if item not in often:
            abreast[rank[item]] += 1
        for edge in item.edges:
            if edge.to in often or edge.to is None:
                abreast[rank[item] + 1] += 1
            else:
                passing.update(range(rank[item] + 1, rank[edge.to]))
    lengths = max(abreast.values()), max(passing.values(), default=0), max(rank.values())
    return all(length <= most for length, most in zip(lengths, (_ABREAST, _PASSING, _BELOW), strict=True))


def _ranks(view: View) -> dict[Item, int]:
    """How far down each item stands: below all that leads to it, and what nothing is below of beside its user."""
    rank = dict.fromkeys(view.items, 0)
    for item in reversed(view.items):
        for edge in item.edges:
            if edge.to is not None:
                rank[edge.to] = max(rank[edge.to], rank[item] + 1)
    return rank


def ops_shown(view: View) -> int:
    """How many ops a view shows, by themselves and in boxes."""
    return sum(item.box.ops if item.box is not None else item.kind == OP for item in view.items)
