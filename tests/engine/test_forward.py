"""The forward mode where PyTorch cannot judge it: what a level leaves behind, several levels and directions, hooks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli as torch
from gradcli.engine import offers
from gradcli.engine.forward import duals
from gradcli.engine.forward.recorded import along
from gradcli.engine.modes import mode
from gradcli.engine.registry import OPS, Op
from gradcli.engine.tape.tape import recording
from gradcli.errors import Source
from gradcli.spec.input.source import Spec
from gradcli.spec.program import Program

from .samples import all_samples

fwAD = torch.autograd.forward_ad


def vector(*values: float, requires_grad: bool = False) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


def nothing_is_left() -> bool:
    return mode.duals is None and mode.tape is None and not mode.aside


# -- what a level leaves behind --------------------------------------------------------------------


def test_a_level_leaves_nothing_behind_however_it_ends() -> None:
    @fwAD.dual_level()
    def in_a_level(x: Any) -> Any:
        return fails(fwAD.make_dual(x, x))

    def fails(x: Any) -> Any:
        raise ZeroDivisionError

    for transform in (in_a_level, torch.func.jacfwd(fails), lambda x: torch.func.jvp(fails, (x,), (x,))):
        with pytest.raises(ZeroDivisionError):
            transform(vector(1.0))
        assert nothing_is_left()


def test_a_level_is_there_where_the_forward_mode_is_off() -> None:
    x = vector(1.0, 2.0)
    assert fwAD._current_level == -1
    with fwAD.dual_level():
        with fwAD._set_fwd_grad_enabled(False):
            assert fwAD._current_level == 0
            assert fwAD.unpack_dual(fwAD.make_dual(x, x)).tangent is None
        assert fwAD.unpack_dual(fwAD.make_dual(x, x)).tangent is not None
    assert fwAD._current_level == -1


def test_a_program_that_does_not_leave_its_level_leaves_it_at_its_end() -> None:
    text = "import torch\nimport torch.autograd.forward_ad as fwAD\nfwAD.enter_dual_level()\n"
    for _ in range(2):
        Program(Spec(Source("level.py", text), False, None, None)).run()
        assert nothing_is_left()


def test_hooks_that_are_taken_away_within_a_level_or_around_it_leave_nothing() -> None:
    hooks = torch.autograd.graph.saved_tensors_hooks
    x = vector(1.0, 2.0, requires_grad=True)
    with fwAD.dual_level():
        with hooks(lambda t: t, lambda t: t):
            y = (fwAD.make_dual(x, vector(1.0, 1.0)) ** 2).sum()
        assert fwAD.unpack_dual(y).tangent.item() == 6.0
    assert nothing_is_left()
    with hooks(lambda t: t, lambda t: t), fwAD.dual_level():
        y = (fwAD.make_dual(x, vector(1.0, 1.0)) ** 2).sum()
        assert fwAD.unpack_dual(y).tangent.item() == 6.0
    assert nothing_is_left()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_modules_and_drawn_numbers_need_no_tape_where_hooks_or_levels_stand() -> None:
    class Drawn(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * torch.rand(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t

    layer, x = torch.nn.Linear(2, 2), torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        Drawn.apply(layer(x)).sum().backward()
    with fwAD.dual_level():
        y = Drawn.apply(layer(fwAD.make_dual(x, torch.ones(2))))
        assert torch.equal(fwAD.unpack_dual(y).tangent, layer.weight.detach().sum(1))


def test_what_a_jvp_deletes_is_there_for_the_next_direction() -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.factor = 3.0
            return x * 3.0

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            result = t * ctx.factor
            del ctx.factor
            return result

    x = vector(1.0, 2.0, requires_grad=True)
    how = {"check_backward_ad": False, "check_undefined_grad": False, "check_batched_grad": False}
    assert torch.autograd.gradcheck(Scaled.apply, (x.double().detach().requires_grad_(),), check_forward_ad=True, **how)


def test_a_tape_sees_the_program_and_the_tangents_that_are_recorded() -> None:
    x = vector(1.0, 2.0, requires_grad=True)
    with recording():
        with fwAD.dual_level():
            y = fwAD.make_dual(x, vector(1.0, 0.0)).sin()
            t = fwAD.unpack_dual(y).tangent
        assert None not in (y.grad_fn.entry, t.grad_fn.entry)
        assert mode.tape is not None
        assert mode.duals is None


# -- levels and directions -------------------------------------------------------------------------


def test_levels_do_not_take_one_anothers_tangents_for_their_own() -> None:
    def inner(x: Any) -> Any:
        # d/dy (x + y) is 1, whatever x moves by.
        return x * torch.func.jvp(lambda y: x + y, (vector(1.0),), (vector(1.0),))[1]

    assert torch.func.jvp(inner, (vector(3.0),), (vector(1.0),))[1].tolist() == [1.0]


def test_several_directions_are_those_alone() -> None:
    x, a, b = vector(0.5, -1.0), vector(1.0, 2.0), vector(-3.0, 0.25)
    level = duals.enter(2)
    try:
        moved = x.clone()
        duals.give(moved, level, (a.clone(), b.clone()))
        moved[0] *= 2
        found = duals.tangents_of(moved.exp().cumsum(0), level)
    finally:
        duals.leave(level)
    assert found is not None

    def alone(x: Any) -> Any:
        y = x.clone()
        y[0] *= 2
        return y.exp().cumsum(0)

    for t, v in zip(found, (a, b), strict=True):
        assert torch.equal(t, torch.func.jvp(alone, (x,), (v,))[1])


def test_an_empty_input_has_an_empty_jacobian() -> None:
    assert torch.func.jacfwd(lambda x: torch.ones(2) * x.sum())(torch.ones(0)).shape == (2, 0)


def test_a_tangent_is_no_place_to_write_for_another() -> None:
    with fwAD.dual_level():
        x = fwAD.make_dual(vector(1.0, 2.0), vector(1.0, 1.0))
        y = x + 1
        y.mul_(5)
        assert fwAD.unpack_dual(x).tangent.tolist() == [1.0, 1.0]
        assert fwAD.unpack_dual(y).tangent.tolist() == [5.0, 5.0]


def test_linearize_calls_its_function_once_and_draws_once() -> None:
    calls = []

    def dropped(x: Any) -> Any:
        calls.append(1)
        return torch.nn.functional.dropout(x * x, 0.5)

    torch.manual_seed(0)
    x = torch.ones(64)
    value, product = torch.func.linearize(dropped, x)
    assert torch.equal(product(x), value * 2)
    assert torch.equal(product(3 * x), value * 6)
    assert len(calls) == 1


def test_the_value_of_linearize_is_in_the_graph_and_its_products_are_not() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    value, product = torch.func.linearize(lambda x: x.sin() * x, x)
    v = torch.ones(2, requires_grad=True)
    to_v, to_x = torch.autograd.grad(product(v).sum(), [v, x], allow_unused=True)
    (g,) = torch.autograd.grad(value.sum(), x)
    assert to_x is None
    assert torch.equal(to_v, g)
    assert torch.allclose(g, x.detach().cos() * x.detach() + x.detach().sin())
    with torch.no_grad():
        x.mul_(2)
    assert torch.equal(product(torch.ones(2)), g)


# -- the rules -------------------------------------------------------------------------------------

offers.load_all()
SAMPLES = all_samples()
DECLARED = sorted(name for name, op in OPS.items() if op.rules and not op.lists and op.fails is None)


def _numbers(made: Any) -> list[Any]:
    return [np.asarray(t) for t in (made if isinstance(made, tuple) else (made,))]


# Their rules have no derivative in PyTorch either.
WITHOUT = {
    "_scaled_dot_product_flash_attention_for_cpu", "cdist_forward", "ctc_loss_forward", "embedding_bag",
    "grid_sampler_2d_backward", "grid_sampler_3d_backward", "multi_margin_loss", "multilabel_margin_loss_forward",
    "pdist_forward", "segments_reduced",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_an_op_without_a_forward_mode_is_refused_by_name(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"Trying to use forward AD with {name} that does not support it"):
        test_the_rules_of_an_op_and_its_tangents_fit_one_another(name)


@pytest.mark.parametrize("name", [name for name in DECLARED if name not in WITHOUT])
def test_the_rules_of_an_op_and_its_tangents_fit_one_another(name: str) -> None:
    """The product of cotangents with J t is that of J^T times the cotangents with t."""
    op: Op = OPS[name]
    sample = next((s for s in SAMPLES.get(name, []) if not s.kwargs), None)
    if sample is None:
        pytest.skip("it has no sample without keywords")
    rng = np.random.default_rng(0)
    names = [n for n, a in zip(op.parameters, sample.args, strict=False) if n in op.operands and _is_float(a)]
    places = [op.parameters.index(n) for n in names]
    args = [_tensor(a) if isinstance(a, np.ndarray | np.generic) else a for a in sample.args]
    for i in places:
        args[i].requires_grad_()
    level = duals.enter()
    try:
        tangents, given = [], list(args)
        for i in places:
            tangents.append(_tensor(rng.uniform(-1, 1, args[i].shape)))
            given[i] = torch.ops.aten.alias(args[i])
            duals.give(given[i], level, (tangents[-1],))
        made = op.call(*given)
        ys = [y for y in (made if isinstance(made, tuple) else (made,)) if y is not None and y.requires_grad]
        moved = [duals.tangents_of(y, level) for y in ys]
    finally:
        duals.leave(level)
    if not ys:
        pytest.skip("nothing of its sample is differentiated")
    weights = [_tensor(rng.uniform(-1, 1, y.shape)) for y in ys]
    grads = torch.autograd.grad(ys, [args[i] for i in places], weights, allow_unused=True)
    forward = sum(float(np.sum(w._a * t[0]._a)) for w, t in zip(weights, moved, strict=True) if t is not None)
    backward = sum(float(np.sum(g._a * t._a)) for g, t in zip(grads, tangents, strict=True) if g is not None)
    assert forward == pytest.approx(backward, rel=1e-9, abs=1e-9, nan_ok=True)


def _is_float(a: Any) -> bool:
    return isinstance(a, np.ndarray | np.generic) and a.dtype.kind == "f"


def _tensor(a: Any) -> Any:
    from gradcli.engine.tensor import result

    return result(np.array(a)[()] if not np.ndim(a) else np.array(a))


def test_a_tangent_lies_in_memory_as_its_tensor_does() -> None:
    whole = torch.arange(5.0)
    z = torch.tensor([1 + 2j, 3 - 1j])
    for x, t in (
        (whole[:4], torch.ones(4)),
        (torch.ones(3, 2).t(), torch.ones(2, 3)),
        (z.conj(), torch.tensor([1j, 2])),
        (z.conj().imag, torch.ones(2)),
    ):
        with fwAD.dual_level():
            tangent = fwAD.unpack_dual(fwAD.make_dual(x, t)).tangent
            assert tangent is not None
            assert (tangent.stride(), tangent.is_conj(), tangent.is_neg()) == (x.stride(), x.is_conj(), x.is_neg())
            assert tangent.untyped_storage().nbytes() == x.untyped_storage().nbytes()
            assert tangent.tolist() == t.tolist()
    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="forward AD with add_out that does not"):
        torch.add(fwAD.make_dual(whole, whole), 1, out=torch.ones(5))


def test_tangents_of_complex_norms_and_running_sums_are_numbers() -> None:
    z, t = torch.tensor([1 + 2j, 3 - 1j]), torch.tensor([1j, 2])
    assert torch.func.jvp(lambda x: torch.linalg.vector_norm(x, 3.5), (z * 0,), (t,))[1].item() == 0
    running = torch.func.jvp(lambda x: torch.logcumsumexp(x, 0), (z,), (t,))[1]
    weights = z.exp()
    assert torch.allclose(running, torch.stack([t[0], (weights * t).sum() / weights.sum()]))


def test_a_tangent_lies_in_memory_as_what_it_is_of() -> None:
    with recording():
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        turned = x.t().contiguous()
        viewed = turned.view(6)
        nodes = [viewed.grad_fn.next_functions[0][0].next_functions[0][0], turned.grad_fn, viewed.grad_fn]
        moved = np.arange(6.0, dtype=np.float32).reshape(2, 3)
        known = along(nodes, {x._node: moved})
    assert known[viewed.grad_fn, 0].tolist() == moved.T.ravel().tolist()


def test_what_a_tangent_of_zeros_is_multiplied_with_may_be_asked_for() -> None:
    w, x = vector(1, 2, requires_grad=True), vector(3, 4)
    ops = {"mul": lambda d: d * x, "dot": lambda d: d @ x, "add": lambda d: d + x}
    found = {}
    for name, op in ops.items():
        with fwAD.dual_level():
            tangent = fwAD.unpack_dual(op(fwAD.make_dual(w, vector(1, 1)))).tangent
        found[name] = tangent.grad_fn and tangent.grad_fn.name()
        if tangent.requires_grad:
            assert torch.autograd.grad(tangent.sum(), w)[0].tolist() == [0, 0]
    assert found == {"mul": "AddBackward0", "dot": "AddBackward0", "add": None}
