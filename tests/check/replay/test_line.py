"""Outputs as functions of one number, and many entries at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.replay import line as module
from gradcli.check.replay.line import Line, imag_entries, moved_entries
from gradcli.errors import LimitError

from .graphs import Positive, leaf, of


def f(x: Any, w: Any) -> Any:
    return [torch.tanh(x @ w), (x * x).sum()]


X, W = leaf(2, 3), leaf(3, 2)
PLAN = of(f, X, W)


def directly(x: Any, w: Any) -> Any:
    return np.concatenate([np.tanh(x @ w).reshape(-1), [(x * x).sum()]])


def unit(i: int, j: int) -> Any:
    d = np.zeros((2, 3))
    d[i, j] = 1
    return d


def test_an_entry_is_moved_by_exactly_what_is_said() -> None:
    along = Line(PLAN, [unit(1, 2), None])
    asked = np.array([0.0, 1e-3, -1e-9, 0.1])
    steps, values = along.values(asked)
    assert values.shape == (4, along.size) == (4, 5)
    at = X._a[1, 2]
    for wanted, step, row in zip(asked, steps, values, strict=True):
        moved = X._a.copy()
        moved[1, 2] += wanted
        assert moved[1, 2] - at == step
        np.testing.assert_allclose(row, directly(moved, W._a), rtol=1e-15)
    assert np.array_equal(values[0], np.concatenate([np.ravel(a) for a in PLAN.outputs(PLAN.at)]))
    assert along.scale == abs(at)


def test_a_direction_moves_all_leaves_and_weights_make_one_number() -> None:
    random = np.random.default_rng(0)
    d = [random.standard_normal(a.shape) for a in PLAN.at]
    w = [random.standard_normal((2, 2)), np.array(0.5)]
    along = Line(PLAN, d, w)
    steps, values = along.values([0.25])
    want = directly(X._a + 0.25 * d[0], W._a + 0.25 * d[1])
    assert steps.tolist() == [0.25]
    assert values.shape == (1, 1)
    np.testing.assert_allclose(values[0, 0], want @ np.concatenate([w[0].ravel(), [0.5]]), rtol=1e-14)
    assert along.size == 1
    assert along.noise.shape == (1,)
    assert along.scale > 0


def test_complex_step_is_the_derivative() -> None:
    x, w = PLAN.at
    d = unit(0, 1)
    along = Line(PLAN, [d, None])
    found = along.imag(1e-20, [0.0, 0.5])
    assert found is not None
    for offset, row in zip([0.0, 0.5], found, strict=True):
        moved = x + offset * d
        slope = np.concatenate([((d @ w) / np.cosh(moved @ w) ** 2).ravel(), [2 * moved[0, 1]]])
        np.testing.assert_allclose(row, slope, rtol=1e-14, atol=1e-16)
    weights = [np.ones((2, 2)), np.array(1.0)]
    weighted = Line(PLAN, [d, None], weights).imag(1e-20, [0.5])
    assert weighted is not None
    np.testing.assert_allclose(weighted[0, 0], slope.sum(), rtol=1e-14)


def test_noise_of_one_entry_does_not_have_that_of_moving_others() -> None:
    plan = of(lambda x: ((x - 1) * 1e6).sum(), torch.tensor([1.1, 1.2], dtype=torch.float64, requires_grad=True))
    assert Line(plan, [np.array([1.0, 1.0])]).noise[0] > 2 * Line(plan, [np.array([0.0, 1.0])]).noise[0]


def test_the_scale_is_in_units_of_the_direction() -> None:
    x = torch.tensor([4.0, -8.0], dtype=torch.float64, requires_grad=True)
    plan = of(lambda x: x.exp(), x)
    assert Line(plan, [np.array([0.0, 1.0])]).scale == 8
    assert Line(plan, [np.array([4.0, 8.0])]).scale == 1
    still = Line(plan, [np.zeros(2)])
    assert still.scale == 0
    np.testing.assert_array_equal(still.values([1.0, 2.0])[1], np.exp([[4.0, -8.0]] * 2))


@pytest.mark.parametrize("leaf_nr", [0, 1])
@pytest.mark.parametrize("chunk", [1, 2**22])
def test_many_entries_at_once_are_lines(leaf_nr: int, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", chunk)
    a = PLAN.at[leaf_nr]
    steps = np.array([1e-3, -1e-3, 0.5])
    places = np.array([4, 0, 5])
    represented, values = moved_entries(PLAN, leaf_nr, places, steps)
    slopes = imag_entries(PLAN, leaf_nr, places, 1e-20, np.array([0.0, 0.1]))
    assert slopes is not None
    assert represented.shape == (3, 3)
    assert values.shape == (3, 3, 5)
    assert slopes.shape == (3, 2, 5)
    for e, place in enumerate(places):
        d = np.zeros(a.size)
        d[place] = 1
        direction: list[Any] = [None, None]
        direction[leaf_nr] = d.reshape(a.shape)
        along = Line(PLAN, direction)
        s, v = along.values(steps)
        assert np.array_equal(represented[e], s)
        np.testing.assert_allclose(values[e], v, rtol=1e-14)
        np.testing.assert_allclose(slopes[e], along.imag(1e-20, [0.0, 0.1]), rtol=1e-14, atol=1e-16)


def test_entries_may_have_steps_and_heights_of_their_own() -> None:
    steps = np.array([[1e-3, 0.0], [2e-3, 0.0]])
    represented, values = moved_entries(PLAN, 0, [0, 1], steps)
    np.testing.assert_allclose(represented, steps, atol=1e-15)
    assert np.array_equal(values[0, 1], values[1, 1])
    both = imag_entries(PLAN, 0, [0, 1], np.array([1e-20, 1e-10]), np.zeros((2, 1)))
    one = imag_entries(PLAN, 0, [0, 1], 1e-20, np.zeros(1))
    assert both is not None
    assert one is not None
    np.testing.assert_allclose(both, one, rtol=1e-12)


def test_the_leaves_themselves_are_left_alone() -> None:
    before = [np.array(a) for a in PLAN.at]
    moved_entries(PLAN, 0, range(6), np.array([1.0]))
    Line(PLAN, [np.ones((2, 3)), None]).values([1.0])
    for a, b in zip(before, PLAN.at, strict=True):
        assert np.array_equal(a, b)


def test_a_forward_that_refuses_some_numbers_has_none_there() -> None:
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    plan = of(Positive.apply, x)
    along = Line(plan, [np.array([1.0, 0.0])])
    _, values = along.values([0.0, -1.0, 0.25])
    assert values[[0, 2]].tolist() == [[1, 4], [1.5, 4]]
    assert np.isnan(values[1]).all()
    _, entries = moved_entries(plan, 0, [0, 1], np.array([-1.0, 1.0]))
    assert np.isnan(entries[:, :, 0]).tolist() == [[True, False], [False, False]]


def test_a_forward_that_refuses_complex_numbers_has_no_complex_step() -> None:
    plan = of(Positive.apply, torch.tensor([0.5], dtype=torch.float64, requires_grad=True))
    assert Line(plan, [np.ones(1)]).imag(1e-20, [0.0]) is None
    assert imag_entries(plan, 0, [0], 1e-20, np.zeros(1)) is None


@pytest.mark.parametrize("error", [LimitError("time"), MemoryError(), RecursionError(), KeyboardInterrupt()])
def test_what_ends_a_check_passes(error: BaseException) -> None:
    class Ends(torch.autograd.Function):
        ends = False

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            if Ends.ends:
                raise error
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    plan = of(Ends.apply, leaf(2))
    Ends.ends = True
    along = Line(plan, [np.array([1.0, 0.0])])
    for ask in (lambda: along.values([0.0]), lambda: along.imag(1e-20, [0.0]), lambda: along.noise):
        with pytest.raises(type(error)):
            ask()


def test_a_float32_leaf_is_moved_in_double_precision() -> None:
    x = torch.tensor([0.1, 0.2], requires_grad=True)
    plan = of(lambda x: x * 3, x)
    steps, values = Line(plan, [np.array([1.0, 0.0])]).values([1e-12])
    assert abs(steps[0] - 1e-12) < 1e-16
    assert values[0, 0] == (float(np.float32(0.1)) + steps[0]) * 3


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
def test_the_scale_of_very_small_and_very_large_numbers(size: float) -> None:
    x = torch.tensor([size, size / 2], dtype=torch.float64, requires_grad=True)
    plan = of(lambda x: x * 2.0, x)
    assert Line(plan, [np.array([1.0, 0.0])]).scale == size
    assert Line(plan, [np.array([size, -size])]).scale == 1.0
