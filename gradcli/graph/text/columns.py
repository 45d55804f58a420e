"""The columns beside a drawing: what stands in them, and the room that each gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...text.cells import cells, cut
from ..numbers import Summary, exact, length, shape_text, stretch
from ..view.view import CONST, OP, Array, Edge, Item, View
from .layout import Row
from .style import FAINT, GRADIENT, PLAIN, WRONG, Part, Symbols

SHAPE, ORDER, VALUE, GRAD, LINE = "shape", "d", "value", "grad", "line"


class Cell(NamedTuple):
    """What stands in a column."""

    text: str
    style: str
    width: int

    @property
    def known(self) -> bool:
        """Whether it says more than that there is nothing."""
        return self.text not in ("", "-")


@lru_cache(4096)
def _cell(text: str, style: str = PLAIN) -> Cell:
    return Cell(text, style, cells(text))


Beside = dict[str, Cell]
_EMPTY = _cell("")
_NONE = _cell("-", FAINT)
_NOTHING: Beside = {SHAPE: _EMPTY, ORDER: _EMPTY, VALUE: _EMPTY, GRAD: _NONE, LINE: _EMPTY}


class Cells:
    """What stands beside the rows of a drawing."""

    def __init__(self, view: View, symbols: Symbols, values: str, grads: str) -> None:
        self.bar = symbols.bar
        self.values = values
        self.grads = grads
        # The items whose gradient comes along several edges. Upside down, an edge leads away from what gets it.
        uses = Counter(edge.to for _, edge in view.edges() if not view.is_inverted)
        self.shared = {item for item, count in uses.items() if count > 1}

    def of(self, row: Row) -> Beside:
        """The cells of a row, by the names of their columns."""
        item, edge = row.item, row.edge
        if item is None:
            return _NOTHING
        # What is known of a node with several outputs is known of the first.
        other = edge is not None and edge.output_nr > 0
        shape = item.shape if not other else None if edge is None or edge.grad is None else edge.grad.shape
        return {
            SHAPE: _EMPTY if shape is None else _cell(shape_text(shape)),
            ORDER: _cell(str(item.order)) if item.kind == OP else _EMPTY,
            VALUE: _EMPTY if other or item.value is None or self.values == "none" else self.value(item.value),
            GRAD: _EMPTY if self.grads == "none" else self.gradient(item, edge),
            LINE: _EMPTY if item.span is None else _cell(str(item.span.line), FAINT),
        }

    def value(self, array: Array) -> Cell:
        """The value of an item."""
        summary = stretch(array)
        if summary.trouble in ("nan", "inf"):
            return _marked(summary)
        return _cell(exact(array, 1)[0] if self.values == "full" and array.size == 1 else summary.text)

    def gradient(self, item: Item, edge: Edge | None) -> Cell:
        """The gradient along an edge, and of how much it is a part; of a row without an edge all that arrives."""
        total = item.grad
        along = total if edge is None else edge.grad
        if item.kind == CONST or along is None:
            return _NONE
        marked = self._gradient(along)
        if edge is None or total is None or item not in self.shared or item.outputs > 1:
            return marked
        return _cell(f"{marked.text} of {self._gradient(total).text}", marked.style)

    def _gradient(self, array: Array) -> Cell:
        summary = length(array, self.bar)
        if summary.trouble:
            return _marked(summary)
        return _cell(exact(array, 1)[0] if self.grads == "full" and array.size == 1 else summary.text, GRADIENT)

    def details(self, row: Row) -> Iterator[tuple[str, Array]]:
        """The arrays of a row that are to be shown in full."""
        item, edge = row.item, row.edge
        if item is None or (edge is not None and edge.output_nr):
            return
        if self.values == "full" and item.value is not None and item.value.size > 1:
            yield "value ", item.value
        grad = item.grad if edge is None else edge.grad
        if self.grads == "full" and grad is not None and grad.size > 1:
            yield "grad  ", grad

    def folded(self, row: Row, beside: Beside) -> list[Cell]:
        """The cells as they stand behind a label where there is no room for columns."""
        item = row.item
        if item is None:
            return []
        parts = []
        if beside[SHAPE].text not in ("", "()"):
            parts.append(beside[SHAPE])
        if item.order:
            parts.append(_cell(f"d{item.order}"))
        if beside[VALUE].text and (item.kind != CONST or beside[VALUE].text != item.label):
            parts.append(beside[VALUE])
        if beside[GRAD].text and beside[GRAD] is not _NONE:
            parts.append(_cell(f"g={beside[GRAD].text}", beside[GRAD].style))
        return [_cell(f" {cell.text}", cell.style) for cell in parts]


def _marked(summary: Summary) -> Cell:
    """A summary, with an exclamation mark at what is wrong."""
    if summary.trouble == "zero":
        return _cell("!0", WRONG)
    sign = "-" if summary.text.startswith("-") else ""
    return _cell(f"{sign}!{summary.text.removeprefix('-')}", WRONG)


# -- room --------------------------------------------------------------------------------------

# The cells that columns get where there is room, the blank before them included.
_USUAL = {SHAPE: 10, ORDER: 3, VALUE: 12, GRAD: 12, LINE: 5}
# What a column keeps that is cut.
_LEAST_COLUMN = 8
# What labels get before columns get more than they need, and what they always get.
_TREE, LEAST_TREE = 39, 24
# What a table takes where there is room, and what is left free beside it: for `> ` and `# ` where it is quoted.
_TABLE, _MARGIN = 78, 2


class Table(NamedTuple):
    """The columns of a drawing with their widths, and where the first begins."""

    start: int
    widths: dict[str, int]

    def row(self, label: Sequence[Part], taken: int, beside: Mapping[str, Cell], mark: str) -> list[Part]:
        """A line: a label of so many cells, then the columns as far as they hold something."""
        line, at, end = list(label), taken, self.start
        for name, width in self.widths.items():
            end += width
            text, style, needed = beside[name]
            if needed:
                if needed >= width:
                    text = cut(text, width - 1, mark)
                    needed = cells(text)
                line.append(Part(" " * (end - at - needed) + text, style))
                at = end
        return line

    def heading(self, label: str, style: str) -> list[Part]:
        """The line above the columns."""
        return self.row([Part(label, style)], len(label), {name: _cell(name, style) for name in self.widths}, "")

    def room(self, beside: Beside) -> int:
        """The cells for a label: it may reach over columns that hold nothing, up to the first that does."""
        end = self.start
        for name, width in self.widths.items():
            needed = beside[name].width
            if needed:
                return end + width - min(needed, width - 1) - 1
            end += width
        return end


def table(names: Sequence[str], found: Sequence[Beside], need: int, width: int) -> Table:
    """The columns of a table at most ``width`` wide, beside labels of ``need`` cells."""
    width -= _MARGIN
    widths = {name: 1 + max(len(name), *[each[name].width for each in found]) for name in names}
    while sum(widths.values()) > width - LEAST_TREE:
        widest = max(widths, key=widths.__getitem__)
        if widths[widest] <= _LEAST_COLUMN:
            break
        widths[widest] -= 1
    spare = width - _TREE - sum(widths.values())
    for name in names:
        more = max(0, min(spare, _USUAL[name] - widths[name]))
        widths[name] += more
        spare -= more
    taken = sum(widths.values())
    return Table(min(width, max(_TABLE, need + taken)) - taken, widths)
