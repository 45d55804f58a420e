"""The derivative as the imaginary part of the function beside the real axis, with an error bar of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..arrays import Array
from .steps import UNIT

# How far beside the axis, in units of what is moved.
_HEIGHT, _LEAST_HEIGHT = 1e-20, 1e-290
# No number but zero is smaller.
_SMALLEST = 2.0**-1074
# At zero, where nothing has a size: how far, in units of a step over which the function is smooth.
_LOW = 1e-12
# Neighbouring points stand about this far apart, in units of a step over which the function is smooth.
APART = 2.0**-15
# At closer ones, in units of the last place, errors are alike.
_CLOSEST = 2.0**18
# Where they stand: unevenly, as rounding errors at even distances may follow a trend.
PLACES = np.array([-2.9283, -1.7717, -1.1183, 0.0, 0.8391, 2.1619, 3.0529])
_MIDDLE = 3
_HALF = 12
_WIDE = np.arange(-_HALF, _HALF + 1) / _HALF
# Of numbers at those places differences of this order are rounding alone, and as so many errors of it together.
_ORDER, _TOGETHER = 6, 20.5
# A bar is so much wider than an error usually is.
_USUAL = 4.0
# By what the height is multiplied to see rounding.
_FACTORS = np.array([1.3717, 0.8713, 1.1939])
# A bar as large as this, of the derivative, is no rounding: it is looked at again, closer and closer.
_ROUNDED, _CLOSER = 2.0**-48, (2.0**-4, 2.0**-8, 2.0**-12)
_NARROW = 2.0**-40
# A derivative this small beside its changes is looked at more closely.
_SMALL = 2.0**-7
# Rounding is about as large in all terms beyond a trend: the last one is at least so small a part of the others.
_ROUGH = 8.0
# What a trend through seven points leaves of independent errors, as a bar.
_SPREAD = 1.5


class Readable(Protocol):
    """A line that can be read with complex numbers."""

    @property
    def scale(self) -> float:
        """The size of what is moved."""

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h at every offset s."""

    def around(self, points: Array) -> Array | None:
        """f(x + z) at every complex z."""


# For some of several lines: Im f(x + s + i h) / h (E, k, m) at heights h (E,) and offsets s (E, k).
Asked = Callable[[Array, Array, Array], Array | None]


class Witness(NamedTuple):
    """Complex step of every output (m,): its value and bar; an infinite bar where it says nothing."""

    value: Array
    bar: Array


def height(scale: float, step: float = np.inf) -> float:
    """The distance from the real axis to go to, for a number of this size and a function smooth over a step."""
    if not 0.0 < scale < np.inf:
        return max(min(_HEIGHT, _LOW * step), _LEAST_HEIGHT)
    return max(_HEIGHT * scale, min(1e-8 * scale, _LEAST_HEIGHT), _SMALLEST)


def offsets(scale: Any, step: Any) -> Array:
    """Seven neighbouring points, the middle one at zero, for a function that is smooth over a step.

    Of several scales and steps, a row for each.
    """
    apart = np.multiply(step, APART)
    return _around(scale, np.where(np.greater(scale, 0), np.minimum(apart, np.divide(scale, 16)), apart), step)


def close_offsets(scale: float, step: float) -> Array:
    """Seven neighbours so close that nothing but rounding in double precision moves between them."""
    return _around(scale, 0.0 if scale > 0 else step * APART**2, step)


def _around(scale: Any, apart: Any, step: Any) -> Array:
    """Points about so far apart, as represented, and not so close that roundings are alike."""
    scale, apart, step = (np.asarray(x, np.float64)[..., None] for x in (scale, apart, step))
    grid = np.ldexp(1.0, np.maximum(np.frexp(scale)[1] - 52, -1074))
    wide = np.maximum(np.maximum(apart, np.minimum(_CLOSEST * grid, step / 16)), 64 * grid)
    return np.asarray(np.where(scale > 0, np.rint(wide * PLACES / grid) * grid, apart * PLACES), np.float64)


def wide_offsets(scale: float, reach: float) -> Array:
    """Points at even distances, so far to both sides, as far as they are represented."""
    if not scale > 0:
        return np.asarray(reach * _WIDE, np.float64)
    grid = np.ldexp(1.0, max(int(np.frexp(scale)[1]) - 52, -1074))
    return np.asarray(np.rint(min(reach, scale / 4) / _HALF / grid) * grid * np.arange(-_HALF, _HALF + 1), np.float64)


