"""Calling ops whose result shares the memory of their argument: the short way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..call_errors import not_a_tensor, translated
from ..declaration import camel, fact
from ..dtypes import F32, F64
from ..graph import InputMetadata, MultiNode, Output, recorded
from ..modes import inferring, mode, recording, unrecorded
from ..numeric.bfloat16 import Brain, viewed as in_memory
from ..tensor import INFERENCE, Array, Tensor, View, _new
from .binding import binder, written

if TYPE_CHECKING:
    from ..registry import Op

Kept = Callable[[Array, tuple[Any, ...]], tuple[Any, ...]]


def viewed(op: Op) -> Any:
    """Call an op with one tensor and plain arguments, whose one result is a view of that tensor."""
    forward = op.forward
    names = op.parameters
    count = len(names) - 1
    fill = binder(op, rest=True)
    kept = keeper(op)
    for_real = op.twin_of is None
    node_type: Any = None

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, (input, *args), kwargs)
            args = fill(args, kwargs)
        if not isinstance(input, Tensor):
            if isinstance(input, (np.ndarray, np.generic)):
                return in_memory(forward, input, *args) if type(input) is Brain else forward(input, *args)
            raise not_a_tensor(op.name, names[0], 1, input)
        a = input._a
        d = a.dtype
        if d is not F32 and d is not F64 and d.kind == "c" and for_real:
            return op.on_complex(input, *args)
        if not isinstance(a, np.ndarray):
            a = input._memory()
        try:
            r = in_memory(forward, a, *args) if type(a) is Brain else forward(a, *args)
        except ValueError as error:
            raise translated(error, (a,)) from error
        v = _new(View)
        v._a = r
        base = input._base
        if base is None:
            base = input
        v._base = base
        n = input._node
        vc = base._vc
        if vc is not None:
            v._made = vc.n
        if input._inference:
            v._inference = True
        if isinstance(input, View):
            if recording():
                _inherit(v, input, op)
            if input._way is not None:
                input._leads_to(v, r, op, args)
        if not recording():
            v._without_grad = INFERENCE if inferring() else True
            if mode.aside:
                unrecorded(op, (input, *args), v)
            return v
        if n is None:
            if mode.aside:
                unrecorded(op, (input, *args), v)
            return v
        if node_type is None:
            node_type = op.node_type()
        node = recorded(node_type, (n,), kept(a, args), r.shape, r.dtype)
        v._own = node
        if mode.tape is not None:
            mode.tape.record(node, op, (input, *args), (r,))
        return v

    return call


def _inherit(v: View, of: View, op: Op) -> None:
    """A view of a view that may not be written to may not be written to either."""
    if of._siblings is not None:
        v._siblings = camel(op.name)
    elif of._function is not None:
        v._function = camel(op.name)
    elif of._without_grad or of._of_no_grad is not None:
        v._of_no_grad = camel(op.name)
        v._of_inference = of._of_inference or of._without_grad == INFERENCE


def keeper(op: Op) -> Kept:
    """A function that collects the facts a node keeps about the argument's array, and its plain arguments."""
    plain = op.parameters[1:]
    n = len(op.attrs)
    if op.attrs == plain:
        return lambda a, args: args
    if op.attrs == plain[:n]:
        return lambda a, args: args[:n]
    if op.attrs == ("self_sym_sizes",):
        return lambda a, args: (a.shape,)
    if op.attrs == ("self_sym_sizes", *plain[: n - 1]):
        return lambda a, args: (a.shape, *args[: n - 1])
    if op.attrs == ("self_sym_sizes", "self_sym_numel"):
        return lambda a, args: (a.shape, a.size)
    sources = [(plain.index(n), None) if n in plain else (0, fact(n)[1]) for n in op.attrs]
    return lambda a, args: tuple([args[i] if read is None else read(a) for i, read in sources])


class SiblingsNode(MultiNode):
    """The node of an op with as many outputs as its input has parts."""

    __slots__ = ()

    outputs = property(lambda self: len(self.shape))

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        return tuple([InputMetadata(s, d) for s, d in zip(self.shape, self.dtype, strict=True)])


def siblings(op: Op) -> Any:
    """Call an op that takes one tensor apart, into several views of it or tensors of their own."""
    forward = op.forward
    kind: Any = View if op.view else Tensor
    names = op.parameters
    count = len(names) - 1
    fill = binder(op, rest=True)
    kept = keeper(op)
    for_real = op.twin_of is None
    word = camel(op.name)
    node_type: Any = None

    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal node_type
        if kwargs or len(args) != count:
            if "out" in kwargs:
                return written(call, (input, *args), kwargs)
            args = fill(args, kwargs)
        if not isinstance(input, Tensor):
            if isinstance(input, (np.ndarray, np.generic)):
                return in_memory(forward, input, *args) if type(input) is Brain else forward(input, *args)
            raise not_a_tensor(op.name, names[0], 1, input)
        a = input._a
        d = a.dtype
        if d is not F32 and d is not F64 and d.kind == "c" and for_real:
            return op.on_complex(input, *args)
        if not isinstance(a, np.ndarray):
            a = input._memory()
        parts = in_memory(forward, a, *args) if type(a) is Brain else forward(a, *args)
        base = input._base
        if base is None:
            base = input
        n = input._node
        vc = base._vc
        made = 0 if vc is None else vc.n
        node = None
        if n is not None and recording():
            if node_type is None:
                node_type = op.node_type()
            node = recorded(node_type, (n,), kept(a, args), [r.shape for r in parts], [a.dtype] * len(parts))
            if mode.tape is not None:
                mode.tape.record(node, op, (input, *args), parts)
        views = []
        for nr, r in enumerate(parts):
            v = _new(kind)
            v._a = r
            if kind is Tensor:
                v._vc = None
                if node is not None:
                    v._node = Output(node, nr, r)
                views.append(v)
                continue
            v._base = base
            v._made = made
            if not recording():
                v._without_grad = INFERENCE if inferring() else True
            else:
                v._siblings = word
                if node is not None:
                    v._own = Output(node, nr, r)
            if input._inference:
                v._inference = True
            views.append(v)
        if isinstance(input, View) and input._way is not None and kind is View:
            input._leads_to_several(views, parts, op, args)
        if node is None and mode.aside:
            unrecorded(op, (input, *args), *views)
        return tuple(views)

    return call
