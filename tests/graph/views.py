"""Views for tests: built by hand, from gradcli tensors, or at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradcli import autograd
from gradcli.errors import Source, Span
from gradcli.graph.view.view import CONST, LEAF, OP, Edge, Item, Output, Saved, View


def number(value: Any) -> Any:
    """What a view knows of a tensor's numbers: an array, or nothing."""
    return None if value is None else np.asarray(value)


def place(line: int, text: str = "", source: str | None = None) -> Span:
    """A line of a program, of which only that line matters."""
    source = "pass\n" * (line - 1) + text + "\npass\n" if source is None else source
    return Span(Source("spec.py", source), line, 0, line, len(source.split("\n")[line - 1]))


# -- by hand ---------------------------------------------------------------------------------


def leaf(name: str, value: Any = None, grad: Any = None, *, line: int | None = None) -> Item:
    """A leaf."""
    return _filled(Item(LEAF, "AccumulateGrad", None), value, grad, line, variable=name)


def const(label: str, value: Any = None, *, tensor: bool = False, line: int | None = None) -> Item:
    """A constant: a number, or a tensor that needs no gradient."""
    item = _filled(Item(CONST, "const", None), value, None, line, label=label)
    if not tensor:
        item.shape = None
    return item


def op(
    name: str, *edges: tuple[Any, ...], value: Any = None, grad: Any = None, line: int | None = None, **more: Any
) -> Item:
    """An op; an edge is (argument, item or None) or (argument, item, the gradient along it)."""
    item = _filled(Item(OP, name, None), value, grad, line, **more)
    for slot, (argument, to, *along) in enumerate(edges):
        edge = Edge(argument, to, 0, slot)
        edge.grad = number(along[0]) if along else None
        item.edges.append(edge)
    return item


def output(name: str | None, value: Any, grad: Any) -> Output:
    """One of several outputs of an op."""
    made = Output(name, np.shape(value), None)
    made.value, made.grad = number(value), number(grad)
    return made


def keeps(item: Item, **saved: Any) -> Item:
    """The item, with what it saves: items of the graph, or (value, bytes)."""
    for name, what in saved.items():
        value, size = what if isinstance(what, tuple) else (what, 0)
        of = value if isinstance(value, Item) else None
        item.saved.append(Saved(name, value.value if isinstance(value, Item) else value, of, size))
    return item


def view(root: Item, title: str | None = None, name: str | None = None) -> View:
    """The view of what a root leads to; what has no id gets one, what has no number is numbered."""
    items = forward_order(root)
    for n, item in enumerate(items):
        item.id = item.id or item.variable or f"n{n}"
    made = View(root, items)
    made.title, made.root_name = title, name
    return made


def forward_order(root: Item) -> list[Item]:
    """Everything a root leads to, each item behind what its edges lead to."""
    done: dict[Item, None] = {}
    waiting: list[tuple[Item, bool]] = [(root, False)]
    while waiting:
        item, ready = waiting.pop()
        if item in done:
            continue
        if ready:
            done[item] = None
            continue
        waiting.append((item, True))
        waiting += [(edge.to, False) for edge in reversed(item.edges) if edge.to is not None and edge.to not in done]
    return list(done)


def _filled(item: Item, value: Any, grad: Any, line: int | None, **more: Any) -> Item:
    text = more.pop("text", "")
    item.value, item.grad = number(value), number(grad)
    if item.value is not None:
        item.shape, item.dtype = item.value.shape, str(item.value.dtype)
    if line is not None:
        item.span = place(line, text)
    for name, what in more.items():
        setattr(item, name, what)
    return item


# -- from tensors ----------------------------------------------------------------------------