def witness(line: Readable, step: float) -> Witness | None:
    """Complex step at the point; ``step``: over how much the function is smooth. None when it cannot be read."""

    def asked(some: Array, heights: Array, places: Array) -> Array | None:
        found = line.imag(float(heights[0]), places[0])
        return None if found is None else found[None]

    found = witnesses(asked, np.array([line.scale]), np.array([step]))
    return None if found is None else Witness(found.value[0], found.bar[0])


def witnesses(
    asked: Asked,
    scales: Array,
    steps: Array,
    wanted: Array | None = None,
    enough: Callable[[Witness], Array] | None = None,
    unfelt: Callable[[Witness], Array] | None = None,
    rough: Callable[[Witness], Array] | None = None,
) -> Witness | None:
    """Complex step at the points of several lines (E, m), each of its own scale and smooth over a step of its own.

    ``wanted``: where an answer matters; ``enough``: which first answers do; ``unfelt``: which of those are of no matter
    that closer neighbours do not make better at once; ``rough``: which do where their bars are rounding. None when the
    lines cannot be read.
    """
    found = _seen(asked, np.arange(len(scales)), scales, steps)
    if found is None:
        return None
    (value, bar), width, rounds = found
    wanted = np.ones(bar.shape, np.bool_) if wanted is None else wanted
    if enough is not None:
        wanted = wanted & ~enough(Witness(value, bar))

    def closer(where: Array, parts: Array) -> bool:
        """Look again where that is asked for, at points that are closer by these parts."""
        some = np.flatnonzero((where & wanted).any(1))
        found = _seen(asked, some, scales[some], steps[some] * parts[some]) if len(some) else None
        if found is None:
            return False
        again, _, rounds[some] = found
        better = (again.bar < bar[some]) & where[some]
        value[some], bar[some] = np.where(better, again.value, value[some]), np.where(better, again.bar, bar[some])
        return True

    # Beside a zero of the derivative the neighbours are larger, and so is their rounding: closer ones say more.
    small = np.abs(value) < _SMALL * width
    if small.any():
        with np.errstate(all="ignore"):
            ratio = np.max(np.where(small, np.abs(value) / width, 0.0), 1)
        closer(small, np.maximum(ratio, 2.0**-40))
    # What follows no cubic between the neighbours does so between closer ones.
    before = np.full(bar.shape, np.inf)
    for part in _CLOSER:
        # A bar that is small, and that closer neighbours hardly make smaller, is rounding.
        small = bar <= _NARROW * np.abs(value)
        rounded = (small if unfelt is None else small | unfelt(Witness(value, bar))) & (bar > before / 2)
        if rough is not None:
            rounded |= rounds & rough(Witness(value, bar))
        doubtful = wanted & (bar > _ROUNDED * np.abs(value)) & ~rounded
        before = bar.copy()
        if not closer(np.broadcast_to(doubtful.any(1, keepdims=True), bar.shape), np.full(len(scales), part)):
            break
    return Witness(value, bar)


def rounding(line: Readable, h: float, value: Array) -> Array:
    """The change of complex step with its height ``h``: of a linear function only that shows its rounding (m,)."""
    with np.errstate(all="ignore"):
        heights = h * _FACTORS
        found = line.around(1j * heights)
        if found is None:
            return np.zeros(np.shape(value))
        bar = np.max(np.abs(found.imag / heights[:, None] - value), 0)
        return np.where(np.isfinite(bar), _SPREAD * bar, 0.0)


def _seen(asked: Asked, some: Array, scales: Array, steps: Array) -> tuple[Witness, Array, Array] | None:
    """Complex step at seven points of each of some lines: the middle one with its bar, how far apart they are, and
    whether that bar is rounding."""
    h = np.array([height(float(scale), float(step)) for scale, step in zip(scales, steps, strict=True)])
    with np.errstate(all="ignore"):
        places = offsets(scales, steps)
        read = asked(some, h, places)
        if read is None:
            return None
        # The points first: (7, E, m).
        found, places, h = read.swapaxes(0, 1), places.T[:, :, None], h[:, None]
        value = found[_MIDDLE].copy()
        width = np.ptp(found, 0)
        found = _moved_back(found, places)
        rounding = 2 * UNIT * np.abs(value) + 4 * UNIT * width
        # What underflow takes away, and what the square of the height leaves.
        lost = np.ldexp(1.0, -1070) / h + 4 * width * (h / (places[-1] - places[0])) ** 2
        rest = _SPREAD * residual(found)
        bar = rest + rounding + lost
        # On the border of two branches it is not valid: there the middle one stands apart from the trend.
        trend, doubt = _beside(found)
        valid = np.isfinite(bar) & (np.abs(value - trend) <= 8 * (doubt + rounding) + lost)
        return Witness(value, np.where(valid, bar, np.inf)), width, _is_rough(found) & (rest > bar / 2)


