"""What programs hang on graphs and read off them: hooks, kept tensors, Functions, modes; of both engines alike."""

from __future__ import annotations

import importlib
import math
import threading
from typing import Any

import pytest

import gradcli


def _twice(torch: Any, x: Any) -> Any:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, what: Any = None) -> Any:
            if what is not None:
                what(ctx, x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, None

    return Twice.apply(*x) if isinstance(x, tuple) else Twice.apply(x)


def test_a_kept_tensor_takes_hooks(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * x
    kept = y.grad_fn._raw_saved_self
    kept.register_hooks(lambda t: t * 2, lambda t: t)
    assert y.grad_fn._saved_self.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        kept.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="after it has been freed"):
        kept.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        (x * 2.0).grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_a_pack_hook_must_not_write(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with (
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t),
        pytest.raises(RuntimeError, match="pack hook is modifying its input in place"),
    ):
        (x * 1).exp()


def test_what_nodes_keep_is_copied_when_it_is_written_to(torch: Any) -> None:
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as kept:
        x = torch.tensor([0.5, 0.25], requires_grad=True)
        y = x.clone()
        first, again = y**2, y * y
        assert (len(kept.tid_to_weakhandle), len(kept.cloned)) == (1, 0)
        y.sin_()
        assert len(kept.cloned) == 1
        second = y.exp()
        y[:1].mul_(3)
        second.zero_()
        assert len(kept.cloned) == 2
        (first + again + y).sum().backward()
        del first, again, second
        assert len(kept.cloned) == 0
    assert not kept.original
    assert x.grad.tolist() == pytest.approx([2 + 3 * math.cos(0.5), 1 + math.cos(0.25)])


def test_a_hook_that_fails_leaves_the_node_as_it_was(torch: Any) -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 1 / 0):
        y = torch.ones(2, requires_grad=True).exp()
    for ask in (lambda: y.sum().backward(), lambda: y.grad_fn._saved_result):
        with pytest.raises(ZeroDivisionError):
            ask()


def test_parts_of_a_leaf_that_is_a_view_are_not_written_to(torch: Any) -> None:
    x = torch.arange(4.0).view(2, 2).requires_grad_()
    for part in (lambda: x[0], lambda: torch.tensor_split(x, 2)[1], lambda: x.view(-1), lambda: x.t()):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            part().mul_(2)
    with pytest.raises(AttributeError, match=r"attribute 'is_leaf' of 'torch\._C\.TensorBase' objects is not writable"):
        x.is_leaf = False


def test_hooks_can_be_refused(torch: Any) -> None:
    graph = torch.autograd.graph
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t), pytest.raises(RuntimeError, match="no hooks"):
        graph.disable_saved_tensors_hooks("no hooks").__enter__()

    @graph.disable_saved_tensors_hooks("none here")
    def refusing() -> None:
        graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__()

    with pytest.raises(RuntimeError, match="none here"):
        refusing()


