"""Derivatives of order 2 and more: what is claimed of them, and what is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.judging import higher_orders
from gradcli.check.judging.entries import probe
from gradcli.check.judging.findings import Finding, Options
from gradcli.check.judging.higher_orders import Derivative, Part, derived
from gradcli.check.judging.one_derivative import judge
from gradcli.check.judging.symmetry import symmetry
from gradcli.check.judging.verdict import Verdict
from gradcli.check.replay.line import Line
from gradcli.check.replay.subject import Subject, of_function
from gradcli.errors import InputError

from ..faulty import Detached, Once

Numbers = float | list[float]


def leaf(value: Numbers) -> Any:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def of_order(order: int, function: Any, *values: Numbers) -> Subject:
    """What the claims of an order are about."""
    found = of_function(function, [leaf(value) for value in values])
    for _ in range(order - 1):
        found = derived(found)
    return found


def findings(order: int, function: Any, *values: Numbers) -> list[Finding]:
    return probe(of_order(order, function, *values), Options(), np.random.default_rng(0), order)


def verdicts(order: int, function: Any, *values: Numbers) -> dict[tuple[str, str], Verdict]:
    return {(x.output, x.input): x.verdict for x in findings(order, function, *values)}


class Mixed(torch.autograd.Function):
    """x²y with the mixed second derivative dropped."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * x * y

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        x, y = ctx.saved_tensors
        return gy * 2 * x * y.detach(), gy * (x * x).detach()


class Item(torch.autograd.Function):
    """A backward of Python numbers."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gy * (3 * x.item() ** 2)


class Numpy(torch.autograd.Function):
    """A backward that leaves tensors altogether."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.x = x.detach().numpy().copy()
        return torch.tensor(np.sin(ctx.x))

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        return torch.tensor(gy.numpy() * np.cos(ctx.x))


