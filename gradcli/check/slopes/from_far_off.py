"""A slope from far off, for a function that is badly conditioned at a point, but smooth and well conditioned around."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from .noise_of_values import noise_beside
from .steps import UNIT

# Points on each side.
_HALF = 32
# Radii from this many largest steps down, by half a power of two each.
_LARGEST, _RADII = 16.0, 18
# What the radii beside one differ by is multiplied by this: too large a radius shows there, and noise does.
_SAFETY = 3.0
# No slope is known better: below normal numbers rounding does not shrink.
_FLOOR = 2.0**-1066


class Movable(Protocol):
    """A line whose outputs can be had at other steps."""

    @property
    def scale(self) -> float:
        """The size of what is moved."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""


class Far(NamedTuple):
    """The slope of every output (m,): its value, its bar, and how far off it was looked for."""

    value: Array
    bar: Array
    step: Array


def far_slope(line: Movable, largest: float, chosen: Array, centre: Array, doubt: Array) -> Far:
    """The slope at the point of polynomials through Chebyshev points around it; ``largest``: the largest step.

    The polynomials must come through the point, too: ``centre``, and how far that is in doubt.
    """
    radii = largest * _LARGEST / 2.0 ** (np.arange(_RADII) / 2)
    points = radii[:, None] * np.concatenate([_POINTS, -_POINTS])
    with np.errstate(all="ignore"):
        found = line.values(points.reshape(-1))[1][:, chosen].reshape(*points.shape, -1)
        right, left = found[:, :_HALF], found[:, _HALF:]
        odd = (right / 2 - left / 2) / radii[:, None, None]
        fine = np.einsum("k,rkm->rm", _WEIGHTS, odd)
        # Where nothing moves there is nothing to see.
        seen = np.any(odd != 0, 1)
        off = np.abs(np.einsum("k,rkm->rm", _THROUGH, right / 2 + left / 2) - centre)
        rounding = _ROUNDING * np.max(np.maximum(np.abs(right), np.abs(left)), 1)
        seen &= off <= _SAFETY * doubt + rounding
        size = np.maximum(np.abs(right), np.abs(left)) / radii[:, None, None]
        noise = 2 * UNIT * np.einsum("k,rkm->rm", np.abs(_WEIGHTS), size)
        spread = np.maximum(np.abs(fine[1:-1] - fine[2:]), np.abs(fine[1:-1] - fine[:-2]))
        bar = _SAFETY * spread + noise[1:-1] + _FLOOR
        bar = np.where(np.isfinite(bar) & seen[1:-1], bar, np.inf)
    at = np.argmin(bar, 0)
    each = np.arange(len(at))
    value, bar, radius = fine[1:-1][at, each], bar[at, each], radii[1:-1][at]
    for r in np.unique(radius[np.isfinite(bar)]):
        # Errors that go with the function all around show in no spread.
        here = radius == r
        shared = noise_beside(line, np.array([r, -r]), chosen[here]).max(0) / r
        bar[here] += shared
    return Far(value, bar, radius)


def _points(count: int) -> Array:
    """The Chebyshev points on one side, from the outermost inwards."""
    return np.asarray(np.cos(np.arange(count) * np.pi / (2 * count)), np.float64)


def _weights(count: int) -> Array:
    """The weights of the odd part at these points in the slope in the middle."""
    made = 2.0 * (-1.0) ** (count + 1 + np.arange(count)) / _points(count)
    made[0] /= 2
    return np.asarray(made, np.float64)


def _through(count: int) -> Array:
    """The weights of the even part at these points in the value in the middle."""
    made = 2.0 * (-1.0) ** (count + 1 + np.arange(count))
    made[0] /= 2
    return np.asarray(made, np.float64)


_POINTS = _points(_HALF)
_WEIGHTS = _weights(_HALF)
_THROUGH = _through(_HALF)
# The rounding of the value in the middle.
_ROUNDING = 4 * UNIT * float(np.abs(_THROUGH).sum())
