"""Calling ops with one differentiable tensor and plain arguments beside it: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .graph import Output, next_sequence_number
from .modes import mode
from .tensor import Tensor, _new
from .views import _filler, _keeper

if TYPE_CHECKING:
    from .registry import Op


def is_single(op: Op) -> bool:
    """Whether an op differentiates its first argument alone and keeps no other tensor than that and its results."""
    first = op.parameters[:1]
    return (
        tuple(op.rules) == first
        and not op.lists
        and all(n in first or n in op.outputs or n in op.aside for n in op.saves)
        and not any(op._is_tensor(n) for n in op.parameters[1:])
    )


def single(op: Op) -> Any:
    """Call such an op."""
    from .registry import _not_a_tensor, _translated

    forward = op.forward
    names = op.parameters
    first = names[0]
    count = len(names) - 1
    fill = _filler(op)
    kept = _keeper(op) if op.attrs else None
    floating = op.floating
    outputs = (*op.outputs, *op.aside)
    multi = len(outputs) > 1
    one_output = len(op.outputs) == 1
    # Which of what is at hand is kept: -1 for the argument, else the number of an output.
    saves = [-1 if n == first else outputs.index(n) for n in op.saves]
    own = saves.index(-1) if -1 in saves else None
    only_self = saves == [-1]
    nothing = not saves
    node_type: Any = None

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            args = fill(args, kwargs)
        if not isinstance(input, Tensor):
            if isinstance(input, (np.ndarray, np.generic)):
                return forward(input, *args)
            raise _not_a_tensor(op, first, 1, input)
        a = input._a
        if floating and a.dtype.kind not in "fc":
            a = a.astype(dtypes.default.float)
        try:
            r = forward(a, *args)
        except ValueError as error:
            raise _translated(error, op, (a,)) from error
        outs = r if multi else (r,)
        n = input._node
        node = None
        if n is not None and mode.grad and outs[0].dtype.kind in "fc":
            if node_type is None:
                node_type = op.node_type()
            node = _new(node_type)
            node.edges = (n,)
            node.extra = None
            node.attrs = () if kept is None else kept(a, args)
            if nothing:
                node.saved = ()
            elif only_self:
                node.saved = (input,)
            else:
                node.saved = tuple([input if k < 0 else outs[k] for k in saves])
            if own is not None and input._vc is not None:
                node.extras().versions[own] = input._vc.n
            if one_output:
                node.shape = outs[0].shape
                node.dtype = outs[0].dtype
            else:
                node.shape = tuple([x.shape for x in outs])
                node.dtype = tuple([x.dtype for x in outs])
            node.seq = next_sequence_number()
        if not multi:
            t = _new(Tensor)
            t._a = r
            if node is not None:
                t._node = node
            elif mode.inference:
                t._inference = True
            return t
        made = []
        for k, x in enumerate(outs):
            t = _new(Tensor)
            t._a = x
            if node is not None:
                if one_output:
                    if k == 0:
                        t._node = node
                elif outputs[k] is not None and x.dtype.kind in "fc":
                    t._node = Output(node, k, x)
            elif mode.inference:
                t._inference = True
            made.append(t)
        return tuple(made)

    return call
