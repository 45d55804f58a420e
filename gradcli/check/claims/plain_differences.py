"""A claim beside plain differences: enough to see that all is well, no proof that it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np

from ...errors import raised_by_program
from ..arrays import Array
from ..replay.forward_rounding import measured
from ..replay.subject import Subject
from ..slopes.magnitude import signed

# Steps as parts of the largest number. With the first, five points are as exact as that where a function is smooth;
# the others are there for kinks nearby.
_STEPS, _CLOSE = (1e-3, 1e-5, 1e-6), 3e-8
# Two points that are so far apart are mostly enough.
_TWO = 1e-5
# A large step: over it a number that is felt moves by more than its noise.
_LARGE = 2.0**-5
# What is wrong is off by more, and by so much more than differences change from step to step.
_FAR, _STEADY = 1e-6, 10.0
# The inputs are moved together where the numbers of all points take no more bytes.
_TOGETHER = 2**22


class Glance(StrEnum):
    """The answers that differences give to a claim."""

    RIGHT = "right"
    WRONG = "wrong"
    # Differences with other steps disagree.
    UNCLEAR = "unclear"


# The number that is differentiated, at several values of what it is differentiated by.
At = Callable[[list[Array]], Sequence[float]]


def glance(at: At, values: Array, claim: Array, rng: np.random.Generator) -> Glance:
    """The answer of differences along a random direction of some values to what is claimed along it."""
    way = _Way(values, claim, rng)
    return Glance.RIGHT if way.is_right(*at(way.ends)) else way.closer(at)


class _Way:
    """A random direction of some values, and what is claimed along it."""

    def __init__(self, values: Array, claim: Array, rng: np.random.Generator) -> None:
        self._values = values
        self._way = signed(claim.shape, rng)
        shares = claim * self._way
        # Of infinities there may be no sum.
        with np.errstate(invalid="ignore"):
            self._claimed, self._size = float(shares.sum()), float(np.abs(shares).sum())
        self._largest = float(np.abs(values).max(initial=1e-6))

    @property
    def ends(self) -> list[Array]:
        """Two points that are mostly enough."""
        move = _TWO * self._largest * self._way
        return [self._values + move, self._values - move]

    def is_right(self, ahead: float, back: float) -> bool:
        """Tell whether what was found at those two points agrees with what is claimed."""
        return self._is_close((ahead - back) / (2 * _TWO * self._largest))

    def closer(self, at: At) -> Glance:
        """The answer of differences over several steps."""
        slopes: list[float] = []
        for step in _STEPS:
            slopes.append(_slope(at, self._values, step * self._largest * self._way, step * self._largest))
            if self._is_close(slopes[-1]):
                return Glance.RIGHT
        apart, change = abs(slopes[-1] - self._claimed), abs(slopes[-1] - slopes[-2])
        is_far = apart > max(_FAR * max(self._size, abs(slopes[-1])), _STEADY * change)
        return Glance.WRONG if is_far else Glance.UNCLEAR

    def vanishes(self, at: At, noise: float) -> bool:
        """Tell whether the number moves by no more than its noise where the values move far, and by what is claimed."""
        if self._size * max(self._largest, 1.0) > noise:
            return False
        move = _LARGE * self._largest * self._way
        try:
            ahead, back = at([self._values + move, self._values - move])
        except raised_by_program():
            # So far off it may be none of the program's domain.
            return False
        return abs(ahead - back) <= noise

    def _is_close(self, slope: float) -> bool:
        return abs(slope - self._claimed) <= _CLOSE * max(self._size, abs(slope))


def _slope(at: At, values: Array, move: Array, step: float) -> float:
    sums = at([values + k * move for k in (-2, -1, 1, 2)])
    return (sums[0] - 8 * sums[1] + 8 * sums[2] - sums[3]) / (12 * step)


def glanced(subject: Subject, rng: np.random.Generator) -> Glance:
    """The worst answer of differences to all that is claimed at a subject's point."""
    weights = [signed(y.shape, rng) for y in subject.numbers]
    at = [np.asarray(a, float) for a in subject.at]

    def totals(arrays: list[Array], moved: list[bool], count: int) -> list[float]:
        found = subject.evaluated.batch(arrays, moved, count)
        with np.errstate(all="ignore"):
            parts = [(w * y).reshape(count, -1).sum(1) for w, y in zip(weights, found, strict=True)]
        return [float(sum(each)) for each in zip(*parts, strict=True)]

    def along(i: int) -> At:
        moved = [k == i for k in range(len(at))]
        return lambda several: totals([*at[:i], np.stack(several), *at[i + 1 :]], moved, len(several))

    claims = subject.claim(weights)
    ways = [_Way(a, np.zeros(a.shape) if g is None else g, rng) for a, g in zip(at, claims, strict=True)]
    if 2 * len(at) * subject.evaluated.nbytes <= _TOGETHER:
        # Of little work a call is the most: each input is moved at two points, and stays where it is at all others.
        arrays = [np.repeat(a[None], 2 * len(at), 0) for a in at]
        for i, way in enumerate(ways):
            arrays[i][2 * i : 2 * i + 2] = way.ends
        ends = totals(arrays, [True] * len(at), 2 * len(at))
    else:
        ends = [total for i, way in enumerate(ways) for total in along(i)(way.ends)]
    found = [
        Glance.RIGHT if way.is_right(*ends[2 * i : 2 * i + 2]) else way.closer(along(i)) for i, way in enumerate(ways)
    ]
    doubted = [i for i, x in enumerate(found) if x is not Glance.RIGHT]
    if doubted and subject.evaluated.is_cheap:
        noise = _noise(subject, at, weights)
        if all(ways[i].vanishes(along(i), noise) for i in doubted):
            return Glance.RIGHT
    return next((x for x in (Glance.WRONG, Glance.UNCLEAR) if x in found), Glance.RIGHT)


def _noise(subject: Subject, at: Sequence[Array], weights: Sequence[Array]) -> float:
    """The rounding noise of the outputs at the subject's point, weighted and summed."""
    return float(measured(subject.evaluated, at, True).weighted(np.concatenate([np.ravel(w) for w in weights]))[0])
