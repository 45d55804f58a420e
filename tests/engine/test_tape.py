"""The tape: what it writes down of every op, that later writes do not change it, and what can be done with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gradcli as torch
from gradcli.engine.modes import mode
from gradcli.engine.tape.replay import again, why_not
from gradcli.engine.tape.tape import Entry, Operand, entry_of, recording, restore
from gradcli.engine.tensor import Tensor
from gradcli.engine.writes.copyslices import CopySlices
from gradcli.errors import EngineError
from tests.rings import examples, sampled

from .replaying import nodes_of, replayed, same
from .test_registry import case, every_case


def entry(t: Tensor) -> Entry:
    found = entry_of(t.grad_fn)
    assert found is not None
    return found


def leaf(*values: float) -> Tensor:
    return torch.tensor(values if len(values) > 1 else values[0], requires_grad=True)


def shown(found: Entry) -> list[tuple[str, Any, int | None]]:
    return [
        (a.name, a.value.array.tolist() if isinstance(a.value, Operand) else a.value, a.slot) for a in found.arguments
    ]


# -- what an entry says ----------------------------------------------------------------------


def test_nothing_is_written_down_while_no_tape_is_on() -> None:
    y = leaf(2.0) * 3
    assert mode.tape is None
    assert entry_of(y.grad_fn) is None
    assert why_not(y.grad_fn) == "it was recorded while nothing was written down"


def test_a_tape_ends_with_its_block_and_can_go_on() -> None:
    with recording() as tape:
        y = leaf(2.0) * 3
        with recording():
            assert mode.tape is not tape
        assert mode.tape is tape
    assert mode.tape is None
    with recording(tape):
        z = y * 2
    assert entry_of(y.grad_fn) is not None
    assert entry_of(z.grad_fn) is not None
    assert not mode.aside


def test_a_tape_ends_with_an_error() -> None:
    with pytest.raises(EngineError), recording():
        leaf(2.0) @ leaf(1.0, 2.0)
    assert mode.tape is None


def test_operands_and_numbers_have_slots() -> None:
    a, b = leaf(2.0), leaf(3.0)
    with recording():
        y, z = a * b, 1 - a
        u = a + True
    assert entry(y).op.name == "mul"
    assert shown(entry(y)) == [("self", 2.0, 0), ("other", 3.0, 1)]
    assert entry(y).outputs == (6.0,)
    assert shown(entry(z))[:2] == [("self", 2.0, 0), ("other", 1, None)]
    assert shown(entry(u)) == [("self", 2.0, 0), ("other", True, 1)]


def test_lists_are_taken_apart() -> None:
    a, b = leaf(1.0, 2.0), torch.ones(2)
    with recording():
        y = torch.cat([a, b, a])
    assert shown(entry(y)) == [
        ("tensors[0]", [1.0, 2.0], 0), ("tensors[1]", [1.0, 1.0], 1), ("tensors[2]", [1.0, 2.0], 2), ("dim", 0, None),
    ]  # fmt: skip
    assert entry(y).attributes == {"dim": 0}
    assert [a.slot for a in entry(y).operands] == [0, 1, 2]


def test_every_slot_is_the_place_among_the_next_functions() -> None:
    x, w, b = leaf(1.0, 2.0), torch.ones(3, 2, requires_grad=True), torch.ones(3)
    with recording():
        h = torch.nn.functional.linear(x.unsqueeze(0), w, b)
        y = torch.where(h > 0, h, 0.0).clamp(min=0.5).sum()
        u = torch.nn.functional.batch_norm(h.repeat(2, 1), torch.zeros(3), torch.ones(3), training=True).sum()
    for node in nodes_of(y, u):
        found = entry_of(node)
        assert found is not None
        edges = node.next_functions
        slots = [a for a in found.arguments if a.slot is not None]
        assert [a.slot for a in slots] == list(range(len(edges)))
        for a in slots:
            operand = isinstance(a.value, Operand)
            assert (a.value.node if operand else None, a.value.output_nr if operand else 0) == edges[a.slot]


def test_outputs_are_all_there() -> None:
    with recording():
        values, _ = leaf(3.0, 1.0, 2.0).sort()
        a, _ = leaf(1.0, 2.0).unbind()
    assert [x.tolist() for x in entry(values).outputs] == [[1.0, 2.0, 3.0], [1, 2, 0]]
    assert [x.tolist() for x in entry(a).outputs] == [1.0, 2.0]


def test_an_op_without_a_derivative_has_slots_for_what_has_edges() -> None:
    with recording():
        y = torch.heaviside(torch.ones(2), leaf(1.0, 2.0))
    assert y.grad_fn.name().endswith("NotImplemented")
    assert [(a.name, a.slot) for a in entry(y).operands] == [("self", None), ("values", 0)]


def test_what_is_weighed_has_no_derivative_for_its_weights() -> None:
    weights = leaf(1.0, 2.0)
    places, points = torch.tensor([0, 1]), torch.zeros(2, 1)
    for y in (
        torch.bincount(places, weights), torch.histogramdd(points, [2], weight=weights).hist,
        torch.histogram(points[:, 0], 2, weight=weights).hist,
    ):  # fmt: skip
        assert y.grad_fn.name().endswith("NotImplemented")
        with pytest.raises(RuntimeError, match=r"derivative for aten::(bincount|_histogramdd_from_bin_cts) is"):
            y.sum().backward()
    assert torch.bincount(places).grad_fn is None
    assert torch.bincount(places, weights.detach(), minlength=3).tolist() == [1, 2, 0]


def test_custom_functions_call_their_arguments_as_their_forward_does() -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, factor: float, bias: Tensor) -> Any:
            return x * factor + bias

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return g * 2, None, g

    with recording():
        y = Scaled.apply(leaf(2.0), 2.0, leaf(1.0))
    assert entry(y).op is None
    assert shown(entry(y)) == [("x", 2.0, 0), ("factor", 2.0, None), ("bias", 1.0, 1)]
    assert again(y.grad_fn, [np.float32(5.0), np.float32(0.5)]) == (10.5,)


def test_what_is_differentiated_no_further_says_so() -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Tensor) -> Any:
            return g * 2

    x = leaf(2.0)
    with recording():
        (g,) = torch.autograd.grad(Once.apply(x) * x, x, create_graph=True)
    errors = [node for node in nodes_of(g) if type(node).__name__ == "Error"]
    assert [why_not(node) for node in errors] == ["it stands for an error"]


def test_entries_know_whose_backward_recorded_them() -> None:
    x = leaf(0.5)
    with recording() as tape:
        y = x.sigmoid()
        z = y * y
        (g,) = torch.autograd.grad(z, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, create_graph=True)
    assert tape.parent is None
    assert {entry_of(node).parent for node in nodes_of(z)} == {None}
    first = {entry_of(node).parent for node in nodes_of(g)} - {None}
    assert first == {z.grad_fn, y.grad_fn}
    assert entry(g).parent is y.grad_fn


    def order(node: Any) -> int:
        parent = entry_of(node).parent
        return 0 if parent is None else order(parent) + 1

    assert {order(node) for node in nodes_of(h, g)} == {0, 1, 2}


def test_entries_know_where_the_program_was() -> None:
    with recording() as tape:
        tape.where = "here"
        y = leaf(1.0) * 2
        tape.where = "there"
        z = y * 2
    assert (entry(y).where, entry(z).where) == ("here", "there")


def test_an_entry_lives_as_long_as_its_node() -> None:
    with recording():
        x = leaf(1.0, 2.0)
        h = x * 2
        y = h.exp()
        made = weakref.ref(entry(h).outs[0])
        node = weakref.ref(h.grad_fn)
        del h
        assert node() is not None
        del y
    gc.collect()
    assert node() is None
    assert made() is None


def test_no_tape_makes_a_cycle() -> None:
    gc.collect()
    gc.disable()
    try:
        with recording():
            x = leaf(1.0, 2.0)
            h = x * 2
            h.mul_(3)
            h[0] = x[1]
            y = (h.exp() * h).sum()
            y.backward()
            node = weakref.ref(y.grad_fn)
            del y, h
            assert node() is None
    finally:
        gc.enable()


def test_a_long_chain_can_be_let_go() -> None:
    with recording():
        y = leaf(1.0)
        for _ in range(50_000):
            y = y + 1
    del y


# -- numbers stay as they were ---------------------------------------------------------------


def test_a_write_changes_no_entry() -> None:
    with recording():
        x = leaf(1.0, 2.0)
        h = x * 2
        a = h + 1
        h.mul_(10)
        b = h + 1
        with torch.no_grad():
            x.add_(100)
    assert entry(a).outputs[0].tolist() == [3.0, 5.0]
    assert shown(entry(a))[0] == ("self", [2.0, 4.0], 0)
    assert shown(entry(b))[0] == ("self", [20.0, 40.0], 0)
    assert x.tolist() == [101.0, 102.0]
    (multiplied,) = [node for node in nodes_of(b) if entry_of(node).args[1:] == (2,)]
    assert shown(entry_of(multiplied))[0] == ("self", [1.0, 2.0], 0)


def test_a_write_through_a_view_is_one_to_the_base() -> None:
    with recording():
        x = leaf(1.0, 2.0)
        h = torch.zeros(2, 2)
        h[0] = x
        h[1] = x * 2
        h[1, 0] = 7.0
    last = h.grad_fn
    assert type(last) is CopySlices
    assert shown(entry_of(last)) == [("self", [[1.0, 2.0], [2.0, 4.0]], 0), ("src", 7.0, 1)]
    assert entry_of(last).outputs[0].tolist() == [[1.0, 2.0], [7.0, 4.0]]
    (before, _), *_ = last.next_functions
    assert shown(entry_of(before)) == [("self", [[1.0, 2.0], [0.0, 0.0]], 0), ("src", [2.0, 4.0], 1)]
    assert same(replayed(h), h._a)


def test_only_what_shares_memory_is_copied() -> None:
    with recording():
        x = torch.ones(4, requires_grad=True)
        h = x * 1
        rows = [h[i] for i in range(4)]
        total = rows[0] + rows[1]
        held = [a.value.held for a in entry(total).operands]
        kept = [cell.array for cell in held]
        with torch.no_grad():
            h[1] = 5.0
    assert held[0].array is kept[0]
    assert held[1].array is not kept[1]
    assert entry(total).outputs == (2.0,)


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop])
def test_a_step_changes_no_entry(make: Any) -> None:
    layer = torch.nn.Linear(2, 1)
    before = layer.weight.tolist()
    with recording():
        loss = layer(torch.ones(3, 2)).sum()
        loss.backward()
        make(layer.parameters(), lr=0.5).step()
    (turned,) = [entry_of(node) for node in nodes_of(loss) if entry_of(node).op.name == "t"]
    assert turned.operands[0].value.array.tolist() == before
    assert layer.weight.tolist() != before


def test_running_statistics_are_as_they_were() -> None:
    norm = torch.nn.BatchNorm1d(2)
    with recording():
        y = norm(torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True))
    given_ = {a.name: a.value for a in entry(y).operands}
    assert given_["running_mean"].array.tolist() == [0.0, 0.0]
    assert norm.running_mean.tolist() != [0.0, 0.0]


def test_a_custom_function_that_writes_is_given_what_it_was_given() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return g * 2

    with recording():
        h = leaf(1.0, 2.0) * 1
        made = h.grad_fn
        y = Doubled.apply(h)
    assert shown(entry(y)) == [("x", [1.0, 2.0], 0)]
    assert entry(y).operands[0].value.node is made
    assert entry_of(made).outputs[0].tolist() == [1.0, 2.0]
    assert same(replayed(y), y._a)


def test_accumulated_gradients_are_as_they_were() -> None:
    x, w = leaf(1.0, 2.0), leaf(1.0, 1.0)
    with recording():
        (x * x).sum().backward()
        y = x.grad * w
        (x * x).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]
    assert shown(entry(y))[0] == ("self", [2.0, 4.0], 0)


def test_numbers_are_forgotten_when_there_are_too_many() -> None:
    with recording() as tape:
        tape.budget = 0
        h = leaf(1.0, 2.0) * 2
        node = h.grad_fn
        h.add_(1)
        y = h * 2
    assert entry_of(node).outputs == (None,)
    assert entry(y).outputs[0].tolist() == [6.0, 10.0]
    (added,) = [n for n in nodes_of(y) if entry_of(n).op.name == "add"]
    assert why_not(added) == "its arguments were written to since, and were too large to keep"


def test_what_graphs_that_are_gone_kept_counts_no_longer() -> None:
    w = leaf(1.0, 2.0)
    with recording() as tape:
        tape.budget = 2 * w._a.nbytes
        for _ in range(5):
            y = w * 3
            with torch.no_grad():
                w.sub_(0.5)
        assert shown(entry(y))[0] == ("self", [-1.0, 0.0], 0)
        assert tape.budget == w._a.nbytes
        del y
        gc.collect()
        assert tape.budget == 2 * w._a.nbytes


def test_a_write_of_another_width_is_noted() -> None:
    with recording():
        h = leaf(1.0, 2.0) * 1
        h.mul_(torch.tensor([1.1, 1.3], dtype=torch.float64))
    assert entry(h).outputs[0].dtype == np.float32
    assert same(entry(h).outputs[0], h._a)
    assert same(replayed(h), h._a)


# -- leaving the graph -----------------------------------------------------------------------


def cuts_of(t: Tensor) -> list[tuple[str, Any, str | None]]:
    return [(cut.reason, cut.node, cut.label) for cut in t._cuts]


def test_where_numbers_leave_the_graph() -> None:
    x = leaf(1.0, 3.0)
    with recording():
        x._label = "x"
        h = x * 2
        assert cuts_of(h.detach()) == [("detach", h.grad_fn, None)]
        assert cuts_of(x.data) == [("data", x._node, "x")]
        assert cuts_of(h > 1) == [("integer", h.grad_fn, None)]
        assert cuts_of(h.argmax()) == [("integer", h.grad_fn, None)]
        assert cuts_of(h.to(torch.int64)) == [("integer", h.grad_fn, None)]
        with torch.no_grad():
            assert cuts_of(h * x) == [("no_grad", h.grad_fn, None), ("no_grad", x._node, "x")]
            assert cuts_of(h[0]) == [("no_grad", h.grad_fn, None)]
            assert cuts_of(torch.cat([h, x])) == [("no_grad", h.grad_fn, None), ("no_grad", x._node, "x")]
            assert cuts_of(torch.addmm(h, torch.ones(1, 1), torch.ones(1, 2))) == [("no_grad", h.grad_fn, None)]
        with torch.inference_mode():
            assert cuts_of(h * 1) == [("inference_mode", h.grad_fn, None)]
        assert cuts_of(torch.ones(2) * 2) == []
        gone = h * 1
        made = gone.grad_fn
        assert cuts_of(gone.detach_()) == [("detach", made, None)]


def test_what_is_made_of_a_cut_tensor_knows_of_the_cut() -> None:
    x = leaf(1.0, 3.0)
    with recording():
        c = (x * 2).detach()
        mask = ((c + 1).reshape(2, 1) > 3).float()
        y = mask * x
    (reason,) = [cut.reason for cut in entry(y).operands[0].value.cuts]
    assert reason == "detach"
    assert entry(y).operands[1].value.cuts == ()


def test_a_cut_keeps_what_was_cut() -> None:
    x = leaf(1.0, 3.0)
    with recording():
        c = (x * 2).detach()
    ((_, node, _),) = cuts_of(c)
    assert [before for before, _ in node.next_functions] == [x._node, None]


def test_cuts_behind_a_tensor_are_not_kept_without_end() -> None:
    with recording():
        total = torch.zeros(())
        for i in range(100):
            total = total + (leaf(float(i)) * 2).detach()
    assert 1 <= len(total._cuts) <= 64


def test_inference_tensors_are_still_known() -> None:
    with recording(), torch.inference_mode():
        assert (leaf(1.0, 2.0) * 2).is_inference()
    assert not (leaf(1.0, 2.0) * 2).is_inference()


def test_numbers_read_by_the_program_are_noted_once() -> None:
    x = leaf(2.0)
    with recording() as tape:
        for _ in range(3):
            x.item()
        int(x * 2)
        bool(x > 1)
        (x * 2).detach().numpy()
        torch.ones(()).item()
    assert [how for how, _ in tape.escapes] == ["item", "number", "bool", "numpy"]


# -- after a backward ------------------------------------------------------------------------


def test_what_a_backward_freed_is_still_freed_for_the_program() -> None:
    x = leaf(1.0, 2.0)
    with recording():
        y = x.exp().sum()
        y.backward()
        with pytest.raises(EngineError, match="backward through the graph a second time"):
            y.backward()


def test_a_graph_can_be_walked_again_as_it_was() -> None:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    with recording():
        h = (x * w).exp()
        k = h.tanh()
        kept = k.tolist()
        y = (k * h).sum()
        y.backward()
        want = x.grad.tolist(), w.grad.tolist()
        with torch.no_grad():
            w.mul_(0)
            h.zero_()
    restore(y.grad_fn)
    x.grad = w.grad = None
    assert next(node for node in nodes_of(y) if entry_of(node).op.name == "tanh")._saved_result.tolist() == kept
    y.backward()
    assert (x.grad.tolist(), w.grad.tolist()) == want


def test_what_could_not_be_kept_is_not_given_back() -> None:
    x = leaf(1.0, 2.0)
    with recording() as tape:
        h = x.exp()
        y = h.sin().sum()
        y.backward()
        tape.budget = 0
        with torch.no_grad():
            h.zero_()
    restore(y.grad_fn)
    with pytest.raises(EngineError, match="backward through the graph a second time"):
        y.backward()


def test_restoring_gives_writes_and_custom_functions_back_too() -> None:
    class Cubed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            y = x**3
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            x, y = ctx.saved_tensors
            return g * 3 * y / x

    x = leaf(1.0, 2.0)
    with recording():
        h = x * 2
        h[0] = x[1] * x[0]
        c = Cubed.apply(h)
        y = c.sum()
        y.backward()
        want = x.grad.tolist()
        with torch.no_grad():
            h.zero_()
            c.zero_()
    restore(y.grad_fn)
    x.grad = None
    y.backward()
    assert x.grad.tolist() == want


def test_second_orders_can_be_walked_again() -> None:
    x = leaf(0.5, 1.5)
    with recording():
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        y = g.sum()
        y.backward()
        want = x.grad.tolist()
    restore(y.grad_fn)
    x.grad = None
    y.backward()
    assert x.grad.tolist() == want == [3.0, 9.0]


# -- evaluated again -------------------------------------------------------------------------


@sampled(8, each="name")
@every_case
def test_every_op_can_be_evaluated_again(name: str, index: int) -> None:
    c = case(name, index)
    for dtype in (np.float64, np.float32):
        with recording():
            _, y = c.call(c.arrays(), dtype=dtype)
        outs = y if isinstance(y, (tuple, list)) else (y,)
        for node in nodes_of(*[t for t in outs if isinstance(t, Tensor) and t.grad_fn is not None]):
            found = entry_of(node)
            assert found is not None
            assert why_not(node) is None
            numbers = [a.value.array if isinstance(a.value, Operand) else a.value for a in found.operands]
            for got, want in zip(again(node, numbers), found.outputs, strict=True):
                assert same(got, want)


Step = Callable[[list[Tensor]], Tensor]

STEPS: list[Step] = [
    lambda t: t[0] * t[1],
    lambda t: t[0] + 1,
    lambda t: 2.5 - t[1],
    lambda t: t[0] / (t[1] * t[1] + 1),
    lambda t: torch.tanh(t[0]),
    lambda t: t[1].sigmoid() * t[0].exp().clamp(max=3.0),
    lambda t: torch.where(torch.tensor([True, False, True]), t[0], t[1] * 2),
    lambda t: torch.cat([t[0], t[1]])[1:4],
    lambda t: torch.stack([t[0], t[1]]).sum(0),
    lambda t: t[0].reshape(3, 1) @ t[1].reshape(1, 3) @ torch.ones(3),
    lambda t: t[0].sort()[0].flip(0),
    lambda t: torch.outer(t[0], t[1]).t().amax(1),
    lambda t: torch.nn.functional.linear(t[0], torch.ones(3, 3), t[1]),
    lambda t: (t[0].unbind()[0] * t[1]).cumsum(0),
    lambda t: t[0].clone().mul_(t[1]).add_(1),
    lambda t: _written(t[0], t[1]),
    lambda t: t[0].double().mul(t[1]).float(),
    lambda t: torch.softmax(t[0], 0) * t[1].std(),
    lambda t: t[0].as_strided((3,), (1,)) * t[1].abs(),
]


def _written(a: Tensor, b: Tensor) -> Tensor:
    c = a * 1
    c[1:] = b[:2]
    c[0] = 0.5
    c[torch.tensor([0, 2])] = c[:2] * b[0]
    c[torch.tensor([False, True, False])] += 1
    return c


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=12))
def test_random_programs_can_be_evaluated_again(steps: list[tuple[Step, int, int]]) -> None:
    def program(x: Tensor, w: Tensor) -> Tensor:
        have = [x, w]
        for step, i, j in steps:
            have.append(step([have[i % len(have)], have[j % len(have)]]))
        return have[-1] * have[0] + have[-1] * have[1]

    def leaves(*values: list[float]) -> list[Tensor]:
        return [torch.tensor(v, requires_grad=True) for v in values]

    x, w = leaves([0.5, -1.25, 2.0], [1.5, 0.25, -0.75])
    with recording():
        y = program(x, w)
    assert same(replayed(y), y._a)
    elsewhere = leaves([0.25, 1.0, -0.5], [-1.0, 0.75, 2.0])
    want = program(*elsewhere)
    assert same(replayed(y, {a._node: b._a for a, b in zip((x, w), elsewhere, strict=True)}), want._a)


def test_a_complex_number_carries_a_derivative_through() -> None:
    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    with recording():
        h = x * 2
        h[0] = x[1].exp() * x[0]
        y = (h.tanh() * torch.tensor([2.0, 3.0], dtype=torch.float64)).sum()
    (g,) = torch.autograd.grad(y, x)
    moved = replayed(y, {x._node: np.array([0.5 + 1e-20j, 1.5])})
    assert np.imag(moved) / 1e-20 == pytest.approx(g[0].item(), rel=1e-14)


def test_what_a_backward_records_under_a_hook_is_over_with_it() -> None:
    with recording() as tape:
        x = leaf(1.0, 2.0)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            torch.autograd.grad(x.sin().sum(), x, create_graph=True)
        assert (tape.parent, tape.order) == (None, 0)
        torch.vmap(torch.func.jacrev(torch.sin))(torch.ones(3, 2))
        assert (tape.parent, tape.order) == (None, 0)
        later = x.exp()
    assert (entry(later).parent, entry(later).order) == (None, 0)
