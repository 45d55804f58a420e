"""Where is looked: at every entry of the inputs alone, or along directions that cover them all, until the wrong
entries are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..engine.backward import grad
from ..engine.tensor import result
from .findings import Entry, Finding, Options
from .joint import judge_joint
from .judge import judge
from .jumps import beside
from .line import Line, imag_entries, moved_entries, widened
from .plan import Plan, Unreplayable
from .quick import plainly_wrong, quick_heights, quick_steps, settled
from .subject import Subject, Unrepeatable
from .verdict import GRAVITY, PASSES, Judged, Verdict

Array = np.ndarray[Any, Any]

# Of more numbers than these, directions are looked at instead of entries.
_MOST_ENTRIES = 256
# Outputs of more numbers than these are looked at through random sums of them; of a gradient, whose derivatives
# cost more, than these.
_MOST_ROWS, _MOST_SLOPES = 64, 8
# How many sums, and how many directions that move everything.
_SUMS = _DIRECTIONS = 4
# So few entries are looked at one by one when it is narrowed down which are wrong.
_FEW = 1024
# Of the claims for an input that are plainly wrong so many are judged in full.
_WORST = 8
# How many of the worst entries a finding shows.
_SHOWN = 5

_RANK = {verdict: rank for rank, verdict in enumerate(GRAVITY)}


def probe(subject: Subject, options: Options, rng: np.random.Generator, order: int = 1) -> list[Finding]:
    """A finding for each output with respect to each input."""
    return _Probe(subject, rng, order).findings(options.every_entry)


class _Row(NamedTuple):
    """One number that is made of one output: an entry of it, or a sum with weights."""

    output: int
    weights: Array
    # The place of the entry.
    index: tuple[int, ...] | None


class _Probe:
    """What is claimed of the outputs, and what is found of that."""

    def __init__(self, subject: Subject, rng: np.random.Generator, order: int) -> None:
        self.subject = subject
        self.rng = rng
        self.order = order
        self.plan: Plan = subject.plan
        self.at = [widened(a) for a in self.plan.at]
        sizes = [a.size for a in subject.numbers]
        ends = np.cumsum([0, *sizes])
        # Where the numbers of each output are among those of all.
        self.slices = [slice(start, stop) for start, stop in pairwise(ends.tolist())]
        self.summed = sum(sizes) > (_MOST_ROWS if order == 1 else _MOST_SLOPES)
        self.rows = [row for number, a in enumerate(subject.numbers) for row in self._rows(number, a)]
        self.claims = self._claims()
        # By leaf and flat index: what was found of each row that is not passed beyond doubt.
        self.judged: dict[tuple[int, int], dict[int, Judged]] = {}
        # By leaf: how many claims that are plainly wrong were judged in full.
        self.plain = [0] * len(self.at)
        # By leaf and output: the fewest digits of what is beyond doubt, and whether that is all zero.
        pairs = [(leaf, output) for leaf in range(len(self.at)) for output in range(len(sizes))]
        self.digits = dict.fromkeys(pairs, math.inf)
        self.zero = dict.fromkeys(pairs, True)

    def _rows(self, number: int, values: Array) -> Iterator[_Row]:
        shape = values.shape
        if self.summed and values.size > 1:
            yield from (_Row(number, _scaled(self.rng.standard_normal(shape), values), None) for _ in range(_SUMS))
        else:
            for i in range(values.size):
                yield _Row(number, _unit(shape, i), tuple(map(int, np.unravel_index(i, shape))) if shape else None)

    # -- claims ------------------------------------------------------------------------------

    def _claims(self) -> list[Array]:
        """By input, a line for each row: the gradient of that number."""
        claimed = [np.zeros((len(self.rows), a.size)) for a in self.at]
        for i, row in enumerate(self.rows):
            for rows, g in zip(claimed, self.subject.claim(self._weights(row)), strict=True):
                if g is not None:
                    rows[i] = np.asarray(g).reshape(-1)
        return claimed

    def _weights(self, row: _Row) -> list[Array | None]:
        weights: list[Array | None] = [None] * len(self.slices)
        weights[row.output] = row.weights
        return weights

    def _near(self, direction: Sequence[Array | None], rows: Sequence[int]) -> Callable[[Array], Array]:
        """What is claimed at neighbouring points of the slopes along a direction."""

        def claims(offsets: Array) -> Array:
            made = np.empty((len(offsets), len(rows)))
            for k, offset in enumerate(offsets):
                arrays = [a if d is None else a + offset * d for a, d in zip(self.at, direction, strict=True)]
                made[k] = [_along(g, direction) for g in self._gradients(arrays, rows)]
            return made

        return claims

    def _gradients(self, arrays: Sequence[Array], rows: Sequence[int]) -> Iterator[list[Array | None]]:
        """What the backward says at another point; not a number where it says nothing."""
        try:
            roots, leaves = self.plan.recorded(arrays)
        except Unreplayable:
            try:
                there = self.subject.recorded_at(arrays)
            except Unrepeatable:
                yield from ([np.full(a.shape, np.nan) for a in self.at] for _ in rows)
                return
            for row in rows:
                yield there.claim(self._weights(self.rows[row]))
            return
        for row in rows:
            root = roots[self.rows[row].output]
            if root._node is None:
                # A gradient that is constant has no graph.
                yield [None] * len(leaves)
                continue
            start = result(np.array(self.rows[row].weights, root._a.dtype))
            made = grad(root, leaves, start, retain_graph=True, allow_unused=True)
            yield [None if g is None else np.asarray(g._a) for g in made]

    # -- entries -----------------------------------------------------------------------------

    def entries(self, leaf: int, places: Array) -> None:
        """Judge each of these entries of an input alone."""
        if not len(places):
            return
        x = self.at[leaf].reshape(-1)[places]
        steps, values = moved_entries(self.plan, leaf, places, quick_steps(x))
        imag = imag_entries(self.plan, leaf, places, quick_heights(x), np.zeros(1))
        noise = self._line(self._direction(leaf, int(places[0]))).noise
        seen = None if imag is None else self._summed(imag)
        values = self._summed(values)
        claims = self.claims[leaf][:, places].T
        sure, digits, _, _ = settled(steps, values, noise, seen, claims)
        for r, row in enumerate(self.rows):
            if sure[:, r].any():
                fewest = float(digits[sure[:, r], r].min())
                self._note(leaf, row, fewest, fewest == math.inf)
        if not sure.all():
            plain, estimate, bar = plainly_wrong(steps, values, noise, claims)
            self._look_closer(leaf, places, sure, plain, _Beside(claims, estimate, bar))

    def _look_closer(self, leaf: int, places: Array, sure: Array, plain: Array, beside: _Beside) -> None:
        """Judge what is in doubt; of what is plainly wrong the worst, and when that is wrong, the others are, too."""
        doubtful = ~sure.all(1)
        wrong = doubtful & (sure | plain).all(1)
        worst = np.flatnonzero(wrong)[np.argsort(-beside.off[wrong].max(1), kind="stable")]
        full = max(_WORST - self.plain[leaf], 0)
        self.plain[leaf] += len(worst[:full])
        for i in [*np.flatnonzero(doubtful & ~wrong), *worst[:full]]:
            self._judge_entry(leaf, int(places[i]), np.flatnonzero(~sure[i]).tolist())
        for i in worst[:full]:
            # Its own rounding is to blame: the others may be right, too.
            if any(j.verdict is not Verdict.WRONG for j in self.judged[leaf, int(places[i])].values()):
                self.plain[leaf] = -places.size
        for i in worst[full:]:
            rows = np.flatnonzero(~sure[i]).tolist()
            if self.plain[leaf] < 0:
                self._judge_entry(leaf, int(places[i]), rows)
            else:
                self.judged[leaf, int(places[i])] = {r: beside.wrong(i, r) for r in rows}

    def _note(self, leaf: int, row: _Row, digits: float, zero: bool) -> None:
        """Note what is beyond doubt."""
        at = leaf, row.output
        self.digits[at] = min(self.digits[at], digits)
        self.zero[at] &= zero

    def _summed(self, values: Array) -> Array:
        """The numbers of the rows, of those of all outputs along the last axis."""
        return np.stack([self.sum_of(row, values) for row in self.rows], -1) if self.summed else values

    def sum_of(self, row: _Row, values: Array) -> Array:
        """The number of a row, of those of all outputs along the last axis."""
        with np.errstate(all="ignore"):
            found: Array = (values[..., self.slices[row.output]] * row.weights.reshape(-1)).sum(-1)
        return found

    def _line(self, direction: Sequence[Array | None], row: int | None = None) -> Line | _Sums:
        """The numbers of all rows along a direction, or those of one."""
        if not self.summed and row is None:
            return Line(self.plan, direction)
        return _Sums(self, direction, range(len(self.rows)) if row is None else [row])

    def _direction(self, leaf: int, place: int) -> list[Array | None]:
        direction: list[Array | None] = [None] * len(self.at)
        direction[leaf] = _unit(self.at[leaf].shape, place)
        return direction

    def _judge_entry(self, leaf: int, place: int, rows: list[int]) -> None:
        direction = self._direction(leaf, place)
        claims = self.claims[leaf][:, place]
        judged = self._judge(direction, claims, rows)
        if self.order > 1:
            judged = {row: self._beside(direction, row, float(claims[row]), found) for row, found in judged.items()}
        self.judged[leaf, place] = judged

    def _beside(self, direction: Sequence[Array | None], row: int, claim: float, found: Judged) -> Judged:
        """What is found of a second derivative, also where the first one jumps."""
        if found.verdict is not Verdict.DISCONTINUITY:
            return found
        return beside(self._line(direction, self.rows[row] if self.summed else None), 0 if self.summed else row, claim, found)

    def _judge(self, direction: Sequence[Array | None], claims: Array, rows: list[int]) -> dict[int, Judged]:
        line = self._line(direction)
        judged = judge(line, claims, self._near(direction, range(len(self.rows))), only=np.array(rows))
        return dict(zip(rows, judged, strict=True))

    # -- directions --------------------------------------------------------------------------

    def directions(self) -> None:
        """Judge directions that move everything, and each input alone; then look closer where one does not pass."""
        scales = [_rms(a) for a in self.at]
        for _ in range(_DIRECTIONS):
            self._pass(
                range(len(self.at)),
                [self.rng.standard_normal(a.shape) * s for a, s in zip(self.at, scales, strict=True)],
            )
        for leaf, a in enumerate(self.at):
            alone: list[Array | None] = [None] * len(self.at)
            alone[leaf] = self.rng.standard_normal(a.shape) * scales[leaf]
            if not self._passes(alone, [leaf]):
                self._narrow(leaf, np.arange(a.size), scales[leaf])
        # What is wrong only together shows in no input alone.
        if not self.judged and self._suspect is not None:
            for leaf, a in enumerate(self.at):
                self.entries(leaf, np.arange(a.size))

    _suspect: dict[int, Judged] | None = None

    def _pass(self, leaves: Sequence[int], direction: Sequence[Array | None]) -> None:
        if not self._passes(direction, leaves):
            self._suspect = {}

    def _passes(self, direction: Sequence[Array | None], leaves: Sequence[int]) -> bool:
        """Whether the claim along a direction is right beyond doubt."""
        claims = sum(
            (rows @ d.reshape(-1) for rows, d in zip(self.claims, direction, strict=True) if d is not None),
            np.zeros(len(self.rows)),
        )
        if self._settled(direction, claims, leaves):
            return True
        judged = self._judge(direction, claims, list(range(len(self.rows))))
        if any(j.verdict not in (Verdict.PASS, Verdict.PASS_ZERO) for j in judged.values()):
            return False
        for row, j in judged.items():
            digits = math.inf if j.digits is None else j.digits
            for leaf in leaves:
                self._note(leaf, self.rows[row], digits, j.verdict is Verdict.PASS_ZERO)
        return True

    def _settled(self, direction: Sequence[Array | None], claims: Array, leaves: Sequence[int]) -> bool:
        """Whether the claims along a direction are right beyond doubt at a first look."""
        line = self._line(direction)
        scale = np.array([line.scale])
        steps, values = line.values(quick_steps(scale)[0])
        imag = line.imag(float(quick_heights(scale)[0]), np.zeros(1))
        seen = None if imag is None else imag[None]
        sure, digits, _, _ = settled(steps[None], values[None], line.noise, seen, claims[None])
        if not sure.all():
            return False
        for row, fewest in zip(self.rows, digits[0].tolist(), strict=True):
            for leaf in leaves:
                self._note(leaf, row, fewest, fewest == math.inf)
        return True

    def _narrow(self, leaf: int, places: Array, scale: float) -> None:
        """Find the entries of an input that do not pass, by halves."""
        if len(places) <= _FEW:
            self.entries(leaf, places)
            return
        for half in np.array_split(places, 2):
            moved = np.zeros(self.at[leaf].size)
            moved[half] = self.rng.standard_normal(len(half)) * scale
            direction: list[Array | None] = [None] * len(self.at)
            direction[leaf] = moved.reshape(self.at[leaf].shape)
            if not self._passes(direction, [leaf]):
                self._narrow(leaf, half, scale)

    # -- findings ----------------------------------------------------------------------------

    def findings(self, every_entry: bool) -> list[Finding]:
        """Look, and say what was found."""
        if every_entry or sum(a.size for a in self.at) <= _MOST_ENTRIES:
            for leaf, a in enumerate(self.at):
                self.entries(leaf, np.arange(a.size))
        else:
            self.directions()
        self._look_along_kinks()
        return [self._finding(output, leaf) for output in range(len(self.slices)) for leaf in range(len(self.at))]

    def _look_along_kinks(self) -> None:
        """Where several entries sit on a kink together, the claims must be right along joint directions, too."""
        for row in range(len(self.rows)):
            kinked = [at for at, judged in self.judged.items() if _is_kink(judged.get(row))]
            if len(kinked) > 1:
                self._look_along(row, kinked)

    def _look_along(self, row: int, kinked: list[tuple[int, int]]) -> None:
        wrong = judge_joint(self._line_of(row), self._claim_of(row), self.at, kinked, self.rng)
        if wrong is not None:
            for leaf, place in kinked:
                self.judged[leaf, place][row] = wrong._replace(claimed=float(self.claims[leaf][row, place]))

    def _line_of(self, row: int) -> Callable[[Sequence[Array | None]], Line | _Sums]:
        return lambda direction: self._line(direction, row)

    def _claim_of(self, row: int) -> Callable[[Sequence[Array | None]], float]:
        return lambda direction: _along([claims[row] for claims in self.claims], direction)

    def _finding(self, output: int, leaf: int) -> Finding:
        """What was found of one output with respect to one input."""
        at = self.at[leaf]
        there = self.subject.outputs[output]
        table: list[Entry] = []
        digits = [self.digits[leaf, output]]
        verdicts = {Verdict.PASS_ZERO if self.zero[leaf, output] else Verdict.PASS}
        for (of, place), judged in self.judged.items():
            mine = {row: j for row, j in judged.items() if self.rows[row].output == output}
            if of != leaf or not mine:
                continue
            row, worst = max(mine.items(), key=lambda item: (_RANK[item[1].verdict], _distance(item[1])))
            verdicts |= {j.verdict for j in mine.values()}
            digits += [j.digits for j in mine.values() if j.digits is not None]
            index = tuple(map(int, np.unravel_index(place, at.shape)))
            table.append(Entry(index, float(at.reshape(-1)[place]), worst, self.rows[row].index))
        table.sort(key=lambda entry: (-_RANK[entry.judged.verdict], -_distance(entry.judged)))
        return Finding(
            there.name,
            self.subject.inputs[leaf].name,
            self.order,
            max(verdicts, key=_RANK.__getitem__),
            digits=min(digits) if math.isfinite(min(digits)) else None,
            entries=at.size,
            wrong_entries=sum(entry.judged.verdict not in PASSES for entry in table),
            worst=table[0] if table else None,
            table=table[:_SHOWN],
            span=there.span,
        )


class _Beside(NamedTuple):
    """Claims (E, R) beside estimates and their bars."""

    claims: Array
    estimate: Array
    bar: Array

    @property
    def off(self) -> Array:
        """How far each claim is off, of its size."""
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(self.claims), np.abs(self.estimate))
            return np.where(size > 0, np.abs(self.claims - self.estimate) / size, 0.0)

    def wrong(self, i: int, r: int) -> Judged:
        """What is found of a claim that is plainly wrong."""
        estimate = float(self.estimate[i, r])
        return Judged(Verdict.WRONG, float(self.claims[i, r]), estimate, float(self.bar[i, r]), witness=estimate)


class _Sums:
    """The numbers of some rows as functions of one number."""

    def __init__(self, probe: _Probe, direction: Sequence[Array | None], rows: Sequence[int]) -> None:
        self._line = Line(probe.plan, direction)
        self._probe = probe
        self._direction = direction
        self._rows = [probe.rows[row] for row in rows]
        self.scale = self._line.scale
        self.size = len(self._rows)

    @property
    def noise(self) -> Array:
        """The rounding noise of each."""
        shapes = [a.shape for a in self._probe.subject.numbers]
        found = []
        for row in self._rows:
            weights = [row.weights if i == row.output else np.zeros(shape) for i, shape in enumerate(shapes)]
            found.append(Line(self._probe.plan, self._direction, weights).noise)
        return np.concatenate(found)

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps, and the numbers there."""
        taken, values = self._line.values(steps)
        return taken, self._of(values)

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Complex step at every offset."""
        found = self._line.imag(h, offsets)
        return None if found is None else self._of(found)

    def _of(self, values: Array) -> Array:
        return np.stack([self._probe.sum_of(row, values) for row in self._rows], -1)


def _unit(shape: tuple[int, ...], place: int) -> Array:
    made = np.zeros(shape)
    made.reshape(-1)[place] = 1.0
    return made


def _scaled(weights: Array, values: Any) -> Array:
    """Weights that make a random sum of numbers of any size one of about 1."""
    return weights / _rms(np.asarray(values))


def _rms(a: Array) -> float:
    """The size of numbers; 1 where they are all 0, or none is known."""
    with np.errstate(all="ignore"):
        size = float(np.sqrt(np.mean(np.square(np.asarray(a, np.float64))))) if a.size else 0.0
    return size if math.isfinite(size) and size else 1.0


def _along(gradients: Sequence[Array | None], direction: Sequence[Array | None]) -> float:
    pairs = zip(gradients, direction, strict=True)
    return float(sum(np.vdot(g, d) for g, d in pairs if g is not None and d is not None))


def _is_kink(judged: Judged | None) -> bool:
    return judged is not None and judged.verdict is Verdict.KINK_OK


def _distance(judged: Judged) -> float:
    away = judged.bars_away
    return away if away == away else math.inf
