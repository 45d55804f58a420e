"""The words of a picture for each node and edge."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import Span
from ...spec.input.parse import NO_FILE
from ..numbers import INF, NAN, Summary, length, scalar, shape_text, size_text, stretch, told
from ..text.labels import detached
from ..view.places import ELLIPSIS, at_line, text_of
from ..view.view import CALL, CONST, LEAF, ROOT, Array, Edge, Item, Saved, View
from . import themes

BAR, AGAIN, BETWEEN = "‖", "↩", " · "

# Of the source of an op that has no name so much is its name; in a tooltip it is told further. What is longer than
# the last is not looked into.
_NAME, _SOURCE, _LONGEST = 40, 200, 1000

# Of so many outputs of a node a picture tells.
_OUTPUTS = 8

# PyTorch's name of a write through a view.
_WRITE_NODE = "CopySlices"


class Captions:
    """The words of one picture."""

    def __init__(self, view: View, outputs: Iterable[Item], attributes: bool, longest_attribute: int) -> None:
        self.view = view
        self.outputs = {view.root, *outputs}
        if view.root.kind == ROOT:
            self.outputs.update(edge.to for edge in view.root.edges if edge.to is not None)
        self.attributes = attributes
        self.longest_attribute = max(longest_attribute, len(ELLIPSIS))
        self.lines = any(item.span is not None and item.span.line != 1 for item in view.items)
        self.steps = _steps(view)
        self._sources: dict[tuple[str, int, int, int, int], tuple[str, bool]] = {}

    # -- kinds -------------------------------------------------------------------------------

    def kind(self, item: Item) -> str:
        """The kind of node that an item is drawn as."""
        if item.kind in (LEAF, CONST):
            return themes.LEAF if item.kind == LEAF else themes.CONSTANT
        if item.kind == CALL:
            return themes.CALL
        if item in self.outputs:
            return themes.OUTPUT
        if item.order:
            return themes.DERIVED
        writes = item.name == _WRITE_NODE or (item.span is not None and self._source(item.span)[1])
        return themes.WRITE if writes else themes.OP

    # -- nodes -------------------------------------------------------------------------------

    def node(self, item: Item) -> list[str]:
        """The label of an item: what it is called, what made it, its numbers, its gradient."""
        if item.kind == CONST:
            return [self.constant(item), *_numbers(item), *_cut_out(item)]
        if item.box is not None:
            called = [f"{item.variable} {item.name}" if item.variable else item.name]
            return [*called, *_remarks(item), *told(item.box, BAR), *_numbers(item)]
        derived = f"d{item.order} " if item.order else ""
        name = self.name(item)
        first = derived + (name or item.name)
        place = f"{BETWEEN}{self._line(item.span)}" if self.lines and item.span is not None and not item.order else ""
        lines = [first + place, *([item.name] if name else []), *_told(item)]
        if self.attributes:
            lines += self._attributes(item)
        return [*lines, *_remarks(item)]

    def name(self, item: Item) -> str | None:
        """The program's name for an item: a variable, or the expression that computes it."""
        if item.kind == CALL:
            return item.variable or item.name
        if item is self.view.root and self.view.root_name:
            return self.view.root_name
        if item.kind == LEAF:
            return item.variable or item.id
        if names := [each.name for each in item.results if each.name]:
            return ", ".join(names)
        if item.order or item.span is None:
            return item.variable
        source, writes = self._source(item.span)
        if item.name == _WRITE_NODE and not writes:
            return f"{source} = {ELLIPSIS}"
        return source if writes else item.variable or (None if item in self.steps else source)

    def _source(self, span: Span) -> tuple[str, bool]:
        """The expression that computes an op; of one that writes in place, what it writes to."""
        place = span.source.name, span.line, span.column, span.end_line, span.end_column
        found = self._sources.get(place)
        if found is None:
            source = text_of(span, _LONGEST)
            write = _write(source)
            found = _cut(_one_line(write or source), _NAME), write is not None
            self._sources[place] = found
        return found

    def _line(self, span: Span) -> str:
        return at_line(span, self.view.has_several_files)

    @staticmethod
    def constant(item: Item) -> str:
        """The words for a constant: a name of the program's, or its value."""
        if item.label is not None:
            return item.label
        number = _number(item)
        return item.variable or item.name if number is None else number

    def again(self, item: Item) -> str:
        """A leaf or a constant that is drawn several times."""
        return f"{self.constant(item) if item.kind == CONST else item.variable or item.id} {AGAIN}"

    def _attributes(self, item: Item) -> Iterator[str]:
        """Everything that an op keeps beside tensors: how it was called."""
        for saved in item.saved:
            if not is_array(saved.value):
                value = scalar(saved.value) if isinstance(saved.value, float) else repr(saved.value)
                yield f"{saved.name} = {_cut(value, self.longest_attribute)}"

    # -- saved tensors, edges ----------------------------------------------------------------

    def saved(self, item: Item, saved: Saved) -> list[str]:
        """The label of a tensor that an op keeps."""
        lines = [saved.name]
        if saved.of is not None:
            lines[0] += " = " + ("own output" if saved.of is item else self.reference(saved.of))
        if is_array(saved.value):
            lines += _value(saved.value.shape, saved.value)
        if saved.bytes:
            lines.append(f"holds {size_text(saved.bytes)}")
        return lines

    def reference(self, item: Item) -> str:
        """An item where it is not drawn."""
        return self.constant(item) if item.kind == CONST else self.name(item) or item.name

    @staticmethod
    def edge(edge: Edge) -> str:
        """The label of an edge: the argument, the gradient that goes along it, which output it leads to."""
        words = [edge.argument]
        if edge.to is not None and (edge.to.results or edge.output_nr):
            words.append(f"#{edge.output_nr}")
        if edge.grad is not None:
            words.append(marked(length(edge.grad, BAR)))
        # Room between the line and its label.
        return "  " + "  ".join(words)

    # -- tooltips ----------------------------------------------------------------------------

    def hint(self, item: Item) -> list[str]:
        """All that a row of a trace tells of an item."""
        if item.kind == CONST:
            return [f"{self.constant(item)}: constant", *_full(item), *_cut_out(item)]
        name = self.name(item)
        arguments = ", ".join(
            f"{edge.argument}={'None' if edge.to is None else self.reference(edge.to)}" for edge in item.edges
        )
        made = item.name if item.kind == LEAF else f"{item.name}({arguments})"
        lines = [f"{name} = {made}" if name else made, *_full(item), *_gradient(item)]
        if item.parent is not None:
            lines.append(f"recorded by the backward of {self.reference(item.parent)}")
        if saved := [self.saved(item, each)[0] for each in item.saved if is_array(each.value)]:
            lines.append(f"saved {', '.join(saved)}")
        if item.span is not None:
            lines.append(f"{self._line(item.span)}: {_one_line(text_of(item.span, _SOURCE))}")
        return lines

    def edge_hint(self, item: Item, edge: Edge) -> list[str]:
        """Where an edge leads, and how much of the gradient there it brings."""
        to = "None" if edge.to is None else self.reference(edge.to)
        lines = [f"{edge.argument} of {self.name(item) or item.name}: {to}"]
        if edge.grad is not None:
            total = None if edge.to is None else edge.to.grad
            whole = "" if total is None else f" of {length(total, BAR).text}"
            lines.append(f"gradient {marked(length(edge.grad, BAR))}{whole}")
        return lines


