"""Slopes from differences on a ladder of steps, extrapolated to a step of zero, with error bars."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..arrays import Array
from .steps import UNIT

# The factor of safety on every bar.
SAFETY = 8.0

# How often a slope is extrapolated; and the powers of the step in which its error goes: central, left, right.
_COLUMNS = 9
_POWERS = np.array([2.0, 1.0, 1.0])
CENTRAL, LEFT, RIGHT = range(3)

# What is even around the point shrinks at least so much where half a step resolves the function: by a half at a kink.
_RESOLVED, _FINEST = 0.55, 10

# No slope is known better.
_SMALLEST = 2.0**-1072
# Differences may shrink by this much less than their order says.
_SLACK = 1.6
# How much of the change from what the step before led to is the error: a half or less, as the order says.
_BESIDE = 1 / 2.0 ** _POWERS[:, None]
# A quotient at a finer step is no further off than this, of what those are that are used; how often such are left out.
_FURTHER, _SPIKES = 2.0, 4
# So many finer quotients in a row that all are off to one side, by about as much and by more than noise explains, say
# that the larger steps saw something else: of a sum of noise each would be off by more than the one before.
_STREAK, _SAME = 6, 2.0
# Steps further apart than this do not belong together.
_NEIGHBOURS = 3.0


class Samples(NamedTuple):
    """Outputs on both sides of a point: steps from the largest to the smallest (n,), outputs there (n, m)."""

    steps: Array
    # Steps to the left, where the point could not be moved by just as much (n,).
    back: Array
    right: Array
    left: Array
    # The outputs at the point, and the noise there (m,).
    centre: Array
    noise: Array
    # Noise at the steps (n, m), where it was measured.
    noise_right: Array
    noise_left: Array

    def only(self, outputs: Array, levels: Array | slice = slice(None)) -> Samples:
        """Of some outputs, and of some steps."""
        tables = (self.right, self.left, self.noise_right, self.noise_left)
        right, left, noise_right, noise_left = (table[levels][:, outputs] for table in tables)
        return Samples(
            self.steps[levels], self.back[levels], right, left,
            self.centre[outputs], self.noise[outputs], noise_right, noise_left,
        )  # fmt: skip


class Estimates(NamedTuple):
    """The best central, left and right slope of every output (3, m): the value, its bar, the largest step used.

    Where there is none, the bar is infinite.
    """

    value: Array
    bar: Array
    step: Array


def sample(steps: Array, back: Array, right: Array, left: Array, centre: Array, noise: Array) -> Samples:
    """Samples with noise as at the point, and in proportion to outputs that are larger than there."""
    with np.errstate(all="ignore"):
        excess = np.where(centre != 0, noise / (UNIT * np.abs(centre)), 4.0)
        grown = UNIT * np.fmin(np.fmax(excess, 2.0), 16.0)
        return Samples(
            steps, back, right, left, centre, noise,
            np.maximum(noise, grown * np.abs(right)), np.maximum(noise, grown * np.abs(left)),
        )  # fmt: skip


def with_noise(samples: Samples, height: float) -> Samples:
    """Samples with no less noise than this, everywhere."""
    return samples._replace(
        noise=np.maximum(samples.noise, height),
        noise_right=np.maximum(samples.noise_right, height),
        noise_left=np.maximum(samples.noise_left, height),
    )


def slopes(samples: Samples) -> tuple[Array, Array]:
    """Central, left and right difference quotients (n, 3, m), and their noise."""
    h, back = samples.steps[:, None], samples.back[:, None]
    raw = np.zeros((len(h), 3, samples.right.shape[1]))
    noise = np.zeros(raw.shape)
    with np.errstate(all="ignore"):
        raw[:, CENTRAL] = (samples.right / 2 - samples.left / 2) / h
        raw[:, LEFT] = left = (samples.centre - samples.left) / back
        raw[:, RIGHT] = right = (samples.right - samples.centre) / h
        if (h != back).any():
            raw[:, CENTRAL] = np.where(h == back, raw[:, CENTRAL], (back * right + h * left) / (h + back))
        noise[:, CENTRAL] = (samples.noise_right / 2 + samples.noise_left / 2) / h
        noise[:, LEFT] = (samples.noise + samples.noise_left) / back
        noise[:, RIGHT] = (samples.noise + samples.noise_right) / h
        noise += UNIT * np.abs(raw) + _SMALLEST
    return raw, noise


def extrapolated(samples: Samples) -> Estimates:
    """The best estimate on each side and of both, among all columns of Romberg's table that stand the tests.

    The differences in the column before must shrink as its order says, and no finer step may contradict.
    """
    raw, noise = slopes(samples)
    if len(samples.steps) < 3:
        return Estimates(np.full(raw.shape[1:], np.nan), np.full(raw.shape[1:], np.inf), np.zeros(raw.shape[1:]))
    with np.errstate(all="ignore"):
        return _best(samples.steps, raw, noise, _unresolved(samples))


def _unresolved(samples: Samples) -> Array:
    """The steps over which a function does more than differences between both sides show (n, m).

    Those of a function that is even around a place nearby are nothing but noise at all steps, whatever it does.
    """
    both = (samples.steps == samples.back)[:, None]
    even = np.abs(samples.right / 2 + samples.left / 2 - samples.centre)
    even = np.where(both & np.isfinite(even), even, 0.0)
    finer = np.maximum.accumulate(even[::-1])[::-1]
    # What there is at the finest steps is noise.
    noise = SAFETY * (samples.noise_right / 2 + samples.noise_left / 2 + samples.noise) + finer[-_FINEST:][0]
    made = np.zeros(even.shape, np.bool_)
    made[:-1] = both[:-1] & (finer[1:] > _RESOLVED * even[:-1] + noise[:-1])
    return made


def _best(steps: Array, raw: Array, noise: Array, unresolved: Array) -> Estimates:
    scheme = _scheme(steps.tobytes())
    n = len(steps)
    # By column, and by the largest step that is used.
    values = np.zeros((len(scheme), n - 1, *raw.shape[1:]))
    bars = np.full(values.shape, np.inf)
    stand = np.zeros(values.shape, np.bool_)
    table, spread, stands = raw, noise, np.isfinite(raw)
    for column, (share, shrink, joined) in enumerate(scheme):
        change = table[1:] - table[:-1]
        tolerance = spread[1:] + spread[:-1]
        size = np.abs(change)
        stands = stands[1:] & joined
        stands[1:] &= size[1:] <= size[:-1] * shrink + tolerance[1:]
        stands[0] = False
        change *= share
        table = table[1:] + change
        spread = spread[1:] + tolerance * share
        # What the step before led to must not be much further off, or the last change is small by chance.
        last = size * share
        np.maximum(last[1:], np.abs(table[1:] - table[:-1]) * _BESIDE, out=last[1:])
        last += spread
        values[column, : len(table)] = table
        bars[column, : len(table)] = last
        stand[column, : len(table)] = stands
    bars += (2 * UNIT) * np.abs(values)
    stand[:, :, CENTRAL] &= ~unresolved[:-1]
    _contradicted(values, bars, stand)
    found, at = _smallest(values, bars, steps)
    for _ in range(_SPIKES):
        spike = _spike(found, at, raw, noise)
        if not (spike >= 0).any():
            break
        # What lies between two steps is not seen by those that are larger.
        bars[:, np.arange(n - 1)[:, None, None] <= spike] = np.inf
        found, at = _smallest(values, bars, steps)
    return found


def _spike(found: Estimates, at: Array, raw: Array, noise: Array) -> Array:
    """The finest step, beyond those used, at which a quotient is further from the estimate than at any of those.

    ``at`` (2, ...): the first and the last step that is used. That last one where a streak of finer ones is further
    off; -1 where nothing is.
    """
    index = np.arange(len(raw))[:, None, None]
    apart = raw - found.value
    off, finer = np.abs(apart), (index > at[1]) & np.isfinite(found.bar)
    used = _FURTHER * np.max(np.where((index >= at[0]) & (index <= at[1]), off, 0.0), 0)
    further = finer & (off > used + SAFETY * (noise + found.bar))
    spike = np.max(np.where(further, index, -1), 0)
    if len(raw) >= _STREAK:
        seen = np.where(finer & (off > used + noise + found.bar), apart, 0.0)
        rows = sliding_window_view(seen, _STREAK, 0)
        low, high = rows.min(-1), rows.max(-1)
        same = ((low > 0) & (high <= _SAME * low)) | ((high < 0) & (low >= _SAME * high))
        spike = np.maximum(spike, np.where(same.any(0), at[1], -1))
    return np.asarray(spike)


def _contradicted(values: Array, bars: Array, stand: Array) -> None:
    """Drop the candidates that do not stand, and those that lie outside of what finer steps allow."""
    reach = SAFETY * bars
    low, high = values - reach, values + reach
    # The first column speaks even where it does not stand: it is what differences say.
    speaks = np.isfinite(reach)
    speaks[1:] &= stand[1:]
    lowest = np.maximum.accumulate(np.where(speaks, low, -np.inf).max(0)[::-1])[::-1]
    highest = np.minimum.accumulate(np.where(speaks, high, np.inf).min(0)[::-1])[::-1]
    columns, levels = bars.shape[:2]
    finest = np.minimum(np.arange(levels) + np.arange(columns)[:, None], levels - 1)
    stand &= (high >= lowest[finest]) & (low <= highest[finest])
    bars[~stand] = np.inf


class _Column(NamedTuple):
    """The rule by which a column of Romberg's table is made of the one before."""

    # How much of a change is added.
    share: Array
    # By how much changes in the column before must shrink.
    shrink: Array
    # Where all the steps used, and the one before them, are neighbours.
    joined: Array


