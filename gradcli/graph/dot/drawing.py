"""A view as the statements of a DOT graph: nodes in their clusters, then edges, all in forward order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from ...errors import InputError
from ..ask import clusters
from ..heat import GRAD, Heat, length_along, length_of
from ..numbers import INF, NAN, ZERO, norm, trouble
from ..view.view import CONST, LEAF, OP, Edge, Item, View
from . import quoting, themes
from .captions import AGAIN, Captions, is_array, title_of
from .legend import legend

Attributes = dict[str, Any]

BACKWARD, FORWARD = DIRECTIONS = ("backward", "forward")

# Leaves and constants with more uses are drawn once for each: what all steps of a loop share would tie everything
# to everything, and take Graphviz hundreds of times as long.
_SHARED = 4

_FONT = "Helvetica,Arial,sans-serif"
# What is free around a label, in inches: a constant has no frame, a note a corner folded over.
_MARGIN = "0.13,0.07"
_MARGINS = {themes.CONSTANT: "0.06,0.03", themes.SAVED: "0.18,0.07", themes.CALL: "0.13,0.12"}
# Pens are as thick as gradients are large, between these.
_THINNEST, _THICKEST = 0.5, 4.0


class Options(NamedTuple):
    """The options of a drawing; the names are those of the command line's."""

    show_saved: bool = False
    show_attrs: bool = False
    max_attr_chars: int = 50
    # None: as suits the view.
    cluster: str | None = None
    direction: str = BACKWARD
    weight: str | None = None
    heat: str | None = None
    theme: str = themes.LIGHT_NAME
    legend: bool = True
    share_leaves: bool = False
    # For an SVG: what is told of a node under the pointer, and the file in which its line of the program is.
    tooltips: bool = False
    link: str | None = None
    # What is an output beside the root.
    outputs: tuple[Item, ...] = ()


_CHOICES = {
    "cluster": clusters.NAMES,
    "direction": DIRECTIONS,
    "weight": (GRAD,),
    "heat": (GRAD,),
    "theme": themes.NAMES,
}


class Cluster:
    """Nodes that stand together in a frame, and the clusters among them; at the top, the whole graph."""

    def __init__(self, name: str, attributes: Attributes) -> None:
        self.name = name
        self.attributes = attributes
        self.nodes: list[tuple[str, Attributes]] = []
        self.clusters: dict[str, Cluster] = {}


