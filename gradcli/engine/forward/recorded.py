"""Tangents along a graph that a tape has written down: each node's op passes on what its operands have there.

Nothing is run again but the forward of a custom function that has a ``jvp``, which needs what that keeps for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import EngineNotImplementedError, NoDerivative
from ..dtypes import Array, zeros_of
from ..function import Function, FunctionNode
from ..graph import LEAF
from ..memory.layout import axes_in_memory, in_order
from ..modes import mode, no_grad
from ..tape.entry import Entry, Operand, entry_of
from ..tape.replay import drawing_as
from ..tensor import Tensor, result
from ..writes.copyslices import CopySlices, strided_copy
from . import duals
from .pushing import pushed

# By node and number of its output, None where it is not known. What is not in it has none: it does not move.
Known = dict[tuple[Any, int], Array | None]


def along(nodes: Iterable[Any], leaves: Mapping[Any, Array]) -> Known:
    """The tangents of the outputs of nodes, which stand in forward order, from those of leaves."""
    known: Known = {(leaf, 0): tangent for leaf, tangent in leaves.items()}
    for node in nodes:
        entry = entry_of(node)
        if node.kind == LEAF or entry is None:
            continue
        moving = [_of(a.value, known) for a in entry.operands if type(a.value) is Operand]
        if not any(t is not _STILL for t in moving):
            continue
        made: Sequence[Array | None] = [None] * len(entry.outs)
        if not any(t is None for t in moving) and all(x is not None for x in _arrays(entry)):
            made = through(node, entry, known)
        for nr, t in enumerate(made):
            known[node, nr] = t
    return known


def through(node: Any, entry: Entry, known: Known) -> Sequence[Array | None]:
    """The tangents of a node's outputs, from those that its operands have."""
    with no_grad(), np.errstate(all="ignore"):
        try:
            if isinstance(node, CopySlices):
                return [_written(node, entry, known)]
            args = [_plain(x) for x in entry.args]
            given = [_given(x, known) for x in entry.args]
            if entry.op is not None:
                results = [None if a is None else result(a) for a in entry.outputs]
                made = [_first(column) for column in pushed(entry.op, args, results, given, 1)]
                made += [None] * (len(results) - len(made))
                return [_like(t, a) for t, a in zip(made, entry.outputs, strict=False)]
            return applied(node, args, given) if isinstance(node, FunctionNode) else [None] * len(entry.outs)
        except (EngineNotImplementedError, NoDerivative):
            return [None] * len(entry.outs)


def applied(node: FunctionNode, args: Sequence[Any], given: Sequence[Any]) -> list[Array | None]:
    """The tangents that a custom function's own ``jvp`` makes; they are not known of one that has none."""
    if node.function.jvp is Function.jvp:
        return [None] * node.outputs
    before = mode.duals, mode.tape
    mode.dual(None)
    mode.use(None)
    try:
        with drawing_as(node):
            level = duals.enter(by_hand=True)
            try:
                moving = [_dual(x, ts, level) for x, ts in zip(args, given, strict=True)]
                out = node.function.apply(*moving)
                outs = out if isinstance(out, tuple) else (out,)
                found = [duals.tangents_of(t, level) for t in outs]
            finally:
                duals.leave(level)
    finally:
        mode.dual(before[0])
        mode.use(before[1])
    return [_made(t, ts) for t, ts in zip(outs, found, strict=True)]


def _made(t: Any, tangents: Any) -> Array | None:
    """The tangent of an output; one that its ``jvp`` gives none does not move."""
    if tangents is not None:
        made: Array = np.asanyarray(tangents[0]._a)
        return made
    return zeros_of(t._a.shape, t._a.dtype) if isinstance(t, Tensor) else None


class _Still:
    """The tangent of what does not move."""


_STILL = _Still()


def _of(x: Any, known: Known) -> Any:
    """The tangent of an operand: that of its place in the graph."""
    if x.edge is None:
        return _STILL
    return known.get((x.node, x.output_nr), _STILL)


def _arrays(entry: Entry) -> list[Any]:
    """The numbers of all operands, None for those that could not be kept."""
    return [a.value.array for a in entry.operands if type(a.value) is Operand]


def _plain(x: Any) -> Any:
    """An argument as the op was given it, with its numbers as they were."""
    if type(x) is Operand:
        return result(x.array)
    if type(x) is list or type(x) is tuple:
        return type(x)([_plain(y) for y in x])
    return x


def _given(x: Any, known: Known) -> Any:
    """The tangents of an argument, in the one direction that there is; of a list, those of each."""
    if type(x) is list or type(x) is tuple:
        return [_given(y, known) for y in x]
    t = _of(x, known) if type(x) is Operand else _STILL
    return None if t is _STILL else (result(np.asarray(t)),)


def _dual(x: Any, tangents: Any, level: duals.Level) -> Any:
    """An argument of a custom function, as a number that moves if it does."""
    if isinstance(x, Tensor):
        x = result(np.array(x._a, subok=True))
        if tangents is not None:
            duals.give(x, level, tangents)
    return x


def _first(column: Any) -> Array | None:
    return None if not column else np.asanyarray(column[0]._a)


def _like(t: Array | None, a: Any) -> Array | None:
    """A tangent in the dtype of its result, and with its axes in that order in memory: a view of it may follow."""
    if t is None or a is None:
        return t
    t = t if t.dtype == a.dtype else t.astype(a.dtype)
    if not t.ndim or t.strides == a.strides or t.shape != a.shape or min(a.strides) <= 0:
        return t
    found: Array = in_order(t, axes_in_memory([a.strides], a.shape))
    return found


def _written(node: CopySlices, entry: Entry, known: Known) -> Array | None:
    """The tangent of a base, of which a view was written to."""
    inner = entry.inner
    assert inner is not None
    base, *others = entry.args
    moves = _of(base, known)
    tangent = zeros_of(base.array.shape, base.array.dtype) if moves is _STILL else np.asarray(moves)
    whole: np.ndarray[Any, Any] = strided_copy(tangent, node.base_strides)
    part = node.part_of(whole)
    before = node.part_of(strided_copy(base.array, node.base_strides))
    args = [result(np.array(before)), *[_plain(x) for x in others]]
    given = [(result(np.array(part)),), *[_given(x, known) for x in others]]
    results = [None if a is None else result(a) for a in inner.outputs]
    (column,) = pushed(inner.op, args, results, given, 1)
    node.put(whole, 0 if not column else column[0]._a)
    return whole
