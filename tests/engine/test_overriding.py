"""Classes of tensors that programs define, and modes that see calls."""

from __future__ import annotations

import collections
import functools
import gc
import pickle
import weakref
from typing import Any

import pytest

import gradcli as torch


@pytest.fixture(scope="module")
def seen() -> Any:
    """Classes and modes; reading them puts doors before calls, for the rest of the process as in any program."""
    from . import dressing

    return dressing


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a + 1, lambda a: 1 - a, lambda a: a.sin(), lambda a: torch.cat([a, a]), lambda a: a.view(-1),
        lambda a: a[0], lambda a: a > 0, lambda a: torch.max(a, 0)[0], lambda a: a.mul_(2), lambda a: a.long(),
        lambda a: torch.nn.Linear(2, 2)(a), lambda a: torch.ones(2).add(a), lambda a: a.detach(),
        lambda a: torch.linalg.norm(a), lambda a: a.unbind()[1], lambda a: torch.nn.functional.relu(a),
    ],
)  # fmt: skip
def test_results_are_of_the_class(seen: Any, call: Any) -> None:
    assert isinstance(call(torch.ones(2).as_subclass(seen.Plain)), seen.Plain)


def test_a_tensor_is_remade_as_one_of_the_class_itself(seen: Any) -> None:
    made = torch.Tensor._make_subclass(seen.Plain, torch.ones(2), True)
    assert type(made) is seen.Plain
    assert made.is_leaf
    assert made.requires_grad


