"""Small jumps around a point: those of a solver that stops where it is near enough, after one step more or less.

Between two jumps such a function is as smooth as any, but its slope there is not that of what is solved for: how high
the jumps are tells how far off the whole is.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Array
from .differences import CENTRAL, Samples, extrapolated, with_noise

# How far off is looked, of what is moved or of 1 where that is smaller, and at how many points on each side.
_REACHES, _HALF = (0.25, 1.0), 32
# Differences of this order leave nothing of what is smooth; where they stand out by so much there is a jump, or a kink.
# A jump is in as many of them: few of all are without one. So many of those that stand out are looked at, the highest.
_ORDER, _OUTSTANDING, _WITHOUT, _LOOKS = 6, 16.0, 0.15, 4
# How much of a jump such a difference is; through so many points, and so often from nearer, it is looked at.
_OF_A_JUMP, _POINTS, _CLOSER = 10.0, 25, 8
# A jump is so much higher than noise, and no higher than this, of how much the output changes around.
_HIGHER, _HIGHEST = 16.0, 1e-2
_ROUNDED = 4 * 2.0**-53
# An output that moves by no more than this, of its size, may do so by jumps alone.
FAINT = 2.0**-12
# What is left over when a step more is as small as a jump is so many times that, where each step brings a little only.
ROOM = 64.0


class Movable(Protocol):
    """A line whose outputs can be had at other steps."""

    @property
    def scale(self) -> float:
        """The size of what is moved."""

    def values(self, steps: Array) -> tuple[Array, Array]:
        """The represented steps (k,), and the outputs there (k, m)."""


def jump_nearby(line: Movable, output: int, noise: float, *, is_dear: bool = False) -> float:
    """The height of a small jump that an output has around the point, of the highest near it; 0 where none is seen.

    ``is_dear``: each point of the line takes long, so that what stands out most is looked at before anything else is.
    """
    for reach in _REACHES:
        places = reach * max(line.scale, 1.0) * np.arange(-_HALF, _HALF + 1) / _HALF
        with np.errstate(all="ignore"):
            found = line.values(places)[1][:, output]
            rough = np.abs(np.diff(found, _ORDER))
            if not np.isfinite(rough).any():
                continue
            usual = float(np.nanquantile(rough, _WITHOUT))
            # Where the output is larger, it is rounded to larger numbers.
            grain = max(noise, _ROUNDED * float(np.nanmax(np.abs(found))))
            change = float(np.nanmax(found) - np.nanmin(found))
        # One look at each group of points that stand out.
        peaks = _peaks(rough, max(_OUTSTANDING * usual, _OF_A_JUMP * _HIGHER * grain))[:_LOOKS]
        looks = [_Look(float(places[k]), float(places[k + _ORDER])) for k in peaks]
        for some in [[look] for look in looks] if is_dear else [looks]:
            _look_closer(some, line, output, _HIGHER * grain)
            for look in some:
                if _HIGHER * grain < look.height <= _HIGHEST * change:
                    return look.height
    return 0.0


def moves_beside_jumps(line: Movable, slopes: Array) -> tuple[Array, Array]:
    """The distance that each output moves around the point, or these slopes would move it (m,); and the room of jumps.

    It is infinite where that is more than jumps are taken for.
    """
    reach = _REACHES[0] * max(line.scale, 1.0)
    with np.errstate(all="ignore"):
        found = line.values(reach * np.linspace(-1.0, 1.0, _POINTS))[1]
        jumps = ROOM * np.max(np.abs(np.diff(found, _ORDER, axis=0)), 0) / _OF_A_JUMP
        moves = np.maximum(np.ptp(found, 0), np.abs(slopes) * reach)
        faint = moves <= FAINT * np.max(np.abs(found), 0)
    return np.where(faint, moves, np.inf), jumps


def with_jumps(samples: Samples, height: float) -> tuple[float, float]:
    """The slope of the only output of some samples, and its bar, when jumps of this height are its noise."""
    found = extrapolated(with_noise(samples, height))
    return float(found.value[CENTRAL, 0]), float(found.bar[CENTRAL, 0])


def _peaks(rough: Array, least: float) -> list[int]:
    """Where numbers stand out, the largest of each neighbourhood."""
    order = [int(k) for k in np.argsort(-np.nan_to_num(rough)) if rough[k] > least]
    chosen: list[int] = []
    for k in order:
        if all(abs(k - other) > _ORDER for other in chosen):
            chosen.append(k)
    return chosen


class _Look:
    """A look for a jump between two places, from nearer and nearer."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.is_over = False
        # The heights of what was seen, the last three.
        self._seen = [0.0, 0.0, 0.0]

    def note(self, points: Array, values: Array, least: float) -> None:
        """Note the outputs at points between the places, and choose nearer ones; no jump is lower than the least."""
        with np.errstate(all="ignore"):
            rough = np.abs(np.diff(values, _ORDER))
        if not np.isfinite(rough).all():
            self.is_over, self._seen = True, [0.0, 0.0, 0.0]
            return
        k = int(np.argmax(rough))
        self.low, self.high = float(points[k]), float(points[k + _ORDER])
        first, before, seen = self._seen = [*self._seen[1:], float(rough[k]) / _OF_A_JUMP]
        self.is_over = seen < least or bool(first and _stays(first, before) and _stays(before, seen))

    @property
    def height(self) -> float:
        """The height of a jump: a kink, and what is smooth, leave nothing of it from nearer."""
        _, before, seen = self._seen
        return seen if _stays(before, seen) else 0.0


def _look_closer(looks: list[_Look], line: Movable, output: int, least: float) -> None:
    """Look for jumps until each is known to be one or none."""
    for _ in range(_CLOSER):
        going = [look for look in looks if not look.is_over]
        if not going:
            return
        points = np.linspace([look.low for look in going], [look.high for look in going], _POINTS, axis=1)
        values = line.values(points.reshape(-1))[1][:, output].reshape(points.shape)
        for look, at, found in zip(going, points, values, strict=True):
            look.note(at, found, least)


def _stays(before: float, seen: float) -> bool:
    """Tell a jump from what shrinks: from four times nearer a kink is a quarter as high, the end of a square root half
    as high."""
    return 4 * seen > 3 * before
