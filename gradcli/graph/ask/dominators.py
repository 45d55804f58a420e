"""Dominators: the last item that every path from the root to another has to pass."""

from __future__ import annotations

from collections.abc import Sequence

from ..view.view import Item


def immediate_dominators(order: Sequence[Item]) -> list[int]:
    """For each item of an order that begins at the root and follows the edges: the place of its immediate dominator.

    Without cycles one pass will do: when an item's turn comes, all that leads to it has been placed, and what
    dominates all of that is where the paths up the tree meet. The root's own entry is 0.
    """
    place = {item: n for n, item in enumerate(order)}
    above = [-1] * len(order)
    depth = [0] * len(order)
    # Besides its dominator an item knows one further up, at such distances that every climb takes few steps.
    jump = [0] * len(order)

    def meet(a: int, b: int) -> int:
        if depth[a] < depth[b]:
            a, b = b, a
        while depth[a] > depth[b]:
            a = jump[a] if depth[jump[a]] >= depth[b] else above[a]
        while a != b:
            if jump[a] != jump[b]:
                a, b = jump[a], jump[b]
            else:
                a, b = above[a], above[b]
        return a

    for n, item in enumerate(order):
        if n:
            up = above[n] = max(above[n], 0)
            depth[n] = depth[up] + 1
            far = jump[up]
            jump[n] = jump[far] if depth[up] - depth[far] == depth[far] - depth[jump[far]] else up
        else:
            above[0] = 0
        for edge in item.edges:
            to = None if edge.to is None else place.get(edge.to)
            if to is not None:
                above[to] = n if above[to] < 0 else meet(above[to], n)
    return above
