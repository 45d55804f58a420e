"""Repeated stretches of a graph, shown once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import gradcli as torch
from gradcli import nn
from gradcli.graph.ask.fold import fold
from gradcli.graph.view.collect import collect
from gradcli.graph.view.view import CONST, LEAF, Item, View
from tests.quick import within
from tests.rings import examples, large

from . import views


def shown(view: View) -> list[str]:
    """Each op with what it leads to."""
    return [
        f"{item.name.partition('Backward')[0]}({', '.join(_called(edge.to) for edge in item.edges)})"
        + (f" x{item.repeats[0]}" if item.repeats else "")
        for item in view.items
        if item.kind not in (LEAF, CONST)
    ]


def _called(item: Item | None) -> str:
    if item is None:
        return "None"
    return (item.variable or item.label or "?") if item.kind in (LEAF, CONST) else item.name.partition("Backward")[0]


def test_a_chain_is_one_op() -> None:
    folded = fold(views.chain(100))
    assert shown(folded) == ["Sin(x) x100"]
    assert folded.root.repeats == (100, "n1", "n100")
    assert folded.truncated == 99


def test_twice_as_many_paths_with_every_line() -> None:
    assert shown(fold(views.doubling(64))) == ["Add(y0, y0) x64"]


def test_layers_with_weights_of_their_own() -> None:
    folded = fold(views.residual(20))
    assert shown(folded) == ["Mm(x, w19)", "Relu(Mm)", "Add(x, Relu) x20", "Sum(Add)"]
    assert folded.root.edges[0].to.repeats == (20, "h0", "h19")  # type: ignore[union-attr]


def test_steps_that_share_their_weights() -> None:
    view = views.recurrent(50)
    folded = fold(view)
    assert shown(folded) == ["Mul(h0, w)", "Mul(u, x49)", "Add(Mul, Mul)", "Tanh(Add) x50"]
    assert folded.root.repeats == (50, "h1", "h50")
    assert folded.whole is view


def test_the_first_round_leads_to_what_was_there_before() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(3, 3, requires_grad=True)
    h = x.exp()
    for _ in range(9):
        h = torch.tanh(h @ w)
    folded = fold(collect(h.sum(), names={x._node: "x", w._node: "w"}))
    assert shown(folded) == ["Exp(x)", "Mm(Exp, w)", "Tanh(Mm) x9", "Sum(Tanh)"]


def test_what_uses_every_step_uses_the_one_that_is_shown() -> None:
    w = torch.tensor(0.5, requires_grad=True)
    h, seen = w, []
    for _ in range(10):
        h = torch.tanh(h * w)
        seen.append(h)
    folded = fold(collect(torch.stack(seen).sum(), names={w._node: "w"}))
    assert shown(folded) == ["Mul(w, w)", "Tanh(Mul) x10", "Stack(Tanh)", "Sum(Stack)"]
    (edge,) = folded.root.edges[0].to.edges  # type: ignore[union-attr]
    assert edge.argument == "tensors[0] .. tensors[9]"
    assert edge.grad is None


def test_a_loss_of_every_step() -> None:
    w = torch.tensor(0.5, requires_grad=True)
    h, loss = w, w * 0
    for n in range(12):
        h = torch.tanh(h * w)
        loss = loss + (h - float(n)) ** 2
    folded = fold(collect(loss, names={w._node: "w"}))
    assert shown(folded) == [
        "Mul(w, 0)", "Mul(w, w)", "Tanh(Mul)", "Sub(Tanh, None)", "Pow(Sub)", "Add(Mul, Pow) x12",
    ]  # fmt: skip


def test_of_runs_within_runs_the_outer_one_is_folded_first() -> None:
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(6):
        for _ in range(4):
            h = torch.sin(h)
        h = torch.cos(h) * w
    folded = fold(collect(h, names={w._node: "w"}))
    assert shown(folded) == ["Sin(w) x4", "Cos(Sin)", "Mul(Cos, w) x6"]


def test_a_network_of_equal_layers() -> None:
    net = nn.Sequential(*[layer for _ in range(20) for layer in (nn.Linear(4, 4), nn.Tanh())])
    loss = net(torch.ones(2, 4)).sum()
    names = {parameter._node: name for name, parameter in net.named_parameters()}
    folded = fold(collect(loss, names=names))
    assert [line for line in shown(folded) if " x" in line] == ["Tanh(Addmm) x20"]
    assert len(folded.items) == 7


def test_a_graph_without_repetition_stays_as_it_is() -> None:
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    view = collect((a + b) * (b + 1))
    assert fold(view) is view


def test_two_of_a_kind_are_no_run() -> None:
    a, b, c = (torch.tensor(x, requires_grad=True) for x in (1.0, 2.0, 3.0))
    view = collect(a + b + c)
    assert fold(view) is view


def test_what_one_round_made_for_others_is_no_shared_weight() -> None:
    x = torch.tensor(0.5, requires_grad=True)
    first = h = torch.sin(x)
    for _ in range(8):
        h = torch.sin(h) * first
    folded = fold(collect(h, names={x._node: "x"}))
    assert shown(folded) == ["Sin(x)", "Sin(Sin)", "Mul(Sin, Sin) x8"]


@settings(max_examples=examples(60), deadline=None)
@given(views.views(most=30))
def test_any_view_can_be_folded(view: View) -> None:
    folded = fold(view)
    places = {item: n for n, item in enumerate(folded.items)}
    for item, edge in folded.edges():
        assert edge.to is None or places[edge.to] < places[item]
    assert folded.truncated == len(view.items) - len(folded.items)
    assert fold(folded) is folded


@pytest.mark.parametrize("make", [views.chain, views.residual, views.recurrent])
def test_a_large_graph_takes_no_time(make: object) -> None:
    view = make(large(10_000))  # type: ignore[operator]
    with within(15):
        assert len(fold(view).items) < 10


def test_much_of_a_kind_without_order_takes_no_time() -> None:
    rng = np.random.default_rng(0)
    made = [views.leaf("x", 1.0)]
    for _ in range(large(10_000)):
        picks = rng.integers(max(0, len(made) - 50), len(made), 2)
        kind = "AddBackward0" if rng.random() < 0.7 else "MulBackward0"
        made.append(views.op(kind, ("self", made[picks[0]]), ("other", made[picks[1]])))
    view = views.view(made[-1])
    with within(15):
        fold(view)
