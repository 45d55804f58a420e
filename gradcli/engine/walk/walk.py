"""The walk: from roots to leaves, consumers first, each gradient dropped once passed on."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np

from ...errors import EngineError
from ..graph import CUT, LEAF, OUTPUT, VIEW
from ..guard.outside import Outside, guarded, outside
from ..modes import as_rule, in_rule, mode, record, recording, vmap_around
from ..numeric.halves import is_half
from ..tensor import Tensor, result
from . import hooks
from .order import capture_points, discovered, narrowed
from .shares import accumulate, fit, is_sparse

# The walks that are running in each thread, each inside of the one before it.
_running: dict[int, tuple[_Walk, ...]] = {}

_number = itertools.count().__next__

# How many of them run on one stack, where backwards call others: Python's own is not deep.
_DEEP = 30


def running() -> tuple[_Walk, ...]:
    """The walks that are running in this thread."""
    return _running.get(get_ident(), ())


def queue_callback(callback: Callable[[], Any]) -> None:
    """Call a function at the end of the backward that is running."""
    walks = running()
    if not walks:
        raise EngineError("Final callbacks can only be installed during backward pass.")
    walks[-1].at_the_end.append(guarded(callback))


# Walks inside of so many others keep what they go through.
_keeps_inside = math.inf


@contextmanager
def keeping(inside: float) -> Iterator[None]:
    """Let backwards keep their graphs, those that run inside of so many others: these may be asked again."""
    global _keeps_inside
    before, _keeps_inside = _keeps_inside, inside
    try:
        yield
    finally:
        _keeps_inside = before


Observer = Callable[[Any, Any, Sequence[Any], Any], None]


def by_tensors() -> bool:
    """Tell whether a backward goes by tensors though it is not recorded: of arrays there are no tangents, for one."""
    if mode.duals is not None:
        return True
    below = sys.modules.get("gradcli.engine.dispatch.below_autograd")
    return below is not None and below.sees_backwards()


def _teller() -> Any:
    """Who tells the modes that see a backward of what is done beside its rules; None where there are none."""
    below = sys.modules.get("gradcli.engine.dispatch.below_autograd")
    return below if below is not None and below.has_modes() else None


def ones_that_are_seen(root: Any) -> Any:
    """The ones that a backward begins with, where the class of a tensor or a mode is to see them; None elsewhere."""
    below = sys.modules.get("gradcli.engine.dispatch.below_autograd")
    return None if below is None else below.ones_that_are_seen(root)


def walk(
    starts: Sequence[tuple[Any, Any]],
    keep: bool,
    create_graph: bool,
    targets: Sequence[Any] | None = None,
    observer: Observer | None = None,
    into_leaves: bool = True,
) -> list[Any]:
    """Pass gradients on from ``starts`` into the leaves, or into those among ``targets``, whose gradients are returned.

    Without ``into_leaves`` nothing is added to any leaf: its gradient is returned as that of any other target.
    Gradients are arrays, or, to record the next order, Tensors. A node runs after all its consumers:
    that is descending order of creation. A leaf runs as soon as its last share has arrived. An
    ``observer`` is told of each node that ran its gradient, its edges and what it passes on along each.
    """
    outer = running()
    rest = (starts, keep, create_graph, targets, observer, into_leaves)
    if len(outer) % _DEEP == _DEEP - 1 and type(outside()) is Outside:
        return _on_a_stack_of_its_own(lambda: _walked(outer, *rest), outer)
    return _walked(outer, *rest)


def _on_a_stack_of_its_own(call: Callable[[], list[Any]], outer: tuple[_Walk, ...]) -> list[Any]:
    """Call in another thread, whose stack is empty; this one waits, so nothing runs beside it."""
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context


    def go_on() -> list[Any]:
        _running[get_ident()] = outer
        try:
            return call()
        finally:
            del _running[get_ident()]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, go_on).result()


def _walked(
    outer: tuple[_Walk, ...],
    starts: Sequence[tuple[Any, Any]],
    keep: bool,
    create_graph: bool,
    targets: Sequence[Any] | None,
    observer: Observer | None,
    into_leaves: bool,
) -> list[Any]:
    on_tensors = create_graph or _begins_with_tensors(starts)
    one = _Walk(starts, _is_kept(keep, len(outer)), on_tensors, targets, observer, into_leaves)
    tape = mode.tape
    recorded, rule, thread = recording(), in_rule(), get_ident()
    recorder = None if tape is None else (tape.parent, tape.order)
    if tape is not None:
        tape.walk_begins()
        if create_graph:
            tape.differentiates(one.order)
    _set(create_graph, on_tensors)
    _running[thread] = (*outer, one)
    try:
        for edge, g in starts:
            one.put(edge, result(g) if on_tensors and not isinstance(g, Tensor) else g)
            one.mind(edge, g)
        if on_tensors:
            one.run_recorded()
        else:
            one.run()
        _set(recorded, rule)
        # They may add others.
        for callback in one.at_the_end:
            callback()
    finally:
        if outer:
            _running[thread] = outer
        else:
            del _running[thread]
        _set(recorded, rule)
        if tape is not None and recorder is not None:
            tape.parent, tape.order = recorder
            tape.walk_ends()
    return [] if targets is None else [one.captured.get(_key(e)) for e in targets]


def _begins_with_tensors(starts: Sequence[tuple[Any, Any]]) -> bool:
    """Tell whether first gradients are tensors: where somebody is to see the backward, or they have tangents."""
    return mode.duals is not None or any(isinstance(g, Tensor) for _, g in starts)


def _is_kept(keep: bool, inside: int) -> bool:
    return keep or inside >= _keeps_inside


def _set(recorded: bool, rule: bool) -> None:
    """Record or not, by the overloads of rules or not; to set what is set costs more than to look."""
    if recorded is not recording():
        record(recorded)
    if rule is not in_rule():
        as_rule(rule)


def called(node: Any, g: Any) -> Any:
    """The shares that a node makes of what arrives, recorded where the program records."""
    recorded, rule = recording(), in_rule()
    _set(recorded, True)
    try:
        return node.run_graph(g, node.edges)
    finally:
        _set(recorded, rule)


def _by_ops(node: Any, g: Any, edges: Any) -> list[Any]:
    """The shares of a node's inputs as arrays, computed by ops that nobody sees."""
    tape, rule = mode.tape, in_rule()
    mode.use(None)
    as_rule(True)
    try:
        given = [x if x is None else result(x) for x in g] if type(g) is list else result(g)
        return [x._a if isinstance(x, Tensor) else x for x in node.run_graph(given, edges)]
    finally:
        mode.use(tape)
        as_rule(rule)


