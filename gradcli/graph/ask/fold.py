"""Repeated stretches of a graph, such as the steps of a loop, shown once."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from ..view.view import OP, Edge, Item, View
from .select import copy_of, edge_to, taken

# Periods that are looked into: the commonest distances between ops alike, as far as the fourth next.
_PERIODS = 48
_NEXT = 4
# A run that would hide fewer ops than these is as easily read unfolded.
_WORTH = 3


class _Run(NamedTuple):
    """Ops that repeat, in forward order: where they begin, how many make one round, and how many rounds."""

    start: int
    period: int
    rounds: int

    @property
    def last(self) -> int:
        """Where the last round begins."""
        return self.start + self.hidden

    @property
    def end(self) -> int:
        return self.start + self.period * self.rounds

    @property
    def hidden(self) -> int:
        return self.period * (self.rounds - 1)


def fold(view: View) -> View:
    """The view with each run of equal rounds shown once: the last round, which says how many there are.

    Rounds are equal when their ops are, and when each argument leads to the same item, as shared weights do, to an
    item like it, as each layer's own weights do, or as far back as in the next round.
    """
    folded = view
    while runs := _Sequence(folded).runs():
        folded = _folded(folded, runs)
    return folded


# -- finding -----------------------------------------------------------------------------------


class _Sequence:
    """The ops of a view in forward order, as numbers that can be compared all at once."""

    def __init__(self, view: View) -> None:
        self.ops = list(view.ops())
        places = {item: at for at, item in enumerate(self.ops)}
        kinds: dict[Any, int] = {}
        self.kinds = np.array([kinds.setdefault(_kind(item), len(kinds)) for item in self.ops], np.int64)
        # For all edges of all ops: where they lead, an op as its place, all else as a negative number for its kind.
        targets, first = [], [0]
        for item in self.ops:
            for edge in item.edges:
                to = edge.to
                place = None if to is None else places.get(to)
                targets.append(-1 - kinds.setdefault(_kind(to), len(kinds)) if place is None else place)
            first.append(len(targets))
        self.targets, self.first = np.array(targets, np.int64), np.array(first, np.int64)
        self.owner = np.repeat(np.arange(len(self.ops)), np.diff(self.first))

    def runs(self) -> list[_Run]:
        """Runs that do not overlap, those that hide the most first."""
        found = [run for period in self._periods() for run in self._runs_of(period)]
        taken = np.zeros(len(self.ops), bool)
        chosen = []
        for run in sorted(found, key=lambda run: (-run.hidden, run.period, run.start)):
            if not taken[run.start : run.end].any():
                taken[run.start : run.end] = True
                chosen.append(run)
        return chosen

    def _periods(self) -> list[int]:
        """Distances at which many ops are followed by ops of their kind."""
        order = np.argsort(self.kinds, kind="stable")
        kinds = self.kinds[order]
        distances: Counter[int] = Counter()
        for step in range(1, _NEXT + 1):
            alike = kinds[step:] == kinds[:-step]
            values, counts = np.unique((order[step:] - order[:-step])[alike], return_counts=True)
            distances.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        return sorted(distances, key=lambda period: (-distances[period], period))[:_PERIODS]

    def _runs_of(self, period: int) -> list[_Run]:
        """The runs with rounds of so many ops."""
        alike = self.kinds[:-period] == self.kinds[period:]
        same = self._repeated(period, alike)
        starts, ends = np.flatnonzero(np.diff(same.astype(np.int8), prepend=0, append=0)).reshape(-1, 2).T
        # The first round may differ in what it leads to, not in what its ops are.
        count = np.concatenate([[0], np.cumsum(alike)])
        least = np.maximum(np.minimum(ends - period, starts), 0)
        possible = (ends >= period) & (count[starts] - count[least] == starts - least)
        runs = []
        for start, end in zip(starts[possible].tolist(), ends[possible].tolist(), strict=True):
            first = self._first_round(start, period)
            run = _Run(first, period, (end - first) // period + 1)
            if run.rounds > 1 and run.hidden >= _WORTH and self._shares_nothing_of_its_own(run):
                runs.append(run)
        return runs

    def _repeated(self, period: int, alike: Any) -> Any:
        """For each op whether the one a period later is like it, and leads as far back or to the same."""
        ours = np.flatnonzero(alike[self.owner[: self.first[len(alike)]]])
        here, there = self._pairs(ours, period)
        differ = (here != there) & ((here < 0) | (there != here + period))
        same = alike.copy()
        same[self.owner[ours[differ]]] = False
        return same

    def _pairs(self, edges: Any, period: int) -> tuple[Any, Any]:
        """Where edges lead, and those of the ops a period later."""
        owner = self.owner[edges]
        later = edges - self.first[owner] + self.first[owner + period]
        return self.targets[edges], self.targets[later]

    def _first_round(self, start: int, period: int) -> int:
        """Where a run begins that repeats exactly from ``start``.

        Its first round may lead to anything before it where the next one leads to the first.
        """
        best, low, high = start, 0, start
        for at in range(start - 1, max(start - period, 0) - 1, -1):
            if self.kinds[at] != self.kinds[at + period]:
                break
            for here, there in zip(*self._pairs(np.arange(*self.first[at : at + 2]), period), strict=True):
                if here != there and (here < 0 or there != here + period):
                    if there < 0:
                        return best
                    low, high = max(low, here + 1, there - period + 1), min(high, there)
            if low > at:
                break
            if at <= high:
                best = at
        return best

    def _shares_nothing_of_its_own(self, run: _Run) -> bool:
        """Whether what all rounds lead to was there before the first: what one of them made is not shown as such."""
        edges = np.arange(self.first[run.start], self.first[run.last])
        here, there = self._pairs(edges, run.period)
        return not ((here == there) & (here >= run.start)).any()


def _kind(item: Item | None) -> Any:
    """What items have in common that are alike."""
    if item is None:
        return None
    name = item.name if item.kind == OP else item.kind
    return name, item.shape, item.dtype, item.order, item.outputs, len(item.edges), item.repeats and item.repeats[0]


# -- folding -----------------------------------------------------------------------------------


def _folded(view: View, runs: list[_Run]) -> View:
    """The view with only the last round of each run, which leads on to where the first one does."""
    folding = _Folding(list(view.ops()), runs)
    edges = {item: folding.edges(item) for item in view.items if item not in folding.shown_as}
    kept = _reached(view.root, edges)
    copies = {item: copy_of(item) for item in edges if item in kept}
    for item, copy in copies.items():
        copy.edges = [edge_to(edge, None if edge.to is None else copies[edge.to]) for edge in edges[item]]
        copy.repeats = folding.repeats.get(item, copy.repeats)
    return taken(view, copies, copies[view.root], view.aspect)


class _Folding:
    """What becomes of the ops of runs."""

    def __init__(self, ops: list[Item], runs: list[_Run]) -> None:
        # For each hidden op the one of the last round that stands for it; for that one, its twin in the first round.
        self.shown_as: dict[Item, Item] = {}
        self.first: dict[Item, Item] = {}
        self.run: dict[Item, _Run] = {}
        self.repeats: dict[Item, tuple[int, str, str]] = {}
        for run in runs:
            self.run.update(dict.fromkeys(ops[run.start : run.end], run))
            for at in range(run.start, run.last):
                self.shown_as[ops[at]] = ops[run.last + (at - run.start) % run.period]
            self.first.update(zip(ops[run.last : run.end], ops[run.start :], strict=False))
            # One that tells of a run within this one already, tells of that.
            head = next((at for at in range(run.end - 1, run.last - 1, -1) if ops[at].repeats is None), run.end - 1)
            self.repeats[ops[head]] = run.rounds, ops[head - run.hidden].id, ops[head].id

    def edges(self, item: Item) -> list[Edge]:
        """The edges of an item that is shown."""
        if item not in self.first:
            return self._merged(item.edges)
        edges = []
        for edge, early in zip(item.edges, self.first[item].edges, strict=True):
            # What leads to the round before leads, in the first one, to what there was before the run.
            back = edge.to in self.shown_as and self.run[edge.to] is self.run[item]
            edges.append(self._shown(early if back else edge))
        return edges

    def _shown(self, edge: Edge) -> Edge:
        return edge_to(edge, None if edge.to is None else self.shown_as.get(edge.to, edge.to))

    def _merged(self, edges: list[Edge]) -> list[Edge]:
        """The edges of an item outside of the runs: those into the rounds of one become one into its last."""
        found: list[Edge] = []
        into: dict[Item | None, list[Edge]] = {
            self.shown_as[edge.to]: [] for edge in edges if edge.to in self.shown_as
        }
        for edge in map(self._shown, edges):
            together = into.get(edge.to)
            if not together:
                found.append(edge)
            if together is not None:
                together.append(edge)
        for first, *others in into.values():
            if others:
                first.argument = f"{first.argument} .. {others[-1].argument}"
                first.grad = None
        return found


def _reached(root: Item, edges: dict[Item, list[Edge]]) -> set[Item]:
    """What the root still leads to."""
    reached = {root}
    waiting = [root]
    while waiting:
        for edge in edges[waiting.pop()]:
            if edge.to is not None and edge.to not in reached:
                reached.add(edge.to)
                waiting.append(edge.to)
    return reached
