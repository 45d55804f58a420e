"""What a function looks like beside a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.check.slopes.all_ways import Slopes, slopes
from gradcli.check.slopes.one_sided import Kind

from .lines import FunctionLine, absolute, floor, relu, single

LIMIT, JUMP, STEEP, NOTHING = Kind.LIMIT, Kind.JUMP, Kind.STEEP, Kind.NOTHING


def found(function: Callable[[Any], Any], x: float, noise: Any = None) -> Slopes:
    return slopes(FunctionLine(function, x, noise))[0]


def xlogx(x: Any) -> Any:
    return np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, x)))


@pytest.mark.parametrize(
    ("function", "x", "left", "right"),
    [
        (np.sin, 1.0, LIMIT, LIMIT),
        (relu, 0.0, LIMIT, LIMIT),
        (np.sqrt, 0.0, NOTHING, STEEP),
        (np.arcsin, 1.0, STEEP, NOTHING),
        (np.log, 0.0, Kind.UNCLEAR, Kind.UNCLEAR),
        (xlogx, 0.0, NOTHING, STEEP),
        (lambda x: xlogx(x - 1), 1.0, NOTHING, STEEP),
        (lambda x: absolute(x) ** (2 / 3), 0.0, STEEP, STEEP),
        (lambda x: x**1.5, 0.0, NOTHING, LIMIT),
        (lambda x: (1 - x) ** 1.5, 1.0, LIMIT, NOTHING),
        (floor, 2.0, JUMP, LIMIT),
        (lambda x: 1.0 * (x.real > 1), 1.0, LIMIT, JUMP),
        (np.sign, 0.0, JUMP, JUMP),
        (lambda x: np.sin(x) + 1e-9 * (x.real > 1), 1.0, LIMIT, JUMP),
        (floor, 2 - 1e-9, LIMIT, LIMIT),
        (np.sqrt, 1e-12, LIMIT, LIMIT),
    ],
)
def test_sides(function: Any, x: float, left: Kind, right: Kind) -> None:
    with np.errstate(all="ignore"):
        seen = found(function, x)
    if not np.isfinite(seen.centre):
        return
    assert (seen.left.kind, seen.right.kind) == (left, right)


def test_a_limit_that_comes_slowly() -> None:
    seen = found(lambda x: absolute(x - 1) ** 1.5, 1.0)
    assert seen.smooth
    assert abs(seen.value) < 8 * seen.bar < 1e-5
    at_zero = found(lambda x: absolute(x) ** 1.5, 0.0)
    assert at_zero.smooth
    assert at_zero.bar < 1e-20


def test_a_slope_that_never_rests_is_none() -> None:
    def wild(power: int) -> Callable[[Any], Any]:
        return lambda x: np.where(x == 0, 0, x**power * np.sin(1 / np.where(x == 0, 1, x)))

    assert np.isinf(found(wild(1), 0.0).bar)
    calm = found(wild(2), 0.0)
    assert calm.smooth
    assert abs(calm.value) <= 8 * calm.bar < 1e-10


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e-9])
def test_a_kink_however_small(size: float) -> None:
    seen = found(lambda x: np.sin(x) + size * absolute(x - 1), 1.0)
    assert not seen.smooth
    assert seen.right.value - seen.left.value == pytest.approx(2 * size, rel=1e-3)


@pytest.mark.parametrize("power", [2, 3, 1.5])
def test_kinks_of_the_derivative_are_smooth(power: float) -> None:
    assert found(lambda x: relu(x) ** power, 0.0).smooth


def test_a_staircase_has_the_slope_of_the_whole() -> None:
    seen = found(lambda x: np.sin(single(x)), 0.7)
    assert seen.stair is not None
    assert 1e-9 < seen.stair.width < 1e-6
    assert seen.stair.value == pytest.approx(np.cos(0.7), rel=1e-5)
    assert abs(seen.stair.value - np.cos(0.7)) < 8 * seen.stair.bar


def test_a_staircase_may_slant() -> None:
    seen = found(lambda x: 0.5 * x + np.sin(single(x)), 0.7)
    assert seen.stair is not None
    assert not seen.conflict
    assert seen.value == pytest.approx(0.5 + np.cos(0.7))


@pytest.mark.parametrize("k", [1e6, 1e8])
def test_rounded_numbers_are_a_staircase(k: float) -> None:
    seen = found(lambda x: np.round(x.real * k) / k, 0.7123456789)
    assert seen.stair is not None
    assert seen.stair.value == pytest.approx(1, rel=1e-2)


def test_what_is_flat_only_here_is_no_staircase() -> None:
    def dead(x: Any) -> Any:
        return np.where(np.abs(x.real) > 1e-7, x - 1e-7 * np.sign(x.real), 0 * x)

    for function, x in ((dead, 0.0), (relu, -3e-7), (floor, 1.9999999)):
        seen = found(function, x)
        assert seen.stair is None
        assert seen.smooth
        assert seen.value == 0
