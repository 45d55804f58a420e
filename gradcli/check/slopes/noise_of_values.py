"""Rounding noise as the values of a function show it, at the ends of the steps themselves.

At a point where a function is flat, all that is computed on the way comes to the same number: there is no noise to be
seen there. Further off there is, and it may be larger than any noise at the point.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Array
from .differences import Samples

# So many neighbours of each end, this far apart, in units of its last place: the numbers that are computed on the way
# may be the same over some distance, and at powers of two their rounding errors would repeat.
_NEIGHBOURS = 8
_APART = np.array([87.0, 359137.0, 1471026001.0, 6025322500097.0])
_NEAR = 2.0**-12
# Fifth differences leave nothing of what is smooth over such distances, and so many times the noise.
_ORDER, _TOGETHER = 5, 15.9
# An error is at most so much larger than it usually is.
_LARGEST = 3.0


class Movable(Protocol):
    """A line whose outputs can be had at other steps."""

    @property
    def scale(self) -> float:
        """The size of what is moved."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""


def with_noise_beside(line: Movable, samples: Samples, outputs: Array, every: int = 1) -> Samples:
    """Samples of these outputs with the noise that their values have around each step.

    ``every``: of how many steps it is looked for around the largest alone.
    """
    # It is no smaller at a larger step than at a smaller one.
    right, left = (
        np.repeat(np.maximum.accumulate(noise_beside(line, ends[::every], outputs)[::-1])[::-1], every, 0)[: len(ends)]
        for ends in (samples.steps, -samples.back)
    )
    return samples._replace(
        noise_right=np.maximum(samples.noise_right, right), noise_left=np.maximum(samples.noise_left, left)
    )


def noise_beside(line: Movable, ends: Array, outputs: Array) -> Array:
    """The noise of some outputs around each end of a step (n, m)."""
    grid = np.ldexp(1.0, np.frexp(line.scale + np.abs(ends))[1] - 53)
    # All on the same side of the point, where there may be a kink.
    apart = np.minimum(grid[:, None] * _APART, np.abs(ends)[:, None] * _NEAR)
    places = ends[:, None, None] + np.sign(ends)[:, None, None] * apart[:, :, None] * np.arange(_NEIGHBOURS)
    with np.errstate(all="ignore"):
        found = line.values(places.reshape(-1))[1][:, outputs].reshape(*places.shape, len(outputs))
        rough = np.sqrt(np.mean(np.diff(found, _ORDER, axis=2) ** 2, 2)).max(1)
    return np.asarray(np.where(np.isfinite(rough), _LARGEST * rough / _TOGETHER, 0.0))
