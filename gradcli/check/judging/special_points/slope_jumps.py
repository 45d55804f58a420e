"""A second derivative where the first one jumps: there is one on each side, and the claim is one of these or between.

Where a function has a kink its gradient jumps, and a double backward says what holds on one side, as a backward does
at the kink itself. That is no mistake of the program.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ..one_derivative import Line, judge
from ..verdict import Judged, Verdict

# How near to the jump the value on a side is looked for: beside the size of what is moved, and where that is zero.
_NEAR, _NEAREST = 2.0**-45, 2.0**-60
# How many error bars a claim may lie outside of what the sides say.
_BARS = 8.0


def beside(line: Line, row: int, claim: float, jump: Judged) -> Judged:
    """Judge a claim at a jump of an output by its slope on each side."""
    sides = []
    for sign in (-1.0, 1.0):
        seen = judge(_Side(line, row, sign), np.array([claim]), complex_step=False)[0]
        if not np.isfinite(seen.estimate):
            return jump
        sides.append(seen)
    least, most = sorted(sides, key=lambda seen: seen.estimate)
    below, above = least.estimate - _BARS * least.bar, most.estimate + _BARS * most.bar
    return jump._replace(
        verdict=Verdict.EDGE_OK if below <= claim <= above else Verdict.EDGE_WRONG,
        estimate=most.estimate if claim > above else least.estimate if claim < below else claim,
        bar=max(seen.bar for seen in sides),
        left=sides[0].estimate,
        right=sides[1].estimate,
        note="the derivative of the order below jumps here: there is a slope on each side only",
    )


class _Side:
    """One output of a line on one side of the point, where it comes from there."""

    size = 1

    def __init__(self, line: Line, row: int, sign: float) -> None:
        self._line = line
        self._row = row
        self._sign = sign
        self.scale = line.scale
        self.noise = 4 * np.asarray(line.noise, np.float64)[row : row + 1]
        near = sign * (_NEAR * line.scale or _NEAREST)
        _, (first, second) = line.values(np.array([near, 2 * near]))
        self._centre = 2 * first[row] - second[row]

    def values(self, steps: Array) -> tuple[Array, Array]:
        """Nothing on the other side, and at the point the limit from this one."""
        taken, found = self._line.values(steps)
        found = np.where(taken * self._sign > 0, found[:, self._row], np.nan)
        return taken, np.where(taken == 0, self._centre, found)[:, None]

    def imag(self, h: float, offsets: Array) -> Array | None:
        """Nothing: at the point itself there is no derivative."""
        del h, offsets
        return None

    def imag_noise(self, h: float) -> Array:
        """Nothing, as of nothing."""
        del h
        return np.zeros(1)

    def around(self, points: Array, draws: int = 0) -> Array | None:
        """Nothing, nor is there one around it."""
        del points, draws
        return None
