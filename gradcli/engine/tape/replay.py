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
from ..function import Function, FunctionNode
from ..graph import LEAF
from ..guard.outside import guarded
from ..memory.layout import like_operands
from ..modes import mode
from ..random.generator import default
from ..registry import Op
from ..tensor import Array, Tensor, result
from ..writes.copyslices import CopySlices, strided_copy
from .entry import Entry, Operand, entry_of
from .tape import Tape, recording, tensors_in


def why_not(node: Any) -> str | None:
    """Why a node's op cannot be evaluated again; None when it can."""
    entry = entry_of(node)
    if entry is None:
        return "it was recorded while nothing was written down"
    if entry.op is None and not isinstance(node, (CopySlices, FunctionNode)):
        return "it stands for an error"
    if any(type(a.value) is Operand and a.value.array is None for a in entry.operands):
        return "its arguments were written to since, and were too large to keep"
    if isinstance(node, FunctionNode) and read_beside(node):
        return "it reads a tensor that it is given also where it is not given it, as the parameter of a module"
    return None


class _Leaves(Tape):
    """A tape that notes the leaves among what ops are given."""

    def __init__(self) -> None:
        super().__init__()
        self.leaves: dict[Any, Tensor] = {}

    def given(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Look at what an op is given that is recorded."""
        self._look(args)
        return super().given(args)

    def unrecorded(self, t: Tensor, args: Sequence[Any], op: Any = None) -> None:
        """Look at what any other op is given."""
        self._look(args)

    def _look(self, args: Sequence[Any]) -> None:
        for x in tensors_in(args):
            if x._node is not None and x._node.kind == LEAF:
                self.leaves[x._node] = x


# By class of Function, whether its forward reads leaves of any kind; by node, those that its arguments are made of.
_reads: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
_beside: WeakKeyDictionary[FunctionNode, tuple[Tensor, ...]] = WeakKeyDictionary()


def read_beside(node: FunctionNode) -> tuple[Tensor, ...]:
    """The leaves that a forward reads by another road than its arguments, which are made of them.

    Given other numbers for its arguments, such a one would still read the old ones there.
    """
    if not _reads.get(node.function, True):
        return ()
    found = _beside.get(node)
    if found is None:
        read = _leaves_read(node)
        _reads[node.function] = bool(read)
        found = _beside[node] = _made_of(node, read) if read else ()
    return found


def _leaves_read(node: FunctionNode) -> dict[Any, Tensor]:
    entry = entry_of(node)
    if entry is None or all(edge is None for edge in node.edges):
        return {}
    watch = _Leaves()
    try:
        with recording(watch):
            again(node, [a.value.array if type(a.value) is Operand else a.value for a in entry.operands])
    except raised_by_program():
        # Who calls it next meets the same.
        return {}
    return watch.leaves


def _made_of(node: FunctionNode, read: dict[Any, Tensor]) -> tuple[Tensor, ...]:
    """Those of some leaves that the arguments of a node are made of."""
    found: list[Tensor] = []
    seen: set[Any] = set()
    waiting: list[Any] = [node]
    while waiting:
        for before, _ in waiting.pop().next_functions:
            if before is not None and before not in seen:
                seen.add(before)
                waiting.append(before)
                if before in read:
                    found.append(read[before])
    return tuple(found)


@contextmanager
def holding(leaves: Sequence[Tensor], arrays: Sequence[Any]) -> Iterator[None]:
    """Let leaves hold other numbers for a while."""
    before = [x._a for x in leaves]
    for x, a in zip(leaves, arrays, strict=True):
        x._a = a
    try:
        yield
    finally:
        for x, a in zip(leaves, before, strict=True):
            x._a = a


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
    given = [as_given(x) for x in args]
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


def as_given(x: Any) -> Any:
    """An argument as a custom function is given it: arrays as tensors, also those in a list."""
    if isinstance(x, (np.ndarray, np.generic)):
        return result(np.array(x))
    if type(x) is list or type(x) is tuple:
        return type(x)([as_given(y) for y in x])
    return x
