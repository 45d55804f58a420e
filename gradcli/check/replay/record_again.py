"""A recorded graph, recorded again: the same ops called through the engine, with other numbers for the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import LEAF
from ...engine.modes import mode
from ...engine.ops.make.converting import clone
from ...engine.tape.entry import entry_of
from ...engine.tape.replay import drawing_as
from ...engine.tensor import Tensor, result
from ...engine.writes.copyslices import CopySlices
from .one_op import Call, Unreplayable, nested


class Planned(Protocol):
    """A recorded graph as calls on numbered values."""

    leaves: list[Any]

    def slots(self, leaves: Sequence[Any]) -> list[Any]: ...

    def depending(self, mask: int) -> list[Call]: ...

    def read(self, values: list[Any]) -> list[Any]: ...


def recalled(plan: Planned, arrays: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
    """The roots and the leaves of the new graph."""
    for edge in plan.leaves:
        _refuse_hooks(edge)
    leaves = [result(np.array(a)).requires_grad_() for a in arrays]
    tensors: list[Any] = plan.slots(leaves)
    before = mode.grad, mode.rule
    mode.grad, mode.rule = True, False
    try:
        with np.errstate(all="ignore"):
            for call in plan.depending(-1):
                made = _called(call, tensors)
                tensors[call.first : call.first + len(made)] = made
    finally:
        mode.grad, mode.rule = before
    return [x if isinstance(x, Tensor) else result(x) for x in plan.read(tensors)], leaves


def _called(call: Call, tensors: list[Any]) -> Sequence[Any]:
    """The results of a call on tensors."""
    node = call.node
    args = [result(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in call.args]
    for i, slot in call.places:
        args[i] = tensors[slot]
    if node is None:
        # A use of a value that was written to.
        moved: Any = args[0]
        return (moved + result(call.args[1] - call.args[2]),)
    _refuse_hooks(node)
    if isinstance(node, FunctionNode):
        if node._wrote:
            # A leaf cannot be written to.
            args = [clone(x) if isinstance(x, Tensor) and x.is_leaf and x.requires_grad else x for x in args]
        with drawing_as(node):
            made = node.function.apply(*args)
        shapes = [np.shape(x._a) for x in (made if isinstance(made, tuple) else (made,)) if isinstance(x, Tensor)]
        if shapes != [np.shape(x) for x in entry_of(node).outputs if x is not None]:  # type: ignore[union-attr]
            raise Unreplayable(node, "it makes something of another shape there")
    elif isinstance(node, CopySlices):
        made = _written(node, call, args)
    else:
        made = _op(call.op, nested(args, call.spans))
    entry: Any = entry_of(node)
    outs = made if isinstance(made, (tuple, list)) else (made,)
    return outs if entry.cast is None else [x.to(entry.cast) for x in outs]


def _op(op: Any, args: list[Any]) -> Any:
    named = dict(zip(op.parameters[op.positional :], args[op.positional :], strict=False))
    return op.call(*args[: op.positional], **named)


def _written(node: CopySlices, call: Call, args: list[Any]) -> Tensor:
    """A base after a write to one of its views: of a copy that lies in memory as the base did."""
    whole: Tensor = clone(args[0])
    if tuple(whole.stride()) != tuple(node.base_strides):
        raise Unreplayable(node, "it writes to memory that cannot be laid out again")
    part = node.view_of(whole)
    entry: Any = entry_of(node)
    given = nested([clone(part), *args[1:]], call.spans)
    inner = node.written()
    part.copy_(inner.function.apply(*given) if isinstance(inner, FunctionNode) else _op(entry.inner.op, given))
    return whole


def _refuse_hooks(node: Any) -> None:
    extra = node.extra
    own = node.kind == LEAF and (node.hooks or node.post_accumulate)
    if own or (extra is not None and (extra.tensor or extra.pre or extra.post)):
        raise Unreplayable(node, "a hook may change its gradient")
