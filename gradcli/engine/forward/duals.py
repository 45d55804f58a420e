"""The levels of dual numbers that a program is in, and the tangents that tensors have there.

While a level is entered, a ``Duals`` stands where a tape does, and before one: so it sees each op that is called, and
nothing is asked of an op while there is no level. A tangent belongs to a tensor, and where the tensor was recorded to
its place in the graph: what a node keeps of its results has tangents, too.

Levels nest, the outermost first: what computes the tangents of one level is itself seen by those outside of it.
A level has one direction or several: the tangents of a tensor there are as many.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...errors import EngineError
from .. import ops
from ..dtypes import zeros_of
from ..graph import CUT, LEAF, OUTPUT, Output
from ..modes import inferring, mode
from ..tape.before import Before
from ..tensor import Tensor, View, constants, result, scratch
from ..writes.copyslices import strided_copy
from .pushing import is_recorded, pushed

_NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
_NO_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
)

# The tangents of one tensor at one level, one for each direction.
Tangents = tuple[Tensor, ...]


class Level:
    """One level: the tangents there of what is recorded, by node and number of the output."""

    __slots__ = ("by_hand", "depth", "directions", "nodes", "recorded")

    def __init__(self, directions: int, recorded: bool, by_hand: bool) -> None:
        self.directions = directions
        # Whether the tangents are recorded whatever the mode: somebody differentiates by them.
        self.recorded = recorded
        # Whether the program entered it itself: such a level is alone.
        self.by_hand = by_hand
        # How many transforms there are around the one whose level it is.
        self.depth = mode.transforms
        self.nodes: weakref.WeakKeyDictionary[Any, dict[int, Tangents]] = weakref.WeakKeyDictionary()


class Duals(Before):
    """The levels that are entered, outermost first, and what sees the ops that are called."""

    def __init__(self, tape: Any) -> None:
        super().__init__(tape)
        self.levels: list[Level] = []

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """See an op that is recorded; what is no op passes its tangents on itself."""
        if self.tape is not None:
            self.tape.record(node, op, args, outs, names)
        else:
            node.entry = None
        if op is not None and self.levels:
            self.made(op, args, [_at(op, node, k, a) for k, a in enumerate(outs)])

    def made(self, op: Any, args: Sequence[Any], results: Sequence[Tensor | None]) -> None:
        """Give the results of an op their tangents at each level."""
        for level, inside in self._from_outside():
            if level.by_hand and inferring():
                continue
            given = [_tangents_in(x, level) for x in args]
            if not any(_flat(given)):
                continue
            with inside():
                values = [_value_in(x, ts, level) for x, ts in zip(args, given, strict=True)]
                made = [None if t is None else _value(t, level) for t in results]
                columns = pushed(op, values, made, given, level.directions)
                if level.by_hand and is_recorded(values, ()) and not _are_recorded(columns):
                    # An operand without a tangent has one of zeros: what that is multiplied with may be asked for.
                    full = [_with_zeros(x, ts) for x, ts in zip(values, given, strict=True)]
                    asked = pushed(op, values, made, full, level.directions)
                    columns = asked if _are_recorded(asked) else columns
                for t, column in zip(results, columns, strict=False):
                    if t is not None and column is not None:
                        place(t, level, tuple([_alike(x, t._a) for x in column]))

    def applied(self, node: Any, args: Sequence[Any], before: Sequence[Any], outs: Sequence[Any]) -> None:
        """Give the outputs of a custom function the tangents that its own ``jvp`` makes of those it had ``before``."""
        kept = dict(node.__dict__)
        for (level, inside), given in zip(self._from_outside(), before, strict=True):
            if not any(given):
                continue
            rows = []
            with inside():
                for k in range(level.directions):
                    # For each direction it is as forward left it, whatever its jvp deletes.
                    node.__dict__.update(kept)
                    rows.append(node.forward_gradients(args, [_pick(ts, k) for ts in given], outs))
            for t, column in zip(outs, zip(*rows, strict=True), strict=True):
                if not isinstance(t, Tensor) or any(x is None for x in column):
                    continue
                had = next((ts for x, ts in zip(args, given, strict=False) if x is t), None)
                if had is None:
                    for x, ts in zip(args, given, strict=True):
                        if ts and _is_view_of(t, x) and not all(map(_is_view_of, column, ts)):
                            raise EngineError(_NO_VIEW)
                    give(t, level, column)
                    continue
                # It was written to, and so were its tangents, which views of it share.
                if any(old is not new for old, new in zip(had, column, strict=True)):
                    raise EngineError(_NOT_IN_PLACE)
                _own(t, level, had)
                place(t, level, had)

    def before(self, args: Sequence[Any]) -> list[list[Tangents | None]]:
        """The tangents of arguments, one list for each level."""
        return [[tangents_of(x, level) for x in args] for level in self.levels]

    # -- writes to memory --------------------------------------------------------------------

    def before_write(self, a: Any, view: Tensor | None = None) -> None:
        """Tell the tape of a write."""
        if self.tape is not None:
            self.tape.before_write(a, view)

    def stand_in(self, old: Tensor, t: Tensor, shared: bool = False) -> None:
        """Give ``old``, which stands for ``t`` in what is computed to be written to it, copies of its tangents.

        Those of ``t`` become its own, and its base's the base's: its place in the graph is about to change.
        ``shared``: where nothing is written, ``old`` has the tangents themselves.
        """
        for level, inside in self._from_outside():
            for x in (t, t._base):
                tangents = None if x is None else tangents_of(x, level)
                if x is not None and tangents is not None:
                    _own(x, level, tangents)
            tangents = tangents_of(t, level)
            if tangents is not None:
                with inside():
                    _own(old, level, tangents if shared else tuple([_copied(x) for x in tangents]))

    def wrote(self, t: Tensor, new: Tensor | None) -> None:
        """Write the tangents of what was written to a tensor into its own, which views of it share."""
        for level, inside in self._from_outside():
            now = None if new is None else tangents_of(new, level)
            had = None if t._tangents is None else t._tangents.get(level)
            if now is None and had is None:
                continue
            with inside():
                if had is None:
                    had = self._fresh(t, level)
                for k, x in enumerate(had):
                    if now is None:
                        x.zero_()
                    else:
                        x.copy_(now[k])

    def reshaped(self, t: Tensor, new: Tensor) -> None:
        """Give a tensor that became another view of its own memory the same view of its tangents."""
        for level, _ in self._from_outside():
            tangents = tangents_of(new, level)
            if tangents is not None:
                _own(t, level, tangents)

    def moves(self, view: View) -> None:
        """Let a view, whose place in the graph is about to change, have the tangents of its place as its own."""
        for level in self.levels:
            tangents = tangents_of(view, level)
            if tangents is not None:
                _own(view, level, tangents)

    def _fresh(self, t: Tensor, level: Level) -> Tangents:
        """Tangents of zeros for a tensor that had none; for a view, in those of its base."""
        whole = t if t._base is None else t._base
        if t._tangents is not None:
            t._tangents = {k: v for k, v in t._tangents.items() if k is not level}
        a = whole._memory()
        # Each sample has its own.
        _own(whole, level, tuple([_alike(scratch(zeros_of(a.shape, a.dtype)), a) for _ in range(level.directions)]))
        found = tangents_of(t, level)
        assert found is not None
        return found

    def detached(self, t: Tensor) -> None:
        """Take the tangents of a tensor that leaves the graph."""
        for level in self.levels:
            without(t, level)

    # -- levels ------------------------------------------------------------------------------

    def _from_outside(self) -> Iterator[tuple[Level, Callable[[], Any]]]:
        """Each level, and the way to compute where only those outside of it are seen."""
        for i, level in enumerate(tuple(self.levels)):
            yield level, lambda i=i, level=level: self.outside(i, level.recorded)  # type: ignore[misc]

    @contextmanager
    def outside(self, count: int = 0, recorded: bool = False) -> Iterator[None]:
        """Compute where only the first ``count`` levels are seen, ``recorded`` whatever the mode."""
        before, tape, grad = self.levels, mode.tape, mode.grad
        mode.grad = grad or recorded
        self.levels = before[:count]
        if not count:
            mode.dual(None)
            mode.use(self.tape)
        try:
            yield
        finally:
            self.levels = before
            mode.grad = grad
            mode.dual(self)
            mode.use(tape)


def enter(directions: int = 1, recorded: bool = False, by_hand: bool = False) -> Level:
    """Enter a level inside of those that are entered."""
    duals = mode.duals
    if duals is None:
        duals = Duals(mode.tape)
        mode.dual(duals)
        mode.use(duals)
    level = Level(directions, recorded, by_hand)
    duals.levels.append(level)
    return level


def leave(level: Level) -> None:
    """Leave a level, and those inside of it: the tangents there are gone."""
    duals = mode.duals
    if duals is None or level not in duals.levels:
        return
    del duals.levels[duals.levels.index(level) :]
    level.nodes.clear()
    if not duals.levels:
        mode.dual(None)
        # Hooks may stand before it, which take themselves away.
        if mode.tape is duals:
            mode.use(duals.tape)


# -- the tangents of a tensor ------------------------------------------------------------------


def tangents_of(t: Any, level: Level) -> Tangents | None:
    """The tangents of a tensor at a level, if it has any there."""
    if not isinstance(t, Tensor):
        return None
    if t._tangents is not None and level in t._tangents:
        return t._tangents[level]
    # Where a view was before its base was written to: its tangents are views that the write went to as well.
    edge = t._own if isinstance(t, View) else t._node
    if edge is not None and edge.kind not in (LEAF, CUT):
        node, nr = (edge.node, edge.nr) if edge.kind == OUTPUT else (edge, 0)
        found = level.nodes.get(node, {}).get(nr)
        if found is not None:
            return found
    if isinstance(t, View):
        # Its base was written to since it was made.
        whole = tangents_of(t._base, level)
        if whole is not None:
            tangents = tuple([_part(x, t) for x in whole])
            _own(t, level, tangents)
            return tangents
    return None


def _is_view_of(t: Tensor, x: Any) -> bool:
    return isinstance(x, Tensor) and t._base is not None and t._base is (x if x._base is None else x._base)


def _edge(t: Tensor) -> Any:
    """The place in the graph of a tensor; None of a view that would have to be read anew."""
    if not isinstance(t, View):
        return t._node
    counter = t._base._vc
    fresh = counter is None or counter.n == t._made or (t._own is not None and t._own.kind == LEAF)
    return t._own if fresh else None


def place(t: Tensor, level: Level, tangents: Tangents) -> None:
    """Give a tensor tangents, at its place in the graph if it has one."""
    edge = _edge(t)
    if isinstance(t, View) or edge is None or edge.kind in (LEAF, CUT):
        # A view keeps them wherever a write to its memory puts it.
        _own(t, level, tangents)
    if edge is None or edge.kind in (LEAF, CUT):
        return
    if edge.kind == OUTPUT:
        level.nodes.setdefault(edge.node, {})[edge.nr] = tangents
    else:
        level.nodes.setdefault(edge, {})[0] = tangents


def give(t: Tensor, level: Level, tangents: Tangents) -> None:
    """Make a tensor a dual number: its tangents are those that are given, whose sizes must be its own."""
    for x in tangents:
        if x._a.shape != t._a.shape:
            raise EngineError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(t._a.shape)} while the given forward gradient is of size "
                f"{list(x._a.shape)}."
            )
    place(t, level, tuple([_standing(x, t) for x in tangents]))


def _standing(x: Tensor, t: Tensor) -> Tensor:
    """A tangent that was given: itself if it lies in a memory as its tensor does in its own, so that views fit both."""
    if mode.samples:
        # Where a sample begins is its own business: all samples are to come to the same.
        return _copied(x)
    where = _place_in_memory(t)
    if _place_in_memory(x) == where:
        return _alike(x, t._a)
    offset, size, conjugated, negated = where
    memory = constants(zeros_of((size,), x._a.dtype))
    made: Tensor = ops.strides.as_strided(memory, t._memory().shape, t.stride(), offset)
    if conjugated:
        made = ops.lazy.conjugate(made)
    if negated:
        made = ops.lazy.negated(made)
    return made.copy_(x)


def _place_in_memory(t: Tensor) -> tuple[int, int, bool, bool]:
    """Where a tensor begins in its memory, how many elements that has, and whether it is read conjugated or negated."""
    a = t._memory()
    size = ops.strides.storage(a).nbytes // a.itemsize
    return t._offset(), size, ops.parts.is_conj(t), ops.parts.is_neg(t)


def without(t: Tensor, level: Level) -> Tensor:
    """A tensor that is to have no tangents at a level, not those of its base either; return it."""
    _own(t, level, None)
    return t


def _own(t: Tensor, level: Level, tangents: Tangents | None) -> None:
    duals = mode.duals
    here = t._tangents or {}
    live = () if duals is None else duals.levels
    t._tangents = {**{k: v for k, v in here.items() if k in live}, level: tangents}


def hand_on(t: Tensor, to: Tensor, change: Callable[[Tensor], Tensor] = lambda x: x) -> Tensor:
    """Give a tensor the tangents of another one with the same numbers, each changed in some way; return it."""
    duals = mode.duals
    if duals is not None:
        for level in duals.levels:
            tangents = tangents_of(t, level)
            if tangents is not None:
                _own(to, level, tuple([change(x) for x in tangents]))
    return to


def _at(op: Any, node: Any, nr: int, a: Any) -> Tensor | None:
    """The result of a node at its place in the graph."""
    if a is None:
        return None
    t = result(a)
    has_gradient = op.siblings or (nr < len(op.outputs) and op.outputs[nr] is not None)
    if has_gradient and a.dtype.kind in "fc":
        t._node = node if len(op.outputs) == 1 and not op.siblings else Output(node, nr, a)
    return t


def _value_in(x: Any, tangents: Any, level: Level) -> Any:
    """An argument, or those in a list of them, as values: what tangents are computed with has none itself."""
    if type(tangents) is list:
        return type(x)([y if ts is None else _value(y, level) for y, ts in zip(x, tangents, strict=True)])
    return x if tangents is None else _value(x, level)


def _value(t: Tensor, level: Level) -> Tensor:
    """A tensor without its tangents at a level."""
    value = hand_on(t, result(t._a))
    value._vc = t._vc
    value._node = t._node
    return without(value, level)


def _pick(tangents: Tangents | None, k: int) -> Tensor | None:
    return None if tangents is None else tangents[k]


def _tangents_in(x: Any, level: Level) -> Any:
    """The tangents of an argument, or of each in a list of them."""
    return [tangents_of(y, level) for y in x] if type(x) in (list, tuple) else tangents_of(x, level)


def _flat(given: Sequence[Any]) -> Iterator[Tangents]:
    """The tangents that there are among those of arguments and of lists of arguments."""
    for x in given:
        if type(x) is list:
            yield from (y for y in x if y is not None)
        elif x is not None:
            yield x


def _are_recorded(columns: Sequence[Any]) -> bool:
    """Tell whether some tangent of results is recorded."""
    return any(x.requires_grad for column in columns if column is not None for x in column)


def _with_zeros(x: Any, tangents: Any) -> Any:
    """The tangents of an argument, or of each in a list of them: zeros for a tensor that has none."""
    if type(tangents) is list:
        return [_with_zeros(y, ts) for y, ts in zip(x, tangents, strict=True)]
    if tangents is None and isinstance(x, Tensor) and x._a.dtype.kind in "fc":
        return (constants(zeros_of(x._a.shape, x._a.dtype)),)
    return tangents


# -- memory ------------------------------------------------------------------------------------


def _alike(x: Tensor, a: Any) -> Tensor:
    """A tangent whose elements lie in memory as those of its tensor: views of it find their part."""
    b = x._a
    if not b.ndim or b.strides == a.strides or not b.size or b.dtype != a.dtype or min(a.strides) <= 0:
        return x
    made: Any = scratch(strided_copy(zeros_of(a.shape, a.dtype), tuple([s // a.itemsize for s in a.strides])))
    made.copy_(x)
    return made  # type: ignore[no-any-return]


def _copied(x: Tensor) -> Tensor:
    return ops.converting.clone(x)  # type: ignore[no-any-return]


def _part(whole: Tensor, view: View) -> Tensor:
    """The part of a tangent that belongs to a view."""
    base = view._base
    if view._way is not None:
        return view._way.from_base(whole)  # type: ignore[no-any-return]
    offset = whole._offset() + view._offset() - base._offset()
    return ops.strides.as_strided(whole, view._a.shape, view.stride(), offset)  # type: ignore[no-any-return]