class Picture:
    """The statements of a DOT graph; all names and values are quoted."""

    def __init__(self, view: View, options: Options) -> None:
        for name, choices in _CHOICES.items():
            chosen = getattr(options, name)
            if chosen is not None and chosen not in choices:
                raise InputError(f"{name} is one of {', '.join(choices)}, not {chosen!r}")
        self.top = Cluster(quoting.identifier("gradcli"), {})
        self.edges: list[tuple[str, str, Attributes]] = []
        self._view = view
        self._options = options
        self._theme = themes.THEMES[options.theme]
        self._heat = Heat(view) if options.heat == GRAD else None
        self._shades = themes.HEATS[options.theme]
        if self._heat is not None:
            # Only what has a gradient is filled.
            self._theme = self._theme._replace(fills=dict.fromkeys(self._theme.fills, self._theme.background))
        self._captions = Captions(view, options.outputs, options.show_attrs, options.max_attr_chars)
        self._paths = clusters.paths(view, options.cluster or clusters.usual(view))
        self._kinds: set[str] = set()
        self._taken: set[str] = set()
        self._turns: Counter[str] = Counter()
        self._width = _widths(view) if options.weight == GRAD else None
        self.node_defaults = self._node_defaults()
        self.edge_defaults = self._edge_defaults()
        self._looks = {kind: self._look(kind) for kind in themes.FORMS}
        self._draw()
        self.top.attributes = self._graph_attributes()

    # -- nodes -------------------------------------------------------------------------------

    def _draw(self) -> None:
        named: dict[Item, str] = {}
        often = set() if self._options.share_leaves else _often_used(self._view)
        # What is drawn once has its own id, whatever is added beside it.
        for item in self._view.items:
            if item not in often:
                named[item] = self._item(item)
        for item in self._view.items:
            for edge in item.edges:
                if edge.to is None:
                    head = self._node(f"{item.id}.{edge.argument}", themes.CONSTANT, ["None"], self._path(item))
                elif edge.to in often:
                    head = self._use(edge.to, item, named)
                else:
                    head = named[edge.to]
                self._edge(item, edge, named[item], head)
            if self._options.show_saved and item.kind == OP:
                self._saved(item, named[item])

    def _item(self, item: Item) -> str:
        """Draw an item, and return the name of its node."""
        caption = self._captions
        return self._node(item.id, caption.kind(item), caption.node(item), self._path(item), self._marks(item))

    def _use(self, item: Item, user: Item, named: dict[Item, str]) -> str:
        """Draw one use of an item that has many: the first tells all, the others only which it is."""
        lines = [self._captions.again(item), *([] if item in named else self._captions.node(item)[1:])]
        name = self._node(item.id, self._captions.kind(item), lines, self._path(user), self._marks(item))
        named.setdefault(item, name)
        return name

    def _saved(self, item: Item, name: str) -> None:
        """Draw the tensors that an op keeps."""
        for saved in item.saved:
            if is_array(saved.value):
                lines = self._captions.saved(item, saved)
                note = self._node(f"{item.id}.saved.{saved.name}", themes.SAVED, lines, self._path(item))
                self._connect(name, note, {"style": "dashed", "dir": "none"})

    def _node(self, id: str, kind: str, lines: list[str], path: clusters.Path, more: Attributes | None = None) -> str:
        name = self._name(id)
        self._kinds.add(kind)
        attributes = {"label": quoting.label(*lines), **self._looks[kind], **(more or {})}
        self._cluster(path).nodes.append((name, attributes))
        return name

    def _name(self, id: str) -> str:
        """A name for a node that no other has."""
        name = quoting.identifier(id)
        while name in self._taken:
            self._turns[id] += 1
            name = quoting.identifier(id, f"{AGAIN}{self._turns[id] + 1}")
        self._taken.add(name)
        return name

    def _marks(self, item: Item) -> Attributes:
        """The looks of an item beside those of its kind: its shade, and what is told under the pointer."""
        shade = None if self._heat is None else self._heat.shade(length_of(item))
        shaded = {} if shade is None else {"fillcolor": quoting.text(self._shades.fills[shade])}
        return shaded | self._hints(item)

    def _hints(self, item: Item) -> Attributes:
        if not self._options.tooltips:
            return {}
        hints = {"tooltip": quoting.text(*self._captions.hint(item))}
        if self._options.link is not None and item.span is not None and not self._view.has_several_files:
            hints["URL"] = quoting.text(f"{self._options.link}#L{item.span.line}")
        return hints

    # -- edges -------------------------------------------------------------------------------

    def _edge(self, item: Item, edge: Edge, tail: str, head: str) -> None:
        attributes = {"label": quoting.text(self._captions.edge(edge))}
        wrong = None if edge.grad is None else trouble(edge.grad)
        if edge.to is None or edge.to.kind == CONST:
            attributes["style"] = "dashed"
        elif wrong == ZERO:
            attributes["style"] = "dotted"
        elif wrong in (NAN, INF):
            attributes["color"] = attributes["fontcolor"] = quoting.text(self._theme.wrong)
        elif self._width is not None and edge.grad is not None:
            attributes["penwidth"] = f"{self._width(norm(edge.grad)):.2f}"
        shade = None if self._heat is None else self._heat.shade(length_along(edge))
        if shade is not None:
            attributes["color"] = quoting.text(self._shades.lines[shade])
        if self._options.tooltips:
            attributes["tooltip"] = attributes["labeltooltip"] = quoting.text(*self._captions.edge_hint(item, edge))
        self._connect(tail, head, attributes)

    def _connect(self, tail: str, head: str, attributes: Attributes) -> None:
        ends = (tail, head) if self._options.direction == BACKWARD else (head, tail)
        self.edges.append((*ends, attributes))

    # -- clusters ----------------------------------------------------------------------------

    def _path(self, item: Item) -> clusters.Path:
        return self._paths.get(item, ())

    def _cluster(self, path: clusters.Path) -> Cluster:
        cluster = self.top
        for title in path:
            inner = cluster.clusters.get(title)
            if inner is None:
                inner = cluster.clusters[title] = Cluster(*self._frame(title))
            cluster = inner
        return cluster

    def _frame(self, title: str) -> tuple[str, Attributes]:
        theme = self._theme
        return quoting.identifier(f"cluster {title}"), {
            "label": quoting.text(title),
            "labeljust": "l",
            "style": quoting.text("rounded,filled"),
            "fillcolor": quoting.text(theme.area),
            "color": quoting.text(theme.frame),
            "fontcolor": quoting.text(theme.muted),
            "fontsize": "10",
        }

    # -- what all have -----------------------------------------------------------------------

    def _graph_attributes(self) -> Attributes:
        # Arguments stand from left to right.
        backward = self._options.direction == BACKWARD
        attributes = {
            "bgcolor": quoting.text(self._theme.background),
            "fontname": quoting.text(_FONT),
            "fontcolor": quoting.text(self._theme.text),
            "fontsize": "10",
            "labeljust": "l",
            "labelloc": "t",
            "nodesep": "0.3",
            "ordering": "out" if backward else "in",
            "pad": "0.2",
            "ranksep": "0.4",
        }
        if self._options.legend:
            attributes["label"] = legend(
                self._view, title_of(self._view), self._kinds, self._theme, self._heat, self._shades
            )
        return attributes

    def _node_defaults(self) -> Attributes:
        """The look of an op, of which there are the most."""
        theme, form = self._theme, themes.FORMS[themes.OP]
        return {
            "shape": form.shape,
            "style": quoting.text(form.style),
            "fillcolor": quoting.text(theme.fills[themes.OP]),
            "color": quoting.text(theme.line),
            "fontcolor": quoting.text(theme.text),
            "fontname": quoting.text(_FONT),
            "fontsize": "11",
            "height": "0.3",
            "margin": quoting.text(_MARGIN),
            "width": "0.3",
        }

    def _edge_defaults(self) -> Attributes:
        theme = self._theme
        return {
            "arrowsize": "0.7",
            "color": quoting.text(theme.line),
            "fontcolor": quoting.text(theme.muted),
            "fontname": quoting.text(_FONT),
            "fontsize": "9",
        }

    def _look(self, kind: str) -> Attributes:
        """The differences of a kind of node from an op."""
        form = themes.FORMS[kind]
        fill = self._theme.fills.get(kind)
        look = {
            "shape": form.shape,
            "style": quoting.text(form.style),
            "fillcolor": self.node_defaults["fillcolor"] if fill is None else quoting.text(fill),
            "peripheries": str(form.peripheries),
            "margin": quoting.text(_MARGINS.get(kind, _MARGIN)),
        }
        usual = {**self.node_defaults, "peripheries": "1"}
        return {name: value for name, value in look.items() if usual[name] != value}


def _often_used(view: View) -> set[Item]:
    """The leaves and constants that are drawn once for each use."""
    uses = Counter(edge.to for _, edge in view.edges() if edge.to is not None and edge.to.kind in (LEAF, CONST))
    return {item for item, count in uses.items() if count > _SHARED}


def _widths(view: View) -> Callable[[float], float]:
    """The thickness of a pen for a gradient of some length: evenly by the logarithm."""
    lengths = [norm(edge.grad) for _, edge in view.edges() if edge.grad is not None and trouble(edge.grad) is None]
    known = [math.log(length) for length in lengths if 0 < length < math.inf]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)

    def width(length: float) -> float:
        # A gradient without elements has no length.
        share = (math.log(length or math.exp(low)) - low) / (high - low) if high > low else 0.5
        return _THINNEST + share * (_THICKEST - _THINNEST)

    return width
