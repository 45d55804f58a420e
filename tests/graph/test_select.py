"""Smaller views: what they keep, what they say of what they left out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

import gradcli as torch
from gradcli.errors import InputError
from gradcli.graph.ask import select
from gradcli.graph.view.view import LEAF, Item, View
from tests.quick import within
from tests.rings import examples, large

from . import views
from .test_collect import viewed


def product() -> View:
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
    y = (a + b) * (b + 1)
    return views.of_tensor(y, {"a": a, "b": b, "y": y})


def wide(arguments: int) -> View:
    """One op of many arguments, each of an op of its own."""
    tips = [views.op("SinBackward0", ("self", views.leaf(f"x{n}")), variable=f"s{n}") for n in range(arguments)]
    return views.view(views.op("StackBackward0", *((f"tensors[{n}]", tip) for n, tip in enumerate(tips))), name="y")


def names(view: View) -> list[str]:
    return [select.named(view, item) for item in view.items]


def told(view: View) -> dict[str, tuple[str | None, int]]:
    """The items that say that something is hidden behind them."""
    return {select.named(view, item): (item.cut, item.hidden) for item in view.items if item.cut}


def reachable(item: Item) -> set[Item]:
    """An item and all that it leads to."""
    found = {item}
    waiting = [item]
    while waiting:
        for edge in waiting.pop().edges:
            if edge.to is not None and edge.to not in found:
                found.add(edge.to)
                waiting.append(edge.to)
    return found


def sound(view: View, smaller: View) -> None:
    """What is true of every view taken from another."""
    places = {item: n for n, item in enumerate(smaller.items)}
    assert smaller.root in places
    assert reachable(smaller.root) == set(smaller.items)
    for item, edge in smaller.edges():
        assert edge.to is None or places[edge.to] < places[item]
    assert smaller.truncated == len(view.items) - len(smaller.items)
    assert smaller.whole is view
    assert not set(smaller.items) & set(view.items)


# -- near the root -------------------------------------------------------------------------------


def test_depth_counts_edges_from_the_root() -> None:
    view = product()
    assert names(select.depth(view, 0)) == ["y"]
    assert told(select.depth(view, 0)) == {"y": ("depth", 4)}
    one = select.depth(view, 1)
    assert names(one) == ["n2", "n3", "y"]
    # What is behind both of two counts for both.
    assert told(one) == {"n2": ("depth", 2), "n3": ("depth", 1)}
    assert select.depth(view, 2) is view


def test_max_nodes_are_those_nearest_to_the_root() -> None:
    view = product()
    assert names(select.max_nodes(view, 2)) == ["n2", "y"]
    assert told(select.max_nodes(view, 2)) == {"n2": ("nodes", 2), "y": ("nodes", 2)}
    assert names(select.max_nodes(view, 4)) == ["a", "n2", "n3", "y"]
    assert select.max_nodes(view, 5) is view


def test_of_many_arguments_some_are_kept() -> None:
    smaller = select.max_nodes(wide(300), 11)
    assert told(smaller) == {"y": ("nodes", 580)} | {f"s{n}": ("nodes", 1) for n in range(10)}
    assert [edge.argument for edge in smaller.root.edges] == [f"tensors[{n}]" for n in range(10)]


@pytest.mark.parametrize("most", [1, 7, 500])
def test_what_is_hidden_is_counted_exactly(most: int) -> None:
    view = views.residual(300)
    smaller = select.max_nodes(view, most)
    originals = {item.id: item for item in view.items}
    kept = {originals[item.id] for item in smaller.items}
    for item in smaller.items:
        behind, waiting = set(), [originals[item.id]]
        while waiting:
            for edge in waiting.pop().edges:
                if edge.to is not None and edge.to not in kept | behind:
                    behind.add(edge.to)
                    waiting.append(edge.to)
        assert item.hidden == len(behind)
        assert bool(item.cut) == bool(behind)


def test_a_cut_view_that_is_cut_again_tells_of_both() -> None:
    view = views.chain(9)
    twice = select.max_nodes(select.depth(view, 5), 3)
    assert [item.hidden for item in twice.items] == [3, 0, 0]
    assert twice.truncated == 7
    assert twice.whole is view


# -- on the way to a name, and from it -----------------------------------------------------------


def test_focus_keeps_the_paths_to_a_name() -> None:
    view = product()
    smaller = select.focus(view, "a")
    assert names(smaller) == ["a", "n2", "y"]
    assert smaller.aspect == "focus on a"
    assert [(edge.argument, edge.to.variable) for edge in smaller.items[1].edges if edge.to] == [("self", "a")]
    assert names(select.focus(view, "b")) == ["b", "n2", "n3", "y"]
    assert names(select.focus(view, "y")) == ["y"]


def test_what_is_kept_is_told_of_the_items_that_are_shown() -> None:
    root = select.depth(viewed("import torch\ny = torch.ones(2, requires_grad=True).tanh()"), 0).root
    assert [each.of for each in root.saved] == [root]
    root = select.depth(viewed("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.cos().exp() * x"), 1).root
    assert {each.name: each.of for each in root.saved} == {edge.argument: edge.to for edge in root.edges}


def test_an_op_in_focus_says_what_is_behind_it() -> None:
    view = product()
    smaller = select.focus(view, "n2")
    assert names(smaller) == ["n2", "y"]
    assert told(smaller) == {"n2": ("focus", 2)}


def test_invert_leads_from_what_is_used_to_what_uses_it() -> None:
    view = product()
    upwards = select.invert(view, "b")
    assert names(upwards) == ["y", "n3", "n2", "b"]
    assert upwards.root.kind == LEAF
    assert [(edge.argument, edge.to.id, edge.grad.item()) for edge in upwards.root.edges if edge.to] == [
        ("other", "n2", 4.0),
        ("self", "n3", 5.0),
    ]
    (used,) = upwards.items[1].edges
    assert (used.argument, used.to, used.grad.item()) == ("other", upwards.items[0], 5.0)


def test_every_name_of_an_item_finds_it() -> None:
    view = product()
    view.root_name = "result"
    for n, item in enumerate(view.items):
        item.number = n
    for name in ("result", "y", "#4"):
        assert select.find(view, name) is view.root
    assert select.find(view, "b") is select.find(view, "#1")


def test_a_name_that_is_none_of_the_graphs() -> None:
    view = product()
    with pytest.raises(InputError) as caught:
        select.focus(view, "q")
    assert str(caught.value) == "there is no 'q' in the graph of y"
    assert caught.value.help == "it has a, b, y"
    assert caught.value.code == "E507"
    view.root_name = "result"
    view.items[0].variable = "weight"
    with pytest.raises(InputError) as caught:
        select.invert(view, "wieght")
    assert str(caught.value) == "there is no 'wieght' in the graph of result"
    assert caught.value.help == "did you mean weight?"
    with pytest.raises(InputError) as caught:
        select.find(wide(300), "nothing")
    assert caught.value.help == "it has x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, ..."


# -- in general ------------------------------------------------------------------------------------


@settings(max_examples=examples(60), deadline=None)
@given(views.views(), st.integers(0, 6), st.integers(1, 12), st.data())
def test_any_part_of_any_view_is_sound(view: View, far: int, most: int, data: st.DataObject) -> None:
    for number, item in enumerate(view.items):
        item.id = f"i{number}"
    name = data.draw(st.sampled_from([item.id for item in view.items]))
    for smaller in (select.depth(view, far), select.max_nodes(view, most)):
        if smaller is not view:
            sound(view, smaller)
    assert len(select.max_nodes(view, most).items) == min(most, len(view.items))
    sound(view, select.focus(view, name))
    upwards = select.invert(view, name)
    sound(view, upwards)
    assert {item.id for item in upwards.items} == {item.id for item in select.focus(view, name).items}


@pytest.mark.parametrize("make", [views.chain, views.residual])
def test_a_large_graph_takes_no_time(make: object) -> None:
    view = make(large(10_000))  # type: ignore[operator]
    with within(15):
        first = view.items[0].id
        for smaller in (
            select.depth(view, 200), select.max_nodes(view, 3000), select.focus(view, first), select.invert(view, first)
        ):  # fmt: skip
            assert smaller.items


# -- calls ---------------------------------------------------------------------------------------

CALLS = """
def layer(v, w):
    return torch.tanh(v * w + 1)
h = x
for t in range(3):
    h = layer(h, a)
side = torch.sin(b)
y = h * side
"""


@pytest.mark.parametrize("name", ["layer", "layer()", "layer()@2", "for t", "for t@2"])
def test_the_focus_on_a_call_keeps_all_that_is_in_it(name: str) -> None:
    view = viewed(CALLS, "x=1", "a=2", "b=3")
    part = select.focus(view, name)
    sound(view, part)
    kept = {item.id for item in part.items}
    calls = select.found_by(view, name)[1]
    inner = {item.id for item in select.inside(view, calls)}
    assert inner <= kept
    assert "a" in kept
    assert "b" not in kept
    assert part.aspect == f"focus on {name}"
    if name.endswith("@2"):
        assert sum(hidden for _, hidden in told(part).values()) == 5


def test_what_is_no_name_of_anything_is_refused_with_names_of_calls() -> None:
    view = viewed(CALLS, "x=1", "a=2", "b=3")
    with pytest.raises(InputError) as caught:
        select.focus(view, "layr()")
    assert "layer()" in str(caught.value.help)
