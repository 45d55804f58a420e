"""A recorded graph, evaluated again at other values of its leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import CUT, LEAF, OUTPUT
from ...engine.tape.entry import Entry, Operand, entry_of, operands_in
from ...engine.tape.replay import holding, read_beside, why_not
from ...engine.tensor import Tensor
from ...errors import Unsupported
from .one_op import Call, Change, Unreplayable as Unreplayable, call_of, difference_of
from .recorded_graph import close

if TYPE_CHECKING:
    from .custom_function.recorded_forward import RecordedForward

Array = Any

# Differences that are so close to a claim, of its size, leave no doubt of it; and where further looks cost much.
_ASSURED, ASSURED_DEAR = 1e-12, 1e-9
# How many bytes the numbers of all points may take that are computed at once.
_ROOM = 2**24
# What is left of numbers that cancel is smaller than this part of them.
_CANCELLED = 2.0**-10


class Unmeasured(Unsupported):
    """A gradient of an op that nothing measures: it follows what no run of the program does."""

    def __init__(self, node: Any, why: str) -> None:
        super().__init__(why)
        self.node = node


class Plan:
    """The graph between some tensors and some leaves, recorded on a tape, ready to be evaluated again.

    A leaf is a tensor, or an edge of the graph. One that is not a leaf of the graph is given all the same: what it
    was computed from is not evaluated for it.

    ``at``: the numbers that the graph was given for the leaves. Where the program wrote to a leaf (or to a result)
    between two uses without recording it, ``at`` has those of the first use; every other use has its own, moved as far
    as the leaf is moved. So the numbers at ``at`` are those that were recorded, to the last bit.

    What an op computed aside, for its backward, no edge leads to: it is found through the node whose backward took it.
    """

    # Whether the graph itself is evaluated at many points.
    at_once = True
    # Whether it is no graph at all: then nothing is known of how it rounds but what its values show.
    is_outside = False
    # Whether some point was met that it refuses, and each has its price.
    refuses = False
    # Of more numbers than these, directions are looked at instead of entries.
    most_entries = 256

    def __init__(self, roots: Sequence[Tensor], leaves: Sequence[Any]) -> None:
        self.roots = [root._node for root in roots]
        self.leaves = [leaf._node if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self._slots: dict[Any, int] = {_key(e): i for i, e in enumerate(self.leaves) if e is not None}
        self.nodes = self._between()
        # Where values lie: first those of the leaves, then those of the outputs of nodes, at last those of uses that
        # differ. `_masks` has a bit for every leaf that a value depends on.
        self._masks = [1 << i for i in range(len(self.leaves))]
        self._recorded: list[Any] = [None] * len(self.leaves)
        self._calls: list[Call] = []
        self._differing: dict[tuple[int, int], int] = {}
        # Of custom functions the graphs of the ops inside.
        self.functions: dict[Any, RecordedForward] = {}
        # Whether some custom function reads leaves by another road than its arguments.
        self.reads_beside = False
        # Whether some op reads memory beyond its operand: of many points, that is another point's.
        self.reads_beyond = False
        for node in self.nodes:
            self._place(node)
        for i, leaf in enumerate(leaves):
            if self._recorded[i] is None:
                self._recorded[i] = leaf._a if isinstance(leaf, Tensor) else _number(leaf)
        self.at: list[Any] = self._recorded[: len(self.leaves)]
        self._results = [self._slots.get(_key(edge)) for edge in self.roots]
        self._find_last_uses()
        self._constants = [root._a for root in roots]
        self.shapes = [np.shape(root._a) for root in roots]
        self.size = sum(math.prod(shape) for shape in self.shapes)
        self._chosen: dict[int, list[Call]] = {}
        # What was found of the plan at the point where it was recorded, by whoever looked.
        self.kept: dict[Any, Any] = {}

    @cached_property
    def is_of_complex(self) -> bool:
        """True where complex numbers are on the way: then none can stand for a real number and a direction."""
        return any(np.iscomplexobj(x) for x in self._recorded)

    @property
    def nbytes(self) -> int:
        """The bytes that the values of one point take, in double precision and beside the leaves."""
        found: int | None = self.kept.get("nbytes")
        if found is None:
            found = self.kept["nbytes"] = 8 * sum(np.size(x) for x in self._recorded)
        return found + sum(inside.nbytes for inside in self.functions.values())

    def widest(self, moved: Sequence[bool]) -> int:
        """The bytes of double precision that are held at once of every point where some leaves are moved, at the
        most: what no later op is given is forgotten."""
        mask = sum(1 << i for i, m in enumerate(moved) if m)
        found: int | None = self.kept.get(("widest", mask))
        if found is None:
            sizes = [8 * np.size(x) if m & mask else 0 for x, m in zip(self._recorded, self._masks, strict=True)]
            held = found = sum(sizes[: len(self.leaves)])
            for call in self.depending(mask):
                made = sum(sizes[call.first : call.first + len(call.outs)])
                inside = 0 if call.inside is None else call.inside.nbytes
                # What an op makes on the way may take as much again.
                found = max(found, held + 2 * made + inside)
                held += made - sum(sizes[slot] for slot in call.done)
            self.kept["widest", mask] = found
        return found

    @property
    def is_cheap(self) -> bool:
        """True where many points cost little more than one: the program's own code is not run for each."""
        by_graph = all(inside.plan is not None for inside in self.functions.values())
        return self.at_once and by_graph and not self.reads_beside

    @property
    def assured(self) -> float:
        """The distance of differences alone from a claim, of its size, that leaves no doubt of it."""
        return _ASSURED if self.is_cheap else ASSURED_DEAR

    @cached_property
    def is_in_one_piece(self) -> bool:
        """True of a graph of ops that have no kinks, as far as it shows all of them: nowhere do pieces of it meet."""
        return not self.is_outside and all(map(_is_smooth, self._calls))

    @cached_property
    def cancels(self) -> bool:
        """True where a sum or a difference is far smaller than what it is made of: a slope may feel its rounding."""
        return any(_cancels(call, self._recorded) for call in self._calls)

    def outputs(self, arrays: Sequence[Any]) -> list[Any]:
        """The numbers of the roots when the leaves have these: of another dtype, too, such as complex."""
        return self.read(self._evaluated(arrays))

    def values(self, arrays: Sequence[Any]) -> dict[Any, Any]:
        """The numbers of all leaves (by leaf) and of all outputs of nodes (by node and output number)."""
        values = self._evaluated(arrays)
        return {key: values[slot] for key, slot in self._slots.items()}

    def given(self, node: Any, values: dict[Any, Any]) -> list[Any]:
        """The operands of a node that have a gradient, among all values."""
        entry: Any = entry_of(node)
        operands = [x for x in entry.args if type(x) is Operand and x.edge is not None]
        return [values.get(_source(x, entry), x.array) for x in operands]

    def batch(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The numbers of the roots at ``count`` points at once, each with the points as its first axis.

        ``arrays[i]`` has such an axis, too, where ``moved[i]``; else it is the same at all points. ``change`` is given
        every number that differs between points and is rounded, and returns what is to be used for it (where memory is
        read beyond an operand, it is not asked).
        """
        if self.reads_beyond:
            # Each in memory of its own, which is all that is read.
            points = [[np.array(a[i]) if m else a for a, m in zip(arrays, moved, strict=True)] for i in range(count)]
            alone = [self.outputs(point) for point in points]
            return [np.stack(x) for x in zip(*alone, strict=True)]
        values, flags = self._at_points(arrays, moved, count, change)
        found = self.read(values)
        return [
            x if slot is not None and flags[slot] else np.broadcast_to(x, (count, *np.shape(x)))
            for x, slot in zip(found, self._results, strict=True)
        ]

    def in_parts(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The same as `batch` gives, of as many points at once as there is room for, unless numbers are changed."""
        each = max(_ROOM // max(self.nbytes, 1), 1)
        if change is not None or count <= each:
            return self.batch(arrays, moved, count, change)
        parts = [
            self.batch([a[k : k + each] if m else a for a, m in zip(arrays, moved, strict=True)], moved, end - k)
            for k in range(0, count, each)
            for end in (min(k + each, count),)
        ]
        return [np.concatenate(x) for x in zip(*parts, strict=True)]

    def values_at(self, arrays: Sequence[Any], count: int) -> dict[Any, Any]:
        """All numbers at ``count`` points at once, at which all leaves are moved; what differs has them in front."""
        values, flags = self._at_points(arrays, [True] * len(arrays), count, None, forgetful=False)
        return {key: values[slot] for key, slot in self._slots.items() if flags[slot]}

    def _at_points(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None, forgetful: bool = True
    ) -> tuple[list[Any], list[bool]]:
        """All values, and which of them have an axis of points; ``forgetful``: without what no later op is given."""
        flags = [*moved, *[False] * (len(self._recorded) - len(moved))]
        values = self.slots(arrays)
        others = sum(1 << i for i, m in enumerate(moved) if not m and not _same(arrays[i], self.at[i]))
        mask = sum(1 << i for i, m in enumerate(moved) if m)
        with np.errstate(all="ignore"):
            for call in self.depending(others | mask):
                first, moves = call.first, call.mask & mask
                made = call.at_once(values, flags, count, change) if moves else call(values)
                if len(made) == 1:
                    # As of most.
                    values[first] = made[0]
                    flags[first] = bool(moves) and made[0] is not None
                else:
                    values[first : first + len(made)] = made
                    flags[first : first + len(made)] = [bool(moves) and x is not None for x in made]
                for slot in call.done if forgetful else ():
                    values[slot] = None
        return values, flags

    def depends(self, root: int, leaf: int) -> bool:
        """True of a root that was computed from a leaf."""
        slot = self._results[root]
        return slot is not None and bool(self._masks[slot] >> leaf & 1)

    def recorded(self, arrays: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """The roots and the leaves of a new graph: the same ops called again, with these numbers for the leaves."""
        from .record_again import recalled

        if self.reads_beside:
            raise Unreplayable(None, "a function in it would read the leaves that were recorded, not others")
        return recalled(self, arrays)

    def elsewhere(self, arrays: Sequence[Any]) -> Plan | None:
        """The graph as it would be recorded with these numbers for the leaves; None where its ops may do otherwise."""
        ops = [call.op for call in self._calls]
        if self.functions or any(op is None or op.assumes is not None or op.reads_storage for op in ops):
            return None
        found = copy(self)
        found._recorded = self._evaluated(arrays)
        found.at = found._recorded[: len(self.leaves)]
        found._calls = [call.given(found._recorded) for call in self._calls]
        found._chosen, found.kept = {}, {}
        return found

    def slots(self, leaves: Sequence[Any]) -> list[Any]:
        """All values in their places: these for the leaves, else those that were recorded."""
        return [*leaves, *self._recorded[len(self.leaves) :]]

    def _evaluated(self, arrays: Sequence[Any]) -> list[Any]:
        values = self.slots(arrays)
        with np.errstate(all="ignore"):
            for call in self.depending(-1):
                made = call(values)
                values[call.first : call.first + len(made)] = made
        return values

    def read(self, values: list[Any]) -> list[Any]:
        """The roots among all values."""
        return [
            constant if slot is None else values[slot]
            for slot, constant in zip(self._results, self._constants, strict=True)
        ]

    def depending(self, mask: int) -> list[Call]:
        """The calls whose results depend on one of some leaves."""
        found = self._chosen.get(mask)
        if found is None:
            found = self._chosen[mask] = [call for call in self._calls if call.mask & mask]
        return found

    # -- making it -----------------------------------------------------------------------------

    def _between(self) -> list[Any]:
        """The nodes that the roots were computed by from the leaves, in the order in which they were recorded."""
        seen: set[Any] = set()
        stack = [_key(edge) for edge in self.roots if edge is not None]
        while stack:
            key = stack.pop()
            node = key[0] if type(key) is tuple else key
            if node.kind in (LEAF, CUT) or node in seen or key in self._slots:
                continue
            seen.add(node)
            entry: Any = entry_of(node)
            reason = why_not(node) if entry is None or entry.op is None else None
            if reason is not None and not (isinstance(node, FunctionNode) and read_beside(node)):
                raise Unreplayable(node, reason)
            stack += [source for x in operands_in(entry.args) if (source := _source(x, entry)) is not None]
        return sorted(seen, key=lambda node: node.seq)

    def _place(self, node: Any) -> None:
        """Find slots for what a node computes, and where it finds its operands."""
        entry: Any = entry_of(node)
        mask = 0
        places: list[tuple[int, int]] = []
        call = call_of(node, entry)
        for i, x in enumerate(call.args):
            if type(x) is not Operand:
                continue
            array = x.array
            if array is None:
                raise Unreplayable(node, why_not(node) or "")
            call.args[i] = array
            slot = self._slots.get(_source(x, entry))
            if slot is not None and self._masks[slot]:
                slot = self._use(slot, x.held, array)
                places.append((i, slot))
                mask |= self._masks[slot]
        if places and call.op is not None and call.op.unmeasured is not None:
            raise Unmeasured(node, call.op.unmeasured)
        call.places = places
        call.find_way()
        beside = read_beside(node) if isinstance(node, FunctionNode) and places else ()
        if beside:
            mask |= self._let_hold(call, beside)
        elif isinstance(node, FunctionNode) and places:
            from .custom_function.recorded_forward import recorded_forward

            call.inside = self.functions[node] = recorded_forward(node, call.args, Plan)
            if entry.random is not None:
                _refuse_what_follows_draws(node, call.inside)
        self.reads_beyond |= call.op is not None and call.op.reads_storage and call.form is None
        self._add(call, mask, entry.outs)
        for nr in range(len(entry.outs)):
            self._slots.setdefault((node, nr), call.first + nr)

    def _let_hold(self, call: Call, beside: Sequence[Tensor]) -> int:
        """Let a call hand leaves their values in silence, as further arguments; the mask of those."""
        known = [(x, self._slots[x._node]) for x in beside if x._node in self._slots]
        count = len(call.args)
        call.places = [*call.places, *((count + i, slot) for i, (_, slot) in enumerate(known))]
        call.args += [x._a if self._recorded[slot] is None else self._recorded[slot] for x, slot in known]
        run, leaves = call.run, [x for x, _ in known]

        def holding_them(args: list[Any]) -> Sequence[Any]:
            with holding(leaves, args[count:]):
                return run(args[:count])

        call.run = holding_them
        pairs = zip(call.run(call.args), entry_of(call.node).outputs, strict=True)  # type: ignore[union-attr]
        if not all(a is None or b is None or close(a, b) for a, b in pairs):
            raise Unreplayable(call.node, "it reads what was written to since, and is not given it")
        self.reads_beside = True
        return sum(self._masks[slot] for _, slot in known)

    def _use(self, slot: int, held: Any, array: Any) -> int:
        """The slot with what a use of a value was given: the value's, unless it was written to unrecorded."""
        have = self._recorded[slot]
        if have is None:
            self._recorded[slot] = array
        elif have is not array and not _same(have, array) and np.shape(have) == np.shape(array):
            key = slot, id(held)
            found = self._differing.get(key)
            if found is None:
                call = difference_of(array, have, held)
                call.places = [(0, slot)]
                self._add(call, self._masks[slot], (held,))
                found = self._differing[key] = call.first
            return found
        return slot

    def _find_last_uses(self) -> None:
        seen = set(self._results)
        for call in reversed(self._calls):
            call.done = []
            for _, slot in call.places:
                if slot not in seen:
                    seen.add(slot)
                    call.done.append(slot)

    def _add(self, call: Call, mask: int, outs: Sequence[Any]) -> None:
        call.mask = mask
        call.first = len(self._recorded)
        self._recorded += [getattr(x, "array", x) for x in outs]
        self._masks += [mask] * len(outs)
        self._calls.append(call)


def _refuse_what_follows_draws(node: FunctionNode, inside: RecordedForward) -> None:
    """Refuse a custom Function whose results move with a draw in it that no run of the program moves."""
    seen = inside.seen(np.random.default_rng(0))
    roots = [x for x in seen.outs if isinstance(x, Tensor) and x._node is not None]
    try:
        Plan(roots, seen.leaves)
    except Unmeasured as error:
        raise Unmeasured(node, error.message) from None
    except Unreplayable:
        # What can be told of it is told where it is evaluated.
        return


def _is_smooth(call: Call) -> bool:
    """Tell whether an op has one formula for all numbers: it picks by no mask, and is no function that is not seen."""
    if isinstance(call.node, FunctionNode):
        inside = None if call.inside is None else call.inside.plan
        return inside is not None and inside.is_in_one_piece
    picks = any(getattr(x, "dtype", None) == np.bool_ for x in call.args)
    # Of several results, as eigenvalues are, the order may change.
    return call.op is not None and call.op.kink is None and len(call.outs) == 1 and not picks


def _cancels(call: Call, recorded: Sequence[Any]) -> bool:
    if call.inside is not None:
        return call.inside.plan is not None and call.inside.plan.cancels
    if call.op is None or call.op.rounding != "sum":
        return False
    left = np.abs(recorded[call.first])
    return any(bool(np.any(left < _CANCELLED * np.abs(recorded[slot]))) for _, slot in call.places)


def _key(edge: Any) -> Any:
    """Under what the value is found that an edge leads to."""
    if edge is None or edge.kind == LEAF:
        return edge
    return (edge.node, edge.nr) if edge.kind == OUTPUT else (edge, 0)


def _source(x: Operand, entry: Entry) -> Any:
    """Under what the value is found that an operand of an op is; None of a constant."""
    return computed_aside(x.held, entry.parent) if x.edge is None else _key(x.edge)


def computed_aside(held: Any, node: Any) -> Any:
    """Under what a number is found that the backward of ``node`` took, and that its op, or one that this is the
    backward of, computed aside; None of any other."""
    while (entry := entry_of(node)) is not None:
        if entry.op is not None:
            for nr in range(len(entry.op.outputs), len(entry.outs)):
                if entry.outs[nr] is held:
                    return node, nr
        if not any(x.held is held and x.edge is None for x in operands_in(entry.args)):
            return None
        node = entry.parent
    return None


def _number(edge: Any) -> Any:
    """The number that an edge leads to, as it was recorded."""
    if edge.kind == LEAF:
        return edge.variable._a
    node, nr = _key(edge)
    entry: Any = entry_of(node)
    return entry.outputs[nr]


def _same(a: Any, b: Any) -> bool:
    """True of two arrays that hold the same numbers, to the last bit."""
    if a is b:
        return True
    if getattr(a, "dtype", None) != getattr(b, "dtype", None) or np.shape(a) != np.shape(b):
        return False
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
