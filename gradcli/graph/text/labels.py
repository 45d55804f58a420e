"""The labels of the rows of a drawing: who an item is, what its arguments are, what it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import Span
from ...text.cells import cells, pad
from ...text.parts import FAINT, LEAF_NAME, NUMBER, PLAIN, VARIABLE, Part
from ..numbers import length, scalar, shape_text, size_text, stretch, told
from ..view.view import CONST, LEAF, Array, Box, Edge, Item, Saved, View
from .layout import NESTED, Row, inline
from .style import Symbols, clean

# Arguments take at least so many cells, so that the commonest names stand in line: self, other.
_ARGUMENT = 5

# The ways out of a graph.
_CUT_BY = {
    "detach": "detached",
    "data": "detached by .data",
    "no_grad": "detached by no_grad",
    "inference_mode": "detached by inference_mode",
    "copy": "copied",
    "integer": "made whole numbers",
    "beside": "made whole numbers",
}
# How the names of the first and the last of a run begin.
_NAMES = " ("

# What PyTorch keeps of how a loss is reduced.
_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}


class Label(NamedTuple):
    """A row without its guides and columns."""

    parts: list[Part]
    # The parts that are the name of the op, and that can best be missed.
    name: int
    soft: int
    # The cells of the parts.
    width: int
    # In a row for a node, its arguments: they go to further lines when they have to.
    arguments: Sequence[str]

    @property
    def call(self) -> str:
        """The arguments as they stand behind the name."""
        return f"({', '.join(self.arguments)})" if self.arguments else ""


class Labels:
    """The labels of a drawing."""

    def __init__(self, view: View, layout: str, numbers: Mapping[Item, int], symbols: Symbols, narrow: bool) -> None:
        self.view = view
        self.nested = layout == NESTED
        self.numbers = numbers
        self.symbols = symbols
        self.gap = " " if narrow else "  "
        self.argument_width = 0 if narrow else _ARGUMENT
        # Items of the view that this one was taken from may stand for items of this one.
        self._by_id = {item.id: number for item, number in numbers.items()}

    def clean(self, text: str) -> str:
        """Text of a program's, safe to show."""
        return clean(text, self.symbols.ascii)

    # -- names ---------------------------------------------------------------------------------

    def named(self, item: Item) -> str | None:
        """The program's name for an item; of a constant its name or value."""
        if item.kind == CONST:
            return self.clean(item.label or _value_of(item) or item.variable or item.id or "?")
        name = item.variable
        if item is self.view.root and not self.view.is_inverted:
            name = self.view.root_name or name
        return self.clean(name) if name else None

    def output(self, item: Item, number: int) -> str | None:
        """The program's name for one output of an item."""
        if not item.results:
            return self.named(item)
        is_root = item is self.view.root and number == self.view.output_nr and not self.view.is_inverted
        name = (self.view.root_name if is_root else None) or item.results[number].name
        return self.clean(name) if name else None

    def number(self, item: Item) -> str:
        """The number that an item has in the drawing; of one that is not in it the stable name."""
        number = self.numbers.get(item, self._by_id.get(item.id) if item.id else None)
        return f"#{number}" if number is not None else self.clean(item.id or item.name)

    def reference(self, item: Item | None) -> str:
        """An item where it is no row of its own: a leaf or a constant by name, an op by number."""
        if item is None:
            return "None"
        return (self.named(item) if item.kind in (LEAF, CONST) else None) or self.number(item)

    def argument(self, edge: Edge) -> str:
        """The end of an edge, and to which of its outputs it leads."""
        output = f"[{edge.output_nr}]" if edge.output_nr else ""
        return self.reference(edge.to) + output

    # -- rows ----------------------------------------------------------------------------------

    def of(self, row: Row) -> Label:
        """The label of a row."""
        return self._of_edge(row) if self.nested else self._of_node(row)

    def _of_edge(self, row: Row) -> Label:
        item, edge = row.item, row.edge
        parts: list[Part] = []
        if edge is not None:
            parts.append(Part(pad(self.clean(edge.argument), self.argument_width) + " ", FAINT))
        if item is None:
            return self._label(parts, Part("None", FAINT), [])
        name = self.output(item, self.view.output_nr if edge is None else edge.output_nr)
        if name is not None:
            parts.append(Part(name + self.gap, LEAF_NAME if item.kind == LEAF else VARIABLE))
        if item.kind != CONST and (name is None or item.kind != LEAF):
            output = f"[{edge.output_nr}]" if edge is not None and edge.output_nr else ""
            parts.append(Part(f"{self.number(item)}{output} ", NUMBER))
        if row.again:
            parts.append(Part(f"{self.symbols.again} ", FAINT))
        return self._label(parts, self._kind(item), self._remarks(item, row.again))

    def _of_node(self, row: Row) -> Label:
        item = row.item
        assert item is not None
        parts = [Part(f"{self.number(item)} ", NUMBER)]
        name = ", ".join(filter(None, [self.output(item, n) for n in range(len(item.results))])) or self.named(item)
        if item.kind == LEAF and name is not None:
            parts.append(Part(name + self.gap, LEAF_NAME))
        elif name is not None and item is not self.view.root:
            parts.append(Part(f"{name} = ", VARIABLE))
        arguments = [self.argument(edge) for edge in item.edges]
        if item.cut:
            arguments.append(self.symbols.more)
        return self._label(parts, self._kind(item), self._remarks(item, False), arguments)

    def _label(self, before: list[Part], kind: Part, remarks: list[Part], arguments: Sequence[str] = ()) -> Label:
        parts = [*before, kind, *remarks]
        soft = next((n for n, part in enumerate(remarks, len(before) + 1) if part.text.startswith(_NAMES)), len(before))
        return Label(parts, len(before), soft, sum([cells(part.text) for part in parts]), arguments)

    def _kind(self, item: Item) -> Part:
        return Part(self.clean(item.name), FAINT if inline(item) else PLAIN)

    def _remarks(self, item: Item, again: bool) -> list[Part]:
        """All else there is to say: where it was cut off, how often it is repeated, what is hidden behind it."""
        remarks = []
        if item.detached is not None:
            remarks.append(Part(self.gap + self.clean(detached(*item.detached)), FAINT))
        if item.repeats is not None and not again:
            count, first, last = item.repeats
            remarks.append(Part(f" {self.symbols.times} {count}", FAINT))
            remarks.append(Part(f"{_NAMES}{self.clean(first)} {self.symbols.more} {self.clean(last)})", FAINT))
        if item.cut and not again:
            hidden = f"+{item.hidden} node{'s' * (item.hidden != 1)}" if item.hidden else self.symbols.more
            remarks.append(Part(f" [{hidden}]", FAINT))
        return remarks

    def outputs(self, item: Item) -> list[str]:
        """The outputs of an item that has several, each with its name, shape, value and gradient."""
        return [
            f"[{number}] {' '.join(self._output(item, number))}" + "," * (number + 1 < len(item.results))
            for number in range(len(item.results))
        ]

    def _output(self, item: Item, number: int) -> Iterator[str]:
        name, result = self.output(item, number), item.results[number]
        if name is not None:
            yield name
        if result.shape is not None:
            yield shape_text(result.shape)
        if result.value is not None:
            yield stretch(result.value).text
        yield "unused" if result.grad is None else f"g={length(result.grad, self.symbols.bar).text}"

    def hooked(self, item: Item) -> str:
        """The gradient of an item behind its hooks."""
        assert item.arrived is not None
        assert item.grad is not None
        before, after = (length(each, self.symbols.bar).text for each in (item.arrived, item.grad))
        return f"{self.symbols.kept} hook {before} in, {after} out"

    def inside(self, box: Box) -> list[str]:
        """The sizes of a call that is shown as one item."""
        pieces = told(box, self.symbols.bar)
        return [piece + self.symbols.between.rstrip() * (n + 1 < len(pieces)) for n, piece in enumerate(pieces)]

    # -- what is saved -------------------------------------------------------------------------

    def saved(self, item: Item) -> list[str]:
        """All that an item keeps for its backward, piece by piece; the last says how much memory that is."""
        in_order = sorted(item.saved, key=_is_plain)
        pieces = [f"{self.clean(saved.name)}={self._saved(item, saved)}" for saved in in_order]
        size = sum(saved.bytes for saved in item.saved)
        return [*pieces, f"({size_text(size)})"] if size else pieces

    def _saved(self, item: Item, saved: Saved) -> str:
        if saved.of is item:
            return f"{self.number(item)} (own output)"
        if saved.of is not None:
            return self.reference(saved.of)
        value = saved.value
        if isinstance(value, tuple) and any(isinstance(x, np.ndarray) for x in value):
            return f"({', '.join([_short(x) if isinstance(x, np.ndarray) else repr(x) for x in value])})"
        if isinstance(value, np.ndarray):
            return _short(value)
        if saved.name == "reduction" and isinstance(value, int):
            value = _REDUCTIONS.get(value, value)
        if isinstance(value, float):
            return scalar(value)
        return self.clean(repr(value))


def _short(array: Array) -> str:
    return stretch(array).text if array.size == 1 else f"{shape_text(array.shape)} {array.dtype}"


def _is_plain(saved: Saved) -> bool:
    return saved.of is None and not isinstance(saved.value, np.ndarray)


def _value_of(item: Item) -> str | None:
    value = item.value
    return stretch(value).text if value is not None and value.size == 1 else None


def detached(how: str, span: Span | None) -> str:
    """Where a constant was cut out of the graph, and by what."""
    said = _CUT_BY.get(how, how)
    return said if span is None else f"{said} at line {span.line}"
