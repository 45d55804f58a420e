"""The reach of rounding in complex step, as the recorded graph shows it: every number computed on the way, perturbed.

Neighbours of a point show only what rounds otherwise there. In ``x - tanh(x)`` at 1e-8 each of them subtracts the same
rounded numbers, and all agree on what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import raised_by_program
from ..slopes.complex_circle import ERROR
from .forward_rounding import Shake, is_rounded, response, size_before
from .one_op import Call
from .plan import Plan

Array = np.ndarray[Any, Any]

# How many samples of signs are drawn.
_SAMPLES = 5
_UNIT = 2.0**-53
# How much of an error is the same at all points: of what a library approximates, and of what is rounded once. And of a
# sum with a constant: where the numbers are as large, and lie on the same grid, all that rounding does to it.
_SHARED, _SHARED_ONCE, _SHARED_SHIFT = 0.5, 0.25, 1.25


def imag_rounding(plan: Plan, arrays: Sequence[Array], h: float, weights: Array | None = None) -> Array:
    """A bound on the rounding error of Im f / h at complex leaves (m,), or of the sum of the outputs with weights.

    Zeros where the forward cannot be read with complex numbers.
    """
    shake = Shake(False, _SAMPLES, np.zeros(0), 0)
    count = len(shake.sizes)
    given = [np.broadcast_to(a, (count, *np.shape(a))) for a in arrays]
    size = plan.size if weights is None else 1
    try:
        with np.errstate(all="ignore"):
            found = [np.asarray(a).reshape(count, -1) for a in plan.batch(given, [True] * len(given), count, shake)]
            rows = np.imag(np.concatenate(found, 1)) / h
            rows = rows if weights is None else (rows * weights).sum(1, keepdims=True)
            return np.asarray(np.maximum(response(rows[1:] - rows[0], _SAMPLES), _UNIT * np.abs(rows[0])))
    except raised_by_program():
        return np.zeros(size)


class Errors:
    """Random relative errors of a known size in all that is computed: a part that is the same at all points, and one
    that is not."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def __call__(self, call: Call, x: Array, operand: bool) -> Array:
        """An operand of a call, or its output."""
        if not is_rounded(call, x, operand):
            return x
        errors = ERROR * (_shared(call) * self._signs(x.shape[1:]) + self._signs(x.shape) / 2)
        moved = x * (1 + errors)
        larger = None if operand else size_before(call)
        return moved if larger is None else moved + errors * larger

    def _signs(self, shape: tuple[int, ...]) -> Array:
        return self._random.integers(0, 2, shape) * 2.0 - 1.0


def _shared(call: Call) -> float:
    """The share of the errors of a call that is the same at all points."""
    rounding = None if call.op is None else call.op.rounding
    if rounding == "sum" and len(call.places) < 2:
        return _SHARED_SHIFT
    return _SHARED_ONCE if rounding in ("once", "sum") else _SHARED
