"""A claim beside plain differences: enough to see that all is well, no proof that it is not."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from .subject import Subject

Array = np.ndarray[Any, np.dtype[Any]]

# With steps of this part of the largest number, five points are as exact as that where a function is smooth.
_STEP, _CLOSE = 1e-3, 1e-8
# What is wrong is off by more; where a function is smooth, differences change by less from step to step.
_FAR, _STEADY = 1e-3, 1e-4


class Glance(StrEnum):
    """What differences say of a claim."""

    RIGHT = "right"
    WRONG = "wrong"
    # They say nothing: with other steps they are others.
    UNCLEAR = "unclear"


def glance(at: Callable[[Array], float], values: Array, claim: Array, rng: np.random.Generator) -> Glance:
    """What differences along a random direction of some values say of what is claimed along it."""
    way = rng.uniform(0.5, 1.5, claim.shape) * rng.choice([-1.0, 1.0], claim.shape)
    step = _STEP * float(np.abs(values).max(initial=1e-6))
    sums = [at(values + k * step * way) for k in (-2, -1, 1, 2)]
    near, far = (sums[2] - sums[1]) / (2 * step), (sums[3] - sums[0]) / (4 * step)
    slope = (4 * near - far) / 3
    shares = claim * way
    size = max(abs(slope), float(np.abs(shares).sum()))
    apart = abs(slope - float(shares.sum()))
    if apart <= _CLOSE * size:
        return Glance.RIGHT
    return Glance.WRONG if apart > _FAR * size and abs(near - far) <= _STEADY * size else Glance.UNCLEAR


def glanced(subject: Subject, rng: np.random.Generator) -> Glance:
    """What differences say of all that is claimed at a subject's point: the worst of it."""
    weights = [rng.uniform(0.5, 1.5, y.shape) * rng.choice([-1.0, 1.0], y.shape) for y in subject.numbers]
    at = [np.asarray(a, float) for a in subject.at]

    def along(i: int) -> Callable[[Array], float]:
        def total(values: Array) -> float:
            found = subject.plan.outputs([*at[:i], values, *at[i + 1 :]])
            return sum(float((w * y).sum()) for w, y in zip(weights, found, strict=True))

        return total

    claims = subject.claim(weights)
    found = [
        glance(along(i), a, np.zeros(a.shape) if g is None else g, rng)
        for i, (a, g) in enumerate(zip(at, claims, strict=True))
    ]
    return next((x for x in (Glance.WRONG, Glance.UNCLEAR) if x in found), Glance.RIGHT)
