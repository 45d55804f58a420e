"""A view as lines of text: the drawing that `gradcli trace` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...text.cells import cells
from ...text.parts import FAINT, HEADING, PLAIN, STYLES, Line, Part
from ..numbers import exact
from ..view.view import Item, View
from .columns import LEAST_TREE, Beside, Cells, Table, table
from .footer import Footer
from .header import column_names, headline
from .labels import Label, Labels
from .layout import NESTED, Plan, Row, inline, nested, planned, spine
from .style import fitted, flowed, symbols, within

# Below this width the columns fold into the rows.
NARROW = 60
# As many rows as somebody reads in a nested drawing, and on a terminal in any.
READABLE = 200
# What is left of the name of an op, or of the same word at every leaf, before more lines are begun.
_LEAST_NAME, _LEAST_LEAF = 8, 2


class Options(NamedTuple):
    """The look of a drawing."""

    width: int
    ascii: bool
    values: str
    grads: str
    saved: bool

    @property
    def narrow(self) -> bool:
        """True if there is no room for columns."""
        return self.width < NARROW


def render(
    view: View,
    *,
    layout: str = "auto",
    width: int = 100,
    ascii: bool = False,
    values: str = "stats",
    grads: str = "norm",
    saved: bool = False,
    max_rows: int | None = None,
    terminal: bool = False,
) -> Iterator[Line]:
    """The lines of a drawing, none wider than ``width``.

    ``layout``: "nested", "spine", "list", or "auto" for what fits. ``values``: "stats", "full" or "none"; ``grads``:
    "norm", "full" or "none". ``max_rows``: how many rows at most; a terminal gets 200 unless told.
    """
    if max_rows is None and terminal:
        max_rows = READABLE
    drawing = _Drawing(view, Options(max(width, 1), ascii, values, grads, saved), layout, max_rows)
    return drawing.lines(terminal)


def numbers(
    view: View,
    *,
    layout: str = "auto",
    width: int = 100,
    ascii: bool = False,
    values: str = "stats",
    grads: str = "norm",
    saved: bool = False,
) -> Mapping[Item, int]:
    """The numbers by which the drawing that ``render`` makes knows its items."""
    return _Drawing(view, Options(max(width, 1), ascii, values, grads, saved), layout, None).plan.numbers


def rich_tree(view: View, **options: Any) -> Any:
    """The same as something that rich prints in as much room as it is given: by itself, in a panel, in a table."""
    return _Renderable(view, options)


class _Renderable:
    """A drawing that learns its width from a console of rich."""

    def __init__(self, view: View, options: dict[str, Any]) -> None:
        self.view = view
        self.options = options

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.text import Text

        told = {"ascii": options.ascii_only, "terminal": console.is_terminal, **self.options}
        for line in render(self.view, width=options.max_width, **told):
            # The console is the user's: it does not know our theme, and keeps bold where there is no colour.
            styled = [(text, "" if console.no_color else STYLES.get(style, "")) for text, style in line]
            yield Text.assemble(*styled, no_wrap=True, overflow="ignore")


class _Drawing:
    """A view, laid out in a width."""

    def __init__(self, view: View, options: Options, layout: str, most: int | None) -> None:
        self.view = view
        self.options = options
        self.symbols = symbols(options.ascii, options.narrow)
        self.unit = len(self.symbols.beside)
        self.beside = Cells(view, self.symbols, options.values, options.grads)
        self.plan = self._plan(layout)
        self.labels = Labels(view, self.plan.layout, self.plan.numbers, self.symbols, options.narrow)
        self.rows = self.plan.rows if most is None else self.plan.rows[:most]
        self.cells = [self.beside.of(row) for row in self.rows]
        self.made = [self.labels.of(row) for row in self.rows]
        self.table = self._table(self.plan, self.cells, self._need())
        # So many levels are indented.
        self.deepest = max((self.table.start - LEAST_TREE) // self.unit, 1)
        # Whether rows may have lines below them.
        self.detailed = options.saved or options.values == "full" or options.grads == "full"
        # What stands beside the children of each open row of a nested drawing.
        self.guides: list[str] = []

    def _plan(self, layout: str) -> Plan:
        if layout != "auto":
            return planned(self.view, layout)
        plan = nested(self.view, READABLE)
        if plan is not None:
            widest = self._table(plan, [self.beside.of(row) for row in plan.rows], self.options.width)
            if self.unit * plan.depth + LEAST_TREE <= widest.start:
                return plan
        return spine(self.view)

    def _table(self, plan: Plan, found: Sequence[Beside], need: int) -> Table:
        """The columns, beside labels that need so many cells."""
        width = self.options.width
        if self.options.narrow:
            return Table(width, {})
        return table(column_names(self.view, self.options.values, self.options.grads, found), found, need, width)

    def _need(self) -> int:
        """The cells of the widest row, without its columns."""
        return max(
            self.unit * row.depth + label.width + cells(label.call)
            for row, label in zip(self.rows, self.made, strict=True)
        )

    # -- lines ---------------------------------------------------------------------------------

    def lines(self, terminal: bool) -> Iterator[list[Part]]:
        """Every line, in pieces."""
        options = self.options
        yield from headline(self.view, self.labels, self.table, options.width)
        if self.table.widths:
            head = "  grad_fn" if self.plan.layout == NESTED else "     grad_fn(arguments)"
            yield self.table.heading(head, HEADING)
        for row, label, beside in zip(self.rows, self.made, self.cells, strict=True):
            yield from self.row(row, label, beside)
        footer = Footer(self.view, self.labels, options.width)
        cut_short = len(self.rows) < len(self.plan.rows)
        yield from footer.hidden(self._shown(), cut_short)
        yield from footer.lines(grads=options.grads != "none", saved=options.saved, short=terminal)

    def _shown(self) -> int:
        """Count the items that can be seen, by a row or by name."""
        shown = {row.item for row in self.rows}
        if self.plan.layout != NESTED:
            ends = [edge.to for item in list(shown) if item is not None for edge in item.edges]
            shown.update([end for end in ends if end is not None and inline(end)])
        return len(shown - {None})

    def row(self, row: Row, label: Label, beside: Beside) -> Iterator[list[Part]]:
        """The lines of a row: itself, and what is told of it in further ones."""
        room = self.table.room(beside)
        before = self.before(row)
        parts = [Part(before, FAINT), *label.parts]
        taken = len(before) + label.width
        soft = label.soft + 1
        text, style = parts[soft]
        # How far a line may go on, when a part of it is cut short for it.
        end = room + max(cells(text) - (_LEAST_LEAF if style == FAINT else _LEAST_NAME), 0)
        below = self.below(row)
        apart: list[list[Part]] = []
        if label.arguments:
            call = label.call
            needed = cells(call)
            if taken + needed <= end:
                parts.insert(label.name + 2, Part(call))
                soft += label.soft > label.name
                taken += needed
            else:
                apart += self.further(below, "(", label.arguments, ", ", ")", PLAIN)
        if self.options.narrow:
            folded = self.beside.folded(row, beside)
            needed = sum([cell.width for cell in folded])
            numbers = [Part(cell.text, cell.style) for cell in folded]
            if taken + needed <= end:
                parts += numbers
                taken += needed
            elif numbers:
                apart.append(within([Part(below[:-1], FAINT), *numbers], self.options.width, self.symbols.more))
        if taken > room:
            parts = fitted(parts, soft, room, self.symbols.more)
            taken = sum([cells(part.text) for part in parts])
        yield self.table.row(parts, taken, beside, self.symbols.more)
        yield from apart
        yield from self.told_below(row, below)

    def told_below(self, row: Row, below: str) -> Iterator[list[Part]]:
        """The further lines of a row: what its item stands for, what arrived there, what it keeps, its numbers."""
        item = row.item
        if item is None:
            return
        if item.box is not None and not row.again:
            yield from self.further(below, "", self.labels.inside(item.box), " ", "", FAINT)
        if self.plan.layout != NESTED and item.results:
            # A row of a nested drawing is of one output.
            yield from self.further(below, "", self.labels.outputs(item), " ", "", FAINT)
        if row.again:
            return
        if item.arrived is not None and self.options.grads != "none":
            yield from self.further(below, "", [self.labels.hooked(item)], "", "", FAINT)
        if not self.detailed:
            return
        if self.options.saved and item.saved:
            yield from self.further(below, f"{self.symbols.kept} saved ", self.labels.saved(item), " ", "", FAINT)
        for head, array in self.beside.details(row):
            lines = exact(array, self.options.width - cells(below) - len(head))
            yield from self.further(below, head, lines, "\n", "", FAINT)

    def further(
        self, below: str, head: str, pieces: Sequence[str], between: str, end: str, style: str
    ) -> Iterator[list[Part]]:
        """Lines below a row: pieces that go on under each other where they do not fit beside each other."""
        room = self.options.width - cells(below) - cells(head)
        *others, last = pieces
        lines = [*others, last] if between == "\n" else flowed([*others, last + end], between, room)
        for n, text in enumerate(lines):
            start = head if not n else " " * cells(head)
            yield within([Part(below, FAINT), Part(f"{start}{text}", style)], self.options.width, self.symbols.more)

    # -- guides --------------------------------------------------------------------------------

    def before(self, row: Row) -> str:
        """The guides before a label: the lines that lead to it."""
        symbols = self.symbols
        if self.plan.layout != NESTED:
            return symbols.beside * row.depth
        if not row.depth:
            return ""
        level = row.depth - 1
        del self.guides[level:]
        self.guides.append(symbols.nothing if row.last else symbols.beside)
        elbow = symbols.last if row.last else symbols.branch
        if level <= self.deepest:
            return "".join(self.guides[:level]) + elbow
        # Too deep to be indented: how deep is told.
        return f"{''.join(self.guides[: self.deepest])}{symbols.more}{row.depth} {elbow}"

    def below(self, row: Row) -> str:
        """The guides before further lines of a row."""
        symbols = self.symbols
        if self.plan.layout != NESTED:
            return symbols.beside * row.depth + "   "
        item = row.item
        goes_on = item is not None and item.edges and not row.again
        return "".join(self.guides[: self.deepest]) + (symbols.beside if goes_on else symbols.nothing)
