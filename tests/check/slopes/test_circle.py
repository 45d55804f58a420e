"""Slopes from far off in the complex plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.judging.one_derivative import judge
from gradcli.check.slopes.complex_circle import above, circled
from gradcli.check.slopes.steps import UNIT

from .lines import FUNCTIONS, FunctionLine, known

FIRST = np.array([0])
# What is not analytic, and where circles see that.
KINKED = {"relu", "x|x|"}


def seen(function: Any, x: float, noise: Any = None) -> tuple[float, float]:
    line = FunctionLine(function, x, noise)
    found = circled(line, FIRST, line.values(np.zeros(1))[1][0], line.noise, np.array([np.inf]))
    return (np.nan, np.inf) if found is None else (float(found.value[0]), float(found.bar[0]))


def small(x: Any) -> Any:
    return (1 - np.cos(x)) / x**2


def test_slopes_are_within_their_bars() -> None:
    digits = []
    for k in known():
        if k.function not in KINKED:
            value, bar = seen(FUNCTIONS[k.function], k.x, k.noise)
            if np.isfinite(bar):
                assert abs(value - k.slope) <= 8 * bar, k
                digits.append(-np.log10(bar / abs(k.slope)) if k.slope else np.inf)
    assert np.median(digits) > 15


def test_what_cancels_at_the_point_does_not_on_a_circle() -> None:
    exact = -1e-3 / 12 + 1e-9 / 180 - 1e-15 / 6720
    value, bar = seen(small, 1e-3, 1e-10)
    assert abs(value - exact) <= 8 * bar
    assert bar < 1e-12 * abs(exact)


@pytest.mark.parametrize("x", [0.3, 2.0, -4.0])
def test_a_kink_a_pole_and_a_cut_nearby_leave_no_small_bar(x: float) -> None:
    for function in (lambda z: np.abs(z.real - x - 1e-7), lambda z: np.sqrt((z - x - 1e-6) ** 2 + 0j) * 1.0):
        assert not seen(function, x)[1] < 1e-9


def test_the_mean_must_be_what_is_in_the_middle() -> None:
    def bump(z: Any) -> Any:
        return np.sin(z) + np.where(z == 0.5, 1e-6, 0.0)

    assert seen(bump, 0.5)[1] == np.inf


def test_circles_that_can_tell_no_more_than_is_known_tell_nothing() -> None:
    line = FunctionLine(np.sin, 0.5)
    bar = seen(np.sin, 0.5)[1]
    for before, tells in ((0.01 * bar, False), (100 * bar, True)):
        found = circled(line, FIRST, np.sin([0.5]), line.noise, np.array([before]))
        assert (found is not None) is tells


def test_what_cannot_be_read_is_not_seen() -> None:
    line = FunctionLine(np.sin, 0.5, readable=False)
    assert circled(line, FIRST, np.sin([0.5]), line.noise, np.array([np.inf])) is None
    assert above(line, FIRST) is None


@pytest.mark.parametrize(("function", "slope"), [(np.square, 2e-310), (np.cos, -1e-310), (np.sin, 1.0)])
def test_below_normal_numbers_a_slope_is_seen_from_above(function: Any, slope: float) -> None:
    found = above(FunctionLine(function, 1e-310), FIRST)
    assert found is not None
    assert abs(found.value[0] - slope) <= 8 * found.bar[0] < 1e-10 * abs(slope)


@pytest.mark.parametrize("x", [1e-310, -3e-315, 1e-300, 1e-200])
@pytest.mark.parametrize(
    ("function", "slope"),
    [(np.square, lambda x: 2 * x), (np.exp, lambda x: 1.0), (lambda z: z * np.sin(z), lambda x: 2 * x)],
)
def test_steps_need_not_be_as_small_as_the_point(function: Any, slope: Any, x: float) -> None:
    line = FunctionLine(function, x)
    assert judge(line, np.array([slope(x)]))[0].verdict == "PASS"
    assert judge(line, np.array([slope(x) * 1.001]))[0].verdict == "WRONG"


def test_a_forward_that_drops_the_imaginary_part_says_nothing() -> None:
    found = above(FunctionLine(lambda z: np.sin(z.real), 1e-310), FIRST)
    assert found is not None
    assert found.bar[0] == np.inf


def test_a_claim_that_is_off_by_little_is_seen_where_the_point_is_badly_conditioned() -> None:
    exact = -1e-3 / 12 + 1e-9 / 180 - 1e-15 / 6720
    line = FunctionLine(small, 1e-3, 1e6 * UNIT)
    assert judge(line, np.array([exact]))[0].verdict == "PASS"
    assert judge(line, np.array([exact * (1 + 1e-10)]))[0].verdict == "INACCURATE"