def test_what_is_kept_aside_is_there_inside_of_its_block_only(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a, b = x.clone(), x.clone()
        y, z = (a**2).sum(), (b**2).sum()
        a.zero_()
        b.zero_()
        y.backward()
        with pytest.raises(RuntimeError, match="cannot be nested"):
            torch.autograd.graph.allow_mutation_on_saved_tensors().__enter__()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(AssertionError, match="Trying to backward outside of"):
        z.backward()


def test_a_hook_on_several_tensors_waits_for_those_that_are_reached(torch: Any) -> None:
    xs = [torch.ones(1, requires_grad=True) for _ in range(3)]
    seen: list[Any] = []
    hook = torch.autograd.graph.register_multi_grad_hook(xs, lambda gs: seen.append([g is not None for g in gs]))
    y = (xs[0] * 2 + xs[2] * 3).sum()
    y.backward(inputs=xs[:1], retain_graph=True)
    y.backward(retain_graph=True)
    hook.remove()
    y.backward()
    assert seen == [[True, False, False], [True, False, True]]


def test_a_hook_may_take_a_gradient_away(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.grad_fn.register_prehook(lambda gs: (None,))
    y.sum().backward()
    assert x.grad is None


def test_what_waits_for_the_end_of_a_backward(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    seen: list[str] = []
    queue = torch.autograd.Variable._execution_engine.queue_callback

    def at_the_end() -> None:
        seen.append("end")
        queue(lambda: seen.append("last"))

    def within(g: Any) -> None:
        with torch.enable_grad():
            y = torch.ones(1, requires_grad=True)
        y.register_hook(lambda g: queue(lambda: seen.append("end within")))
        with torch.enable_grad():
            (y * 2).backward()
        seen.append("hook")

    x.register_hook(within)
    x.register_hook(lambda g: queue(at_the_end))
    (x * 2).sum().backward()
    assert seen == ["end within", "hook", "end", "last"]
    with pytest.raises(RuntimeError, match="only be installed during backward pass"):
        queue(lambda: None)


def test_a_write_to_an_output_that_a_function_kept_is_seen(torch: Any) -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    y = Exp.apply(torch.zeros(2, requires_grad=True))
    y.mul_(2)
    with pytest.raises(RuntimeError, match="which is output 0 of Exp, is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_a_write_through_a_view_keeps_its_result(torch: Any) -> None:
    y = torch.ones(2, 2, requires_grad=True) * 1
    y[0].exp_()
    y.mul_(2)
    with pytest.raises(RuntimeError, match=r"which is output 0 of Exp, is at version 2; expected version 1"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda ctx, x: ctx.mark_dirty(None), "mark_dirty can only accept variables"),
        (lambda ctx, x: ctx.mark_non_differentiable(3), "mark_non_differentiable only accepts variable arguments"),
        (lambda ctx, x: ctx.set_materialize_grads(1), "set_materialize_grads received an invalid combination"),
        (lambda ctx, x: ctx.save_for_forward(1), "save_for_forward expects all arguments to be tensors"),
    ],
)
def test_what_a_forward_may_not_say(torch: Any, say: Any, words: str) -> None:
    with pytest.raises((RuntimeError, TypeError, AssertionError), match=words):
        _twice(torch, (torch.ones(2, requires_grad=True), say))


def test_an_input_handed_back_is_a_tensor_of_its_own(torch: Any) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2)
    assert Same.apply(x) is not x
    with torch.no_grad():
        assert not Same.apply(torch.ones(2, requires_grad=True)).requires_grad


def test_backwards_call_backwards_without_end(torch: Any) -> None:
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_() - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.x > 0:
                with torch.enable_grad():
                    Deep.apply(ctx.x).sum().backward()
            return g

    x = torch.tensor(120.0, requires_grad=True)
    Deep.apply(x).sum().backward()
    assert x.grad.item() == 1.0


def test_gradients_of_a_batch_fit(torch: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    y = x**2
    grad = torch.autograd.grad
    with pytest.raises(RuntimeError, match="we interpret the first dimension of each grad_output as the batch"):
        grad(y, x, torch.ones(2, 4), is_grads_batched=True, retain_graph=True)
    with pytest.raises(ValueError, match="Expected all tensors to have the same size in the mapped dimension"):
        grad([y, y * 2], x, [torch.ones(2, 3), torch.ones(3, 3)], is_grads_batched=True, retain_graph=True)
    (found,) = grad([y, y * 2], x, [torch.ones(2, 3), torch.ones(2, 3)], is_grads_batched=True, retain_graph=True)
    assert found.tolist() == [[6.0] * 3] * 2


def test_an_inference_tensor_is_kept_nowhere(torch: Any) -> None:
    with torch.inference_mode():
        a, b = torch.ones(2, 2), torch.ones(2, 2, requires_grad=True)
        assert not (torch.ones(2, requires_grad=True) * 2).requires_grad
    x = torch.ones(2, 2, requires_grad=True)
    for call in (
        lambda: x * a, lambda: x * b, lambda: x @ a, lambda: torch.nn.functional.linear(x, a),
        lambda: torch.lerp(x, a, x), lambda: torch.nn.functional.mse_loss(x, a),
        lambda: torch.nn.functional.conv2d(a[None, None], x[None, None]),
        lambda: torch.nn.functional.prelu(a, x[0, :1]),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            call()
    assert (x + a).requires_grad
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        a.requires_grad_()


def test_how_a_view_was_made_decides_what_may_be_written(torch: Any) -> None:
    for block, words in ((torch.no_grad, "created in no_grad mode"), (torch.inference_mode, "created in inference")):
        y = torch.ones(4, requires_grad=True) * 1
        with block():
            part, (first, _) = y[:2], y.split(2)
        for view in (part, first, part.view(2, 1)):
            with pytest.raises(RuntimeError, match=words):
                view.mul_(2)
        y.mul_(2)
        with pytest.raises(RuntimeError, match=f"{words}.*its base or another view"):
            _ = part.grad_fn


def test_copies_share_what_is_shared(torch: Any) -> None:
    import copy
    import pickle

    base = torch.zeros(4)
    twin, part = copy.deepcopy([base, base[:2]])
    part.fill_(3)
    assert twin.tolist() == [3.0, 3.0, 0.0, 0.0]
    x = torch.ones(2, requires_grad=True)
    assert pickle.loads(pickle.dumps(x)).requires_grad


def test_a_write_may_not_read_half_of_what_it_writes(torch: Any) -> None:
    a = torch.arange(5.0)
    b, first = a.detach(), torch.tensor([0])
    for write in (lambda: a[1:].add_(a[:-1]), lambda: a[1:].copy_(a[:-1]), lambda: a.__setitem__(slice(0, 3), a[1:4]),
                  lambda: a[1:].mul_(b[:-1]), lambda: a.add_(a[1]), lambda: a.index_add_(0, first, b[:1])):  # fmt: skip
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            write()
    assert a.masked_fill_(a < 0, b[0]).add_(a).fill_(a[2]).tolist() == [4.0] * 5
    assert a[:2].add_(a[2:4]).tolist() == [8.0, 8.0]


def test_a_function_takes_arguments_by_name(torch: Any) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, n: Any = 2) -> Any:
            return x * n

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.n = inputs[1]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.n, None

    x = torch.ones(2, requires_grad=True)
    for args, kwargs, slope in (((x,), {"n": 3}, 3.0), ((), {"x": x}, 2.0), ((), {"n": 4, "x": x}, 4.0)):
        assert torch.autograd.grad(Scaled.apply(*args, **kwargs).sum(), x)[0].tolist() == [slope] * 2
    for args, kwargs, words in (
        ((x,), {"m": 1}, "got an unexpected keyword argument 'm'"), ((), {}, "missing a required argument: 'x'"),
        ((x, 2, 3), {}, "too many positional arguments"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=words):
            Scaled.apply(*args, **kwargs)

    class Named(Scaled):
        @staticmethod
        def forward(x: Any, n: Any = 2, *, by_name: Any = None) -> Any:
            return x * n

    with pytest.raises(TypeError, match=r"forward\(\) got an unexpected keyword argument 'by_name'"):
        Named.apply(x)


def test_each_thread_has_its_own_modes(torch: Any) -> None:
    seen: list[Any] = []
    packed: list[int] = []
    leaf = torch.ones(3, requires_grad=True)
    y = (leaf * leaf).exp()

    def look() -> None:
        seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")))
        seen.append((torch.ones(2).is_inference(), str(torch.ones(2).device), (leaf * 2).requires_grad))
        torch.set_grad_enabled(False)

    def backward() -> None:
        for _ in range(20):
            y.sum().backward(retain_graph=True)

    def pack(t: Any) -> Any:
        packed.append(1)
        return t

    with torch.inference_mode(), torch.autocast("cpu"), torch.device("meta"):
        _in_threads(look)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        _in_threads(lambda: (leaf * leaf).sum())
    assert seen == [(True, False, False), (False, "cpu", True)]
    assert torch.is_grad_enabled()
    assert not packed
    _in_threads(*[backward] * 4)
    torch.testing.assert_close(leaf.grad, 80 * 2 * leaf.detach() * y.detach())


def _in_threads(*functions: Any) -> None:
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_program_may_say_in_which_order_nodes_run(torch: Any) -> None:
    x, y, z = (torch.ones(3, requires_grad=True) for _ in range(3))
    a, b = x + y, y + z
    c = a + b
    order: list[str] = []
    for name, t in (("a", a), ("b", b), ("c", c)):
        t.register_hook(lambda _, name=name: order.append(name))
    for number, t in ((100, a), (99, b), (98, c)):
        t.grad_fn._set_sequence_nr(number)
    c.sum().backward()
    assert order == ["c", "a", "b"]
    assert y.grad.tolist() == [2, 2, 2]
    assert a.grad_fn._sequence_nr() == 100


def test_a_view_is_made_of_another_base(torch: Any) -> None:
    whole = torch.arange(6.0).view(2, 3)
    part = whole[1:]
    assert part._view_func(part._base + 1).tolist() == [[4, 5, 6]]
    assert part._view_func(torch.ones(4)) is None
    with torch.autograd._force_original_view_tracking(True):
        view = torch.rand(2, 3).t()
    assert view._rev_view_func_unsafe(view.detach()).shape == (2, 3)


def test_what_is_read_is_not_written_over(torch: Any) -> None:
    x, i = torch.rand(3), torch.tensor([2, 1, 0])
    for call in (
        lambda: torch.gather(x, 0, i, out=x),
        lambda: torch.take(x, i, out=x),
        lambda: torch.cat([x[:1], x[:2]], out=x),
        lambda: torch.kthvalue(x, 2, out=(x[0], i[0])),
    ):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            call()


def test_a_dropout_hands_out_its_mask(torch: Any) -> None:
    torch.manual_seed(0)
    x = torch.ones(50, requires_grad=True)
    y, kept = torch.native_dropout(x, 0.5, True)
    y.sum().backward()
    assert y.grad_fn.name() == "NativeDropoutBackward0"
    assert y.tolist() == x.grad.tolist() == (kept * 2).tolist()


def test_the_running_node_is_known(torch: Any) -> None:
    seen: list[str] = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(torch._C._current_autograd_node().name()))
    y.sum().backward()
    assert seen == ["MulBackward0"]
    assert torch._C._current_autograd_node() is None


def test_a_transform_is_one_of_its_own_thread(torch: Any) -> None:
    inside, done = threading.Event(), threading.Event()
    found: list[Any] = []

    def waits(x: Any) -> Any:
        inside.set()
        done.wait(5)
        return (x * x).sum()

    for transformed in (torch.func.grad(waits), torch.vmap(waits)):
        inside.clear()
        done.clear()
        other = threading.Thread(target=lambda f=transformed: found.append(f(torch.ones(2, 2))))
        other.start()
        inside.wait(5)
        x = torch.ones(2).requires_grad_()
        (x * torch.rand(2)).sum().backward()
        done.set()
        other.join()
    assert [x.tolist() for x in found] == [[[2, 2], [2, 2]], [2, 2]]


def test_an_input_that_is_handed_on_is_kept_as_the_input(torch: Any) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * x

    class Apart(Same):
        forward = staticmethod(lambda x: x)
        setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_backward(*inputs))

    x = torch.tensor(3.0, requires_grad=True)
    y = Same.apply(x)
    assert y.grad_fn.saved_tensors[0].is_leaf
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 1.0
    with pytest.raises(RuntimeError, match="returned as-is as output is being saved for backward"):
        Apart.apply(x)


def test_a_function_that_reads_nothing_kept_runs_again(torch: Any) -> None:
    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.ones((), requires_grad=True)
    y = Kept.apply(x)
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors  # noqa: B018


def test_a_view_that_takes_no_part_in_a_graph_is_a_leaf_in_all_respects(torch: Any, recwarn: Any) -> None:
    a = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        view = a.mT
    assert view.requires_grad
    assert view.is_leaf
    assert view.grad is None
    assert (view.retain_grad(), view.retains_grad) == (None, False)
    view.register_hook(lambda g: 1 / 0).remove()
    view.register_post_accumulate_grad_hook(lambda t: 1 / 0)
    a.sum().backward()
    assert not recwarn.list


def test_node_is_a_name_for_all_nodes(torch: Any) -> None:
    node, functions = torch.autograd.graph.Node, torch._C._functions
    y = _twice(torch, torch.ones(2, requires_grad=True))
    kinds = [type(y.grad_fn), type(y.grad_fn.next_functions[0][0]), functions.AccumulateGrad, functions.DelayedError]
    assert [issubclass(kind, node) for kind in (*kinds, node, int)] == [True] * 5 + [False]
    assert [node in kind.mro() for kind in kinds] == [False] * 4
    assert [isinstance(x, node) for x in (y.grad_fn, y, None, node)] == [True, False, False, False]
    assert list(y.grad_fn._input_metadata[0].shape) == [2]
    with pytest.raises(TypeError, match="Can't instantiate abstract class Node"):
        node()


def test_a_node_is_called_with_gradients(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    _, second = (x * 1).split(1)
    assert y.grad_fn(torch.ones(2))[0].tolist() == [3.0, 3.0]
    assert second.grad_fn(None, torch.ones(1)).tolist() == [0.0, 1.0]
    for given in ((), (x, x)):
        with pytest.raises(TypeError, match=f"expected 1 arguments, got {len(given)} instead"):
            y.grad_fn(*given)
    for wrong in (torch.ones(7), torch.ones(1).to(torch.int64)) if torch.__name__ == "gradcli" else ():
        with pytest.raises(RuntimeError, match="grad output 1 has"):
            second.grad_fn(None, wrong)


def test_backwards_of_a_group_compute_a_checkpoint_once(torch: Any) -> None:
    room = importlib.import_module(f"{torch.__name__}.utils.checkpoint")
    calls = []

    def function(x: Any) -> Any:
        calls.append(1)
        return x.sin().exp(), x.cos().exp()

    x = torch.ones(2, requires_grad=True)
    one, other = room.checkpoint(function, x, use_reentrant=False)
    with room.GraphExecGroup():
        torch.autograd.grad(one.sum(), x, retain_graph=True)
        torch.autograd.grad(other.sum(), x, retain_graph=True)
        assert len(calls) == 2
        with pytest.raises(room.CheckpointError, match="was already unpacked once"):
            torch.autograd.grad(one.sum(), x, retain_graph=True)
        with pytest.raises(RuntimeError, match="cannot be nested"), room.GraphExecGroup():
            pass
    torch.autograd.grad(one.sum(), x)
    assert len(calls) == 3


def test_a_checkpoint_is_computed_again_for_each_backward(torch: Any) -> None:
    checkpoint = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    calls = []

    def function(x: Any) -> Any:
        calls.append(x)
        return x.sin().exp()

    x = torch.ones(2, requires_grad=True)
    y = checkpoint(function, x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    assert len(calls) == 3


def test_gather_leaves_a_sparse_gradient_where_it_is_asked_to(torch: Any) -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.gather(1, torch.tensor([[0, 2], [1, 1]]), sparse_grad=True)
    (g,) = torch.autograd.grad((y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum(), x)
    assert (g.layout, g._nnz()) == (torch.sparse_coo, 4)
    assert g._indices().tolist() == [[0, 0, 1, 1], [0, 2, 1, 1]]
    assert g.to_dense().tolist() == [[1.0, 0.0, 2.0], [0.0, 7.0, 0.0]]
    z = torch.ones(3, requires_grad=True)
    (z.gather(0, torch.tensor(1), sparse_grad=True) + z.sum()).backward()
    assert z.grad.to_dense().tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("name", ["requires_grad", "_grad_fn", "_backward_hooks", "data"])
def test_what_cannot_be_taken_from_a_tensor(torch: Any, name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError):
        delattr(x, name)
    assert (x * 2)._grad_fn is not None


def test_a_hook_that_makes_another_shape_is_told_in_words(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: torch.ones(9)):
        y = x * x
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(2\) must match the size of tensor b \(9\)"):
        y.sum().backward()


def test_a_gradient_for_no_tensor_is_refused_whatever_it_is(torch: Any) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, 3

    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="returned a gradient different than None at position 2"):
        Wrong.apply(x, 3).sum().backward()
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got int\)"):
        Wrong.apply(x, x).sum().backward()


def test_views_of_inference_tensors_are_no_views(torch: Any) -> None:
    with torch.inference_mode():
        assert not torch.ones(2).view(2, 1)._is_view()
    x = torch.ones(2)
    with torch.inference_mode():
        assert x.view(2, 1)._is_view()


def test_jacfwd_draws_only_where_it_is_told_to(torch: Any) -> None:
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        torch.func.jacfwd(lambda x: x * torch.rand(3))(x)
    assert torch.func.jacfwd(lambda x: x * torch.rand(3), randomness="same")(x).shape == (3, 3)


def test_a_number_of_a_tensor_that_requires_a_gradient_is_warned_of() -> None:
    x = gradcli.ones((), requires_grad=True)
    for convert in (float, complex):
        with pytest.warns(UserWarning, match="requires_grad=True to a scalar"):
            assert convert(x) == 1
        with gradcli.no_grad():
            convert(x)
    assert int(x) == x.item() == float(x.detach()) == 1


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda t, x: x.clamp_(0.5), "long int"), (lambda t, x: x.clip_(max=0.5), "long int"),
        (lambda t, x: t.clamp(x, 0.5, out=x), "long int"), (lambda t, x: x.short().clamp_min_(0.5), "short int"),
        (lambda t, x: x.clamp_(t.tensor(0.5)), "Long"), (lambda t, x: x.add_(0.5), "Long"),
    ],
)  # fmt: skip
def test_whole_numbers_are_not_clamped_to_others(torch: Any, call: Any, given: str) -> None:
    with pytest.raises(RuntimeError, match=f"result type Float can't be cast to the desired output type {given}$"):
        call(torch, torch.arange(3))


