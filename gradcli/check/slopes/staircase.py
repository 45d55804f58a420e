"""Functions that are flat at fine steps and not at coarse ones: a cast to single precision inside, rounding."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from .differences import CENTRAL, LEFT, RIGHT, SAFETY, Samples, extrapolated, with_noise


class Stair(NamedTuple):
    """A staircase: how wide and how high a stair is, and the slope of the whole with its bar."""

    width: float
    height: float
    value: float
    bar: float


class Movable(Protocol):
    """A line whose outputs can be had at other steps."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""


# A stair is so much higher than noise.
_HEIGHT = 64.0
# The slope of the whole is known to this, of its size.
_KNOWN = 0.2
# The same where the stairs have a slope of their own; a jump is so much higher than what a step half as long brings,
# and so many steps are longer than to the first jump.
_KNOWN_SLANTING, _STEEP, _COARSE = 1e-2, 16.0, 6
# So many coarse steps are looked at for further stairs.
_PLACES = 8


def staircase(line: Movable, samples: Samples, output: int) -> Stair | None:
    """The staircase that an output (the only one of ``samples``) is at the point; None when it is none."""
    change = np.fmax(np.abs(samples.right - samples.centre), np.abs(samples.left - samples.centre))[:, 0]
    flat = np.fmin(np.abs(samples.right - samples.centre), np.abs(samples.left - samples.centre))[:, 0]
    if not np.all(flat[-3:] == 0):
        return None
    moved = np.flatnonzero(change > 1.5 * change[-1])
    if len(moved) == 0:
        return None
    first = int(moved[-1])
    height = float(change[first])
    if not height > _HEIGHT * float(samples.noise[0]) or first < 6:
        return None
    width = float(samples.steps[first])
    coarse = samples.only(np.array([0]), slice(0, max(first - 1, 0)))
    coarse = coarse._replace(
        noise=np.array([height]),
        noise_right=np.maximum(coarse.noise_right, height),
        noise_left=np.maximum(coarse.noise_left, height),
    )
    found = extrapolated(coarse)
    value, bar = float(found.value[CENTRAL, 0]), float(found.bar[CENTRAL, 0])
    if not bar <= _KNOWN * abs(value):
        return None
    gap = abs(float(found.value[LEFT, 0] - found.value[RIGHT, 0]))
    if not gap <= SAFETY * float(found.bar[LEFT, 0] + found.bar[RIGHT, 0]):
        return None
    return Stair(width, height, value, bar) if _goes_on(line, samples.steps[:first], width, output) else None


def slanting(samples: Samples, slope: float) -> Stair | None:
    """The staircase that the only output of some samples is beside a slope that its stairs have, and the slope of the
    whole; None when no jump is seen, or the whole has no slope that is known."""
    steps, noise = samples.steps, float(samples.noise[0])
    right = np.abs(samples.right[:, 0] - samples.centre[0] - slope * steps)
    left = np.abs(samples.left[:, 0] - samples.centre[0] + slope * steps)
    change = np.fmax(right, left)
    # From one step to the next, twice as long, what is smooth grows by a few times.
    jumps = np.flatnonzero(change[:-1] > np.maximum(_HEIGHT * noise, _STEEP * change[1:]))
    if len(jumps) == 0:
        return None
    first = int(jumps[-1])
    height = float(change[first])
    coarse = samples.only(np.array([0]), slice(0, max(first - 1, 0)))
    found = extrapolated(with_noise(coarse, height)) if first > _COARSE else None
    if found is None or not found.bar[CENTRAL, 0] <= _KNOWN_SLANTING * abs(found.value[CENTRAL, 0]):
        return None
    return Stair(float(steps[first]), height, float(found.value[CENTRAL, 0]), float(found.bar[CENTRAL, 0]))


def _goes_on(line: Movable, steps: Array, width: float, output: int) -> bool:
    """Tell whether there are stairs further off, too."""
    places = steps[-_PLACES:]
    places = np.concatenate([places, -places])
    shifted = np.concatenate([places, places + width / 8, places + width / 4])
    _, found = line.values(shifted)
    a, b, c = found[:, output].reshape(3, -1)
    return bool(np.mean((a == b) | (b == c)) > 0.5)
