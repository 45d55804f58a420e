"""The walk: from roots to leaves, consumers first, each gradient dropped once passed on."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import EngineError
from .. import ops
from ..graph import CUT, LEAF, OUTPUT, VIEW, node_of
from ..modes import mode
from ..tensor import Tensor, result
from . import hooks

Observer = Callable[[Any, Any, Sequence[Any], Any], None]


def walk(
    starts: Sequence[tuple[Any, Any]],
    keep: bool,
    create_graph: bool,
    targets: Sequence[Any] | None = None,
    observer: Observer | None = None,
) -> list[Any]:
    """Pass gradients on from ``starts``; the gradients that reach ``targets``, else into the leaves.

    Gradients are arrays, or, to record the next order, Tensors. A node runs after all its consumers:
    that is descending order of creation. A leaf runs as soon as its last share has arrived. An
    ``observer`` is told of each node that ran its gradient, its edges and what it passes on along each.
    """
    order, finishing = _discover([e for e, _ in starts])
    points: dict[Any, list[Any]] = {}
    narrowed: dict[Any, tuple[Any, ...]] = {}
    if targets is not None:
        points = _capture_points(targets)
        through, narrowed = _narrowed(order, targets)
        order = [node for node in order if node in through or node in points]
        narrowed.update((node, ()) for node in points if node not in through)
    pending: dict[Any, Any] = {}
    owned: set[Any] = set()
    captured: dict[Any, Any] = {}
    take, look, add = pending.pop, pending.get, np.add
    tape = mode.tape
    before = mode.grad, mode.rule
    recorder = None if tape is None else (tape.parent, tape.order)
    mode.grad = mode.rule = create_graph
    if tape is not None and create_graph:
        tape.differentiates(order)
    try:
        for edge, g in starts:
            _first(edge, g, False, pending, owned)
        for leaf in finishing.pop(None, ()):
            _run_leaf(leaf, pending, owned, targets, captured, create_graph)
        for node in order:
            if tape is not None:
                tape.runs(node, create_graph)
            g = take(node, None)
            edges = node.edges
            if node.extra is not None:
                g = hooks.on_result(node, g, create_graph)
            if points and node in points:
                for edge in points[node]:
                    captured[_key(edge)] = g[edge.nr] if edge.kind == OUTPUT and g is not None else g
            if narrowed:
                edges = narrowed.get(node, edges)
            if node.extra is not None and node.extra.pre and edges:
                g = hooks.before(node, g, create_graph)
            if g is not None and edges:
                shares = node.run_graph(g, edges) if create_graph else node.run(g, edges)
                if node.extra is not None and node.extra.post:
                    shares = hooks.after(node, shares, g, create_graph)
                if observer is not None:
                    observer(node, g, edges, shares)
                if node.saved and not keep:
                    node.saved = None
                at = 0
                for share in shares:
                    edge = edges[at]
                    at += 1
                    if share is None:
                        continue
                    a = share._a if create_graph else share
                    if a.shape != edge.shape or a.dtype is not edge.dtype:
                        share = _fit(node, edge, share)
                    have = look(edge)
                    if have is None:
                        if edge.kind:
                            sole = (
                                observer is None
                                and not create_graph
                                and (_is_new(node, g, share) or (node.kind == VIEW and node in owned and not points))
                            )
                            _first(edge, share, sole, pending, owned)
                        else:
                            pending[edge] = share
                    elif edge in owned:
                        # The sum is ours alone.
                        add(have, share, have)
                    else:
                        pending[edge] = total = have + share
                        if type(total) is np.ndarray:
                            owned.add(edge)
            if node in finishing:
                for leaf in finishing[node]:
                    _run_leaf(leaf, pending, owned, targets, captured, create_graph)
    finally:
        mode.grad, mode.rule = before
        if tape is not None and recorder is not None:
            tape.parent, tape.order = recorder
    return [] if targets is None else [captured.get(_key(e)) for e in targets]


def _key(edge: Any) -> Any:
    """An edge as a key: outputs of a node are equal when their numbers are."""
    return (edge.node, edge.nr) if edge.kind == OUTPUT else edge


def _discover(edges: Sequence[Any]) -> tuple[list[Any], dict[Any, list[Any]]]:
    """The nodes to run, in order, and after which of them each leaf has all its shares."""
    last: dict[Any, Any] = {}
    # An edge that leads nowhere needs no look.
    seen: set[Any] = {None}
    order: list[Any] = []
    stack: list[Any] = []
    for edge in edges:
        if edge.kind == LEAF:
            last[edge] = None
        elif (node := node_of(edge)) not in seen:
            seen.add(node)
            stack.append(node)
    while stack:
        node = stack.pop()
        order.append(node)
        for edge in node.edges:
            if edge in seen:
                continue
            kind = edge.kind
            if kind == LEAF:
                have = last.get(edge)
                if have is None or have.seq > node.seq:
                    last[edge] = node
                continue
            if kind == OUTPUT:
                edge = edge.node
                if edge in seen:
                    continue
            elif kind == CUT:
                continue
            seen.add(edge)
            stack.append(edge)
    order.sort(key=_sequence, reverse=True)
    finishing: dict[Any, list[Any]] = {}
    for leaf, node in last.items():
        finishing.setdefault(node, []).append(leaf)
    return order, finishing


_sequence = operator.attrgetter("seq")


def _narrowed(order: list[Any], targets: Sequence[Any]) -> tuple[set[Any], dict[Any, tuple[Any, ...]]]:
    """The nodes through which a target is reached, and the edges of those that have others besides."""
    leading = set(map(node_of, targets))
    through: set[Any] = set()
    narrowed: dict[Any, tuple[Any, ...]] = {}
    for node in reversed(order):
        leads = strays = False
        for edge in node.edges:
            if edge is not None:
                if (edge.node if edge.kind == OUTPUT else edge) in leading:
                    leads = True
                else:
                    strays = True
        if leads:
            through.add(node)
            if strays:
                narrowed[node] = tuple(e if e is not None and node_of(e) in leading else None for e in node.edges)
            leading.add(node)
    return through, narrowed


def _capture_points(targets: Sequence[Any] | None) -> dict[Any, list[Any]]:
    """The edges whose gradient is asked for, by their (non-leaf) node."""
    points: dict[Any, list[Any]] = {}
    for edge in targets or ():
        if edge.kind != LEAF:
            points.setdefault(node_of(edge), []).append(edge)
    return points


def _first(edge: Any, share: Any, sole: bool, pending: dict[Any, Any], owned: set[Any]) -> None:
    """Put a share where what it goes to will look for it: for an output, among those of its node."""
    if edge.kind == OUTPUT:
        shares = pending.get(edge.node)
        if shares is None:
            shares = pending[edge.node] = [None] * edge.node.outputs
        shares[edge.nr] = share if shares[edge.nr] is None else shares[edge.nr] + share
        return
    if edge.kind == CUT:
        return
    have = pending.get(edge)
    pending[edge] = share if have is None else have + share
    if sole and have is None and isinstance(share, np.ndarray) and 0 not in share.strides:
        owned.add(edge)


def _is_new(node: Any, g: Any, share: Any) -> bool:
    """Whether nobody but the walk can hold the memory of a share: not the user, not another share."""
    if not node.fresh or node.extra is not None or share is g or type(g) is list:
        return False
    memory = share.base
    return memory is None or (memory is not g and memory is not g.base)


def _run_leaf(
    leaf: Any, pending: dict[Any, Any], owned: set[Any], targets: Any, captured: dict[Any, Any], create_graph: bool
) -> None:
    """All shares of a leaf's gradient are in."""
    g = pending.pop(leaf, None)
    if g is None:
        return
    if leaf.hooks or leaf.extra is not None:
        g = hooks.on_leaf(leaf, g, create_graph)
        owned.discard(leaf)
    if targets is None:
        accumulate(leaf, g, leaf in owned, create_graph)
    else:
        captured[leaf] = g
    if leaf.post_accumulate or leaf.extra is not None:
        hooks.after_leaf(leaf, g, targets is None)