class Kept(torch.autograd.Function):
    """Everything is recorded: a mask in its backward changes nothing nearby."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return torch.where(x > 0, x**3, x**2)

    @staticmethod
    def backward(ctx: Any, gy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gy * torch.where(x > 0, 3 * x**2, 2 * x)


# -- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "name"),
    [
        (("x",), "d(out)/dx"),
        (("x", "x"), "d²(out)/dx²"),
        (("x", "y"), "d²(out)/dx dy"),
        (("x", "y", "x"), "d³(out)/dx dy dx"),
        (("fc.weight",), "d(out)/d(fc.weight)"),
    ],
)
def test_a_derivative_is_called_what_is_written(by: tuple[str, ...], name: str) -> None:
    assert Part("out", by).name == name


def test_each_order_has_an_output_for_each_input_that_is_reached() -> None:
    first = of_function(lambda x, y: ((x * x * y).sum(), y * 2), [leaf([1.0, 2.0]), leaf(3.0)], "f")
    second = derived(first)
    names = [y.name for y in second.outputs]
    assert names == ["d(f[0])/d(input[0])", "d(f[0])/d(input[1])", "d(f[1])/d(input[1])"]
    assert [y.tensor.tolist() for y in second.outputs] == [[6.0, 12.0], 5.0, 2.0]
    third = derived(second)
    assert {part.by for part in third.parts if part.of == "f[0]"} == {
        ("input[0]", "input[0]"), ("input[0]", "input[1]"), ("input[1]", "input[0]"),
    }  # fmt: skip


def test_an_output_of_several_numbers_is_differentiated_as_a_sum_whose_weights_stay() -> None:
    first = of_function(torch.exp, [leaf([0.5, 1.0])])
    one, other = derived(first), derived(first)
    (weights,) = one.weights
    assert np.all(np.abs(weights) >= 0.5)
    assert np.array_equal(one.numbers[0], weights * np.exp([0.5, 1.0]))
    assert np.array_equal(other.weights[0], weights)
    assert not np.array_equal(derived(first, seed=7).weights[0], weights)


# -- verdicts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_right_double_backward_passes(order: int) -> None:
    assert set(verdicts(order, torch.sin, 0.3).values()) == {Verdict.PASS}
    assert set(verdicts(order, lambda x: torch.exp(-x * x), [0.3, -1.2]).values()) == {
        Verdict.PASS,
    }


def test_what_is_detached_in_a_backward_is_missed_by_the_next() -> None:
    assert set(verdicts(1, Detached.apply, 0.8).values()) == {Verdict.PASS}
    (found,) = findings(2, Detached.apply, 0.8)
    assert found.verdict is Verdict.WRONG
    assert found.worst is not None
    assert found.worst.judged.claimed == 0
    assert found.worst.judged.estimate == pytest.approx(12, abs=1e-9)


def test_a_mixed_derivative_that_was_dropped() -> None:
    assert set(verdicts(1, Mixed.apply, 0.7, 1.3).values()) == {Verdict.PASS}
    first, second = "d(f)/d(input[0])", "d(f)/d(input[1])"
    assert verdicts(2, Mixed.apply, 0.7, 1.3) == {
        (first, "input[0]"): Verdict.PASS,
        (first, "input[1]"): Verdict.WRONG,
        (second, "input[0]"): Verdict.WRONG,
        (second, "input[1]"): Verdict.PASS_ZERO,
    }


@pytest.mark.parametrize("function", [Item, Numpy])
def test_a_backward_that_leaves_the_graph_has_a_right_gradient_and_no_second_one(function: Any) -> None:
    assert set(verdicts(1, function.apply, 0.8).values()) == {Verdict.PASS}
    assert set(verdicts(2, function.apply, 0.8).values()) == {Verdict.WRONG}
    (note,) = of_order(2, function.apply, 0.8).notes()  # type: ignore[attr-defined]
    assert note.startswith(f"NOT_RECORDED: the backward of {function.__name__}Backward computes with numbers")


def test_what_is_wrong_inside_is_found_through_what_is_around_it() -> None:
    def around(x: Any) -> Any:
        return torch.sin(Detached.apply(torch.exp(x)))

    assert set(verdicts(1, around, 0.2).values()) == {Verdict.PASS}
    assert set(verdicts(2, around, 0.2).values()) == {Verdict.WRONG}


@pytest.mark.parametrize(("share", "verdict"), [(1e-3, Verdict.WRONG), (1e-7, Verdict.INACCURATE)])
def test_a_small_part_that_is_missed(share: float, verdict: Verdict) -> None:
    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, gy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gy * ((1 - share) * 3 * x**2 + share * 3 * x.detach() ** 2)

    assert set(verdicts(1, Part.apply, [0.8, 1.3]).values()) == {Verdict.PASS}
    assert set(verdicts(2, Part.apply, [0.8, 1.3]).values()) == {verdict}


def test_a_third_derivative_may_be_the_first_that_is_wrong() -> None:
    class Third(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**4

        @staticmethod
        def backward(ctx: Any, gy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gy * (4 * Cube.apply(x))

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, gy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gy * 3 * (x * x.detach())

    found = [set(verdicts(order, Third.apply, 1.1).values()) for order in (1, 2, 3)]
    assert found == [{Verdict.PASS}, {Verdict.PASS}, {Verdict.WRONG}]


def test_a_linear_function_has_zeros_for_its_second_derivative() -> None:
    assert set(verdicts(2, lambda x: 3 * x, 0.7).values()) == {Verdict.PASS_ZERO}
    assert set(verdicts(3, lambda x: 3 * x, 0.7).values()) == {Verdict.PASS_ZERO}
    assert set(verdicts(3, lambda x: (x * x).sum(), [0.7, 0.2]).values()) == {Verdict.PASS_ZERO}


def test_a_derivative_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(InputError, match="f has no 2nd derivative: trying to differentiate twice a function"):
        of_order(2, Once.apply, 0.7)


@pytest.mark.parametrize("function", [torch.relu, torch.abs, lambda x: torch.relu(x - 1 + 1) * x])
def test_where_a_gradient_jumps_a_claim_is_right_that_holds_on_one_side(function: Any) -> None:
    assert set(verdicts(2, function, [0.0, 0.7, -0.7]).values()) <= {
        Verdict.PASS, Verdict.PASS_ZERO, Verdict.EDGE_OK, Verdict.KINK_OK,
    }  # fmt: skip


def test_where_a_gradient_jumps_no_backward_is_run_twice_at_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor far off, where a smooth function would have its slope."""
    points = []
    backward = higher_orders._Gradients._backward

    def noted(self: Any, arrays: Any, create_graph: bool) -> Any:
        points.append(b"".join(np.asarray(a).tobytes() for a in arrays))
        return backward(self, arrays, create_graph)

    monkeypatch.setattr(higher_orders._Gradients, "_backward", noted)
    found = verdicts(2, lambda x: torch.maximum(x[:2], x[2:]).max() + x.max(0).values, [2.0, 2.0, 2.0, 1.0])
    assert set(found.values()) == {Verdict.EDGE_OK}
    assert len(points) - len(set(points)) <= 2
    assert len(points) < 600


