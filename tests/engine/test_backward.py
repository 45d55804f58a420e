"""What backward() and grad() promise. Every test runs in gradcli and, when installed, in PyTorch itself."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.rings import long

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
NO_GRAD_FN = "element 0 of tensors does not require grad and does not have a grad_fn"
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this "
    "is the desired behavior."
)


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(list(values), requires_grad=True)


def message(error: Any) -> str:
    return str(error.value)


# -- gradients gather in the leaves ------------------------------------------------------------


def test_gradients_of_several_backwards_add_up(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    (a * a).sum().backward()
    (3 * a).sum().backward()
    assert a.grad.tolist() == [5.0, 7.0]


def test_an_accumulated_gradient_stays_the_same_tensor(torch: Any) -> None:
    a = leaf(torch, 1.0)
    a.sum().backward()
    g = a.grad
    a.sum().backward()
    assert a.grad is g
    assert g.tolist() == [2.0]


def test_a_gradient_set_to_none_starts_again(torch: Any) -> None:
    a = leaf(torch, 1.0)
    a.sum().backward()
    a.grad = None
    (2 * a).sum().backward()
    assert a.grad.tolist() == [2.0]


def test_a_leaf_used_twice_gets_the_sum(torch: Any) -> None:
    a = leaf(torch, 3.0)
    (a * a).sum().backward()
    assert a.grad.tolist() == [6.0]


def test_the_gradient_given_is_not_the_gradient_kept(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    g = torch.ones(2)
    a.clone().backward(g)
    g.mul_(5)
    assert a.grad.tolist() == [1.0, 1.0]


def test_leaves_that_share_a_gradient_do_not_share_its_memory(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    (a + b).sum().backward()
    a.grad.mul_(10)
    assert b.grad.tolist() == [1.0]


def test_leaves_of_a_sum_used_twice_do_not_share_memory_either(torch: Any) -> None:
    a, b = leaf(torch, 1.0, 1.0), leaf(torch, 2.0, 2.0)
    t = a + b
    (t * 2 + t * 3).sum().backward()
    a.grad.mul_(10)
    assert b.grad.tolist() == [5.0, 5.0]


def test_a_gradient_passed_on_to_two_places_is_not_written_to(torch: Any) -> None:
    a = torch.tensor([0.0, 0.0], dtype=torch.float64, requires_grad=True)
    x = a.exp()
    z = a.sin()
    t = x + a
    (t * 2 + t * 3 + z).sum().backward()
    assert a.grad.tolist() == [11.0, 11.0]


def test_a_gradient_passed_on_as_a_view_is_not_written_to(torch: Any) -> None:
    a = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    x = a.exp()
    z = a.sin()
    t = x.t() + a.t()
    (t * 2 + t * 3 + z).sum().backward()
    assert a.grad.tolist() == [[11.0, 11.0], [11.0, 11.0]]


def test_a_gradient_in_bfloat16_that_others_get_as_well_is_not_written_to(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    s = torch.tensor(0.375, dtype=torch.bfloat16, requires_grad=True)
    ((x * x).sum() + ((s * s).sum() + s.sum())).backward()
    assert (x.grad.tolist(), s.grad.item()) == ([2.0, 4.0], 1.75)


def test_gradients_have_the_width_of_their_leaf(torch: Any) -> None:
    a = torch.ones(2, dtype=torch.float64, requires_grad=True)
    b = torch.ones(2, dtype=torch.float32, requires_grad=True)
    (a * b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (torch.float64, torch.float32)


def test_what_requires_no_gradient_gets_none(torch: Any) -> None:
    a, k = leaf(torch, 1.0), torch.tensor([2.0])
    (a * k).sum().backward()
    assert k.grad is None


def test_backward_works_inside_no_grad(torch: Any) -> None:
    a = leaf(torch, 2.0)
    y = (a * a).sum()
    with torch.no_grad():
        y.backward()
    assert a.grad.tolist() == [4.0]


def test_several_roots_at_once(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0)
    torch.autograd.backward([a.sum(), a * a], [None, torch.tensor([1.0, 10.0])])
    assert a.grad.tolist() == [3.0, 41.0]


def test_a_root_that_is_a_leaf(torch: Any) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    a.backward()
    assert a.grad.item() == 1.0


def test_an_unused_output_of_several_counts_as_zeros(torch: Any) -> None:
    a = leaf(torch, 1.0, 2.0, 3.0)
    first, _, third = a.unbind(0)
    (first + 2 * third).backward()
    assert a.grad.tolist() == [1.0, 0.0, 2.0]


# -- errors about the root ----------------------------------------------------------------------


def test_a_root_of_several_elements_needs_a_gradient(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        (leaf(torch, 1.0, 2.0) * 2).backward()
    assert message(error) == "grad can be implicitly created only for scalar outputs"


def test_a_root_outside_the_graph_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        torch.tensor([1.0]).sum().backward()
    assert message(error) == NO_GRAD_FN


def test_a_gradient_of_another_shape_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        leaf(torch, 1.0).sum().backward(torch.ones(2))
    assert message(error) == (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([])."
    )


def test_one_gradient_for_each_root(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with pytest.raises(RuntimeError) as error:
        torch.autograd.backward([a.sum(), a.sum()], [torch.tensor(1.0)])
    assert message(error) == "got 2 tensors and 1 gradients"


# -- what is kept is freed ----------------------------------------------------------------------


def test_a_second_backward_finds_the_graph_freed(torch: Any) -> None:
    y = leaf(torch, 1.0).exp().sum()
    y.backward()
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert message(error) == FREED


def test_grad_frees_the_graph_too(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = (a * a).sum()
    torch.autograd.grad(y, a)
    with pytest.raises(RuntimeError) as error:
        torch.autograd.grad(y, a)
    assert message(error) == FREED


def test_retain_graph_keeps_it(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = (a * a).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert a.grad.tolist() == [12.0]


def test_create_graph_keeps_it(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = (a * a).sum()
    torch.autograd.grad(y, a, create_graph=True)
    assert torch.autograd.grad(y, a)[0].tolist() == [6.0]


def test_what_saves_nothing_may_run_again(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = (a + a).sum()
    y.backward()
    y.backward()
    assert a.grad.tolist() == [4.0]


def test_a_shared_part_is_freed_with_the_first_root(torch: Any) -> None:
    shared = leaf(torch, 1.0).exp()
    first, second = (shared * 2).sum(), (shared * 3).sum()
    first.backward()
    with pytest.raises(RuntimeError) as error:
        second.backward()
    assert message(error) == FREED


def test_saved_values_cannot_be_read_once_freed(torch: Any) -> None:
    y = leaf(torch, 1.0).exp()
    node = y.grad_fn
    assert node._saved_result.tolist() == y.tolist()
    y.sum().backward()
    with pytest.raises(RuntimeError) as error:
        _ = node._saved_result
    assert message(error) == FREED


def test_plain_facts_can_be_read_after_all_is_freed(torch: Any) -> None:
    y = leaf(torch, 1.0, 2.0).sum()
    y.backward()
    assert y.grad_fn._saved_self_sym_sizes == (2,)


# -- gradients of what is no leaf ----------------------------------------------------------------


def test_retain_grad_keeps_the_gradient_of_a_result(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = a * 2
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert y.grad.tolist() == [12.0]


def test_retained_gradients_add_up_too(torch: Any) -> None:
    y = leaf(torch, 3.0) * 2
    y.retain_grad()
    z = y.sum()
    z.backward(retain_graph=True)
    z.backward()
    assert y.grad.tolist() == [2.0]


def test_retain_grad_on_a_leaf_does_nothing(torch: Any) -> None:
    a = leaf(torch, 3.0)
    a.retain_grad()
    assert not a.retains_grad
    a.sum().backward()
    assert a.grad.tolist() == [1.0]


def test_retain_grad_outside_the_graph_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        torch.ones(1).retain_grad()
    assert message(error) == "can't retain_grad on Tensor that has requires_grad=False"


def test_the_gradient_of_a_result_warns(torch: Any) -> None:
    y = leaf(torch, 3.0) * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_a_retained_gradient_is_what_the_hooks_made_of_it(torch: Any) -> None:
    y = leaf(torch, 3.0) * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    assert y.grad.tolist() == [10.0]


# -- hooks -----------------------------------------------------------------------------------------


def test_a_hook_sees_and_replaces_the_gradient(torch: Any) -> None:
    seen = []
    a = leaf(torch, 3.0)
    y = a * 2

    def hook(g: Any) -> Any:
        seen.append(g.tolist())
        return g * 5

    y.register_hook(hook)
    y.sum().backward()
    assert seen == [[1.0]]
    assert a.grad.tolist() == [10.0]


def test_a_hook_that_returns_nothing_changes_nothing(torch: Any) -> None:
    a = leaf(torch, 3.0)
    a.register_hook(lambda g: None)
    a.sum().backward()
    assert a.grad.tolist() == [1.0]


def test_hooks_run_in_the_order_they_came(torch: Any) -> None:
    a = leaf(torch, 3.0)
    a.register_hook(lambda g: g + 1)
    a.register_hook(lambda g: g * 10)
    a.sum().backward()
    assert a.grad.tolist() == [20.0]


def test_a_removed_hook_is_silent(torch: Any) -> None:
    a = leaf(torch, 3.0)
    handle = a.register_hook(lambda g: g * 10)
    handle.remove()
    with a.register_hook(lambda g: g * 100):
        pass
    a.sum().backward()
    assert a.grad.tolist() == [1.0]


def test_a_leafs_hook_sees_the_whole_gradient_once(torch: Any) -> None:
    seen = []
    a = leaf(torch, 3.0)
    a.register_hook(lambda g: seen.append(g.tolist()))
    (a * 2 + a * 3 + a).sum().backward()
    assert seen == [[6.0]]


def test_a_hook_outside_the_graph_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        torch.ones(1).register_hook(lambda g: g)
    assert message(error) == "cannot register a hook on a tensor that doesn't require gradient"


def test_a_hook_may_not_change_the_shape(torch: Any) -> None:
    y = leaf(torch, 3.0) * 2

    def widen(g: Any) -> Any:
        return torch.ones(2)

    y.register_hook(widen)
    with pytest.raises(RuntimeError) as error:
        y.sum().backward()
    assert message(error) == "hook 'widen' has changed the size of value"


def test_an_error_in_a_hook_reaches_the_caller_and_harms_nothing(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = (a * a).sum()

    def refuse(g: Any) -> None:
        raise ValueError("not today")

    handle = a.register_hook(refuse)
    with pytest.raises(ValueError, match="not today"):
        y.backward(retain_graph=True)
    handle.remove()
    assert torch.is_grad_enabled()
    a.grad = None
    y.backward()
    assert a.grad.tolist() == [6.0]


def test_hooks_record_only_when_the_graph_is_created(torch: Any) -> None:
    modes = []
    a = leaf(torch, 3.0)
    y = a * 2
    y.register_hook(lambda g: modes.append(torch.is_grad_enabled()))
    torch.autograd.grad(y.sum(), a, retain_graph=True)
    torch.autograd.grad(y.sum(), a, create_graph=True)
    assert modes == [False, True]


def test_a_nodes_hooks_see_both_sides(torch: Any) -> None:
    seen: list[Any] = []
    a, b = leaf(torch, 3.0), leaf(torch, 4.0)
    y = a * b

    def before(outer: Any) -> None:
        seen.append([g.tolist() for g in outer])

    def after(inner: Any, outer: Any) -> None:
        seen.append(([g.tolist() for g in inner], [g.tolist() for g in outer]))

    y.grad_fn.register_prehook(before)
    y.grad_fn.register_hook(after)
    y.sum().backward()
    assert seen == [[[1.0]], ([[4.0], [3.0]], [[1.0]])]


def test_a_nodes_hooks_may_replace_gradients(torch: Any) -> None:
    a = leaf(torch, 3.0)
    y = a * 2
    y.grad_fn.register_prehook(lambda outer: (outer[0] + 1,))
    y.grad_fn.register_hook(lambda inner, outer: (inner[0] * 100, inner[1]))
    y.sum().backward()
    assert a.grad.tolist() == [400.0]


def test_an_unused_output_arrives_as_none(torch: Any) -> None:
    seen: list[Any] = []
    first, _ = leaf(torch, 1.0, 2.0).unbind(0)
    first.grad_fn.register_prehook(lambda outer: seen.append([g is None for g in outer]))
    first.backward()
    assert seen == [[False, True]]


def test_the_order_of_hooks_at_a_result(torch: Any) -> None:
    order: list[str] = []
    a = leaf(torch, 3.0)
    y = a * 2
    y.grad_fn.register_hook(lambda inner, outer: order.append("node after"))
    y.grad_fn.register_prehook(lambda outer: order.append("node before 1"))
    y.register_hook(lambda g: order.append("tensor 1"))
    y.grad_fn.register_prehook(lambda outer: order.append("node before 2"))
    y.register_hook(lambda g: order.append("tensor 2"))
    y.sum().backward()
    assert order == ["tensor 1", "tensor 2", "node before 1", "node before 2", "node after"]


def test_the_order_of_hooks_at_a_leaf(torch: Any) -> None:
    order: list[str] = []
    a = leaf(torch, 3.0)
    y = a * 2
    node = y.grad_fn.next_functions[0][0]
    a.register_post_accumulate_grad_hook(lambda t: order.append(f"accumulated {t.grad.tolist()}"))
    node.register_hook(lambda inner, outer: order.append("node after"))
    node.register_prehook(lambda outer: order.append("node before"))
    a.register_hook(lambda g: order.append("tensor"))
    y.sum().backward()
    assert order == ["tensor", "node before", "accumulated [2.0]", "node after"]


def test_nodes_run_from_the_newest_to_the_oldest(torch: Any) -> None:
    order: list[str] = []
    a = leaf(torch, 0.5)
    steps = {"exp": a.exp(), "sin": a.sin(), "tanh": a.tanh()}
    for name, t in steps.items():
        t.grad_fn.register_hook(lambda inner, outer, name=name: order.append(name))
    (steps["tanh"] + steps["exp"] * steps["sin"]).sum().backward()
    assert order == ["tanh", "sin", "exp"]


def test_a_leaf_runs_when_its_last_share_is_in(torch: Any) -> None:
    order: list[str] = []
    a, b = leaf(torch, 0.5), leaf(torch, 0.5)
    x = a.exp()
    y = b * x
    x.register_hook(lambda g: order.append("x"))
    a.register_hook(lambda g: order.append("a"))
    b.register_hook(lambda g: order.append("b"))
    y.sum().backward()
    assert order == ["b", "x", "a"]


def test_post_accumulate_hooks_get_the_leaf(torch: Any) -> None:
    seen = []
    a = leaf(torch, 3.0)

    def step(t: Any) -> None:
        seen.append(t is a)
        t.grad = None

    a.register_post_accumulate_grad_hook(step)
    a.sum().backward()
    assert seen == [True]
    assert a.grad is None


def test_post_accumulate_hooks_are_for_leaves(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        (leaf(torch, 1.0) * 2).register_post_accumulate_grad_hook(lambda t: None)
    assert message(error) == "post accumulate grad hooks cannot be registered on non-leaf tensors"


# -- backward(inputs=) -------------------------------------------------------------------------------


def test_inputs_are_the_only_ones_to_gather(torch: Any) -> None:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    (a * b).sum().backward(inputs=[a])
    assert a.grad.tolist() == [3.0]
    assert b.grad is None


def test_one_input_needs_no_list(torch: Any) -> None:
    a = leaf(torch, 2.0)
    (a * a).sum().backward(inputs=a)
    assert a.grad.tolist() == [4.0]


def test_a_result_may_be_an_input(torch: Any) -> None:
    a = leaf(torch, 2.0)
    y = a * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (y * y).sum().backward(inputs=[y])
        assert y.grad.tolist() == [12.0]
    assert a.grad is None


def test_no_inputs_are_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        leaf(torch, 2.0).sum().backward(inputs=[])
    assert message(error) == "`inputs` argument to `backward()` cannot be empty."


# -- grad() --------------------------------------------------------------------------------------------


def test_grad_leaves_the_leaves_alone(torch: Any) -> None:
    a = leaf(torch, 2.0)
    (g,) = torch.autograd.grad((a * a).sum(), a)
    assert g.tolist() == [4.0]
    assert a.grad is None
    assert not g.requires_grad


def test_grad_by_a_result(torch: Any) -> None:
    a = leaf(torch, 2.0)
    y = a * 3
    assert torch.autograd.grad((y * y).sum(), [y, a])[0].tolist() == [12.0]


def test_grad_of_a_tensor_by_itself(torch: Any) -> None:
    y = (leaf(torch, 2.0) * 3).sum()
    assert torch.autograd.grad(y, y)[0].item() == 1.0


def test_grad_of_several_outputs(torch: Any) -> None:
    a = leaf(torch, 2.0)
    (g,) = torch.autograd.grad([a.sum(), a * a], [a], [torch.tensor(5.0), torch.tensor([10.0])])
    assert g.tolist() == [45.0]


def test_the_same_input_twice(torch: Any) -> None:
    a = leaf(torch, 2.0)
    first, second = torch.autograd.grad((a * a).sum(), [a, a])
    assert first.tolist() == second.tolist() == [4.0]


def test_grad_by_one_output_of_several(torch: Any) -> None:
    first, second = leaf(torch, 1.0, 2.0).unbind(0)
    assert [g.item() for g in torch.autograd.grad(first * 2 + second * 3, [second, first])] == [3.0, 2.0]


def test_an_unused_input_is_an_error(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    with pytest.raises(RuntimeError) as error:
        torch.autograd.grad(a.sum(), [a, b])
    assert message(error) == UNUSED.format(1)


def test_an_unused_input_may_be_allowed(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    first, second = torch.autograd.grad(a.sum(), [a, b], allow_unused=True)
    assert first.tolist() == [1.0]
    assert second is None


def test_unused_inputs_may_be_zeros(torch: Any) -> None:
    a, b = leaf(torch, 1.0), leaf(torch, 2.0, 3.0)
    second = torch.autograd.grad(a.sum(), [a, b], materialize_grads=True)[1]
    assert second.tolist() == [0.0, 0.0]


def test_zeros_and_errors_for_the_unused_exclude_each_other(torch: Any) -> None:
    a = leaf(torch, 1.0)
    with pytest.raises(ValueError, match="Expected allow_unused") as error:
        torch.autograd.grad(a.sum(), a, allow_unused=False, materialize_grads=True)
    assert message(error) == (
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
    )


def test_an_input_without_gradient_is_refused(torch: Any) -> None:
    with pytest.raises(RuntimeError) as error:
        torch.autograd.grad(leaf(torch, 1.0).sum(), torch.ones(1))
    assert message(error) == "One of the differentiated Tensors does not require grad"


def test_a_first_gradient_has_no_graph_unless_asked(torch: Any) -> None:
    a = leaf(torch, 2.0)
    (g,) = torch.autograd.grad((a * a).sum(), a)
    with pytest.raises(RuntimeError) as error:
        torch.autograd.grad(g.sum(), a)
    assert message(error) == NO_GRAD_FN


def test_gradients_of_gradients(torch: Any) -> None:
    a = leaf(torch, 2.0)
    y = (a**4).sum()
    values = []
    for _ in range(4):
        (y,) = torch.autograd.grad(y.sum(), a, create_graph=True)
        values.append(y.item())
    assert values == [32.0, 48.0, 48.0, 24.0]


def test_backward_with_create_graph_leaves_gradients_with_a_graph(torch: Any) -> None:
    a = leaf(torch, 2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (a**3).sum().backward(create_graph=True)
    g, a.grad = a.grad, None
    assert g.requires_grad
    assert g.grad_fn is not None
    g.sum().backward()
    assert a.grad.tolist() == [12.0]


def test_a_gradient_by_the_gradient_given(torch: Any) -> None:
    a, v = leaf(torch, 2.0, 3.0), leaf(torch, 1.0, 1.0)
    (g,) = torch.autograd.grad(a * a, a, v, create_graph=True)
    (jvp,) = torch.autograd.grad(g, v, torch.tensor([1.0, 10.0]))
    assert jvp.tolist() == [4.0, 60.0]


def test_hooks_on_the_way_count_in_grad(torch: Any) -> None:
    a = leaf(torch, 2.0)
    y = a * 3
    y.register_hook(lambda g: g * 10)
    a.register_hook(lambda g: g + 1)
    assert torch.autograd.grad(y.sum(), a)[0].tolist() == [31.0]


def test_a_captured_result_is_seen_after_its_hooks(torch: Any) -> None:
    y = leaf(torch, 2.0) * 3
    y.register_hook(lambda g: g * 10)
    assert torch.autograd.grad(y.sum(), y)[0].tolist() == [10.0]


# -- written to since -------------------------------------------------------------------------------------


def modified(kind: str, made_by: str, version: int, expected: int) -> str:
    return (
        f"one of the variables needed for gradient computation has been modified by an inplace operation: [torch."
        f"{kind}]{made_by} is at version {version}; expected version {expected} instead. Hint: enable anomaly "
        "detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def test_a_kept_result_that_was_written_to(torch: Any) -> None:
    y = leaf(torch, 1.0, 2.0).exp()
    z = y.sum()
    y.add_(1)
    with pytest.raises(RuntimeError) as error:
        z.backward()
    assert message(error) == modified("FloatTensor [2]", ", which is output 0 of Exp,", 1, 0).replace("Exp,", "Exp,")


def test_a_kept_operand_that_was_written_to(torch: Any) -> None:
    a, k = leaf(torch, 1.0, 2.0), torch.ones(2)
    y = (a * k).sum()
    k.add_(1)
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert message(error) == modified("FloatTensor [2]", "", 1, 0)


def test_a_kept_operand_that_was_written_to_before(torch: Any) -> None:
    a, k = leaf(torch, 1.0, 2.0), torch.ones(2)
    k.add_(1)
    y = (a * k).sum()
    k.mul_(1).mul_(1)
    with pytest.raises(RuntimeError) as error:
        y.backward()
    assert message(error) == modified("FloatTensor [2]", "", 3, 1)


def test_a_write_to_what_is_not_kept_is_fine(torch: Any) -> None:
    a, k = leaf(torch, 1.0, 2.0), torch.ones(2)
    y = (a + k).sum()
    k.add_(1)
    y.backward()
    assert a.grad.tolist() == [1.0, 1.0]


# -- size ---------------------------------------------------------------------------------------------------


@long("it takes a second or more")
def test_a_long_chain_is_built_walked_and_freed(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = a
    for _ in range(200_000):
        y = y + a
    y.sum().backward()
    assert a.grad.tolist() == [200_001.0]
    del y


def test_a_long_recorded_backward_is_freed(torch: Any) -> None:
    a = leaf(torch, 1.0)
    y = a
    for _ in range(20_000):
        y = y * 1.0
    (g,) = torch.autograd.grad(y.sum(), a, create_graph=True)
    assert g.tolist() == [1.0]
    del y, g


def test_a_graph_with_very_many_paths_is_walked_once(torch: Any) -> None:
    a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    y = a
    for _ in range(500):
        y = (y + y) * 0.5
    y.backward()
    assert a.grad.item() == 1.0


# -- the layout of gradients ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "shape", "strides"),
    [
        (lambda torch, y: y.sum(), (3, 4), (0, 0)),
        (lambda torch, y: y.sum(0), (3, 4), (0, 1)),
        (lambda torch, y: y.sum(1), (3, 4), (1, 0)),
        (lambda torch, y: y.sum((0, 2)), (2, 3, 4), (0, 1, 0)),
        (lambda torch, y: y.sum(), (5,), (0,)),
        (lambda torch, y: y.sum(), (1, 3), (0, 0)),
        (lambda torch, y: (y + 1).sum(), (3, 4), (0, 0)),
        (lambda torch, y: y.t().sum(0), (3, 4), (1, 0)),
        (lambda torch, y: (y * 2).sum(), (3, 4), (4, 1)),
        (lambda torch, y: y.mean(), (3, 4), (4, 1)),
        (lambda torch, y: y.mean(0), (3, 4), (4, 1)),
        (lambda torch, y: y.t().mean(0), (3, 4), (1, 3)),
        (lambda torch, y: y.expand(2, 3, 4), (3, 4), (4, 1)),
        (lambda torch, y: y.t(), (3, 4), (1, 3)),
        (lambda torch, y: y[:, 1], (3, 4), (4, 1)),
        (lambda torch, y: torch.cat([y, y], 1), (3, 4), (4, 1)),
        (lambda torch, y: y.cumsum(0).sum(), (3, 4), (4, 1)),
        (lambda torch, y: torch.einsum("ij->i", y), (3, 4), (1, 0)),
    ],
)
def test_a_gradient_arrives_as_pytorch_hands_it_over(torch: Any, use: Any, shape: Any, strides: Any) -> None:
    seen = []

    class Looks(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.append((tuple(g.shape), g.stride()))
            return g * 1

    x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
    y = use(torch, Looks.apply(x))
    torch.autograd.grad(y, x, torch.ones(y.shape, dtype=torch.float64))
    assert seen == [(shape, strides)]


def test_a_leaf_says_in_which_dtype_it_wants_its_gradient(torch: Any) -> None:
    class Wide(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return (g * 2).double()

    for wanted, narrow, wide in ((torch.half, torch.half, torch.half), (None, torch.float32, torch.float64)):
        x = torch.ones(2, requires_grad=True)
        assert x.grad_dtype == torch.float32
        x.grad_dtype = wanted
        assert (torch.autograd.grad(Wide.apply(x).sum(), x)[0].dtype, x.grad_dtype) == (wide, wanted)
        (x.double() * 2).sum().backward()
        assert x.grad.dtype == narrow
    x.grad_dtype = torch.float32
    with pytest.raises(RuntimeError, match="with dtype 'double' to a tensor with grad_dtype 'Float'"):
        x.grad = x.detach().double()
    with pytest.raises(RuntimeError, match="Cannot set grad_dtype to 'Half' because there is already a gradient"):
        x.grad_dtype = torch.half
    with pytest.raises(RuntimeError, match="can only be set on leaf tensors"):
        (x * 2).grad_dtype = torch.half


@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "max", "min", "median", "amax", "argmin", "any", "all", "mode", "logsumexp"]
)
def test_a_number_is_no_flag(torch: Any, name: str) -> None:
    x = torch.ones(2, 3)
    with pytest.raises(TypeError):
        getattr(x, name)(0, 1)
    kept = getattr(torch, name)(x, 0, True)
    assert (kept if isinstance(kept, torch.Tensor) else kept.values).shape == (1, 3)


def test_no_inputs_at_all_are_refused_before_anything_else(torch: Any) -> None:
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty."):
        torch.ones(2).backward(inputs=[])


def test_a_view_made_without_recording_may_be_told_to_need_no_gradient(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        view = x[:]
    view.requires_grad = False
    assert x.requires_grad
