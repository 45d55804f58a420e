"""Calling elementwise ops with more operands than two, or with a mask beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..call_errors import forward_of, not_a_tensor, translated
from ..dtypes import F32, F64, is_complex
from ..graph import recorded
from ..memory.layout import like_operands
from ..modes import aside, mode, recording
from ..numeric.halves import are_half, converted, is_half, of_arrays, way
from ..tensor import Tensor, _new
from .binding import binder, in_todays_order, written
from .elementwise import in_dtype
from .keeping import attributes, kept, places

if TYPE_CHECKING:
    from ..registry import Op


def many(op: Op, numbers: bool = True) -> Any:
    """Call such an op: its operands are broadcast and in one dtype, and some may be numbers or None."""
    forward = forward_of(op)
    in_half = way(op)
    names = op.parameters
    count = len(names)
    bind = binder(op)
    tensors = [i for i, n in enumerate(names) if n in op.tensors]
    operands = [i for i, n in enumerate(names) if n in op.operands]
    keep = places(op)
    attributes_of = attributes(op)
    unrecorded = (None,) * len(operands)
    for_real = op.twin_of is None
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, args, kwargs)
            args = bind(args, kwargs)
        raw = list(args)
        flowing = False
        for i in tensors:
            v = args[i]
            if isinstance(v, Tensor):
                raw[i] = v._a
                flowing = True
        if not flowing:
            for i in tensors:
                if isinstance(args[i], (np.ndarray, np.generic)):
                    return of_arrays(in_half, forward, *raw) if are_half(args[i]) else forward(*raw)
            raise not_a_tensor(op.name, names[0], 1, args[0])
        d = None
        mixed = number = False
        for i in operands:
            x = raw[i]
            if isinstance(x, (np.ndarray, np.generic)):
                if d is None:
                    d = x.dtype
                elif x.dtype is not d:
                    mixed = True
            elif x is not None:
                number = True
                if not numbers:
                    if names[-1] == "value" and len(args) == count and isinstance(args[-1], Tensor):
                        return call(*in_todays_order(op, args))
                    raise not_a_tensor(op.name, names[i], i + 1, x)
            elif not numbers:
                raise not_a_tensor(op.name, names[i], i + 1, x)
        if for_real and (mixed or number or (d is not F32 and d is not F64)) and is_complex([raw[i] for i in operands]):
            return op.on_complex(*args)
        if mixed or (number and (d is None or d.kind != "f" or not for_real)):
            d = dtypes.promote(*[raw[i] for i in operands if raw[i] is not None])
            for i in operands:
                if raw[i] is not None:
                    raw[i] = in_dtype(raw[i], d)
        elif number:
            for i in operands:
                if isinstance(raw[i], (int, float)) and not isinstance(raw[i], np.generic):
                    raw[i] = converted(np.asarray(raw[i]), d)
        try:
            r = in_half(forward, d, *raw) if is_half(d) else forward(*raw)
        except ValueError as error:
            raise translated(error, raw) from error
        if r.ndim > 1:
            for i in tensors:
                if raw[i] is not None and not raw[i].flags.c_contiguous:
                    r = like_operands(r, *[raw[i] for i in tensors if raw[i] is not None])
                    break
        t = _new(Tensor)
        t._a = r
        if not recording() or r.dtype.kind not in "fc":
            if mode.aside:
                aside(op, args, t)
            return t
        edges = tuple([args[i]._node if isinstance(args[i], Tensor) else None for i in operands])
        if edges == unrecorded:
            if mode.aside:
                aside(op, args, t)
            return t
        if node_type is None:
            node_type = op.node_type()
        node = recorded(node_type, edges, attributes_of(args, raw), r.shape, r.dtype)
        if keep:
            node.saved = kept(node, keep, args, (r,))
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, args, (r,))
        return t

    return call