def of_tensor(root: Any, names: Mapping[str, Any] | None = None) -> View:
    """The view of a gradcli tensor's graph, with the gradient of every edge.

    ``names``: the tensors that have a name. Numbers are known of these, and of what nodes keep.
    """
    variables = {_node(t): name for name, t in (names or {}).items()}
    known = {_node(t): t for t in (root, *(names or {}).values())}
    items: dict[Any, Item] = {}
    waiting = [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node in items:
            continue
        terminal = hasattr(node, "variable")
        items[node] = item = Item(LEAF if terminal else OP, node.name().rpartition("::")[2], node)
        item.variable = variables.get(node)
        item.shape = tuple(node._input_metadata[0].shape)
        if terminal:
            known[node] = node.variable
        waiting += [to for to, _ in node.next_functions if to is not None]
        kept = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
        known |= {t.grad_fn: t for t in kept if getattr(t, "grad_fn", None) is not None}
    for node, item in items.items():
        if node in known:
            item.value = known[node].detach().numpy()
        arguments = list(node.op.rules) if hasattr(node, "op") else []
        for slot, (to, nr) in enumerate(node.next_functions):
            argument = arguments[slot] if len(arguments) == len(node.next_functions) else str(slot)
            item.edges.append(Edge(argument, items.get(to), nr, slot))
    _differentiate(root, items)
    return view(items[root.grad_fn])


def _node(tensor: Any) -> Any:
    return tensor._node if tensor.grad_fn is None else tensor.grad_fn


def _differentiate(root: Any, items: Mapping[Any, Item]) -> None:
    """Fill in gradients by hooks, which see what goes into a node and along each of its edges."""

    def watch(item: Item) -> Any:
        def hook(inputs: Any, outputs: Any) -> None:
            item.grad = outputs[0].detach().numpy()
            for edge, g in zip(item.edges, inputs, strict=True):
                if g is not None and edge.to is not None:
                    edge.grad = g.detach().numpy()
                    if edge.to.kind == LEAF:
                        edge.to.grad = edge.grad if edge.to.grad is None else edge.to.grad + edge.grad

        return hook

    handles = [node.register_hook(watch(item)) for node, item in items.items() if item.kind == OP]
    leaves = [node.variable for node, item in items.items() if item.kind == LEAF]
    autograd.grad(root.sum() if root.dim() else root, leaves, retain_graph=True)
    for handle in handles:
        handle.remove()


# -- large ones ------------------------------------------------------------------------------


def chain(length: int) -> View:
    """One op after another."""
    item = leaf("x", 0.5, 1.0, line=1)
    for n in range(length):
        item = op("SinBackward0", ("self", item, 0.5), value=0.25, grad=0.5, line=2 + n % 7)
    return view(item, "y = sin(... sin(x))", "y")


def doubling(lines: int) -> View:
    """``y = y + y``, so often: twice as many paths with every line."""
    item = leaf("y0", 1.0, 2.0**lines, line=1)
    for n in range(lines):
        along = 2.0 ** (lines - n - 1)
        item = op("AddBackward0", ("self", item, along), ("other", item, along), value=2.0**n, grad=along, line=n + 2)
    return view(item, "y = y + y", "y")


def residual(blocks: int) -> View:
    """``h = h + relu(h @ w)``, so often: three ops and a leaf in each block."""
    h, rng = leaf("x", np.ones((2, 3)), np.ones((2, 3)), line=1), np.random.default_rng(0)
    for n in range(blocks):
        w = leaf(f"w{n}", rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), line=2)
        a = rng.normal(size=(2, 3))
        m = op("MmBackward0", ("self", h, a), ("mat2", w, a), value=a, grad=a, line=3)
        r = op("ReluBackward0", ("self", m, a), value=a, grad=a, line=3)
        h = op("AddBackward0", ("self", h, a), ("other", r, a), value=a, grad=a, line=3, variable=f"h{n}")
    return view(op("SumBackward0", ("self", h, a), value=1.5, grad=1.0, line=4), "loss = h.sum()", "loss")