class _Walk:
    """One walk: what runs, in what order, and the gradients that are on their way."""

    # order      nodes, and the turns of leaves, each after all that pass gradients to it
    # points     the edges whose gradient is asked for, by their node
    # narrowed   the edges of the nodes that do not run for all of theirs
    # careful    what does not run like any other: somebody wants to know more of it, or not all of its gradients
    # pending    the gradient of what has not run yet; a list of them, where a node has several outputs
    # owned      the pending gradients whose memory nobody else holds: the next share is added in place
    # captured   the gradients that were asked for
    # at_the_end what is to be called when all has run
    # now        what was run last with care, as all is that calls hooks
    __slots__ = (
        "at_the_end", "captured", "careful", "create_graph", "into_leaves", "keep", "narrowed", "now", "number",
        "observer", "order", "owned", "pending", "points", "tape", "whole",
    )  # fmt: skip

    def __init__(
        self,
        starts: Sequence[tuple[Any, Any]],
        keep: bool,
        create_graph: bool,
        targets: Sequence[Any] | None,
        observer: Observer | None,
        into_leaves: bool,
    ) -> None:
        self.number = _number()
        self.now: Any = None
        # PyTorch walks once for all samples of a vmap.
        batch = None if keep else vmap_around()
        self.keep = keep or batch is not None
        self.at_the_end: list[Callable[[], Any]] = [] if batch is None else [lambda: batch.spend(self.order)]
        self.create_graph = create_graph
        self.observer = observer
        self.into_leaves = into_leaves
        self.tape = mode.tape
        self.order = discovered(starts)
        # Whether gradients go to all leaves.
        self.whole = targets is None
        self.points: dict[Any, list[Any]] = {}
        self.narrowed: dict[Any, tuple[Any, ...]] = {}
        if targets is not None:
            self.points = capture_points(targets)
            self.order, self.narrowed = narrowed(self.order, targets, self.points)
        watched = observer is not None or mode.tape is not None
        self.careful = set(self.order) if watched else {*self.points, *self.narrowed}
        self.pending: dict[Any, Any] = {}
        self.owned: set[Any] = set()
        self.captured: dict[Any, Any] = {}

    def run(self) -> None:
        """Run all in order, and add what each passes on to what its inputs have."""
        careful, keep, pending, owned = self.careful, self.keep, self.pending, self.owned
        take, look, add = pending.pop, pending.get, np.add
        for node in self.order:
            g = take(node, None)
            if node in careful or node.extra is not None:
                g, edges, shares = self._run_with_care(node, g)
            elif g is None:
                if node.kind == LEAF:
                    self._finish(node.leaf)
                    continue
                g, edges, shares = self._run_with_care(node, None)
            else:
                edges = node.edges
                shares = node.run(g, edges)
                if node.saved and not keep:
                    node.saved = None
            at = 0
            for share in shares:
                edge = edges[at]
                at += 1
                if share is None:
                    continue
                if share.shape != edge.shape or share.dtype is not edge.dtype:
                    share = fit(node, edge, share)
                    self.mind(edge, share)
                have = look(edge)
                if have is None:
                    if edge.kind:
                        self.put(edge, share, self._is_sole(node, g, share))
                    else:
                        pending[edge] = share
                elif edge in owned:
                    # The sum is ours alone.
                    add(have, share, have)
                else:
                    self._add_first(edge, have, share)

    def run_recorded(self) -> None:
        """Do the same with gradients that are Tensors, so that what runs is recorded; no sum is written over."""
        careful, keep, pending, teller = self.careful, self.keep, self.pending, _teller()
        take, look = pending.pop, pending.get
        for node in self.order:
            if teller is not None:
                self._tell(teller, node)
            g = take(node, None)
            if node in careful or node.extra is not None:
                g, edges, shares = self._run_with_care(node, g)
            elif g is None:
                if node.kind == LEAF:
                    self._finish(node.leaf)
                    continue
                g, edges, shares = self._run_with_care(node, None)
            else:
                edges = node.edges
                shares = node.run_graph(g, edges)
                if node.saved and not keep:
                    node.saved = None
            for edge, share in zip(edges, shares, strict=False):
                if share is None:
                    continue
                a = share._a
                if a.shape != edge.shape or a.dtype is not edge.dtype:
                    share = fit(node, edge, share)
                have = look(edge)
                if have is not None:
                    pending[edge] = have + share
                elif edge.kind:
                    self.put(edge, share)
                else:
                    pending[edge] = share

    def _tell(self, teller: Any, node: Any) -> None:
        """Tell modes of what leaves the graph as a node runs: the results that it keeps, a leaf's first gradient."""
        if node.kind != LEAF:
            if node in self.pending:
                teller.tell_of_unpacked(node)
        elif self.into_leaves and node.leaf.grad is None and isinstance(g := self.pending.get(node.leaf), Tensor):
            teller.tell_of_first(g)

    def _run_with_care(self, node: Any, g: Any) -> tuple[Any, Sequence[Any], Iterable[Any]]:
        """Run a leaf, or a node with all that may be asked of it: its gradient, and its shares by edge."""
        self.now = node
        if node.kind == LEAF:
            self._finish(node.leaf)
            return g, (), ()
        g = self._arrived(node, g)
        edges = self.narrowed.get(node, node.edges)
        if not edges:
            if self.into_leaves:
                hooks.at_an_end(node, g, self.create_graph)
            return g, (), ()
        arrived = g is not None
        g = hooks.before(node, g, self.create_graph)
        if g is None:
            if arrived or not node.runs_on_nothing:
                # Where hooks took away what arrived, nothing is called any more.
                return g, edges, () if arrived else hooks.after(node, [None] * len(edges), g, self.create_graph)
            g = [None] * node.outputs if node.outputs > 1 else None
        shares = node.run_graph(g, edges) if self.create_graph else self._shares(node, g, edges)
        shares = hooks.after(node, shares, g, self.create_graph)
        if self.observer is not None and arrived:
            self.observer(node, g, edges, shares)
        if node.saved and not self.keep:
            node.saved = None
        return g, edges, shares

    def mind(self, edge: Any, g: Any) -> None:
        """Run with care what a gradient in half precision arrives at."""
        if is_half(g.dtype):
            self.careful.add(edge.node if edge.kind == OUTPUT else edge)

    def _shares(self, node: Any, g: Any, edges: Any) -> Any:
        """The shares of a node's inputs as arrays; in half precision by ops, which round as PyTorch's do."""
        first = next((x for x in (g if type(g) is list else (g,)) if x is not None), None)
        if first is None or not is_half(first.dtype):
            return node.run(g, edges)
        shares = _by_ops(node, g, edges) if hasattr(node, "op") else node.run(g, edges)
        for edge, share in zip(edges, shares, strict=False):
            if edge is not None and share is not None:
                self.mind(edge, share)
        return shares

    def _arrived(self, node: Any, g: Any) -> Any:
        """The gradient of a node's result, after the result's hooks; it is captured where it is asked for."""
        if self.tape is not None:
            self.tape.runs(node, self.create_graph)
        arrived = g
        if node.extra is not None:
            g = hooks.on_result(node, g, self.create_graph)
        # Like PyTorch: of a node that runs besides, it is the gradient as it was before the hooks.
        asked = arrived if self.narrowed.get(node, node.edges) else g
        for edge in self.points.get(node, ()):
            self.captured[_key(edge)] = asked[edge.nr] if edge.kind == OUTPUT and asked is not None else asked
        return g

    def _finish(self, leaf: Any) -> None:
        """Run a leaf: all shares of its gradient are in."""
        g = self.pending.pop(leaf, None)
        if g is None and not leaf.hooks and not leaf.post_accumulate:
            return
        if self.into_leaves and leaf.extra is None and not leaf.hooks and not leaf.post_accumulate:
            accumulate(leaf, g, leaf in self.owned, self.create_graph)
        else:
            self._finish_with_care(leaf, g)

    def _finish_with_care(self, leaf: Any, g: Any) -> None:
        """Run a leaf with hooks, or one whose gradient is only asked for."""
        self.now = leaf
        owned = leaf in self.owned
        if leaf.hooks or leaf.extra is not None:
            g = hooks.on_leaf(leaf, g, self.create_graph)
            owned = False
        if not self.into_leaves:
            self.captured[leaf] = g
            return
        if leaf.extra is not None:
            g = hooks.before(leaf, g, self.create_graph)
        if g is not None:
            accumulate(leaf, g, owned, self.create_graph)
        hooks.after_leaf(leaf, g)

    def _add_first(self, edge: Any, have: Any, share: Any) -> None:
        """Add a share to a gradient whose memory somebody else may hold; that of the sum is ours."""
        # Entries of sparse gradients stand in the order of PyTorch, which adds what it had to what comes.
        self.pending[edge] = total = share + have if is_sparse(have) else have + share
        if type(total) is np.ndarray:
            self.owned.add(edge)

    def put(self, edge: Any, share: Any, sole: bool = False) -> None:
        """Put a share where what it goes to will look for it: for an output, among those of its node."""
        pending = self.pending
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
        if sole and have is None and type(share) is np.ndarray and 0 not in share.strides:
            self.owned.add(edge)

    def _is_sole(self, node: Any, g: Any, share: Any) -> bool:
        """Tell whether nobody but the walk can hold the memory of a share: not the user, not another share."""
        if self.observer is not None:
            return False
        if node.kind == VIEW and node in self.owned and not self.points:
            return True
        if not node.fresh or node.extra is not None or share is g or type(g) is list:
            return False
        # The base says it only of plain arrays: bfloat16 is a view of its bits, and a view of that has another base.
        return share.base is None or not np.may_share_memory(share, g)


def _key(edge: Any) -> Any:
    """An edge as a key: outputs of a node are equal when their numbers are."""
    return (edge.node, edge.nr) if edge.kind == OUTPUT else edge
