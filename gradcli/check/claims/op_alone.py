"""One recorded op as a graph of its own, beside what its backward says of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import CUT, MultiNode, Output
from ...engine.modes import no_grad
from ...engine.numeric.halves import converted
from ...engine.tape.entry import Argument, Entry, Operand, entry_of
from ...engine.tape.replay import why_not
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import NoAnswer, raised_by_program
from ...graph.view.gradients import fitted
from ...spec.language.machine import said
from ..arrays import Array
from ..replay.line import Line, rows
from ..replay.plan import Plan, Unreplayable, computed_aside
from ..replay.real_parts import PARTS, joined, parts_of_root
from ..slopes.magnitude import rms, signed

# Rounding shows in third differences of so many neighbouring values, this far apart relative to the argument.
_POINTS, _APART = 18, 2.0**-44
# How much larger a third difference is than what it is one of, and a bound than what is usual.
_THIRD, _BOUND = 20**0.5, 4.0
# Nothing is moved by less.
_TINY = 1e-290
# So many points around are looked at, at this distance for the size of the argument, over so short a part of it.
_AROUND, _NEARBY, _SHORT = 64, 1e-8, 2.0**-8


class Refused(NoAnswer):
    """A backward that gives no answer."""


class Taken(NamedTuple):
    """An argument of an op that gets a gradient."""

    name: str
    # Its place among the node's edges.
    slot: int
    # Of a complex argument, which part of it.
    which: str | None = None


class Alone:
    """One node with its run-time operands: each that gets a gradient is a leaf, each output that has one a root.

    Where an op is given one tensor twice, these are two leaves. ``reached``: the outputs that gradients arrive at, by
    default all.
    """

    def __init__(self, node: Any, reached: Sequence[int] | None = None) -> None:
        reason = why_not(node)
        if reason is not None:
            raise Unreplayable(node, reason)
        self.node = node
        entry = entry_of(node)
        assert entry is not None
        self.arguments: list[Taken] = []
        leaves: list[Tensor] = []
        twin = copy.copy(node)
        # Hooks are no part of the op.
        twin.extra = None
        twin.entry = copy.copy(entry)
        twin.entry.args = self._own(entry, leaves)
        _compute_aside(twin.entry, entry)
        if entry.inner is not None:
            # A write through a view: what is written is an argument of what wrote it.
            twin.entry.inner = copy.copy(entry.inner)
            twin.entry.inner.args = (entry.inner.args[0], *twin.entry.args[1:])
        self.outputs: list[int] = []
        roots: list[Tensor] = []
        several = isinstance(node, MultiNode)
        for nr in range(node.outputs if several else 1):
            a = entry.outputs[nr]
            kind = (node.dtype[nr] if several else node.dtype) if a is None else a.dtype
            named = not several or isinstance(node, FunctionNode) or node.op.siblings or node.op.outputs[nr] is not None
            if kind is None or kind.kind not in "fc" or not named or (reached is not None and nr not in reached):
                continue
            root = result(np.zeros(node.shape[nr] if several else node.shape, kind) if a is None else a)
            root._node = Output(twin, nr, root._a) if several else twin
            parts = [part for part, _ in parts_of_root(root, None)]
            self.outputs += [nr] * len(parts)
            roots += parts
        self.plan = Plan(roots, leaves)
        self.shapes = [tuple(np.shape(root._a)) for root in roots]
        self.kinds = [root._a.dtype for root in roots]

    def _own(self, entry: Entry, leaves: list[Tensor]) -> tuple[Any, ...]:
        """The arguments, each that gets a gradient with a leaf behind it."""
        arguments = iter(entry.arguments)
        return tuple(
            [
                type(value)([self._leaf(next(arguments), leaves) for _ in value])
                if entry.is_list(name)
                else self._leaf(next(arguments), leaves)
                for name, value in zip(entry.names, entry.args, strict=False)
            ]
        )

    def _leaf(self, argument: Argument, leaves: list[Tensor]) -> Any:
        x = argument.value
        if type(x) is not Operand:
            return x
        own = copy.copy(x)
        edge = self.node.edges[argument.slot] if argument.slot is not None else None
        if argument.slot is None or edge is None or edge.kind == CUT or x.array.dtype.kind not in "fc":
            own.edge = None
            return own
        if x.array.dtype.kind == "c":
            own.edge, parts = joined(x.array)
            leaves += parts
            self.arguments += [Taken(f"{argument.name}.{which}", argument.slot, which) for which in PARTS]
            return own
        leaf = result(np.asarray(x.array)).requires_grad_()
        own.edge = leaf._node
        leaves.append(leaf)
        self.arguments.append(Taken(argument.name, argument.slot))
        return own

    # -- what the backward says --------------------------------------------------------------

    def claims(self, weights: Sequence[Array]) -> list[Array]:
        """Run the node's own backward: what it passes on to each argument when these arrive at the outputs."""
        node = self.node
        arriving: list[Any] = [None] * (node.outputs if isinstance(node, MultiNode) else 1)
        for nr, w, kind in zip(self.outputs, weights, self.kinds, strict=True):
            real = arriving[nr]
            part = converted(np.array(w), kind)[()]
            arriving[nr] = part if real is None else real + 1j * part
        try:
            with no_grad(), np.errstate(all="ignore"):
                shares = list(node.run(arriving if isinstance(node, MultiNode) else arriving[0], node.edges))
            return [self._fitted(node.edges[x.slot], shares[x.slot], x.which) for x in self.arguments]
        except raised_by_program() as error:
            # A custom backward may raise anything; the check of the whole has met it before.
            raise Refused(said(error)) from error

    @staticmethod
    def _fitted(edge: Any, share: Any, which: str | None) -> Array:
        if share is None:
            return np.zeros(edge.shape)
        passed = fitted(np.asarray(share), edge.shape, edge.dtype)
        return np.asarray(passed if which is None else getattr(passed, which), np.float64)

    def claims_at(self, arrays: Sequence[Array], weights: Sequence[Array]) -> list[Array]:
        """The same where the arguments have other values: the op is recorded again."""
        try:
            with np.errstate(all="ignore"):
                roots, leaves = self.plan.recorded(arrays)
                starts = [result(converted(np.array(w), kind)[()]) for w, kind in zip(weights, self.kinds, strict=True)]
                found = grad(roots, leaves, starts, allow_unused=True)
        except Unreplayable:
            raise
        except raised_by_program() as error:
            raise Refused(said(error)) from error
        pairs = zip(found, leaves, strict=True)
        return [np.zeros(np.shape(leaf._a)) if g is None else np.asarray(g._a) for g, leaf in pairs]

    # -- what is true --------------------------------------------------------------------------

    @cached_property
    def at(self) -> list[Array]:
        """The values of the arguments."""
        return [np.asarray(a, np.float64) for a in self.plan.at]

    def line(self, argument: int, direction: Array, weights: Sequence[Array] | None) -> Line:
        """The outputs along a direction of one argument, or their weighted sum."""
        return self.joint_line([direction if i == argument else None for i in range(len(self.arguments))], weights)

    def joint_line(self, directions: Sequence[Array | None], weights: Sequence[Array] | None) -> Line:
        """The same where several arguments are moved at once."""
        kind = _FunctionLine if isinstance(self.node, FunctionNode) else Line
        return kind(self.plan, directions, weights)

    def near(self, argument: int, direction: Array, weights: Sequence[Array]) -> Callable[[Array], Array]:
        """The claim along a direction at neighbouring points."""

        def at(offsets: Array) -> Array:
            found = []
            for s in offsets:
                moved = [a + s * direction if i == argument else a for i, a in enumerate(self.at)]
                try:
                    claim = self.claims_at(moved, weights)[argument]
                except (Unreplayable, Refused):
                    claim = np.full(direction.shape, np.nan)
                found.append([float((claim * direction)[direction != 0].sum())])
            return np.array(found)

        return at

    def weights(self, rng: np.random.Generator) -> list[Array]:
        """A random number for each output entry, none of them near zero."""
        return [signed(shape, rng) for shape in self.shapes]

    def units(self, most: int, rng: np.random.Generator) -> Iterator[tuple[int, list[Array]]]:
        """Weights that choose one output entry at a time, with its place: all, or as many as these by chance."""
        size = self.plan.size
        for place in range(size) if size <= most else sorted(rng.permutation(size)[:most].tolist()):
            yield place, self.unit(place)

    def unit(self, place: int) -> list[Array]:
        """Weights that choose one output entry."""
        flat = np.zeros(self.plan.size)
        flat[place] = 1.0
        return self._parts(flat)

    def _parts(self, flat: Array) -> list[Array]:
        """Numbers for all outputs, each output's in its shape."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), self.shapes, strict=True)]

    def nearby(
        self, argument: int, direction: Array, weights: Sequence[Array], rng: np.random.Generator
    ) -> tuple[Array, float]:
        """Slopes along a direction at points around, where no two numbers are equal, and how far they are sure.

        A single entry that is moved comes to lie between all the others.
        """
        a = self.at[argument]
        size = np.maximum(_NEARBY * np.where(a == 0, rms(a), np.abs(a)), _TINY)
        moved = np.flatnonzero(direction)
        base = rng.standard_normal(a.size)
        points = np.tile(base, (_AROUND, 1)) if len(moved) == 1 else rng.standard_normal((_AROUND, a.size))
        if len(moved) == 1:
            others = np.sort(np.delete(base, moved[0]))
            between = (others[1:] + others[:-1]) / 2
            between = between if len(between) <= _AROUND // 2 else rng.choice(between, _AROUND // 2, replace=False)
            points[:, moved[0]] = rng.standard_normal(_AROUND)
            points[: len(between), moved[0]] = between
        # What an op that takes the first of equal numbers, or the last, has chosen.
        ramp = np.arange(a.size) / a.size
        points[-2:] = ramp, -ramp
        around = a + size * points.reshape(-1, *a.shape)
        step = direction * float(size.max()) * _SHORT / float(np.abs(direction).max())
        given = list(self.at)
        ends = []
        for sign in (1.0, -1.0):
            given[argument] = around + sign * step
            found = rows(self.plan, given, [i == argument for i in range(len(given))], _AROUND)
            ends.append(found @ np.concatenate([np.ravel(w) for w in weights]))
        length = 2 * float(size.max()) * _SHORT / float(np.abs(direction).max())
        with np.errstate(all="ignore"):
            slopes = (ends[0] - ends[1]) / length
            noise = float(self.line(argument, direction, weights).noise[0])
        slopes = slopes[np.isfinite(slopes)]
        return slopes, 2 * noise / length


def _compute_aside(own: Entry, entry: Entry) -> None:
    """Where an op of a backward was given what the op of the forward computed aside, compute that from the leaves."""
    moved = {id(x.held): mine.edge for x, mine in _pairs(entry.args, own.args) if mine.edge is not None}
    for x, mine in _pairs(entry.args, own.args):
        found = computed_aside(x.held, entry.parent) if x.edge is None and mine.edge is None else None
        if type(found) is not tuple:
            # Of no op, or of one whose only result it is: no more is known of it here than that it is this number.
            continue
        node, nr = found
        twin = copy.copy(node)
        twin.extra = None
        twin.entry = copy.copy(entry_of(node))
        twin.entry.parent = None
        twin.entry.args = tuple([_read_from(a, moved) for a in twin.entry.args])
        mine.edge = Output(twin, nr, np.asarray(x.array))
    own.parent = None


def _pairs(args: Sequence[Any], own: Sequence[Any]) -> Iterator[tuple[Operand, Operand]]:
    """The operands among arguments, each with the one that stands for it."""
    for x, mine in zip(args, own, strict=True):
        if type(x) is Operand:
            yield x, mine
        elif type(x) is list or type(x) is tuple:
            yield from _pairs(x, mine)


def _read_from(x: Any, moved: Mapping[int, Any]) -> Any:
    """An argument that is read from one of some edges, by the number it holds, or else is constant."""
    if type(x) is list or type(x) is tuple:
        return type(x)([_read_from(y, moved) for y in x])
    if type(x) is not Operand:
        return x
    own = copy.copy(x)
    own.edge = moved.get(id(x.held))
    return own


class _FunctionLine(Line):
    """A line of a custom function: nobody sees what it rounds on the way."""

    @property
    def noise(self) -> Array:
        if self._noise is None:
            apart = _APART * (self.scale or 1.0) * np.arange(-_POINTS // 2, _POINTS // 2)
            _, values = self.values(apart)
            with np.errstate(all="ignore"):
                third = np.abs(np.diff(values, 3, 0)) / _THIRD
                usual = np.nan_to_num(np.median(third, 0), nan=0.0, posinf=0.0)
            self._noise = np.maximum(super().noise, _BOUND * usual)
        return self._noise
