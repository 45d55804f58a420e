"""Special points and shapes, and other numbers of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import gradcli as torch
from gradcli.check.moving.other_shapes import is_as_ops_say
from gradcli.check.moving.similar_numbers import MANNERS, alike, kind_of
from gradcli.check.moving.special_points import degenerate
from gradcli.check.replay.subject import Subject, custom, of_function
from tests.check import subjects
from tests.rings import examples


def subject(*values: Any) -> Subject:
    inputs = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]
    return of_function(lambda *xs: sum(x.sum() for x in xs), inputs)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "is 1"),
        ([0.0], "is 0"),
        ([1.5, 1.5], "is 1.5 everywhere"),
        ([0.3, 2.0, -1.0], "has entries that are -1 and 2"),
        ([0.3, 0.7, 0.9], "is sorted"),
        ([0.25, 0.1, 0.65], "adds up to 1"),
        ([[0.3, 0.5], [0.5, 0.7]], "is symmetric"),
        ([[1.0, 0.0], [0.0, 1.0]], "is the identity and adds up to 1"),
        ([[3.0, 0.0], [0.0, 5.0]], "is diagonal"),
        ([[0.3, 0.5], [0.3, 0.5], [0.3, 0.5]], "has equal rows"),
    ],
)
def test_special_points(value: object, said: str) -> None:
    assert degenerate(subject(value)) == [f"input[0] {said}"]


@pytest.mark.parametrize("value", [0.3, [0.3, -0.7], [[0.3, 0.5, 1.7], [0.1, 0.4, 0.6]], [[0.1, 0.2], [0.3, 0.4]]])
def test_usual_points(value: object) -> None:
    assert degenerate(subject(value)) == []


def test_each_input_is_told_of() -> None:
    assert degenerate(subject(1.0, 0.3, [2.0, 0.4])) == ["input[0] is 1", "input[2] has entries that are 2"]


NUMBERS = arrays(
    np.float64, array_shapes(max_dims=3, max_side=4), elements=st.sampled_from([0, 1, -1, 2, 0.3, 5, 1e-6])
)


@settings(max_examples=examples(200), deadline=None, derandomize=True)
@given(NUMBERS, st.sampled_from(MANNERS))
def test_other_numbers_are_of_the_same_kind_and_usual(a: Any, manner: Any) -> None:
    kind = kind_of(a)
    made = alike(a, kind, np.random.default_rng(0), manner)
    assert made.shape == a.shape
    assert np.isfinite(made).all()
    if kind.positive and not manner.freely and not (kind.symmetric and manner.symmetry):
        assert np.all(made > 0)
    if kind.unit and not (kind.symmetric and manner.symmetry):
        assert np.all((made >= 0) & (made <= 1))
    if kind.sums is not None and not (kind.symmetric and manner.symmetry):
        np.testing.assert_allclose(made.sum(kind.sums), 1)
    if kind.symmetric and manner.symmetry:
        np.testing.assert_array_equal(made, np.swapaxes(made, -1, -2))
    if not (kind.symmetric and manner.symmetry):
        largest = max(np.abs(a).max(), 1.0)
        assert np.abs(made).max() <= 2.1 * largest


def test_positive_definite_matrices_stay_so() -> None:
    a = np.array([[2.0, 1.9], [1.9, 2.0]])
    for seed in range(20):
        made = alike(a, kind_of(a), np.random.default_rng(seed), MANNERS[0])
        assert np.all(np.linalg.eigvalsh(made) > 0)


def test_signs_are_kept_and_then_not() -> None:
    a = np.array([1.0, -2.0, 3.0])
    assert np.array_equal(np.sign(alike(a, kind_of(a), np.random.default_rng(0), MANNERS[0])), np.sign(a))
    b = np.array([1.0, 2.0])
    assert np.any(alike(b, kind_of(b), np.random.default_rng(0), MANNERS[3]) < 0)


@pytest.mark.parametrize(("factor", "same"), [("2", True), ("2.001", False)])
def test_a_backward_may_be_what_the_ops_of_its_forward_say(factor: str, same: bool) -> None:
    rest = "A = torch.tensor([[0.5, -1.0], [2.0, 0.3]], requires_grad=True)\nout = Own.apply(A).sum()"
    (node,) = custom(subjects.subject(subjects.own("return x * x", f"return {factor} * g * x", rest)))
    assert is_as_ops_say(node, np.random.default_rng(0)) is same
