"""A slope from values far off in the complex plane, for a function that is analytic around a point.

What cancels at the point itself does not on a circle around it, and of the mean over that rounding leaves little. And
right above the point the imaginary part alone tells of the slope, however much larger the real part is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from .differences import CENTRAL, extrapolated, sample
from .steps import UNIT

# Points on the upper half of a circle, at first and then. The function is real on the axis: below it has conjugate
# values.
_FEW, _MANY = 8, 64
# The largest radius in units of what is moved, or of 1 where that is smaller, and how many, halved again and again; and
# as parts of what is moved. So many of them are looked at closely.
_LARGEST, _RADII = 8.0, 8
_PARTS = 0.5, 0.25, 0.125
_CHOSEN = 2
# A function that is analytic inside has none of the powers -1, -2, ...: what is seen of so many of them is rounding,
# or higher powers than so few points can tell from them. The power 1 has as much of that.
_ABSENT = {_FEW: 4, _MANY: 24}
# The first few of these stand out by more than this where an op knows of complex numbers no more than a slope: it is
# not analytic then, and the power 1 is as far off as they are.
_LOW, _OUT = 4, 8.0
# Some rounding goes with the function itself, and is not seen in those: about so much of the mean.
_WITH_IT = UNIT / 4
# How often random errors are put in, and how large the line makes them.
_DRAWN = 4
ERROR = 2.0**-32
# Higher powers may shrink more slowly than the first few do: many points are trusted with so many of them.
_AS_FAR = 40
# Slopes from two circles are one when they differ by no more than so many of their bars.
_SAME = 4.0
# How many heights above a point, from the largest radius down, each half the one before.
_HEIGHTS = 24
_ROUNDING = 32 * UNIT
# Below normal numbers rounding does not shrink any more.
_SMALLEST = 2.0**-1072
# No slope that many numbers were added up for is known better.
_FLOOR = 2.0**-1066


class Readable(Protocol):
    """A line that can be read with complex numbers."""

    @property
    def scale(self) -> float:
        """The size of what is moved."""

    def around(self, points: Array, draws: int = 0) -> Array | None:
        """f(x + z) at every complex z (k, m); of so many draws of random errors in all that is computed on the way,
        if asked for (draws * k, m)."""


class Seen(NamedTuple):
    """The slope of every output (m,), and its bar; infinite where nothing is seen."""

    value: Array
    bar: Array


def circled(line: Readable, chosen: Array, centre: Array, doubt: Array, known: Array) -> Seen | None:
    """The slopes of some outputs, each from the circles that leave the least doubt. None where none can be read, or
    none can have a smaller bar than those that are ``known`` (m,).

    The mean over the circle must be what the output is in the middle: ``centre`` (m,), as far as that is known:
    ``doubt``.
    """
    scale = line.scale
    radii = max(scale, 1.0) * _LARGEST / 2.0 ** np.arange(_RADII)
    if 0 < scale < radii[-1]:
        radii = np.concatenate([radii, scale * np.array(_PARTS)])
    with np.errstate(all="ignore"):
        first = _powers(line, radii, chosen, _FEW)
        if first is None:
            return None
        radii = radii[_promising(*first, radii)]
        then = _powers(line, radii, chosen, _MANY) if len(radii) else None
        if then is None:
            return None
        unfelt = _slopes(then[0], radii, centre, doubt, np.zeros(1))[1]
        if not np.any(_least(unfelt) < known):
            return None
        return _together(*_slopes(then[0], radii, centre, doubt, _felt(line, then[0], radii, chosen)))


def _felt(line: Readable, powers: Array, radii: Array, chosen: Array) -> Array:
    """Measure how far the power 1 on each circle feels errors of one rounding on the way (r, m).

    Those of a library's function may go with the function all around the circle, and show in no power that is absent.
    """
    found = _around(line, radii, chosen, _MANY, _DRAWN)
    if found is None:
        return np.zeros(powers[:, 1].shape)
    felt = np.max(np.abs(_shares(found, _MANY, [1])[:, :, 0] - powers[:, 1]), 0) * (UNIT / ERROR)
    return np.where(np.isfinite(felt), felt, np.inf)


def _slopes(powers: Array, radii: Array, centre: Array, doubt: Array, felt: Array) -> tuple[Array, Array]:
    """The slopes from each circle (r, m), and their bars: infinite where the mean is not what is in the middle."""
    floor = _WITH_IT * np.abs(powers[:, 0]) + _SMALLEST
    low, high = np.max(np.abs(powers[:, 2 : 2 + _LOW]), 1), _usual(powers[:, 2 + _LOW :])
    absent = np.where(low <= _OUT * (high + floor), _usual(powers[:, 2:]), np.inf) + floor
    value = powers[:, 1] / radii[:, None]
    bar = (absent + felt) / radii[:, None] + UNIT * np.abs(value) + _FLOOR
    through = np.abs(powers[:, 0] - centre) <= 8 * (absent + doubt + UNIT * np.abs(centre))
    return value, np.where(through & np.isfinite(bar) & (value != 0), bar, np.inf)


def _least(bar: Array) -> Array:
    """A bound below what bars (r, m) come to together (m,), and below what larger ones do."""
    return np.asarray(1 / np.sqrt(np.sum(1 / bar**2, 0)), np.float64)


def _together(value: Array, bar: Array) -> Seen:
    """The mean of the best slope and of those that are as good as the same, by how well each is known."""
    best = np.argmin(bar, 0), np.arange(bar.shape[1])
    same = np.abs(value - value[best]) <= _SAME * (bar + bar[best])
    weights = np.where(same & np.isfinite(bar), (bar[best] / bar) ** 2, 0.0)
    total = np.sum(weights, 0)
    mean = np.sum(np.where(weights > 0, weights * value, 0.0), 0) / total
    least = bar[best] / np.sqrt(total) + 2 * UNIT * np.abs(mean)
    return Seen(np.where(total > 0, mean, np.nan), np.where(total > 0, least, np.inf))


def above(line: Readable, chosen: Array) -> Seen | None:
    """The slopes of some outputs, from the imaginary parts at heights that have nothing to do with the point's size.

    Rounding of the real parts on the way may show in them, more than in their size.
    """
    heights = max(line.scale, 1.0) * _LARGEST / 2.0 ** np.arange(_HEIGHTS)
    with np.errstate(all="ignore"):
        found = line.around(1j * heights)
        if found is None:
            return None
        found = found[:, chosen].imag
        nothing = np.zeros(len(chosen))
        samples = sample(heights, heights, found, -found, nothing, nothing + _SMALLEST)
        estimates = extrapolated(samples)
    value = estimates.value[CENTRAL]
    bar = estimates.bar[CENTRAL] + _ROUNDING * np.abs(value)
    # A forward that drops the imaginary part says nothing.
    return Seen(value, np.where(value == 0, np.inf, bar))


def _powers(line: Readable, radii: Array, chosen: Array, count: int) -> tuple[Array, Array] | None:
    """The powers 0 and 1 on each circle, and some that should be absent (r, j, m); and the largest
    number on it (r, m)."""
    found = _around(line, radii, chosen, count)
    if found is None:
        return None
    powers = _shares(found, count, [0, 1, *range(-1, -1 - _ABSENT[count], -1)])
    return powers[0], np.max(np.abs(found[0]), 1)


def _around(line: Readable, radii: Array, chosen: Array, count: int, draws: int = 0) -> Array | None:
    """Some outputs at so many points on the upper half of each circle, of each draw of errors (d, r, k, m)."""
    points = np.multiply.outer(radii, np.exp(1j * _angles(count))).reshape(-1)
    found = line.around(points, draws)
    return None if found is None else found[:, chosen].reshape(max(draws, 1), len(radii), count, len(chosen))


def _shares(found: Array, count: int, powers: Sequence[int]) -> Array:
    """The share of some powers in numbers around circles (d, r, j, m)."""
    shares = np.exp(-1j * np.outer(powers, _angles(count))) / count
    return np.asarray((shares @ found).real, np.float64)


def _angles(count: int) -> Array:
    return np.asarray(np.pi * (np.arange(count) + 0.5) / count, np.float64)


def _promising(first: Array, largest: Array, radii: Array) -> Array:
    """Which circles to look at closely, seen from few points: those of which many will leave the least doubt.

    What is seen of absent powers may be higher ones, of which many points see less, or rounding: then it stays.
    """
    seen = _usual(first[:, 2:])
    shrinks = (seen / largest) ** (1 / (2 * _FEW - _ABSENT[_FEW]))
    many = largest * (UNIT + np.minimum(shrinks, 1.0) ** _AS_FAR) / radii[:, None]
    few = (seen + UNIT * largest) / radii[:, None]
    ranked = [np.argsort(np.where(np.isfinite(x), x, np.inf), 0, kind="stable") for x in (many, few)]
    best = np.unique(np.concatenate([rank[:_CHOSEN] for rank in ranked]))
    return np.asarray(best[np.isfinite(many[best]).any(1)], np.intp)


def _usual(numbers: Array) -> Array:
    """The root of the mean square over the second axis; squares of small numbers are none."""
    largest = np.max(np.abs(numbers), 1)
    size = np.where(largest > 0, largest, 1.0)
    return np.asarray(size * np.sqrt(np.mean((numbers / size[:, None]) ** 2, 1)), np.float64)
