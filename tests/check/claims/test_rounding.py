"""The rounding of claims, as the graph of the backward shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.claims.recorded_backward import rounding_of_claims
from gradcli.check.replay.subject import of_function
from gradcli.engine.function import once_differentiable

UNIT = 2.0**-53


def bounds(function: Any, *values: list[float]) -> list[Any]:
    leaves = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    subject = of_function(function, leaves)
    return rounding_of_claims(subject, 0, [np.ones(subject.numbers[0].shape)])[0]


@pytest.mark.parametrize("x", [5.0, 12.0, 18.5])
def test_what_is_left_of_one_is_known_as_well_as_that(x: float) -> None:
    (bound,) = bounds(torch.tanh, [x])
    assert UNIT / 2 < bound[0] < 16 * UNIT


def test_a_product_is_exact() -> None:
    one, other = bounds(lambda x, y: x * y, [3.0], [1e-9])
    assert one[0] <= 4 * UNIT * 1e-9
    assert other[0] <= 16 * UNIT


def test_what_is_not_reached_has_none() -> None:
    _, other = bounds(lambda x, y: x * 1.0 + y.detach(), [3.0], [2.0])
    assert other.tolist() == [0.0]


def test_of_a_backward_without_a_graph_only_its_results_are_known() -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.tanh(x)

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * (1 - torch.tanh(x) ** 2)

    (bound,) = bounds(Once.apply, [5.0])
    assert 0 <= bound[0] <= UNIT