def accumulate(leaf: Any, g: Any, owned: bool, create_graph: bool) -> None:
    """Add ``g`` to the gradient of a leaf."""
    have = leaf.grad
    if create_graph:
        g = g if isinstance(g, Tensor) else result(g)
        leaf.grad = _copied(g) if have is None else have + g
    else:
        if isinstance(g, Tensor):
            g = g._a
        if have is None:
            leaf.grad = result(g if owned or not isinstance(g, np.ndarray) else g.copy())
        elif isinstance(have._a, np.ndarray):
            if mode.tape is not None:
                mode.tape.before_write(have._a)
            np.add(have._a, g, out=have._a)
            if have._vc is not None:
                have._vc.n += 1
        else:
            have._a = have._a + g


def _copied(g: Tensor) -> Tensor:
    """A gradient that the graph goes on from, copied: what it was computed with stays as it is."""
    if g._node is None:
        return result(np.array(g._a)[()] if not g._a.ndim else np.array(g._a))
    from ..inplace import copy

    t: Tensor = copy(result(g._a), g)
    t._counter().n = 1
    return t


def _fit(node: Any, edge: Any, share: Any) -> Any:
    """A share in the shape and dtype of the input it is for: broadcasting undone, width restored."""
    shape, d = edge.shape, edge.dtype
    a = share._a if isinstance(share, Tensor) else share
    if a.shape != shape:
        if not node.broadcasts or not _broadcasts(shape, a.shape):
            index = node.edges.index(edge)
            raise EngineError(
                f"Function {type(node).__name__} returned an invalid gradient at index {index} - got "
                f"{list(a.shape)} but expected shape compatible with {list(shape)}"
            )
        share = ops.sums.sum_to(share, shape)
        a = share._a if isinstance(share, Tensor) else share
    if a.dtype is not d:
        if isinstance(share, Tensor):
            share = ops.converting.to_copy(share, d)
        elif a.dtype.kind != "c" or d.kind == "c":
            # A complex gradient is a complex-step reading: its imaginary part is the answer.
            share = share.astype(d)
    return share


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether ``shape`` broadcasts to ``to``."""
    if len(shape) > len(to):
        return False
    tail = to[len(to) - len(shape) :]
    return all(s == t or s == 1 for s, t in zip(shape, tail, strict=True))
