"""One graph on its way to a view: what nodes, a tape and a traced program tell of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...engine.graph import Node
from ...engine.tape.tape import Entry, Operand, entry_of
from ...engine.tensor import Tensor
from ...spec.node_names import Naming, Trace
from .gradients import differs, fitted, gradients, may_have_hooks
from .names import Arguments, node_name
from .reach import forward_order, is_leaf, reachable
from .recorded import parameter_names, span_of, variable_names
from .saved import Keeping
from .scopes import scopes_of
from .several import Several
from .tensors import array_of, dtype_name, is_tensor, number_of, numpy_dtype, origin
from .view import CONST, LEAF, OP, ROOT, Array, Edge, Item, Output, View


class Collector:
    """The graph of a tensor; ``names`` by node, ``trace`` of the run that made it, memory ``held`` in any case."""

    def __init__(self, root: Any, names: Mapping[Any, str], trace: Trace | None, held: Iterable[Any] = ()) -> None:
        self.tensor = root
        self.root, self.output_nr = origin(root)
        self.names = names
        self.trace = trace
        self.graph = reachable(self.root)
        self.ops = forward_order(self.graph)
        if trace is None:
            # What was asked for goes before what was noted.
            known = {**parameter_names(filter(is_leaf, self.graph)), **names}
            unnamed = (node for node in (*filter(is_leaf, self.graph), *self.ops) if node not in known)
            self.names = {**known, **variable_names(unnamed, known.values())}
        self.leaves = self._leaves()
        self.items = {node: Item(_kind(node), node_name(node), node) for node in self.graph}
        self.keeping = Keeping(self.items, [(leaf, leaf.variable) for leaf in self.leaves], held)
        self.arguments = Arguments()
        known = {leaf: f"leaf{number}" for number, leaf in enumerate(self.leaves)} | {**self.names}
        self.naming = Naming([*self.leaves, *self.ops], known)
        self.scopes, self.backwards_of = scopes_of(self.ops, trace)
        self.taken = set(self.naming.ids.values())

    def _leaves(self) -> list[Any]:
        """The leaves that have names in the order of these, the others in the order of their use."""
        used = dict.fromkeys(before for node in self.ops for before, _ in self.graph[node] if before is not None)
        named = [node for node in self.names if node in self.graph and is_leaf(node)]
        return list(dict.fromkeys([*named, *(node for node in (*used, self.root) if is_leaf(node))]))

    def view(self, saved: bool) -> View:
        """The graph, but for its gradients."""
        for number, (node, item) in enumerate(self.items.items()):
            item.number = number
            item.id = self.naming.ids[node]
            item.variable = self.names.get(node) if item.kind == LEAF else self.naming.variables.get(node)
            item.scope = self.scopes.get(node)
            item.backward_of = self.backwards_of.get(node)
            item.span = span_of(node) if self.trace is None else self.trace.span_of(node)
        items = [self.items[leaf] for leaf in self.leaves]
        for node in self.ops:
            item = self.items[node]
            self._tell(item, saved)
            items += [edge.to for edge in item.edges if edge.to is not None and edge.to.kind == CONST]
            items.append(item)
        self._complete()
        view = View(self.items[self.root], items)
        view.output_nr = self.output_nr
        return view

    # -- ops ---------------------------------------------------------------------------------

    def _tell(self, item: Item, saved: bool) -> None:
        """All that there is to tell of an op, and what it tells of others."""
        node = item.node
        edges = self.graph[node]
        if item.kind == ROOT:
            names = tuple([self.naming.variables.get(end, f"[{n}]") for n, (end, _) in enumerate(edges)])
        else:
            names = self.arguments.of(node, edges)
        item.edges = [
            Edge(name, self.items.get(before), nr, slot)
            for slot, (name, (before, nr)) in enumerate(zip(names, edges, strict=True))
        ]
        if item.kind == ROOT:
            return
        self._take_apart(item)
        entry = entry_of(node)
        kept = self.keeping.read(node) if saved or entry is None else []
        if entry is not None:
            self._learn_from_tape(item, entry)
        else:
            self._learn_from_kept(item, kept)
        if entry is not None:
            item.parent = self.items.get(entry.parent)
            item.order = entry.order
        elif not isinstance(node, Node) and (recorder := node.metadata.get("parent_")) is not None:
            # PyTorch knows while it looks for anomalies.
            item.parent = self.items.get(recorder)
            item.order = 1 if item.parent is None else item.parent.order + 1
        if saved:
            item.saved = [self.keeping.saved(item, name, x) for name, x in kept]

    def _take_apart(self, item: Item) -> None:
        """The outputs of an op that has several."""
        node = item.node
        count = node.outputs if isinstance(node, Node) else len(getattr(node, "_input_metadata", ()))
        if count > 1:
            item.outputs = count
            names = self.naming.outputs.get(node, {})
            item.results = [Output(names.get(nr), *told) for nr, told in enumerate(_outputs(node))]

    def _learn_from_tape(self, item: Item, entry: Entry) -> None:
        made, *_ = outputs = entry.outputs
        if made is not None:
            give(item, made)
        for result, array in zip(item.results, outputs, strict=False):
            result.value = array
        wanting = [e for e in item.edges if e.to is None or (e.to.kind == LEAF and e.to.value is None)]
        if not wanting:
            return
        given: dict[int | None, Any] = {argument.slot: argument.value for argument in entry.operands}
        for edge in wanting:
            value = given.get(edge.slot)
            if edge.to is not None:
                # As it was then: the program may have written to it since.
                give(edge.to, value.array if isinstance(value, Operand) else None)
            # What is nameless in a backward is no constant of the program: a first gradient, and what comes of it.
            elif entry.parent is None or _is_the_programs(value):
                edge.to = self._constant(item, edge, value)

    def _learn_from_kept(self, item: Item, kept: Iterable[tuple[str, Any]]) -> None:
        cut = {edge.argument: edge for edge in item.edges if edge.to is None}
        for name, x in kept:
            if not is_tensor(x):
                continue
            maker, nr = self.keeping.maker(x)
            if maker is not None:
                if maker.value is None and maker.kind == OP and nr == 0:
                    give(maker, array_of(x))
                if maker.results:
                    maker.results[nr].value = array_of(x)
            elif name in cut:
                cut[name].to = self._constant(item, cut[name], x)

    def _constant(self, parent: Item, edge: Edge, value: Any) -> Item | None:
        """The item where an op was given a number, or a tensor that requires no gradient."""
        number = number_of(value)
        if number is None and not is_tensor(value):
            return None
        item = Item(CONST, "const", None)
        item.id = f"{parent.id}.{edge.argument}"
        while item.id in self.taken:
            item.id += "~"
        self.taken.add(item.id)
        if number is not None:
            item.label, item.value = repr(number), np.asarray(number)
            return item
        array = array_of(value)
        if array is not None:
            give(item, array)
        if isinstance(value, Operand):
            item.label = value.label
            if value.cuts:
                cut = value.cuts[0]
                item.detached = cut.reason, None if self.trace is None else self.trace.span_of_cut(cut)
        return item

    def _complete(self) -> None:
        """Fill in what nothing else has told: the numbers of the root and of leaves, the shapes of the rest."""
        root = self.items[self.root]
        if root.kind == ROOT:
            self._complete_ends(root)
        elif root.value is None and self.output_nr == 0:
            give(root, array_of(self.tensor))
        if root.results:
            root.results[self.output_nr].value = array_of(self.tensor)
        for node, item in self.items.items():
            if item.kind == LEAF:
                if item.value is None:
                    give(item, array_of(node.variable))
                continue
            if item.shape is None or not isinstance(node, Node):
                outputs = _outputs(node)
                item.outputs = len(outputs) or 1
                item.shape, item.dtype = outputs[0] if outputs else (item.shape, item.dtype)
            else:
                item.outputs = node.outputs

    def _complete_ends(self, root: Item) -> None:
        """The numbers of the tensors that one backward starts from."""
        for edge, tensor in zip(root.edges, root.node.tensors, strict=True):
            assert edge.to is not None
            if edge.to.results:
                edge.to.results[edge.output_nr].value = array_of(tensor)
            if edge.to.value is None and edge.output_nr == 0:
                give(edge.to, array_of(tensor))

    # -- gradients ---------------------------------------------------------------------------

    def differentiate(self, view: View, gradient: Any) -> None:
        """Fill in what a backward brings."""
        several = self.tensor if isinstance(self.tensor, Several) else Several([self.tensor], [gradient])
        with _as_they_were([self.items[leaf] for leaf in self.leaves]):
            found = gradients(several, self.ops, self.leaves)
        view.ungraded = found.failure
        for node in self.ops:
            item = self.items[node]
            if item.kind == ROOT:
                for edge, start in zip(item.edges, node.gradients, strict=True):
                    edge.grad = array_of(start)
                continue
            arrived = found.of.get(node)
            if arrived is None:
                continue
            item.grad = arrived[0]
            for result, array in zip(item.results, arrived, strict=False):
                result.grad = array
            for edge, share in zip(item.edges, found.along[node], strict=True):
                if share is not None and edge.to is not None and edge.to.node is not None:
                    edge.grad = fitted(share, *self._expected(edge.to, edge.output_nr))
        for leaf, g in found.leaves.items():
            self.items[leaf].grad = g

        self._find_hooked(view, several)

    def _find_hooked(self, view: View, start: Several) -> None:
        """Where what came along the edges is not the gradient that went on: a hook has made another of it."""
        sums: dict[Item, Any] = {}
        if view.root.kind != ROOT and not view.root.results:
            sums[view.root] = array_of(start.gradients[0])
        suspects = {item for item in self.items.values() if item.grad is not None and may_have_hooks(item.node)}
        for _, edge in view.edges() if suspects else ():
            if edge.to in suspects and edge.grad is not None and not edge.to.results:
                have = sums.get(edge.to)
                with np.errstate(all="ignore"):
                    sums[edge.to] = edge.grad if have is None else have + edge.grad
        for item, arrived in sums.items():
            if item in suspects and item.grad is not None and differs(arrived, item.grad):
                item.arrived = arrived

    def _expected(self, item: Item, nr: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """The shape and dtype that the gradient of an output has."""
        shape, dtype = (item.shape, item.dtype) if nr == 0 else _outputs(item.node)[nr]
        return shape or (), numpy_dtype(dtype or "float32")


def _kind(node: Any) -> str:
    return ROOT if isinstance(node, Several) else LEAF if is_leaf(node) else OP


def _is_the_programs(value: Any) -> bool:
    return type(value) is not Operand or value.label is not None or bool(value.cuts)


@contextmanager
def _as_they_were(leaves: Iterable[Item]) -> Iterator[None]:
    """Leaves with the numbers that the graph was made with: a backward of the program's own may read them anew."""
    now = []
    for item in leaves:
        leaf = item.node.variable
        if isinstance(leaf, Tensor) and type(item.value) is type(leaf._a) and item.value is not leaf._a:
            now.append((leaf, leaf._a))
            leaf._a = item.value
    try:
        yield
    finally:
        for leaf, array in now:
            leaf._a = array


def give(item: Item, array: Array | None) -> None:
    """Give an item its numbers."""
    if array is not None:
        item.value = array
        item.shape = array.shape
        item.dtype = dtype_name(array.dtype)


def _outputs(node: Any) -> list[tuple[tuple[int, ...] | None, str | None]]:
    """The shape and the dtype of each output of a node, as far as it tells."""
    if isinstance(node, Node):
        shapes, dtypes = (node.shape, node.dtype) if node.outputs > 1 else ((node.shape,), (node.dtype,))
        return [(shape, dtype_name(dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)]
    return [(tuple(m.shape), dtype_name(m.dtype)) for m in getattr(node, "_input_metadata", ())]
