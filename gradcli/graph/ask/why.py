"""Why a gradient is what it is: the paths it came along, or the places where it was cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import NamedTuple

from ...engine.tensor import Tensor
from ...errors import Span
from ...text.cells import cells, cut, pad
from ...text.parts import FAINT, GRADIENT, HEADING, PLAIN, VARIABLE, Line, Part
from ..numbers import ZERO, count_text, length, trouble
from ..text.style import clean, flowed, symbols
from ..view.places import at_line, text_of
from ..view.scopes import Scope
from ..view.tensors import place
from ..view.view import CONST, OP, Array, Edge, Item, View
from .crossing import Crossing, crossings
from .cuts import Cut, cuts_of, cuts_towards
from .paths import SHOWN, Path, passes, paths
from .select import above, found_by, named, variable

# Of a long path as many steps are told, at its beginning and at its end; of its product as many factors.
_HEAD, _TAIL = 6, 5
_FACTORS = 8
# So many places where a gradient was cut off are told of.
_PLACES = 8
# Of calls of one name so many are told of, and of the results of one so many explained.
_CALLS, _RESULTS = 12, 4
# More digits than these nobody reads.
_DIGITS = 30
# Below this width a step is told without columns.
_NARROW = 60
_SOURCE = 200

# How numbers leave a graph, in words.
WAYS = {
    "detach": "detach() takes the numbers and leaves the graph behind",
    "data": ".data takes the numbers and leaves the graph behind",
    "no_grad": "nothing is recorded under no_grad()",
    "inference_mode": "nothing is recorded in inference mode",
    "copy": "torch.tensor() takes the numbers and leaves the graph behind",
    "beside": "whole numbers have no gradients",
    "integer": "whole numbers and truth values have no gradients",
}

# Why an op passes on nothing though something arrives, by the beginning of its name.
_STOPS = {
    "Relu": "its input is nowhere above 0 where a gradient arrives: a dead ReLU",
    "Threshold": "its input is nowhere above its threshold where a gradient arrives",
    "Hardtanh": "its input is out of its bounds wherever a gradient arrives",
    "Clamp": "its input is out of its bounds wherever a gradient arrives",
    "Mul": "what it is multiplied by is 0 wherever a gradient arrives",
    "Where": "nothing is chosen from here where a gradient arrives",
    "Sign": "its derivative is 0 everywhere",
    "Floor": "its derivative is 0 everywhere",
    "Ceil": "its derivative is 0 everywhere",
    "Round": "its derivative is 0 everywhere",
    "Trunc": "its derivative is 0 everywhere",
}
_STOP = "its derivative is 0 here"


def explained(view: View, name: str, *, width: int = 100, ascii: bool = False) -> Iterator[Line]:
    """The lines that explain the gradient of a name, none wider than ``width``; of a call that of its results."""
    item = _elsewhere(view, name)
    calls: list[Scope] = []
    if item is None:
        item, calls = found_by(view, name)
    if item is not None:
        yield from _Explanation(view, name, item, width, ascii).lines()
        return
    borders = crossings(view.whole)
    asked = _Explanation(view, name, view.root, width, ascii)
    for call in calls[:_CALLS]:
        yield asked.border(call, borders[call, 0])
    if len(calls) == 1:
        yield from _results(asked, borders[calls[0], 0])
        return
    if len(calls) > _CALLS:
        yield from asked.said(f"{asked.symbols.more} and {count_text(len(calls) - _CALLS)} more", "")
    yield from asked.said(f"one of them is explained by its own name, such as {asked.clean(calls[-1].id)}", "")


def _results(asked: _Explanation, border: Crossing) -> Iterator[Line]:
    """Why the gradient of each result of a call is what it is."""
    shown = {item.id: item for item in asked.view.items}
    results = [shown[id] for id in dict.fromkeys(item.id for item, _ in border.arriving) if id in shown]
    for item in results[:_RESULTS]:
        name = asked.called(item)
        yield from _Explanation(asked.view, name, item, asked.width, asked.ascii).lines()
    if len(results) > _RESULTS:
        yield from asked.said(f"{asked.symbols.more} and {count_text(len(results) - _RESULTS)} more results", "")
    if not results:
        yield from asked.said("no gradient arrives at what it returns")


class _Explanation:
    """An answer about one name."""

    def __init__(self, view: View, name: str, item: Item, width: int, ascii: bool) -> None:
        self.view = view
        self.symbols = symbols(ascii)
        self.width = width
        self.ascii = ascii
        self.name = self.clean(name)
        self.item = item

    def clean(self, text: str) -> str:
        """Text of a program's, safe to show."""
        return clean(text, self.ascii)

    def called(self, item: Item) -> str:
        """An item by its name; one without by its number in the drawing of the graph."""
        number = f"#{item.number}" if item.kind == OP and not item.variable and item is not self.view.root else None
        return number or self.clean(named(self.view, item))

    def fit(self, *parts: Part) -> list[Part]:
        """A line that is cut where it gets too wide."""
        room, line = self.width, []
        for text, style in parts:
            shown = cut(text, room, self.symbols.more)
            line.append(Part(shown, style))
            room -= cells(shown)
        return line

    def said(self, text: str, indent: str = "  ") -> Iterator[list[Part]]:
        """A sentence, in as many lines as it needs."""
        further = indent + "  "
        for n, line in enumerate(flowed(text.split(" "), " ", self.width - len(further))):
            yield self.fit(Part((further if n else indent) + line))

    # -- lines -----------------------------------------------------------------------------------

    def lines(self) -> Iterator[list[Part]]:
        """Every line."""
        grad = self.item.grad
        if self.item.kind == CONST or self.item not in self.view.items:
            yield self.headline("no gradient")
            yield from self.missing()
            return
        found = paths(self.view, self.item)
        alive = [path for path in found.largest if path.contribution is None or _counts(path.contribution)]
        if grad is not None and (_counts(grad) or alive):
            yield self.headline(f"gradient {self.amount(grad)}")
            if self.item is self.view.root:
                yield from self.said("the backward starts here")
                return
            yield from self.counted(found.number, len(alive))
            if self.item.arrived is not None:
                yield from self.said(f"a hook made it of the {self.amount(self.item.arrived)} that arrive", "")
            for path in alive:
                yield [Part("")]
                yield from self.path(path)
            return
        yield self.headline("no gradient" if grad is None else "gradient 0")
        yield from self.counted(found.number, 0)
        yield from self.stopped()

    def headline(self, what: str) -> list[Part]:
        """The name, and in a word how it stands."""
        return self.fit(Part(f"why {self.name}: {what}", HEADING))

    def border(self, call: Scope, border: Crossing) -> list[Part]:
        """The gradient that enters a call, and the one that goes on from it."""
        bar = self.symbols.bar
        lengths = border.arrives, border.leaves
        enters, leaves = ("none" if length is None else f"{bar}{length:.3g}{bar}" for length in lengths)
        return self.fit(Part(f"why {self.clean(call.id)}: gradient in {enters}, out {leaves}", HEADING))

    def amount(self, array: Array | None) -> str:
        """A gradient in short."""
        return "?" if array is None else length(array, self.symbols.bar).text

    def counted(self, count: int, alive: int) -> Iterator[list[Part]]:
        """The number of paths, and of how many is told."""
        number = count_text(count) if count < 10**_DIGITS else f"about 10^{int(count.bit_length() * log10(2))}"
        told = ""
        if 0 < alive < min(count, SHOWN):
            told = f"; only {alive} contribute{'s' * (alive == 1)} anything"
        elif alive and alive < count:
            told = f"; the {alive} that contribute most"
        return self.said(f"{number} path{'s' * (count != 1)} from {self.called(self.view.root)}{told}", "")

    # -- paths -----------------------------------------------------------------------------------

    def path(self, path: Path) -> Iterator[list[Part]]:
        """The contribution of a path, and how it comes about step by step."""
        factors = self.factors(path)
        yield self.fit(Part(self.amount(path.contribution), GRADIENT), *self.product(factors, path.steps))
        steps = list(enumerate(path.steps))
        if len(steps) > _HEAD + _TAIL + 1:
            left_out = f"  {self.symbols.more} {count_text(len(steps) - _HEAD - _TAIL)} steps"
            shown = [*steps[:_HEAD], None, *steps[-_TAIL:]]
        else:
            left_out, shown = "", list(steps)
        told = [each and self.step(*each[1], factors[each[0]], path.arrived[each[0]]) for each in shown]
        widths = [max((cells(step[n]) for step in told if step), default=0) for n in range(len(_Step._fields))]
        for step in told:
            yield self.fit(Part(left_out, FAINT)) if step is None else self.row(step, widths)
        yield self.fit(Part(f"  {self.name}", VARIABLE))

    def factors(self, path: Path) -> list[float | None]:
        """The factor of each step on the gradient of a number; None where that is no number."""
        found: list[float | None] = []
        before = self.view.root.grad
        for after in path.arrived:
            numbers = before is not None and after is not None and before.size == after.size == 1 and before.item()
            found.append(after.item() / before.item() if numbers and after is not None and before is not None else None)
            before = after
        return found

    def product(self, factors: Sequence[float | None], steps: Sequence[tuple[Item, Edge]]) -> list[Part]:
        """A contribution as the product of local derivatives, when all are numbers."""
        if not factors or None in factors:
            return []
        first = self.view.root.grad
        shown = [f"{factor:.4g}" for factor in self.taken_apart(factors, steps)]
        if first is not None and first.item() != 1:
            shown.insert(0, self.amount(first))
        if len(shown) > _FACTORS:
            shown[_FACTORS // 2 : -_FACTORS // 2 + 1] = [self.symbols.more]
        return [Part(" = "), Part(f" {self.symbols.times} ".join(shown))]

    @staticmethod
    def taken_apart(factors: Sequence[float | None], steps: Sequence[tuple[Item, Edge]]) -> Iterator[float]:
        """The factors of a product, those of hooks by themselves."""
        for factor, (item, _) in zip(factors, steps, strict=True):
            if factor is not None:
                hook = _by_hook(item)
                yield from (hook, factor / hook) if hook else (factor,)

    def step(self, item: Item, edge: Edge, factor: float | None, arrived: Array | None) -> _Step:
        """One op on the way: what it multiplies the gradient by, or what it passes on."""
        times, hook = self.symbols.times, _by_hook(item)
        if factor is not None and hook:
            passed = f"{times} {hook:.4g} (hook) {times} {factor / hook:.4g}"
        elif factor is not None:
            passed = f"{times} {factor:.4g}"
        else:
            passed = self.amount(arrived)
            if item.arrived is not None:
                passed += f" (hook: {self.amount(item.arrived)} in, {self.amount(item.grad)} out)"
        line, source = self.place(item.span)
        return _Step(self.called(item), self.clean(item.name), self.clean(edge.argument), passed, line, source)

    def place(self, span: Span | None) -> tuple[str, str]:
        """The line of a place, when there are several, and what stands there."""
        if span is None:
            return "", ""
        line = at_line(span, self.view.has_several_files) if "\n" in span.source.text.strip() else ""
        return line, self.clean(text_of(span, _SOURCE).strip().replace("\n", " "))

    def row(self, step: _Step, widths: Sequence[int]) -> list[Part]:
        """A step in columns; where there is no room for them, in short."""
        if self.width < _NARROW:
            line = f"  {step.line}" if step.line else ""
            return self.fit(Part(f"  {step.name}.{step.argument} "), Part(step.passed, GRADIENT), Part(line, FAINT))
        texts = [pad(text, width) for text, width in zip(step, widths, strict=True)]
        styles = (VARIABLE, PLAIN, FAINT, GRADIENT, FAINT, FAINT)
        parts = [Part("  " + text, style) for text, style, width in zip(texts, styles, widths, strict=True) if width]
        parts[-1] = Part(parts[-1].text.rstrip(), parts[-1].style)
        return self.fit(*parts)

    # -- where there is none -----------------------------------------------------------------------

    def missing(self) -> Iterator[list[Part]]:
        """Why nothing leads from the root to an item."""
        item = self.item
        if item.kind == CONST:
            made = [Cut(*item.detached)] if item.detached is not None else []
            cuts = made or (cuts_of(self.view, item.node) if isinstance(item.node, Tensor) else [])
        else:
            cuts = cuts_towards(self.view.whole, item.node, _PLACES)
        for each in cuts:
            yield from self.cut(each)
        if not cuts:
            unused = f"unused: nothing that {self.called(self.view.root)} is computed from leads to it"
            yield from self.said(self.constant(item) if item.kind == CONST else unused)

    def constant(self, item: Item) -> str:
        """The reason why an item is a constant."""
        if item.shape is None:
            return "a constant: a number of the program's own"
        if item.dtype is not None and not item.dtype.startswith(("float", "bfloat", "complex", "double", "half")):
            return f"a constant: its numbers are {item.dtype}, and only floating point numbers have gradients"
        return "a constant: it does not require a gradient (requires_grad=True makes it a leaf)"

    def cut(self, found: Cut) -> Iterator[list[Part]]:
        """A place where numbers left the graph."""
        where = ": ".join(filter(None, self.place(found.span)))
        yield from self.said(f"cut off at {where}" if where else "cut off")
        yield from self.said(WAYS.get(found.how, found.how), "    ")
        if found.item is not None and found.edge is not None:
            edge = f"{self.called(found.item)}.{self.clean(found.edge.argument)}"
            yield from self.said(f"the numbers go on into {edge} ({self.clean(found.item.name)})", "    ")

    def stopped(self) -> Iterator[list[Part]]:
        """The edges along which nothing goes on though something arrives."""
        if self.view.ungraded is not None:
            yield from self.said(f"the backward stopped: {self.clean(self.view.ungraded)}")
            return
        kept = above(self.view, self.item)
        places = [
            (item, edge)
            for item in reversed(self.view.items)
            if item in kept and item.grad is not None and _counts(item.grad)
            for edge in item.edges
            if edge.to in kept and (edge.grad is None or not _counts(edge.grad))
        ]
        for item, edge in places[:_PLACES]:
            where = ": ".join(filter(None, self.place(item.span)))
            at = f"{self.called(item)}.{self.clean(edge.argument)}"
            yield from self.said(f"cut off at {at} ({self.clean(item.name)}){where and f', {where}'}")
            none = not passes(edge, item)
            yield from self.said(f"{self.amount(item.grad)} arrives, {'nothing' if none else '0'} goes on", "    ")
            yield from self.said("its backward returns no gradient for this" if none else stop_of(item), "    ")
        if len(places) > _PLACES:
            yield from self.said(f"{self.symbols.more} and at {count_text(len(places) - _PLACES)} other places")


def _elsewhere(view: View, name: str) -> Item | None:
    """An item for a tensor of the program that the view has not."""
    for item in view.whole.unused:
        if named(view, item) == name:
            return item
    tensor = variable(view, name)
    if tensor is None or any(name in (item.id, item.variable, item.label) for item in view.items):
        return None
    node, _ = place(tensor, {})
    if node is not None and any(item.node is node for item in view.items):
        return None
    item = Item(CONST, "const", tensor) if node is None else Item(OP, node.name(), node)
    item.id = item.variable = item.label = name
    item.shape, item.dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
    return item


class _Step(NamedTuple):
    """The cells of a step."""

    name: str
    op: str
    argument: str
    passed: str
    line: str
    source: str


def _by_hook(item: Item) -> float | None:
    """The factor that a hook gives the gradient of a number."""
    before, after = item.arrived, item.grad
    if before is None or after is None or before.size != 1 or not before.item():
        return None
    factor: float = after.item() / before.item()
    return factor


def stop_of(item: Item) -> str:
    """Why an op passes on only zeros."""
    return next((words for start, words in _STOPS.items() if item.name.startswith(start)), _STOP)


def _counts(grad: Array) -> bool:
    """Tell whether a gradient is anything but zeros."""
    return bool(grad.size) and trouble(grad) != ZERO
