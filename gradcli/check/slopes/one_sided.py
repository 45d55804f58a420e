"""The look of a function beside a point, on each side: a limit of its slopes, a jump, a slope without bound."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .differences import SAFETY
from .steps import UNIT


class Kind(StrEnum):
    """The look of one side of a point."""

    NOTHING = "not finite"
    JUMP = "a jump"
    STEEP = "a slope without a bound"
    LIMIT = "a slope"
    UNCLEAR = "no limit can be seen"


class Side(NamedTuple):
    """One side of a point: what it looks like, and the one-sided slope with its bar."""

    kind: Kind
    value: float
    bar: float


# Of so many finest steps a jump does not shrink.
_JUMP_LEVELS = 8
_JUMP_SHRINK = 1.25
# So many changes of the slope in a row, none much smaller than the one before, are a slope without a bound.
_STEEP_CHANGES = 6
_STEEP_RATIO = 0.98
# A slope without a bound is seen to grow at steps smaller than this, of what is moved.
_NEAR = 2.0**-10
# Over so many finest steps slopes that do not come to rest are looked for.
_RESTLESS = 10
# How far back the changes of a slope are compared, and how little they may shrink from one step to the next.
_BACK, _SLOWEST = 8, 0.93


def side_of(
    steps: Array, values: Array, centre: float, noise: Array, best: tuple[float, float], sign: float, scale: float
) -> Side:
    """One side of a point. ``steps`` from the largest to the smallest, ``best``: the estimate from differences.

    ``scale``: the size of what is moved.
    """
    count = _finite_at_the_end(values)
    if count < 4:
        return Side(Kind.NOTHING, np.nan, np.inf)
    h, change, doubt = steps[-count:], sign * (values[-count:] - centre), noise[-count:]
    if is_jump(change, doubt):
        return Side(Kind.JUMP, float(np.sign(change[-1])) * np.inf, np.inf)
    slope, spread = change / h, doubt / h
    if _is_steep(h, slope, spread, scale):
        return Side(Kind.STEEP, float(np.sign(slope[-1])) * np.inf, np.inf)
    value, bar = best
    if not bar <= 1e-9 * abs(value):
        slow = _slow_limit(slope, spread)
        if slow is not None and slow[1] < bar:
            value, bar = slow
    seen = np.isfinite(bar) and not _restless(slope, spread, bar)
    return Side(Kind.LIMIT if seen else Kind.UNCLEAR, value, bar)


def is_jump(change: Array, noise: Array) -> bool:
    """Tell whether the change at the finest steps is no noise and does not shrink with the step."""
    last, doubt = np.abs(change[-_JUMP_LEVELS:]), noise[-_JUMP_LEVELS:]
    same = np.all(change[-_JUMP_LEVELS:] > 0) or np.all(change[-_JUMP_LEVELS:] < 0)
    return bool(same and np.all(last > SAFETY * doubt) and last.max() <= _JUMP_SHRINK * last.min())


def is_kink(left: Side, right: Side, raw: Array, spread: Array, central: tuple[float, float]) -> bool:
    """Tell whether two one-sided slopes differ, also at the finest steps where that can be seen.

    ``raw``: central, left and right difference quotients (n, 3), ``spread``: their noise.
    """
    gap = abs(right.value - left.value)
    size = max(abs(right.value), abs(left.value))
    bars = SAFETY * (right.bar + left.bar) + 8 * UNIT * size
    if not gap > bars:
        return False
    if abs((left.value + right.value) / 2 - central[0]) > bars + SAFETY * central[1]:
        return False
    seen = np.flatnonzero((spread[:, 1] + spread[:, 2]) * SAFETY < gap)
    return len(seen) == 0 or bool(np.all(np.abs(raw[seen[-3:], 2] - raw[seen[-3:], 1]) > gap / 2))


def _finite_at_the_end(values: Array) -> int:
    """The number of the finest steps in a row that have a finite value."""
    bad = np.flatnonzero(~np.isfinite(values))
    return len(values) - (int(bad[-1]) + 1 if len(bad) else 0)


def _is_steep(h: Array, slope: Array, spread: Array, scale: float) -> bool:
    """Tell whether the changes of the slope do not shrink, down to where noise hides them, near the point.

    What noise hides further off may be a function that bends there.
    """
    change = np.diff(slope)
    doubt = spread[1:] + spread[:-1]
    ratio = h[:-1] / h[1:]
    seen = np.abs(change) > 4 * doubt
    if not seen.any():
        return False
    last = int(np.flatnonzero(seen)[-1])
    first = last - _STEEP_CHANGES
    if h[last] > _NEAR * (scale or 1.0):
        return False
    if first < 0 or not seen[first : last + 1].all() or ratio[first : last + 1].max() > 1.5 * ratio[last]:
        return False
    if last + 2 < len(change) and doubt[last + 2] * 16 < abs(change[last]):
        return False
    part = change[first : last + 1]
    if not (np.all(part > 0) or np.all(part < 0)) or np.sign(part[-1]) != np.sign(slope[last + 1]):
        return False
    size = np.abs(part) / np.log(ratio[first : last + 1])
    return bool(np.all(size[1:] >= _STEEP_RATIO * size[:-1]))


def _restless(slope: Array, spread: Array, bar: float) -> bool:
    """Tell whether slopes go on to differ, at the finest steps where they are seen, by as much as a bar allows."""
    resolved = np.flatnonzero(spread * SAFETY**2 < np.ptp(slope))[-_RESTLESS:]
    if len(resolved) < _RESTLESS:
        return False
    before, after = np.ptp(slope[resolved[: _RESTLESS // 2]]), np.ptp(slope[resolved[_RESTLESS // 2 :]])
    differ = after > SAFETY**2 * spread[resolved].max() and 2 * after >= before
    return bool(differ and SAFETY**2 * bar >= after)


def _slow_limit(slope: Array, spread: Array) -> tuple[float, float] | None:
    """A limit that slopes come to more slowly than any power of the step that extrapolation knows."""
    change = np.abs(np.diff(slope))
    if len(change) < _BACK + 6:
        return None
    widest = np.max([change[i : len(change) - 3 + i] for i in range(4)], 0)
    shrunk = (widest[_BACK:] / widest[:-_BACK]) ** (1 / _BACK)
    shrunk = np.where(widest[_BACK:] == 0, 0.0, shrunk)
    at = np.arange(len(shrunk)) + _BACK + 4
    bars = np.where(shrunk <= _SLOWEST, widest[_BACK:] / (1 - np.minimum(shrunk, _SLOWEST)), np.inf) + 2 * spread[at]
    # What finer steps say must agree.
    reach = SAFETY * spread
    lowest, highest = (
        np.minimum.accumulate((slope + reach)[::-1])[::-1], np.maximum.accumulate((slope - reach)[::-1])[::-1]
    )  # fmt: skip
    agrees = (slope[at] - SAFETY * bars <= lowest[at]) & (slope[at] + SAFETY * bars >= highest[at])
    bars = np.where(agrees, bars, np.inf)
    k = int(np.argmin(bars))
    return (float(slope[at[k]]), float(bars[k])) if np.isfinite(bars[k]) else None
