"""Several entries beside what is seen of each: their lines, differences along them, and the claims for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..replay.line import entries_of, imag_entries, imag_noise_of_entries, moved_entries
from ..slopes.many_at_once import quick_heights, quick_steps
from .rows import Rows
from .verdict import Judged, Verdict

# Two claims are off by one factor that differs by no more than this, where their slopes differ by more than that.
_SAME, _OTHER = 1e-6, 1e-2


class EntryLines:
    """The lines on which one entry of a leaf moves, each."""

    def __init__(self, rows: Rows, leaves: Array, places: Array, noise: Array, flat: Array) -> None:
        self._rows = rows
        self._leaves = leaves
        self._places = places
        self.at = np.abs(entries_of(rows.at, leaves, places))
        self.noise = noise
        self.centre = rows.of(flat)

    def imag(self, some: Array, heights: Array, offsets: Array) -> Array | None:
        """Im f(x + s + i h) / h (E, k, m), with heights (E,) and offsets (E, k)."""
        found = imag_entries(self._rows.plan, self._leaves[some], self._places[some], heights, offsets)
        return None if found is None else self._rows.of(found)

    def moved(self, some: Array, part: float) -> tuple[Array, Array]:
        """Quick steps that are smaller by a part, and the outputs there."""
        x = entries_of(self._rows.at, self._leaves[some], self._places[some])
        steps, values = moved_entries(self._rows.plan, self._leaves[some], self._places[some], quick_steps(x, part))
        return steps, self._rows.of(values)

    def roundings(self, rows: Array) -> Iterator[tuple[int, Array]]:
        """Bound how far rounding may have moved the claims for each of some rows (E,)."""
        for r, bounds in self._rows.roundings(rows.tolist()):
            yield r, entries_of(bounds, self._leaves, self._places)

    def imag_noise(self, some: Array) -> Array:
        """Bound how far rounding may move complex step of some lines (E, m)."""
        leaves, places, heights = self._leaves[some], self._places[some], quick_heights(self.at[some])
        return imag_noise_of_entries(self._rows.plan, leaves, places, heights, self._rows.of)


class Differences(NamedTuple):
    """Steps (E, k), the outputs there (E, k, m), and their noise (m,)."""

    steps: Array
    values: Array
    noise: Array


class Beside(NamedTuple):
    """Claims (E, R) beside estimates and their bars."""

    claims: Array
    estimate: Array
    bar: Array

    @property
    def off(self) -> Array:
        """The error of each claim as a part of its size."""
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(self.claims), np.abs(self.estimate))
            return np.where(size > 0, np.abs(self.claims - self.estimate) / size, 0.0)

    def by_a_factor(self, i: int, r: int) -> bool:
        """Tell whether a claim is off by the factor by which that for another slope is: rounding does not do that."""
        with np.errstate(all="ignore"):
            factors, sizes = self.claims[:, r] / self.estimate[:, r], np.abs(self.estimate[:, r])
            same = np.abs(factors - factors[i]) <= _SAME * np.abs(factors[i])
            other = np.abs(sizes - sizes[i]) > _OTHER * sizes[i]
            return bool(np.isfinite(factors[i]) and factors[i] != 0 and (same & other).any())

    def wrong(self, i: int, r: int) -> Judged:
        """Make a finding of a claim that is plainly wrong."""
        estimate = float(self.estimate[i, r])
        return Judged(Verdict.WRONG, float(self.claims[i, r]), estimate, float(self.bar[i, r]))
