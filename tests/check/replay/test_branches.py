"""Sides of kinks: which were taken, which were not, and which are not worth a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.moving.branches import Uncovered, coverage, towards, uncovered
from gradcli.check.replay.subject import Subject, of_function

from ..subjects import acting, own


def sides(forward: str, backward: str, values: object, **how: Any) -> list[tuple[str, str]]:
    """What was not seen of a custom Function: the sentence without its place, and the side."""

    def look(subject: Subject) -> list[tuple[str, str]]:
        return [(x.sentence, x.side) for x in uncovered(subject, **how)]

    rest = f"x = torch.tensor({values!r}, requires_grad=True)\nout = Own.apply(x)\n"
    return acting(look, own(forward, backward, rest))


@pytest.mark.parametrize(
    ("forward", "values", "sentence", "side"),
    [
        ("return torch.relu(x)", [1.0, 2.0], "relu in Own.forward at line 7 was only seen above 0", ["below 0"]),
        ("return torch.relu(x)", [-1.0], "relu in Own.forward at line 7 was only seen below 0", ["above 0"]),
        (
            "return torch.clamp(x, -1, 1)",
            [0.5],
            "clamp in Own.forward at line 7 was only seen between -1 and 1",
            ["below -1", "above 1"],
        ),
        (
            "return torch.clamp(x, -1, 1)",
            [0.5, 2.0],
            "clamp in Own.forward at line 7 was only seen between -1 and 1 and above 1",
            ["below -1"],
        ),
        ("return x.abs()", [2.0], "abs in Own.forward at line 7 was only seen above 0", ["below 0"]),
        (
            "return torch.nn.functional.hardtanh(x, -2.0, 3.0)",
            [5.0],
            "hardtanh in Own.forward at line 7 was only seen above 3",
            ["below -2", "between -2 and 3"],
        ),
        (
            "return torch.amax(x)",
            [3.0, 1.0, 2.0],
            "amax in Own.forward at line 7 was only seen at index 0",
            ["at another index"],
        ),
        (
            "return torch.maximum(x, torch.ones_like(x))",
            [3.0, 2.0],
            "maximum in Own.forward at line 7 was only seen above its kink",
            ["below its kink"],
        ),
        (
            "return torch.where(x > 8, x, 2 * x)",
            [1.0, 2.0],
            "a comparison in Own.forward at line 7 was only seen false",
            ["true"],
        ),
        (
            "return x if x.sum() < 9 else 2 * x",
            [1.0, 2.0],
            "a comparison in Own.forward at line 7 was only seen true",
            ["false"],
        ),
    ],
)  # fmt: skip
def test_a_side_that_was_not_taken(forward: str, values: list[float], sentence: str, side: list[str]) -> None:
    assert sides(forward, "return g", values) == [(sentence, one) for one in side]


@pytest.mark.parametrize(
    "backward",
    [
        "return torch.where(x > 8, g, 2 * g)",
        "with torch.no_grad():\n            return torch.where(x > 8, g, 2 * g)",
        "return 2 * g if x.max() <= 8 else g",
    ],
)
def test_a_backward_has_sides(backward: str) -> None:
    found = sides("return 2 * x", backward, [1.0])
    assert [sentence.split(" at line ")[0] for sentence, _ in found if "comparison" in sentence] == [
        "a comparison in Own.backward"
    ]


@pytest.mark.parametrize(
    ("forward", "values"),
    [
        ("return torch.relu(x)", [1.0, -2.0]),
        ("return x.max(1).values", [[1.0, 2.0], [4.0, 3.0]]),
        ("return torch.floor(x) + torch.round(x)", [1.3]),
        ("return x / x.norm().clamp(min=1e-12)", [1.0, 2.0]),
        ("return torch.log(x.clamp(1e-7, 1 - 1e-7))", [0.5]),
        ("return torch.where(x.abs() < 1e-8, x, torch.sin(x))", [1.0, -1.0]),
        ("return torch.where(torch.isnan(x), x, 2 * x)", [1.0]),
        ("return x * 2 if len(x) > 1 else x", [1.0]),
        ("return x * (torch.arange(2) == 0)", [1.0, 2.0]),
        ("return torch.amax(x)", [1.0]),
        ("return x.max(0).values", 1.0),
        ("return x * (torch.rand(1) > 2)", [1.0]),
    ],
)
def test_nothing_is_said(forward: str, values: object) -> None:
    assert sides(forward, "return g", values) == []


def test_ops_of_a_graph_count_for_a_derivative_by_hand_only() -> None:
    def kinds(subject: Subject, **how: Any) -> list[str]:
        return [x.sentence for x in uncovered(subject, **how)]

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    subject = of_function(lambda x: torch.relu(x).sum(), [x])
    assert kinds(subject) == []
    assert kinds(subject, by_hand=True) == ["relu was only seen above 0"]


def test_an_entry_at_a_kink_is_on_no_side() -> None:
    assert sides("return torch.relu(x)", "return g", [0.0]) == []
    assert [side for _, side in sides("return torch.relu(x)", "return g", [0.0, 1.0])] == ["below 0"]


def test_applications_of_one_function_are_taken_together() -> None:
    def look(subject: Subject) -> list[Uncovered]:
        return uncovered(subject)

    rest = "x = torch.tensor([1.0], requires_grad=True)\nout = Own.apply(x) + Own.apply(-x)\n"
    assert acting(look, own("return torch.relu(x)", "return g * (x > 0)", rest)) == []


def test_the_way_to_a_side_leads_through_the_graph() -> None:
    def look(subject: Subject) -> tuple[float, Any]:
        found = coverage(subject, np.random.default_rng(0))
        (missing,) = found.uncovered()
        reach = found.forks[missing.key].reach[missing.side]
        return reach.gap, towards(subject, reach)

    rest = "x = torch.tensor([1.0, 3.0], requires_grad=True)\nout = Own.apply(2 * x - 1)\n"
    gap, ways = acting(look, own("return torch.relu(x)", "return g", rest))
    assert gap == 1.0
    np.testing.assert_array_equal(ways[0], [2.0, 0.0])


def test_a_forward_that_cannot_be_recorded_is_run_as_it_is() -> None:
    forward = "y = x * 2\n        y.numpy()\n        return torch.where(x > 5, y, y)"
    assert [side for _, side in sides(forward, "return 2 * g", [1.0])] == ["true"]


def test_looking_draws_no_random_numbers() -> None:
    def look(subject: Subject) -> bool:
        before = torch.get_rng_state()
        uncovered(subject)
        return bool(torch.equal(before, torch.get_rng_state()))

    rest = "x = torch.tensor([1.0], requires_grad=True)\nout = Own.apply(x)\n"
    assert acting(look, own("return torch.relu(x) * torch.rand(1)", "return g", rest))
