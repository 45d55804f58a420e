"""Calling ops with one differentiable tensor and plain arguments beside it: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..call_errors import again_with_numbers, forward_of, not_a_tensor, translated
from ..dtypes import F32, F64
from ..graph import Output, recorded
from ..memory.layout import converted_like
from ..modes import aside, mode, recording
from ..numeric.halves import are_half, is_half, of_arrays, way
from ..tensor import Tensor, _new, result
from .binding import binder, written
from .keeping import note_version
from .views import keeper

if TYPE_CHECKING:
    from ..registry import Op


def is_single(op: Op) -> bool:
    """Tell whether an op differentiates its first argument alone and keeps no tensor but that and its results."""
    first = op.parameters[:1]
    return (
        op.operands == first
        and not op.lists
        and all(n in first or n in op.outputs or n in op.aside for n in op.saves)
        and not any(n in op.tensors for n in op.parameters[1:])
    )


def single(op: Op) -> Any:
    """Call such an op."""
    return _with_one_result(op) if len(op.outputs) == 1 and not op.aside else _with_several(op)


def _saves(op: Op) -> tuple[Any, int | None]:
    """A function that collects the values a node keeps, and the argument's position among them.

    It takes the argument, the arrays that were computed, and the tensors made of them. An output is kept as its
    array. What is returned aside has no place in the graph: its tensor is kept, which knows of writes to it.
    """
    first = op.parameters[0]
    results = (*op.outputs, *op.aside)
    outputs = len(op.outputs)
    # -1 for the argument, else the number of a result.
    places = [-1 if n == first else results.index(n) for n in op.saves]
    own = places.index(-1) if -1 in places else None
    if places == [-1]:
        return lambda x, outs, made: (x,), own
    if places == [0]:
        return lambda x, outs, made: (outs[0],), own
    if places == [1] and outputs == 1:
        return lambda x, outs, made: (made[1],), own
    if places == [-1, 0]:
        return lambda x, outs, made: (x, outs[0]), own
    return lambda x, outs, made: tuple([x if k < 0 else outs[k] if k < outputs else made[k] for k in places]), own


def _with_one_result(op: Op) -> Any:
    forward = forward_of(op)
    in_half = way(op)
    count = len(op.parameters) - 1
    fill = binder(op, rest=True)
    kept = keeper(op) if op.attrs else None
    floating = op.floating
    for_real = op.twin_of is None
    keeps = bool(op.saves)
    saves, own = _saves(op)
    node_type: Any = None

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, (input, *args), kwargs)
            args = fill(args, kwargs)
        if not isinstance(input, Tensor):
            if isinstance(input, (np.ndarray, np.generic)):
                return of_arrays(in_half, forward, input, *args) if are_half(input) else forward(input, *args)
            raise not_a_tensor(op.name, op.parameters[0], 1, input)
        a = input._a
        d = a.dtype
        if d is not F32 and d is not F64:
            if d.kind == "c" and for_real:
                return op.on_complex(input, *args)
            if floating and d.kind not in "fc":
                a = converted_like(a, dtypes.default.float)
        try:
            r = in_half(forward, a.dtype, a, *args) if is_half(a.dtype) else forward(a, *args)
        except TypeError as error:
            return again_with_numbers(call, (input, *args), (0,), error)
        except ValueError as error:
            raise translated(error, (a,)) from error
        t = _new(Tensor)
        t._a = r
        t._vc = None
        n = input._node
        if n is None or not recording():
            if mode.aside:
                aside(op, (input, *args), t)
            return t
        d = r.dtype
        if d is not F32 and d is not F64 and (d.kind not in "fc" or (d.kind == "c" and for_real)):
            if d.kind == "c":
                return op.on_complex(input, *args)
            if mode.aside:
                aside(op, (input, *args), t)
            return t
        if node_type is None:
            node_type = op.node_type()
        node = recorded(node_type, (n,), () if kept is None else kept(a, args), r.shape, d)
        if keeps:
            node.saved = saves(input, (r,), ())
            if own is not None and input._vc is not None:
                note_version(node, own, input)
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, (input, *args), (r,))
        return t

    return call


def _with_several(op: Op) -> Any:
    """Results in a tuple: the outputs, then what has no gradient."""
    forward = forward_of(op)
    in_half = way(op)
    count = len(op.parameters) - 1
    fill = binder(op, rest=True)
    kept = keeper(op) if op.attrs else None
    floating = op.floating
    for_real = op.twin_of is None
    outputs = op.outputs
    one_output = len(outputs) == 1
    saves, own = _saves(op)
    node_type: Any = None

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, (input, *args), kwargs)
            args = fill(args, kwargs)
        if not isinstance(input, Tensor):
            if isinstance(input, (np.ndarray, np.generic)):
                return of_arrays(in_half, forward, input, *args) if are_half(input) else forward(input, *args)
            raise not_a_tensor(op.name, op.parameters[0], 1, input)
        a = input._a
        d = a.dtype
        if d is not F32 and d is not F64:
            if d.kind == "c" and for_real:
                return op.on_complex(input, *args)
            if floating and d.kind not in "fc":
                a = converted_like(a, dtypes.default.float)
        try:
            outs = in_half(forward, a.dtype, a, *args) if is_half(a.dtype) else forward(a, *args)
        except TypeError as error:
            return again_with_numbers(call, (input, *args), (0,), error)
        except ValueError as error:
            raise translated(error, (a,)) from error
        made = [result(x) for x in outs]
        n = input._node
        if n is None or not recording() or outs[0].dtype.kind not in "fc":
            if mode.aside:
                aside(op, (input, *args), *made)
            return tuple(made)
        if node_type is None:
            node_type = op.node_type()
        if one_output:
            shape, d = outs[0].shape, outs[0].dtype
        else:
            shape, d = tuple([x.shape for x in outs]), tuple([x.dtype for x in outs])
        node = recorded(node_type, (n,), () if kept is None else kept(a, args), shape, d)
        node.saved = saves(input, outs, made)
        if own is not None and input._vc is not None:
            note_version(node, own, input)
        if mode.tape is not None:
            mode.tape.record(node, op, (input, *args), outs)
            mode.tape.beside(made[len(outputs) :], (input,))
        if one_output:
            made[0]._node = node
        else:
            for k, name in enumerate(outputs):
                if name is not None and outs[k].dtype.kind in "fc":
                    made[k]._node = Output(node, k, outs[k])
        return tuple(made)

    return call
