"""What a wrong gradient is, in a sentence: each kind is known, and no right gradient is any."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gradcli.check.blaming.kind_of_mistake import Context, signature
from tests.rings import examples

RNG = np.random.default_rng(3)
V = RNG.standard_normal(5)
M = RNG.standard_normal((3, 3))
W = RNG.standard_normal((2, 4))
X = np.array([0.5, -1.2, 2.0, -0.3, 0.8])


def told(claimed: Any, truth: Any, bar: float = 1e-13, **context: Any) -> str | None:
    """The signature where every entry of the truth is sure to so much of its size."""
    truth = np.asarray(truth, float)
    return signature(np.asarray(claimed, float), truth, bar * np.abs(truth), Context(**context))


@pytest.mark.parametrize(
    ("claimed", "truth", "context", "expected"),
    [
        (0 * V, V, {}, "claimed = 0"),
        (V, 0 * V, {}, "the forward is flat here, as a step is, and its gradient 0: claimed is another (a surrogate?)"),
        (2 * V, V, {}, "claimed = 2 times the true gradient"),
        (V / 2, V, {}, "claimed = 1/2 of the true gradient"),
        (-V, V, {}, "claimed = minus the true gradient"),
        (-2 * V / 3, V, {}, "claimed = -2/3 of the true gradient"),
        (V / 5, V, {"sizes": {5: "entries"}}, "claimed = 1/5 (its entries) of the true gradient"),
        (V * 5, V, {"sizes": {5: "entries"}}, "claimed = 5 times (its entries) the true gradient"),
        (V / np.log(10), V, {}, "claimed = 1/ln 10 times the true gradient"),
        (0.7071 * V, V, {}, "claimed = 0.7071 times the true gradient"),
        (V * (1 + 1e-5), V, {}, "claimed = the true gradient, 1e-05 of it too large"),
        (np.float32(V), V, {}, "right to single precision only"),
        (4.0, 2.0, {}, "claimed = 2 times the true gradient"),
        (3.717, 2.0, {}, None),
        (M.T, M, {}, "claimed = the transposed true gradient"),
        (-M.T, M, {}, "claimed = minus the transposed true gradient"),
        (W.T.reshape(2, 4), W, {}, "claimed = the transposed true gradient"),
        ((M + M.T) / 2, M, {}, "claimed = the mean of the true gradient and the transposed"),
        (np.roll(M, 1, 1), M, {}, "claimed = the true gradient, shifted by one along axis 1"),
        (np.r_[0, V[:-1]], V, {}, "claimed = the true gradient, shifted by one"),
        (np.r_[V[1:], 0], V, {}, "claimed = the true gradient, shifted by one"),
        (W[::-1], W, {}, "claimed = the true gradient, shifted by one along axis 0"),
        (V[::-1], V, {}, "claimed = the true gradient in reverse order"),
        (V[[3, 1, 2, 0, 4]], V, {}, "entries [0] and [3] are swapped"),
        (V[[3, 0, 2, 1, 4]], V, {}, "claimed = the true gradient, its entries in another order"),
        (np.cumsum(V), V, {}, "claimed = the true gradient, summed up"),
        (V, np.cumsum(V), {}, "claimed is not summed up"),
        (V + 0.5, V, {}, "every entry is off by the same 0.5"),
        (M + X[:3, None], M, {}, "entries along axis 1 are off by the same amount: a sum over them is missing"),
        (np.abs(V), V, {}, "claimed = the absolute value of the true gradient"),
        (V * X, V, {"at": X}, "claimed = the true gradient times x"),
        (V / X, V, {"at": X, "name": "a"}, "claimed = the true gradient divided by a"),
        (2 * X, 3 * X**2, {"at": X}, "claimed = 2/3 of the true gradient divided by x"),
        (np.where(X > 0, 0, V), V, {"at": X}, "right except where x > 0: 0 there"),
        (np.where(X < 0, 0, V), V, {"at": X, "name": "y"}, "right except where y < 0: 0 there"),
        (np.where(X > 0.7, 0, V), V, {"at": X}, "right except where x >= 0.8: 0 there"),
        (np.where(np.abs(X) > 1, 0, V), V, {"at": X}, "right except where |x| >= 1.2: 0 there"),
        (np.triu(M), M, {}, "right except below the diagonal: 0 there"),
        (np.where(np.eye(3) > 0, 2 * M, M), M, {}, "right except on the diagonal: 2 times the true gradient there"),
        (np.r_[V[:-1], 0], V, {}, "right except at index 4: 0 there"),
        (np.r_[M.ravel()[:-1], 7].reshape(3, 3), M, {}, "right except at [2, 2]"),
        (M[1], M[0], {"others": {"b": M[1]}}, "claimed = the gradient with respect to b"),
        (-M[1], M[0], {"others": {"b": M[1]}}, "claimed = minus the gradient with respect to b"),
        (V / X, V, {"arriving": X}, "the gradient that arrives is left out: claimed is the derivative alone"),
        (X, V, {"arriving": X}, "claimed = the gradient that arrives, handed on as it is"),
        (W[0], W.sum(0), {"spread": W}, "not summed over the broadcast axis 0: only the first share"),
        (W[1], W.sum(0), {"spread": W}, "not summed over the broadcast axis 0: only the last share"),
        (V, V, {}, None),
        (RNG.standard_normal(5), V, {"at": X}, None),
    ],
)  # fmt: skip
def test_each_kind_is_known(claimed: Any, truth: Any, context: dict[str, Any], expected: str | None) -> None:
    assert told(claimed, truth, **context) == expected


def test_only_what_fits_to_within_the_bars_is_said() -> None:
    assert told(V / 2 * (1 + 1e-9), V) is None or "1/2" not in str(told(V / 2 * (1 + 1e-9), V))
    assert told(V / 2 * (1 + 1e-9), V, bar=1e-8) == "claimed = 1/2 of the true gradient"


def test_entries_without_a_truth_are_left_out() -> None:
    truth = np.where(np.arange(5) == 2, np.nan, V)
    assert signature(-V, truth, 1e-13 * np.abs(V)) == "claimed = minus the true gradient"
    assert signature(V, truth, 1e-13 * np.abs(V)) is None
    assert signature(V, np.full(5, np.nan), np.zeros(5)) is None


def test_what_has_another_shape_is_not_compared() -> None:
    assert signature(V, V[:4], np.zeros(4)) is None
    assert signature(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2))) is None


@given(st.integers(0, 2**32), st.sampled_from([(1,), (4,), (3, 3), (2, 3, 2), ()]))
@settings(max_examples=examples(150), deadline=None)
def test_a_right_gradient_has_none_and_numbers_of_no_kind_have_none(seed: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    truth, at = rng.standard_normal(shape), rng.standard_normal(shape)
    bars = 1e-12 * np.abs(truth)
    claimed = truth + rng.uniform(-1, 1, shape) * bars
    assert signature(claimed, truth, bars, Context(at=at, others={"b": at}, arriving=at)) is None
    if truth.size > 2:
        assert signature(rng.standard_normal(shape), truth, bars, Context(at=at, sizes={truth.size: "entries"})) is None
