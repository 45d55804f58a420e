"""Functions that exist in single or half precision only: judged by the bars that their own rounding leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..judging.findings import Entry, Finding
from ..judging.rows import Rows, rms, unit
from ..judging.verdict import GRAVITY, PASSES, Judged, Verdict
from ..judging.verdict_table import not_finite
from ..replay.line import flattened
from ..slopes.differences import CENTRAL, LEFT, RIGHT, SAFETY, Samples, extrapolated, slopes
from .function import least_of
from .subject import ForeignSubject

Direction = Sequence[Array | None]

# Up to so many entries each is moved alone, else all along so many directions, and each input along as many of its own.
_MOST, _DIRECTIONS, _NARROWED = 64, 3, 256
# Noise is looked for at points so many roundings off, and is so much of how far they lie from a straight line.
_LEVELS, _NEAR, _DEVIATIONS = (4.0, 32.0, 256.0), np.array([1.0, 2.0, 3.0, 5.0, 6.0, 8.0]), 3.0
# No further off than this, of what is moved.
_NEARBY = 2.0**-7
# Where no entry alone shows anything, a claim is wrong that is off by so much of it along so many directions.
_REPEATED, _PLAINLY = 6, 0.05
# Where the finest steps do not contradict a claim that is off by no more than this, a kink nearby may be the reason.
_FINEST, _SLIGHTLY = 3, 1e-2
# Nor is a claim blamed for so little, where parts round otherwise than the whole: noise is not the same everywhere.
_MIXED = 1e-4
# A claim is seen to be right where all doubts together are at most this part of it.
_SEEN = 0.5
_SHOWN = 5
# Numbers that are rounded to single precision on the way leave steps of such sizes in values, as parts of these.
_STEPS = 2.0**-36, 2.0**-19
_RANK = {verdict: rank for rank, verdict in enumerate(GRAVITY)}


class SingleProbe:
    """Judge the claims of a function that rounds to ``rounding``; ``mixed``: only some of what it computes."""

    def __init__(
        self, subject: ForeignSubject, rounding: float, rng: np.random.Generator, mixed: bool = False
    ) -> None:
        self.subject = subject
        self.unit = rounding
        self.mixed = mixed
        self.least = least_of(rounding)
        self.rng = rng
        self.rows = Rows(subject, rng, 1)
        self.at = self.rows.at
        self.judged: dict[tuple[int, int], list[Judged]] = {}
        self.along: dict[int, list[Judged]] = {}
        # By input and row: wrong along the claimed gradient, though no entry alone shows it.
        self.unseen: dict[tuple[int, int], Judged] = {}

    def findings(self) -> list[Finding]:
        """A finding for each output with respect to each input."""
        few = sum(a.size for a in self.at) <= _MOST
        for leaf, a in enumerate(self.at):
            if not a.size:
                # Of no numbers nothing is claimed.
                continue
            if few:
                self._each(leaf, range(a.size))
                self._together(leaf)
            else:
                self._directions(leaf, a)
        return [
            self._finding(output, leaf) for output in range(len(self.subject.outputs)) for leaf in range(len(self.at))
        ]

    def _each(self, leaf: int, places: Sequence[int]) -> None:
        for place in places:
            self.judged[leaf, place] = self._judge(self._alone(leaf, unit(self.at[leaf].shape, place)))

    def _together(self, leaf: int) -> None:
        """Judge what single entries do not show along the claimed gradient: there all of it is seen at once."""
        alone = [judged for (of, _), judged in self.judged.items() if of == leaf]
        hidden = [i for i in range(len(self.rows.rows)) if all(j[i].verdict is Verdict.SATURATED for j in alone)]
        for i in hidden[:_DIRECTIONS]:
            claimed = self.rows.claims[leaf][i]
            found: list[Judged] = []
            for _ in range(_REPEATED):
                moved = claimed * self.rng.uniform(0.5, 1.5, claimed.shape) * (rms(self.at[leaf]) / rms(claimed))
                found.append(self._judge(self._alone(leaf, moved.reshape(self.at[leaf].shape)))[i])
            with np.errstate(all="ignore"):
                parts = np.array([j.estimate / j.claimed for j in found])
                bar = float(np.mean([(j.bar + j.claim_bar) / abs(j.claimed) for j in found]))
            error = float(np.std(parts)) / math.sqrt(len(parts))
            if SAFETY * error > abs(float(np.mean(parts))):
                # The steps that it takes to see anything lead further than its waves.
                continue
            if abs(float(np.mean(parts)) - 1) > max(_PLAINLY, bar, SAFETY * error):
                note = f"{float(np.mean(parts)):.3f} ± {error:.2g} of what is claimed, along {_REPEATED} directions"
                shown = found[0]._replace(verdict=Verdict.WRONG, bar=error * abs(found[0].claimed), note=note)
                self.unseen[leaf, i] = shown

    def _alone(self, leaf: int, moved: Array) -> Direction:
        return [moved if i == leaf else None for i in range(len(self.at))]

    def _directions(self, leaf: int, a: Array) -> None:
        for _ in range(_DIRECTIONS):
            moved = np.asarray(self.rng.standard_normal(a.shape) * rms(a))
            found = self._judge(self._alone(leaf, moved))
            if not all(j.verdict in PASSES for j in found):
                self._each(leaf, self.rng.permutation(a.size)[:_NARROWED].tolist())
                return
            self.along.setdefault(leaf, []).extend(found)

    # -- one direction -------------------------------------------------------------------------

    def _values(self, direction: Direction, steps: Array) -> Array:
        """The rows at each step."""
        made = []
        for t in steps.tolist():
            given = [a if d is None else a + t * d for a, d in zip(self.at, direction, strict=True)]
            found = self.rows.plan.outputs([g.astype(a.dtype) for g, a in zip(given, self.rows.plan.at, strict=True)])
            made.append(flattened(found))
        return self.rows.of(np.stack(made))

    def along_direction(self, direction: Direction, claims: Array) -> list[Judged]:
        """Judge what is claimed of all rows along a direction otherwise than by the backward."""
        return self._judge(direction, claims)

    def _judge(self, direction: Direction, given: Array | None = None) -> list[Judged]:
        """Judge the claims of all rows along a direction, those of the backward unless others are given."""
        d_size = max(float(np.max(np.abs(d), initial=0)) for d in direction if d is not None)
        at_size = max(
            float(np.max(np.abs(a), initial=0)) for a, d in zip(self.at, direction, strict=True) if d is not None
        )
        scale = max(at_size, 2.0**-6) / d_size
        finest = max(3, int(-math.log2(self.unit) * 0.6))
        steps = np.unique([self._represented(direction, scale * 2.0**-k) for k in range(1, finest + 1)])[::-1]
        steps = steps[steps > 0]
        claims = self.rows.claim_along(direction) if given is None else given
        own = self._rounding_along(direction)
        with np.errstate(all="ignore"):
            found = self._values(direction, np.concatenate([[0.0], steps, -steps]))
            centre, right, left = found[0], found[1 : 1 + len(steps)], found[1 + len(steps) :]
            noise = np.maximum(self._noise(direction, scale), 2 * self.unit * np.abs(centre) + self.least)
            size = 2 * self.unit
            beside = [np.maximum(noise, size * np.abs(side)) for side in (right, left)]
            samples = Samples(steps, steps, right, left, centre, noise, *beside)
            estimates = extrapolated(samples)
            raw, doubt = (table[-_FINEST:, CENTRAL] for table in slopes(samples))
            near = np.all(np.abs(raw - claims) <= SAFETY * doubt, 0)
        judged: list[Judged] = []
        for i, claim in enumerate(claims.tolist()):
            one = self._verdict(claim, estimates.value[:, i], estimates.bar[:, i], float(own[i]), float(centre[i]))
            slightly = max(_SLIGHTLY * near[i], _MIXED * self.mixed)
            if one.verdict is Verdict.WRONG and one.off <= slightly:
                note = "as close as the steps nearest to the point show"
                one = one._replace(verdict=Verdict.INACCURATE, note=note)
            judged.append(one)
        return judged

    def _represented(self, direction: Direction, step: float) -> float:
        """A step by which one entry is moved exactly; of several entries it is as good as any."""
        moved = [(a, d) for a, d in zip(self.at, direction, strict=True) if d is not None]
        if len(moved) != 1 or np.count_nonzero(moved[0][1]) != 1:
            return step
        x = float(moved[0][0][moved[0][1] != 0][0])
        grid = 2.0 ** math.ceil(math.log2(2 * self.unit * (abs(x) + step)))
        return round(step / grid) * grid

    def _noise(self, direction: Direction, scale: float) -> Array:
        """Measure how far values beside the point lie from a line, at several distances: the smallest that is none."""
        return np.asarray(_DEVIATIONS * self._rough(direction, scale).max(0))

    def _rough(self, direction: Direction, scale: float) -> Array:
        """Measure that for each distance, of all rows."""
        found = []
        for level in [x for x in _LEVELS if x * self.unit <= _NEARBY] or _LEVELS[:1]:
            steps = scale * level * self.unit * np.concatenate([-_NEAR[::-1], _NEAR])
            values = self._values(direction, steps)
            basis = np.linalg.qr(np.vander(steps / steps[-1], 3))[0]
            rest = values - basis @ (basis.T @ values)
            rough = np.sqrt(np.sum(rest**2, 0) / (len(steps) - 3))
            found.append(np.where(np.isfinite(rough), rough, 0.0))
        return np.array(found)

    @cached_property
    def _rounding(self) -> list[Array]:
        """Measure how far rounding may have moved each claim, as neighbours of the point show it."""
        bars = [4 * self.unit * np.abs(lines) + self.least for lines in self.rows.claims]
        for _ in range(3):
            near = [
                (a * (1 + 4 * self.unit * self.rng.choice([-1.0, 1.0], a.shape))).astype(own.dtype)
                for a, own in zip(self.at, self.rows.plan.at, strict=True)
            ]
            there = self.subject.recorded_at(near)
            for i, row in enumerate(self.rows.rows):
                weights: list[Any] = [None] * len(self.subject.outputs)
                weights[row.output] = row.weights
                for bar, lines, g in zip(bars, self.rows.claims, there.claim(weights), strict=True):
                    if g is not None:
                        change = np.abs(np.asarray(g, np.float64).reshape(-1) - lines[i])
                        bar[i] = np.maximum(bar[i], np.where(np.isfinite(change), change, 0.0))
        return bars

    def _rounding_along(self, direction: Direction) -> Array:
        total = np.zeros(len(self.rows.rows))
        for bar, d in zip(self._rounding, direction, strict=True):
            if d is not None:
                total += np.sqrt((bar**2) @ (d.reshape(-1) ** 2))
        return total

    def _verdict(self, claim: float, value: Array, bar: Array, own: float, centre: float) -> Judged:
        """The table of verdicts, with the unit of this precision in place of that of double precision."""
        estimate, doubt = float(value[CENTRAL]), float(bar[CENTRAL])
        made = Judged(Verdict.DOMAIN, claim, estimate, doubt, own)
        if not math.isfinite(centre):
            return made._replace(note="the output is not finite here")
        if not math.isfinite(claim):
            return made._replace(verdict=Verdict.WRONG, note=not_finite(claim))
        left, right = float(value[LEFT]), float(value[RIGHT])
        apart = SAFETY * float(bar[LEFT] + bar[RIGHT])
        if np.isfinite(apart) and abs(left - right) > apart:
            reach = SAFETY * (float(max(bar[LEFT], bar[RIGHT])) + own)
            between = min(left, right) - reach <= claim <= max(left, right) + reach
            nearest = min(max(claim, min(left, right)), max(left, right))
            kink = Verdict.KINK_OK if between else Verdict.KINK_WRONG
            return made._replace(verdict=kink, left=left, right=right, estimate=nearest, bar=reach / SAFETY)
        if not math.isfinite(doubt):
            return made._replace(verdict=Verdict.UNRESOLVED, note="no slope could be seen in this precision")
        size = max(abs(claim), abs(estimate))
        within = SAFETY * (doubt + own) + 8 * self.unit * size
        if abs(claim - estimate) > within:
            return made._replace(verdict=Verdict.WRONG)
        if within <= _SEEN * size:
            return made._replace(verdict=Verdict.PASS, digits=-math.log10(within / size))
        if claim == 0:
            return made._replace(verdict=Verdict.PASS_ZERO)
        return made._replace(verdict=Verdict.SATURATED, note="too small beside the rounding of this precision")

    def sees_steps(self) -> bool:
        """True where values beside the point lie off a line by as much as single precision leaves, and by no more.

        A function may compute a part of itself in single precision, though what it gives is in double.
        """
        direction = [np.asarray(self.rng.standard_normal(a.shape) * rms(a)) for a in self.at]
        scale = max(float(np.max(np.abs(a), initial=0.0)) for a in self.at) or 1.0
        with np.errstate(all="ignore"):
            # A bend shows at the farthest points alone.
            rough = self._rough(direction, scale / max(float(np.max(np.abs(d), initial=0.0)) for d in direction)).min(0)
            sizes = np.array([abs(self.rows.sum(row, self.rows.flat)) for row in self.rows.rows])
            parts = rough / sizes
        return bool(np.any((parts > _STEPS[0]) & (parts < _STEPS[1])))

    # -- findings ------------------------------------------------------------------------------

    def _finding(self, output: int, leaf: int) -> Finding:
        mine = [i for i, row in enumerate(self.rows.rows) if row.output == output]
        at = self.at[leaf]
        table: list[Entry] = []
        for (of, place), judged in self.judged.items():
            if of == leaf and mine:
                row = max(mine, key=lambda i: (_RANK[judged[i].verdict], judged[i].bars_away))
                index = tuple(map(int, np.unravel_index(place, at.shape))) if at.shape else ()
                table.append(Entry(index, float(at.reshape(-1)[place]), judged[row], self.rows.rows[row].index))
        table += [
            Entry((), math.nan, j, self.rows.rows[i].index, along=True)
            for (of, i), j in self.unseen.items() if of == leaf and i in mine
        ]
        table.sort(key=lambda e: (-_RANK[e.judged.verdict], -e.judged.bars_away))
        found = [e.judged for e in table] or self.along.get(leaf, [])
        verdict = max((j.verdict for j in found), key=_RANK.__getitem__, default=Verdict.PASS_ZERO)
        if verdict is Verdict.PASS_ZERO and any(j.verdict is Verdict.PASS for j in found):
            verdict = Verdict.PASS
        digits = [j.digits for j in found if j.digits is not None]
        made = Finding(
            self.subject.outputs[output].name, self.subject.inputs[leaf].name, 1, verdict,
            digits=min(digits, default=None), entries=at.size,
            wrong_entries=sum(e.judged.verdict not in PASSES for e in table),
            worst=table[0] if table else None, table=table[:_SHOWN], span=self.subject._span,
        )  # fmt: skip
        bits = -math.log2(self.unit)
        made.notes.append(Note(NoteKind.FLOAT32, f"it computes with numbers of {bits:.0f} bits, and is judged by them"))
        return made
