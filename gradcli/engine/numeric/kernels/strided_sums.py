"""Sums over axes as they lie in memory, in the order in which PyTorch adds.

PyTorch walks the memory: innermost along the axes that are summed, by their steps, then along those that are kept, in
their order. Axes that one step leads through are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dtypes import Array
from .sums import LANES, along, columns, follows, in_turn, lane_sums

# The length of an axis, and the bytes from one element along it to the next.
Axis = tuple[int, int]


class Walk(NamedTuple):
    """The way through the axes of an array that are summed, and through those that are kept."""

    # A row for each sum: its terms in turn.
    rows: Array
    # From the outermost on.
    summed: list[Axis]
    kept: list[Axis]
    # The lengths of the axes of the result.
    left: tuple[int, ...]

    @property
    def is_in_rows(self) -> bool:
        """True where the terms of each sum follow each other in memory."""
        return len(self.summed) == 1 and self.summed[0][1] == self.rows.itemsize


def walk(a: Array, axes: tuple[int, ...]) -> Walk | None:
    """The walk of a sum over axes; None where nothing is summed or kept, and where steps are none or lead backwards."""
    strides, sizes = a.strides, a.shape
    axes = tuple([i % a.ndim for i in axes])
    reduced = sorted((i for i in axes if sizes[i] > 1), key=lambda i: -strides[i])
    kept = [i for i, n in enumerate(sizes) if i not in axes and n > 1]
    if not a.size or not reduced or not kept or min([strides[i] for i in (*reduced, *kept)]) <= 0:
        return None
    left = tuple([n for i, n in enumerate(sizes) if i not in axes])
    x = a.transpose(*kept, *reduced, *[i for i, n in enumerate(sizes) if n == 1])
    summed, places = (_joined([(sizes[i], strides[i]) for i in part]) for part in (reduced, kept))
    number = int(np.prod(left))
    return Walk(np.ascontiguousarray(x).reshape(number, a.size // number), summed, places, left)


def over_strided(a: Array, axes: tuple[int, ...]) -> Array | None:
    """The sum over axes of what does not lie row by row; None where it is not known to be added so."""
    found = walk(a, axes) if follows(a) else None
    if found is None:
        return None
    x, summed, kept, left = found
    lanes, item = LANES[a.dtype], a.itemsize
    terms, step = summed[-1]
    in_vectors = step == item and terms >= lanes
    if len(summed) == 1 and not in_vectors:
        width, across = kept[-1]
        in_lanes = across == item and width >= lanes
        if in_lanes or step >= across:
            x = np.ascontiguousarray(x.reshape(-1, width, terms).swapaxes(-1, -2))
            return columns(x, lanes if in_lanes else 1).reshape(left)
    x = x.reshape(-1, *[n for n, _ in summed])
    parts = along(x) if in_vectors else lane_sums(x, 1)[..., 0]
    return (parts if len(summed) == 1 else in_turn(parts.reshape(x.shape[0], -1))).reshape(left)


def one_after_another(rows: Array) -> Array:
    """The sum of each row, its terms in turn."""
    # Of one column NumPy takes the terms in another order.
    return np.add.accumulate(rows, -1)[:, -1] if len(rows) == 1 else np.add.reduce(np.ascontiguousarray(rows.T), 0)


def _joined(axes: list[Axis]) -> list[Axis]:
    """Axes from the outermost on, those that one step leads through as one."""
    found = axes[-1:]
    for size, step in axes[-2::-1]:
        inner, inner_step = found[0]
        if step == inner * inner_step:
            found[0] = inner * size, inner_step
        else:
            found.insert(0, (size, step))
    return found