def test_gradients_pass_through_classes(seen: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    a = x.as_subclass(seen.Plain)
    assert a.grad_fn.name() == "AliasBackward0"
    (a * a).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    b = torch.zeros(3).as_subclass(seen.Plain)
    b[0] = x[0]
    assert b.requires_grad
    assert type(torch.nn.Parameter(x.detach()) * 2) is torch.Tensor
    with pytest.raises(TypeError, match=r"cls must be a type \(got int\)"):
        x.as_subclass(3)
    with pytest.raises(RuntimeError, match="does not inherit from Tensor"):
        x.as_subclass(int)


def test_a_class_sees_its_calls(seen: Any) -> None:
    x = torch.ones(2).as_subclass(seen.Logged)
    seen.Logged.calls.clear()
    x + 1
    torch.nn.functional.relu(x)
    torch.stack([x, x])
    x.mul_(2)
    x[0]
    assert seen.Logged.calls == ["add", "relu", "stack", "mul_", "__getitem__"]
    with torch._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is torch.Tensor


def test_other_classes_answer_calls(seen: Any) -> None:
    class Mine:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return NotImplemented if func is torch.sin else (func.__name__, types)

    assert torch.mean(Mine()) == ("mean", (Mine,))
    assert torch.ones(2) + Mine() == ("add", (Mine,))
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch\.sin'; all __torch_function__ handlers"):
        torch.sin(Mine())

    def own(x: Any) -> Any:
        return seen.handle_torch_function(own, (x,), x) if seen.has_torch_function((x,)) else "plain"

    assert own(Mine()) == ("own", (Mine,))
    assert own(1) == "plain"
    assert seen.is_tensor_like(Mine())
    assert not seen.is_tensor_like(1)
    assert seen.resolve_name(torch.nn.functional.relu) == "torch.nn.functional.relu"
    with pytest.raises(TypeError, match="unsupported operand"):
        torch.ones(2).as_subclass(seen.Plain) + torch.ones(2).as_subclass(type("Other", (torch.Tensor,), {}))


def test_function_modes(seen: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with seen.Doubled() as mode, seen.BaseTorchFunctionMode():
        y = torch.sin(x)
        torch.ones(3)
        x.cos()
    assert mode.calls == ["sin", "ones", "cos"]
    y.sum().backward()
    assert torch.allclose(x.grad, 2 * torch.cos(x.detach()))
    assert len(mode.calls) == 3
    # A backward is a call; what it computes is none.
    g = torch.ones(2)
    with mode:
        x.backward(g)
    assert mode.calls[3:] == ["backward"]


def test_dispatch_modes_name_ops_and_keep_the_graph(seen: Any) -> None:
    class Counting(seen.TorchDispatchMode):
        def __init__(self) -> None:
            self.seen: collections.Counter[Any] = collections.Counter()

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen[func] += 1
            return func(*args, **(kwargs or {}))

    x = torch.rand(2, 2, requires_grad=True)
    with Counting() as mode:
        y = torch.mm(x, x).sin() + x
    assert mode.seen[torch.ops.aten.mm.default] == 1
    assert mode.seen[torch.ops.aten.add.Tensor] == 1
    assert sorted(map(str, mode.seen)) == ["aten.add.Tensor", "aten.mm.default", "aten.sin.default"]
    assert y.grad_fn.name() == "AddBackward0"


@pytest.mark.parametrize(("call", "ops"), [
    (lambda x: 1 / x, "reciprocal.default detach.default mul.Tensor"),
    (lambda x: torch.nn.functional.linear(x, x, x[0]), "select.int t.default addmm.default"),
    (lambda x: torch.nn.functional.linear(x, x), "t.default mm.default"),
    (lambda x: torch.nn.functional.linear(x.view(1, 2, 2), x, x[0]),
     "view.default select.int view.default t.default addmm.default view.default"),
    (lambda x: x[0, None, 1:], "select.int unsqueeze.default slice.Tensor"),
    (lambda x: x[x > 0], "gt.Scalar index.Tensor"),
    (lambda x: (2 - x) ** 2 % 3, "rsub.Scalar pow.Tensor_Scalar remainder.Scalar"),
    (lambda x: x.clone().add_(1).sum(0), "clone.default add_.Tensor sum.dim_IntList"),
    (lambda x: torch.nn.functional.layer_norm(x, (2,)), "native_layer_norm.default"),
    (lambda x: torch.nn.functional.conv1d(x[None], x[None], padding=1), "unsqueeze.default unsqueeze.default "
     "convolution.default"),
    (lambda x: torch.nn.functional.max_pool2d(x[None], 2), "unsqueeze.default max_pool2d_with_indices.default"),
])  # fmt: skip
def test_dispatch_modes_are_told_what_pytorch_makes_of_a_call(seen: Any, call: Any, ops: str) -> None:
    class Telling(seen.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            told.append(str(func))
            return func(*args, **(kwargs or {}))

    told: list[str] = []
    x = torch.tensor([[0.5, 1.0], [2.0, 4.0]], requires_grad=True)
    with Telling():
        y = call(x)
    assert told == [f"aten.{op}" for op in ops.split()]
    plain = call(x)
    assert y.equal(plain)
    assert _nodes(y.grad_fn) == _nodes(plain.grad_fn)


def _nodes(node: Any) -> Any:
    return node and (node.name(), [_nodes(each) for each, _ in node.next_functions])


def test_numbers_of_a_dispatch_mode_reach_the_backward(seen: Any) -> None:
    class Zeros(seen.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return torch.full_like(args[0].detach(), 5)

    for shape in ((), (2,)):
        x = torch.ones(shape, requires_grad=True)
        with Zeros():
            y = x.exp()
        assert y.grad_fn.name() == "ExpBackward0"
        y.sum().backward()
        # The exponential's gradient is its result.
        assert torch.all(x.grad == 5)
        assert torch.all(y.detach() == 5)


def _selective(seen: Any, function: Any, policy: Any, **said: Any) -> tuple[Any, Any]:
    x = torch.tensor([0.25, 0.5], requires_grad=True)
    contexts = functools.partial(seen.create_selective_checkpoint_contexts, policy, **said)
    return x, seen.checkpoint(function, x, use_reentrant=False, context_fn=contexts)


def test_selective_checkpoints(seen: Any) -> None:
    asked: list[Any] = []

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append((type(ctx), ctx.is_recompute, str(op), len(args)))
        policies = seen.CheckpointPolicy
        return policies.MUST_SAVE if op == torch.ops.aten.sin.default else policies.PREFER_RECOMPUTE

    x, y = _selective(seen, lambda x: x.sin().cos().exp(), policy)
    y.sum().backward(retain_graph=True)
    z = x.detach().requires_grad_()
    z.sin().cos().exp().sum().backward()
    assert x.grad.equal(z.grad)
    assert asked == [(seen.SelectiveCheckpointContext, False, f"aten.{op}.default", 1) for op in ("sin", "cos", "exp")]
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.sum().backward()
    _, y = _selective(seen, lambda x: x.sin().mul_(2).exp(), [torch.ops.aten.sin.default])
    with pytest.raises(RuntimeError, match="Tensor cached during selective activation checkpoint has been mutated"):
        y.sum().backward()
    sines = [torch.ops.aten.sin.default]
    _, y = _selective(seen, lambda x: x.sin().mul_(2).exp(), sines, allow_cache_entry_mutation=True)
    y.sum().backward()
    with pytest.raises(TypeError, match="must be either a function or a list of ops"):
        seen.create_selective_checkpoint_contexts(3)
    for wrong in (3, torch.ops.aten.sin):
        with pytest.raises(ValueError, match=f"to be an OpOverload but got: {wrong}"):
            seen.create_selective_checkpoint_contexts([wrong])


def test_products_are_known_as_what_computes_them(seen: Any) -> None:
    asked: list[str] = []
    aten = torch.ops.aten

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(str(op))
        return op == aten.mm.default

    m, v, b = torch.ones(2, 2), torch.ones(2), torch.ones(1, 2, 2)
    x, y = _selective(seen, lambda x: (x[0] * m @ m @ v @ v + (b @ b).softmax(0)).sum(), policy)
    y.backward()
    assert [op for op in asked if "mul" not in op and "select" not in op] == [
        f"aten.{op}" for op in ("mm.default", "mv.default", "dot.default", "expand.default", "view.default",
                                "expand.default", "view.default", "bmm.default", "_unsafe_view.default",
                                "_softmax.default", "add.Tensor", "sum.default")
    ]  # fmt: skip
    assert x.grad.tolist() == [32.0, 0.0]


def test_nobody_else_holds_what_a_selective_checkpoint_keeps(seen: Any) -> None:
    # To import modes lets them be asked about calls: for as long as the fixture lasts.
    from gradcli.utils._python_dispatch import _get_current_dispatch_mode
    from gradcli.utils._selective import _CachingTorchDispatchMode

    kept: list[Any] = []

    def function(x: Any) -> Any:
        mode = _get_current_dispatch_mode()
        made = x.exp()
        if isinstance(mode, _CachingTorchDispatchMode):
            value = mode.storage[torch.ops.aten.exp.default][0].val
            assert not value.requires_grad
            kept.append(weakref.ref(value))
        return made.sin()

    gc.disable()
    try:
        for runs in (False, True):
            _, y = _selective(seen, function, lambda *args, **kwargs: True)
            assert kept[-1]() is not None
            if runs:
                y.sum().backward()
            del y
            assert kept[-1]() is None
    finally:
        gc.enable()


def test_what_was_kept_is_not_computed_again(seen: Any) -> None:
    runs = []

    @torch.library.custom_op("tests::counted", mutates_args=())
    def counted(x: torch.Tensor) -> torch.Tensor:
        runs.append(1)
        return x * 3

    counted.register_autograd(lambda ctx, g: g * 3)
    for policy, expected in ((seen.CheckpointPolicy.MUST_SAVE, 1), (seen.CheckpointPolicy.MUST_RECOMPUTE, 2)):
        runs.clear()
        x, y = _selective(seen, lambda x: counted(x).sin(), lambda ctx, op, *args, policy=policy, **kwargs: policy)
        y.sum().backward()
        assert len(runs) == expected
        assert torch.allclose(x.grad, 3 * torch.cos(3 * x.detach()))


def test_dressed_functions_are_pickled(seen: Any) -> None:
    for function in (torch.sin, torch.Tensor.sin, torch.nn.functional.relu, torch.linalg.norm):
        assert pickle.loads(pickle.dumps(function)) is function


def test_causal_biases_stand_for_their_masks_in_attention(seen: Any) -> None:
    # Its class is asked about calls, as those of programs are: for as long as the fixture lasts.
    from gradcli.nn.attention import bias

    attention = torch.nn.functional.scaled_dot_product_attention
    q = torch.arange(24.0).view(1, 2, 3, 4).sin().requires_grad_()
    k = torch.arange(40.0).view(1, 2, 5, 4).cos()
    for made, first in ((bias.causal_upper_left(3, 5), 1), (bias.causal_lower_right(3, 5), 3)):
        assert made._materialize()[0].tolist() == [True] * first + [False] * (5 - first)
        wanted = attention(q, k, k, made._materialize())
        assert torch.allclose(attention(q, k, k, made), wanted, atol=1e-6)
    with pytest.raises(ValueError, match="CausalBias should not be used with causal=True"):
        attention(q, k, k, made, is_causal=True)
