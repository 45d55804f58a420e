"""The differences of two graphs as a picture: what came in one colour, what went in another, the rest grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pydot

from ..diff.compare import CAME, CHANGED, WENT, Comparison
from ..diff.merged import ALIKE, Both, merged
from ..diff.text import SIGNS, told
from .quoting import identifier, label, text

# Colours that people who see red and green alike tell apart; signs and lines repeat what they say.
_CAME, _WENT, _CHANGED = "#0072b2", "#d55e00", "#8a6d00"
_LOOKS: dict[str, dict[str, Any]] = {
    CAME: {"color": f'"{_CAME}"', "fillcolor": '"#e3f1fb"', "penwidth": "2"},
    WENT: {"color": f'"{_WENT}"', "fillcolor": '"#fdeee3"', "style": '"rounded,filled,dashed"', "penwidth": "2"},
    CHANGED: {"color": f'"{_CHANGED}"', "fillcolor": '"#fff8dc"'},
    ALIKE: {"color": '"#a8adb3"', "fontcolor": '"#4d5661"'},
}
_LINES: dict[str, dict[str, Any]] = {
    CAME: {"color": f'"{_CAME}"', "penwidth": "2"},
    WENT: {"color": f'"{_WENT}"', "penwidth": "2", "style": "dashed"},
    ALIKE: {},
}
_FONT = '"Helvetica,Arial,sans-serif"'


def to_dot(names: Sequence[str], found: Comparison) -> str:
    """The text of the picture."""
    nodes = list(merged(found))
    graph = pydot.Dot('"gradcli diff"', graph_type="digraph", label=text(title(names)), labelloc="t", fontname=_FONT)
    graph.set_node_defaults(
        shape="box", style='"rounded,filled"', fillcolor='"#ffffff"', fontname=_FONT, fontsize="12"
    )
    graph.set_edge_defaults(fontname=_FONT, fontsize="10", color='"#5c6670"', fontcolor='"#4d5661"')
    known = {each.key: identifier(each.key) for each in nodes}
    for each in nodes:
        graph.add_node(pydot.Node(known[each.key], label=label(*_lines(each)), **_LOOKS[each.state]))
    for each in nodes:
        for arrow in each.arrows:
            if arrow.to in known:
                line = {"label": text(arrow.argument), **_LINES[arrow.state]}
                graph.add_edge(pydot.Edge(known[each.key], known[arrow.to], **line))
    written: str = graph.to_string()
    return written


def title(names: Sequence[str]) -> str:
    """The two sides, in the order of time."""
    return " → ".join(names)


def _lines(each: Both) -> list[str]:
    sign = f"{SIGNS[each.state][0]} " if each.state in SIGNS else ""
    called = each.node.get("variable") or each.node["id"]
    head = f"{sign}{called}  {each.node['name']}"
    # Edges show the arguments.
    return [head, *(f"{one.what}: {told(one)}" for one in each.differences if one.what != "arguments")]