def test_sparse_tensors_of_bfloat16_are_refused() -> None:
    dense = gradcli.ones(2, 2).bfloat16()
    for make in (dense.to_sparse, lambda: gradcli.sparse_coo_tensor([[0]], dense[0, :1], (2,))):
        with pytest.raises(NotImplementedError, match="of bfloat16 are not supported"):
            make()


def test_a_cotangent_map_spends_its_graph_where_it_is_told_to(torch: Any) -> None:
    x = torch.arange(3.0)
    _, product = torch.func.vjp(lambda a: a**3, x)
    assert product(x)[0].tolist() == product(x, retain_graph=False)[0].tolist() == [0.0, 3.0, 24.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        product(x)


def test_what_a_transform_refuses_has_drawn_nothing(torch: Any) -> None:
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="random operation"):
        torch.func.jacfwd(lambda a: a * torch.rand(3))(torch.ones(3))
    assert torch.equal(torch.rand(3), expected)


def test_in_inference_mode_there_are_no_tangents(torch: Any) -> None:
    fwad = torch.autograd.forward_ad
    with fwad.dual_level():
        x = fwad.make_dual(torch.ones(2), torch.ones(2))
        with torch.no_grad():
            assert fwad.unpack_dual(x * 2).tangent.tolist() == [2.0, 2.0]
        with torch.inference_mode():
            assert fwad.unpack_dual(x * 2).tangent is None
    with torch.inference_mode():
        assert torch.func.jvp(torch.sin, (torch.zeros(1),), (torch.ones(1),))[1].tolist() == [1.0]


