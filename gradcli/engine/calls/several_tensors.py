"""Calling ops with several tensor arguments, none of them lists and no result a view: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EngineError
from .. import dtypes
from ..autocasting import cast_first
from ..call_errors import again_with_numbers, forward_of, not_a_tensor, translated
from ..dtypes import F32, F64
from ..graph import Output, recorded
from ..modes import aside, casting, mode, recording
from ..numeric.halves import are_half, half_among, is_half, of_arrays, way
from ..tensor import Tensor, result
from .binding import binder, written
from .keeping import attributes, kept, note_version, places

if TYPE_CHECKING:
    from ..registry import Op


def is_several(op: Op) -> bool:
    """Tell whether an op takes tensors one by one and returns none of them as a view."""
    return op.kind == "primitive" and not op.lists and not op.view and not op.floating


def several(op: Op) -> Any:
    """Call such an op. An output may be None: PyTorch's undefined tensor, for a gradient nobody asked for."""
    forward = forward_of(op)
    in_half = way(op)
    names = op.parameters
    count = len(names)
    bind = binder(op)
    tensors = [i for i, n in enumerate(names) if n in op.tensors]
    differentiable = [i for i, n in enumerate(names) if n in op.operands]
    fixed = [i for i in tensors if i not in differentiable]
    lead = tensors[0]
    for_real = op.twin_of is None
    casts = op.autocast
    multi = len(op.outputs) + len(op.aside) > 1
    nodes_outputs = len(op.outputs)
    one_node = nodes_outputs == 1
    keep = places(op)
    keeps_output = any(n in op.outputs for n in op.saves)
    attributes_of = attributes(op)
    keeps_inputs = all(i >= 0 and only < 0 for i, only in keep)
    kept_at = [i for i, _ in keep]
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        if casts is not None and casting() is not None and for_real:
            return cast_first(casts, call, args, kwargs)
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, args, kwargs)
            args = bind(args, kwargs)
        if isinstance(args[lead], (np.ndarray, np.generic)):
            # Arrays flow: then all of them are arrays.
            return of_arrays(in_half, forward, *args) if are_half(args[lead]) else forward(*args)
        raw, edges, needs = opened(args)
        d = raw[lead].dtype
        if for_real:
            for i in tensors:
                x = raw[i]
                if x is not None and x.dtype is not F32 and x.dtype is not F64 and x.dtype.kind == "c":
                    return op.on_complex(*args)
        if d is not F64 and d is not F32:
            d = half_among(raw)
        try:
            r = in_half(forward, d, *raw) if is_half(d) else forward(*raw)
        except TypeError as error:
            return again_with_numbers(call, args, tensors, error)
        except ValueError as error:
            raise translated(error, raw) from error
        if multi:
            return several_results(r, args, raw, edges, needs)
        t = result(r)
        if needs and r.dtype.kind in "fc":
            outs = (r,)
            t._node = noted(args, raw, edges, outs, outs)
        elif mode.aside:
            aside(op, args, t)
        return t

    def opened(args: tuple[Any, ...]) -> tuple[list[Any], list[Any], bool]:
        """The arguments as arrays, where the gradient of each differentiable one goes, and whether one is recorded."""
        raw = list(args)
        tensors = needs = False
        edges: list[Any] = []
        for i in differentiable:
            v = raw[i]
            e = None
            if isinstance(v, Tensor):
                tensors = True
                raw[i] = v._a
                e = v._node
                if e is not None:
                    needs = True
            elif v is not None and not isinstance(v, (np.ndarray, np.generic)):
                raise not_a_tensor(op.name, names[i], i + 1, v)
            edges.append(e)
        for i in fixed:
            v = raw[i]
            if isinstance(v, Tensor):
                tensors = True
                raw[i] = v._a
                if v._node is not None and recording():
                    raise not_differentiable(op.name, names[i])
            elif v is not None and not isinstance(v, (np.ndarray, np.generic)):
                raise not_a_tensor(op.name, names[i], i + 1, v)
        if not tensors:
            raise not_a_tensor(op.name, names[0], 1, args[0])
        return raw, edges, needs and recording()

    def noted(args: tuple[Any, ...], raw: list[Any], edges: list[Any], outs: Any, results: Any) -> Any:
        """The node of a call, with what it keeps of the arguments and of ``results``."""
        nonlocal node_type
        if node_type is None:
            node_type = op.node_type()
        if one_node:
            shape, d = outs[0].shape, outs[0].dtype
        else:
            # An undefined output counts as a number.
            shown = outs[:nodes_outputs]
            shape = tuple([() if x is None else x.shape for x in shown])
            d = tuple([dtypes.default.float if x is None else x.dtype for x in shown])
        node = recorded(node_type, tuple(edges), attributes_of(args, raw), shape, d)
        if keeps_inputs:
            node.saved = tuple([args[i] for i in kept_at])
            for k, v in enumerate(node.saved):
                if isinstance(v, Tensor) and v._vc is not None:
                    note_version(node, k, v)
        else:
            node.saved = kept(node, keep, args, results)
        if mode.tape is not None:
            mode.tape.record(node, op, args, outs)
        return node

    def several_results(
        outs: Any, args: tuple[Any, ...], raw: list[Any], edges: list[Any], needs: bool
    ) -> tuple[Tensor | None, ...]:
        """Several results as tensors in their places in the graph."""
        made = tuple([None if x is None else result(x) for x in outs])
        if needs and (not one_node or outs[0].dtype.kind in "fc"):
            # What is returned aside has no place in the graph: its tensor is kept, which knows of writes to it.
            results = (*outs[:nodes_outputs], *made[nodes_outputs:]) if keeps_output else made
            node = noted(args, raw, edges, outs, results)
            if mode.tape is not None:
                mode.tape.beside(made[nodes_outputs:], args)
            if one_node:
                made[0]._node = node  # type: ignore[union-attr]
                return made
            for k, (name, t) in enumerate(zip(op.outputs, made[:nodes_outputs], strict=True)):
                if t is not None and name is not None and t._a.dtype.kind in "fc":
                    t._node = Output(node, k, t._a)
        elif mode.aside:
            aside(op, args, *made)
        return made

    return call


def not_differentiable(name: str, argument: str) -> EngineError:
    """The error for an argument that requires a gradient, of which a function has none."""
    return EngineError(
        f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot have "
        "requires_grad True."
    )
