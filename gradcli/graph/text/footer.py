"""The lines below a drawing: gradients of leaves with their contributions, the first culprits, the memory."""

from __future__ import annotations

from collections.abc import Iterator

from ...text.cells import cells
from ...text.parts import HEADING, PLAIN, WRONG, Part
from ..ask import causes
from ..ask.alarms import Alarm, not_finite, starved
from ..numbers import count_text, largest_first, length, size_text
from ..view.places import at_line, text_of
from ..view.view import Array, Edge, Item, View
from .labels import Labels
from .style import clean, flowed, within

_TITLE = "leaf grads   "
_BETWEEN = "    "
# Before the second line of a sentence.
_HANGING = "  "
# Where there is less room than this, leaves stand below the title and not beside it.
_ROOM = 60
# Below a drawing for a terminal, as many leaves as are read there.
_LEAVES = 20
# What the gradient of one is made of, in as many lines, the further ones indented.
_LINES, _FURTHER = 3, " "
# So many leaves are named that tangents are along.
_MOVING = 4
# So many leaves are named whose .grad is another in the end.
_OWN = 4
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
            words = f"the backward stopped: {self.labels.clean(self.whole.ungraded)}".split(" ")
            for n, line in enumerate(flowed(words, " ", self.width - len(_HANGING))):
                yield self._line(_HANGING * (n > 0) + line, WRONG)
        if grads:
            yield from self._leaves(_LEAVES if short else None)
            if self.whole.own_grads:
                yield self._line(self._own_grads())
        if self.whole.moving:
            yield self._line(self._tangents())
        yield from self.alarms()
        if saved:
            kept = sum(1 for item in self.whole.items for each in item.saved if each.bytes)
            line = f"saved        {size_text(self.whole.saved_bytes)} in {count_text(kept)} tensor{'s' * (kept != 1)}"
            yield self._line(line)

    def _tangents(self) -> str:
        """The line of tangents: along which inputs, that of the output, and where they are not known."""
        leaves = self.whole.moving
        listed = ", ".join(map(self.labels.reference, leaves))
        if len(leaves) > _MOVING:
            listed = f"the {count_text(len(leaves))} leaves"
        line = f"tangents     where each entry of {listed} changes by 1"
        root = self.whole.root.output(self.whole.output_nr)
        if root.tangent is not None and root.tangent.size == 1:
            name = self.whole.root_name or self.labels.reference(self.whole.root)
            line += f": {name} by {self._gradient(root.tangent)}"
        if self.whole.untold is not None:
            line += f"; not known behind {self.labels.reference(self.whole.untold)}"
        return line

    def _line(self, text: str, style: str = PLAIN) -> list[Part]:
        return within([Part(text, style)], self.width, self.symbols.more)

    def hidden(self, shown: int, cut_short: bool) -> Iterator[list[Part]]:
        """The part of the graph that is not drawn, and what shows it."""
        total = len(self.whole.items)
        boxes = [item.box for item in self.view.items if item.box is not None]
        shown += sum(len(box.items) for box in boxes) - len(boxes)
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
        inside = {item.id for box in self.view.items if box.box is not None for item in box.box.items}
        shown = [leaf for leaf in contributions if leaf.id not in inside][:most]
        entries = [line for leaf in shown for line in self._leaf(leaf, contributions[leaf], room)]
        entries += [f"{self.labels.reference(leaf)} = None (unused)" for leaf in self.whole.unused]
        if len(shown) < len(contributions):
            rest, total = len(contributions) - len(shown), len(contributions)
            where = "in boxes" if inside else "not shown"
            entries.append(f"{self.symbols.more} {count_text(rest)} of {count_text(total)} leaves {where}")
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
        if leaf.arrived is not None:
            line += f" (by a hook, of {self._gradient(leaf.arrived)})"
        if len(parts) < 2:
            return [line]
        parts = sorted(parts, key=lambda part: largest_first(part[1].grad))
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

    def _own_grads(self) -> str:
        """The .grad that leaves have when the program ends, where that is another than the gradient shown."""
        own, run = self.whole.own_grads, self.whole.backwards
        after = f" after {count_text(run)} backwards" if run > 1 else ""
        shown = [
            f"{self.labels.reference(leaf)} = {'None' if grad is None else self._gradient(grad)}"
            for leaf, grad in list(own.items())[:_OWN]
        ]
        more = [f"{self.symbols.more} {count_text(len(own) - _OWN)} more"] if len(own) > _OWN else []
        return f".grad{after} is another in the end: {', '.join([*shown, *more])}"

    # -- culprits ------------------------------------------------------------------------------

    def alarms(self) -> Iterator[list[Part]]:
        """Where a number came about that is not finite and did harm; where the whole gradient of a leaf was lost."""
        found = not_finite(self.whole)
        if found is not None:
            yield self._line(f"first non-finite: {self._told(found)}", WRONG)
            for line in causes.lines(found):
                for n, part in enumerate(flowed(line.split(" "), " ", self.width - len("    "))):
                    yield self._line(("    " if n else "  ") + part)
        lost = starved(self.whole)
        if lost is not None:
            yield self._line(f"first zero: {self._told(lost)}")

    def _told(self, alarm: Alarm) -> str:
        item, edge = alarm.item, alarm.edge
        if edge is None:
            return f"value of {self.labels.reference(item)}{self._where(item)}"
        return f"gradient along {self._place(item, edge)}{self._where(item)}"

    def _where(self, item: Item) -> str:
        """The source of an item."""
        span = item.span
        if span is None:
            return ""
        source = clean(text_of(span, _SOURCE).strip(), self.symbols.ascii)
        line = at_line(span, self.whole.has_several_files) if "\n" in span.source.text.strip() else ""
        return f" ({': '.join([each for each in (line, source) if each])})"
