"""Every op of the registry at many points at once, against the same points one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.check.replay import one_op
from gradcli.check.replay.plan import Plan
from gradcli.engine.many_points import form_of
from gradcli.engine.many_points.table import FORMS
from gradcli.engine.registry import OPS
from gradcli.engine.tape.tape import recording
from gradcli.engine.tensor import result
from gradcli.engine.walk.backward import grad
from gradcli.errors import LimitError
from gradcli.nn.functional import layer_norm
from tests.rings import sampled

from ...engine.replaying import same
from ...engine.test_registry import CASES, case, every_case
from .graphs import leaf, of

COUNT = 4


def planned(name: str, index: int) -> tuple[Plan, list[Any]]:
    c = case(name, index)
    with recording():
        tensors, y = c.call(c.arrays())
        roots = [out for out in c.differentiable(y) if out._node is not None]
    return Plan(roots, tensors), roots


def points(plan: Plan, moved: list[bool], tilt: complex, random: Any) -> list[Any]:
    """The leaves, those that are moved at several points, of which the first is where they were recorded."""
    given: list[Any] = []
    for a, m in zip(plan.at, moved, strict=True):
        if not m:
            given.append(a)
            continue
        spread = 1e-3 * random.standard_normal((COUNT, *np.shape(a)))
        spread[0] = 0
        given.append(np.asarray(a) + spread * 1.0 + (tilt * random.standard_normal(spread.shape) if tilt else 0))
    return given


def one_by_one(plan: Plan, given: list[Any], moved: list[bool]) -> list[Any]:
    alone = [plan.outputs([a[i] if m else a for a, m in zip(given, moved, strict=True)]) for i in range(COUNT)]
    return [np.stack(x) for x in zip(*alone, strict=True)]


def assert_close(got: Any, want: Any, floor: float) -> None:
    __tracebackhide__ = True
    assert np.array_equal(np.isnan(got), np.isnan(want))
    scale = max(float(np.nanmax(np.abs(want), initial=0.0)), floor)
    error = float(np.nanmax(np.abs(got - want), initial=0.0))
    assert error <= 2e-15 * scale, f"{got}, not {want} (off by {error:.3g})"


@sampled(8, each="name")
@every_case
def test_points_at_once_are_points_one_by_one(name: str, index: int) -> None:
    plan, roots = planned(name, index)
    for got, root in zip(plan.outputs(plan.at), roots, strict=True):
        assert same(np.asarray(got), np.asarray(root._a)), "the replay is not what was recorded"
    random = np.random.default_rng(1)
    n = len(plan.at)
    masks = [[i == k for i in range(n)] for k in range(n)] + ([[True] * n] if n > 1 else [])
    for moved in masks:
        for tilt in (0, 1e-20j):
            given = points(plan, moved, tilt, random)
            for got, want in zip(plan.batch(given, moved, COUNT), one_by_one(plan, given, moved), strict=True):
                assert got.shape == want.shape
                assert_close(got.real, want.real, 1e-300)
                assert_close(got.imag, want.imag, 1e-20)


def test_every_form_that_an_op_names_is_there_and_every_form_is_named() -> None:
    for op in OPS.values():
        form_of(op)
    assert FORMS.keys() == {op.form for op in OPS.values() if isinstance(op.form, str)}


# Ops whose points are computed one by one, whatever they are given: rare ones, and backward ops of a second order.
LOOPED = set(
    """
    affine_grid_generator answered_by_number answered_by_tensor block_diag dist embedding_bag
    embedding_dense_backward expanded_copy mkldnn_rnn_layer
    fractional_max_pool2d_backward fractional_max_pool3d_backward fractional_pool2d fractional_pool3d linalg_lu
    linalg_lu_solve lu_unpacked pdist_forward segments_reduced upsample_bicubic2d_aa_backward
    upsample_bilinear2d_aa_backward upsample_lanczos2d_aa_backward
    grid_sampler_2d_backward grid_sampler_3d_backward index_fill_tensor linalg_lstsq masked_scatter
    masked_scatter_backward masked_select multi_margin_loss multi_margin_loss_backward
    multilabel_margin_loss_backward multilabel_margin_loss_forward norm_all
    dense entries in_order masked sparse_cat sparse_index_select sparse_log1p sparse_log_softmax sparse_matmul sparse_mm
    sparse_narrow sparse_relu sparse_select sparse_sign sparse_softmax sparse_stack sparse_sum sparse_sum_along
    sparse_unbind sparse_unsqueeze values_at with_values
    nested_chunk nested_from_padded nested_get_values nested_linear nested_linear_alone nested_matmul
    nested_mean nested_select nested_sum nested_tensor_from_tensor_list
    nested_unbind nested_values nested_view nested_view_from_jagged to_padded_tensor
    pack_sequences prelu_kernel_backward put renorm sparse_addmm take trilinear
    unpack_sequences upsample_bicubic2d_backward upsample_bilinear2d_backward upsample_linear1d_backward
    upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward
    upsample_nearest_exact1d_backward upsample_nearest_exact2d_backward upsample_nearest_exact3d_backward
    upsample_trilinear3d_backward weight_norm_interface
    """.split()
)


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_most_ops_take_all_points_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looped = []
    monkeypatch.setattr(one_op, "one_by_one", lambda *args: looped.append(1) or ORIGINAL(*args))
    for index in range(sum(1 for n, _ in CASES if n == name)):
        plan, _ = planned(name, index)
        moved = [i == 0 for i in range(len(plan.at))]
        looped.clear()
        plan.batch(points(plan, moved, 0, np.random.default_rng(0)), moved, COUNT)
        if not looped:
            assert name not in LOOPED, "it is not looped over"
            return
    # Of the last one, means that are given are asked for.
    assert name in LOOPED | {"soft_margin_loss", "soft_margin_loss_backward", "native_layer_norm_backward"}


@pytest.mark.parametrize("also", [True, False])
def test_the_backward_of_a_layer_norm_takes_all_points_at_once(also: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    shapes = [(2, 3, 4), (3, 4), (3, 4)][: 3 if also else 1]
    leaves = [result(random.standard_normal(shape)).requires_grad_() for shape in shapes]
    start = result(random.standard_normal(shapes[0])).requires_grad_()
    with recording():
        out = layer_norm(leaves[0], (3, 4), *leaves[1:])
        plan = Plan([g for g in grad(out, leaves, start, create_graph=True) if g is not None], [*leaves, start])
    for moved in [*np.eye(len(plan.at), dtype=bool).tolist(), [True] * len(plan.at)]:
        given = points(plan, moved, 1e-20j, random)
        want = one_by_one(plan, given, moved)
        with monkeypatch.context() as patch:
            patch.setattr(one_op, "one_by_one", None)
            found = plan.batch(given, moved, COUNT)
        for got, each in zip(found, want, strict=True):
            assert_close(got.real, each.real, 1e-300)
            assert_close(got.imag, each.imag, 1e-20)


ORIGINAL = one_op.one_by_one


def test_a_form_that_fails_is_done_point_by_point(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = of(lambda x: x.exp(), leaf(3))
    (call,) = plan.depending(-1)
    given = [np.zeros((COUNT, 3))]

    def fails(*args: Any) -> Any:
        raise ValueError("no")

    call.form, call.quick = fails, None
    assert plan.batch(given, [True], COUNT)[0].tolist() == [[1.0] * 3] * COUNT
    call.form = lambda op, args, given, count: (np.zeros((COUNT, 4)),)
    assert plan.batch(given, [True], COUNT)[0].tolist() == [[1.0] * 3] * COUNT


@pytest.mark.parametrize("error", [LimitError("time"), MemoryError(), RecursionError(), KeyboardInterrupt()])
def test_what_ends_a_check_is_never_held_back(error: BaseException) -> None:
    plan = of(lambda x: x.exp(), leaf(3))
    (call,) = plan.depending(-1)

    def fails(*args: Any) -> Any:
        raise error

    call.form, call.quick = fails, None
    with pytest.raises(type(error)):
        plan.batch([np.zeros((COUNT, 3))], [True], COUNT)


def test_ops_of_complex_numbers_take_all_points_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with recording():
        z, w = (
            result(np.array(a)).requires_grad_() for a in ([[1 + 2j, 3 - 1j], [0.3j, 0.7 - 2j]], [0.3 - 1j, 2 + 0.4j])
        )
        y = (z.mT @ z.conj() * w).reshape(4).imag * z.angle().sum() + (z + w.expand(2, 2)).abs().log().sum()
        (g,) = grad([y.sum()], [z], create_graph=True)
    plan, moved = Plan([y, g], [z, w]), [True, True]
    given = points(plan, moved, 0, np.random.default_rng(1))
    want = one_by_one(plan, given, moved)
    monkeypatch.setattr(one_op, "one_by_one", None)
    for got, alone in zip(plan.batch(given, moved, COUNT), want, strict=True):
        np.testing.assert_allclose(got, alone, rtol=1e-13)
