"""The columns beside a drawing: what stands in them, and the room that each gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...text.cells import cells, cut
from ...text.parts import FAINT, GRADIENT, PLAIN, WRONG, Part
from ..numbers import Summary, exact, length, norm, shape_text, stretch
from ..view.places import line_of
from ..view.view import CONST, OP, Array, Edge, Item, Output, View
from .layout import Row
from .style import Symbols

SHAPE, ORDER, VALUE, TANGENT, GRAD, LINE = "shape", "d", "value", "tangent", "grad", "line"


class Cell(NamedTuple):
    """A text in a column."""

    text: str
    style: str
    width: int

    @property
    def known(self) -> bool:
        """True if it says more than that there is nothing."""
        return self.text not in ("", "-")


@lru_cache(4096)
def _cell(text: str, style: str = PLAIN) -> Cell:
    return Cell(text, style, cells(text))


Beside = dict[str, Cell]
_EMPTY = _cell("")
_NONE = _cell("-", FAINT)
_NOTHING: Beside = {SHAPE: _EMPTY, ORDER: _EMPTY, VALUE: _EMPTY, TANGENT: _EMPTY, GRAD: _NONE, LINE: _EMPTY}


class Cells:
    """The cells beside the rows of a drawing."""

    def __init__(self, view: View, symbols: Symbols, values: str, grads: str) -> None:
        self.view = view
        self.bar = symbols.bar
        self.values = values
        self.grads = grads
        dtypes = Counter(item.dtype for item in view.ops() if item.dtype is not None)
        self.dtype = max(dtypes, key=dtypes.__getitem__, default=None)
        # The outputs whose gradient comes along several edges. Upside down, an edge leads away from what gets it.
        uses = Counter((edge.to, edge.output_nr) for _, edge in view.edges() if not view.is_inverted)
        self.shared = {output for output, count in uses.items() if count > 1}

    def of(self, row: Row) -> Beside:
        """The cells of a row, by the names of their columns."""
        item, edge = row.item, row.edge
        if item is None:
            return _NOTHING
        one = self.output(row)
        return {
            SHAPE: _EMPTY if one.shape is None else self.shape(one),
            ORDER: _cell(str(item.order)) if item.kind == OP else _EMPTY,
            VALUE: _EMPTY if one.value is None or self.values == "none" else self.value(one.value),
            TANGENT: self.tangent(item, one.tangent),
            GRAD: _EMPTY if self.grads == "none" else self.gradient(item, edge, one.grad),
            LINE: _EMPTY if item.span is None else _cell(line_of(item.span, self.view.has_several_files), FAINT),
        }

    def output(self, row: Row) -> Item | Output:
        """The output that a row tells of: the one that its edge leads to."""
        assert row.item is not None
        root = self.view.output_nr if row.item is self.view.root else 0
        return row.item.output(root if row.edge is None else row.edge.output_nr)

    def shape(self, one: Item | Output) -> Cell:
        """The shape, and the element type where it is not that of most ops."""
        assert one.shape is not None
        text = shape_text(one.shape)
        return _cell(text if None in (one.dtype, self.dtype) or one.dtype == self.dtype else f"{text} {one.dtype}")

    def value(self, array: Array) -> Cell:
        """The value of an item."""
        summary = stretch(array)
        if summary.trouble in ("nan", "inf"):
            return _marked(summary)
        return _cell(exact(array, 1)[0] if self.values == "full" and array.size == 1 else summary.text)

    def tangent(self, item: Item, array: Array | None) -> Cell:
        """The tangent of an item; none of what does not move, or of which it is not known."""
        if array is None or self.values == "none":
            return _EMPTY if not self.view.whole.moving else _NONE
        summary = length(array, self.bar)
        if summary.trouble in ("nan", "inf"):
            return _marked(summary)
        return _cell(exact(array, 1)[0] if self.values == "full" and array.size == 1 else length(array, self.bar).text)

    def gradient(self, item: Item, edge: Edge | None, total: Array | None) -> Cell:
        """The gradient along an edge, and of how much it is a part; of a row without an edge all that arrives."""
        along = total if edge is None else edge.grad
        if item.kind == CONST or along is None:
            return _NONE
        total = total if item.arrived is None else item.arrived
        marked = self._gradient(along)
        if edge is None or total is None or (item, edge.output_nr) not in self.shared:
            return marked
        between = " of " if _is_part(along, total) else ", sum "
        return _cell(f"{marked.text}{between}{self._gradient(total).text}", marked.style)

    def _gradient(self, array: Array) -> Cell:
        summary = length(array, self.bar)
        if summary.trouble:
            return _marked(summary)
        return _cell(exact(array, 1)[0] if self.grads == "full" and array.size == 1 else summary.text, GRADIENT)

    def details(self, row: Row) -> Iterator[tuple[str, Array]]:
        """The arrays of a row that are to be shown in full."""
        item, edge = row.item, row.edge
        if item is None:
            return
        one = self.output(row)
        if self.values == "full" and one.value is not None and one.value.size > 1:
            yield "value ", one.value
        if self.values == "full" and one.tangent is not None and one.tangent.size > 1:
            yield "tangent", one.tangent
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
        if beside[TANGENT].known:
            parts.append(_cell(f"t={beside[TANGENT].text}"))
        if beside[GRAD].text and beside[GRAD] is not _NONE:
            parts.append(_cell(f"g={beside[GRAD].text}", beside[GRAD].style))
        return [_cell(f" {cell.text}", cell.style) for cell in parts]


def _is_part(along: Array, total: Array) -> bool:
    """True if a gradient is a part of a sum, and no more than that: others take nothing of it away."""
    if along.size == total.size == 1 and along.dtype.kind != "c":
        part, whole = along.item(), total.item()
        return not (part * whole < 0 or abs(part) > abs(whole))
    return not norm(along) > norm(total) * 1.000001


def _marked(summary: Summary) -> Cell:
    """A summary, with an exclamation mark at what is wrong."""
    if summary.trouble == "zero":
        return _cell("!0", WRONG)
    sign = "-" if summary.text.startswith("-") else ""
    return _cell(f"{sign}!{summary.text.removeprefix('-')}", WRONG)


# -- room --------------------------------------------------------------------------------------

# The cells that columns get where there is room, the blank before them included.
_USUAL = {SHAPE: 10, ORDER: 3, VALUE: 12, TANGENT: 12, GRAD: 12, LINE: 5}
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
