"""Layouts: every op once, every edge seen, and nothing that takes longer than the graph is large."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from gradcli.graph.ask.dominators import immediate_dominators
from gradcli.graph.text.layout import LIST, NESTED, SPINE, inline, listed, nested, planned, spine
from gradcli.graph.view.view import CONST, OP, Item, View
from tests.rings import examples

from .views import chain, const, doubling, leaf, op, recurrent, residual, view, views

SOME = settings(deadline=None, max_examples=examples(50))
LARGE = [(chain, 5000, 0), (doubling, 64, 0), (residual, 3300, 1), (recurrent, 1000, 1)]


@given(views())
@SOME
def test_every_op_is_expanded_once(drawn: View) -> None:
    for layout in (NESTED, SPINE, LIST):
        plan = planned(drawn, layout)
        expanded = [row.item for row in plan.rows if row.item is not None and row.item.kind == OP and not row.again]
        assert len(expanded) == len(set(expanded))
        assert set(expanded) == set(drawn.ops())
        # Numbers are those of the rows, from the root on.
        numbered = [row.item for row in plan.rows if row.item in plan.numbers and not row.again]
        assert [plan.numbers[item] for item in numbered] == list(range(len(numbered)))
        assert numbered[0] is drawn.root


@given(views())
@SOME
def test_nested_has_a_row_for_every_edge(drawn: View) -> None:
    plan = planned(drawn, NESTED)
    assert {row.edge for row in plan.rows if row.edge is not None} == {edge for _, edge in drawn.edges()}
    assert len(plan.rows) == 1 + sum(1 for _ in drawn.edges())
    # A row stands below the item that its edge starts at, behind the rows of its earlier arguments.
    open_rows: list[Item] = []
    for row in plan.rows:
        del open_rows[row.depth :]
        if row.edge is not None:
            assert row.edge in open_rows[row.depth - 1].edges
            assert row.last == (row.edge is open_rows[-1].edges[-1])
        if row.item is not None:
            open_rows.append(row.item)


def test_nested_gives_up_early_where_it_gets_long() -> None:
    assert nested(residual(3300), 200) is None
    assert nested(doubling(4), 9) is not None
    assert nested(doubling(4), 8) is None


# -- the spine ---------------------------------------------------------------------------------


def dominators_by_definition(order: list[Item]) -> list[int]:
    """The nearest item without which the root leads no longer to another."""
    found = []
    for target in order:
        cutting = []
        for without in order:
            waiting, reached = ([] if without is order[0] else [order[0]]), set()
            while waiting:
                item = waiting.pop()
                if item not in reached:
                    reached.add(item)
                    waiting += [edge.to for edge in item.edges if edge.to is not None and edge.to is not without]
            if target not in reached and without is not target:
                cutting.append(order.index(without))
        found.append(max(cutting, default=0))
    return found


@given(views())
@SOME
def test_dominators_are_dominators(drawn: View) -> None:
    order = [item for item in reversed(drawn.items) if not inline(item)]
    assert immediate_dominators(order) == dominators_by_definition(order)


@given(views(most=40))
@SOME
def test_the_spine_is_indented_no_deeper_than_the_logarithm(drawn: View) -> None:
    plan = spine(drawn)
    assert plan.depth <= math.log2(len(plan.rows))


@pytest.mark.parametrize(("of", "size", "depth"), LARGE)
def test_large_graphs_are_hardly_indented(of: Callable[[int], View], size: int, depth: int) -> None:
    assert spine(of(size)).depth == depth


def test_the_largest_branch_goes_on_below_the_others() -> None:
    x = leaf("x")
    small = op("Small", ("self", x))
    middle = op("Middle2", ("self", op("Middle1", ("self", x))))
    large = op("Large3", ("self", op("Large2", ("self", op("Large1", ("self", x))))))
    drawn = view(op("Root", ("a", large), ("b", small), ("c", middle), ("d", const("1"))))
    shown = [(row.depth, row.item.name) for row in spine(drawn).rows if row.item is not None]
    assert shown == [
        (0, "Root"), (1, "Middle2"), (1, "Middle1"), (1, "Small"), (0, "Large3"), (0, "Large2"), (0, "Large1"),
    ]  # fmt: skip


# -- engine order ------------------------------------------------------------------------------


@given(views())
@SOME
def test_a_list_is_in_an_order_in_which_gradients_can_be_computed(drawn: View) -> None:
    rows = [row.item for row in listed(drawn).rows]
    assert len(rows) == len(set(rows))
    assert set(rows) == {item for item in drawn.items if item.kind != CONST}
    place = {item: n for n, item in enumerate(rows)}
    assert all(place[item] < place[edge.to] for item, edge in drawn.edges() if edge.to in place)


def test_a_list_is_in_the_order_of_the_engine() -> None:
    a, b = leaf("a"), leaf("b")
    first = op("First", ("self", a))
    second = op("Second", ("self", b))
    drawn = View(root := op("Root", ("self", first), ("other", second)), [a, b, first, second, root])
    # What was recorded last runs first, and a leaf as soon as its gradient is there.
    assert [row.item for row in listed(drawn).rows] == [root, second, b, first, a]


@given(views())
@SOME
def test_layouts_of_the_same_graph_are_the_same(drawn: View) -> None:
    for layout in (NESTED, SPINE, LIST):
        assert planned(drawn, layout) == planned(drawn, layout)
