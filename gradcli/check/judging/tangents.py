"""The third witness: the tangents that a program's own Functions say of themselves by their ``jvp``.

The tangents of a graph's leaves are pushed through it, along a random direction. What a Function's ``jvp`` makes of
those that arrive must weigh as much as what its backward makes of the weights (the dot-product test); where the two do
not fit each other, differences tell whether the ``jvp`` is wrong. So a Function is asked only along directions that
the program itself moves it in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.forward import recorded
from ...engine.function import Function, FunctionNode
from ...engine.graph import node_of
from ...engine.tape.replay import is_of_complex
from ...errors import Span, raised_by_program
from ...spec.input.parse import span_of
from ...spec.language.machine import said
from ...spec.values.user_definitions import UserFunction
from ...verdicts import Note, NoteKind
from ..arrays import Array
from ..blaming.mended_tangents import located
from ..claims.op_alone import Alone, Refused
from ..replay.part_of_program import first_input
from ..replay.plan import Unreplayable
from ..replay.subject import Subject
from ..slopes.magnitude import rms
from .findings import Culprit, Entry, Finding
from .one_derivative import judge
from .verdict import BLAMED, Verdict

# The two sums fit where they differ by less than this of their parts.
_FITS = 1e-7


def wrong_tangents(subject: Subject, rng: np.random.Generator) -> tuple[list[Finding], list[Note]]:
    """The first Function of a program whose ``jvp`` is wrong, and what could not be compared."""
    if not any(_has_own(node) for node in subject.nodes):
        return [], []
    leaves = {x.tensor._node: _moved(np.asarray(x.tensor._a), rng) for x in subject.inputs}
    try:
        known = recorded.along(subject.nodes, leaves)
    except raised_by_program() as error:
        return [], [Note(NoteKind.TANGENT, f"a jvp stops, so no tangents were compared: {said(error)}")]
    notes = []
    for node in subject.nodes:
        if not _has_own(node):
            continue
        given = [known.get((node_of(e), getattr(e, "nr", 0)), 0) if e is not None else 0 for e in node.edges]
        if any(t is None for t in given):
            words = f"{subject.id_of(node)}: what comes before has no jvp, so its own was not compared"
            notes.append(Note(NoteKind.TANGENT, words))
            continue
        try:
            found = _of(subject, node, [None if isinstance(t, int) else t for t in given], known, rng)
        except (Unreplayable, Refused):
            continue
        if found is not None:
            return [found], notes
    return [], notes


def _has_own(node: Any) -> bool:
    return isinstance(node, FunctionNode) and node.function.jvp is not Function.jvp


def _moved(a: Array, rng: np.random.Generator) -> Array:
    """A random direction that moves each entry by its own size."""
    size = np.abs(a)
    return np.asarray(rng.standard_normal(a.shape) * np.where(size == 0, rms(a), size), a.dtype)


def _of(
    subject: Subject, node: FunctionNode, given: list[Any], known: recorded.Known, rng: np.random.Generator
) -> Finding | None:
    """Find what is wrong with the tangents of one Function's outputs, if anything is."""
    alone = Alone(node)
    if is_of_complex(node):
        # Its tangents would be complex, and the forward mode knows none.
        return None
    tangents = [known.get((node, nr)) for nr in alone.outputs]
    directions = [given[x.slot] for x in alone.arguments]
    if not alone.outputs or any(t is None for t in tangents) or all(d is None for d in directions):
        return None
    weights = alone.weights(rng)
    claims = alone.claims(weights)
    with np.errstate(all="ignore"):
        parts = [w * t for w, t in zip(weights, tangents, strict=True)]
        shares = [c * d for c, d in zip(claims, directions, strict=True) if d is not None]
        forward, backward = (float(sum(np.sum(x) for x in xs)) for xs in (parts, shares))
        size = float(sum(np.sum(np.abs(x)) for x in (*parts, *shares)))
    if not np.isfinite(size) or abs(forward - backward) <= _FITS * size:
        return None
    judged = judge(alone.joint_line(directions, weights), np.array([forward]))[0]
    if judged.verdict not in BLAMED:
        return None
    moved = {x.slot: d for x, d in zip(alone.arguments, directions, strict=True) if d is not None}
    where = located(node, moved, rng)
    slot = next(iter(moved)) if where is None else where.slot
    name = next(x.name for x in alone.arguments if x.slot == slot)
    reached = first_input(subject, node, slot)
    if reached is None:
        return None
    finding = Finding(subject.outputs[0].name, reached, 1, Verdict.TANGENT)
    finding.worst = Entry((), 0.0, judged._replace(verdict=Verdict.TANGENT), along=True)
    finding.span = (None if where is None else where.span) or _written(node) or subject.span_of(node)
    at = subject.span_of(node)
    finding.node = Culprit(subject.id_of(node), f"{node.function.__name__}.jvp", finding.span, name, applied=at)
    words = f"the jvp comes to {forward:.6g}, the backward to {backward:.6g} along the same direction"
    finding.notes.append(Note(NoteKind.LOCATED, words))
    if where is not None and where.sentence is not None:
        finding.notes.append(Note(NoteKind.LOCATED, where.sentence))
    return finding


def _written(node: FunctionNode) -> Span | None:
    """Where the program wrote the jvp of a Function."""
    jvp: Any = node.function.jvp
    return span_of(jvp.machine.source, jvp.node) if isinstance(jvp, UserFunction) else None
