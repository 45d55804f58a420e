"""A recorded op, evaluated again: its forward, from arrays to arrays, with other numbers for its tensors.

The dtype of the arrays decides what is computed: the numbers as they were, more precise ones, or, of complex arrays,
a number and in its imaginary part a directional derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...errors import raised_by_program
from .. import dtypes
from ..calls.elementwise import in_dtype
from ..copyslices import CopySlices, strided_copy
from ..function import Function, FunctionNode
from ..graph import LEAF
from ..guard.outside import guarded
from ..layout import like_operands
from ..modes import mode
from ..random.generator import default
from ..registry import Op
from ..tensor import Array, Tensor, result
from .entry import Entry, Operand, entry_of
from .tape import Tape, recording


def why_not(node: Any) -> str | None:
    """Why a node's op cannot be evaluated again; None when it can."""
    entry = entry_of(node)
    if entry is None:
        return "it was recorded while nothing was written down"
    if entry.op is None and not isinstance(node, (CopySlices, FunctionNode)):
        return "it stands for an error"
    if any(type(a.value) is Operand and a.value.array is None for a in entry.operands):
        return "its arguments were written to since, and were too large to keep"
    if isinstance(node, FunctionNode) and _reads_beside(node, entry):
        return "it reads a tensor that it is given also where it is not given it, as the parameter of a module"
    return None


class _Beside(Tape):
    """A tape that notes whether an op is given one of some tensors."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        super().__init__()
        self.tensors = tensors
        self.found = False

    def unrecorded(self, t: Tensor, args: Sequence[Any], op: Any = None) -> None:
        """Look at what an op is given."""
        self.found = self.found or any(x is known for x in args for known in self.tensors)


# By class of Function.
_beside: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def _reads_beside(node: FunctionNode, entry: Entry) -> bool:
    """Tell whether a forward reads a leaf that is its argument by another road: such a one follows no other numbers."""
    known = _beside.get(node.function)
    if known is not None:
        return known
    given = [a.value for a in entry.operands if type(a.value) is Operand]
    leaves = [x for a in given if a.edge is not None and a.edge.kind == LEAF and (x := a.source()) is not None]
    watch = _Beside(leaves)
    if leaves:
        try:
            with recording(watch):
                again(node, [a.value.array if type(a.value) is Operand else a.value for a in entry.operands])
        except raised_by_program():
            # Who calls it next meets the same.
            return False
    _beside[node.function] = watch.found
    return watch.found


def again(node: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The arrays that a node's op makes of other ``operands``: arrays, and numbers where it was given those.

    They stand in the order of ``entry_of(node).operands``; a constant among them is given as any other.
    """
    entry = entry_of(node)
    assert entry is not None
    if isinstance(node, CopySlices):
        return (_written(node, entry, operands),)
    args = list(_filled(entry, iter(operands)))
    if entry.op is None:
        return applied(node, args)
    made = evaluated(entry.op, args)
    if entry.cast is None:
        return made
    return tuple([x if x.dtype.kind == "c" else x.astype(entry.cast) for x in made])


def _filled(entry: Entry, operands: Iterator[Any]) -> Iterator[Any]:
    """The arguments by place, each operand with what is given for it."""
    arguments = iter(entry.arguments)
    for name, value in zip(entry.names, entry.args, strict=False):
        if entry.is_list(name):
            yield [next(operands) if next(arguments).is_operand else x for x in value]
        else:
            yield next(operands) if next(arguments).is_operand else plain(value)


def plain(value: Any) -> Any:
    """Plain data as it was given: with the arrays that are in it."""
    if type(value) is Operand:
        return value.array
    if type(value) is list or type(value) is tuple:
        return type(value)([plain(x) for x in value])
    return value


