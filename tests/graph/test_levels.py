"""Graphs at levels: whole calls as boxes, of which nothing is untrue."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gradcli.errors import InputError
from gradcli.graph.ask.levels import deepest, levelled
from gradcli.graph.ask.page import AUTO, at_level, fits
from gradcli.graph.dot.document import to_dot
from gradcli.graph.json import to_json
from gradcli.graph.mermaid import to_mermaid
from gradcli.graph.text.tree import render
from gradcli.graph.view.collect import of_program
from gradcli.graph.view.view import CALL, CONST, OP, View
from gradcli.spec.input.source import read
from gradcli.spec.program import Program
from gradcli.text.parts import plain
from tests.rings import examples, sampled

from .test_collect import viewed
from .worlds import disordered, item

BLOCKS = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.Tanh()

    def forward(self, x):
        return x + self.act(self.fc(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)

torch.manual_seed(0)
net = Net()
loss = (net(torch.ones(2, 3)) ** 2).sum()
loss.backward()
"""
LOOP = """
import torch
W = torch.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
h = torch.ones(2)
for t in range(4):
    h = torch.tanh(W @ h)
loss = h.sum()
loss.backward()
"""


def untrue(view: View) -> Iterator[str]:
    """What a view at a level shows that is not in the graph."""
    whole = view.whole
    edges = {id(edge): item for item, edge in whole.edges()}
    for shown, edge in view.edges():
        if shown.box is None and edge.stands_for == ():
            continue
        for item_, one in edge.stands_for:
            if edges.get(id(one)) is not item_:
                yield f"{shown.id}.{edge.argument} is no edge of the graph"
            if shown.box is not None and item_ not in shown.box.items:
                yield f"{shown.id}.{edge.argument} does not start in its box"
            if edge.to is not None and edge.to.box is not None and one.to not in edge.to.box.items:
                yield f"{shown.id}.{edge.argument} does not end in its box"
        along = [one.grad for _, one in edge.stands_for if one.grad is not None]
        if along and not np.allclose(sum(along[1:], along[0]), edge.grad, equal_nan=True):
            yield f"{shown.id}.{edge.argument} has another gradient"
    ops = sum(item.box.ops if item.box is not None else item.kind == OP for item in view.items)
    if ops != sum(1 for _ in whole.ops()):
        yield f"{ops} ops are shown"
    inside = [item for each in view.items if each.box is not None for item in each.box.items]
    single = [each for each in view.items if each.box is None]
    if len(inside) != len(set(inside)) or len(inside) + len(single) != len(whole.items):
        yield "something is shown twice, or not at all"
    yield from (f"{id} stands before what it leads to" for id in disordered(view))
    drawn = {(shown.id, edge.to and edge.to.id) for shown, edge in view.edges()}
    home = {item: each.id for each in view.items if each.box is not None for item in each.box.items}
    for start, edge in whole.edges():
        if edge.to is not None:
            ends = home.get(start, start.id), home.get(edge.to, edge.to.id)
            if ends[0] != ends[1] and ends not in drawn:
                yield f"{ends} is not drawn"


def at_all_levels(view: View) -> None:
    for level in range(1, deepest(view) + 1):
        assert list(untrue(levelled(view, level))) == []
    assert not any(each.box for each in levelled(view, deepest(view)).items)


# -- scopes ------------------------------------------------------------------------------------


def test_every_op_knows_the_calls_that_it_ran_in() -> None:
    view = viewed(BLOCKS)
    scopes = {scope.id for each in view.ops() if each.scope is not None for scope in each.scope.path}
    assert scopes >= {"net", "blocks.0", "blocks.2", "blocks.2.fc", "blocks.2.act", "head", "for block@3"}
    adds = [each for each in view.ops() if each.name == "AddBackward0"]
    assert [[scope.id for scope in each.scope.path] for each in adds if each.scope] == [
        ["net", f"for block@{n + 1}", f"blocks.{n}"] for n in range(3)
    ]
    node = next(node for node in json.loads(to_json(view))["nodes"] if node["name"] == "TanhBackward0")
    assert node["scope"] == ["net", "for block@1", "blocks.0", "blocks.0.act"]
    assert view.root.scope is None


def test_functions_comprehensions_and_a_module_called_again_are_scopes() -> None:
    view = viewed(
        "import torch\nfc = torch.nn.Linear(2, 2)\nx = torch.ones(2, requires_grad=True)\n"
        "def f(v):\n    return torch.sin(v) * 2\ny = [f(fc(x)) for _ in range(2)]\nz = f(y[0] + y[1]).sum()\n"
    )
    scopes = {scope.id for each in view.ops() if each.scope is not None for scope in each.scope.path}
    assert scopes == {"fc", "fc@2", "f()", "f()@2", "f()@3", "for _@1", "for _@2"}


# -- levels ------------------------------------------------------------------------------------


def test_a_box_is_a_whole_call() -> None:
    view = viewed(BLOCKS)
    top = levelled(view, 1)
    assert [each.name for each in top.items if each.kind == CALL] == ["Net"]
    net = item(top, "net").box
    assert net is not None
    assert (net.ops, net.parameters) == (sum(1 for _ in view.ops()) - 2, 40)
    inner = levelled(view, 2)
    row = next(each for each in inner.items if each.repeats)
    assert (row.name, row.repeats) == ("Block", (3, "blocks.0", "blocks.2"))
    assert "Block × 3 (blocks.0 … blocks.2)" in "\n".join(map(plain, render(inner)))
    assert row.box is not None
    assert row.box.arrives == pytest.approx(float(np.linalg.norm(np.asarray(row.grad))))
    at_all_levels(view)


