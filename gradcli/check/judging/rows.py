"""The numbers that are differentiated: every entry of the outputs, or random sums of them where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...engine.numeric.halves import converted
from ...engine.tensor import result
from ...engine.walk.backward import grad
from .. import budget
from ..arrays import Array
from ..replay.forward_rounding import UNIT, noise_at
from ..replay.line import Line, entries_of, flattened, imag_noise_of_entries, widened
from ..replay.plan import Plan, Unreplayable
from ..replay.subject import Subject, Unrepeatable
from ..slopes.magnitude import rms as rms
from ..slopes.many_at_once import quick_heights

if TYPE_CHECKING:
    from ..slopes.all_ways import Line as AnyLine

Direction = Sequence[Array | None]

# Outputs of more numbers than these are looked at through random sums of them; of a gradient, whose derivatives
# cost more, than these.
_MOST, _MOST_SLOPES = 64, 8
# Of all claims, for every number with respect to every other, so many at the most are held.
_MOST_CLAIMS = 2**23
# How many sums of each output.
_SUMS = 4
# An output with so many roundings of noise cancels on the way, and so may its slope.
_CANCELS = 24.0
# And so may a slope that is known so well that its bar, times the size of what is moved, is so little of that noise.
_UNFELT = 0.25
# In larger graphs, or where most of the time is over, it takes too long to find that.
_FEW_NODES = 512


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One number that is made of one output: an entry of it, or a sum with weights."""

    output: int
    weights: Array
    # The place of the entry; None of a sum, and of an output that is one number.
    index: tuple[int, ...] | None


