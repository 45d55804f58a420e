"""Real functions: the right ones pass, the wrong ones are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
from tests.conftest import needs_torch
from tests.rings import sampled

from . import of_numpy


@sampled(5)
@pytest.mark.parametrize("case", of_numpy.CASES, ids=lambda case: case.name)
def test_functions_of_numpy(case: of_numpy.Case) -> None:
    judge(case)


def test_functions_of_torch() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    from . import of_torch

    wrong = []
    for case in of_torch.CASES:
        try:
            judge(case)
        except AssertionError as error:
            wrong.append((case.name, str(error)))
    assert wrong == []


def judge(case: of_numpy.Case) -> None:
    found = gradcli.check(case.function, case.given, **case.derivative)
    assert found.ok is (case.fault is None), f"{case.name}: {found}"
    if case.fault is not None:
        assert case.fault in str(found), f"{case.name}: {found}"


def test_rounding_that_no_point_near_by_shows_on_their_grid() -> None:
    claimed = of_numpy.product_slopes
    found = gradcli.check(
        of_numpy.product_with_nothing,
        np.linspace(-1, 1, 20),
        grad=lambda x: claimed(x) * np.where(np.arange(20) == 3, 1.01, 1),
    )
    assert "(1 of 20 entries)" in str(found)
    assert "unknown" not in str(found)


# -- many points from one call -------------------------------------------------------------------


@needs_torch
def test_a_module_that_keeps_something_of_a_call_is_left_as_it_was() -> None:
    import torch

    class Keeping(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            self.kept = torch.tanh(x)
            return self.kept.pow(2).sum()

    module = Keeping()
    x = torch.linspace(-1, 1, 20, dtype=torch.float64)
    assert gradcli.check(module, x).ok
    assert torch.equal(module.kept.detach(), torch.tanh(x))


@needs_torch
@pytest.mark.parametrize("way", ["value", "branch", "item", "draw", "write"])
def test_what_cannot_be_had_for_many_points_is_had_for_each(way: str) -> None:
    import torch

    def f(x: Any) -> Any:
        if way == "branch" and x.sum() > 100:
            return x.sum()
        if way == "item":
            return x.pow(2).sum() * float(x.detach()[0] > -5)
        if way == "write":
            made = torch.zeros(20, dtype=x.dtype)
            made[:] = x
            return made.pow(3).sum()
        scale = 1 + torch.rand(1).item() if way == "draw" else 1.0
        return (x.sin() * x).sum() * scale

    x = torch.linspace(0.5, 2, 20, dtype=torch.float64)
    result = gradcli.check(f, x)
    assert result.ok, str(result)
    assert result.digits > 8