def test_turns_of_a_loop_are_one_row_with_the_numbers_of_the_first_and_the_last() -> None:
    view = viewed(LOOP)
    (row,) = [each for each in levelled(view, 1).items if each.kind == CALL]
    assert row.repeats == (4, "for t@1", "for t@4")
    assert row.box is not None
    assert row.box.ops == 8
    assert row.box.arrives == pytest.approx(math.sqrt(2))
    assert [edge.to and edge.to.id for edge in row.edges] == ["W"]
    assert np.allclose(row.edges[0].grad, item(view, "W").grad)


def test_calls_are_opened_and_closed_by_name() -> None:
    view = viewed(BLOCKS)
    one = levelled(view, 2, expand=["blocks.1"])
    assert {each.variable for each in one.items if each.kind == CALL} >= {"blocks.0", "blocks.2", "blocks.1.fc"}
    all_of_them = at_level(view, None, (), ["Block"])
    assert [each.name for each in all_of_them.items if each.kind == CALL] == ["Block"]
    assert at_level(view, 1, ["Net"]).items != []
    with pytest.raises(InputError, match="no call in the graph of loss is named"):
        levelled(view, 1, expand=["blocks.7"])
    at_all_levels(view)


def test_a_level_is_drawn_in_every_form() -> None:
    view = levelled(viewed(BLOCKS), 2)
    # Below the edge of the box's lid.
    assert 'shape=box3d, style="filled", fillcolor="#a8f0a8", margin="0.13,0.12"' in to_dot(view)
    assert '[["Block<br>#215; 3' in to_mermaid(view)
    found = {node["id"]: node for node in json.loads(to_json(view))["nodes"]}
    assert found["head"]["kind"] == "call"
    assert found["head"]["parameters"] == 4
    assert found["head"]["calls"] == ["head"]
    assert found["blocks.0..blocks.2"]["repeats"]["count"] == 3


def test_what_an_op_keeps_of_a_box_is_told_by_the_box() -> None:
    view = levelled(viewed(BLOCKS), 1)
    (power,) = [each for each in view.items if each.name == "PowBackward0"]
    (kept,) = [each for each in power.saved if each.name == "self"]
    assert kept.of is power.edges[0].to
    assert kept.of is not None
    assert kept.of.kind == CALL


def test_what_fits_a_page_is_the_deepest_level_that_does() -> None:
    view = viewed(BLOCKS)
    assert at_level(view, AUTO) is view
    long = viewed(LOOP.replace("range(4)", "range(400)"))
    assert not fits(long)
    shown = at_level(long, AUTO)
    assert fits(shown)
    assert len(shown.items) == 3


def test_frames_that_share_a_rank_need_room_beside_each_other() -> None:
    # Each layer's parameters hang beside the next layer, so that eight of them go down a diagonal.
    layers = (
        "net = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range({})])\nloss = net(torch.ones(2, 3)).sum()\n"
    )
    assert fits(viewed("import torch\n" + layers.format(3)))
    view = viewed("import torch\n" + layers.format(8))
    assert not fits(view)
    shown = at_level(view, AUTO)
    assert fits(shown)
    assert shown is not view


def test_a_frame_of_many_uses_is_drawn_once() -> None:
    text = (
        "import torch\nw = torch.ones(2, requires_grad=True)\nrows = []\nfor t in range(7):\n"
        "    rows.append(torch.tanh(w * t))\nloss = torch.stack(rows).sum()\n"
    )
    assert to_dot(levelled(viewed(text), 1)).count("shape=box3d") == 1


@pytest.mark.parametrize("path", sorted(Path("expressions").glob("*.py")), ids=lambda path: path.stem)
@sampled(8)
def test_nothing_untrue_of_the_gallery(path: Path) -> None:
    at_all_levels(of_program(Program(read(str(path)))))


def _statements(depth: int) -> st.SearchStrategy[list[str]]:
    """Statements of a random program: ops on two variables, calls of functions and modules, loops of them."""
    one = st.sampled_from(
        ["a = torch.sin(a)", "b = a * b", "a, b = b, a + 1", "a = f(a)", "b = g(a, b)", "a = fc(a)", "b = fc(a) + b"]
    )
    if not depth:
        return st.lists(one, min_size=1, max_size=3)
    inner = _statements(depth - 1).map(lambda body: [f"    {line}" for line in body])
    loop = st.tuples(st.integers(1, 4), inner).map(lambda made: [f"for i in range({made[0]}):", *made[1]])
    return st.lists(st.one_of(one.map(lambda line: [line]), loop), min_size=1, max_size=4).map(
        lambda parts: [line for part in parts for line in part]
    )


HEAD = (
    "import torch\nfc = torch.nn.Linear(2, 2)\na = torch.ones(2, requires_grad=True)\n"
    "b = torch.full((2,), 0.5, requires_grad=True)\n"
    "def f(v):\n    return torch.tanh(v) * 0.9\n"
    "def g(v, w):\n    for _ in range(2):\n        v = f(v) + w\n    return v\n"
)


@given(_statements(2))
@settings(deadline=None, max_examples=examples(30))
def test_nothing_untrue_of_any_program(statements: list[str]) -> None:
    view = viewed(HEAD + "\n".join(statements) + "\ny = (a + b).sum()\n")
    at_all_levels(view)
    assert all(each.kind != CONST or each.edges == [] for each in view.items)
