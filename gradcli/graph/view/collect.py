"""From a tensor, or from a program, to a view of its graph."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...engine.modes import mode
from ...engine.tensor import Tensor
from ...nn.modules.module import Module
from ...spec.values.models import parameters_of
from .at_hand import held_in, memory_at_hand
from .collector import Collector, give
from .gradients import differs
from .names import node_name
from .roots import chosen, derivative, leaf_named
from .several import Several
from .tensors import array_of
from .view import LEAF, ROOT, Array, Item, View

if TYPE_CHECKING:
    from ...spec.language.machine import Machine
    from ...spec.node_names import Trace
    from ...spec.program import Program


def collect(
    root: Any,
    *,
    names: Mapping[Any, str] | None = None,
    trace: Trace | None = None,
    held: Iterable[Any] = (),
    gradient: Any = None,
    grads: bool = True,
    values: bool = True,
    saved: bool = True,
) -> View:
    """The view of the graph that made a tensor, gradcli's or PyTorch's.

    ``names``: what nodes are called; leaves stand in its order. ``trace``: what the run of a program noted; ``held``:
    the memory that the program itself has at hand, which is not the graph's alone. The
    gradients are those of a backward from ``gradient``, or from ones. Of several tensors, in a list or a tuple, it is
    the graph of one backward from all of them.
    """
    if isinstance(root, (list, tuple)) and root:
        root = root[0] if len(root) == 1 else Several(root, gradient)
    with _making_only():
        collector = Collector(root, names or {}, trace, held)
        view = collector.view(saved)
        if not values:
            for item in view.items:
                item.value = None
        if grads:
            collector.differentiate(view, gradient)
    return view


@contextmanager
def _making_only() -> Iterator[None]:
    """Make many objects and let none go: looking for garbage among them would take longer than making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def of_program(
    program: Program,
    *,
    output: str | None = None,
    order: int = 0,
    wrt: str | None = None,
    grads: bool = True,
    values: bool = True,
    saved: bool = True,
    forward: bool = False,
    started: Callable[[Machine], None] | None = None,
) -> View:
    """Run a program, and give the view of the graph that it made.

    ``output``: the variable whose graph it is; else it is the graph of the tensor on which the program last called
    ``backward()``, of the value of its last expression, or of the last tensor that it assigned. ``order``: of a
    derivative, with respect to the leaf ``wrt``, whose graph is wanted instead. ``forward``: tangents too, where each
    entry of each leaf changes by one; without an order, of the leaf ``wrt`` alone.
    """
    machine = program.machine()
    if started is not None:
        started(machine)
    with program.recorded(machine, frames=True) as run:
        trace = run.trace
        assert trace is not None
        root = chosen(program, run, trace, output)
        if order:
            root = derivative(root, run, trace, order, wrt)
        mode.use(None)
        start, names = root.gradient, trace.leaves
        held = memory_at_hand(run.variables) if saved else ()
        view = collect(
            root.tensor, names=names, trace=trace, held=held, gradient=start, grads=grads, values=values, saved=saved
        )
        if forward:
            from . import tangents

            tangents.fill(view, None if order or wrt is None else leaf_named(root, run, trace, wrt))
        view.root_name = root.name or view.root.variable
        view.title = " = ".join(part for part in (view.root_name, root.text) if part)
        if view.root.kind == ROOT:
            view.root.span = root.span
        view.backwards = trace.backward.calls
        view.backward = root.backward
        if grads and not order and output is None and trace.backward.tensors:
            view.own_grads = dict(_other_grads(view))
        view.spec = program.source.name
        view.run = run
        used = {item.node for item in view.items}
        reached = set(_held(run.variables.values()))
        view.unused = [_unused(trace, leaf, values) for leaf in trace.leaves if leaf in reached and leaf not in used]
    return view


def _other_grads(view: View) -> Iterator[tuple[Item, Array | None]]:
    """The leaves whose .grad is not what this graph brings: added to, clipped, set back."""
    for item in view.leaves():
        own = item.node.grad
        if item.grad is not None and (own is None or differs(item.grad, own._a)):
            yield item, None if own is None else own._a


def _held(values: Iterable[Any]) -> Iterator[Any]:
    """The leaves that a program has at hand in the end, in its variables or one step from them."""
    for value in values:
        if isinstance(value, Tensor):
            yield value._node
        elif isinstance(value, Module):
            yield from (parameter._node for _, parameter in parameters_of(value))
        elif isinstance(value, (list, tuple, dict)):
            yield from (x._node for x in held_in(value) if isinstance(x, Tensor))


def _unused(trace: Trace, leaf: Any, values: bool) -> Item:
    """A leaf of the program that the root does not depend on."""
    item = Item(LEAF, node_name(leaf), leaf)
    item.id = item.variable = trace.leaves[leaf]
    item.span = trace.span_of(leaf)
    give(item, array_of(leaf.variable))
    if not values:
        item.value = None
    return item