@lru_cache(maxsize=256)
def _scheme(raw_steps: bytes) -> list[_Column]:
    """The columns for these steps."""
    steps = np.frombuffer(raw_steps)
    powers = _POWERS[:, None]
    gaps = np.concatenate([[0], np.cumsum(steps[:-1] / steps[1:] >= _NEIGHBOURS)])
    made = []
    with np.errstate(all="ignore"):
        for column in range(1, min(_COLUMNS, len(steps) - 1) + 1):
            ratio = steps[:-column] / steps[column:]
            share = 1.0 / (ratio[:, None, None] ** powers - 1.0)
            before = np.concatenate([gaps[:1], gaps[: -column - 1]])
            joined = gaps[column:] == before
            shrink = np.broadcast_to(_SLACK / 2.0 ** (powers * column), (len(ratio) - 1, 3, 1))
            made.append(_Column(share, shrink.copy(), joined[:, None, None]))
    return made


def _smallest(values: Array, bars: Array, steps: Array) -> tuple[Estimates, Array]:
    """The candidate with the smallest bar, of each side and output; and the first and the last step that it uses."""
    columns, levels = bars.shape[:2]
    shape = values.shape[2:]
    bars = bars.reshape(columns * levels, -1)
    at = np.argmin(bars, 0)
    each = np.arange(len(at))
    bar = bars[at, each]
    value = np.where(np.isfinite(bar), values.reshape(columns * levels, -1)[at, each], np.nan)
    step = np.where(np.isfinite(bar), steps[at % levels], 0.0)
    used = np.stack([at % levels, at % levels + at // levels + 1])
    return Estimates(value.reshape(shape), bar.reshape(shape), step.reshape(shape)), used.reshape(2, *shape)
