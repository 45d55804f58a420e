"""The backward pass: from roots to leaves, consumers first, each gradient dropped once passed on."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import EngineError, EngineTypeError
from .graph import LEAF, OUTPUT, MultiNode, node_of
from .modes import mode
from .tensor import Tensor, result


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of ``tensors`` to the leaves (or to ``inputs`` only)."""
    roots = _as_tuple(tensors)
    given = _as_tuple(grad_tensors) if grad_tensors is not None else (None,) * len(roots)
    if len(given) != len(roots):
        raise EngineError(f"got {len(roots)} tensors and {len(given)} gradients")
    keep = create_graph if retain_graph is None else retain_graph
    starts = _starts(roots, given, create_graph)
    targets = None
    if inputs is not None:
        inputs = _as_tuple(inputs)
        if not inputs:
            raise EngineError("`inputs` argument to `backward()` cannot be empty.")
        for i, x in enumerate(inputs):
            if x._node is None:
                raise EngineError(f"One of the differentiated Tensors does not require grad (at index {i})")
        targets = [x._node for x in inputs]
    captured = walk(starts, keep, create_graph, targets)
    if inputs is not None:
        for x, g in zip(inputs, captured, strict=True):
            if g is None:
                continue
            if x.is_leaf:
                accumulate(x._node, g, False, create_graph)
            else:
                g = g if isinstance(g, Tensor) else result(g)
                x._grad = g if x._grad is None else x._grad + g


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, as new tensors."""
    del only_inputs
    if is_grads_batched:
        from ..errors import Unsupported

        raise Unsupported("autograd.grad: is_grads_batched=True is not supported")
    if materialize_grads and allow_unused is False:
        raise EngineValueErrorFor("materialize_grads")
    allow_unused = bool(allow_unused) or materialize_grads
    roots = _as_tuple(outputs)
    leaves = _as_tuple(inputs)
    given = _as_tuple(grad_outputs) if grad_outputs is not None else (None,) * len(roots)
    keep = create_graph if retain_graph is None else retain_graph
    starts = _starts(roots, given, create_graph)
    for x in leaves:
        if not isinstance(x, Tensor):
            raise EngineTypeError(f"grad(): inputs must be tensors, not {type(x).__name__}")
        if x._node is None:
            raise EngineError("One of the differentiated Tensors does not require grad")
    captured = walk(starts, keep, create_graph, [x._node for x in leaves])
    found: list[Any] = []
    for i, (x, g) in enumerate(zip(leaves, captured, strict=True)):
        if g is None and not allow_unused:
            raise EngineError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior.",
                help="check that the output is computed from this input, outside no_grad() and detach()",
            )
        if g is None and materialize_grads:
            g = np.zeros(x._a.shape, x._a.dtype)
        if g is not None and not isinstance(g, Tensor):
            g = result(g)
        found.append(g)
    return tuple(found)


def EngineValueErrorFor(argument: str) -> Exception:
    """The error for an ``allow_unused`` that contradicts another argument."""
    from ..errors import EngineValueError

    return EngineValueError(f"Expected allow_unused to be True or not passed when {argument}=True, but got: allow_unused=False.")


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _starts(roots: Sequence[Any], given: Sequence[Any], create_graph: bool) -> list[tuple[Any, Any]]:
    """The edges to start from, each with its first gradient."""
    starts: list[tuple[Any, Any]] = []
    for i, (root, g) in enumerate(zip(roots, given, strict=True)):
        if not isinstance(root, Tensor):
            raise EngineTypeError(f"element {i} of tensors is not a Tensor but {type(root).__name__}")
        edge = root._node
        a = root._a
        if g is None:
            if edge is None:
                raise _no_grad_fn(i)
            if a.size != 1:
                raise EngineError(
                    "grad can be implicitly created only for scalar outputs",
                    help="reduce the output first, as with .sum(), or pass gradient=",
                )
            g = a.dtype.type(1) if a.ndim == 0 else np.ones(a.shape, a.dtype)
            if create_graph:
                g = result(g)
        else:
            if not isinstance(g, Tensor):
                raise EngineTypeError(
                    f"gradients can be either Tensors or None, but got {type(g).__name__}"
                )
            if g._a.shape != a.shape:
                raise EngineError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a "
                    f"shape of {root.shape}."
                )
            if edge is None:
                raise _no_grad_fn(i)
            if not create_graph:
                g = g._a
        starts.append((edge, g))
    return starts


def _no_grad_fn(i: int) -> EngineError:
    return EngineError(
        f"element {i} of tensors does not require grad and does not have a grad_fn",
        help="create an input with requires_grad=True, and compute outside no_grad() and detach()",
    )


def walk(
    starts: Sequence[tuple[Any, Any]], keep: bool, create_graph: bool, targets: Sequence[Any] | None = None
) -> list[Any]:
    """Pass gradients on from ``starts``; the gradients that reach ``targets``, else into the leaves.

    Gradients are arrays, or, to record the next order, Tensors. A node runs after all its consumers:
    that is descending order of creation. A leaf runs as soon as its last share has arrived.
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
    before = mode.grad, mode.rule
    mode.grad = mode.rule = create_graph
    try:
        for edge, g in starts:
            _first(edge, g, False, pending, owned)
        for leaf in finishing.pop(None, ()):
            _run_leaf(leaf, pending, owned, targets, captured, create_graph)
        for node in order:
            g = take(node, None)
            edges = node.edges
            if node.extra is not None:
                g = _before(node, g, create_graph)
            if points and node in points:
                for edge in points[node]:
                    captured[_key(edge)] = g[edge.nr] if edge.kind == OUTPUT and g is not None else g
            if narrowed:
                edges = narrowed.get(node, edges)
            if g is not None and edges:
                shares = node.run_graph(g, edges) if create_graph else node.run(g, edges)
                if node.extra is not None and node.extra.post:
                    shares = _after(node, shares, g, create_graph)
                if node.saved and not keep:
                    node.saved = None
                for edge, share in zip(edges, shares):  # noqa: B905
                    if share is None:
                        continue
                    a = share._a if create_graph else share
                    if a.shape != edge.shape or a.dtype is not edge.dtype:
                        share = _fit(node, edge, share)
                    have = look(edge)
                    if have is None:
                        if edge.kind:
                            _first(edge, share, share is not g and type(g) is not list, pending, owned)
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
    return [] if targets is None else [captured.get(_key(e)) for e in targets]


