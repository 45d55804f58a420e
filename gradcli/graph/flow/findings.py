"""The sentences that there are to say of a flow: where the gradient vanishes, explodes, stops, and what is dead."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...engine.tape.frames import FUNCTION, LOOP, MODULE
from ..ask.crossing import Place
from ..heat import length_of
from ..view.view import OP, Item
from .measure import Flow

VANISHES, EXPLODES, STOPS, DEAD = "vanishes", "explodes", "stops", "dead"

# A gradient that has become so many times smaller or larger on its way through a row of calls has vanished, or
# exploded; over fewer steps it is no matter of the row.
_MUCH = 1000.0
_FEWEST = 2
# A step is level that is so small a part of the mean of all.
_LEVEL = 0.1
# An activation of which so large a part is flat is dead; about half of one is usual.
_DEAD = 0.9

_PER = {MODULE: "layer", FUNCTION: "call", LOOP: "turn"}

# How the names of the nodes begin that pass on nothing where their output is 0.
_RELU = "Relu"


class Finding(NamedTuple):
    """Something that is to be said of a flow."""

    kind: str
    # Where it begins, on the way back, and where it ends.
    start: str
    end: str
    # The factor of each step, and of all together; of something dead, the share that is.
    factor: float
    total: float
    steps: int
    # A step is a layer, a call or a turn.
    per: str

    def told(self, times: str = "×") -> str:
        """The sentence."""
        if self.kind == DEAD:
            share = "all" if self.total == 1 else f"{math.floor(self.total * 100)} %"
            return f"dead: {share} of {self.start} is 0"
        if self.kind == STOPS:
            return f"stops: something arrives at {self.start}, and nothing at {self.end}"
        return (
            f"{self.kind}: {times} {self.factor:.2g} a {self.per} from {self.start} on, "
            f"{times} {self.total:.2g} down to {self.end}"
        )


def findings(flow: Flow) -> list[Finding]:
    """All that is to be said, the largest first."""
    moving = sorted(_moving(flow), key=_change, reverse=True)
    return [*moving, *_dead(flow)]


def _moving(flow: Flow) -> Iterator[Finding]:
    """Where the gradient changes much from call to call: of the layers of one call, those where it changes most."""
    most: dict[tuple[Place, str], Finding] = {}
    for around, group in flow.alike():
        for row in _connected(flow, group):
            for found in _along(flow, row):
                known = most.setdefault((around, found.kind), found)
                if _change(found) > _change(known):
                    most[around, found.kind] = found
    yield from most.values()


def _change(found: Finding) -> float:
    return abs(math.log(found.total)) if found.total else math.inf


def _connected(flow: Flow, group: Sequence[Place]) -> Iterator[list[Place]]:
    """The rows of calls of which each is given what the one before has made: calls beside each other are no layers."""
    order = {item: n for n, item in enumerate(flow.view.whole.items)}
    row = [group[0]]
    for before, place in pairwise(group):
        if not _leads(flow, place, before, order):
            yield row
            row = []
        row.append(place)
    yield row


def _leads(flow: Flow, place: Place, before: Place, order: dict[Item, int]) -> bool:
    """True if the input of a call was computed from what another has made."""
    results = {item for item, _ in flow.crossings[before].arriving}
    if not results:
        return False
    first = min(order[item] for item in results)
    waiting = [item for item, _ in flow.crossings[place].leaving]
    seen = set(waiting)
    while waiting:
        item = waiting.pop()
        if item in results:
            return True
        for edge in item.edges:
            to = edge.to
            if to is not None and to not in seen and order[to] >= first:
                seen.add(to)
                waiting.append(to)
    return False


def _along(flow: Flow, row: Sequence[Place]) -> Iterator[Finding]:
    """The stretch of a row over which a gradient falls most, and that over which it grows most."""
    names = [place[0].id for place in row if place is not None]
    per = _PER[row[0][0].kind] if row[0] is not None else ""
    arrives = [flow.crossings[place].arrives for place in row]
    # On the way back, the last call comes first.
    known = [(name, length) for name, length in zip(reversed(names), reversed(arrives), strict=True)]
    run: list[tuple[str, float]] = []
    for name, length in known:
        if length is None or not math.isfinite(length):
            break
        if not length:
            if run:
                yield Finding(STOPS, run[-1][0], name, 0.0, 0.0, 1, per)
            break
        run.append((name, length))
    for kind, sign in ((VANISHES, -1.0), (EXPLODES, 1.0)):
        start, end, change = _steepest([sign * math.log(length) for _, length in run])
        if change >= math.log(_MUCH) and end - start >= _FEWEST:
            total = math.exp(sign * change)
            factor = math.exp(sign * change / (end - start))
            yield Finding(kind, run[start][0], run[end][0], factor, total, end - start, per)


def _steepest(heights: Sequence[float]) -> tuple[int, int, float]:
    """From where to where, and by how much, a line rises most."""
    best, lowest = (0, 0, 0.0), 0
    for n, height in enumerate(heights):
        if height < heights[lowest]:
            lowest = n
        if height - heights[lowest] > best[2]:
            best = lowest, n, height - heights[lowest]
    start, end, rise = best
    # What is level at an end is no part of it.
    while end - start > _FEWEST and heights[start + 1] - heights[start] < _LEVEL * rise / (end - start):
        start += 1
    while end - start > _FEWEST and heights[end] - heights[end - 1] < _LEVEL * rise / (end - start):
        end -= 1
    return start, end, heights[end] - heights[start] if rise else 0.0


# -- what is dead --------------------------------------------------------------------------------


def _dead(flow: Flow) -> Iterator[Finding]:
    """The activations of which nearly nothing is alive."""
    named = _names(flow)
    for item in flow.view.ops():
        value = item.value
        if not item.name.startswith(_RELU) or value is None or not value.size or not length_of(item):
            continue
        share = 1 - np.count_nonzero(value) / value.size
        if share >= _DEAD:
            name = named.get(item.id) or item.variable or item.id
            yield Finding(DEAD, name, name, share, share, 1, "entry")


def _names(flow: Flow) -> dict[str, str]:
    """The names of ops that are all that a call does."""
    return {
        crossing.ops[0].id: place[0].id
        for place, crossing in flow.crossings.items()
        if place is not None and len(crossing.ops) == 1 and crossing.ops[0].kind == OP
    }
