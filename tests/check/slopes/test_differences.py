"""Slopes from differences: right within their bars, and with bars as small as the noise allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.check.slopes.all_ways import sampled
from gradcli.check.slopes.differences import CENTRAL, LEFT, RIGHT, SAFETY, Estimates, extrapolated
from gradcli.check.slopes.from_far_off import far_slope
from gradcli.check.slopes.steps import deep_ladder, ladder

from .lines import FUNCTIONS, UNIT, FunctionLine, absolute, known, relu


def estimates(line: FunctionLine) -> Estimates:
    return extrapolated(sampled(line, ladder(line.scale)))


def test_errors_lie_within_their_bars() -> None:
    beyond = []
    for name, x, slope, noise in known():
        found = estimates(FunctionLine(FUNCTIONS[name], x, noise))
        beyond += [(abs(v - slope) / b, name, x) for v, b in zip(found.value[:, 0], found.bar[:, 0], strict=True)]
    assert len(beyond) == 3 * 630
    assert max(beyond)[0] < SAFETY
    assert np.mean([away > 1 for away, *_ in beyond]) < 0.02


def test_every_derivative_is_found() -> None:
    sizes = []
    for name, x, slope, noise in known():
        bar = estimates(FunctionLine(FUNCTIONS[name], x, noise)).bar[CENTRAL, 0]
        assert np.isfinite(bar)
        if slope:
            sizes.append(bar / abs(slope))
    assert np.median(sizes) < 1e-12


@pytest.mark.parametrize("name", ["sin", "exp", "log", "atan", "rat", "expsin", "logcosh"])
def test_ordinary_derivatives_are_known_to_twelve_digits(name: str) -> None:
    found = estimates(FunctionLine(FUNCTIONS[name], 0.7))
    assert found.bar[CENTRAL, 0] < 1e-12 * abs(found.value[CENTRAL, 0])


@pytest.mark.parametrize("away", [1e-3, 1e-5, 1e-7, 1e-9])
def test_a_kink_nearby_is_seen(away: float) -> None:
    found = estimates(FunctionLine(relu, away))
    assert found.value[:, 0] == pytest.approx([1, 1, 1], rel=1e-9)
    assert estimates(FunctionLine(relu, -away)).value[:, 0] == pytest.approx([0, 0, 0])


def test_the_two_sides_of_a_kink() -> None:
    found = estimates(FunctionLine(lambda x: np.exp(x) + 1e-3 * absolute(x), 0.0))
    assert found.value[LEFT, 0] == pytest.approx(1 - 1e-3, rel=1e-10)
    assert found.value[RIGHT, 0] == pytest.approx(1 + 1e-3, rel=1e-10)


@pytest.mark.parametrize(
    "function", [lambda x: np.sqrt(np.abs(x)), lambda x: np.where(x > 0, 1.0, 0.0), lambda x: np.abs(x) ** 0.9]
)
def test_there_is_no_slope_where_there_is_none(function: object) -> None:
    found = estimates(FunctionLine(function, 0.0))  # type: ignore[arg-type]
    assert not np.isfinite(found.bar[RIGHT, 0])


def test_a_false_plateau_is_none() -> None:
    # The slopes from the right are log(h): in one column of the table they all look alike.
    found = estimates(FunctionLine(lambda x: np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, np.abs(x)))), 0.0))
    assert not np.isfinite(found.bar[RIGHT, 0])


@pytest.mark.parametrize("power", [10, 20, 30])
def test_an_alias_is_none(power: int) -> None:
    w = 2 * np.pi * 2.0**power
    found = estimates(FunctionLine(lambda x: np.sin(w * x), 0.25, UNIT * (2 + w)))
    assert abs(found.value[CENTRAL, 0] - w * np.cos(w * 0.25)) < SAFETY * found.bar[CENTRAL, 0] < 1e-2 * w


def test_outputs_do_not_mix() -> None:
    w = np.linspace(0.5, 2, 7)
    found = estimates(FunctionLine(lambda x: np.sin(x[:, None] * w), 0.3))
    assert found.value[CENTRAL] == pytest.approx(w * np.cos(0.3 * w), rel=1e-12)
    alone = estimates(FunctionLine(lambda x: np.sin(x * w[3]), 0.3))
    assert found.value[:, 3] == pytest.approx(alone.value[:, 0], rel=1e-15)


def test_far_off_a_slope_is_known_better() -> None:
    x = 1e-3
    line = FunctionLine(lambda t: (1 - np.cos(t)) / t**2, x, 2 * UNIT / x**2)
    assert estimates(line).bar[CENTRAL, 0] > 1e-10
    centre = line.values(np.zeros(1))[1][0]
    far = far_slope(line, float(ladder(x)[0]), np.array([0]), centre, line.noise)
    assert abs(far.value[0] - (-x / 12 + x**3 / 180)) < far.bar[0] < 1e-15


@pytest.mark.parametrize("x", [1.0, 0.7, 1e-7, 1e12, 1e-300, 1e300])
def test_steps_are_represented(x: float) -> None:
    steps = ladder(x)
    assert (np.diff(steps) < 0).all()
    small = steps[steps < x / 8]
    assert len(small) > 40
    assert ((x + small) - x == small).all()
    assert (x - (x - small) == small).all()


def test_steps_at_zero_go_down_as_far_as_squares_do() -> None:
    steps = deep_ladder()
    assert (np.diff(steps) < 0).all()
    assert 1e-154 < steps[-1] < 1e-140


@pytest.mark.parametrize("function", [lambda x: np.sqrt(x * x + 1e-12), lambda x: 0 * x])
def test_far_off_nothing_is_seen_of_a_bend_nearby_or_of_a_constant(function: Callable[[Any], Any]) -> None:
    line = FunctionLine(function, 1e-17, 1e-16)
    far = far_slope(line, 4.0, np.array([0]), line.values(np.zeros(1))[1][0], line.noise)
    assert far.bar[0] == np.inf