def test_only_what_is_read_of_a_node_is_unpacked(torch: Any) -> None:
    unpacked = []
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(0) or t):
        y = x * x
    assert y.grad_fn._saved_other.tolist() == [1.0, 1.0]
    assert unpacked == [0]


def test_a_hook_on_leaves_together_is_not_for_grad(torch: Any) -> None:
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    calls: list[Any] = []
    torch.autograd.graph.register_multi_grad_hook((a, b), calls.append)
    (a * b).sum().backward()
    assert len(calls) == 1
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad((a * b).sum(), a)
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        a.sum().backward(inputs=[torch.ones(2)])


def test_a_leafs_node_is_called_with_a_gradient(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    seen: list[Any] = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    node = (x * 2).grad_fn.next_functions[0][0]
    assert node(torch.ones(2)) == ()
    assert node(None) == ()
    node(torch.ones(2))
    assert seen[0] == [1.0, 1.0]
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="expected 1 arguments, got 0 instead"):
        node()
    with pytest.raises(TypeError, match="argument 0 is not a Variable"):
        node(1)


@pytest.mark.parametrize(("given", "made"), [("float32", "complex64"), ("complex64", "int32")])
def test_a_gradient_of_another_kind_of_numbers_is_refused(torch: Any, given: str, made: str) -> None:
    class Other(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return torch.ones(2, dtype=getattr(torch, made))

    x = torch.ones(2, dtype=getattr(torch, given), requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Expected isFloatingType\(grad.scalar_type\(\)\)"):
        Other.apply(x).abs().sum().backward()
    assert x.grad is None


def test_a_tangent_of_whole_numbers_is_refused(torch: Any) -> None:
    class Whole(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.int()

    fwad = torch.autograd.forward_ad
    with fwad.dual_level(), pytest.raises(RuntimeError, match="its forward grad to be floating point or complex"):
        Whole.apply(fwad.make_dual(torch.ones(2), torch.ones(2)))


def test_a_gradient_is_not_asked_for_what_was_made_in_inference_mode(torch: Any) -> None:
    with torch.inference_mode():
        x = torch.ones(2)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        x.requires_grad = True
    assert torch.inference_mode(mode=False).mode is False


def test_a_copy_lies_in_the_same_memory_and_keeps_what_a_program_put_there(torch: Any) -> None:
    import copy
    import pickle

    x = torch.ones(3, requires_grad=True)
    x.note = "mine"
    other = copy.copy(x)
    assert other.is_leaf
    assert other.requires_grad
    assert not other._is_view()
    with torch.no_grad():
        other.zero_()
    assert x.tolist() == [0.0, 0.0, 0.0]
    assert copy.copy(x * 2).grad_fn is None
    assert [f(x).note for f in (copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t)))] == ["mine"] * 3
    z = torch.tensor([1 + 2j, 3])
    assert copy.deepcopy(z.conj()).tolist() == [1 - 2j, 3]


def test_an_output_that_is_given_another_shape_counts_a_write(torch: Any) -> None:
    out = torch.empty(0)
    assert torch.add(torch.ones(2), 1, out=out)._version == 1


def test_an_input_handed_back_twice_is_two_outputs(torch: Any) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x, x

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return 3 * g + 5 * h

    x = torch.ones(2, requires_grad=True)
    first, second = Both.apply(x)
    assert [first.output_nr, second.output_nr] == [0, 1]
    (first + 2 * second).sum().backward()
    assert x.grad.tolist() == [13.0, 13.0]


def test_what_is_captured_of_a_node_that_runs_besides_has_not_seen_its_hooks(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * 2
    z.register_hook(lambda g: g * 2)
    by_x, by_z = torch.autograd.grad((z * z).sum(), [x, z], retain_graph=True)
    assert (by_x.tolist(), by_z.tolist()) == ([16.0, 32.0], [4.0, 8.0])
    y = (z * z).sum()
    y.backward(inputs=[z])
    assert z.retains_grad
    assert z.grad.tolist() == [8.0, 16.0]


def test_a_view_of_a_leaf_that_is_a_view_is_read_anew_after_a_write(torch: Any) -> None:
    b = torch.arange(4.0).reshape(2, 2).requires_grad_()
    v = b.T
    with torch.no_grad():
        v.mul_(2)
    assert v.grad_fn.name() == "AsStridedBackward0"
    (v.sum() + b.sum()).backward()
    assert b.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_what_is_marked_dirty_counts_a_write_even_if_it_is_refused(torch: Any) -> None:
    a = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="were not returned as output"):
        _twice(torch, (a, lambda ctx, x: ctx.mark_dirty(x)))
    assert a._version == 1


@pytest.mark.parametrize("view", [lambda p: p.t(), lambda p: p.as_strided((2,), (2,)), lambda p: p[:, 0]])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_write_to_a_view_of_a_dual_number_is_one_to_its_tangent(torch: Any, view: Any, recorded: bool) -> None:
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        p = forward_ad.make_dual(torch.ones(2, 2, requires_grad=recorded).clone(), torch.ones(2, 2))
        other, v = view(p), view(p)
        v.mul_(3)
        for t in (p, v, other):
            value, tangent = forward_ad.unpack_dual(t)
            assert tangent.tolist() == value.tolist()


def test_a_gradient_that_is_withheld_goes_on_as_none(torch: Any) -> None:
    told: list[Any] = []

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            told.append(g.tolist())
            return g * 2

    class Withheld(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None

    x = torch.ones(2, requires_grad=True)
    y = Doubled.apply(x)
    y.register_hook(told.append)
    y.grad_fn.register_hook(lambda inputs, outputs: told.append((inputs[0].tolist(), outputs)))
    Withheld.apply(y).sum().backward()
    assert told == [None, [0.0, 0.0], ([0.0, 0.0], (None,))]
    assert x.grad.tolist() == [0.0, 0.0]
    # What PyTorch computes itself hands nothing on.
    z = torch.ones(2, requires_grad=True)
    told.clear()
    z.register_hook(told.append)
    product = z * 3
    product.grad_fn.register_hook(lambda inputs, outputs: told.append((inputs[0], outputs)))
    Withheld.apply(product).sum().backward()
    assert told == [(None, (None,)), None]
    assert z.grad is None


def test_inputs_may_have_names(torch: Any) -> None:
    x, w = (torch.tensor([n], requires_grad=True) for n in (2.0, 3.0))
    found = torch.autograd.grad((x * w).sum(), {"x": x, "w": w})
    assert {name: g.tolist() for name, g in found.items()} == {"x": [3.0], "w": [2.0]}
    (x * w).sum().backward(inputs={"w": w})
    assert x.grad is None
    assert w.grad.tolist() == [2.0]


def test_anomalies_are_seen_where_nobody_asks(torch: Any) -> None:
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * math.nan, g

    torch.set_anomaly_enabled(True)
    try:
        with (
            pytest.warns(UserWarning, match="Error detected in BrokenBackward"),
            pytest.raises(RuntimeError, match="'BrokenBackward' returned nan values in its 0th output"),
        ):
            Broken.apply(torch.ones(2), torch.ones(2, requires_grad=True)).sum().backward()
    finally:
        torch.set_anomaly_enabled(False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g[:1], "has changed the size of value"),
        (lambda g: g.double(), r"changed the type of value \(was torch.FloatTensor got torch.DoubleTensor\)"),
        (lambda g: g * 1j, r"changed the type of value \(was torch.FloatTensor got CPUComplexFloatType\)"),
    ],
)
def test_a_hook_of_a_node_keeps_type_and_size(torch: Any, change: Any, words: str) -> None:
    x = torch.ones(2, requires_grad=True)
    after, before = x + x, x + x
    after.grad_fn.register_hook(lambda inputs, outputs: (change(inputs[0]), inputs[1]))
    before.grad_fn.register_prehook(lambda outputs: (change(outputs[0]),))
    for y in (after, before):
        with pytest.raises(RuntimeError, match=words):
            y.sum().backward()


def test_a_hook_of_a_node_makes_no_gradient_where_there_is_none(torch: Any) -> None:
    y = torch.ones(2, requires_grad=True) * torch.ones(2)
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], torch.ones(2)))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        y.sum().backward()


def test_the_blocks_of_modes_have_no_value(torch: Any) -> None:
    blocks = (torch.no_grad(), torch.enable_grad(), torch.set_grad_enabled(True), torch.inference_mode())
    for block in blocks:
        with block as value:
            assert value is None


def test_inference_mode_takes_nothing_out_of_a_graph(torch: Any) -> None:
    leaf = torch.ones(2, requires_grad=True)
    made, view = leaf * 2, leaf[:1]
    with torch.inference_mode():
        for t in (leaf, made, view):
            assert t.detach_() is t
    assert leaf.requires_grad
    assert made.grad_fn is not None
    assert view.grad_fn is not None
