"""Figures that a report can show beside a verdict: how estimates depend on the step, and whole Jacobians."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..replay.line import imag_entries, moved_entries
from ..slopes.many_at_once import plainly_wrong, quick_heights, quick_steps
from .rows import Rows, unit
from .verdict import Judged

# The steps of a curve, of the size of what is moved: every other power of two.
_STEPS = 2.0 ** -np.arange(0.0, 48.0, 2.0)
# A Jacobian of more numbers than these is not for reading.
_READABLE = 400


def curve(rows: Rows, leaf: int, place: int, row: int, best: float) -> list[tuple[float, float]]:
    """The error of the central difference of one entry against the best estimate, by its step."""
    direction: list[Array | None] = [None] * len(rows.at)
    direction[leaf] = unit(rows.at[leaf].shape, place)
    line = rows.line(direction, row)
    steps = _STEPS * (line.scale or 1.0)
    taken, values = line.values(np.concatenate([steps, -steps]))
    n = len(steps)
    with np.errstate(all="ignore"):
        slopes = (values[:n, 0] - values[n:, 0]) / (taken[:n] - taken[n:])
        errors = np.abs(slopes - best)
    return [(float(h), float(e)) for h, e in zip(taken[:n], errors, strict=True) if math.isfinite(e)]


def jacobian(
    rows: Rows, output: int, leaf: int, judged: dict[tuple[int, int], dict[int, Judged]]
) -> tuple[list[list[float]], list[list[float]]] | None:
    """The claimed and the measured derivatives of an output, a row for each entry of it; None when they are many."""
    chosen = [i for i, row in enumerate(rows.rows) if row.output == output]
    size = rows.at[leaf].size
    if rows.are_sums or not 0 < len(chosen) * size <= _READABLE:
        return None
    claims = rows.claims[leaf][chosen]
    places = np.arange(size)
    x = rows.at[leaf].reshape(-1)
    steps, values = moved_entries(rows.plan, leaf, places, quick_steps(x))
    seen = imag_entries(rows.plan, leaf, places, quick_heights(x), np.zeros(1))
    noise = np.zeros(values.shape[2])
    measured = plainly_wrong(steps, values, noise, rows.claims[leaf].T)[1] if seen is None else seen[:, 0]
    found = np.array(measured[:, chosen].T)
    for (of, place), entries in judged.items():
        for row, j in entries.items():
            if of == leaf and row in chosen and math.isfinite(j.estimate):
                found[chosen.index(row), place] = j.estimate
    return claims.tolist(), found.tolist()
