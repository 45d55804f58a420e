"""The reach of rounding in complex step, as the recorded graph shows it: every number computed on the way, perturbed.

Neighbours of a point show only what rounds otherwise there. In ``x - tanh(x)`` at 1e-8 each of them subtracts the same
rounded numbers, and all agree on what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...errors import raised_by_program
from ..arrays import Array
from ..slopes.complex_circle import ERROR
from .forward_rounding import Shake, response, size_before
from .one_op import Call
from .plan import Plan

# How many samples of signs are drawn; at so many points it is looked for each line.
_SAMPLES = 5
POINTS = 1 + 2 * _SAMPLES
_UNIT = 2.0**-53
# How much of an error is the same at all points: of what a library approximates, and of what is rounded once. And of a
# sum with a constant: where the numbers are as large, and lie on the same grid, all that rounding does to it.
_SHARED, _SHARED_ONCE, _SHARED_SHIFT = 0.5, 0.25, 1.25
# To draw a few signs takes as long as to draw many.
_AT_ONCE = 2**12


def imag_rounding(plan: Plan, arrays: Sequence[Array], h: float, weights: Array | None) -> Array:
    """A bound on the rounding error of Im f / h at complex leaves (m,), or of the sum of the outputs with weights.

    Zeros where the forward cannot be read with complex numbers.
    """

    def of(outputs: Array) -> Array:
        made: Array = outputs if weights is None else (outputs * weights).sum(-1, keepdims=True)
        return made

    found: Array = imag_roundings(plan, [a[None] for a in arrays], np.array([h]), of)[0]
    return found


def imag_roundings(plan: Plan, arrays: Sequence[Array], heights: Array, of: Callable[[Array], Array]) -> Array:
    """The same at E points that the leaves have as their first axis (E, m), of what is made ``of`` the outputs."""
    shake = Shake(False, _SAMPLES, np.zeros(0), 0, most=True)
    shape = len(shake.sizes), len(heights)
    count = math.prod(shape)

    def change(call: Call, x: Array, operand: bool) -> Array:
        return shake(call, x.reshape(*shape, *x.shape[1:]), operand).reshape(x.shape)

    given = [np.broadcast_to(a, (shape[0], *a.shape)).reshape(count, *a.shape[1:]) for a in arrays]
    try:
        with np.errstate(all="ignore"):
            found = [np.asarray(a).reshape(*shape, -1) for a in plan.batch(given, [True] * len(given), count, change)]
            rows = of(np.imag(np.concatenate(found, 2)) / heights[:, None])
            return np.asarray(np.maximum(response(rows[1:] - rows[0], _SAMPLES), _UNIT * np.abs(rows[0])))
    except raised_by_program():
        return of(np.zeros((len(heights), plan.size)))


class Errors:
    """Random relative errors of a known size in all that is computed: a part that is the same at all points of a draw,
    and one that is not; draw by draw."""

    def __init__(self, draws: int) -> None:
        self._random = [np.random.default_rng(seed) for seed in range(draws)]
        # Signs that are drawn and not used yet.
        self._drawn: Array = np.zeros((draws, 0))

    def __call__(self, call: Call, x: Array, operand: bool) -> Array:
        """An operand of a call, or its output."""
        points = len(x) // len(self._random)
        of_draws, alone = self._signs(1, *x.shape[1:]), self._signs(points, *x.shape[1:])
        errors = (ERROR * (_shared(call) * of_draws + alone / 2)).reshape(x.shape)
        moved = x * (1 + errors)
        larger = None if operand else size_before(call)
        return moved if larger is None else moved + errors * larger

    def _signs(self, *shape: int) -> Array:
        """Signs of each draw."""
        count = math.prod(shape)
        missing = count - self._drawn.shape[1]
        if missing > 0:
            more = [random.integers(0, 2, max(missing, _AT_ONCE)) for random in self._random]
            self._drawn = np.concatenate([self._drawn, np.stack(more) * 2.0 - 1.0], 1)
        signs, self._drawn = self._drawn[:, :count], self._drawn[:, count:]
        return signs.reshape(len(self._random), *shape)


def _shared(call: Call) -> float:
    """The share of the errors of a call that is the same at all points."""
    rounding = None if call.op is None else call.op.rounding
    if rounding == "sum" and len(call.places) < 2:
        return _SHARED_SHIFT
    return _SHARED_ONCE if rounding in ("once", "sum") else _SHARED
