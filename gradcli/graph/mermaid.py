"""A view as a Mermaid flowchart, as GitHub and its like draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import OutputError
from .heat import GRAD, LIGHT, Heat, length_along, length_of
from .numbers import length, shape_text, stretch, told
from .text.style import clean
from .view.view import CALL, CONST, LEAF, Item, View

# Past these Mermaid draws an error, wherever it is not configured otherwise.
_MOST_EDGES = 500
_MOST_CHARACTERS = 50_000
# A label is cut at so many characters.
_LABEL = 60

# The brackets that give a node its form: an op is round, a leaf square, a whole call framed twice.
_FORMS = {LEAF: '["{}"]', CONST: '["{}"]', CALL: '[["{}"]]'}
_OP = '("{}")'

# Everything else may be Mermaid's or Markdown's own: it is written as a number.
_PLAIN = re.compile(r"[^\w ,:=']")


def lines(view: View, *, grads: str = "norm", heat: str | None = None) -> Iterator[str]:
    """The drawing, all at once: Mermaid may refuse it as a whole."""
    yield to_mermaid(view, grads=grads, heat=heat)


def nothing(name: str) -> Iterator[str]:
    """An empty drawing."""
    yield "flowchart TD\n"


def to_mermaid(view: View, *, grads: str = "norm", heat: str | None = None) -> str:
    """The text of the drawing; an error when Mermaid would refuse it.

    With ``heat`` "grad" nodes and edges are coloured by the size of their gradient, with a scale.
    """
    edges = sum(1 for _, edge in view.edges() if edge.to is not None)
    if edges > _MOST_EDGES:
        raise _too_large(f"{edges:,} edges; Mermaid draws {_MOST_EDGES}")
    text = "".join(f"{line}\n" for line in _lines(view, grads, heat))
    if len(text) > _MOST_CHARACTERS:
        raise _too_large(f"{len(text):,} characters of Mermaid, which draws {_MOST_CHARACTERS:,}")
    return text


def _too_large(what: str) -> OutputError:
    return OutputError(
        f"the graph has {what}",
        help="--level N, --depth N or --focus NAME make it smaller; --format json and export-dot take any size",
    )


def _lines(view: View, grads: str, heat: str | None) -> Iterator[str]:
    names = {item: f"n{number}" for number, item in enumerate(view.items)}
    yield "flowchart TD"
    for item, name in names.items():
        form = _FORMS.get(item.kind, _OP)
        yield f"  {name}{form.format(_label(item, view))}"
    for item, edge in view.edges():
        if edge.to is not None:
            along = "" if grads == "none" else _gradient(edge.grad)
            which = _text(f" #{edge.output_nr}") if edge.to.results else ""
            yield f'  {names[item]} -->|"{_text(edge.argument)}{which}{along}"| {names[edge.to]}'
    constants = [name for item, name in names.items() if item.kind == CONST]
    if constants:
        yield "  classDef const stroke-dasharray: 4"
        yield f"  class {','.join(constants)} const"
    if heat == GRAD:
        yield from _shades(view, names)


def _shades(view: View, names: Mapping[Item, str]) -> Iterator[str]:
    """The colours of nodes and edges by the size of their gradient, and the scale of them."""
    heat = Heat(view)
    nodes: dict[int, list[str]] = {}
    for item, name in names.items():
        if (shade := heat.shade(length_of(item))) is not None:
            nodes.setdefault(shade, []).append(name)
    links: dict[int, list[str]] = {}
    for number, edge in enumerate(edge for _, edge in view.edges() if edge.to is not None):
        if (shade := heat.shade(length_along(edge))) is not None:
            links.setdefault(shade, []).append(str(number))
    yield '  subgraph heat ["size of the gradient"]'
    for shade, size in heat.scale():
        yield f'    s{shade}["{_text(f"{size:.2g}")}"]'
        nodes.setdefault(shade, []).append(f"s{shade}")
    yield "  end"
    for shade in sorted(nodes):
        yield f"  classDef heat{shade} fill:{LIGHT.fills[shade]},stroke:{LIGHT.lines[shade]},color:#000000"
        yield f"  class {','.join(nodes[shade])} heat{shade}"
    for shade in sorted(links):
        yield f"  linkStyle {','.join(links[shade])} stroke:{LIGHT.lines[shade]}"


def _label(item: Item, view: View) -> str:
    called = view.root_name if item is view.root else None
    if item.results:
        called = ", ".join(each.name for each in item.results if each.name)
    parts = [_constant(item)] if item.kind == CONST else [called or item.variable or item.label, item.name]
    if item.repeats is not None:
        count, first, last = item.repeats
        parts.append(f"× {count} ({first} … {last})")
    if item.box is not None:
        parts += told(item.box, "‖")
    if item.hidden:
        parts.append(f"+{item.hidden} nodes")
    return "<br>".join(_text(part) for part in parts if part)


def _constant(item: Item) -> str:
    """A constant by its name, its one number or its shape."""
    number = stretch(item.value).text if item.value is not None and item.value.size == 1 else None
    return item.label or number or item.variable or (shape_text(item.shape) if item.shape else item.name)


def _gradient(grad: Any) -> str:
    if grad is None:
        return ""
    return _text(f" = {length(grad, '‖').text}")


def _text(text: str) -> str:
    """A text that Mermaid shows as it is, but for what acts on whoever looks at it."""
    text = clean(text)
    shown = text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
    return _PLAIN.sub(lambda found: f"#{ord(found[0])};", shown)
