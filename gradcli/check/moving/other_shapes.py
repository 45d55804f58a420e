"""Custom Functions at other shapes: axes of length 1 and square matrices hide what is summed and what is transposed.

A Function is asked alone, with other operands. Which axes belong together nobody knows: an axis of length 1 is made
longer alone, and together with others; of a square matrix, any axes of its length for which the forward accepts the
change. A gradient is wrong when it is wrong however the shape was changed: it is enough that one way of changing it,
the one that was meant, is right. An axis of length 1 that is broadcast already is meant to have that length, and is
left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode
from ...engine.graph import node_of
from ...engine.modes import mode
from ...engine.random.generator import default as default_generator
from ...engine.tape.entry import Operand, entry_of
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ...spec.input.parse import nodes_of_kind
from ...spec.language.machine import said
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..blaming.each_op import LocalFault, check_node
from ..blaming.mended import mended_at, mends
from ..blaming.where_written import backward_name, computed_at, method_of, written
from ..claims.op_alone import Alone
from ..claims.plain_differences import Glance, glance
from ..judging.findings import Culprit, Finding
from ..judging.verdict import Verdict
from ..replay.custom_function.inside_function import inside
from ..replay.part_of_program import first_input
from ..replay.plan import Unreplayable
from ..replay.recorded_graph import close
from ..replay.subject import Subject
from .bonds import Bond, bonds_of, bound
from .similar_numbers import MANNERS, alike, kind_of
from .within_reach import is_within_reach

# The axes that are changed: of which operand, and which axis.
Axes = tuple[tuple[int, int], ...]

# What tells lengths.
_LENGTHS = frozenset(("len", "numel", "shape", "size"))
# What an axis of length 1 becomes.
_LONGER = 3
# A smaller number than this is seldom meant as a length.
_BY_HEART = 3
# So many axes are changed in all ways; of more only each alone and each two.
_AXES = 6


class _Way(NamedTuple):
    """A Function at another shape: its node, and the places of the arguments whose gradients seem wrong there."""

    node: Any
    doubted: set[int]


def shape_findings(
    subject: Subject, rng: np.random.Generator, there: Sequence[Subject], *, everywhere: bool
) -> tuple[list[Finding], list[Note]]:
    """Find what is wrong of custom Functions at other shapes, and what could not be asked there.

    ``there``: the program at other points: what arrives at a Function in all of them, it may rely on. ``everywhere``:
    it may rely on nothing.
    """
    found: list[Finding] = []
    notes: list[Note] = []
    asked: set[Any] = set()
    for node in subject.plan.nodes:
        if isinstance(node, FunctionNode):
            alone = _Alone(node, rng)
            key = node.function, tuple(a.shape for a in alone.arrays)
            speaks = alone.chooses_by_length or alone.by_heart
            if key not in asked and (everywhere or alone.hides_something or speaks):
                alone.learn(_arrivals(subject, there, node), everywhere)
                _ask(subject, alone, found, notes, everywhere)
            asked.add(key)
    return found, notes


def _arrivals(subject: Subject, there: Sequence[Subject], node: FunctionNode) -> Iterator[list[Array]]:
    """The operands of the same application of a Function at other points, where its shapes are the same."""
    number = [x for x in subject.plan.nodes if isinstance(x, FunctionNode)].index(node)
    for other in there:
        functions = [x for x in other.plan.nodes if isinstance(x, FunctionNode)]
        if number < len(functions) and _name(functions[number]) == _name(node):
            yield [np.asarray(x.array) for x in _entry(functions[number]).args if type(x) is Operand]


def _ask(subject: Subject, alone: _Alone, found: list[Finding], notes: list[Note], everywhere: bool) -> None:
    known: set[int] | None = None
    # A length that hides nothing by itself, the program need never change, unless the backward speaks of others.
    other = everywhere or alone.chooses_by_length
    others = [(what, ways, single) for single in (False, True) if other for what, ways in alone.lengths(single)]
    heart = [] if other else list(alone.lengths(False, alone.by_heart))
    by_heart = {what for what, _ in heart}
    others += [(what, ways, False) for what, ways in heart]
    for what, ways, single in (*((*x, False) for x in (*alone.longer(), *alone.oblong())), *others):
        first, doubted, refused = alone.asked(ways, single=single)
        if first is None and refused is not None and what.endswith(" 1"):
            notes.append(
                Note(NoteKind.DEGENERATE_SHAPE, f"{_name(alone.node)} could only be asked where {what}: {refused}")
            )
        if first is None or not doubted or is_as_ops_say(first.node, alone.rng):
            continue
        if known is None:
            known = {x.slot for x in check_node(alone.node, alone.rng)}
        for fault in check_node(first.node, alone.rng):
            if first_input(subject, alone.node, fault.slot) is None:
                continue
            if fault.slot in doubted - known and fault.verdict is Verdict.WRONG:
                known.add(fault.slot)
                if what in by_heart:
                    # The program never has another: whoever uses the Function elsewhere is told.
                    notes.append(_by_heart(alone, what, fault))
                    continue
                said = [
                    Note(NoteKind.ELSEWHERE, f"right at the given shape, wrong with {_shapes(fault)}"),
                    Note(NoteKind.DEGENERATE_SHAPE, f"{what}"),
                ]
                found.append(_finding(subject, alone.node, fault, said, alone.rng))


def is_as_ops_say(node: Any, rng: np.random.Generator) -> bool:
    """Tell whether a backward gives what the ops of its forward would, which are right where they have a derivative.

    A decomposition that chooses freely at some shapes has none: a matrix that is no square may have any basis of what
    it takes to 0.
    """
    try:
        seen, alone = inside(node, node.function, rng), Alone(node)
        weights = alone.weights(rng)
        pairs = [(seen.outs[nr], w) for nr, w in zip(alone.outputs, weights, strict=True)]
        some = [(x, result(np.array(w))) for x, w in pairs if isinstance(x, Tensor) and x.requires_grad]
        own = grad([x for x, _ in some], seen.leaves, [w for _, w in some], allow_unused=True) if some else []
        claims = alone.claims(weights)
    except raised_by_program(Unreplayable):
        # A forward may refuse to be run again, and an op a derivative.
        return False
    return len(own) == len(claims) and all(
        g is not None and g._a.shape == claim.shape and close(g._a, claim)
        for g, claim in zip(own, claims, strict=True)
    )


def functions_alone(subject: Subject, rng: np.random.Generator, *, everywhere: bool) -> list[Finding]:
    """Find what is wrong of custom Functions alone, with the operands that they have, whatever arrives at them.

    Unless it is asked for ``everywhere``, only along directions in which the program can move the operands.
    """
    found = []
    for node in subject.plan.nodes:
        if isinstance(node, FunctionNode) and _Alone(node, rng).is_doubted():
            wrong = (x for x in check_node(node, rng) if x.verdict is Verdict.WRONG)
            found += [
                _finding(subject, node, x, [], rng)
                for x in wrong
                if first_input(subject, node, x.slot) is not None
                and (everywhere or is_within_reach(subject, node, x.slot, rng))
            ]
    return found


def hides_something(a: Array) -> bool:
    """Tell whether an operand has axes of length 1, or is a square matrix."""
    return 1 in a.shape or (a.ndim > 1 and a.shape[-1] == a.shape[-2])


def _name(node: Any) -> str:
    name: str = node.function.__name__
    return name


def _by_heart(alone: _Alone, what: str, fault: LocalFault) -> Note:
    words = f"the backward of {_name(alone.node)} has it by heart that {what}: with {_shapes(fault)} its"
    return Note(NoteKind.OUT_OF_REACH, f"{words} gradient of {fault.argument} is wrong (--everywhere fails it)")


def _shapes(fault: LocalFault) -> str:
    operands = (a for a in _entry(fault.node).operands if type(a.value) is Operand)
    return ", ".join(f"{a.name} of shape {np.shape(a.value.array)}" for a in operands)


def _finding(subject: Subject, node: Any, fault: LocalFault, notes: list[Note], rng: np.random.Generator) -> Finding:
    slot = fault.slot
    given = [a.value for a in _entry(node).operands if a.slot == slot]
    names = {x.tensor._node: x.name for x in subject.inputs}
    place = subject.span_of(node)
    own = computed_at(node, slot, lambda: None)
    span, sentence = None, None
    if own is not None:
        found = mends(fault.node, None, own.statements, (), rng)
        span, sentence = mended_at(found, slot, own)
    source = span or place
    notes = [*notes, *([Note(NoteKind.LOCATED, sentence)] if sentence is not None else [])]
    return Finding(
        output=subject.id_of(node),
        input=names.get(given[0].edge, fault.argument) if given else fault.argument,
        order=1,
        verdict=Verdict.WRONG,
        notes=notes,
        entries=1,
        wrong_entries=1,
        worst=fault.worst,
        table=[fault.worst],
        signature=fault.signature,
        node=Culprit(
            subject.id_of(node),
            backward_name(node) if written(node) is not None else subject.name_of(node),
            source,
            fault.argument,
            applied=None if own is None else place,
        ),
        span=source,
    )


def _entry(node: Any) -> Any:
    return entry_of(node)


class _Alone:
    """A custom Function with the operands of one application, to be applied to others."""

    def __init__(self, node: FunctionNode, rng: np.random.Generator) -> None:
        self.node = node
        self.rng = rng
        self.args = _entry(node).args
        self.places = [i for i, x in enumerate(self.args) if type(x) is Operand]
        self.arrays: list[Array] = [np.asarray(self.args[i].array) for i in self.places]
        self.names = [_entry(node).names[i] for i in self.places]
        # What ties the numbers of each operand, and what other numbers arrive there.
        self.bonds: list[list[Bond]] = [[] for _ in self.arrays]
        self.others: list[list[Array]] = [[] for _ in self.arrays]

    def learn(self, arrivals: Iterator[list[Array]], everywhere: bool) -> None:
        """Take in what the Function is given at other points of the program, and what all of that has in common."""
        if everywhere:
            return
        every = [self.arrays, *arrivals]
        for k, a in enumerate(self.arrays):
            there = [x[k] for x in every if len(x) == len(self.arrays) and x[k].shape == a.shape]
            words = [{bond.words for bond in bonds_of(x)} for x in there]
            self.bonds[k] = [bond for bond in bonds_of(a) if all(bond.words in said for said in words)]
            self.others[k] = there[1:]

    # -- ways to change the shape ------------------------------------------------------------

    @cached_property
    def chooses_by_length(self) -> bool:
        """Tell whether the backward decides by the lengths of tensors, which are the same at all points."""
        backward = written(self.node)
        return backward is not None and _asks_for_lengths(backward.node)

    @cached_property
    def by_heart(self) -> set[int]:
        """The lengths that the backward names as numbers, and the forward does not."""
        methods = [method_of(self.node, name) for name in ("backward", "forward", "setup_context")]
        backward, *forwards = [set() if x is None else _whole_numbers(x.node) for x in methods]
        lengths = {n for a in self.arrays if a.dtype.kind == "f" for n in a.shape}
        return {n for n in lengths & backward - set().union(*forwards) if n >= _BY_HEART}

    @property
    def hides_something(self) -> bool:
        """Tell whether there are axes of length 1, or square matrices."""
        return any(map(hides_something, self.arrays))

    def longer(self) -> Iterator[tuple[str, Iterator[Axes]]]:
        """Ways to make axes of length 1 longer, for each place that they have counted from the last axis."""
        ones = [(k, axis) for k, a in enumerate(self.arrays) for axis, n in enumerate(a.shape) if n == 1]
        by_place: dict[int, list[tuple[int, int]]] = {}
        for k, axis in ones:
            place = axis - self.arrays[k].ndim
            if not self._is_broadcast(place):
                by_place.setdefault(place, []).append((k, axis))
        for place, own in sorted(by_place.items()):
            others = [x for x in ones if x not in own]
            ways = (some for some in _subsets([*own, *others]) if any(x in own for x in some))
            yield f"axis {place} of {' and '.join(self.names[k] for k, _ in own)} has length 1", ways

    def _is_broadcast(self, place: int) -> bool:
        """Tell whether an axis of length 1 at a place, counted from the last, stands for a longer one."""
        shapes = [np.shape(y) for y in _entry(self.node).outputs if y is not None]
        there = [shape[place] for shape in shapes if len(shape) >= -place]
        return any(n != 1 for n in there or [a.shape[place] for a in self.arrays if a.ndim >= -place])

    def oblong(self) -> Iterator[tuple[str, Iterator[Axes]]]:
        """Ways to make square matrices into others, for each length."""
        lengths = {
            a.shape[-1] for a in self.arrays if a.ndim >= 2 and a.shape[-1] == a.shape[-2] >= 2 and a.dtype.kind == "f"
        }
        tied = {k for k, bonds in enumerate(self.bonds) if any(bond.square for bond in bonds)}
        for n in sorted(lengths):
            axes = [(k, i) for k, a in enumerate(self.arrays) for i, m in enumerate(a.shape) if m == n]
            if tied & {k for k, _ in axes}:
                # Nothing but a square matrix is what that one is.
                continue
            yield f"there are square matrices of size {n}", (some for some in _subsets(axes) if len(some) < len(axes))

    def lengths(self, single: bool, among: set[int] | None = None) -> Iterator[tuple[str, Iterator[Axes]]]:
        """Ways to change every other length, or to make any a single one: a backward may have one by heart.

        ``among``: the lengths that are changed, of all.
        """
        square = {a.shape[-1] for a in self.arrays if a.ndim >= 2 and a.shape[-1] == a.shape[-2] and not single}
        # What is also said by a number, the shape alone does not decide.
        said = {x for arg in self.args for x in (arg if isinstance(arg, (tuple, list)) else (arg,)) if type(x) is int}
        own = {n for a in self.arrays if a.dtype.kind == "f" for n in a.shape if n > 1}
        for n in sorted((own if among is None else own & among) - square - said):
            axes = [(k, i) for k, a in enumerate(self.arrays) for i, m in enumerate(a.shape) if m == n]
            yield f"there are axes of length {n}", _subsets(axes)

    # -- asking ------------------------------------------------------------------------------

    def asked(self, ways: Iterator[Axes], *, single: bool = False) -> tuple[_Way | None, set[int], str | None]:
        """The first way that forward and backward accept, what seems wrong in all of them, and how one refused.

        ``single``: the axes get the length 1.
        """
        first: _Way | None = None
        doubted: set[int] = set()
        refused = None
        for axes in ways:
            args = self._arguments(axes, single)
            outs = self._applied(args)
            if not outs:
                continue
            try:
                way = self._compared(args, outs)
            except raised_by_program() as error:
                # A custom backward may raise anything: at this shape it gives no answer.
                refused = said(error)
                continue
            if way is not None:
                first = way if first is None else first
                doubted = way.doubted if way is first else doubted & way.doubted
                if not doubted:
                    break
        return first, doubted, refused

    def is_doubted(self) -> bool:
        """Tell whether differences do not agree with what is claimed with the operands as they are."""
        args = list(self.args)
        for place, a in zip(self.places, self.arrays, strict=True):
            made: Any = result(np.array(a))
            args[place] = made.requires_grad_() if self._is_own(place, a) else made
        outs = self._applied(args)
        try:
            way = self._compared(args, outs) if outs else None
        except raised_by_program():
            # A custom backward may raise anything, and then claims nothing.
            return False
        return way is not None and bool(way.doubted)

    def _is_own(self, place: int, a: Array) -> bool:
        return self.args[place].edge is not None and a.dtype.kind == "f"

    def _compared(self, args: Sequence[Any], outs: Sequence[Tensor]) -> _Way | None:
        """Set claims beside differences along one direction of each argument; nothing where they are not finite."""
        weights = [result(np.asarray(self.rng.standard_normal(y._a.shape), y._a.dtype)) for y in outs]
        slots = [a.slot for a in _entry(self.node).operands]
        own = [(slot, args[i]) for slot, i in zip(slots, self.places, strict=True) if args[i].requires_grad]
        claims = grad(outs, [x for _, x in own], weights, retain_graph=True, allow_unused=True)
        doubted: set[int] = set()
        for (slot, leaf), g in zip(own, claims, strict=True):
            claim = np.zeros(leaf._a.shape) if g is None else g._a
            if not np.isfinite(claim).all():
                return None
            if slot is not None and not self._agrees(args, leaf, weights, claim):
                doubted.add(slot)
        return _Way(node_of(outs[0]._node), doubted)

    def _agrees(self, args: Sequence[Any], leaf: Tensor, weights: Sequence[Tensor], claim: Array) -> bool:
        def total(values: Array) -> float:
            moved: Any = result(values)
            outs = self._applied([moved.requires_grad_() if x is leaf else x for x in args])
            with np.errstate(all="ignore"):
                return sum(float((y._a * w._a).sum()) for y, w in zip(outs, weights, strict=False))

        values = np.asarray(leaf._a)
        return glance(lambda several: [total(x) for x in several], values, claim, self.rng) is Glance.RIGHT

    def _arguments(self, axes: Axes, single: bool) -> list[Any]:
        """The arguments with these axes changed."""
        args = list(self.args)
        for k, place in enumerate(self.places):
            own = self._is_own(place, self.arrays[k])
            made: Any = result(self._changed(k, [axis for other, axis in axes if other == k], own, single))
            args[place] = made.requires_grad_() if own else made
        return args

    def _applied(self, args: Sequence[Any]) -> list[Tensor]:
        """The outputs that have a gradient; nothing where the forward refuses."""
        out = _quietly(lambda: self.node.function.apply(*args))
        outs = [y for y in (out if isinstance(out, tuple) else (out,)) if isinstance(y, Tensor) and y.requires_grad]
        return outs if all(y._a.dtype.kind == "f" and np.isfinite(y._a).all() for y in outs) else []

    def _changed(self, k: int, axes: Sequence[int], own: bool, single: bool) -> Array:
        """An operand with some of its axes longer, or of length 1: with numbers of its own, others of their kind where
        it may have."""
        a = self.arrays[k]
        if own and len(axes) == 1 and a.shape[axes[0]] == 1 and self.others[k]:
            # What arrives there is what it is meant for.
            many = [a, *self.others[k]]
            return np.concatenate([many[i % len(many)] for i in range(_LONGER)], axes[0])
        for axis in axes:
            n = a.shape[axis]
            some: Array = np.zeros(0 if single else _LONGER - 1, int) if single or n == 1 else self.rng.permutation(n)
            a = np.take(a, np.append(some, self.rng.integers(n)).astype(int), axis)
        if not own:
            return a.copy()
        made = alike(a, kind_of(self.arrays[k])._replace(symmetric=False), self.rng, MANNERS[0])
        return bound(self.bonds[k], made)


def _asks_for_lengths(function: ast.AST) -> bool:
    """Tell whether a condition in a function names a length, or a variable that was made of one."""
    named = set(_LENGTHS)

    def names_some(tree: ast.AST) -> bool:
        return any(getattr(x, "id", getattr(x, "attr", None)) in named for x in ast.walk(tree))

    for statement in nodes_of_kind(function, ast.Assign):
        if names_some(statement.value):
            named |= {x.id for target in statement.targets for x in ast.walk(target) if isinstance(x, ast.Name)}
    conditions: list[ast.If | ast.IfExp | ast.While] = [
        *nodes_of_kind(function, ast.If), *nodes_of_kind(function, ast.IfExp), *nodes_of_kind(function, ast.While)
    ]  # fmt: skip
    return any(names_some(x.test) for x in conditions)


def _whole_numbers(function: ast.AST) -> set[int]:
    return {x.value for x in nodes_of_kind(function, ast.Constant) if type(x.value) is int}


def _subsets(axes: Sequence[tuple[int, int]]) -> Iterator[Axes]:
    """All choices of some axes, the smallest first; of many axes each, each two, and all."""
    sizes = range(1, len(axes) + 1) if len(axes) <= _AXES else (1, 2, len(axes))
    return (some for size in sizes for some in combinations(axes, size))


def _quietly(apply: Callable[[], Any]) -> Any:
    """Call a Function, recorded, always with the same random numbers; nothing where it refuses."""
    before = mode.grad
    drawn = default_generator.get_state()
    mode.grad = True
    try:
        with recording(), np.errstate(all="ignore"):
            return apply()
    except raised_by_program():
        # A forward may raise anything: it is not meant for this shape.
        return ()
    finally:
        mode.grad = before
        default_generator.set_state(drawn)
