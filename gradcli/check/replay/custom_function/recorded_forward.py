"""The forward of a custom Function as the graph of the ops inside it, which many points go through at once.

The forward is run once more with its ops recorded. Where numbers leave that graph (a number that is read, a backward
inside, random numbers) there is none: what the program would do elsewhere is only known from running it. And what the
graph gives at points nearby is compared with what the forward itself gives there. Where conditions choose among several
ways, there is a graph for each: `ways`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from ....engine.function import Function, FunctionNode
from ....engine.guard.outside import guarded
from ....engine.modes import mode
from ....engine.numeric.halves import converted
from ....engine.ops.make.converting import clone
from ....engine.tape.entry import entry_of, operands_in
from ....engine.tape.replay import applied, as_given, drawing_as
from ....engine.tape.tape import recording
from ....engine.tensor import Tensor, result
from ....engine.writes.copyslices import CopySlices
from ....errors import raised_by_program
from ...arrays import Array
from ..assumed_inside import assumed_by
from ..one_op import Change, Incomparable, Run
from ..only_ops import is_plain, is_pure
from ..recorded_graph import close, equal
from .following import Following, Truth, Valued
from .inside_function import Inside, inside
from .ways import Way, Ways

if TYPE_CHECKING:
    from ..plan import Plan

# Recording costs as much as so many points: fewer are computed one by one.
_WORTH = 12
# By how much of their size operands are moved to compare the graph with the forward, and how well both must agree.
_MOVES, _AGREE = (2.0**-10, 2.0**-3), 1e-11


# The graphs that were made, by when their nodes were: an op that is looked at alone has the same inside.
_made: WeakValueDictionary[int, RecordedForward] = WeakValueDictionary()
# Of all that are of one function, given arguments of the same kinds, the one that was recorded.
_alike: WeakValueDictionary[Any, RecordedForward] = WeakValueDictionary()


def recorded_forward(node: FunctionNode, args: Sequence[Any], planned: Callable[..., Plan]) -> RecordedForward:
    """The graph inside one application of a custom Function, made when it is asked for often enough."""
    found = _made.get(node.seq)
    if found is None or not found.is_of(node, args):
        found = _made[node.seq] = RecordedForward(node, args, planned)
    return found


class RecordedForward:
    """The graph inside one application of a custom Function, made when it is asked for often enough."""

    def __init__(self, node: FunctionNode, args: Sequence[Any], planned: Callable[..., Plan]) -> None:
        self._node = node
        # As they were: no list of tensors is among what has a gradient.
        self._args = list(args)
        self._ways: Ways | None = None
        self._places = [i for i, x in enumerate(args) if _is_floating(x)]
        self._planned = planned
        self._points = 0
        self._seen: Inside | None = None

    def seen(self, rng: np.random.Generator) -> Inside:
        """The Function run once more with its inner ops recorded, done once."""
        if self._seen is None:
            self._seen = inside(self._node, self._node.function, rng)
        return self._seen

    def is_of(self, node: FunctionNode, args: Sequence[Any]) -> bool:
        """Tell whether it is of the same function, given the same."""
        same = len(args) == len(self._args) and all(a is b for a, b in zip(args, self._args, strict=True))
        return same and node.function is self._node.function

    @cached_property
    def plan(self) -> Plan | None:
        """The graph between operands and outputs; None where it does not show all that the forward does."""
        entry = entry_of(self._node)
        if entry is None or not self._places:
            return None
        try:
            plan = self._like_another(entry.outputs)
            if plan is not None:
                return plan
            pure = is_pure(self._node.function)
            plan = self._as_seen(entry.outputs) if pure else None
            plan = self._recorded(entry.outputs) if plan is None else plan
            if plan is None or not ((pure and not any(map(_is_to_be_seen, plan.nodes))) or self._holds(plan)):
                return None
        except raised_by_program():
            # A forward may raise anything when it is run again.
            return None
        _alike[self._kind] = self
        return plan

    @cached_property
    def _kind(self) -> Any:
        """The kinds of arguments with which all have the same graph inside, unless their numbers choose another."""
        given = [(x.shape, x.dtype) if i in self._places else None for i, x in enumerate(self._args)]
        return self._node.function, self._node.needs_input_grad, tuple(given)

    def is_like(self, other: RecordedForward) -> bool:
        """Tell whether it is of an application that was given arguments of the same kinds."""
        pairs = zip(self._args, other._args, strict=True)
        return self._kind == other._kind and all(i in self._places or _is_same(a, b) for i, (a, b) in enumerate(pairs))

    def _like_another(self, outputs: Sequence[Any]) -> Plan | None:
        """The graph of another application with the numbers of this one, where it makes of them what this one did."""
        other = _alike.get(self._kind)
        plan = None if other is None or not self.is_like(other) else other.plan
        if plan is None:
            return None
        found = plan.elsewhere([self._args[i] for i in self._places])
        made = () if found is None else found.read(found.slots(found.at))
        same = len(made) == len(outputs) and all(map(equal, made, outputs))
        return found if same else None

    @property
    def nbytes(self) -> int:
        """The bytes that the values of one point take inside, as far as that is known."""
        plan = self.__dict__.get("plan")
        return 0 if plan is None else plan.nbytes

    def at_once(
        self, args: Sequence[Any], given: Sequence[bool], count: int, change: Change | None, run: Run
    ) -> list[Any] | None:
        """The outputs at all points; None where those are to be computed one by one, as by ``run``."""
        self._points += count
        if self._points < _WORTH and "plan" not in self.__dict__ and self._kind not in _alike:
            return None
        plan, ways = self.plan, self._ways
        moved = [given[i] for i in self._places]
        if (plan is None and ways is None) or sum(moved) != sum(given):
            return None
        args = self._kept(list(args))
        arrays = [args[i] for i in self._places]
        if self._node.hides_complex and any(np.iscomplexobj(a) for a in arrays):
            return None
        if ways is not None:
            return ways.at_once(arrays, moved, count, change, lambda arrays: run(self._with(arrays)))
        assert plan is not None
        try:
            return plan.in_parts(arrays, moved, count, change)
        except Incomparable:
            # What is chosen inside has other shapes there, which the forward itself may deal with.
            return None

    def _kept(self, there: list[Any]) -> list[Any]:
        """Arguments elsewhere, each brought back to what the Function takes it to be."""
        for found in assumed_by(self._node):
            there = found.kept(there)
        return there

    def _as_seen(self, outputs: Sequence[Any]) -> Plan | None:
        """The same of a Function that was seen to choose nothing by its numbers, all of which are recorded."""
        seen = self._seen
        given = [self._args[i] for i in self._places]
        if seen is None or seen.watch.varies or len(seen.leaves) != len(given):
            return None
        if not all(equal(leaf._a, a) for leaf, a in zip(seen.leaves, given, strict=True)):
            return None
        return self._between(seen.outs, outputs, seen.leaves)

    def _between(
        self, outs: Sequence[Any], outputs: Sequence[Any], leaves: Sequence[Tensor], truths: Sequence[Truth] = ()
    ) -> Plan | None:
        """The graph between operands and outputs, where these are what they were, and what is to be true there."""
        if not all(isinstance(x, Tensor) and not x._cuts for x in outs) or len(outs) != len(outputs):
            return None
        # The product of a matrix with itself, or with one elsewhere in memory, has other last bits than with its copy.
        if not all(close(x._a, a, _AGREE) for x, a in zip(outs, outputs, strict=True)):
            return None
        plan = self._planned([*outs, *(truth.number for truth in truths)], list(leaves))
        return None if any(map(loses_numbers, plan.nodes)) else plan

    def _recorded(self, outputs: Sequence[Any]) -> Plan | None:
        """The graph, as it is recorded at the operands as they were, if that is the only way the forward takes."""
        way = self._way(self._args, outputs)
        if way is None or not way.truths:
            return None if way is None else way.plan
        self._ways = Ways(way, lambda arrays: self._way(self._with(arrays), None))
        return None

    def _way(self, args: Sequence[Any], outputs: Sequence[Any] | None) -> Way | None:
        """The way that the forward takes at some arguments, and makes these outputs, if they are known."""
        function = self._node.function
        watch = Following()
        before = mode.grad, mode.rule
        mode.grad, mode.rule = True, False
        try:
            with recording(watch), drawing_as(self._node), np.errstate(all="ignore"):
                leaves = {i: result(np.array(args[i])).requires_grad_() for i in self._places}
                # A forward may write to what it is given.
                given = [clone(leaves[i]) if i in leaves else as_given(x) for i, x in enumerate(args)]
                ctx = () if function.setup_context is not Function.setup_context else (self._context(),)
                out = guarded(function.forward)(*ctx, *given)
                outs = out if isinstance(out, tuple) else (out,)
        finally:
            mode.grad, mode.rule = before
        if watch.ran_backward or watch.reads_more:
            return None
        outs = tuple([watch.rooted(x) for x in outs])
        if outputs is None:
            outputs = [x._a for x in outs if isinstance(x, Tensor)]
        plan = self._between(outs, outputs, list(leaves.values()), watch.truths)
        return None if plan is None else Way(plan, [truth.outcome for truth in watch.truths])

    def _with(self, arrays: Sequence[Any]) -> list[Any]:
        """All arguments, with other operands."""
        args = list(self._args)
        for i, a in zip(self._places, arrays, strict=True):
            args[i] = a
        return args

    def _context(self) -> FunctionNode:
        return type(self._node)(self._node.needs_input_grad)

    def _holds(self, plan: Plan) -> bool:
        """True where the graph gives what the forward does, at points that are moved a little and more."""
        rng = np.random.default_rng(0)
        made, points = [], []
        for size in _MOVES:
            there = list(self._args)
            for i in self._places:
                there[i] = _moved(self._args[i], size, rng)
            there = self._kept(there)
            try:
                made.append(applied(self._node, there))
            except raised_by_program():
                # It refuses that point.
                continue
            points.append([there[i] for i in self._places])
        if not points:
            return False
        arrays = [np.stack(several) for several in zip(*points, strict=True)]
        with np.errstate(all="ignore"):
            seen = plan.batch(arrays, [True] * len(arrays), len(points))
        return all(
            a is not None and close(a, b[k], _AGREE)
            for k, outs in enumerate(made)
            for a, b in zip(outs, seen, strict=True)
        )


def _is_floating(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f"


def _is_same(a: Any, b: Any) -> bool:
    """True of arguments that are not moved and have the same numbers."""
    if type(a) is np.ndarray and type(b) is np.ndarray:
        return equal(a, b)
    return a is b or (is_plain(a) and type(a) is type(b) and repr(a) == repr(b))


def _moved(a: Any, size: float, rng: np.random.Generator) -> Array:
    """Numbers that are about so much of their size away from others; of zeros, from 1."""
    unit = np.where(a == 0, 1.0, np.abs(a))
    moved: Array = converted(np.asarray(a + size * unit * rng.uniform(-1.0, 1.0, np.shape(a))), a.dtype)
    return moved


def loses_numbers(node: Any) -> bool:
    """True of an op that was given numbers which had left the graph."""
    entry = entry_of(node)
    return entry is None or any(x.cuts for x in operands_in(entry.args))


def _is_to_be_seen(node: Any) -> bool:
    """True of an op that chooses, writes to a part, or is evaluated again as if an argument stayed what the op takes it
    to be, such as symmetric: what its graph gives is compared with the forward."""
    entry = entry_of(node)
    assumes = entry is not None and entry.op is not None and entry.op.assumes is not None
    return assumes or isinstance(node, (Valued, CopySlices))
