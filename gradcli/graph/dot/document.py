"""A view as a graph of pydot's, which writes it in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pydot

from ...errors import InputError
from ..view.collect import collect
from ..view.tensors import origin
from ..view.view import CONST, Item, View
from .captions import title_of
from .drawing import Cluster, Options, Picture
from .picture import DrawnGraph


def to_dot(view: View, **options: Any) -> str:
    """The text of the graph."""
    text: str = to_pydot(view, **options).to_string()
    return text


def to_pydot(view: View, **options: Any) -> DrawnGraph:
    """The graph that text and pictures are made of."""
    picture = Picture(view, Options(**options))
    graph = DrawnGraph(picture.top.name, graph_type="digraph", **picture.top.attributes)
    graph.set_node_defaults(**picture.node_defaults)
    graph.set_edge_defaults(**picture.edge_defaults)
    _fill(graph, picture.top)
    for tail, head, attributes in picture.edges:
        graph.add_edge(pydot.Edge(tail, head, **attributes))
    return graph


def _fill(graph: pydot.Graph, cluster: Cluster) -> None:
    # As deep as modules are nested.
    for inner in cluster.clusters.values():
        subgraph = pydot.Subgraph(inner.name, **inner.attributes)
        _fill(subgraph, inner)
        graph.add_subgraph(subgraph)
    for name, attributes in cluster.nodes:
        graph.add_node(pydot.Node(name, **attributes))


# -- from tensors ------------------------------------------------------------------------------


def make_dot(
    var: Any,
    params: Mapping[str, Any] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> DrawnGraph:
    """The graph of a tensor, or of a tuple of them, of gradcli's or of PyTorch's; called as torchviz is.

    ``params`` names tensors, such as ``dict(model.named_parameters())``. ``show_attrs`` shows how each op was called,
    a value in at most ``max_attr_chars`` characters; ``show_saved`` shows the tensors that it keeps for its backward.
    The result is a graph of pydot's that is also used as torchviz's: ``make_dot(y).render("graph", format="png")``.
    """
    tensors = var if isinstance(var, (tuple, list)) else (var,)
    if not tensors:
        raise InputError("make_dot was given no tensor", help="give it a tensor that was computed")
    names = dict(_named(params or {}))
    # The gradients of several tensors would be those of several backwards.
    first, *others = [collect(tensor, names=names, grads=len(tensors) == 1) for tensor in tensors]
    outputs = tuple(_add(first, others))
    if others:
        first.title = ", ".join(map(title_of, (first, *others)))
    return to_pydot(first, show_attrs=show_attrs, show_saved=show_saved, max_attr_chars=max_attr_chars, outputs=outputs)


def _named(params: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """The nodes that have names: a tensor that needs no gradient has none."""
    for name, tensor in params.items():
        try:
            yield origin(tensor)[0], name
        except InputError:
            continue


def _add(view: View, others: Sequence[View]) -> Iterator[Item]:
    """Add to a view what others show and it does not, and tell what it has of their roots."""
    known = {item.node: item for item in view.items}
    for other in others:
        for item in other.items:
            if item.kind == CONST or item.node in known:
                continue
            known[item.node] = item
            for edge in item.edges:
                if edge.to is not None and edge.to.kind == CONST:
                    view.items.append(edge.to)
                elif edge.to is not None:
                    edge.to = known[edge.to.node]
            view.items.append(item)
        yield known[other.root.node]