def _write(source: str) -> str | None:
    """A piece of source that writes in place, without what it writes: that the edges tell."""
    try:
        (statement,) = ast.parse(source, NO_FILE).body
    except (SyntaxError, ValueError):
        return None
    written: ast.expr = ast.Name(ELLIPSIS)
    match statement:
        case ast.Assign(targets=[ast.Subscript()]) | ast.AugAssign():
            statement.value = written
        case ast.Expr(ast.Call(ast.Attribute(attr=method)) as call) if method.endswith("_"):
            call.args, call.keywords = [written], []
        case _:
            return None
    return ast.unparse(statement)


def _steps(view: View) -> set[Item]:
    """The ops that are a step on the way to the value of an expression, which another op computes."""
    edges = ((item.span, edge.to) for item, edge in view.edges())
    return {to for span, to in edges if to is not None and span is not None and to.span == span}


def title_of(view: View) -> str:
    """The subject of a picture."""
    return view.title or view.root_name or view.root.variable or view.root.name


def marked(summary: Summary) -> str:
    """A summary, with an exclamation mark where it is not finite; one zero is like any other."""
    if summary.text in ("-0", f"{BAR}0{BAR}"):
        return "0"
    return f"!{summary.text}" if summary.trouble in (NAN, INF) else summary.text


def _numbers(item: Item) -> list[str]:
    """The shape and the values of an item; of a constant its name may tell them."""
    told_by_name = item.kind == CONST and (item.shape is None or (item.label is None and _number(item) is not None))
    return [] if told_by_name else _value(item.shape, item.value)


def _number(item: Item) -> str | None:
    """The value of an item that has only one."""
    return marked(stretch(item.value)) if item.value is not None and item.value.size == 1 else None


def _value(shape: tuple[int, ...] | None, value: Array | None) -> list[str]:
    told = ["value"] if not shape else [shape_text(shape)]
    if value is not None:
        told.append(marked(stretch(value)))
    return [" ".join(told)] if shape or value is not None else []


def _full(item: Item) -> list[str]:
    told = [f"shape {shape_text(item.shape)}"] if item.shape is not None else []
    told += [item.dtype] if item.dtype else []
    told += [f"value {marked(stretch(item.value))}"] if item.value is not None else []
    return [BETWEEN.join(told)] if told else []


def _gradient(item: Item) -> list[str]:
    if item.grad is None:
        return []
    hooked = "" if item.arrived is None else f" (hook: {marked(length(item.arrived, BAR))} in)"
    return [f"grad {marked(length(item.grad, BAR))}{hooked}"]


def _told(item: Item) -> Iterator[str]:
    """The numbers and the gradient of an item; of several outputs each in a line, as far as anybody reads them."""
    if not item.results:
        yield from (*_numbers(item), *_gradient(item))
    for number, output in enumerate(item.results[:_OUTPUTS]):
        grad = "unused" if output.grad is None else f"grad {marked(length(output.grad, BAR))}"
        yield " ".join(filter(None, [f"#{number}", output.name, *_value(output.shape, output.value), grad]))
    if len(item.results) > _OUTPUTS:
        yield f"{ELLIPSIS} {len(item.results) - _OUTPUTS} more outputs"


def _cut_out(item: Item) -> list[str]:
    return [] if item.detached is None else [detached(*item.detached)]


def _remarks(item: Item) -> Iterator[str]:
    """The number of times that an item is repeated, and what is hidden behind it."""
    if item.repeats is not None:
        count, first, last = item.repeats
        yield f"× {count}" + (f" ({first} {ELLIPSIS} {last})" if first or last else "")
    if item.cut:
        yield f"[+{item.hidden} node{'s' * (item.hidden != 1)}]" if item.hidden else f"[{ELLIPSIS}]"


def is_array(value: Any) -> bool:
    """Tell whether something that an op keeps is a tensor."""
    return hasattr(value, "shape")


def _one_line(source: str) -> str:
    return " ".join(source.split()) if "\n" in source else source


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + ELLIPSIS