def recurrent(steps: int) -> View:
    """A recurrent net, whose weights every step shares."""
    w, u, h = leaf("w", 0.5, 1.0, line=1), leaf("u", 0.25, 1.0, line=2), leaf("h0", 0.0, 1.0, line=3)
    for n in range(steps):
        a = op("MulBackward0", ("self", h, 1.0), ("other", w, 0.1), value=0.5, grad=1.0, line=5)
        b = op("MulBackward0", ("self", u, 0.2), ("other", const(f"x{n}", 1.0)), value=0.5, grad=1.0, line=5)
        c = op("AddBackward0", ("self", a, 1.0), ("other", b, 1.0), value=0.5, grad=1.0, line=5)
        h = op("TanhBackward0", ("self", c, 0.5), value=0.5, grad=1.0, line=5, variable=f"h{n + 1}")
    return view(h, "h = rnn(x)", "h")


# -- at random -------------------------------------------------------------------------------

NAMES = st.sampled_from([
    "x", "fc1.weight", "a_rather_long_name_of_a_parameter", "名前", "é", "a\u0301b", "\x1b[31mred", "::error::x", "",
    "a\tb\nc",
])  # fmt: skip
NUMBERS = st.sampled_from([0.0, 1.0, -2.5, 1e-12, 3.14159265358979, 1e30, np.nan, np.inf, -np.inf])


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Numbers of a tensor, or None for what is not known."""
    shape = draw(st.sampled_from([None, (), (), (1,), (3,), (2, 3), (0,), (1, 1, 2, 1, 1)]))
    if shape is None:
        return None
    count = int(np.prod(shape))
    return np.array(draw(st.lists(NUMBERS, min_size=count, max_size=count)), dtype=float).reshape(shape)


@st.composite
def ops(draw: st.DrawFn, pool: list[Item]) -> Item:
    """An op whose edges lead to some of a pool, or nowhere."""
    edges: list[tuple[Any, ...]] = []
    for place_in_pool in draw(st.lists(st.integers(-1, len(pool) - 1), min_size=1, max_size=3)):
        to = pool[place_in_pool] if place_in_pool >= 0 else None
        argument = draw(st.sampled_from(["self", "other", "tensors[0]", "0"]))
        edges.append((argument, to) if to is None else (argument, to, draw(arrays())))
    item = op(draw(st.sampled_from(["AddBackward0", "UnsafeSplitWithSizesBackward0", "名前Backward"])), *edges)
    _filled(item, draw(arrays()), draw(arrays()), draw(st.sampled_from([None, 1, 9])), text=draw(NAMES))
    item.order = draw(st.sampled_from([0, 0, 0, 2]))
    item.variable = draw(st.sampled_from([None, None, "h", "名前"]))
    return keeps(item, **draw(st.sampled_from([{}, {"other": (np.ones(3), 24)}, {"dim": (-1, 0), "self": pool[-1]}])))


@st.composite
def views(draw: st.DrawFn, most: int = 14) -> View:
    """A graph of any form, whose last op leads to every other."""
    ends = [leaf(draw(NAMES), draw(arrays()), draw(arrays()), line=draw(st.sampled_from([None, 1, 12345])))]
    ends += [const(draw(NAMES), draw(arrays()), tensor=draw(st.booleans())) for _ in range(draw(st.integers(0, 2)))]
    ends += [leaf(draw(NAMES), draw(arrays()), draw(arrays())) for _ in range(draw(st.integers(0, 2)))]
    made: list[Item] = []
    for _ in range(draw(st.integers(1, most))):
        made.append(draw(ops([*ends, *made])))
    used = {edge.to for item in made for edge in item.edges}
    roots = [(str(n), item) for n, item in enumerate(made) if item not in used]
    root = roots[0][1] if len(roots) == 1 else op("StackBackward0", *roots, value=1.0, grad=1.0)
    drawn = view(root, draw(NAMES), draw(NAMES))
    drawn.unused = [leaf("spare")] if draw(st.booleans()) else []
    return drawn
