"""From a tensor to a view of its graph: gradcli's tensors and PyTorch's alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..engine.graph import BaseNode
from ..engine.number import WrappedNumber
from ..engine.tape import Entry, Operand, entry_of
from ..errors import Span
from .gradients import Gradients, fitted, gradients
from .names import Arguments, node_name
from .reach import Edges, forward_order, is_leaf, reachable
from .saved import Keeping
from .tensors import array_of, dtype_name, is_tensor, origin, torch_of
from .view import CONST, LEAF, OP, Array, Edge, Item, View

Names = Mapping[Any, str]
SpanOf = Callable[[Any], Span | None]


def collect(
    root: Any,
    *,
    names: Names | None = None,
    span_of: SpanOf | None = None,
    gradient: Any = None,
    grads: bool = True,
    values: bool = True,
    saved: bool = True,
) -> View:
    """The view of the graph that made ``root``.

    ``names`` names nodes; leaves stand in the order that they have there. ``span_of`` tells where the program recorded
    a node. The gradients are those of a backward that starts with ``gradient``, or with ones.
    """
    return _Collector(root, names or {}, span_of).view(gradient, grads, values, saved)


class _Collector:
    """One graph on its way to a view."""

    def __init__(self, root: Any, names: Names, span_of: SpanOf | None) -> None:
        self.tensor = root
        self.root, self.output_nr = origin(root)
        self.names = names
        self.span_of = span_of
        self.graph = reachable(self.root)
        self.ops = forward_order(self.graph)
        self.items = {node: _item(number, node) for number, node in enumerate(self.graph)}
        self.leaves = self._leaves()
        self.variables = {leaf: leaf.variable for leaf in self.leaves}
        self.keeping = Keeping(self.items, self.variables.items())
        self.arguments = Arguments()
        self.identified: set[str] = set()

    def _leaves(self) -> list[Any]:
        """The leaves in the order of their names, the others in the order of their use."""
        used = {before: None for node in (*self.ops, *self.graph) for before, _ in self.graph[node] if before is not None}
        unnamed = [node for node in (*used, self.root) if is_leaf(node) and node not in self.names]
        return list(dict.fromkeys([*(node for node in self.names if node in self.items and is_leaf(node)), *unnamed]))

    def view(self, gradient: Any, grads: bool, values: bool, saved: bool) -> View:
        """The whole graph."""
        ordered: list[Item] = []
        for leaf in self.leaves:
            self._tell_leaf(leaf)
            ordered.append(self.items[leaf])
        for node in self.ops:
            ordered += self._tell_op(node, saved)
        root = self.items[self.root]
        if root.value is None and self.output_nr == 0:
            self._give_value(root, array_of(self.tensor))
        if not values:
            for item in ordered:
                item.value = None
        view = View(root, ordered)
        if grads:
            found = gradients(self.tensor, self.ops, self.leaves, gradient)
            self._differentiate(found)
            view.ungraded = found.failure
        return view