def _moved_back(found: Array, places: Array) -> Array:
    """Move what was found at rounded places to where they were meant to be."""
    apart = (places[-1] - places[0]) / (PLACES[-1] - PLACES[0])
    off = places / apart - PLACES[:, None, None]
    return np.asarray(found - off * (_over(_SLOPE, found) / (1 + _over(_SLOPE, off))), np.float64)


def residual(found: Array) -> Array:
    """The deviation of seven points from a cubic trend, for each output, as that of independent errors."""
    rest = found - _over(_TREND, _over(_TREND.T, found))
    return np.asarray(np.max(np.abs(rest), 0) * np.sqrt(7 / 3), np.float64)


def _is_rough(found: Array) -> Array:
    """Tell whether seven points are off a cubic trend by rounding: what is smooth, the last term hardly feels."""
    *others, last = np.abs(_over(_BEYOND.T, found))
    return np.asarray(last >= np.maximum(*others) / _ROUGH)


def _beside(found: Array) -> tuple[Array, Array]:
    """The middle point as the six beside it have it, and how well they follow a trend."""
    six = np.delete(found, _MIDDLE, 0)
    rest = six - _over(_TREND_BESIDE, _over(_TREND_BESIDE.T, six))
    return _over(_AT_MIDDLE, six), np.max(np.abs(rest), 0) * np.sqrt(6 / 2)


def _over(weights: Array, found: Array) -> Array:
    """Sums with weights over the points, which are the first axis."""
    return np.asarray(np.tensordot(weights, found, 1), np.float64)


def _cubic(places: Array) -> Array:
    """An orthonormal basis of the cubic polynomials at some places."""
    made: Array = np.linalg.qr(np.vander(places, 4))[0]
    return made


_TREND = _cubic(PLACES)
# What numbers at those places may be beyond that: polynomials of degrees 4, 5 and 6.
_BEYOND = np.linalg.qr(np.vander(PLACES, 7, increasing=True))[0][:, 4:]
_TREND_BESIDE = _cubic(np.delete(PLACES, _MIDDLE))
_SLOPE = np.linalg.pinv(np.vander(PLACES, 4))[-2]
_AT_MIDDLE = np.linalg.pinv(np.vander(np.delete(PLACES, _MIDDLE), 4))[-1]


def claim_bar(near: Callable[[Array], Array], places: Array) -> Array:
    """The rounding in a claim, from its values at neighbouring points (m,).

    Not of the point itself: a backward that knows of a kink there may stand apart. Nor of the largest of all changes:
    one alone is a branch.
    """
    with np.errstate(all="ignore"):
        beside = np.delete(places, _MIDDLE)
        claims = np.delete(np.asarray(near(places), np.float64), _MIDDLE, 0)
        gaps = np.diff(beside)[:, None]
        slope = np.diff(claims, axis=0) / gaps
        changes = np.sort(np.abs(slope - np.median(slope, 0)) * gaps, 0)
        # What follows a cubic is no rounding either.
        apart = (places[-1] - places[0]) / (PLACES[-1] - PLACES[0])
        basis = _cubic(beside / apart) if apart else _TREND_BESIDE
        rest = np.max(np.abs(claims - basis @ (basis.T @ claims)), 0) * np.sqrt(6 / 2)
        bar = np.minimum(changes[-2], rest)
        return np.where(np.isfinite(bar), _SPREAD * bar, 0.0)


def scatter(numbers: Array) -> Array:
    """The rounding in what was found at wide places (25, m): what is left when all that is smooth is taken out.

    A branch shows in some differences only, rounding in all of them.
    """
    with np.errstate(all="ignore"):
        usual = np.median(np.abs(np.diff(numbers, _ORDER, axis=0)), 0) / _TOGETHER
        return np.where(np.isfinite(usual), _USUAL * usual, 0.0)