def test_where_a_gradient_jumps_a_claim_may_be_wrong() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.relu(x)

        @staticmethod
        def backward(ctx: Any, gy: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gy * ((x > 0).double() + 5 * (x - x.detach()))

    assert set(verdicts(1, Wrong.apply, 0.0).values()) == {Verdict.KINK_OK}
    assert set(verdicts(2, Wrong.apply, 0.0).values()) == {Verdict.EDGE_WRONG}


# -- two ways to a gradient ----------------------------------------------------------------------


def test_a_recorded_backward_is_evaluated_again_where_that_is_right() -> None:
    assert of_order(2, lambda x: torch.relu(x).sin(), [0.5, -0.5]).replays  # type: ignore[attr-defined]
    assert of_order(2, Kept.apply, [0.5, -0.5]).replays  # type: ignore[attr-defined]
    for function in (Detached, Item, Numpy):
        assert not of_order(2, function.apply, 0.8).replays  # type: ignore[attr-defined]


def test_a_backward_of_its_own_at_each_point_knows_what_no_graph_shows() -> None:
    second = of_order(2, Detached.apply, [0.8, 0.5])
    scale = second.weights[0]  # type: ignore[attr-defined]
    (found,) = second.plan.batch([np.array([[1.0, 2.0], [3.0, 4.0]])], [True], 2)
    assert np.allclose(found, 12 * scale * np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert np.allclose(second.plan.outputs([np.array([1.0, 1.0])])[0], 12 * scale)


def test_the_whole_program_can_be_run_again() -> None:
    second = of_order(2, lambda x: x**3, 2.0)
    there = second.recorded_at([np.array(3.0)])
    assert isinstance(there, Derivative)
    assert there.numbers[0] == 27
    assert there.claim([np.ones(())])[0] == 18


def test_gradients_that_the_program_keeps_stay_as_they_are() -> None:
    seen = []

    def function(x: Any) -> Any:
        y = x * x
        y.retain_grad()
        seen.append(y)
        return y.sin()

    derived(of_function(function, [leaf(0.5)]))
    assert seen[0].grad is None


# -- symmetry ----------------------------------------------------------------------------------


def test_second_derivatives_do_not_depend_on_the_order() -> None:
    (found,) = symmetry(
        derived(of_function(lambda x, y: (x * y.sin() * x).sum(), [leaf([1.0, 2.0]), leaf([0.3, 0.7])]))
    )
    assert found.holds
    assert found.one == pytest.approx(found.other, rel=1e-14)
    assert 0 < found.bar < 1e-13


def test_second_derivatives_that_do_are_seen() -> None:
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, gy: Any) -> Any:
            x, y = ctx.saved_tensors
            return gy * y, gy * x.detach()

    (found,) = symmetry(derived(of_function(Half.apply, [leaf(0.7), leaf(1.3)])))
    assert not found.holds


def test_the_symmetry_of_what_is_constant_is_no_question() -> None:
    assert symmetry(derived(of_function(lambda x: 2 * x, [leaf(0.7)]))) == []


# -- digits ------------------------------------------------------------------------------------

# The derivatives of orders 1 to 4, by mpmath with 60 digits.
TRUTH: list[tuple[str, Callable[..., Any], float, list[float]]] = [
    ("sin", torch.sin, 0.001, [0.9999995000000417, -0.0009999998333333417, -0.9999995000000417, 0.0009999998333333417]),
    ("exp", torch.exp, 0.001, [1.0010005001667084, 1.0010005001667084, 1.0010005001667084, 1.0010005001667084]),
    ("log", torch.log, 0.001, [1000.0, -1000000.0, 1999999999.9999998, -5999999999999.999]),
    (
        "reciprocal",
        lambda x: 1 / x,
        0.0001,
        [-99999999.99999999, 1999999999999.9998, -5.999999999999999e16, 2.3999999999999995e21],
    ),
    ("tanh", torch.tanh, 3.0, [0.00986603716544019, -0.019634494363042435, 0.03888011652566168, -0.07621340163884491]),
    ("sqrt", torch.sqrt, 1e-08, [5000.0, -250000000000.0, 3.75e19, -9.375e27]),
    (
        "sin(100x)",
        lambda x: torch.sin(100 * x),
        0.001,
        [99.50041652780257, -998.3341664682815, -995004.1652780258, 9983341.664682815],
    ),
    (
        "exp(-x²)",
        lambda x: torch.exp(-(x**2)),
        2.0,
        [-0.07326255555493671, 0.25641894444227853, -0.7326255555493673, 1.3919885555437976],
    ),
]


@pytest.mark.parametrize(("name", "function", "at", "truth"), TRUTH, ids=[row[0] for row in TRUTH])
def test_twelve_digits_up_to_order_four(name: str, function: Any, at: float, truth: list[float]) -> None:
    for order in (2, 3, 4):
        subject = of_order(order, function, at)
        (claim,) = subject.claim([np.ones(())])
        assert claim is not None
        judged = judge(Line(subject.plan, [np.ones(())]), claim.reshape(1))[0]
        true = truth[order - 1]
        assert judged.verdict is Verdict.PASS, f"order {order}: {judged}"
        assert abs(judged.estimate - true) <= 1e-12 * abs(true)
        assert judged.bar <= 1e-12 * abs(true)
        assert abs(judged.estimate - true) <= 8 * judged.bar


@pytest.mark.parametrize(
    ("order", "true", "digits"),
    [(2, -0.0833333166666674, 12), (3, 3.333333035714295e-05, 9), (4, 0.03333332440476237, 11)],
)
def test_where_a_claim_is_all_rounding_the_truth_is_known_all_the_same(order: int, true: float, digits: int) -> None:
    (found,) = findings(order, lambda x: (1 - torch.cos(x)) / x**2, 1e-3)
    assert found.verdict in (Verdict.UNRESOLVED, Verdict.INACCURATE)
    assert found.worst is not None
    judged = found.worst.judged
    assert abs(judged.estimate - true) <= 10.0**-digits * abs(true)
    assert abs(judged.estimate - true) <= 8 * judged.bar
    assert abs(judged.claimed - true) > 1e-4 * abs(true)


def test_what_an_intermediate_result_lost_is_in_the_bar_of_every_order() -> None:
    def function(x: Any) -> Any:
        return torch.log(1.25 + torch.tanh((torch.exp(1.7 * x * x) + 1e5) - 1e5) ** 2)

    (found,) = findings(4, function, 0.00013614236118754606)
    assert found.worst is not None
    assert abs(found.worst.judged.estimate + 3.8950811116821373) <= 8 * found.worst.judged.bar


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.nn.functional.logsigmoid(x),
        lambda x: torch.nn.functional.layer_norm(x, (3,)),
        lambda x: torch.nn.functional.batch_norm(x.reshape(3, 1), None, None, training=True),
    ],
    ids=["logsigmoid", "layer_norm", "batch_norm"],
)
def test_what_ops_compute_aside_is_replayed(function: Any) -> None:
    found = of_order(2, function, [0.3, -1.0, 2.0])
    assert isinstance(found, Derivative)
    assert found.replays
    third = derived(found)
    assert third.replays


def test_a_gradient_whose_derivative_reaches_no_leaf_is_symmetric() -> None:
    # The derivative of a convolution's gradient with constant weights is none at all.
    x = torch.tensor([[[0.5, -1.2, 2.0]]], dtype=torch.float64, requires_grad=True)
    subject = of_function(lambda x: torch.nn.functional.conv1d(x, torch.ones(1, 1, 2, dtype=torch.float64)), [x], "f")
    assert [pair.holds for pair in symmetry(derived(subject))] == [True]
