"""What is said below a drawing: the gradients of leaves with their contributions, the first culprits, the memory."""

from __future__ import annotations

from collections.abc import Iterator

from ...text.cells import cells
from ..numbers import INF, NAN, ZERO, count_text, length, size_text, trouble
from ..view.places import text_of
from ..view.view import Array, Edge, Item, View
from .labels import Labels
from .style import HEADING, PLAIN, WRONG, Part, clean, within

_TITLE = "leaf grads   "
_BETWEEN = "    "
# Where there is less room than this, leaves stand below the title and not beside it.
_ROOM = 60
# Below a drawing for a terminal, as many leaves as are read there.
_LEAVES = 20
# What the gradient of one is made of, in as many lines, the further ones indented.
_LINES, _FURTHER = 3, " "
# Of a source as much as says which place is meant.
_SOURCE = 60

Contributions = list[tuple[Item, Edge]]


class Footer:
    """The lines below a drawing."""

    def __init__(self, view: View, labels: Labels, width: int) -> None:
        self.view = view
        self.whole = view.whole
        self.labels = labels
        self.symbols = labels.symbols
        self.width = width

    def lines(self, *, grads: bool, saved: bool, short: bool) -> Iterator[list[Part]]:
        """Every line about the graph, ``short`` for a terminal."""
        if grads and self.whole.ungraded:
            yield self._line(f"the backward stopped: {self.labels.clean(self.whole.ungraded)}", WRONG)
        if grads:
            yield from self._leaves(_LEAVES if short else None)
        yield from self._culprits()
        if saved:
            kept = sum(1 for item in self.whole.items for each in item.saved if each.bytes)
            line = f"saved        {size_text(self.whole.saved_bytes)} in {count_text(kept)} tensor{'s' * (kept != 1)}"
            yield self._line(line)

    def _line(self, text: str, style: str = PLAIN) -> list[Part]:
        return within([Part(text, style)], self.width, self.symbols.more)

    def hidden(self, shown: int, cut_short: bool) -> Iterator[list[Part]]:
        """How much of the graph is not drawn, and what shows it."""
        total = len(self.whole.items)
        if shown == total:
            return
        reasons = {item.cut for item in self.view.items}
        ways = []
        if cut_short or "nodes" in reasons:
            ways.append(f"--max-nodes {total} shows all")
        if "depth" in reasons:
            ways.append("a greater --depth shows more")
        if ways:
            ways.append("--focus NAME a part")
        line = f"{self.symbols.more} {count_text(total - shown)} of {count_text(total)} nodes not shown"
        yield self._line(": ".join([line, ", ".join(ways)] if ways else [line]))

    # -- leaves --------------------------------------------------------------------------------

    def _leaves(self, most: int | None) -> Iterator[list[Part]]:
        """The gradient of each leaf: all in one line where they fit, else in one line each."""
        contributions: dict[Item, Contributions] = {leaf: [] for leaf in self.whole.leaves()}
        for item, edge in self.whole.edges():
            if edge.to in contributions and edge.grad is not None:
                contributions[edge.to].append((item, edge))
        beside = self.width >= _ROOM
        margin = " " * len(_TITLE) if beside else "  "
        room = self.width - len(margin)
        if not any(leaf.grad is not None for leaf in contributions) and self.whole.root.grad is None:
            # No backward has been run.
            contributions = {}
        shown = list(contributions)[:most]
        entries = [line for leaf in shown for line in self._leaf(leaf, contributions[leaf], room)]
        entries += [f"{self.labels.reference(leaf)} = None (unused)" for leaf in self.whole.unused]
        if len(shown) < len(contributions):
            rest, total = len(contributions) - len(shown), len(contributions)
            entries.append(f"{self.symbols.more} {count_text(rest)} of {count_text(total)} leaves not shown")
        if cells(_BETWEEN.join(entries)) <= room:
            entries = [_BETWEEN.join(entries)] if entries else []
        if entries and not beside:
            yield self._line(_TITLE.rstrip(), HEADING)
        for n, entry in enumerate(entries):
            before = Part(_TITLE, HEADING) if beside and not n else Part(margin)
            yield within([before, Part(entry)], self.width, self.symbols.more)

    def _leaf(self, leaf: Item, parts: Contributions, room: int) -> list[str]:
        """The gradient of a leaf and what it is made of, in a few lines."""
        name = self.labels.reference(leaf)
        if leaf.grad is None:
            return [f"{name} = None"]
        line = f"{name} = {self._gradient(leaf.grad)}"
        if len(parts) < 2:
            return [line]
        # Numbers are a sum, norms are not.
        first, further = (" = ", " + ") if leaf.grad.size == 1 else (" from ", " and ")
        lines: list[str] = []
        for n, (item, edge) in enumerate(parts):
            assert edge.grad is not None
            amount = self._gradient(edge.grad + 0.0)
            sign = further if n else first
            if n and amount.startswith("-"):
                sign, amount = " - ", amount[1:]
            piece = f"{sign}{amount} (via {self._place(item, edge)})"
            left = len(parts) - n - 1
            rest = f"{further}{self.symbols.more} {count_text(left + 1)} more"
            full = len(lines) + 1 == _LINES
            if cells(line + piece) + (cells(rest) if full and left else 0) > room:
                if full:
                    return [*lines, line + rest]
                lines.append(line)
                line = _FURTHER
            line += piece
        return [*lines, line]

    def _gradient(self, array: Array) -> str:
        return length(array, self.symbols.bar).text

    def _place(self, item: Item, edge: Edge) -> str:
        """An edge, by the number of its item and its argument."""
        return f"{self.labels.number(item)}.{self.labels.clean(edge.argument)}"

    # -- culprits ------------------------------------------------------------------------------

    def _culprits(self) -> Iterator[list[Part]]:
        """Where the first NaN or infinity came about, and the first gradient of nothing but zeros, in forward order."""
        wrong = self._first_edges()
        found = self._first_value() or wrong.get(NAN)
        if found is not None:
            yield self._line(f"first non-finite: {found}", WRONG)
        if ZERO in wrong:
            yield self._line(f"first zero: {wrong[ZERO]}")

    def _first_value(self) -> str | None:
        for item in self.whole.items:
            if item.value is not None and trouble(item.value) in (NAN, INF):
                return f"value of {self.labels.reference(item)}{self._where(item)}"
        return None

    def _first_edges(self) -> dict[str, str]:
        """The first edge along which a gradient that has arrived well is not finite, and the first where it is zero."""
        found: dict[str, str] = {}
        for item, edge in self.whole.edges():
            kind = None if edge.grad is None else trouble(edge.grad)
            kind = NAN if kind == INF else kind
            if kind is None or kind in found or item.grad is None:
                continue
            before = trouble(item.grad)
            if before != kind and (kind == ZERO or before != INF):
                found[kind] = f"gradient along {self._place(item, edge)}{self._where(item)}"
        return found

    def _where(self, item: Item) -> str:
        """The source of an item."""
        span = item.span
        if span is None:
            return ""
        source = clean(text_of(span, _SOURCE).strip(), self.symbols.ascii)
        line = f"line {span.line}" if "\n" in span.source.text.strip() else ""
        return f" ({': '.join([each for each in (line, source) if each])})"