class Rows:
    """The numbers that are differentiated, and what the backward claims of them."""

    def __init__(self, subject: Subject, rng: np.random.Generator, order: int) -> None:
        self.subject = subject
        self.order = order
        self.plan: Plan = subject.plan
        self.at = [widened(a) for a in self.plan.at]
        sizes = [a.size for a in subject.numbers]
        # Where the numbers of each output are among those of all.
        self._slices = [slice(start, stop) for start, stop in pairwise(np.cumsum([0, *sizes]).tolist())]
        # Whether the rows are sums rather than entries.
        most = min(_MOST if order == 1 else _MOST_SLOPES, _MOST_CLAIMS // max(sum(a.size for a in self.at), 1))
        self.are_sums = sum(sizes) > max(most, len(sizes))
        self.rows = [row for i, a in enumerate(subject.numbers) for row in self._of(i, a, rng)]
        # By whether leaves are rounded, and row.
        self._noise: dict[bool, dict[int, float]] = {}
        # By row, and input: the rounding of its gradient.
        self._rounding: dict[int, list[Array]] = {}
        # By input, a line for each row: its gradient.
        self.claims = self._claimed()

    @cached_property
    def flat(self) -> Array:
        """The numbers of all outputs at the point, in a row."""
        return flattened(self.subject.numbers)

    def _of(self, output: int, values: Array, rng: np.random.Generator) -> Iterator[Row]:
        shape = values.shape
        if self.are_sums and values.size > 1:
            for _ in range(_SUMS):
                # A random sum of about 1, however large the numbers are.
                yield Row(output, np.asarray(rng.standard_normal(shape) / rms(values)), None)
        else:
            for i in range(values.size):
                yield Row(output, unit(shape, i), tuple(map(int, np.unravel_index(i, shape))) if shape else None)

    # -- claims ------------------------------------------------------------------------------

    def _claimed(self) -> list[Array]:
        claimed = [np.zeros((len(self.rows), a.size)) for a in self.at]
        for i, found in enumerate(self._answers()):
            for lines, g in zip(claimed, found, strict=True):
                if g is not None:
                    lines[i] = np.asarray(g).reshape(-1)
        return claimed

    def _answers(self) -> Iterator[list[Array | None]]:
        """The backward's answer for each row; each is asked for, unless many of one output can be had at once."""
        if self.order == 1 and len(self.subject.outputs) == 1 and len(self.rows) > 1:
            from ..claims.recorded_backward import claims_at_once

            found = claims_at_once(self.subject, 0, [row.weights for row in self.rows])
            if found is not None:
                yield from found
                return
        for row in self.rows:
            yield self.subject.claim(self._weights(row))

    def _weights(self, row: Row) -> list[Array | None]:
        weights: list[Array | None] = [None] * len(self._slices)
        weights[row.output] = row.weights
        return weights

    @cached_property
    def largest_claims(self) -> Array:
        """The size of the largest claim for each input and row (inputs, R)."""
        found = [np.max(np.abs(lines), 1, initial=0.0, where=np.isfinite(lines)) for lines in self.claims]
        return np.array(found).reshape(len(self.at), len(self.rows))

    def claims_of(self, leaves: Array, places: Array) -> Array:
        """The claims for these entries, one of a leaf each (E, R)."""
        starts = np.cumsum([0, *(a.size for a in self.at)])
        return np.asarray(np.concatenate(self.claims, 1)[:, starts[leaves] + places].T)

    def claim_along(self, direction: Direction) -> Array:
        """The slopes of each row along a direction that are claimed."""
        pairs = zip(self.claims, direction, strict=True)
        return sum((lines @ d.reshape(-1) for lines, d in pairs if d is not None), np.zeros(len(self.rows)))

    def largest(self, direction: Direction) -> Array:
        """The size of the largest claim for each row with respect to any entry of what is moved."""
        pairs = zip(self.claims, direction, strict=True)
        return np.asarray(np.max([np.abs(claims).max(1, initial=0.0) for claims, d in pairs if d is not None], 0))

    def moved(self, leaf: int, place: int) -> Direction:
        """The direction in which one entry moves."""
        return self.alone(leaf, unit(self.at[leaf].shape, place))

    def alone(self, leaf: int, moved: Array) -> Direction:
        """The direction in which a leaf moves, and no other."""
        direction: list[Array | None] = [None] * len(self.at)
        direction[leaf] = moved
        return direction

    def size_along(self, direction: Direction) -> Array:
        """The length of what each claim along a direction is the sum of: it may be small because that cancels."""
        pairs = zip(self.claims, direction, strict=True)
        squares = (np.square(lines) @ np.square(d.reshape(-1)) for lines, d in pairs if d is not None)
        return np.sqrt(sum(squares, np.zeros(len(self.rows))))

    def near(self, direction: Direction, some: Sequence[int] | None = None) -> Callable[[Array], Array]:
        """The claims for the slopes of some rows, or of all, at neighbouring points; others are left at zero."""
        asked = range(len(self.rows)) if some is None else some

        def claims(offsets: Array) -> Array:
            made = np.zeros((len(offsets), len(self.rows)))
            if self._near_at_once(offsets, direction, asked, made):
                return made
            for k, offset in enumerate(offsets):
                arrays = [a if d is None else a + offset * d for a, d in zip(self.at, direction, strict=True)]
                made[k, asked] = [_along(gradients, direction) for gradients in self._gradients(arrays, asked)]
            return made

        return claims

    def _near_at_once(self, offsets: Array, direction: Direction, asked: Sequence[int], made: Array) -> bool:
        """Put in the claims for some rows at all neighbouring points, where those come of one recorded backward."""
        if self.order > 1 or not len(offsets):
            return False
        from ..claims.recorded_claims import claims_at

        moved = [d is not None for d in direction]
        arrays = [
            a if d is None else a + offsets.reshape(-1, *[1] * a.ndim) * d
            for a, d in zip(self.at, direction, strict=True)
        ]
        for output in dict.fromkeys(self.rows[r].output for r in asked):
            some = [r for r in asked if self.rows[r].output == output]
            found = claims_at(self.subject, output, [self.rows[r].weights for r in some], arrays, moved)
            if found is None:
                return False
            for r, gradients in zip(some, found, strict=True):
                made[:, r] = [_along(g, direction) for g in gradients]
        return True

    def rounding(self, direction: Direction) -> Callable[[Array], Array]:
        """A bound on how far rounding may have moved the claims of some of these slopes."""

        def bounds(rows: Array) -> Array:
            made = np.zeros(len(self.rows))
            for r, found in self.roundings(rows.tolist()):
                for d, bound, lines in zip(direction, found, self.claims, strict=True):
                    if d is not None:
                        moved = np.abs(d).reshape(-1)
                        with np.errstate(invalid="ignore"):
                            # Adding up the claims of several entries rounds, too.
                            sums = UNIT * np.abs(lines[r]) * (np.count_nonzero(moved) > 1)
                            made[r] += float(moved @ (bound.reshape(-1) + sums))
            return made

        return bounds

    def roundings(self, rows: Sequence[int]) -> Iterator[tuple[int, list[Array]]]:
        """A bound on how far rounding may have moved the claims for some rows, of each with each input."""
        from ..claims.recorded_backward import rounding_of_claims

        unknown: dict[int, list[int]] = {}
        for r in rows:
            if r not in self._rounding:
                unknown.setdefault(self.rows[r].output, []).append(r)
        for output, some in unknown.items():
            found = rounding_of_claims(self.subject, output, [self.rows[r].weights for r in some])
            self._rounding.update(zip(some, found, strict=True))
        return ((r, self._rounding[r]) for r in rows)

    def lost_alike(self, rows: Sequence[Row], leaves: Array, places: Array, bars: Array) -> Array:
        """The errors that claims and complex step may share, of one entry for each row; 0 where little seems lost.

        ``bars``: those that are known of these entries.
        """
        made = np.zeros(len(rows))
        if len(self.plan.nodes) > _FEW_NODES or budget.is_spent(budget.ENTRIES):
            return made
        x, noise = entries_of(self.at, leaves, places), self.noise(rows, leaves=False)
        cancels = noise > _CANCELS * UNIT * np.array([abs(self.sum(row, self.flat)) for row in rows])
        # What is flat at the point feels nothing of what its slope does.
        cancels |= self.plan.cancels
        some = np.flatnonzero(cancels | (bars * np.maximum(np.abs(x), 1.0) <= _UNFELT * noise))
        if len(some):
            numbers = [self.rows.index(rows[i]) for i in some.tolist()]
            found = imag_noise_of_entries(self.plan, leaves[some], places[some], quick_heights(x[some]), self.of)
            made[some] = found[np.arange(len(some)), numbers]
        return made

    def _gradients(self, arrays: Sequence[Array], asked: Sequence[int]) -> Iterator[list[Array | None]]:
        """Ask the backward at another point for some rows; not a number where it cannot be asked."""
        some = [self.rows[r] for r in asked]
        try:
            roots, leaves = self.plan.recorded(arrays)
        except Unreplayable:
            yield from self._rerun(arrays, some)
            return
        for row in some:
            root = roots[row.output]
            if root._node is None:
                # A gradient that is constant has no graph.
                yield [None] * len(leaves)
                continue
            start = result(converted(np.array(row.weights), root._a.dtype))
            made = grad(root, leaves, start, retain_graph=True, allow_unused=True)
            yield [None if g is None else np.asarray(g._a) for g in made]

    def _rerun(self, arrays: Sequence[Array], some: Sequence[Row]) -> Iterator[list[Array | None]]:
        try:
            there = self.subject.recorded_at(arrays)
        except Unrepeatable:
            for _ in some:
                yield [np.full(a.shape, np.nan) for a in self.at]
            return
        for row in some:
            yield there.claim(self._weights(row))

    # -- values ------------------------------------------------------------------------------

    def line(self, direction: Direction, row: int | None = None) -> Line | Sums:
        """All rows along a direction, or one of them."""
        if not self.are_sums and row is None:
            return Line(self.plan, direction)
        return Sums(self, direction, self.rows if row is None else [self.rows[row]])

    @cached_property
    def together(self) -> AnyLine:
        """All rows along a direction in which everything moves, each leaf by its size."""
        random = np.random.default_rng(0)
        line = self.line(
            [random.choice([-1.0, 1.0], a.shape) * random.uniform(0.5, 1.0, a.shape) * rms(a) for a in self.at]
        )
        if self.plan.is_cheap:
            return line
        from ..slopes.remembered import remembered

        return remembered(line)

    def noise(self, rows: Sequence[Row], leaves: bool) -> Array:
        """The rounding noise of some rows; ``leaves``: with that of moving several entries."""
        known = self._noise.setdefault(leaves, {})
        shapes = [a.shape for a in self.subject.numbers]
        for row in rows:
            if id(row) not in known:
                weights = [row.weights if i == row.output else np.zeros(shape) for i, shape in enumerate(shapes)]
                flat = np.concatenate([w.reshape(-1) for w in weights])
                known[id(row)] = float(noise_at(self.plan, leaves).weighted(flat)[0])
        return np.array([known[id(row)] for row in rows])

    def of(self, values: Array) -> Array:
        """The numbers of the rows, of those of all outputs along the last axis."""
        return np.stack([self.sum(row, values) for row in self.rows], -1) if self.are_sums else values

    def sum(self, row: Row, values: Array) -> Array:
        """The number of one row, of those of all outputs along the last axis."""
        with np.errstate(all="ignore"):
            found: Array = (values[..., self._slices[row.output]] * row.weights.reshape(-1)).sum(-1)
        return found

    def squares(self, row: Row, values: Array) -> Array:
        """The sum of the squares of what makes up one row."""
        with np.errstate(all="ignore"):
            found: Array = ((values[self._slices[row.output]] * row.weights.reshape(-1)) ** 2).sum(-1)
        return found


class Sums:
    """Some rows as functions of one number."""

    def __init__(self, rows: Rows, direction: Direction, chosen: Sequence[Row]) -> None:
        self._line = Line(rows.plan, direction)
        self._rows = rows
        self._chosen = chosen
        self.scale = self._line.scale
        self.size = len(chosen)

    @property
    def noise(self) -> Array:
        """The rounding noise of each."""
        return self._rows.noise(self._chosen, leaves=not self._line.moves_one_entry)

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps, and the numbers there."""
        taken, values = self._line.values(steps)
        return taken, self._of(values)

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Complex step at every offset."""
        found = self._line.imag(h, offsets)
        return None if found is None else self._of(found)

    def imag_noise(self, h: float) -> Array:
        """The rounding of complex step, of each sum as if that of its parts were independent."""
        found = self._line.imag_noise(h)
        return np.asarray(np.sqrt(np.stack([self._rows.squares(row, found) for row in self._chosen], -1)))

    def around(self, points: Array, draws: int = 0) -> Array | None:
        """The numbers at complex points."""
        found = self._line.around(points, draws)
        return None if found is None else self._of(found)

    def _of(self, values: Array) -> Array:
        return np.stack([self._rows.sum(row, values) for row in self._chosen], -1)


def unit(shape: tuple[int, ...], place: int) -> Array:
    """One at a flat place, zero elsewhere."""
    made = np.zeros(shape)
    made.reshape(-1)[place] = 1.0
    return made


def _along(gradients: Direction, direction: Direction) -> float:
    pairs = zip(gradients, direction, strict=True)
    return float(sum(np.vdot(g, d) for g, d in pairs if g is not None and d is not None))
