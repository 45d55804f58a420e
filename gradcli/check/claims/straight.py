"""Straight Functions, that choose nothing by their numbers: what is found of one is known of all of its kind.

Those are of a kind that are given arguments of the same shapes and dtypes. And since all that their methods do is
recorded, forward and backward are evaluated again at many points at once, one beside the other. So are those of
Functions that choose by their numbers, as long as only ops choose: then a graph of values shows how.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.function import FunctionNode, bare_backward_of
from ...engine.graph import LEAF
from ...engine.modes import mode
from ...engine.ops.make.converting import clone
from ...engine.tape.entry import Entry, Operand, entry_of, operands_in
from ...engine.tape.tape import recording
from ...engine.tensor import Tensor, result
from ...errors import raised_by_program
from ..arrays import Array
from ..replay.custom_function.following import Following
from ..replay.custom_function.inside_function import Inside, inside, run_forward
from ..replay.custom_function.recorded_forward import loses_numbers
from ..replay.forward_rounding import noise_of_each
from ..replay.only_ops import is_given_more, is_pure
from ..replay.plan import Plan, Unreplayable
from ..replay.recorded_graph import close
from ..replay.subject import Subject, custom
from ..slopes.magnitude import signed

# The height of a complex step, of the size of what is moved, and how close it comes to a claim that is right, of all
# parts of that together.
_HEIGHT, _CLOSE = 1e-30, 1e-11
# How close one comes whose own rounding explains the rest, and the factor that a bound on rounding counts with.
_CLOSEST_ROUNDED, _ROUNDING = 1e-8, 2.0
# How well a graph and the backward itself must agree, and what else arrives: powers of two are exact.
_AGREE, _HALF = 1e-11, -0.5
# Under what a plan keeps which of its Functions are straight.
_STRAIGHT = "straight"


def insides(plan: Plan, nodes: Iterable[FunctionNode], rng: np.random.Generator) -> Iterator[tuple[Any, Inside]]:
    """The inside of each of some Functions of a graph that may do otherwise than one before it."""
    straight: list[FunctionNode] = []
    for node in nodes:
        if any(_do_the_same(plan, node, other) for other in straight):
            continue
        recorded = plan.functions.get(node)
        seen = inside(node, node.function, rng) if recorded is None else recorded.seen(rng)
        if not seen.watch.varies:
            straight.append(node)
        yield node, seen
    plan.kept[_STRAIGHT] = [node for node in straight if is_pure(node.function)]


def may_choose(subject: Subject, first: Subject, on_way: bool) -> list[FunctionNode]:
    """The Functions of another run that may choose something there: ``first`` has none of its kind that is straight.

    ``on_way``: whether no more than what they choose is asked of this run.
    """
    straight: list[FunctionNode] = first.plan.kept.get(_STRAIGHT, [])
    own, others = (_functions(x.nodes) for x in (subject, first))
    if len(own) == len(others):
        if subject.like is first.plan:
            # It was recorded from the first graph: each was given what its twin there was, but for the numbers.
            pairs = zip(own, others, strict=True)
            return [node for node, twin in pairs if not any(_do_the_same(first.plan, twin, x) for x in straight)]
        if on_way and others == custom(first):
            # To find them by a plan, as where they may be asked more, takes much longer.
            return own
    return custom(subject)


def _functions(nodes: Iterable[Any]) -> list[FunctionNode]:
    return [node for node in nodes if isinstance(node, FunctionNode)]


def are_straight(subject: Subject, own: Iterable[FunctionNode], rng: np.random.Generator) -> bool:
    """Tell whether Functions are known to do the same whatever their numbers are, and whenever they are called."""
    own = list(own)
    try:
        return all(is_pure(x.function) for x in own) and all(
            not seen.watch.varies for _, seen in insides(subject.plan, own, rng)
        )
    except Unreplayable:
        return False
    except raised_by_program():
        # What is wrong with a forward that stops, others tell.
        return False


def kinds(plan: Plan, nodes: Iterable[FunctionNode]) -> list[list[FunctionNode]]:
    """Functions of a graph by their kinds."""
    found: list[list[FunctionNode]] = []
    for node in nodes:
        alike = next((some for some in found if _do_the_same(plan, node, some[0])), None)
        if alike is None:
            found.append([node])
        else:
            alike.append(node)
    return found


def _do_the_same(plan: Plan, node: FunctionNode, other: FunctionNode) -> bool:
    """Tell whether two applications of a Function do the same, unless their numbers choose otherwise."""
    own, its = plan.functions.get(node), plan.functions.get(other)
    return own is not None and its is not None and own.is_like(its)


def can_be_asked(plan: Plan, node: FunctionNode, *, others_stay: bool) -> bool:
    """Tell whether `are_right` has an answer elsewhere; ``others_stay``: what else than its operands a Function may
    choose by is the same there."""
    entry = entry_of(node)
    try:
        both = _recorded(plan, node)
    except raised_by_program():
        # A method may raise anything when it is run again.
        return False
    if both is None or entry is None:
        return False
    has_others = not is_pure(node.function) or any(type(x) is Operand and x.edge is None for x in entry.args)
    return others_stay or not (both.choose and has_others)


class _Both(NamedTuple):
    """The forward of a Function from its operands, and its backward from these and from what arrives at its outputs."""

    forward: Plan
    # Which of the forward's leaves are operands: others are constants.
    moves: list[bool]
    # None where only the backward itself says what it passes on.
    backward: Plan | None
    # Whether ops in them choose by numbers.
    choose: bool


def are_right(plan: Plan, node: FunctionNode, points: Sequence[Sequence[Array]], rng: np.random.Generator) -> bool:
    """Tell whether complex step says that the gradients of a Function are right: with each of some operands, along a
    direction of each argument, whatever arrives. The graph of its forward has to be known."""
    try:
        return _are_right(plan, node, points, rng)
    except raised_by_program():
        # An op may refuse numbers that are none of its domain.
        return False


def _are_right(plan: Plan, node: FunctionNode, points: Sequence[Sequence[Array]], rng: np.random.Generator) -> bool:
    both = _recorded(plan, node)
    if both is None or both.forward.is_of_complex or any(np.size(a) == 0 for a in both.forward.at):
        return False
    forward, moves = both.forward, both.moves
    count, several = len(points), sum(moves)
    weights = [signed(shape, rng) for shape in forward.shapes]
    with np.errstate(all="ignore"):
        at = [np.stack(operands) for operands in zip(*points, strict=True)]
        claims = _claimed(node, both, points, at, weights)
        if claims is None:
            return False
        ways = [rng.standard_normal(a.shape) * np.where(a == 0, 1.0, np.abs(a)) for a in at]
        moved = [np.array([a] * several, np.complex128) for a in at]
        for i, way in enumerate(ways):
            moved[i][i] += 1j * _HEIGHT * way
        along = iter([a.reshape(-1, *a.shape[2:]) for a in moved])
        given = [next(along) if m else a for a, m in zip(forward.at, moves, strict=True)]
        made = forward.batch(given, moves, several * count)
        parts = [(w * np.imag(y)).reshape(several * count, -1).sum(1) for w, y in zip(weights, made, strict=True)]
        slopes = np.sum(parts, 0) / _HEIGHT
        shares = [(g * way).reshape(count, -1) for g, way in zip(claims, ways, strict=True)]
        claimed = np.concatenate([share.sum(1) for share in shares])
        sizes = np.concatenate([np.abs(share).sum(1) for share in shares])
        off = np.abs(slopes - claimed)
        if both.backward is not None and np.any(off > _CLOSE * sizes) and np.all(off <= _CLOSEST_ROUNDED * sizes):
            # A backward that subtracts what is nearly the same, as s * (1 - s) does, is no closer than it can be.
            several_points = [[*operands, *weights] for operands in points]
            bounds = zip(*noise_of_each(both.backward, several_points), strict=True)
            reach = [(np.stack(b) * np.abs(way)).reshape(count, -1).sum(1) for b, way in zip(bounds, ways, strict=True)]
            off -= _ROUNDING * np.concatenate(reach)
        return bool(np.all(off <= _CLOSE * sizes) and np.isfinite(sizes).all())


def _claimed(
    node: FunctionNode, both: _Both, points: Sequence[Sequence[Array]], at: Sequence[Array], weights: Sequence[Array]
) -> Sequence[Array] | None:
    """The gradients that are passed on to each argument at all points; None where the backward does otherwise than was
    recorded of it, or is not linear in what arrives."""
    from .op_alone import Alone

    if both.backward is None:
        alone = Alone(node)
        return [np.stack(several) for several in zip(*(alone.claims_at(x, weights) for x in points), strict=True)]
    several, others = [True] * len(at), [False] * len(weights)
    claims = both.backward.batch([*at, *weights], [*several, *others], len(points))
    if both.choose:
        halves = both.backward.batch([*at, *(_HALF * w for w in weights)], [*several, *others], len(points))
        # What ops choose by is in the graph; that it is all in there shows where they choose otherwise.
        own = Alone(node).claims_at(points[-1], weights)
        pairs = [
            *zip([_HALF * a for a in claims], halves, strict=True),
            *zip(own, (b[-1] for b in claims), strict=True),
        ]
        if not all(close(a, b, _AGREE) for a, b in pairs):
            return None
    return claims


def _recorded(plan: Plan, node: FunctionNode) -> _Both | None:
    """Both directions of a Function, recorded once; None where no graph shows all that its forward does."""
    forward, entry = plan.functions.get(node), entry_of(node)
    if forward is None or entry is None:
        # It is on the way from none of the leaves.
        return None
    known: dict[FunctionNode, _Both | None] = plan.kept.setdefault(_recorded, {})
    if node not in known:
        seen = forward.seen(np.random.default_rng(0))
        is_straight = is_pure(node.function) and not seen.watch.varies
        both = _of_straight(entry, seen, forward.plan) if is_straight else None
        known[node] = _of_choosing(node, entry, forward.plan) if both is None else both
    return known[node]


def _of_straight(entry: Entry, seen: Inside, forward: Plan | None) -> _Both | None:
    backward = _backward_of(entry, seen.leaves, seen.watch.arriving, seen.outs, seen.passed)
    if forward is None or backward is None or len(forward.at) != len(seen.leaves):
        return None
    return _Both(forward, [True] * len(forward.at), backward, False)


def _of_choosing(node: FunctionNode, entry: Entry, forward: Plan | None) -> _Both | None:
    """The same of a Function whose ops choose: also what has no gradient is followed."""
    operands = [x.array for x in entry.args if type(x) is Operand and x.edge is not None]
    if any(a is None or a.dtype.kind != "f" for a in (*operands, *entry.outputs)):
        return None
    moves = [x.edge is not None for x in entry.args if type(x) is Operand and x.array.dtype.kind == "f"]
    if forward is None or node.hides_complex or is_given_more(node) or len(forward.at) != len(moves):
        return None
    backward = _followed(node, entry, operands) if is_pure(node.function) else None
    return _Both(forward, moves, backward, True)


def _followed(node: FunctionNode, entry: Entry, operands: Sequence[Array]) -> Plan | None:
    """The backward of a Function that is known to do the same of the same numbers, unless Python code chooses in it."""
    watch, rng = Following(), np.random.default_rng(0)
    before = mode.grad, mode.rule
    mode.grad, mode.rule = True, False
    try:
        with recording(watch), np.errstate(all="ignore"):
            weights = [signed(np.shape(a), rng) for a in entry.outputs]
            leaves, arriving = ([result(np.array(a)).requires_grad_() for a in x] for x in (operands, weights))
            left = iter(leaves)
            ctx = type(node)(node.needs_input_grad)
            made = run_forward(node.function, ctx, tuple([_given(x, left) for x in entry.args]))
            passed = bare_backward_of(node.function)(ctx, *map(clone, arriving))
    finally:
        mode.grad, mode.rule = before
    if watch.ran_backward or watch.reads_more or watch.truths:
        return None
    outs, passed = (x if isinstance(x, tuple) else (x,) for x in (made, passed))
    return _backward_of(entry, leaves, arriving, outs, [watch.rooted(x) for x in passed])


def _given(x: Any, leaves: Iterator[Tensor]) -> Any:
    """An argument, free to be written to."""
    if type(x) is not Operand:
        return x
    return result(np.array(x.array)) if x.edge is None else clone(next(leaves))


def _backward_of(
    entry: Entry, leaves: Sequence[Tensor], arriving: Sequence[Any], outs: Sequence[Any], passed: Sequence[Any]
) -> Plan | None:
    """The backward from operands, and what arrives at the outputs, to what is passed on; None where it shows less."""
    if len(passed) < len(entry.args) or not all(isinstance(x, Tensor) for x in arriving):
        return None
    made = [passed[i] for i, x in enumerate(entry.args) if getattr(x, "edge", None) is not None]
    if len(made) != len(leaves) or len(arriving) != len(outs):
        return None
    pairs = zip(made, leaves, strict=True)
    if any(not isinstance(g, Tensor) or g._node is None or g._a.shape != x._a.shape for g, x in pairs):
        return None
    plan = Plan(made, [*leaves, *arriving])
    known = {x._node for x in (*leaves, *arriving)}
    operands = (x for node in plan.nodes for x in operands_in(node.entry.args) if x.edge is not None)
    # A leaf of a graph that the backward makes itself holds numbers that left this one.
    others = any(x.edge.kind == LEAF and x.edge not in known for x in operands)
    return None if others or any(map(loses_numbers, plan.nodes)) else plan