def _key(edge: Any) -> Any:
    """An edge as a key: outputs of a node are equal when their numbers are."""
    return (edge.node, edge.nr) if edge.kind == OUTPUT else edge


def _discover(edges: Sequence[Any]) -> tuple[list[Any], dict[Any, list[Any]]]:
    """The nodes to run, in order, and after which of them each leaf has all its shares."""
    last: dict[Any, Any] = {}
    seen: set[Any] = set()
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
            if edge is None:
                continue
            if edge.kind:
                if edge.kind == LEAF:
                    have = last.get(edge)
                    if have is None or have.seq > node.seq:
                        last[edge] = node
                    continue
                edge = edge.node
            if edge not in seen:
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


def _first(edge: Any, share: Any, fresh: bool, pending: dict[Any, Any], owned: set[Any]) -> None:
    """Put a share where what it goes to will look for it: for an output, among those of its node."""
    if edge.kind == OUTPUT:
        shares = pending.get(edge.node)
        if shares is None:
            shares = pending[edge.node] = [None] * edge.node.outputs
        shares[edge.nr] = share if shares[edge.nr] is None else shares[edge.nr] + share
        return
    have = pending.get(edge)
    pending[edge] = share if have is None else have + share
    if fresh and isinstance(share, np.ndarray) and share.base is None:
        owned.add(edge)


