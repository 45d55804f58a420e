"""How many digits the numbers of someone's function have: more than double precision has, or fewer on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli
from tests.conftest import needs_torch
from tests.rings import long

Array = np.ndarray[Any, Any]

# A complex step sees nothing of these: the sizes of complex numbers have no slope.
SIZED: list[tuple[Callable[[Array], Any], Callable[[Array], Any]]] = [
    (np.linalg.norm, lambda x: x / np.linalg.norm(x)),
    (lambda x: np.where(np.abs(x) < 1, x * x / 2, np.abs(x) - 0.5).sum(), lambda x: np.clip(x, -1, 1)),
    (lambda x: np.sum(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)), lambda x: 1 / (1 + np.exp(-x))),
]


def partly(x: Array) -> Any:
    """A part of it rounds to single precision, and what it gives is in double."""
    return np.sum(np.abs(x) * np.sin(x).astype(np.float32))


def slope(x: Array) -> Array:
    return np.sign(x) * np.sin(x) + np.abs(x) * np.cos(x)


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 2.0**-60, reason="no numbers of more digits here")
@pytest.mark.parametrize("number", range(len(SIZED)))
def test_a_function_that_follows_its_inputs_is_measured_with_more_digits(number: int) -> None:
    f, df = SIZED[number]
    x = np.random.default_rng(number).standard_normal(6)
    found = gradcli.check(f, x, grad=df)
    assert found.verdict == "PASS"
    # In double precision alone the bars leave 9 to 10.6.
    assert found.digits > 11.5


@long("it takes 10 s")
@pytest.mark.parametrize("size", [1.0, 10.0, 0.01])
def test_single_precision_on_the_way_is_no_fault_of_the_gradient(size: float) -> None:
    for seed in range(2):
        x = np.random.default_rng(seed).standard_normal(4) * size
        found = gradcli.check(partly, x, grad=slope, seed=seed)
        assert found.ok, str(found)
        for factor in (1.001, 0.9, -1):
            found = gradcli.check(partly, x, grad=lambda x, k=factor: slope(x) * k, seed=seed)
            # A thousandth of slopes of 0.01 may be within the bar.
            assert not found.ok
            assert found.verdict == "WRONG" or (size, factor) == (0.01, 1.001)


def test_a_part_in_single_precision_is_seen() -> None:
    x = np.random.default_rng(0).standard_normal(2)
    assert gradcli.check(partly, x, grad=slope).ok
    assert gradcli.check(partly, x, grad=lambda x: slope(x) * 1.01).verdict == "WRONG"


def test_an_input_without_elements_has_nothing_wrong() -> None:
    at = (np.ones((0, 3)), np.ones(2))
    found = gradcli.check(lambda x, y: partly(x) + partly(y), at, grad=lambda x, y: (x, slope(y)))
    assert found.ok


@needs_torch
@pytest.mark.parametrize("factor", [1.0, 1.2, 0.8, -1.0])
def test_half_precision_shows_along_many_directions_what_no_entry_shows(factor: float) -> None:
    import torch

    def f(x: Any) -> Any:
        if x.dtype != torch.bfloat16:
            raise TypeError("for bfloat16 alone")
        y = x * x.tanh()
        if y.requires_grad:
            y.register_hook(lambda g: g * factor)
        return y.sum()

    for seed in range(2):
        torch.manual_seed(seed)
        x = torch.randn(8).bfloat16().requires_grad_()
        found = gradcli.check(f, x, seed=seed)
        assert found.verdict == ("SATURATED" if factor == 1 else "WRONG"), str(found)


@needs_torch
def test_the_least_numbers_of_half_precision_are_far_apart() -> None:
    import torch

    def f(x: Any) -> Any:
        if x.dtype != torch.half:
            raise TypeError("for float16 alone")
        return torch.softmax(x, 0)[0]

    torch.manual_seed(1)
    assert gradcli.check(f, torch.randn(40).half().requires_grad_(), seed=1).ok
