"""Calling ops with several tensor arguments, none of them lists and no result a view: the short way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import EngineError
from .. import dtypes
from ..call_errors import not_a_tensor, translated
from ..declaration import fact
from ..graph import Output, next_sequence_number
from ..modes import aside, mode
from ..tensor import Tensor, _new
from .binding import binder

if TYPE_CHECKING:
    from ..registry import Op


def is_several(op: Op) -> bool:
    """Whether an op takes tensors one by one and returns none of them as a view."""
    return op.kind == "primitive" and not op.lists and not op.view and not op.floating


def several(op: Op) -> Any:
    """Call such an op. An output may be None: PyTorch's undefined tensor, for a gradient nobody asked for."""
    forward = op.forward
    names = op.parameters
    count = len(names)
    bind = binder(op)
    tensors = [i for i, n in enumerate(names) if n in op.tensors]
    differentiable = [i for i, n in enumerate(names) if n in op.operands]
    fixed = [i for i in tensors if i not in differentiable]
    lead = tensors[0]
    outputs = (*op.outputs, *op.aside)
    multi = len(outputs) > 1
    nodes_outputs = len(op.outputs)
    one_node = nodes_outputs == 1
    # What to keep: (number of an argument, or -1 - that of an output; the one argument it is kept for, or -1).
    keep = []
    for n in op.saves:
        by = op.wanted_by[n]
        if n in names:
            # As PyTorch: an input that one rule asks for is kept for that rule's argument only; an optional one,
            # one of a backward or one of a joint rule always.
            always = len(by) != 1 or n in op.optional or op.joint is not None
            keep.append((names.index(n), -1 if always else names.index(by[0])))
        else:
            keep.append((-1 - outputs.index(n), -1))
    attrs = [(names.index(n), None) if n in names else (names.index(fact(n)[0]), fact(n)[1]) for n in op.attrs]
    plain = all(read is None for _, read in attrs)
    attr_at = [i for i, _ in attrs]
    keeps_inputs = all(i >= 0 and only < 0 for i, only in keep)
    kept_at = [i for i, _ in keep]
    node_type: Any = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            args = bind(args, kwargs)
        if isinstance(args[lead], (np.ndarray, np.generic)):
            # Arrays flow: then all of them are arrays.
            return forward(*args)
        raw = list(args)
        recorded = needs = False
        edges: list[Any] = []
        for i in differentiable:
            v = raw[i]
            if isinstance(v, Tensor):
                recorded = True
                raw[i] = v._a
                e = v._node
                edges.append(e)
                if e is not None:
                    needs = True
            else:
                edges.append(None)
        for i in fixed:
            v = raw[i]
            if isinstance(v, Tensor):
                recorded = True
                raw[i] = v._a
                if v._node is not None and mode.grad:
                    raise _not_differentiable(op.name, names[i])
        if not recorded:
            raise not_a_tensor(op.name, names[0], 1, args[0])
        try:
            r = forward(*raw)
        except ValueError as error:
            raise translated(error, raw) from error
        a = r[0] if multi else r
        node = None
        if needs and mode.grad and (not one_node or a.dtype.kind in "fc"):
            if node_type is None:
                node_type = op.node_type()
            node = node_type()
            node.edges = tuple(edges)
            node.extra = None
            if not keep:
                node.saved = ()
            elif keeps_inputs:
                node.saved = tuple([args[i] for i in kept_at])
                for k, i in enumerate(kept_at):
                    v = args[i]
                    if isinstance(v, Tensor) and v._vc is not None:
                        node.extras().versions[k] = v._vc.n
            else:
                node.saved = tuple(_kept(node, keep, args, r, multi))
            if plain:
                node.attrs = tuple([args[i] for i in attr_at])
            else:
                node.attrs = tuple([args[i] if read is None else read(raw[i]) for i, read in attrs])
            if one_node:
                node.shape = a.shape
                node.dtype = a.dtype
            else:
                # An undefined output counts as a number.
                node.shape = tuple([() if x is None else x.shape for x in r])
                node.dtype = tuple([dtypes.default.float if x is None else x.dtype for x in r])
            node.seq = next_sequence_number()
            if mode.tape is not None:
                mode.tape.record(node, op, args, r if multi else (r,))
        if not multi:
            t = _new(Tensor)
            t._a = r
            if node is not None:
                t._node = node
            elif mode.aside:
                aside(t, *args)
            return t
        made: list[Any] = []
        for k, x in enumerate(r):
            if x is None:
                made.append(None)
                continue
            t = _new(Tensor)
            t._a = x
            if node is not None:
                if k < nodes_outputs and outputs[k] is not None and x.dtype.kind in "fc":
                    t._node = node if one_node else Output(node, k, x)
            elif mode.aside:
                aside(t, *args)
            made.append(t)
        return tuple(made)

    return call


def _kept(node: Any, keep: list[tuple[int, int]], args: Any, r: Any, multi: bool) -> list[Any]:
    """What a node keeps, where that is not simply some of its arguments."""
    saved: list[Any] = []
    for k, (i, only) in enumerate(keep):
        if i < 0:
            saved.append(r[-1 - i] if multi else r)
            continue
        v = args[i]
        if only >= 0 and getattr(args[only], "_node", None) is None:
            v = None
        elif isinstance(v, Tensor) and v._vc is not None:
            node.extras().versions[k] = v._vc.n
        saved.append(v)
    return saved


def _not_differentiable(name: str, argument: str) -> EngineError:
    return EngineError(
        f"The function '{name}' is not differentiable with respect to argument '{argument}'. This input cannot have "
        "requires_grad True."
    )
