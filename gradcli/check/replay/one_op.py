"""One recorded op, evaluated again: at one point, or at many points at once.

At many points, the arrays that differ have the points as their first axis. An op is then called once, in a form that
leaves that axis alone: axes counted from the end, sizes with one more in front, the points as further rows. Which form
suits which op is said in `forms`; what has none, and whatever is unusual, is computed point by point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.function import FunctionNode
from ...engine.many_points import Form, form_of
from ...engine.many_points.generic import OPERANDS
from ...engine.memory.layout import like_operands
from ...engine.numeric.halves import converted
from ...engine.registry import Op
from ...engine.tape.entry import Entry
from ...engine.tape.replay import applied, evaluated, is_of_complex, operand_places, plain
from ...engine.writes.copyslices import CopySlices, region, strided_copy
from ...errors import NoAnswer, raised_by_program
from .. import budget
from .assumptions import Assumed, assumed
from .recorded_graph import close

if TYPE_CHECKING:
    from .custom_function.recorded_forward import RecordedForward

Array = Any
Run = Callable[[list[Any]], Sequence[Any]]
# Where each argument is among those taken apart: from, to (-1 of what is no list of tensors); None where none is.
Spans = list[tuple[int, int]] | None
# What may be done to every number that is rounded: the call, the number, and whether it is an operand of the call
# (else: its output).
Change = Callable[["Call", Any, bool], Any]
_COMPLEX = "c"
_NUMBERS = frozenset("fc")
# What is chosen by; and forms, none of all for what is elementwise, that take such from each point.
_CHOOSING, _ALIGNED = frozenset("biu"), frozenset((None, "aligned", "filled", "masked"))
# So far beside the real axis, of their size, numbers are as good as real ones; and so nearly results are the same.
_BESIDE, _ALIKE = 1e-15, 1e-6


class Incomparable(NoAnswer):
    """A custom function makes something of another kind here: there is nothing to compare it with."""


class Unreplayable(NoAnswer):
    """A graph that cannot be evaluated again: at which node, and why."""

    def __init__(self, node: Any, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class Call:
    """One node's op, evaluated again: its arguments, which of them are values of the plan, and where they are."""

    __slots__ = (
        "args", "done", "first", "form", "inside", "mask", "node", "op", "outs", "places", "rounds", "run", "shapes",
        "spans",
    )  # fmt: skip

    # Which arguments are values, and in which slots; the slot of the first output; a bit for each leaf it depends on.
    places: list[tuple[int, int]]
    first: int
    # The slots of values that no later call is given.
    done: list[int]
    mask: int

    def __init__(
        self, node: Any, op: Any, args: list[Any], spans: Spans, run: Run, form: Form | None, outs: Sequence[Any]
    ) -> None:
        self.node = node
        self.op = op
        # Lists of tensors among them are taken apart.
        self.args = args
        self.spans = spans
        self.run = run
        self.form = form
        self.outs = outs
        # Of a custom function the graph of the ops inside.
        self.inside: RecordedForward | None = None
        self.shapes = [None if x is None else np.shape(getattr(x, "array", x)) for x in outs]
        # Whether rounding may be put into its operands, and into its outputs.
        self.rounds = _rounds(op)

    def __call__(self, values: list[Any]) -> Sequence[Any]:
        """The outputs, from the values of a plan."""
        args = self.args.copy()
        for i, slot in self.places:
            args[i] = values[slot]
        return self.run(args)

    def given(self, values: list[Any]) -> Call:
        """The call as it would be recorded with these values."""
        found = copy(self)
        found.args = self.args.copy()
        for i, slot in self.places:
            found.args[i] = values[slot]
        return found

    def at_once(self, values: list[Any], flags: list[bool], count: int, change: Change | None = None) -> Sequence[Any]:
        """The outputs at all points; ``flags`` says which values have an axis of points."""
        args, given = self._given(values, flags)
        if self.inside is not None:
            # What may be done to every number is done to those inside.
            inner = self.inside.at_once(args, given, count, change, self.run)
            if inner is not None and self._fits(inner, count):
                return inner
        before, after = (False, False) if change is None else self.rounds
        if before and change is not None:
            moved = [g and _kind(x) in _NUMBERS for x, g in zip(args, given, strict=True)]
            args = [change(self, x, True) if m else x for x, m in zip(args, moved, strict=True)]
        made = None
        if self.form is not None:
            # A form may write to the lists.
            made = self._in_form(self.form, args.copy() if before else args, given, count)
            if made is None:
                unchanged, given = self._given(values, flags)
                args = args if before else unchanged
        if made is None:
            made = one_by_one(self.run, args, given, count)
            if not self._fits(made, count):
                raise Incomparable("something of another shape is made here")
        if not after or change is None:
            return made
        return [change(self, x, False) if _kind(x) in _NUMBERS else x for x in made]

    def _given(self, values: list[Any], flags: list[bool]) -> tuple[list[Any], list[bool]]:
        """The arguments, and which of them have an axis of points."""
        args = self.args.copy()
        given = [False] * len(args)
        for i, slot in self.places:
            args[i] = values[slot]
            given[i] = flags[slot]
        return args, given

    def find_way(self) -> None:
        """Take no form where what an op chooses by differs between points, unless that is aligned with the rest."""
        op = self.op
        if op is None or op.form in _ALIGNED:
            return
        # What is folded is so with the places that it goes to.
        along = OPERANDS if op.form == "folded" else frozenset()
        chosen = [i for i, _ in self.places if i and _kind(self.args[i]) in _CHOOSING]
        if any(op.parameters[i] not in along for i in chosen):
            self.form = None

    def _in_form(self, form: Form, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        try:
            made: Sequence[Any] | None = form(self.op, args, given, count)
            return made if made is not None and self._fits(made, count) else None
        except raised_by_program(TypeError, ValueError, IndexError):
            # Point by point, the same error comes again if the arguments are to blame, and not the form, for which
            # these may be of shapes that it does not foresee.
            return None

    def _fits(self, made: Sequence[Any], count: int) -> bool:
        """True of outputs with the shapes of those that were recorded."""
        if len(made) == 1:
            # As of most ops.
            x, shape = made[0], self.shapes[0]
            return x is None or shape is None or bool(x.shape == (count, *shape))
        for x, shape in zip(made, self.shapes, strict=False):
            if x is not None and shape is not None and x.shape != (count, *shape):
                return False
        return True


def call_of(node: Any, entry: Entry) -> Call:
    """The call by which a node's op is evaluated again; the places of its operands are still to be found."""
    op = entry.op
    if isinstance(node, CopySlices):
        return _write(node, entry)
    args, spans = _taken_apart(op, entry.args)
    if op is None:
        from .assumed_inside import assumed_by

        run = _function(node)
        for found in assumed_by(node):
            run, _ = _assuming(run, None, found)
        return Call(node, None, args, None, run, None, entry.outs)
    run, form = _ways(op, args, spans)
    taken = assumed(op, args)
    if taken is not None and taken.holds:
        run, form = _assuming(run, form, taken)
    if entry.cast is not None:
        run, form = _cast(run, entry.cast), None
    if op.reads_storage:
        form = _by_strides(args[0].array)
        if form is not None and (op.view or "src" in op.parameters):
            run = _laid_out(op, form)
    return Call(node, op, args, spans, run, form, entry.outs)


def difference_of(own: Array, recorded: Array, held: Any) -> Call:
    """A use of a value that was written to: its own number, moved as far as the value is from what was recorded."""

    def run(args: list[Any]) -> Sequence[Any]:
        value, own, recorded = args
        return (own - (recorded - value),)

    return Call(None, None, [None, own, recorded], None, run, lambda op, args, given, count: run(args), (held,))


def one_by_one(run: Run, args: list[Any], given: list[bool], count: int) -> Sequence[Any]:
    """The outputs at all points, computed point by point."""
    points = []
    for i in range(count):
        # Of an op that takes long, many points do.
        budget.go_on(budget.LATE)
        points.append(run([x[i] if g else x for x, g in zip(args, given, strict=True)]))
    outputs = list(zip(*points, strict=True))
    if any(np.shape(x) != np.shape(several[0]) for several in outputs for x in several):
        raise Incomparable("something of another shape is made at each point")
    return [None if several[0] is None else np.stack(several) for several in outputs]


# -- runs: from arguments to outputs ---------------------------------------------------------------


def _elementwise(op: Op, args: list[Any]) -> Run:
    """The forward of an op of operands that are brought to one shape and dtype."""
    places = [i for i in operand_places(op) if args[i] is not None]
    numbers = [i for i in places if type(args[i]) is int or type(args[i]) is float]
    arrays = [i for i in places if i not in numbers]
    others = arrays[1:]
    forward = op.forward

    def run(args: list[Any]) -> Sequence[Any]:
        first = args[arrays[0]]
        d = first.dtype
        if d.kind not in "fc":
            return evaluated(op, args)
        for i in others:
            if getattr(args[i], "dtype", None) is not d:
                return evaluated(op, args)
        for i in numbers:
            args[i] = d.type(args[i])
        made = forward(*args)
        if made.ndim > 1:
            operands = [args[i] for i in arrays if isinstance(args[i], np.ndarray)]
            if not all(a.flags.c_contiguous for a in operands):
                made = like_operands(made, *operands)
        return (made,)

    return run if arrays else lambda args: evaluated(op, args)


def _ways(op: Op, args: list[Any], spans: Spans) -> tuple[Run, Form | None]:
    """The ways to evaluate an op at one point, and at many."""
    if op.kind == "elementwise":
        return _elementwise(op, args), form_of(op)
    run: Run = (lambda args: evaluated(op, args)) if spans is None else lambda args: evaluated(op, nested(args, spans))
    return run, form_of(op)


def nested(args: list[Any], spans: Spans) -> list[Any]:
    """The arguments, with lists of tensors as lists again."""
    return args if spans is None else [args[a] if b < 0 else args[a:b] for a, b in spans]


def _assuming(run: Run, form: Form | None, found: Assumed) -> tuple[Run, Form | None]:
    """With an argument that stays what the op takes it to be."""

    def many(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        assert form is not None
        return form(op, found.kept(args), given, count)

    return lambda args: run(found.kept(args)), None if form is None else many


def _cast(run: Run, dtype: Any) -> Run:
    """With results in the dtype of the memory that is written to; a complex reading is not."""
    return lambda args: [x if x.dtype.kind == _COMPLEX else converted(x, dtype) for x in run(args)]


def _function(node: FunctionNode) -> Run:
    """The forward of a custom function; one that drops the imaginary part cannot be read with complex numbers."""
    shapes, kinds = (node.shape, node.dtype) if node.outputs > 1 else ((node.shape,), (node.dtype,))
    of_complex = is_of_complex(node)
    # Whether it does with complex numbers what it does with real ones, where that was looked at.
    does_the_same: bool | None = None

    def run(args: list[Any]) -> Sequence[Any]:
        nonlocal does_the_same
        is_reading = not of_complex and any(_kind(x) == _COMPLEX for x in args)
        if node.hides_complex and any(_kind(x) == _COMPLEX for x in args):
            raise Incomparable(f"{node.name()} computes with complex numbers itself")
        made = applied(node, args)
        if is_reading and does_the_same is None and all(map(_is_beside_the_axis, args)):
            pairs = zip(made, applied(node, [_real(x) for x in args]), strict=True)
            does_the_same = all(x is None or y is None or close(x.real, y, _ALIKE) for x, y in pairs)
        if is_reading and does_the_same is False:
            raise Incomparable(f"{node.name()} does something else with complex numbers")
        for x, shape, kind in zip(made, shapes, kinds, strict=False):
            if x is None and kind is not None:
                raise Incomparable(f"{node.name()} makes no tensor here")
            if x is not None and x.shape != shape:
                raise Incomparable(f"{node.name()} makes something of another shape here")
        if is_reading and any(_kind(x) == "f" for x in made):
            raise Incomparable(f"{node.name()} makes real numbers of complex ones")
        return made

    return run


def _real(x: Any) -> Any:
    return np.array(x.real) if _kind(x) == _COMPLEX else x


def _is_beside_the_axis(x: Any) -> bool:
    """Tell whether the imaginary parts of an argument are too small to change its real ones."""
    if _kind(x) != _COMPLEX:
        return True
    return bool(np.max(np.abs(x.imag), initial=0.0) <= _BESIDE * np.max(np.abs(x.real), initial=0.0))


def _rounds(op: Op | None) -> tuple[bool, bool]:
    if op is not None and (op.view or op.rounding == "exact"):
        return False, False
    return op is None or op.rounding not in ("once", "sum"), True


def _kind(x: Any) -> str:
    return x.dtype.kind if isinstance(x, (np.ndarray, np.generic)) else ""


def _taken_apart(op: Op | None, args: Sequence[Any]) -> tuple[list[Any], Spans]:
    """All arguments in one list, and where each is."""
    if op is None or not op.lists:
        return [_plain(x) for x in args], None
    flat: list[Any] = []
    spans = []
    for name, x in zip(op.parameters, args, strict=False):
        if name in op.lists:
            spans.append((len(flat), len(flat) + len(x)))
            flat += x
        else:
            spans.append((len(flat), -1))
            flat.append(_plain(x))
    return flat, spans


def _plain(x: Any) -> Any:
    """An argument that is no operand, with the arrays that are in it."""
    return plain(x) if type(x) is list or type(x) is tuple else x


def _by_strides(recorded: Array) -> Form | None:
    """The form that reads or writes operands by strides as the recorded one lay; None where it read beyond."""
    from ...engine.ops.shape.strides import storage

    if recorded is None or storage(recorded).nbytes != recorded.nbytes:
        return None
    size = recorded.itemsize
    steps = tuple([s // size for s in recorded.strides])

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        x, *written, shape, strides, offset = args
        # Where something is written, either may be the same at all points, or a complex reading.
        stacked = x if given[0] else np.broadcast_to(x, (count, *recorded.shape))
        kind = np.result_type(x, *written) if any(_kind(w) == _COMPLEX for w in written) else x.dtype
        whole = strided_copy(stacked.astype(kind, copy=False), (recorded.size, *steps))
        part = region(whole, (count, *shape), (recorded.size, *strides), offset or 0)
        for w in written:
            part[...] = w
        return (whole if written else part,)

    return form


def _laid_out(op: Op, form: Form) -> Run:
    """A run of what reads operands by strides, one point at a time."""

    def run(args: list[Any]) -> Sequence[Any]:
        made = form(op, [np.asarray(args[0])[None], *args[1:]], [True], 1)
        assert made is not None
        return (made[0][0],)

    return run


# -- writes through views --------------------------------------------------------------------------


def _write(node: CopySlices, entry: Entry) -> Call:
    """A base after a write to one of its views; the first argument is the base."""
    inner = entry.inner
    assert inner is not None
    args, spans = _taken_apart(inner.op, (entry.args[0], *inner.args[1:]))
    # A custom function that marked a view as dirty runs anew, too.
    write, form = (_function(node.written()), None) if inner.op is None else _ways(inner.op, args, spans)

    def written_at(args: list[Any]) -> Sequence[Any]:
        whole = strided_copy(args[0], node.base_strides)
        node.put(whole, write([np.array(node.part_of(whole)), *args[1:]])[0])
        return (whole,)

    if node.way is not None:
        return Call(node, None, args, spans, written_at, None, entry.outs)

    def written(args: list[Any], given: list[bool], count: int | None) -> Sequence[Any]:
        dtypes = [x.dtype for x in args if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == _COMPLEX]
        base = args[0].astype(np.result_type(args[0].dtype, *dtypes)) if dtypes else args[0]
        lead: tuple[int, ...] = () if count is None else (count,)
        base = np.broadcast_to(base, lead + base.shape[given[0] :])
        span = 1 + sum((n - 1) * s for n, s in zip(base.shape[len(lead) :], node.base_strides, strict=True))
        steps = (span,) * len(lead)
        whole = strided_copy(base, steps + tuple(node.base_strides))
        part = region(whole, lead + tuple(node.view_shape), steps + tuple(node.view_strides), node.offset)
        if count is None:
            part[...] = write([np.array(part), *args[1:]])[0]
            return (whole,)
        given = [True, *given[1:]]
        args = [np.array(part), *args[1:]]
        made = None if form is None else form(inner.op, args.copy(), given, count)
        part[...] = (one_by_one(write, args, given, count) if made is None else made)[0]
        return (whole,)

    none = [False] * len(args)
    return Call(
        node, None, args, spans, lambda args: written(args, none, None),
        lambda op, args, given, count: written(args, given, count), entry.outs,
    )  # fmt: skip
