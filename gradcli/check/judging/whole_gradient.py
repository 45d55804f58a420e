"""The gradient of many entries at once: by complex step of each, where differences along a direction confirm it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Array
from ..replay.line import entries_of, imag_entries, widened
from ..replay.plan import Plan
from ..slopes.differences import SAFETY
from ..slopes.many_at_once import PLAINLY, WITNESSED, quick_heights, quick_steps, smooth_slopes
from ..slopes.steps import UNIT

if TYPE_CHECKING:
    from ..slopes.all_ways import Line

# So many entries, times the numbers of the outputs, are moved in one go.
_AT_ONCE = 2**19
# How much smaller the steps are, where something has a kink near by.
_NEARER = (1.0, 2.0**-10, 2.0**-15)
# What differences say along a direction confirms something when it is known so well, beside what usually adds up to it.
_KNOWN = 2.0**-22


class WholeGradient(NamedTuple):
    """The slopes of some entries (E, m), and their bars."""

    slopes: Array
    bars: Array

    def beside(self, claims: Array) -> tuple[Array, Array, Array]:
        """Which claims (E, m) are right beyond doubt; to so many digits; and which are plainly wrong."""
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(claims), np.abs(self.slopes))
            off = np.abs(claims - self.slopes)
            digits = np.where(size > 0, -np.log10(SAFETY * self.bars / size + 8 * UNIT), np.inf)
            return off <= WITNESSED * size, digits, (off > PLAINLY * size) & (SAFETY * self.bars < off / 100)


def whole_gradient(
    plan: Plan, leaf: int, places: Array, of: Callable[[Array], Array], line: Line, direction: Array
) -> WholeGradient | None:
    """The gradient of what is made ``of`` the outputs (..., m), for these entries of a leaf; None where it is not sure.

    ``line``: the same outputs along a random direction in which these entries move, and nothing else.
    """
    x = entries_of([widened(a) for a in plan.at], np.full(len(places), leaf), places)
    found = []
    for part in np.array_split(np.arange(len(places)), -(-len(places) * plan.size // _AT_ONCE)):
        imag = imag_entries(plan, leaf, places[part], quick_heights(x[part]), np.zeros(1))
        if imag is None:
            return None
        found.append(of(imag[:, 0]))
    slopes = np.concatenate(found)
    moved = direction.reshape(-1)[places]
    with np.errstate(all="ignore"):
        summed, usual = moved @ slopes, np.sqrt(np.square(moved) @ np.square(slopes))
        for nearer in _NEARER:
            steps, values = line.values(quick_steps(np.array([line.scale]), nearer)[0])
            slope, bar, smooth = (a[0] for a in smooth_slopes(steps[None], values[None], line.noise))
            doubt = SAFETY * bar + 8 * UNIT * usual
            if (smooth & (np.abs(slope - summed) <= doubt) & (doubt <= _KNOWN * usual)).all():
                # Errors of the slopes would add up as they do, with random signs.
                bars = bar / np.sqrt(np.mean(np.square(moved)))
                return WholeGradient(slopes, np.broadcast_to(bars, slopes.shape))
    return None
