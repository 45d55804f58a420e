"""The flow of the gradient as a table: a line for each call, in the order in which the forward ran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ...text.cells import cells, cut, pad
from ...text.parts import FAINT, GRADIENT, HEADING, PLAIN, VARIABLE, WRONG, Line, Part
from ..numbers import count_text
from ..text.footer import Footer
from ..text.header import counts
from ..text.labels import Labels
from ..text.style import clean, flowed, symbols, within
from ..text.tree import numbers
from ..view.view import View
from .findings import Finding, findings
from .measure import PROGRAM, Flow, Row
from .sparkline import NOTHING, Scale

# The columns of numbers, with their widths, and the bars beside them; in a narrow table the numbers stand below.
_COLUMNS = (("in", 8), ("out", 8), ("gain", 8), ("grad/param", 10))
_BARS = 12
_NARROW = 72
_LEAST = 12
# Of the width a row is indented by two such parts at most.
_DEEPEST = 8
# Of a row of very many calls a terminal shows the first and the last.
_MANY, _ENDS = 8, 3
# So many sentences are read.
_SENTENCES = 12


def table(
    view: View, *, width: int = 100, ascii: bool = False, terminal: bool = False, depth: int | None = None
) -> Iterator[Line]:
    """The lines, none wider than ``width``; ``terminal``: of long rows only the ends. ``depth``: so many calls deep."""
    return _Table(Flow(view, depth), width, ascii, terminal).lines()


class _Table:
    """One table."""

    def __init__(self, flow: Flow, width: int, ascii: bool, terminal: bool) -> None:
        self.flow = flow
        self.view = flow.view
        self.width = width
        self.ascii = ascii
        self.terminal = terminal
        self.symbols = symbols(ascii)
        self.scale = Scale((length for _, row in flow.rows() for length in row.steps), ascii)
        self.shown = [(row, self.name(row, depth)) for depth, row in self.rows()]
        beside = sum(room + 1 for _, room in _COLUMNS) + 2 + _BARS
        longest = max((sum(cells(part.text) for part in name) for _, name in self.shown), default=0)
        self.narrow = width < _NARROW
        self.room = max(_LEAST, min(longest, width - beside))
        if self.narrow:
            self.room = width

    def rows(self) -> Iterator[tuple[int, Row | int]]:
        """The rows that are shown, with their depth; a number for so many that are not."""
        waiting: list[tuple[int, Row | int]] = [(0, self.flow.program)]
        while waiting:
            depth, row = waiting.pop()
            yield depth, row
            if isinstance(row, int):
                continue
            inner: list[Row | int] = [*row.inner]
            if self.terminal and row.is_row and len(inner) > _MANY:
                inner[_ENDS:-_ENDS] = [len(inner) - 2 * _ENDS]
            waiting += [(depth + 1, each) for each in reversed(inner)]

    # -- lines -----------------------------------------------------------------------------------

    def lines(self) -> Iterator[Line]:
        """Every line."""
        yield from self.headline()
        yield from self.column_names()
        for row, name in self.shown:
            yield from self.row(row, name)
        yield from self.footer()

    def headline(self) -> Iterator[Line]:
        """The line that names the graph."""
        mark = self.symbols.more
        title = clean(self.view.title or self.view.root_name or self.view.root.name, self.ascii)
        told = [*counts(self.view), *([clean(self.view.aspect, self.ascii)] if self.view.aspect else [])]
        yield within([Part(title, HEADING)], self.width, mark)
        for line in flowed(told, self.symbols.between, self.width):
            yield within([Part(line, FAINT)], self.width, mark)

    def column_names(self) -> Iterator[Line]:
        """The names of the columns."""
        if not self.narrow:
            names = "".join(f" {name:>{room}}" for name, room in _COLUMNS)
            yield [Part(f"{pad('gradient', self.room)}{names}", FAINT)]

    def row(self, row: Row | int, name: Sequence[Part]) -> Iterator[Line]:
        """A row: in columns, or where these do not fit below its name."""
        mark = self.symbols.more
        if isinstance(row, int):
            yield within(name, self.width, mark)
            return
        cells_ = [self.number(each) for each in (row.arrives, row.leaves, row.gain, row.ratio)]
        line = self.scale.line(row.steps, _BARS)
        if self.narrow:
            yield within(name, self.width, mark)
            indent = len(name[0].text) + 2
            told = [f"{column} {cell.text}" for cell, (column, _) in zip(cells_, _COLUMNS, strict=True)]
            told = [each for each in [*told, line] if each and not each.endswith(" -")]
            for text in flowed(told, "  ", self.width - indent):
                yield within([Part(" " * indent), Part(text, GRADIENT)], self.width, mark)
            return
        shown = within(name, self.room, mark)
        parts = [*shown, Part(" " * (self.room - sum(cells(part.text) for part in shown)))]
        for cell, (_, room) in zip(cells_, _COLUMNS, strict=True):
            parts.append(Part(f" {cell.text:>{room}}", cell.style))
        yield [*parts, Part(f"  {line}", GRADIENT)] if line else parts

    def name(self, row: Row | int, depth: int) -> list[Part]:
        """The name of a row, indented by its depth."""
        # Too deep to be indented: how deep is told.
        deepest = self.width // _DEEPEST
        indent = Part("  " * depth if depth <= deepest else f"{'  ' * deepest}{self.symbols.more}{depth} ")
        if isinstance(row, int):
            return [indent, Part(f"{self.symbols.more} {count_text(row)} more", FAINT)]
        order = Part(f"d{row.order} ", FAINT) if row.order else Part("")
        name = Part(clean(row.name, self.ascii), VARIABLE)
        if row.is_row:
            between = f"{clean(row.first, self.ascii)} {self.symbols.more} {clean(row.last, self.ascii)}"
            return [indent, order, name, Part(f" {self.symbols.times} {len(row.calls)} ({between})", FAINT)]
        known = row.kind == PROGRAM or row.cls is None or row.cls == row.name
        return [indent, order, name, Part("" if known else f" {clean(row.cls or '', self.ascii)}", FAINT)]

    def number(self, length: float | None) -> Part:
        """A length, or a quotient of two."""
        if length is None:
            return Part("-", FAINT)
        return Part(f"{length:.3g}", PLAIN if math.isfinite(length) else WRONG)

    # -- below -----------------------------------------------------------------------------------

    def footer(self) -> Iterator[Line]:
        """The lines that explain the bars, and the sentences."""
        low, high, bars = self.scale.low, self.scale.high, self.scale.bars
        if any(row.steps for row, _ in self.shown if isinstance(row, Row)):
            told = (
                f"bars: the gradient of each op (of {self.symbols.times} N: of each call), from {bars[0]} {low:.2g} to "
                f"{bars[-1]} {high:.2g} by logarithm; {NOTHING}: none"
            )
            for text in flowed(told.split(" "), " ", self.width):
                yield [Part(text, FAINT)]
        if len(self.shown) == 1 and not self.flow.children:
            yield from self.said("the program calls no module and no function, and turns in no loop", PLAIN)
        found = findings(self.flow)
        for each in found[:_SENTENCES]:
            yield from self.said(self.sentence(each), WRONG)
        if len(found) > _SENTENCES:
            yield from self.said(f"{self.symbols.more} {count_text(len(found) - _SENTENCES)} more like these", PLAIN)
        labels = Labels(self.view, "list", numbers(self.view, width=self.width, ascii=self.ascii), self.symbols, False)
        yield from Footer(self.view, labels, self.width).alarms()

    def sentence(self, found: Finding) -> str:
        """A sentence, safe to show."""
        return clean(found.told(self.symbols.times), self.ascii)

    def said(self, text: str, style: str) -> Iterator[Line]:
        """A sentence in as many lines as it needs."""
        for n, line in enumerate(flowed(text.split(" "), " ", self.width - 2)):
            yield [Part(cut(("  " if n else "") + line, self.width, self.symbols.more), style)]