def _run_leaf(
    leaf: Any, pending: dict[Any, Any], owned: set[Any], targets: Any, captured: dict[Any, Any], create_graph: bool
) -> None:
    """All shares of a leaf's gradient are in."""
    g = pending.pop(leaf, None)
    if g is None:
        return
    if leaf.hooks or leaf.extra is not None:
        g = _leaf_hooks(leaf, g, create_graph)
    if targets is None:
        accumulate(leaf, g, leaf in owned, create_graph)
    else:
        captured[leaf] = g


def accumulate(leaf: Any, g: Any, owned: bool, create_graph: bool) -> None:
    """Add ``g`` to the gradient of a leaf."""
    have = leaf.grad
    if create_graph:
        g = g if isinstance(g, Tensor) else result(g)
        leaf.grad = g if have is None else have + g
    else:
        if isinstance(g, Tensor):
            g = g._a
        if have is None:
            leaf.grad = result(g if owned or not isinstance(g, np.ndarray) else g.copy())
        elif have._node is not None:
            leaf.grad = have.detach() + result(g)
        elif isinstance(have._a, np.ndarray):
            np.add(have._a, g, out=have._a)
            if have._vc is not None:
                have._vc.n += 1
        else:
            have._a = have._a + g
    if leaf.post_accumulate:
        for hook in list(leaf.post_accumulate.values()):
            hook(leaf.variable)


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
        from .ops.reduce import sum_to

        share = sum_to(share, shape)
        a = share._a if isinstance(share, Tensor) else share
    if a.dtype is not d:
        if isinstance(share, Tensor):
            from .ops.convert import to_copy

            share = to_copy(share, d)
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


# -- hooks: the few nodes that carry them ---------------------------------------------------


def _as_tensors(g: Any) -> tuple[Any, ...]:
    items = g if isinstance(g, list) else [g]
    return tuple(x if x is None or isinstance(x, Tensor) else result(x) for x in items)


def _before(node: Any, g: Any, create_graph: bool) -> Any:
    """Run what waits for a node's incoming gradient: hooks, then retained gradients."""
    extra = node.extra
    if not extra.pre and not extra.retain:
        return g
    if g is None and not isinstance(node, MultiNode):
        grads: tuple[Any, ...] = (None,)
    else:
        grads = _as_tensors(g if g is not None else [None] * node.outputs)
    for hook in list(extra.pre.values()):
        new = hook(grads)
        if new is not None:
            grads = new if isinstance(new, tuple) else (new,)
    for nr, refs in extra.retain.items():
        for ref in refs:
            t = ref()
            if t is not None and grads[nr] is not None:
                t._grad = grads[nr] if t._grad is None else t._grad + grads[nr]
    back = [x._a if isinstance(x, Tensor) and not create_graph else x for x in grads]
    return back if isinstance(node, MultiNode) else back[0]


def _after(node: Any, grads: Any, g: Any, create_graph: bool) -> Any:
    """Run a node's own hooks on what it passes on."""
    inputs = _as_tensors(list(grads))
    outputs = _as_tensors(g)
    for hook in list(node.extra.post.values()):
        new = hook(inputs, outputs)
        if new is not None:
            inputs = tuple(new) if isinstance(new, (tuple, list)) else (new,)
    return [x._a if isinstance(x, Tensor) and not create_graph else x for x in inputs]


def _leaf_hooks(leaf: Any, g: Any, create_graph: bool) -> Any:
    """Run a leaf's hooks on its whole gradient."""
    t = g if isinstance(g, Tensor) else result(g)
    for hook in list(leaf.hooks.values()):
        new = hook(t)
        if new is not None:
            from .tensor import _check_hook

            _check_hook(t, new)
            t = new
    if leaf.extra is not None:
        for hook in list(leaf.extra.pre.values()):
            new = hook((t,))
            if new is not None:
                t = new[0] if isinstance(new, tuple) else new
        for hook in list(leaf.extra.post.values()):
            hook((), (t,))
    return t if create_graph else t._a