def evaluated(op: Op, args: list[Any]) -> tuple[Any, ...]:
    """The forward of an op, its operands in the dtype that a call of the op would bring them to."""
    at = operand_places(op)
    if at:
        given = [args[i] for i in at if args[i] is not None]
        if len({getattr(x, "dtype", None) for x in given}) > 1 or op.floating:
            d = dtypes.promote(*given)
            if op.floating and d.kind not in "fc":
                d = dtypes.default.float
            for i in at:
                if args[i] is not None:
                    args[i] = in_dtype(args[i], d)
    elif op.floating and args[0].dtype.kind not in "fc":
        args[0] = args[0].astype(dtypes.default.float)
    if op.view:
        args[0] = np.asarray(args[0])
        if op.form == "shaped":
            # The strides, if any are given, are in bytes of the dtype that was recorded.
            return (args[0].reshape(args[1]),)
    made = op.forward(*args)
    if at and made.ndim > 1:
        arrays = [args[i] for i in at if isinstance(args[i], np.ndarray)]
        if not all(a.flags.c_contiguous for a in arrays):
            made = like_operands(made, *arrays)
    return tuple(made) if isinstance(made, (tuple, list)) else (made,)


def operand_places(op: Op) -> list[int]:
    """The places of the operands of an op that brings them to one shape and dtype."""
    if op.kind != "elementwise":
        return []
    return [i for i, name in enumerate(op.parameters) if name in op.rules] or [0, 1][: len(op.parameters)]


def _written(node: CopySlices, entry: Entry, operands: Sequence[Any]) -> Array:
    """A base after a write to one of its views."""
    base, *others = operands
    assert entry.inner is not None
    kind = np.result_type(*[x.dtype for x in operands if isinstance(x, (np.ndarray, np.generic))])
    # A complex reading is one of the whole base.
    whole = strided_copy(base.astype(kind) if kind.kind == "c" else base, node.base_strides)
    part = node.part_of(whole)
    rest = iter(others)
    given = [next(rest) if type(a.value) is Operand else a.value for a in entry.inner.operands[1:]]
    args = list(_filled(entry.inner, iter([np.array(part), *given])))
    node.put(whole, evaluated(entry.inner.op, args)[0])
    return whole


def applied(node: FunctionNode, args: list[Any]) -> tuple[Any, ...]:
    """The outputs of a custom function's forward."""
    cls = node.function
    given = [_wrapped(x) for x in args]
    before = mode.grad, mode.readings
    mode.grad, mode.readings = False, not is_of_complex(node)
    try:
        with drawing_as(node):
            forward, separate = guarded(cls.forward), cls.setup_context is not Function.setup_context
            out = forward(*given) if separate else forward(type(node)(node.needs_input_grad), *given)
    finally:
        mode.grad, mode.readings = before
    outs = out if isinstance(out, tuple) else (out,)
    return tuple([t._a if isinstance(t, Tensor) else None for t in outs])


def is_of_complex(node: Any) -> bool:
    """Tell whether a node was given complex tensors, or made some: then such are no readings of real ones."""
    entry = entry_of(node)
    if entry is None:
        return False
    if getattr(node, "hides_complex", False):
        return True
    given = [a.value.array for a in entry.operands if type(a.value) is Operand]
    return any(np.iscomplexobj(a) for a in (*given, *entry.outputs) if a is not None)


@contextmanager
def drawing_as(node: FunctionNode) -> Iterator[None]:
    """Let a custom function draw the random numbers that it drew: they are part of what it computed."""
    entry = entry_of(node)
    begun = None if entry is None else entry.random
    drawn = None if begun is None else default.here()
    try:
        if begun is not None:
            default.go(begun)
        yield
    finally:
        if drawn is not None:
            default.go(drawn)


def _wrapped(x: Any) -> Any:
    """An argument as a custom function is given it: arrays as tensors, also those in a list."""
    if isinstance(x, (np.ndarray, np.generic)):
        return result(np.array(x))
    if type(x) is list or type(x) is tuple:
        return type(x)([_wrapped(y) for y in x])
    return x
