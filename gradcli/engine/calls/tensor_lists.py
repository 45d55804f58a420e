"""Calling ops that take a list of tensors and return one result that is no view: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autocasting import cast_first
from ..call_errors import not_a_tensor, translated
from ..dtypes import F32, F64
from ..graph import recorded
from ..modes import aside, casting, mode, recording
from ..numeric.halves import half_among, way
from ..tensor import Tensor, _new
from .binding import binder, written
from .keeping import attributes, kept, places

if TYPE_CHECKING:
    from ..registry import Op


def is_listed(op: Op) -> bool:
    """Tell whether an op takes one list of tensors and has one result, a fresh one."""
    return op.kind == "primitive" and len(op.lists) == 1 and not op.view and not op.floating and len(op.outputs) == 1


def listed(op: Op) -> Any:
    """Call such an op."""
    forward = op.forward
    in_half = way(op)
    names = op.parameters
    count = len(names)
    bind = binder(op)
    (many,) = [names.index(n) for n in op.lists]
    tensors = [i for i, n in enumerate(names) if i != many and n in op.tensors]
    differentiable = [i for i, n in enumerate(names) if n in op.operands]
    keep = places(op)
    attributes_of = attributes(op)
    for_real = op.twin_of is None
    casts = op.autocast
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        if casts is not None and casting() is not None and for_real:
            return cast_first(casts, call, args, kwargs)
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, args, kwargs)
            args = bind(args, kwargs)
        raw, flowing = opened(args)
        if not flowing:
            if tensors and not any(isinstance(args[i], (np.ndarray, np.generic)) for i in tensors):
                raise not_a_tensor(op.name, names[tensors[0]], 1, args[tensors[0]])
            return by_precision(raw)
        if for_real:
            for x in (*raw[many], *[raw[i] for i in tensors]) if tensors else raw[many]:
                d = getattr(x, "dtype", F32)
                if d is not F32 and d is not F64 and d.kind == "c":
                    return op.on_complex(*args)
        try:
            r = by_precision(raw)
        except ValueError as error:
            raise translated(error, raw) from error
        t = _new(Tensor)
        t._a = r
        edges = edges_of(args) if recording() and r.dtype.kind in "fc" else []
        if edges.count(None) == len(edges):
            if mode.aside:
                aside(op, args, t)
            return t
        t._node = noted(args, raw, edges, r)
        return t

    def by_precision(raw: list[Any]) -> Any:
        """The result, in half precision where all operands are."""
        d = half_among([*raw[many], *[raw[i] for i in tensors]])
        return forward(*raw) if d is None else in_half(forward, d, *raw)

    def opened(args: tuple[Any, ...]) -> tuple[list[Any], bool]:
        """The arguments as arrays, and whether tensors are among them."""
        raw = list(args)
        flowing = False
        for i in tensors:
            if isinstance(args[i], Tensor):
                raw[i] = args[i]._a
                flowing = True
        raw[many] = mine = []
        for x in args[many]:
            if isinstance(x, Tensor):
                mine.append(x._a)
                flowing = True
            else:
                mine.append(x)
        return raw, flowing

    def edges_of(args: tuple[Any, ...]) -> list[Any]:
        """Where the gradient of each differentiable argument goes, those of the list one by one."""
        edges: list[Any] = []
        for i in differentiable:
            for x in args[i] if i == many else (args[i],):
                edges.append(x._node if isinstance(x, Tensor) else None)
        return edges

    def noted(args: tuple[Any, ...], raw: list[Any], edges: list[Any], r: Any) -> Any:
        """The node of a call, with what it keeps."""
        nonlocal node_type
        if node_type is None:
            node_type = op.node_type()
        node = recorded(node_type, tuple(edges), attributes_of(args, raw), r.shape, r.dtype)
        node.saved = kept(node, keep, args, (r,))
        if mode.tape is not None:
            mode.tape.record(node, op, args, (r,))
        return node

    return call
