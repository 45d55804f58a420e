"""Calling any op: bind its arguments, compute, record what its rules ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..declaration import camel, fact
from ..dtypes import promote
from ..graph import Output, next_sequence_number
from ..modes import mode
from ..tensor import Array, Tensor, View, _new, result
from ..words import not_a_tensor, translated
from .binding import binder
from .operands import in_dtype

if TYPE_CHECKING:
    from ..registry import Op


def general(op: Op) -> Any:
    """Call any op: bind its arguments, compute, record what its rules ask for."""
    forward = op.forward
    names = op.parameters
    rules = op.rules
    lists = op.lists
    differentiable = [i for i, n in enumerate(names) if n in rules]
    multi = len(op.outputs) > 1
    saves = [(n, names.index(n)) if n in names else (n, None) for n in op.saves]
    attr_sources = [
        (names.index(n), None) if n in names else (names.index(fact(n)[0]), fact(n)[1]) for n in op.attrs
    ]
    needed_by = op.wanted_by
    always = {n for n, by in needed_by.items() if not by}
    first = names[0] if names else ""

    bind = binder(op)

    def call(*args: Any, **kwargs: Any) -> Any:
        values: list[Any] | tuple[Any, ...]
        values = bind(args, kwargs) if kwargs or len(args) != len(names) else args
        raw: list[Any] = []
        edges: list[Any] = []
        any_tensor = False
        needs = False
        for i, v in enumerate(values):
            if isinstance(v, Tensor):
                any_tensor = True
                raw.append(v._a)
            elif names[i] in lists and v is not None:
                any_tensor = any_tensor or any(isinstance(x, Tensor) for x in v)
                raw.append([x._a if isinstance(x, Tensor) else x for x in v])
            else:
                raw.append(v)
        if not any_tensor:
            if not any(isinstance(v, (np.ndarray, np.generic)) or names[i] in lists for i, v in enumerate(raw)):
                raise not_a_tensor(op.name, first, 1, values[0] if values else None)
            return forward(*raw)
        if op.view:
            raw[0] = values[0]._memory()
        if op.floating:
            for i in differentiable:
                if isinstance(raw[i], (np.ndarray, np.generic)) and raw[i].dtype.kind not in "fc":
                    raw[i] = raw[i].astype(dtypes.default.float)
        if op.kind == "elementwise" and len(differentiable) > 1:
            d = promote(*(raw[i] for i in differentiable if raw[i] is not None))
            for i in differentiable:
                if raw[i] is not None:
                    raw[i] = in_dtype(raw[i], d)
        try:
            r = forward(*raw)
        except ValueError as error:
            raise translated(error, raw) from error
        if mode.grad:
            for i in differentiable:
                v = values[i]
                if isinstance(v, Tensor):
                    edges.append(v._node)
                    needs = needs or v._node is not None
                elif names[i] in lists:
                    found = [x._node if isinstance(x, Tensor) else None for x in v]
                    edges.extend(found)
                    needs = needs or any(e is not None for e in found)
                else:
                    edges.append(None)
        outs = r if multi else (r,)
        node: Any = None
        if needs and any(_differentiable(x) for x in outs):
            node = record(values, raw, outs, edges)
        made = tuple(_wrapped(op, k, x, node, values) for k, x in enumerate(outs))
        return made if multi else made[0]

    def record(values: Sequence[Any], raw: list[Any], outs: Any, edges: list[Any]) -> Any:
        node = _new(op.node_type())
        node.edges = tuple(edges)
        node.extra = None
        needed = set(always)
        for i in differentiable:
            v = values[i]
            if isinstance(v, Tensor) and v._node is not None or (
                names[i] in lists and any(isinstance(x, Tensor) and x._node is not None for x in v)
            ):
                needed.add(names[i])
        kept: list[Any] = []
        for k, (name, i) in enumerate(saves):
            by = needed_by[name]
            # As PyTorch does: an input for one rule only is kept when that rule will be asked for.
            if i is not None and len(by) == 1 and by[0] not in needed:
                kept.append(None)
            elif i is None:
                kept.append(outs[op.outputs.index(name)])
            else:
                v = values[i]
                kept.append(tuple(v) if isinstance(v, list) else v)
                if isinstance(v, Tensor) and v._vc is not None:
                    node.extras().versions[k] = v._vc.n
        node.saved = tuple(kept)
        node.attrs = tuple(
            values[i] if read is None else read(values[i]._a if isinstance(values[i], Tensor) else values[i])
            for i, read in attr_sources
        )
        if multi:
            node.shape = tuple(x.shape for x in outs)
            node.dtype = tuple(x.dtype for x in outs)
        else:
            node.shape = outs[0].shape
            node.dtype = outs[0].dtype
        node.seq = next_sequence_number()
        return node

    return call


def _differentiable(a: Array) -> bool:
    return a.dtype.kind in "fc"


def _wrapped(op: Op, k: int, a: Array, node: Any, values: Sequence[Any]) -> Tensor:
    """Output ``k`` of a call, as a Tensor in its place."""
    if op.view:
        source = values[0]
        v: Any = _new(View)
        v._a = a
        v._base = source if source._base is None else source._base
        vc = v._base._vc
        v._made = 0 if vc is None else vc.n
        v._inference = source._inference
        if not mode.grad:
            v._without_grad = True
        if op.siblings:
            v._siblings = camel(op.name)
        if node is not None:
            v._own = node if len(op.outputs) == 1 else Output(node, k, a)
        return v  # type: ignore[no-any-return]
    t = result(a)
    if mode.inference:
        t._inference = True
    if node is not None and op.outputs[k] is not None and _differentiable(a):
        t._node = node if len(op.outputs) == 1 else Output(node, k, a)
    return t
