"""Straight Functions, that choose nothing by their numbers: what is found of one is known of all of its kind.

Those are of a kind that are given arguments of the same shapes and dtypes. And since all that their methods do is
recorded, forward and backward are evaluated again at many points at once, one beside the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tape.entry import entry_of
from ...engine.tensor import Tensor
from ...errors import raised_by_program
from ..slopes.magnitude import signed
from .inside_function import Inside, inside
from .only_ops import is_pure
from .plan import Plan, Unreplayable
from .recorded_forward import loses_numbers
from .subject import Subject, custom

Array = np.ndarray[Any, Any]

# The height of a complex step, of the size of what is moved, and how close it comes to a claim that is right, of all
# parts of that together.
_HEIGHT, _CLOSE = 1e-30, 1e-11
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


def may_choose(subject: Subject, first: Subject) -> list[FunctionNode]:
    """The Functions of another run that may choose something there: ``first`` has none of its kind that is straight."""
    straight: list[FunctionNode] = first.plan.kept.get(_STRAIGHT, [])
    if subject.like is first.plan:
        own, others = (_functions(x.nodes) for x in (subject, first))
        if len(own) == len(others):
            # It was recorded from the first graph: each was given what its twin there was, but for the numbers.
            pairs = zip(own, others, strict=True)
            return [node for node, twin in pairs if not any(_do_the_same(first.plan, twin, x) for x in straight)]
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


def are_right(plan: Plan, node: FunctionNode, points: Sequence[Sequence[Array]], rng: np.random.Generator) -> bool:
    """Tell whether complex step says that the gradients of a straight Function are right: with each of some operands,
    along a direction of each argument, whatever arrives."""
    try:
        return _are_right(plan, node, points, rng)
    except raised_by_program():
        # An op may refuse numbers that are none of its domain.
        return False


def _are_right(plan: Plan, node: FunctionNode, points: Sequence[Sequence[Array]], rng: np.random.Generator) -> bool:
    recorded = plan.functions.get(node)
    if recorded is None:
        # It is on the way from none of the leaves.
        return False
    seen, forward = recorded.seen(rng), recorded.plan
    known: dict[FunctionNode, Plan | None] = plan.kept.setdefault(_backward_of, {})
    if node not in known:
        known[node] = _backward_of(node, seen)
    backward = known[node]
    if forward is None or backward is None or len(forward.at) != len(seen.leaves) or forward.is_of_complex:
        return False
    if any(np.size(a) == 0 for a in backward.at):
        return False
    count, several = len(points), len(seen.leaves)
    weights = [signed(np.shape(a), rng) for a in backward.at[several:]]
    with np.errstate(all="ignore"):
        at = [np.stack(operands) for operands in zip(*points, strict=True)]
        claims = backward.batch([*at, *weights], [True] * several + [False] * len(weights), count)
        ways = [rng.standard_normal(a.shape) * np.where(a == 0, 1.0, np.abs(a)) for a in at]
        moved = [np.array([a] * several, np.complex128) for a in at]
        for i, way in enumerate(ways):
            moved[i][i] += 1j * _HEIGHT * way
        made = forward.batch([a.reshape(-1, *a.shape[2:]) for a in moved], [True] * several, several * count)
        parts = [(w * np.imag(y)).reshape(several * count, -1).sum(1) for w, y in zip(weights, made, strict=True)]
        slopes = np.sum(parts, 0) / _HEIGHT
        shares = [(g * way).reshape(count, -1) for g, way in zip(claims, ways, strict=True)]
        claimed = np.concatenate([share.sum(1) for share in shares])
        sizes = np.concatenate([np.abs(share).sum(1) for share in shares])
        return bool(np.all(np.abs(slopes - claimed) <= _CLOSE * sizes) and np.isfinite(sizes).all())


def _backward_of(node: FunctionNode, seen: Inside) -> Plan | None:
    """The backward from operands, and what arrives at the outputs, to what is passed on; None where it shows less."""
    entry = entry_of(node)
    arriving = seen.watch.arriving
    if entry is None or len(seen.passed) < len(entry.args) or not all(isinstance(x, Tensor) for x in arriving):
        return None
    passed = [seen.passed[i] for i, x in enumerate(entry.args) if getattr(x, "edge", None) is not None]
    if len(passed) != len(seen.leaves) or len(arriving) != len(seen.outs):
        return None
    if any(not isinstance(g, Tensor) or g._a.shape != x._a.shape for g, x in zip(passed, seen.leaves, strict=True)):
        return None
    plan = Plan(passed, [*seen.leaves, *arriving])
    return None if any(map(loses_numbers, plan.nodes)) else plan
