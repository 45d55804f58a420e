"""Ordinary derivatives, settled many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.slopes.many_at_once import QUICK_STEPS, quick_heights, quick_steps, settled
from tests.rings import sampled

from .lines import FUNCTIONS, UNIT, absolute, relu

Array = np.ndarray[Any, Any]


def run(function: Any, x: Array, claims: Array, complex_step: bool = True) -> tuple[Array, Array]:
    """Which claims (one for each point) are settled, and their digits."""
    with np.errstate(all="ignore"):
        ends = x[:, None] + quick_steps(x)
        h = quick_heights(x)
        imag = (function(x + 1j * h).imag / h)[:, None, None] if complex_step else None
        made = [
            settled(
                ends[i : i + 1] - x[i],
                function(ends[i : i + 1])[..., None],
                2 * UNIT * np.abs(function(x[i : i + 1])),
                None if imag is None else imag[i : i + 1],
                claims[i : i + 1, None],
                at=x[i : i + 1],
            )
            for i in range(len(x))
        ]
    good, digits = (np.concatenate([one[which][:, 0] for one in made]) for which in (0, 1))
    return good, digits


X = np.concatenate([np.linspace(-2, 2, 81) + 0.0123, [1e-3, -1e-6, 10.0, 3e-9]])
PAIRS: list[tuple[Any, Any]] = [
    (np.sin, np.cos),
    (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    (lambda x: 3 * x + 1, lambda x: 3 + 0 * x),
    (np.arctan, lambda x: 1 / (1 + x * x)),
    (lambda x: x * x, lambda x: 2 * x),
]


@pytest.mark.parametrize(("function", "slope"), PAIRS)
def test_ordinary_claims_are_settled(function: Any, slope: Any) -> None:
    good, digits = run(function, X, slope(X))
    assert good[:81].mean() > 0.9
    assert digits[good].min() > 11


@sampled(3)
@pytest.mark.parametrize("complex_step", [True, False])
@pytest.mark.parametrize(("function", "slope"), PAIRS)
def test_no_wrong_claim_is_settled(function: Any, slope: Any, complex_step: bool) -> None:
    exact = slope(X)
    least = 1e-13 if complex_step else 1e-11
    for factor in (1 + least, 1 - 2 * least, 1 + 1e-9, 1.5, -1.0, 0.0, np.nan, np.inf):
        assert not run(function, X, exact * factor, complex_step)[0].any()
    assert not run(function, X, exact + 1e-3, complex_step)[0].any()


@pytest.mark.parametrize("name", ["gelu", "rat", "softplus", "expsin", "sigmoid"])
def test_what_is_settled_is_right(name: str) -> None:
    function = FUNCTIONS[name]
    h = quick_heights(X)
    exact = function(X + 1j * h).imag / h
    assert run(function, X, exact)[0].any()
    for factor in (1 + 2e-13, 1 - 2e-13):
        assert not run(function, X, exact * factor)[0].any()


@pytest.mark.parametrize("claim", [0.0, 0.5, 1.0, -1.0])
def test_no_kink_is_settled(claim: float) -> None:
    x = np.array([0.0, 1e-12, -1e-7, 1e-3, 3e-3, -1e-2])
    for function in (relu, absolute, lambda t: np.sin(t) + 1e-9 * absolute(t)):
        right = np.where(x > 0, 1.0, claim)
        assert not run(function, x, right)[0].any()


def test_no_other_odd_point_is_settled() -> None:
    x = np.array([0.0])
    zero = np.zeros(1)
    for function in (np.sqrt, lambda t: absolute(t) ** (2 / 3), lambda t: absolute(t) ** 1.5, np.sign, lambda t: 1 / t):
        assert not run(function, x, zero)[0].any()
        assert not run(function, x, zero + np.inf)[0].any()


def test_zeros_are_settled_only_with_a_witness() -> None:
    good, digits = run(lambda x: 0 * x + 5, X, 0 * X)
    assert good.all()
    assert np.isinf(digits).all()
    assert not run(lambda x: 0 * x + 5, X, 0 * X, complex_step=False)[0].any()
    # Flat in double precision, but not in truth.
    assert not run(np.tanh, np.array([20.0]), np.zeros(1))[0].any()


def test_entries_and_outputs_do_not_mix() -> None:
    x, w = np.array([0.3, 0.9]), np.array([1.0, -2.0, 0.5])
    steps, h = quick_steps(x), quick_heights(x)
    values = np.sin((x[:, None] + steps)[..., None] * w)
    imag = (np.sin((x + 1j * h)[:, None] * w).imag / h[:, None])[:, None]
    claims = w * np.cos(x[:, None] * w)
    claims[1, 2] *= 1.1
    good, digits, estimate, bar = settled(steps, values, np.full(3, UNIT), imag, claims, at=x)
    assert good.tolist() == [[True] * 3, [True, True, False]]
    assert np.isnan(digits[1, 2])
    assert (np.abs(estimate - w * np.cos(x[:, None] * w)) < 8 * bar)[good].all()


def test_steps_are_represented_and_symmetric() -> None:
    x = np.array([0.0, 1e-300, 0.7, -3.0, 1e12])
    steps = quick_steps(x)
    assert steps.shape == (5, len(QUICK_STEPS))
    assert (steps[:, :4] == -steps[:, 4:]).all()
    assert ((x[2:, None] + steps[2:]) - x[2:, None] == steps[2:]).all()


def test_a_bar_knows_what_rounding_on_the_way_does_to_claim_and_complex_step_alike() -> None:
    def function(x: Any) -> Any:
        return np.exp((np.arctan(x) + 1e5) - 1e5)

    x, h = np.array([-0.5996752183689562]), 1e-20
    seen = function(x + 1j * h).imag / h
    ends = x[:, None] + quick_steps(x)
    noise = 2 * UNIT * 1e5 * function(x)
    good, _, estimate, bar = settled(
        ends - x[:, None], function(ends)[..., None], noise, seen[:, None, None], seen[:, None], at=x
    )
    exact = np.exp(np.arctan(x)) / (1 + x * x)
    assert good.all()
    assert np.abs(estimate - exact) <= bar


def test_claims_that_are_small_beside_others_may_share_their_rounding_and_no_more() -> None:
    x = np.array([0.5])
    steps, height = quick_steps(x), quick_heights(x)
    values, imag = np.sin(x[:, None] + steps)[..., None], (np.sin(x + 1j * height).imag / height)[:, None, None]
    slope = float(np.cos(0.5))

    def digits(off: float, largest: float) -> float | None:
        found = settled(
            steps, values, np.array([UNIT]), imag, np.array([[slope * (1 + off)]]), at=x, largest=np.array([[largest]])
        )
        return float(found[1][0, 0]) if found[0][0, 0] else None

    assert digits(4e-13, slope) is None
    # As many roundings of what is a thousand times as large, and the digits tell of that.
    assert 11 < (digits(4e-13, 1000 * slope) or 0) < 12.2
    # A larger part of itself is too much, however large others are.
    assert digits(2e-12, 1e9 * slope) is None
