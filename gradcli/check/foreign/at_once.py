"""A first look at someone's function, where each point is a call: what it leaves no doubt of is not looked at again.

Random sums of the outputs are looked at along random directions of each input. A claim that agrees there with
differences so closely that chance is out of the question is right, and how the function rounds need not be known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from .. import budget
from ..arrays import Array
from ..judging.findings import Entry, Finding
from ..judging.rows import Direction, Row, Rows, rms
from ..judging.verdict import Judged, Verdict
from ..replay.line import Line, flattened, rows as values_at
from ..slopes.magnitude import signed
from ..slopes.many_at_once import quick_steps, settled
from ..slopes.steps import UNIT
from .subject import ForeignSubject

# Where the numbers of a gradient or of an output are as unlike as this, a sum shows nothing of the least.
_RANGE = 1e4
# Inputs are looked at together where what each makes of a sum is no smaller part of the largest.
_SHARE = 32
# So many directions are looked along together.
_TOGETHER = 4
# A difference with this step, as a part of what is moved, agrees with what is right to this part.
_STEP, _CLOSE = 1e-5, 3e-8
# The steps, as parts of the usual ones: with others a kink nearby is left out.
_NEARER = (2.0**-2, 2.0**-10)
# The larger of two steps, as a part of what is moved, and how large a kink may be to go unseen, as a part of the slope.
_FAR, _BENT = 2.0**-9, 1e-6


def right_at_once(subject: ForeignSubject, rng: np.random.Generator, order: int) -> list[Finding] | None:
    """The findings of claims that all are right beyond doubt; None where one may not be."""
    rows = _Sums(subject, rng, 1)
    few = sum(a.size for a in rows.at) <= rows.plan.most_entries
    if few and any(map(_is_wide, (*subject.numbers, *(g for lines in rows.claims for g in lines)))):
        return None
    resting = [np.all(lines == 0, 0).reshape(a.shape) for lines, a in zip(rows.claims, rows.at, strict=True)]
    is_resting = any(rests.any() for rests in resting)
    if ((few and is_resting) or any(rests.all() for rests in resting)) and subject.function.is_holomorphic:
        # It may be flat for rounding alone, and complex step tells.
        return None
    seen: dict[tuple[int, int], list[Judged]] = {}
    ways = list(_directions(rows, rng))
    if few and is_resting:
        free = random_ways(rows.at, rng)
        ways.append(({}, [np.where(rests, way, 0.0) for rests, way in zip(resting, free, strict=True)]))
    for some in batched(ways, _TOGETHER):
        if budget.is_spent():
            return None
        directions = [direction for _, direction in some]
        judged = _plain(rows, directions) or _settled(rows, directions)
        if judged is None:
            return None
        for (leaves, _), each in zip(some, judged, strict=True):
            for row, one in zip(rows.rows, each, strict=True):
                for leaf, lost in leaves.items():
                    known = one if not one.digits else one._replace(digits=one.digits - lost)
                    seen.setdefault((row.output, leaf), []).append(known)
    return [
        _finding(subject, output, leaf, order, seen[output, leaf])
        for output in range(len(subject.outputs)) for leaf in range(len(rows.at))
    ]  # fmt: skip


def is_right_there(subject: ForeignSubject, point: Sequence[Array], ways: Sequence[Array]) -> bool:
    """Tell whether the claims at another point agree with a difference along which all inputs move."""
    real, weights = subject.function, subject.weights(np.random.default_rng(0))
    given = [np.asarray(a, np.float64) for a in point]
    claimed = real.pulled(given)(weights)
    shares = [np.zeros(1) if g is None else g * way for g, way in zip(claimed, ways, strict=True)]
    sizes = [float(np.abs(share).sum()) for share in shares]
    if not min(sizes) > max(sizes) / _RANGE:
        return False
    ahead, back = (real.values([a + t * way for a, way in zip(given, ways, strict=True)]) for t in (_STEP, -_STEP))
    with np.errstate(all="ignore"):
        change = sum(float((w * (a - b)).sum()) for w, a, b in zip(weights, ahead, back, strict=True))
        off = abs(change / (2 * _STEP) - sum(float(share.sum()) for share in shares))
        return bool(off <= _CLOSE * sum(sizes))


class _Sums(Rows):
    """A random sum of each output."""

    def __init__(self, subject: ForeignSubject, rng: np.random.Generator, order: int) -> None:
        # Those that its structure was looked at with.
        self._of_all = subject.weights(rng)
        super().__init__(subject, rng, order)
        self.are_sums = True

    def _of(self, output: int, values: Array, rng: np.random.Generator) -> Iterator[Row]:
        yield Row(output, self._of_all[output], None)


def batched(several: Iterable[Any], count: int) -> Iterator[list[Any]]:
    """Some at a time."""
    rest = iter(several)
    while part := list(islice(rest, count)):
        yield part


def _is_wide(a: Array) -> bool:
    """Tell whether the least of some numbers is lost beside the largest."""
    sizes = np.abs(np.asarray(a, np.float64)).reshape(-1)
    sizes = sizes[sizes > 0]
    return bool(sizes.size) and not float(sizes.max()) <= _RANGE * float(sizes.min())


def _directions(rows: Rows, rng: np.random.Generator) -> Iterator[tuple[dict[int, float], Direction]]:
    """Directions of all inputs together, and of each alone where one is lost beside the others.

    With each are the inputs that it tells of, and how many digits of it are lost in the sum of all.
    """
    several, together = range(len(rows.at)), random_ways(rows.at, rng)
    sizes = np.stack([rows.size_along([d if i == leaf else None for i, d in enumerate(together)]) for leaf in several])
    if ((sizes > 0) & (sizes < np.inf) & (sizes.max(0) <= _SHARE * sizes.min(0))).all():
        yield dict(enumerate(np.log10(sizes.sum(0) / sizes).max(1).tolist())), together
        return
    for leaf, a in enumerate(rows.at):
        yield {leaf: 0.0}, [_moved(a, rng) if i == leaf else None for i in several]
    if len(several) > 1:
        yield {}, together


def random_ways(at: Sequence[Array], rng: np.random.Generator) -> list[Array]:
    """A random direction in which all inputs move."""
    return [_moved(a, rng) for a in at]


def _moved(a: Array, rng: np.random.Generator) -> Array:
    return signed(a.shape, rng) * rms(a)


def _plain(rows: Rows, directions: Sequence[Direction]) -> list[list[Judged]] | None:
    """The judgements of all sums along some directions by two central differences; None where these leave a doubt."""
    claimed = [(rows.claim_along(d), rows.size_along(d)) for d in directions]
    if not all((size > 0).all() for _, size in claimed):
        return None
    made = []
    for direction, (claims, sizes) in zip(directions, claimed, strict=True):
        ends = [rows.flat]
        for step in (_FAR, -_FAR, _FAR / 2, -_FAR / 2):
            point = [a if d is None else a + step * d for a, d in zip(rows.at, direction, strict=True)]
            ends.append(flattened(rows.plan.outputs(point)))
        here, *others = rows.of(np.stack(ends))
        with np.errstate(all="ignore"):
            ahead, back = np.array(others[::2]), np.array(others[1::2])
            slopes = (ahead - back) / np.array([[2 * _FAR], [_FAR]])
            evens = ahead + back - 2 * here
            estimates = (4 * slopes[1] - slopes[0]) / 3
            bars = 4 * UNIT * np.abs(ahead).max(0) / _FAR
            off = np.abs(estimates - claims)
            # What is left of a kink shrinks by half with the step, of a bend to a quarter.
            kinked = np.abs(evens[0] - 4 * evens[1]) - _BENT * _FAR * sizes
            good = (off + bars <= rows.plan.assured * sizes) & (kinked <= 8 * UNIT * np.abs(ahead).max(0))
            if not good.all():
                return None
            digits = -np.log10((off + bars) / sizes)
        made.append([_passed(*x) for x in zip(*(a.tolist() for a in (digits, claims, estimates, bars)), strict=True)])
    return made


def _settled(rows: Rows, directions: Sequence[Direction]) -> list[list[Judged]] | None:
    """The judgements of all sums along some directions; None where one of them may be wrong."""
    claims = np.stack([rows.claim_along(d) for d in directions])
    sizes = np.stack([rows.size_along(d) for d in directions])
    scales = np.array([Line(rows.plan, d).scale for d in directions])
    noise = np.zeros(len(rows.rows))
    sure, told = np.zeros(claims.shape, np.bool_), [np.zeros(claims.shape)] * 3
    # What rests over small steps may be flat for rounding alone.
    for part in _NEARER if (claims != 0).all() else (1.0, *_NEARER[1:]):
        steps = quick_steps(scales) * part
        sums = rows.of(_values(rows, directions, steps))
        good, *found = settled(steps, sums, noise, None, claims, rows.plan.assured, sizes=sizes)
        good &= ~sure & ((claims != 0) | (part == 1))
        told = [np.where(good, new, old) for new, old in zip(found, told, strict=True)]
        sure |= good
        if sure.all():
            digits, estimates, bars = told
            return [
                [_passed(*(float(a[i, r]) for a in (digits, claims, estimates, bars))) for r in range(len(rows.rows))]
                for i in range(len(directions))
            ]
    return None


def _values(rows: Rows, directions: Sequence[Direction], steps: Array) -> Array:
    """All outputs at these steps (E, k) along each direction: (E, k, m)."""
    moved = [any(d[i] is not None for d in directions) for i in range(len(rows.at))]
    given = list(rows.at)
    for i, a in enumerate(rows.at):
        if moved[i]:
            ways = np.stack([np.zeros(a.shape) if d[i] is None else np.asarray(d[i]) for d in directions])
            ways = ways[:, None] * steps.reshape(*steps.shape, *[1] * a.ndim)
            given[i] = (a + ways).reshape(steps.size, *a.shape)
    return values_at(rows.plan, given, moved, steps.size).reshape(*steps.shape, rows.plan.size)


def _passed(digits: float, claimed: float, estimate: float, bar: float) -> Judged:
    if digits == math.inf:
        return Judged(Verdict.PASS_ZERO, claimed, estimate, bar)
    off = abs(claimed - estimate) / max(abs(claimed), abs(estimate))
    return Judged(Verdict.PASS, claimed, estimate, bar, digits=min(digits, -math.log10(off)) if off else digits)


def _finding(subject: ForeignSubject, output: int, leaf: int, order: int, judged: list[Judged]) -> Finding:
    passed = [j for j in judged if j.digits is not None]
    worst = min(passed, key=lambda j: j.digits or math.inf, default=judged[0])
    return Finding(
        subject.outputs[output].name, subject.inputs[leaf].name, order, worst.verdict,
        digits=worst.digits, entries=int(np.size(subject.at[leaf])), worst=Entry((), math.nan, worst, along=True),
        span=subject._span,
    )  # fmt: skip
