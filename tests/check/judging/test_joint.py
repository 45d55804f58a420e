"""Kinks that several entries sit on together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.check.judging.special_points.joint_kinks import judge_joint, spread
from gradcli.check.judging.verdict import Judged

from ..slopes.lines import PlaneLine

Array = np.ndarray[Any, Any]


def joint(function: Callable[[Array], Array], at: list[float], claims: list[float], seed: int = 0) -> Judged | None:
    point, claim = np.array(at), np.array(claims)
    kinked = [(0, i) for i in range(len(at)) if np.isfinite(at[i])]

    def line(direction: Any) -> PlaneLine:
        return PlaneLine(function, point, direction[0])

    def along(direction: Any) -> float:
        return float(claim @ direction[0])

    return judge_joint(line, along, [point], kinked, np.random.default_rng(seed))


def amax(x: Array) -> Array:
    return np.max(x, 1)


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


SEEDS = pytest.mark.parametrize("seed", range(4))


@SEEDS
@pytest.mark.parametrize("claims", [[0.25] * 4, [1.0, 0, 0, 0], [0.5, 0.5, 0, 0]])
def test_shares_of_a_tie(claims: list[float], seed: int) -> None:
    assert joint(amax, [3.0] * 4, claims, seed) is None


@SEEDS
@pytest.mark.parametrize("claims", [[0.5] * 4, [1.0] * 4, [0.0] * 4, [0.25, 0.25, 0.25, 0.26]])
def test_shares_of_a_tie_must_add_up(claims: list[float], seed: int) -> None:
    found = joint(amax, [3.0] * 4, claims, seed)
    assert found is not None
    assert found.verdict == "KINK_WRONG"
    assert found.note is not None
    assert "along all ones" in found.note


def test_each_tie_is_looked_at_alone() -> None:
    def two(x: Array) -> Array:
        return np.max(x[:, :2], 1) - np.max(x[:, 2:], 1)

    at = [1.0, 1.0, 5.0, 5.0]
    assert joint(two, at, [0.5, 0.5, -0.5, -0.5]) is None
    # Both are wrong by as much: together that does not show.
    found = joint(two, at, [0.8, 0.8, -0.8, -0.8])
    assert found is not None
    assert found.note is not None
    assert "along the entries that are 1" in found.note


@SEEDS
def test_sorted_ties(seed: int) -> None:
    def weighted(x: Array) -> Array:
        return np.sort(x, 1) @ np.array([1.0, 2.0])

    assert joint(weighted, [0.7, 0.7], [1.0, 2.0], seed) is None
    assert joint(weighted, [0.7, 0.7], [1.5, 1.5], seed) is None
    assert joint(weighted, [0.7, 0.7], [2.0, 2.0], seed) is not None


@SEEDS
def test_kinks_of_their_own(seed: int) -> None:
    # Each claim is one of its own kink, also where together they lie between no two slopes of a direction.
    def signed(x: Array) -> Array:
        return relu(x) @ np.array([1.0, -1.0, 2.0])

    for claims in ([0.0, 0.0, 0.0], [1.0, -1.0, 2.0]):
        assert joint(signed, [0.0] * 3, claims, seed) is None


@SEEDS
def test_a_sum_of_subgradients_that_is_none(seed: int) -> None:
    def identity(x: Array) -> Array:
        s = x.sum(1)
        return relu(s) - relu(-s) + np.abs(x[:, 0] - x[:, 1])

    assert joint(identity, [0.0, 0.0], [1.0, 1.0], seed) is None
    found = joint(identity, [0.0, 0.0], [0.0, 0.0], seed)
    assert found is not None
    assert found.verdict == "KINK_WRONG"


def test_directions_in_several_leaves() -> None:
    made = spread([np.zeros((2, 2)), np.zeros(1), np.zeros(3)], [(0, 3), (2, 1)], np.array([2.0, -1.0]))
    assert made[1] is None
    assert np.array_equal(made[0], [[0, 0], [0, 2]])
    assert np.array_equal(made[2], [0, -1, 0])
