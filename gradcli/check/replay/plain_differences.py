"""A claim beside plain differences: enough to see that all is well, no proof that it is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from .subject import Subject

Array = np.ndarray[Any, np.dtype[Any]]

# Steps as parts of the largest number. With the first, five points are as exact as that where a function is smooth;
# the others are there for kinks nearby.
_STEPS, _CLOSE = (1e-3, 1e-5, 1e-6), 3e-8
# Two points that are so far apart are mostly enough.
_TWO = 1e-5
# What is wrong is off by more, and by so much more than differences change from step to step.
_FAR, _STEADY = 1e-6, 10.0


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
    way = rng.uniform(0.5, 1.5, claim.shape) * rng.choice([-1.0, 1.0], claim.shape)
    shares = claim * way
    # Of infinities there may be no sum.
    with np.errstate(invalid="ignore"):
        claimed, size = float(shares.sum()), float(np.abs(shares).sum())
    largest = float(np.abs(values).max(initial=1e-6))

    def is_close(slope: float) -> bool:
        return abs(slope - claimed) <= _CLOSE * max(size, abs(slope))

    if is_close(_central(at, values, _TWO * largest * way, _TWO * largest)):
        return Glance.RIGHT
    slopes: list[float] = []
    for step in _STEPS:
        slopes.append(_slope(at, values, step * largest * way, step * largest))
        if is_close(slopes[-1]):
            return Glance.RIGHT
    apart, change = abs(slopes[-1] - claimed), abs(slopes[-1] - slopes[-2])
    is_far = apart > max(_FAR * max(size, abs(slopes[-1])), _STEADY * change)
    return Glance.WRONG if is_far else Glance.UNCLEAR


def _central(at: At, values: Array, move: Array, step: float) -> float:
    ahead, back = at([values + move, values - move])
    return (ahead - back) / (2 * step)


def _slope(at: At, values: Array, move: Array, step: float) -> float:
    sums = at([values + k * move for k in (-2, -1, 1, 2)])
    return (sums[0] - 8 * sums[1] + 8 * sums[2] - sums[3]) / (12 * step)


def glanced(subject: Subject, rng: np.random.Generator) -> Glance:
    """The worst answer of differences to all that is claimed at a subject's point."""
    weights = [rng.uniform(0.5, 1.5, y.shape) * rng.choice([-1.0, 1.0], y.shape) for y in subject.numbers]
    at = [np.asarray(a, float) for a in subject.at]

    def along(i: int) -> At:
        moved = [k == i for k in range(len(at))]

        def totals(several: list[Array]) -> Sequence[float]:
            found = subject.evaluated.batch([*at[:i], np.stack(several), *at[i + 1 :]], moved, len(several))
            with np.errstate(all="ignore"):
                parts = [(w * y).reshape(len(several), -1).sum(1) for w, y in zip(weights, found, strict=True)]
            return [float(sum(each)) for each in zip(*parts, strict=True)]

        return totals

    claims = subject.claim(weights)
    found = [
        glance(along(i), a, np.zeros(a.shape) if g is None else g, rng)
        for i, (a, g) in enumerate(zip(at, claims, strict=True))
    ]
    return next((x for x in (Glance.WRONG, Glance.UNCLEAR) if x in found), Glance.RIGHT)
