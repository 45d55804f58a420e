"""A recorded graph evaluated again: the same numbers, other numbers, and a new graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.check.replay.one_op import Incomparable
from gradcli.check.replay.plan import Plan, Unreplayable
from gradcli.engine.tape.tape import recording

from ...engine.replaying import same
from .graphs import GRAPHS, leaf, of, planned

every_graph = pytest.mark.parametrize("name", GRAPHS)


@every_graph
def test_at_the_recorded_point_are_the_recorded_numbers(name: str) -> None:
    plan, roots, _ = planned(name)
    for got, root in zip(plan.outputs(plan.at), roots, strict=True):
        assert same(np.asarray(got), np.asarray(root._a))


@every_graph
def test_many_points_at_once_are_each_point_alone(name: str) -> None:
    plan, _, leaves = planned(name)
    random = np.random.default_rng(0)
    masks = [[i == k for i in range(len(leaves))] for k in range(len(leaves))] + [[True] * len(leaves)]
    for moved in masks:
        for tilt in (1.0, 1 + 1e-10j):
            given = [
                np.asarray(a) + tilt * 1e-3 * random.standard_normal((4, *np.shape(a))) if m else a
                for a, m in zip(plan.at, moved, strict=True)
            ]
            at_once = plan.batch(given, moved, 4)
            alone = [plan.outputs([a[i] if m else a for a, m in zip(given, moved, strict=True)]) for i in range(4)]
            for root, one_by_one in zip(at_once, zip(*alone, strict=True), strict=True):
                want = np.stack(one_by_one)
                assert root.shape == want.shape
                np.testing.assert_allclose(root.real, want.real, rtol=1e-13, atol=1e-15)
                np.testing.assert_allclose(root.imag, want.imag, rtol=1e-12, atol=1e-25)


@every_graph
def test_recorded_again_it_has_the_same_numbers_and_gradients(name: str) -> None:
    plan, roots, leaves = planned(name)
    new_roots, new_leaves = plan.recorded(plan.at)
    for a, b in zip(roots, new_roots, strict=True):
        assert same(np.asarray(a._a), np.asarray(b._a))

    def gradients(outs: Any, ins: Any) -> Any:
        pairs = [(o, torch.ones_like(o)) for o in outs if o.requires_grad]
        return torch.autograd.grad([o for o, _ in pairs], ins, [g for _, g in pairs], allow_unused=True)

    for a, b in zip(gradients(roots, leaves), gradients(new_roots, new_leaves), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(b._a, a._a, rtol=1e-13, atol=1e-15)


def test_recorded_at_another_point_its_gradient_is_the_one_there() -> None:
    x = leaf(3)
    plan = of(lambda x: (x * x.sin()).sum(), x)
    at = plan.at[0] + 1
    (root,), (new,) = plan.recorded([at])
    root.backward()
    np.testing.assert_allclose(new.grad.numpy(), np.sin(at) + at * np.cos(at), rtol=1e-15)
    assert x.grad is None


def test_values_names_leaves_and_outputs() -> None:
    x = leaf(2)
    with recording():
        y = x * 3
        z = y.exp()
    plan = Plan([z], [x])
    values = plan.values(plan.at)
    assert values[x._node] is plan.at[0]
    assert np.array_equal(values[y.grad_fn, 0], y._a)
    assert [node.name() for node in plan.nodes] == ["MulBackward0", "ExpBackward0"]


def test_an_intermediate_value_may_be_given() -> None:
    x = leaf(3)
    with recording():
        y = x.exp()
        z = y * y + x
    for given in (y, y.grad_fn):
        plan = Plan([z], [given, x])
        assert np.array_equal(plan.at[0], y._a)
        assert y.grad_fn not in plan.nodes
        (out,) = plan.outputs([np.array([1.0, 2.0, 3.0]), np.zeros(3)])
        assert out.tolist() == [1, 4, 9]


def test_one_of_several_outputs_may_be_given() -> None:
    x = leaf(4)
    with recording():
        a, b = x.chunk(2)
        z = a * b
    plan = Plan([z], [b, x])
    (out,) = plan.outputs([np.array([10.0, 100.0]), np.array([1.0, 2.0, 3.0, 4.0])])
    assert out.tolist() == [10, 200]


def test_a_value_written_to_between_uses_is_moved_from_each_of_its_numbers() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with recording():
        a = x * 3
        with torch.no_grad():
            x.mul_(10)
        b = x * 5
        y = a + b
    plan = Plan([y], [x])
    assert plan.at[0].tolist() == [1, 2]
    assert plan.outputs(plan.at)[0].tolist() == y._a.tolist() == [53, 106]
    assert plan.outputs([np.array([2.0, 2.0])])[0].tolist() == [61, 106]
    assert plan.batch([np.array([[2.0, 2.0], [1.0, 3.0]])], [True], 2)[0].tolist() == [[61, 106], [53, 114]]


def test_a_result_written_to_between_uses_is_moved_from_each_of_its_numbers() -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with recording():
        a = x * 3
        b = a + 1
        a.data.mul_(2)
        y = a * 1 + b
    plan = Plan([y], [x])
    assert plan.outputs(plan.at)[0].tolist() == y._a.tolist() == [10, 19]
    assert plan.outputs([np.array([2.0, 2.0])])[0].tolist() == [16, 19]


def test_what_depends_on_no_moved_leaf_is_not_computed() -> None:
    calls = []

    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            calls.append(1)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    x, y = leaf(2), leaf(3)
    plan = of(lambda x, y: [Counted.apply(x), y * 2], x, y)
    calls.clear()
    plan.batch([plan.at[0], np.zeros((4, 3))], [False, True], 4)
    assert not calls
    # An unmoved leaf may be elsewhere than it was recorded.
    first, _ = plan.batch([plan.at[0] + 1, np.zeros((4, 3))], [False, True], 4)
    assert len(calls) == 1
    assert np.array_equal(first, np.broadcast_to((plan.at[0] + 1) * 2, (4, 2)))


def test_a_root_knows_the_leaves_it_depends_on() -> None:
    plan = of(lambda x, y: [x * 2, x * y, y.exp()], leaf(2), leaf(2, seed=1))
    assert [[plan.depends(root, i) for i in (0, 1)] for root in range(3)] == [
        [True, False],
        [True, True],
        [False, True],
    ]


def test_more_precise_numbers_go_through() -> None:
    plan = of(lambda x: (x.exp() * 2 + 1).sum(), leaf(3))
    (out,) = plan.outputs([plan.at[0].astype(np.longdouble)])
    assert out.dtype == np.longdouble
    assert abs(float(out) - float(plan.outputs(plan.at)[0])) < 1e-14


def test_complex_numbers_go_through_a_function_that_keeps_them_so() -> None:
    plan, _, _ = planned("own_function")
    (out,) = plan.outputs([plan.at[0] + 1e-20j])
    x = plan.at[0]
    np.testing.assert_allclose(out.imag * 1e20, 3 * x**2 * x.sum() + 3 * x**3, rtol=1e-14)


def test_a_function_that_drops_the_imaginary_part_is_refused() -> None:
    class Real(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.from_numpy(np.array(x.detach().numpy().real))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    plan = of(Real.apply, leaf(2))
    with pytest.raises(Incomparable, match="real numbers of complex ones"):
        plan.outputs([plan.at[0] + 1e-20j])


def test_what_was_not_written_down_cannot_be_evaluated() -> None:
    x = leaf(2)
    y = x.exp()
    with recording():
        z = y * 2
    with pytest.raises(Unreplayable) as caught:
        Plan([z], [x])
    assert caught.value.node is y.grad_fn
    assert "nothing was written down" in caught.value.reason


def test_a_stop_for_second_derivatives_cannot_be_evaluated() -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g * ctx.saved_tensors[0]

    x = leaf(2)
    with recording():
        (g,) = torch.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
        z = g * x if g.requires_grad else x
    if g.requires_grad:
        with pytest.raises(Unreplayable):
            Plan([z], [x])


@pytest.mark.parametrize("on", ["leaf", "result"])
def test_what_has_hooks_is_not_recorded_again(on: str) -> None:
    x = leaf(2)
    with recording():
        y = x.exp()
        z = y * 2
    (x if on == "leaf" else y).register_hook(lambda g: g * 3)
    with pytest.raises(Unreplayable, match="hook"):
        Plan([z], [x]).recorded([x._a])
