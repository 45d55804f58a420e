"""``gradcli.trace()``: the graph of a tensor as data that prints as a tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any

from ..engine.tensor import Tensor
from ..text.parts import plain
from .ask.select import named
from .view.view import View


class Trace:
    """The view of a graph, and how it is drawn: ``print(trace)``, ``trace.json()``, ``trace.why("fc1.weight")``."""

    def __init__(self, view: View, drawing: Mapping[str, Any]) -> None:
        self.view = view
        self._drawing = drawing

    def __str__(self) -> str:
        from .text.tree import render

        return "\n".join(map(plain, render(self.view, **self._drawing)))

    def __repr__(self) -> str:
        return f"<trace of {named(self.view, self.view.root)}, {len(self.view.items)} nodes>"

    def __rich__(self) -> Any:
        from .text.tree import rich_tree

        return rich_tree(self.view, **{key: value for key, value in self._drawing.items() if key != "width"})

    def json(self, *, values: str = "stats", grads: str = "norm") -> str:
        """The graph in the schema ``gradcli.trace/1``; ``values`` and ``grads`` may be "full" or "none"."""
        from .json import to_json

        return to_json(self.view, values=values, grads=grads)

    def html(self, path: str | PathLike[str] | None = None) -> str:
        """The graph as one HTML page that needs no network; it is written to ``path`` where that is given."""
        from .page.page import to_html

        text = to_html(self.view)
        if path is not None:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        return text

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        from html import escape

        frame = 'sandbox="allow-scripts" width="100%" height="520" style="border: 1px solid #8888"'
        return f'<iframe {frame} srcdoc="{escape(self.html())}"></iframe>'

    def flow(self, *, level: int | None = None) -> str:
        """Tell the gradient that enters and leaves each call that ``gradcli.recording()`` noted, to a depth."""
        from .flow.text import table

        shown = {key: self._drawing[key] for key in ("width", "ascii") if key in self._drawing}
        return "\n".join(map(plain, table(self.view, depth=level, **shown)))

    def why(self, name: str) -> str:
        """Why the gradient of a name is what it is, or why there is none."""
        from .ask.why import explained
        from .text.tree import numbers

        for item, number in numbers(self.view, **self._drawing).items():
            item.number = number
        return "\n".join(map(plain, explained(self.view, name, width=self._drawing.get("width", 100))))


def trace(
    input: Any,
    *,
    names: Mapping[str, Any] | None = None,
    gradient: Any = None,
    focus: str | None = None,
    invert: str | None = None,
    level: int | str | None = None,
    expand: Collection[str] = (),
    collapse: Collection[str] = (),
    depth: int | None = None,
    max_nodes: int | None = None,
    **drawing: Any,
) -> Any:
    """The graph that made a tensor of gradcli or of PyTorch, with the gradient along every edge.

    ``names`` tells what tensors are called, as ``dict(model.named_parameters())`` does. ``gradient`` is what the
    backward starts from, ones by default. ``focus``, ``invert``, ``depth`` and ``max_nodes`` show a part, ``level`` (a
    number or "auto"), ``expand`` and ``collapse`` (names) whole calls as boxes, as the options of ``gradcli trace`` do;
    ``layout``, ``width``, ``values``, ``grads``, ``saved`` and ``ascii`` are for the drawing. Of a list of tensors it
    is the graph of one backward from all of them. No ``.grad`` is touched, and the graph can be walked again.

    A matrix of gradcli alone gives what ``torch.trace`` gives: the sum of its diagonal.
    """
    parts = (names, gradient, focus, invert, level, expand or None, collapse or None, depth, max_nodes)
    if isinstance(input, Tensor) and input.dim() == 2 and not (drawing or any(p is not None for p in parts)):
        from ..engine.ops.reduce.sums import trace as sum_of_diagonal

        return sum_of_diagonal(input)
    from .ask import select
    from .view.collect import collect

    view = collect(input, names={_node(each): name for name, each in (names or {}).items()}, gradient=gradient)
    if focus is not None:
        view = select.focus(view, focus)
    if invert is not None:
        view = select.invert(view, invert)
    if level is not None or expand or collapse:
        from .ask.page import at_level

        view = at_level(view, level, expand, collapse)
    if depth is not None:
        view = select.depth(view, depth)
    if max_nodes is not None:
        view = select.max_nodes(view, max_nodes)
    return Trace(view, drawing)


def _node(tensor: Any) -> Any:
    """The node that a name is the name of."""
    from .view.tensors import origin

    return origin(tensor)[0]
