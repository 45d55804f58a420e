"""The ways that a custom Function's forward takes, as conditions choose among them: a graph for each.

The graph of a way has beside the outputs the numbers whose truth values were read. At all points where these come out
as they did when it was recorded, the forward does what the graph does. Where none of the known ways leads, the forward
is run: with its ops recorded, as long as ways serve enough points for what it costs to find them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....errors import raised_by_program
from ... import budget
from ..patience import Endless
from ..recorded_graph import close

if TYPE_CHECKING:
    from ..one_op import Change, Run
    from ..plan import Plan

# Recording costs as much as so many points; so many ways are found before that is asked.
_WORTH, _FREE = 12, 3
# Following a way costs as much as so many points, one by one; where all numbers are changed, more: a few are tried.
_POINTS, _FEW = 8, 3
# How often the graph of a way is compared with the forward, and how well both must agree.
_LOOKS, _AGREE = 3, 1e-11


class Way(NamedTuple):
    """A graph between operands and outputs, followed by the numbers that have these truth values."""

    plan: Plan
    truths: list[bool]


class _Known:
    """A way, how many points it led through, and how often it is still to be compared with the forward."""

    def __init__(self, way: Way) -> None:
        self._plan, self._truths = way
        self.served = 0
        self.looks = _LOOKS

    def led(self) -> int:
        """The number of points that it led through."""
        return self.served

    def through(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> tuple[list[Any], Any]:
        """The outputs of its graph at many points, and the places of those at which the forward goes this way."""
        made = self._plan.in_parts(arrays, moved, count, change)
        outs = made[: len(made) - len(self._truths)]
        holds = np.ones(count, bool)
        for number, outcome in zip(made[len(outs) :], self._truths, strict=True):
            holds &= (number.reshape(count) != 0) == outcome
        there = np.flatnonzero(holds)
        return [x[there] for x in outs], there


class Ways:
    """The ways of one application; ``way_at`` records one where operands are real."""

    def __init__(self, first: Way, way_at: Callable[[list[Any]], Way | None]) -> None:
        self._known = [_Known(first)]
        self._way_at = way_at
        self._served = 0
        self._given_up = False

    def at_once(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None, run: Run
    ) -> list[Any] | None:
        """The outputs at all points; None where they are to be computed one by one. ``run``: the forward itself."""
        points = _Points(arrays, moved, count)
        known = sorted(self._known, key=_Known.led, reverse=True)
        try:
            if change is not None:
                return _changed(known, points, change)
            for way in known:
                if points.left.size >= _POINTS:
                    self._follow(way, points, run)
            while points.left.size >= _POINTS and self._is_worth_another():
                self._given_up = not self._finds_another(points, run)
        except Endless:
            # What goes on for ever at one point may have an end, and ways, at others.
            pass
        except raised_by_program():
            # Point by point the same is raised again, where it is the forward that raises it.
            return None
        if points.left.size == count:
            return None
        for i in points.left:
            # Of a forward that takes long, many points do.
            budget.go_on(budget.LATE)
            try:
                points.put([i], [None if x is None else x[None] for x in run(points.of(i))])
            except Endless:
                points.put_nothing(int(i))
        return points.made()

    def _is_worth_another(self) -> bool:
        return not self._given_up and self._served >= _WORTH * (len(self._known) - _FREE)

    def _finds_another(self, points: _Points, run: Run) -> bool:
        """Record the way at a point that is left, and follow it."""
        here = points.of(points.left[0])
        found = self._way_at([np.array(a.real) if np.iscomplexobj(a) else a for a in here])
        if found is None:
            return False
        self._known.append(_Known(found))
        return self._follow(self._known[-1], points, run)

    def _follow(self, way: _Known, points: _Points, run: Run) -> bool:
        """Compute the points to which a way leads, if any."""
        outs, there = way.through(points.of(points.left), points.moved, points.left.size)
        if not there.size:
            return False
        left = points.left[there]
        if way.looks:
            way.looks -= 1
            own = run(points.of(left[-1]))
            if not all(a is not None and close(a, b[-1], _AGREE) for a, b in zip(own, outs, strict=True)):
                # Something else than its conditions leads it elsewhere.
                self._known.remove(way)
                self._given_up = True
                return False
        way.served += left.size
        self._served += left.size
        points.put(left, outs)
        return True


def _changed(known: Sequence[_Known], points: _Points, change: Change) -> list[Any] | None:
    """The outputs where all numbers on the way are changed; None where no known way leads to some point."""
    for way in known[:_FEW]:
        # Who changes numbers is shown those of all points.
        outs, there = way.through(points.arrays, points.moved, points.count, change)
        points.put(there, outs)
        if not points.left.size:
            break
    return None if points.left.size else points.made()


class _Points:
    """Operands at many points, and the outputs as far as they are known."""

    def __init__(self, arrays: Sequence[Any], moved: Sequence[bool], count: int) -> None:
        self.arrays, self.moved, self.count = arrays, moved, count
        self.left = np.arange(count)
        self._parts: list[tuple[Any, list[Any]]] = []

    def of(self, which: Any) -> list[Any]:
        """The operands at some points, or at one."""
        return [a[which] if m else a for a, m in zip(self.arrays, self.moved, strict=True)]

    def put(self, which: Any, outs: list[Any]) -> None:
        """Keep the outputs at some points."""
        self._parts.append((which, outs))
        self.left = np.setdiff1d(self.left, which, assume_unique=True)

    def put_nothing(self, i: int) -> None:
        """Keep that there are no outputs at a point: numbers that are none, in the shapes of others."""
        like = self._parts[0][1]
        self.put([i], [None if x is None else np.full((1, *x.shape[1:]), np.nan) for x in like])

    def made(self) -> list[Any] | None:
        """The outputs at all points; None where these are not of one shape."""
        whole: list[Any] = []
        for several in zip(*(outs for _, outs in self._parts), strict=True):
            if len({x.shape[1:] if x is not None else None for x in several}) > 1:
                return None
            if several[0] is None:
                whole.append(None)
                continue
            out = np.empty((self.count, *several[0].shape[1:]), np.result_type(*several))
            for (which, _), x in zip(self._parts, several, strict=True):
                out[which] = x
            whole.append(out)
        return whole
