"""Calling ops that take a list of tensors and return one result that is no view: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..call_errors import not_a_tensor, translated
from ..declaration import fact
from ..graph import next_sequence_number
from ..modes import aside, mode
from ..tensor import Tensor, _new
from .binding import binder

if TYPE_CHECKING:
    from ..registry import Op


def is_listed(op: Op) -> bool:
    """Whether an op takes one list of tensors and has one result, a fresh one."""
    return op.kind == "primitive" and len(op.lists) == 1 and not op.view and not op.floating and len(op.outputs) == 1


def listed(op: Op) -> Any:
    """Call such an op."""
    forward = op.forward
    names = op.parameters
    count = len(names)
    bind = binder(op)
    (many,) = [names.index(n) for n in op.lists]
    tensors = [i for i, n in enumerate(names) if i != many and n in op.tensors]
    differentiable = [i for i, n in enumerate(names) if n in op.operands]
    # What to keep: (number of an argument, or -1 for the result; the one argument it is kept for, or -1).
    keep = []
    for n in op.saves:
        by = op.wanted_by[n]
        if n in names:
            keep.append((names.index(n), names.index(by[0]) if len(by) == 1 else -1))
        else:
            keep.append((-1, -1))
    attrs = [(names.index(n), None) if n in names else (names.index(fact(n)[0]), fact(n)[1]) for n in op.attrs]
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            args = bind(args, kwargs)
        raw = list(args)
        recorded = False
        arrays = False
        for i in tensors:
            v = args[i]
            if isinstance(v, Tensor):
                raw[i] = v._a
                recorded = True
            elif isinstance(v, (np.ndarray, np.generic)):
                arrays = True
        items = args[many]
        mine = []
        for x in items:
            if isinstance(x, Tensor):
                mine.append(x._a)
                recorded = True
            else:
                mine.append(x)
        raw[many] = mine
        if not recorded:
            if tensors and not arrays:
                raise not_a_tensor(op.name, names[tensors[0]], 1, args[tensors[0]])
            return forward(*raw)
        try:
            r = forward(*raw)
        except ValueError as error:
            raise translated(error, raw) from error
        t = _new(Tensor)
        t._a = r
        edges: list[Any] = []
        if mode.grad and r.dtype.kind in "fc":
            for i in differentiable:
                if i == many:
                    edges.extend([x._node if isinstance(x, Tensor) else None for x in items])
                else:
                    v = args[i]
                    edges.append(v._node if isinstance(v, Tensor) else None)
        if all(e is None for e in edges):
            if mode.aside:
                aside(t, *args)
            return t
        if node_type is None:
            node_type = op.node_type()
        node = node_type()
        node.edges = tuple(edges)
        node.extra = None
        saved = []
        for k, (i, only) in enumerate(keep):
            if i < 0:
                saved.append(r)
                continue
            v = args[i]
            if only >= 0 and only != many and getattr(args[only], "_node", None) is None:
                v = None
            elif i == many:
                v = tuple(v)
            elif isinstance(v, Tensor) and v._vc is not None:
                node.extras().versions[k] = v._vc.n
            saved.append(v)
        node.saved = tuple(saved)
        node.attrs = tuple([args[i] if read is None else read(raw[i]) for i, read in attrs]) if attrs else ()
        node.shape = r.shape
        node.dtype = r.dtype
        node.seq = next_sequence_number()
        t._node = node
        if mode.tape is not None:
            mode.tape.record(node, op, args, (r,))
        return t

    return call
