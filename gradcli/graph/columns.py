"""The columns beside a drawing: numbers and shapes as text, and the room that each column gets."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..text.cells import cells, cut
from .layout import Row
from .style import FAINT, GRADIENT, PLAIN, WRONG, Part, Symbols
from .view import CONST, LEAF, OP, Array, Edge, Item

# -- numbers -----------------------------------------------------------------------------------


class Summary(NamedTuple):
    """An array in a few words."""

    text: str
    # "nan", "inf" or "zero" where it is that.
    trouble: str | None = None


def scalar(x: Any) -> str:
    """One number."""
    if isinstance(x, (bool, int, str)):
        return str(x)
    return f"{x:.4g}"


def _one(array: Array) -> Summary:
    x = array.item()
    if isinstance(x, (float, complex)):
        if x != x:
            return Summary("nan", "nan")
        if isinstance(x, float) and math.isinf(x):
            return Summary("inf" if x > 0 else "-inf", "inf")
    return Summary(scalar(x), None if x else "zero")


def _extremes(array: Array) -> tuple[Any, Any]:
    if array.dtype.kind == "c":
        array = np.abs(array)
    return array.min().item(), array.max().item()


def trouble(array: Array) -> str | None:
    """Whether an array holds a NaN, or else an infinity; "zero" when it holds nothing but zeros."""
    if array.size == 1:
        return _one(array).trouble
    if not array.size:
        return None
    low, high = _extremes(array)
    if low != low:
        return "nan"
    if math.isinf(low) or math.isinf(high):
        return "inf"
    return "zero" if not low and not high else None


def _share(array: Array, kind: str) -> str:
    """Which share of the elements is not finite."""
    bad = np.isnan(array) if kind == "nan" else np.isinf(array)
    return f"{kind} {int(bad.sum())}/{array.size}"


def stretch(array: Array) -> Summary:
    """The values of a tensor, from the least to the greatest."""
    if array.size == 1:
        return _one(array)
    if not array.size:
        return Summary("empty")
    kind = trouble(array)
    if kind in ("nan", "inf"):
        return Summary(_share(array, kind), kind)
    low, high = _extremes(array)
    if isinstance(low, int):
        return Summary(f"{low}..{high}", kind)
    size = max(abs(low), abs(high))
    # Two decimals, where they tell something.
    form = ".2f" if 0.1 <= size < 1000 or not size else ".2g"
    return Summary(f"{low + 0.0:{form}}..{high + 0.0:{form}}", kind)


def norm(array: Array) -> float:
    """The square root of the sum of squares, also where squares would overflow."""
    wide = np.abs(array.ravel()).astype(np.float64)
    length = math.sqrt(float(wide.dot(wide)))
    if (length < 1e-150 or length > 1e150) and (largest := float(wide.max(initial=0.0))):
        wide /= largest
        length = largest * math.sqrt(float(wide.dot(wide)))
    return length


def length(array: Array, bar: str) -> Summary:
    """A gradient: the number, or of a tensor the norm."""
    if array.size == 1:
        return _one(array)
    if not array.size:
        return Summary("empty")
    kind = trouble(array)
    if kind in ("nan", "inf"):
        return Summary(_share(array, kind), kind)
    return Summary(f"{bar}{norm(array):.3g}{bar}", kind)


def exact(array: Array, room: int) -> list[str]:
    """All the numbers of a tensor, in lines."""
    if array.size == 1:
        return [str(array.reshape(())[()])]
    return np.array2string(
        array, max_line_width=max(room, 1), separator=", ", floatmode="maxprec", precision=4, threshold=1000
    ).splitlines()


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape without blanks."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({','.join(map(str, shape))})"


def size_text(size: int) -> str:
    """A number of bytes."""
    if size < 1000:
        return f"{size} B"
    for unit in ("kB", "MB", "GB"):
        size_in_unit = size / 1000 if unit == "kB" else size_in_unit / 1000
        if size_in_unit < 999.5 or unit == "GB":
            break
    return f"{size_in_unit:.3g} {unit}"


def count_text(count: int) -> str:
    """A count, in groups of three digits."""
    return f"{count:,}".replace(",", " ")


# -- cells -------------------------------------------------------------------------------------

SHAPE, VALUE, GRAD, LINE, ORDER = "shape", "value", "grad", "line", "d"

# The cells that columns get where there is room, the blank before them included.
_USUAL = {SHAPE: 10, ORDER: 3, VALUE: 12, GRAD: 12, LINE: 5}


class Cells:
    """What stands beside the rows of a drawing."""

    def __init__(self, symbols: Symbols, values: str, grads: str, shared: frozenset[Item]) -> None:
        self.bar = symbols.bar
        self.values = values
        self.grads = grads
        # The items whose gradient comes along several edges.
        self.shared = shared

    def of(self, row: Row) -> dict[str, Part]:
        """The cells of a row, by the names of their columns."""
        item, edge = row.item, row.edge
        if item is None:
            return {GRAD: Part("-", FAINT)}
        # What is known of a node with several outputs is known of the first.
        other = edge is not None and edge.output_nr > 0
        shape = item.shape if not other else None if edge is None or edge.grad is None else edge.grad.shape
        return {
            SHAPE: Part("" if shape is None else shape_text(shape)),
            ORDER: Part(str(item.order) if item.kind == OP else ""),
            VALUE: Part("") if other or item.value is None else _marked(stretch(item.value), PLAIN, ("nan", "inf")),
            GRAD: self.gradient(item, edge),
            LINE: Part("" if item.span is None else str(item.span.line), FAINT),
        }

    def gradient(self, item: Item, edge: Edge | None) -> Part:
        """The gradient along an edge, and of how much it is a part; of a row without an edge all that arrives."""
        total = item.grad
        along = total if edge is None or edge.grad is None else edge.grad
        if item.kind == CONST or along is None or (edge is not None and edge.grad is None and item in self.shared):
            return Part("-", FAINT)
        marked = _marked(length(along, self.bar), GRADIENT)
        if edge is None or total is None or item not in self.shared or item.outputs > 1:
            return marked
        return Part(f"{marked.text} of {length(total, self.bar).text}", marked.style)


def _marked(summary: Summary, style: str, kinds: tuple[str, ...] = ("nan", "inf", "zero")) -> Part:
    """A summary, with an exclamation mark at what is wrong."""
    if summary.trouble not in kinds:
        return Part(summary.text, style)
    if summary.trouble == "zero":
        return Part("!0", WRONG)
    sign = "-" if summary.text.startswith("-") else ""
    return Part(f"{sign}!{summary.text.removeprefix('-')}", WRONG)


# -- room --------------------------------------------------------------------------------------

# What labels get before columns get more than they need, and what they always get.
_TREE, LEAST_TREE = 39, 24
# What a table takes where there is room, and what is left free beside it: for `> ` and `# ` where it is quoted.
_TABLE, _MARGIN = 78, 2
# What a column that is cut keeps.
_LEAST_COLUMN = 8


class Table(NamedTuple):
    """The columns of a drawing with their widths, and where the first begins."""

    start: int
    widths: dict[str, int]

    def row(self, label: list[Part], taken: int, beside: dict[str, Part], mark: str) -> list[Part]:
        """A line: a label of so many cells, then the columns as far as they hold something."""
        line, at = list(label), taken
        end = self.start
        for name, width in self.widths.items():
            end += width
            part = beside.get(name)
            if part is None or not part.text:
                continue
            text = cut(part.text, width - 1, mark)
            line += [Part(" " * (end - at - cells(text))), Part(text, part.style)]
            at = end
        return line

    def room(self, beside: dict[str, Part]) -> int:
        """The cells for a label: it may reach over columns that hold nothing, up to the first that does."""
        end = self.start
        for name, width in self.widths.items():
            part = beside.get(name)
            if part is not None and part.text:
                return end + width - min(cells(part.text), width - 1) - 1
            end += width
        return end


def table(names: list[str], found: list[dict[str, Part]], need: int, width: int) -> Table:
    """The columns of a table at most ``width`` wide, beside labels of ``need`` cells."""
    width -= _MARGIN
    least = {name: 1 + max(len(name), *(cells(part.text) for each in found if (part := each.get(name)))) for name in names}
    while least and sum(least.values()) > width - LEAST_TREE:
        widest = max(least, key=least.__getitem__)
        if least[widest] <= _LEAST_COLUMN:
            break
        least[widest] -= 1
    spare = width - _TREE - sum(least.values())
    for name in names:
        more = max(0, min(spare, _USUAL[name] - least[name]))
        least[name] += more
        spare -= more
    taken = sum(least.values())
    return Table(min(width, max(_TABLE, need + taken)) - taken, least)


def shown(found: list[dict[str, Part]], wanted: list[str]) -> list[str]:
    """The columns that hold anything."""
    return [name for name in wanted if any(each.get(name, Part("")).text for each in found)]


__all__ = ["LEAF"]
