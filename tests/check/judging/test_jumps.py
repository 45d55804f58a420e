"""Second derivatives where the first one jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.judging.one_derivative import judge
from gradcli.check.judging.special_points.slope_jumps import beside
from gradcli.check.judging.verdict import Judged, Verdict

Array = np.ndarray[Any, Any]


class Curve:
    """Two numbers along a line: a constant, and one that jumps at 0 with a slope on each side."""

    size = 2

    def __init__(self, left: float, right: float, at: float = 0.0) -> None:
        self.scale = abs(at)
        self.noise = np.full(2, 2.0**-52)
        self._slopes = left, right
        self._at = at

    def values(self, steps: Array) -> tuple[Array, Array]:
        t = (self._at + np.asarray(steps)) - self._at
        left, right = self._slopes
        found = np.where(t > 0, 1 + right * t + t**2, left * t + t**3)
        return t, np.stack([np.ones(len(t)), found], 1)

    def imag(self, h: float, offsets: Array) -> None:
        """Nothing."""

    def imag_noise(self, h: float) -> Array:
        return np.zeros(2)

    def around(self, points: Array, draws: int = 0) -> None:
        """Nothing."""


def found(curve: Curve, claim: float) -> Judged:
    jump = judge(curve, np.array([0.0, claim]))[1]
    assert jump.verdict is Verdict.DISCONTINUITY
    return beside(curve, 1, claim, jump)


@pytest.mark.parametrize("at", [0.0, 1.5])
@pytest.mark.parametrize("claim", [0.5, 2.0, 1.0])
def test_a_claim_is_one_of_the_slopes_or_between(at: float, claim: float) -> None:
    judged = found(Curve(0.5, 2.0, at), claim)
    assert judged.verdict is Verdict.EDGE_OK
    assert judged.left == pytest.approx(0.5, abs=1e-10)
    assert judged.right == pytest.approx(2.0, abs=1e-10)
    assert judged.note is not None


@pytest.mark.parametrize("at", [0.0, 1.5])
@pytest.mark.parametrize(("claim", "nearest"), [(0.499, 0.5), (2.01, 2.0), (-2.0, 0.5)])
def test_a_claim_that_is_neither_is_wrong(at: float, claim: float, nearest: float) -> None:
    judged = found(Curve(0.5, 2.0, at), claim)
    assert judged.verdict is Verdict.EDGE_WRONG
    assert judged.estimate == pytest.approx(nearest, abs=1e-10)
    assert judged.claimed == claim


def test_what_has_no_slope_on_a_side_is_a_jump_and_no_more() -> None:
    class Rough(Curve):
        def values(self, steps: Array) -> tuple[Array, Array]:
            t, made = super().values(steps)
            return t, made + np.where(t > 0, np.sqrt(np.abs(t)), 0.0)[:, None]

    judged = found(Rough(0.5, 2.0), 2.0)
    assert judged.verdict is Verdict.DISCONTINUITY
