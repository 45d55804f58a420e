"""Derivatives of order 2 and more: of each order the gradient is what the next one is judged against.

The truth of order k is the slope of the gradient of order k - 1 as an ordinary backward gives it at moved points. The
recorded backward, evaluated again, is cheaper, and can be read with complex numbers; but it holds constant what a
backward computed outside the graph: masks, which change nothing nearby, and what a function of the program's own
detaches, which does. So both are compared at points nearby; where they differ, every point has its own backward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.modes import mode
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import GradcliError, InputError, SpecError, raised_by_program
from ...graph.view.gradients import words
from ...graph.view.roots import SUPERSCRIPTS, nth
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..claims.passes import keeping, tensor_like, weights_of
from ..replay.assumed_by_program import keep, premises
from ..replay.assumptions import Premise
from ..replay.forward_rounding import Noise, measured
from ..replay.line import flattened
from ..replay.one_op import Change
from ..replay.plan import Plan, Unreplayable
from ..replay.recorded_graph import Graph
from ..replay.subject import Output, Subject

# How far the leaves are moved, for their size, to compare two ways to a gradient: so little that no kink lies between,
# and so much that the smallest part that is missed shows.
_NEARBY = (1e-5, 1e-2)
# Two ways that differ by more than this share of the gradient differ by more than rounding.
_APART = 1e-11

# Where each point is a backward of its own, what differences confirm so closely is not looked at again.
_ASSURED = 1e-8

# A run of the program and a backward, recorded, take twice as long as the run.
_SHARE = 0.5

# Of how many neighbours, how far apart for the size of the leaves, values are compared to see their rounding.
_NEIGHBOURS, _SPACING = 12, 2.0**-42
# How much larger an error may be than what third differences show.
_SPREAD = 2.0

# The bytes that gradients which are remembered may take.
_REMEMBERED = 2**24


class Part(NamedTuple):
    """Which derivative an output is: of an output of the program, with respect to these inputs in turn."""

    of: str
    by: tuple[str, ...]

    def then(self, name: str) -> Part:
        """Its derivative with respect to one more input."""
        return Part(self.of, (*self.by, name))

    @property
    def name(self) -> str:
        """As it is written: `d²(out)/dx dy`."""
        power = "" if len(self.by) == 1 else str(len(self.by)).translate(SUPERSCRIPTS)
        times = {name: self.by.count(name) for name in self.by}
        if len(times) == 1:
            return f"d{power}({self.of})/d{_bare(self.by[0])}{power}"
        return f"d{power}({self.of})/" + " ".join(f"d{_bare(name)}" for name in self.by)


class Derivative(Subject):
    """A subject whose outputs are the gradients of another's outputs with respect to its inputs.

    An output of several numbers is differentiated as their sum with ``weights``, which stay the same. A gradient that
    is constant has no graph: its derivatives are zeros.
    """

    def __init__(self, base: Subject, seed: int) -> None:
        self.base = base
        self.order = base.order + 1
        self.weights = [weights_of(y.tensor, seed + i) for i, y in enumerate(base.outputs)]
        with recording(base.tape), keeping(base):
            found = _gradients([y.tensor for y in base.outputs], [x.tensor for x in base.inputs], self.weights, True)
        # Which output of the base each output is the gradient of, and with respect to which input.
        made = {(o, i): g for o, row in enumerate(found) for i, g in enumerate(row) if g is not None}
        self.places = list(made)
        self.parts = [_part(base, o).then(base.inputs[i].name) for o, i in made]
        outputs = [
            Output(part.name, g, base.outputs[o].span, None)
            for part, ((o, _), g) in zip(self.parts, made.items(), strict=True)
        ]
        super().__init__(
            base.spec,
            base.inputs,
            outputs,
            Graph([y.tensor for y in outputs if y.tensor._node is not None], base._graph.names),
            base.tape,
            lambda arrays: Derivative(base._again(arrays), seed),
            trace=base.trace,
            directives=base.directives,
            fixed=base._fixed,
            reruns=base.reruns * _SHARE,
            repeats=base.repeats * _SHARE,
            told=base._told,
        )

    @cached_property
    def plan(self) -> Plan:
        """The gradients, to be evaluated again."""
        return self._evaluated

    @cached_property
    def _evaluated(self) -> _Gradients:
        return _Gradients(self)

    @property
    def replays(self) -> bool:
        """Tell whether the recorded backward, evaluated again nearby, gives what a backward there gives."""
        return self._evaluated.replays

    def claim(self, weights: Sequence[Any]) -> list[Array | None]:
        """Ask the backward of the backward; nothing starts at a gradient that is constant."""
        graphs = [y.tensor._node is not None for y in self.outputs]
        return super().claim([w if has else None for w, has in zip(weights, graphs, strict=True)])

    def notes(self) -> list[Note]:
        """Why this derivative may be wrong though the one before is right, as far as that is known."""
        if self.replays:
            return []
        own = dict.fromkeys(self.name_of(node) for node in self.base.nodes if isinstance(node, FunctionNode))
        which = f"the backward of {', '.join(own)}" if own else "a backward"
        return [
            Note(
                NoteKind.NOT_RECORDED,
                f"{which} computes with numbers that its graph does not show: the next order misses them",
            )
        ]


def derived(subject: Subject, *, seed: int = 0) -> Derivative:
    """The gradients of a subject's outputs with respect to its inputs, as what is checked next.

    A derivative that does not exist is an InputError; one of what is linear is zero.
    """
    try:
        made = Derivative(subject, seed)
        made.claim([np.ones(y.tensor._a.shape) for y in made.outputs])
        _refuse_blocked(made)
    except SpecError:
        raise
    except raised_by_program() as error:
        of = ", ".join(y.name for y in subject.outputs)
        raise InputError(
            f"{of} has no {nth(subject.order + 1)} derivative: {words(error)}",
            span=error.span if isinstance(error, GradcliError) else None,
            help="leave --order out, or write a backward that can be differentiated",
            code="E503",
        ) from None
    return made


def _refuse_blocked(made: Derivative) -> None:
    """Refuse a backward that says itself that it has no derivative: it says so only of what arrives with a graph."""
    base = made.base
    if not any(isinstance(node, FunctionNode) for node in base.nodes):
        return
    leaves = [x.tensor for x in base.inputs]
    with keeping(base):
        for output, w in zip(base.outputs, made.weights, strict=True):
            if output.tensor._node is None:
                continue
            start = tensor_like(w, output.tensor).requires_grad_()
            try:
                found = grad(output.tensor, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
            except raised_by_program():
                # One that takes no gradient with a graph, as g.numpy() does not, has given one without: that is judged.
                continue
            gradients = [g for g in found if g is not None and g._node is not None]
            if gradients:
                ones = [tensor_like(np.ones(g._a.shape), g) for g in gradients]
                grad(gradients, [start, *leaves], ones, retain_graph=True, allow_unused=True)


class _Gradients(Plan):
    """The gradients of a plan's outputs at other values of the leaves."""

    replays = True

    def __init__(self, derivative: Derivative) -> None:
        roots, leaves = ([x.tensor for x in several] for several in (derivative.outputs, derivative.inputs))
        super().__init__(roots, leaves)
        self._base = derivative.base.plan
        self._weights = derivative.weights
        self._places = derivative.places
        self._sizes = [y.tensor._a.shape for y in derivative.outputs]
        # The gradients at points, by the bytes of these, and how many bytes they may still take.
        self._known: dict[bytes, list[Any]] = {}
        self._room = _REMEMBERED
        self.replays = all(self._is_replayed(point) for point in nearby(self.at, premises(self.nodes)))
        self.at_once &= self.replays
        if not self.replays:
            scatter = self._scatter()
            for moved in (False, True):
                self.kept["noise", moved] = _Scattered(measured(self, self.at, moved), scatter)

    @property
    def assured(self) -> float:
        """The distance of differences alone from a claim, of its size, that leaves no doubt of it."""
        return super().assured if self.replays else _ASSURED

    def recorded(self, arrays: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients by an ordinary backward that is recorded, and new leaves."""
        return self._backward(arrays, True)

    def batch(
        self, arrays: Sequence[Any], moved: Sequence[bool], count: int, change: Change | None = None
    ) -> list[Any]:
        """The gradients at many points: by replay for all at once, or each by a backward of its own."""
        if self.replays:
            return super().batch(arrays, moved, count, change)
        if any(np.iscomplexobj(a) for a in arrays):
            raise Unreplayable(None, "a backward is no function of complex numbers")
        points = [self.outputs([a[i] if m else a for a, m in zip(arrays, moved, strict=True)]) for i in range(count)]
        return [np.stack(x) for x in zip(*points, strict=True)]

    def outputs(self, arrays: Sequence[Any]) -> list[Any]:
        """The gradients at one point; of those that took a backward of their own some are remembered."""
        if self.replays:
            return super().outputs(arrays)
        # Lines through the same point in one direction meet the same points, for each row and each side.
        key = b"".join([part for a in map(np.asarray, arrays) for part in (a.dtype.char.encode(), a.tobytes())])
        if key not in self._known:
            made = [g._a for g in self._backward(arrays, True)[0]]
            self._room -= len(key) + sum(np.asarray(a).nbytes for a in made)
            if self._room < 0:
                return made
            self._known[key] = made
        return list(self._known[key])

    def _backward(self, arrays: Sequence[Any], create_graph: bool) -> tuple[list[Tensor], list[Tensor]]:
        before = mode.tape
        mode.use(None)
        try:
            roots, leaves = self._base.recorded(arrays)
            found = _gradients(roots, leaves, self._weights, create_graph)
        finally:
            mode.use(before)
        gradients = [found[o][i] for o, i in self._places]
        zeros = (result(np.zeros(shape)) for shape in self._sizes)
        return [zero if g is None else g for g, zero in zip(gradients, zeros, strict=True)], leaves

    def _is_replayed(self, arrays: list[Array]) -> bool:
        """Tell whether replay gives what a backward gives; where neither can be computed there is nothing to tell."""
        try:
            there = [np.asarray(g._a) for g in self._backward(arrays, True)[0]]
        except raised_by_program():
            # There is no other way to it than replay.
            return True
        return all(map(same, super().outputs(arrays), there))

    def _scatter(self) -> Array:
        """Measure how the gradients at neighbouring points scatter: that is rounding, part of which no graph shows."""
        random = np.random.default_rng(0)
        direction = [np.where(a == 0, 1.0, a) * random.uniform(-1, 1, np.shape(a)) for a in self.at]
        rows = []
        for t in _SPACING * np.arange(-_NEIGHBOURS // 2, _NEIGHBOURS // 2):
            found = self.outputs([a + t * d for a, d in zip(self.at, direction, strict=True)])
            rows.append(flattened(found))
        third = np.diff(rows, 3, axis=0)
        # Where a gradient jumps between two neighbours, that is no noise.
        calm = np.argsort(np.abs(third).max(1))[: len(third) // 2 + 1]
        return np.asarray(third[calm])


class _Scattered(Noise):
    """Rounding as a graph has it, or as the values show it: whatever is larger."""

    def __init__(self, shown: Noise, scatter: Array) -> None:
        self._shown = shown
        self._scatter = scatter

    def bound(self) -> Array:
        """A bound on the rounding error of each output."""
        return np.asarray(np.maximum(self._shown.bound(), _SPREAD * np.max(np.abs(self._scatter), 0)))

    def weighted(self, weights: Array) -> Array:
        """A bound on the rounding error of sum(w * f)."""
        seen = _SPREAD * np.max(np.abs(self._scatter @ weights))
        return np.asarray(np.maximum(self._shown.weighted(weights), seen))


def same(one: Any, other: Array) -> bool:
    """Tell whether two gradients differ by no more than rounding may bring about."""
    one = np.asarray(one)
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(other), initial=0.0, where=np.isfinite(other))
        close = np.abs(one - other) <= _APART * (np.abs(other) + 1e-3 * largest)
    return bool(np.all(close | (one == other) | ~(np.isfinite(one) & np.isfinite(other))))


def nearby(at: Sequence[Any], held: Sequence[Premise] = ()) -> Iterator[list[Array]]:
    """Points beside the one at which a graph was recorded: to compare two ways to evaluate it.

    ``held``: what arguments are taken to be, which inputs that are so stay.
    """
    random = np.random.default_rng(0)
    for far in _NEARBY:
        moves = [far * np.where(a == 0, 1.0, a) * random.uniform(-1, 1, np.shape(a)) for a in at]
        yield keep(held, at, [a + move for a, move in zip(at, moves, strict=True)])


def _gradients(
    roots: Sequence[Tensor], leaves: Sequence[Tensor], weights: Sequence[Array], create_graph: bool
) -> list[list[Tensor | None]]:
    """For each root its gradients; None for a leaf that it does not reach."""
    found: list[list[Tensor | None]] = []
    for root, w in zip(roots, weights, strict=True):
        if root._node is None:
            # What is constant has zeros.
            found.append([result(np.zeros(x._a.shape)[()]) for x in leaves])
            continue
        start = tensor_like(w, root)
        found.append(list(grad(root, leaves, start, retain_graph=True, create_graph=create_graph, allow_unused=True)))
    return found


def _part(subject: Subject, output: int) -> Part:
    if isinstance(subject, Derivative):
        return subject.parts[output]
    return Part(subject.outputs[output].name, ())


def _bare(name: str) -> str:
    return name if name.isidentifier() else f"({name})"
