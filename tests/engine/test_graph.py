"""What is recorded, and what it holds on to. Every test runs in gradcli and, when installed, in PyTorch itself."""

from __future__ import annotations

import contextlib
import copy
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from tests.rings import sampled

LEAF_WRITTEN = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF_WRITTEN = "a view of a leaf Variable that requires grad is being used in an in-place operation."


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values), requires_grad=True)


def message(error: Any) -> str:
    return str(error.value)


def names(y: Any) -> Any:
    """A graph as nested lists of node names."""

    def draw(node: Any) -> Any:
        if node is None:
            return None
        edges = [draw(n) for n, _ in node.next_functions]
        return [type(node).__name__, *edges] if edges else type(node).__name__

    return draw(y.grad_fn)


# -- nodes and edges ---------------------------------------------------------------------------


def test_a_result_knows_its_node(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    y = a * b
    assert y.requires_grad
    assert not y.is_leaf
    assert y.grad_fn.name() == "MulBackward0"
    assert names(y) == ["MulBackward0", "AccumulateGrad", "AccumulateGrad"]


def test_a_leaf_has_no_node_of_its_own(torch: Any) -> None:
    a = leaf(torch, 1.0)
    assert a.is_leaf
    assert a.grad_fn is None
    assert a.output_nr == 0


def test_what_needs_no_gradient_is_recorded_nowhere(torch: Any) -> None:
    y = torch.ones(2) * 2
    assert y.is_leaf
    assert not y.requires_grad
    assert y.grad_fn is None


def test_operands_without_gradient_leave_an_edge_to_nothing(torch: Any) -> None:
    a, k = leaf(torch, 1.0), torch.ones(1)
    assert names(a * 2) == ["MulBackward0", "AccumulateGrad", None]
    assert names(k + a) == ["AddBackward0", None, "AccumulateGrad"]
    assert names(1 - a) == ["RsubBackward1", "AccumulateGrad"]
    assert (a * k).grad_fn.next_functions[1] == (None, 0)


def test_only_what_is_needed_is_saved(torch: Any) -> None:
    a, k = leaf(torch, 3.0), torch.tensor([5.0])
    node = (a * k).grad_fn
    assert node._saved_self is None
    assert node._saved_other.tolist() == [5.0]
    assert (a + k).grad_fn._saved_alpha == 1
    with pytest.raises(AttributeError):
        _ = (a + k).grad_fn._saved_self


def test_a_leaf_has_one_node_however_often_it_is_used(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y, z = a * 2, a + 3
    first, second = y.grad_fn.next_functions[0][0], z.grad_fn.next_functions[0][0]
    assert first is second
    assert first.variable is a
    assert first.name() == "torch::autograd::AccumulateGrad"
    assert first.next_functions == ()


def test_outputs_of_one_node_are_numbered(torch: Any) -> None:
    parts = leaf(torch, 1.0, 2.0, 3.0).unbind(0)
    assert [p.output_nr for p in parts] == [0, 1, 2]
    assert parts[0].grad_fn is parts[2].grad_fn
    y = parts[2] * parts[1]
    assert [nr for _, nr in y.grad_fn.next_functions] == [2, 1]
    assert len(parts[0].grad_fn._input_metadata) == 3


def test_a_node_keeps_what_its_user_puts_there(torch: Any) -> None:
    y = leaf(torch, 1.0) * 2
    y.grad_fn.metadata["note"] = "mine"
    assert y.grad_fn.metadata == {"note": "mine"}


def test_a_node_knows_the_shape_and_type_of_its_output(torch: Any) -> None:
    y = torch.ones(2, 3, dtype=torch.float64, requires_grad=True).sum(0)
    (described,) = y.grad_fn._input_metadata
    assert list(described.shape) == [3]
    assert described.dtype == torch.float64


def test_nodes_are_numbered_as_they_are_made(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = a * 2
    z = a + y
    assert z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()
    assert y.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1


def test_a_graph_does_not_change_when_a_name_is_rebound(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = a * a
    y = y + 1
    assert names(y) == ["AddBackward0", ["MulBackward0", "AccumulateGrad", "AccumulateGrad"], None]


# -- asking for gradients -------------------------------------------------------------------------


def test_requires_grad_may_be_asked_of_a_leaf_at_any_time(torch: Any) -> None:
    a = torch.ones(1)
    assert a.requires_grad_() is a
    assert a.requires_grad
    a.requires_grad = False
    assert not a.requires_grad
    assert (a * 2).grad_fn is None


def test_only_floating_tensors_can_require_gradients(torch: Any) -> None:
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.tensor([1, 2]).requires_grad_()
    with pytest.raises(RuntimeError) as error:
        torch.tensor([1, 2], requires_grad=True)
    assert "require gradients" in message(error)


def test_a_result_cannot_be_told_to_need_no_gradient(torch: Any) -> None:
    y = leaf(torch, 1.0) * 2
    with pytest.raises(RuntimeError) as error:
        y.requires_grad = False
    assert message(error) == (
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
    )


def test_a_gradient_must_fit_its_tensor(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    with pytest.raises(RuntimeError) as error:
        a.grad = torch.ones(3)
    assert message(error) == (
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and "
        "the tensor are the same size"
    )
    with pytest.raises(RuntimeError) as error:
        a.grad = torch.ones(2, dtype=torch.float64)
    assert message(error).startswith(
        "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'."
    )
    with pytest.raises(RuntimeError, match="device type 'meta' to a tensor with device type 'cpu'"):
        a.grad = torch.ones(2, device="meta")
    with pytest.raises(TypeError) as wrong:
        a.grad = 1.0
    assert message(wrong) == "assigned grad expected to be a Tensor or None but got grad of type float"


def test_numpy_is_for_what_needs_no_gradient(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with pytest.raises(RuntimeError) as error:
        a.numpy()
    assert message(error) == "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    assert a.detach().numpy().tolist() == [1.0]


def test_only_leaves_can_be_copied_deeply(torch: Any) -> None:
    a = leaf(torch, 1.0)
    twin = copy.deepcopy(a)
    assert twin.requires_grad
    assert twin.is_leaf
    assert twin is not a
    with pytest.raises(RuntimeError) as error:
        copy.deepcopy(a * 2)
    assert message(error).startswith("Only Tensors created explicitly by the user (graph leaves) support the deepcopy")


# -- recording switched off and on ------------------------------------------------------------------


def test_no_grad_records_nothing(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with torch.no_grad():
        y = a * 2
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert not y.requires_grad
    assert y.is_leaf


def test_a_result_of_no_grad_may_become_a_leaf(torch: Any) -> None:
    with torch.no_grad():
        y = leaf(torch, 1.0) * 2
    y.requires_grad_()
    (y * y).sum().backward()
    assert y.grad.tolist() == [4.0]


def test_enable_grad_records_inside_no_grad(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with torch.no_grad():
        with torch.enable_grad():
            y = a * 2
        z = a * 2
    assert y.requires_grad
    assert not z.requires_grad


def test_a_switch_is_undone_when_an_error_passes(torch: Any) -> None:
    with pytest.raises(KeyError), torch.no_grad():
        raise KeyError
    assert torch.is_grad_enabled()


def test_set_grad_enabled_works_at_once_and_as_a_context(torch: Any) -> None:
    torch.set_grad_enabled(False)
    try:
        assert not torch.is_grad_enabled()
        with torch.set_grad_enabled(True):
            assert torch.is_grad_enabled()
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("switch", ["no_grad", "inference_mode"])
def test_switches_are_decorators(torch: Any, switch: str, bare: bool) -> None:
    decorate = getattr(torch, switch) if bare else getattr(torch, switch)()

    @decorate
    def double(x: Any) -> Any:
        """Twice as much."""
        return x * 2

    assert not double(leaf(torch, 1.0)).requires_grad
    assert double.__name__ == "double"
    assert double.__doc__ == "Twice as much."
    assert torch.is_grad_enabled()


def test_set_grad_enabled_is_a_decorator(torch: Any) -> None:
    @torch.set_grad_enabled(False)
    def double(x: Any) -> Any:
        return x * 2

    assert torch.is_grad_enabled()
    assert not double(leaf(torch, 1.0)).requires_grad


def test_a_decorated_function_may_call_itself(torch: Any) -> None:
    @torch.no_grad()
    def halve(x: Any, times: int) -> Any:
        return halve(x / 2, times - 1) if times else x

    assert not halve(leaf(torch, 1.0), 3).requires_grad
    assert torch.is_grad_enabled()


def test_one_switch_may_be_entered_again(torch: Any) -> None:
    switch = torch.no_grad()
    with switch:
        assert not torch.is_grad_enabled()
    with switch:
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()


def test_a_decorated_generator_switches_while_it_runs(torch: Any) -> None:
    @torch.no_grad()
    def states() -> Iterator[bool]:
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    seen = []
    for state in states():
        seen.append((state, torch.is_grad_enabled()))
    assert seen == [(False, True), (False, True)]


def test_inference_mode_makes_tensors_that_no_graph_takes(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        y = a * 2
    assert not torch.is_inference_mode_enabled()
    assert y.is_inference()
    assert not y.requires_grad
    with pytest.raises(RuntimeError) as error:
        (leaf(torch, 1.0) * y).sum().backward()
    assert message(error) == (
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
        "it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )


@pytest.mark.parametrize("made", ["given", "inside", "returned"])
def test_a_custom_function_cannot_save_inference_tensors(torch: Any, made: str) -> None:
    class Keeps(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            with torch.inference_mode(made != "given"):
                kept = y if made == "given" else x.clone()
            ctx.save_for_backward(None, kept)
            return kept if made == "returned" else x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    with torch.inference_mode():
        y = torch.ones(1)
    with pytest.raises(RuntimeError, match=r"^Inference tensors cannot be saved for backward"):
        Keeps.apply(leaf(torch, 1.0), y)
    # Where nothing is recorded, nothing is saved.
    with torch.no_grad():
        assert not Keeps.apply(leaf(torch, 1.0), y).requires_grad


def test_inference_tensors_cannot_require_gradients(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(1) * 2
    with pytest.raises(RuntimeError) as error:
        y.requires_grad_()
    assert message(error) == "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."


def test_inference_tensors_are_not_written_to_outside(torch: Any) -> None:
    with torch.inference_mode():
        y = torch.ones(1) * 2
    with pytest.raises(RuntimeError) as error:
        y.add_(1)
    assert message(error).startswith("Inplace update to inference tensor outside InferenceMode is not allowed.")


# -- memory shared and written to ------------------------------------------------------------------------


def test_detach_shares_memory_and_leaves_the_graph(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    d = a.detach()
    d[0] = 5.0
    assert a.tolist() == [5.0, 2.0]
    assert not d.requires_grad
    assert d.is_leaf


def test_detach_shares_the_version_and_data_does_not(torch: Any) -> None:
    a = leaf(torch, 1.0)
    a.detach().mul_(2)
    assert a._version == 1
    a.data.mul_(2)
    assert a._version == 1
    assert a.tolist() == [4.0]


def test_a_write_through_detach_is_noticed(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = (a * a).sum()
    a.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_write_through_data_goes_unseen(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = (a * a).sum()
    a.data.mul_(3)
    y.backward()
    assert a.grad.tolist() == [6.0]


def test_data_may_be_replaced(torch: Any) -> None:
    a = leaf(torch, 1.0)
    a.data = torch.tensor([7.0, 8.0])
    (a * a).sum().backward()
    assert a.grad.tolist() == [14.0, 16.0]


def test_versions_count_writes(torch: Any) -> None:
    x = torch.ones(2)
    assert x._version == 0
    x.add_(1)
    x.mul_(2)
    x[0] = 0.0
    assert x._version == 3
    assert x.clone()._version == 0
    assert (x * 2)._version == 0


def test_views_share_their_bases_version(torch: Any) -> None:
    x = torch.ones(2, 3)
    v = x.view(6)
    row = x[0]
    row.mul_(2)
    v.add_(1)
    assert (x._version, v._version, row._version) == (2, 2, 2)
    assert x.tolist() == [[3.0, 3.0, 3.0], [2.0, 2.0, 2.0]]


def test_a_leaf_is_not_written_to_while_recording(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    with pytest.raises(RuntimeError) as error:
        a.add_(1)
    assert message(error) == LEAF_WRITTEN
    with pytest.raises(RuntimeError) as error:
        a[0] = 0.0
    assert message(error) == VIEW_OF_LEAF_WRITTEN
    with pytest.raises(RuntimeError) as error:
        a.view(2).mul_(2)
    assert message(error) == VIEW_OF_LEAF_WRITTEN


def test_a_leaf_may_be_written_to_under_no_grad(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    with torch.no_grad():
        a.sub_(1)
        a[0] = 9.0
    assert a.tolist() == [9.0, 1.0]
    assert a.is_leaf
    assert a.requires_grad
    assert a._version == 2


def test_an_update_step_between_two_passes(torch: Any) -> None:
    w = leaf(torch, 2.0)
    losses = []
    for _ in range(3):
        loss = (w * w).sum()
        losses.append(loss.item())
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= 0.25 * w.grad
    assert losses == [4.0, 1.0, 0.25]


def test_a_write_takes_its_place_in_the_graph(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 3.0)
    y = a.clone()
    y.mul_(b)
    assert names(y) == ["MulBackward0", ["CloneBackward0", "AccumulateGrad"], "AccumulateGrad"]
    y.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([3.0], [1.0])


def test_a_write_through_a_view_takes_its_place_in_the_base(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    y = a.clone()
    y[0].mul_(10)
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert a.grad.tolist() == [10.0, 1.0]


def test_a_view_follows_its_base(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    y = a.clone()
    v = y[0]
    y.mul_(3)
    assert type(v.grad_fn).__name__ == "AsStridedBackward0"
    v.backward()
    assert a.grad.tolist() == [3.0, 0.0]


def test_one_of_several_views_is_not_written_to(torch: Any) -> None:
    first, _ = leaf(torch, 1.0, 2.0).clone().unbind(0)
    with pytest.raises(RuntimeError) as error:
        first.mul_(2)
    assert message(error) == (
        "Output 0 of Unbind is a view and is being modified inplace. This view is the output of a function that "
        "returns multiple views. Such functions do not allow the output views to be modified inplace. You should "
        "replace the inplace operation by an out-of-place one."
    )


def test_a_view_that_a_custom_function_makes_is_not_written_to(torch: Any) -> None:
    class Flat(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return (x.detach() * 3).view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 3 * g

    y = Flat.apply(leaf(torch, 1.0, 2.0))
    with torch.no_grad():
        y.fill_(1)
    with pytest.raises(RuntimeError) as error:
        y.sum()
    assert message(error).startswith(
        "Output 0 of Flat is a view and its base or another view of its base has been modified inplace. This view was "
        "created inside a custom Function"
    )
    with pytest.raises(RuntimeError, match="Output 0 of Flat is a view and is being modified inplace"):
        Flat.apply(leaf(torch, 1.0)).mul_(2)


# -- what lives how long -----------------------------------------------------------------------------------


def test_a_graph_outlives_the_name_of_its_leaf(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = (a * a).sum()
    del a
    gc.collect()
    y.backward()
    node = y.grad_fn.next_functions[0][0].next_functions[0][0]
    assert node.variable.tolist() == [3.0]
    assert node.variable.grad.tolist() == [6.0]
    assert node.variable is node.variable


def test_a_gradient_outlives_the_graph(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = a.exp().sum()
    y.backward()
    g = a.grad
    del a, y
    assert g.item() > 20


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage collector: what dies here dies because nothing refers to it."""
    gc.disable()
    yield
    gc.enable()


BUILDS = {
    "a product": lambda torch, a: a * a,
    "a kept result": lambda torch, a: a.exp(),
    "a kept result twice": lambda torch, a: a.exp() * a.tanh(),
    "a view": lambda torch, a: (a * 2).view(-1),
    "a slice": lambda torch, a: (a * 2)[1:],
    "several outputs": lambda torch, a: a.unbind(0)[1],
    "a reduction": lambda torch, a: a.max(),
    "a written tensor": lambda torch, a: (a * 2).mul_(3),
    "a write through a view": lambda torch, a: _written_view(a),
    "a softmax": lambda torch, a: torch.softmax(a, 0),
    "a gradient with its graph": lambda torch, a: torch.autograd.grad(a.exp().sum(), a, create_graph=True)[0],
}


def _written_view(a: Any) -> Any:
    y = a.clone()
    y[0].mul_(2)
    return y


@sampled(3)
@pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
@pytest.mark.usefixtures("uncollected")
def test_nothing_is_kept_alive_by_a_cycle(torch: Any, build: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    y = build(torch, a)
    z = (y * 3).sum()
    watched = [weakref.ref(t) for t in (a, y, z)]
    del y, z
    assert [w() for w in watched[1:]] == [None, None]
    del a
    assert watched[0]() is None


@pytest.mark.usefixtures("uncollected")
def test_nothing_is_kept_alive_after_backward(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    y = a.exp()
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    (y * y).sum().backward()
    g = a.grad
    watched = [weakref.ref(t) for t in (a, y, g)]
    del a, y, g
    assert [w() for w in watched] == [None, None, None]


@pytest.mark.usefixtures("uncollected")
def test_a_failed_backward_keeps_nothing_alive(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    y = a.exp()
    z = y.sum()
    y.add_(1)
    with contextlib.suppress(RuntimeError):
        z.backward()
    watched = [weakref.ref(t) for t in (a, y, z)]
    del a, y, z
    assert [w() for w in watched] == [None, None, None]
