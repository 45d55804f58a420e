"""Calling elementwise ops with more operands than two, or with a mask beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..call_errors import inference_kept, not_a_tensor, translated
from ..declaration import fact
from ..graph import next_sequence_number
from ..layout import like_operands
from ..modes import aside, mode
from ..tensor import Tensor, _new
from .binding import binder
from .elementwise import in_dtype

if TYPE_CHECKING:
    from ..registry import Op


def many(op: Op, numbers: bool = True) -> Any:
    """Call such an op: its operands are broadcast and in one dtype, and some may be numbers or None."""
    forward = op.forward
    names = op.parameters
    count = len(names)
    bind = binder(op)
    tensors = [i for i, n in enumerate(names) if n in op.tensors]
    operands = [i for i, n in enumerate(names) if n in op.operands]
    # What to keep: the number of an argument, or -1 for the result; and of the one argument it is kept for, or -1.
    keep = [
        (names.index(n), names.index(op.wanted_by[n][0]) if len(op.wanted_by[n]) == 1 else -1)
        if n in names
        else (-1, -1)
        for n in op.saves
    ]
    attrs = [(names.index(n), None) if n in names else (names.index(fact(n)[0]), fact(n)[1]) for n in op.attrs]
    unrecorded = (None,) * len(operands)
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            args = bind(args, kwargs)
        raw = list(args)
        recorded = False
        for i in tensors:
            v = args[i]
            if isinstance(v, Tensor):
                raw[i] = v._a
                recorded = True
        if not recorded:
            for i in tensors:
                if isinstance(args[i], (np.ndarray, np.generic)):
                    return forward(*raw)
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
                    raise not_a_tensor(op.name, names[i], i + 1, x)
        if mixed or (number and (d is None or d.kind != "f")):
            d = dtypes.promote(*[raw[i] for i in operands if raw[i] is not None])
            for i in operands:
                if raw[i] is not None:
                    raw[i] = in_dtype(raw[i], d)
        elif number:
            for i in operands:
                if isinstance(raw[i], (int, float)) and not isinstance(raw[i], np.generic):
                    raw[i] = np.array(raw[i], d)
        try:
            r = forward(*raw)
        except ValueError as error:
            raise translated(error, raw) from error
        if r.ndim > 1:
            for i in tensors:
                if raw[i] is not None and not raw[i].flags.c_contiguous:
                    r = like_operands(r, *[raw[i] for i in tensors if raw[i] is not None])
                    break
        t = _new(Tensor)
        t._a = r
        if not mode.grad or r.dtype.kind not in "fc":
            if mode.aside:
                aside(t, *args)
            return t
        edges = tuple([args[i]._node if isinstance(args[i], Tensor) else None for i in operands])
        if edges == unrecorded:
            return t
        if node_type is None:
            node_type = op.node_type()
        node = node_type()
        node.edges = edges
        node.extra = None
        saved = []
        for k, (i, only) in enumerate(keep):
            if i < 0:
                saved.append(r)
                continue
            v = args[i]
            if only >= 0 and getattr(args[only], "_node", None) is None:
                v = None
            elif isinstance(v, Tensor):
                if v._inference:
                    raise inference_kept()
                if v._vc is not None:
                    node.extras().versions[k] = v._vc.n
            saved.append(v)
        node.saved = tuple(saved)
        node.attrs = tuple([args[i] if read is None else read(raw[i]) for i, read in attrs])
        node.shape = r.shape
        node.dtype = r.dtype
        node.seq = next_sequence_number()
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, args, (r,))
        return t

    return call
