"""The lines above a drawing: what it is of, how much there is of it, and which columns it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...text.cells import cells, pad
from ...text.parts import FAINT, HEADING, Part
from ..view.view import CONST, LEAF, OP, ROOT, View
from .columns import GRAD, LINE, ORDER, SHAPE, TANGENT, VALUE, Beside, Table
from .labels import Labels
from .style import flowed, within

# Between a title and what stands beside it.
_GAP = 3


def headline(view: View, labels: Labels, columns: Table, width: int) -> Iterator[list[Part]]:
    """The title and the counts: in one line, with the counts above the columns, where there is room."""
    mark = labels.symbols.more
    title = labels.clean(view.title or labels.named(view.root) or view.root.name)
    pieces = [*counts(view), *([labels.clean(view.aspect)] if view.aspect else [])]
    between = labels.symbols.between
    told = between.join(pieces)
    for start in (columns.start, cells(title) + _GAP):
        if cells(title) + _GAP <= start <= width - cells(told):
            yield [Part(pad(title, start), HEADING), Part(told, FAINT)]
            return
    yield within([Part(title, HEADING)], width, mark)
    for line in flowed(pieces, between, width):
        yield within([Part(line, FAINT)], width, mark)


def counts(view: View) -> list[str]:
    """The backward that a graph is of, where there are several, and the counts of each kind in the whole graph."""
    ops, leaves, constants, edges = counted(view)
    which = view.whole.backward
    return [
        *([which.words] if which is not None and which.words else []),
        f"{ops} op{'s' * (ops != 1)}",
        f"{leaves} {'leaf' if leaves == 1 else 'leaves'}",
        *([f"{constants} constant{'s' * (constants != 1)}"] if constants else []),
        f"{edges} edge{'s' * (edges != 1)}",
    ]


def counted(view: View) -> tuple[int, int, int, int]:
    """Ops, leaves, constants and edges of the whole graph.

    An edge to a constant is none of the graph's; one that leads nowhere is, and counts as a constant too.
    """
    whole = view.whole
    kinds = [item.kind for item in whole.items]
    ends = [None if edge.to is None else edge.to.kind for item, edge in whole.edges() if item.kind != ROOT]
    edges = len(ends) - ends.count(CONST)
    return kinds.count(OP), kinds.count(LEAF), kinds.count(CONST) + ends.count(None), edges


def column_names(view: View, values: str, grads: str, found: Sequence[Beside]) -> list[str]:
    """The columns that have something to tell."""
    wanted = {
        SHAPE: True, ORDER: False, VALUE: values != "none", TANGENT: bool(view.whole.moving), GRAD: grads != "none",
        LINE: _has_lines(view),
    }  # fmt: skip
    wanted[ORDER] = any(item.order for item in view.items)
    # Among derivatives of numbers the order of each says more.
    wanted[SHAPE] = not wanted[ORDER] or any(item.shape for item in view.items)
    return [name for name, is_wanted in wanted.items() if is_wanted and any(each[name].known for each in found)]


def _has_lines(view: View) -> bool:
    """Tell whether the program has more than one line."""
    span = next((item.span for item in reversed(view.items) if item.span is not None), None)
    return span is not None and "\n" in span.source.text.strip()
