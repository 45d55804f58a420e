"""The reach of a program: a custom Function need be right for no more than its program can hand to it.

A Function alone is asked with any gradient that may arrive, and along any direction of its arguments. The program may
move an argument along some directions only: an orthogonal matrix that `qr` made stays one, and so do the numbers behind
a softmax. What is wrong only along others shows in no gradient of any input, whatever arrives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.graph import LEAF
from ...errors import raised_by_program
from ...graph.view.reach import reachable
from ...spec.language.machine import said
from ..arrays import Array
from ..judging.one_derivative import judge
from ..judging.verdict import BLAMED
from ..replay.line import Line
from ..replay.part_of_program import ending_at, outputs_of
from ..replay.plan import Unreplayable
from ..replay.real_parts import joins_leaves
from ..replay.recorded_graph import Input
from ..replay.subject import Subject
from ..slopes.magnitude import rms, signed
from .meant_symmetric import is_meant_symmetric, is_mirrored, mirrored

# What is off by less, of its size, is a matter of rounding on the way.
_SLIGHT = 1e-6


def is_within_reach(
    subject: Subject, node: Any, slot: int, rng: np.random.Generator, others: Sequence[Any] = ()
) -> bool:
    """Tell whether a wrong gradient of an argument of a Function shows in what some input is given.

    What cannot be asked is taken to be so. ``others``: nodes that are wrong, too: what is theirs is not looked at, but
    their outputs are moved in place of the inputs that they were computed from.
    """
    edge = node.edges[slot]
    symmetric = None
    if edge is not None and joins_leaves(edge):
        return True
    if edge is not None and edge.kind == LEAF:
        symmetric = edge if _is_meant_symmetric(subject, edge) else None
        if symmetric is None:
            # An input itself: it can be moved anywhere.
            return True
    there = ending_at(subject, node)
    before = [other for other in others if other is not node and other in reachable(node)]
    if before:
        behind = {x for other in before for x in reachable(other)}
        cut = [Input(str(i), x, None, False) for other in before for i, x in enumerate(outputs_of(other))]
        there.inputs = cut + [x for x in subject.inputs if x.tensor._node not in behind]
    try:
        return any(_is_wrong(there, weights, rng, symmetric) for weights in _arriving(there, rng))
    except Unreplayable:
        return True


def _is_meant_symmetric(subject: Subject, edge: Any) -> bool:
    """Tell whether a leaf is a symmetric matrix, and Functions rely on it."""
    leaf = next((i for i, x in enumerate(subject.inputs) if x.tensor._node is edge), None)
    return leaf is not None and is_mirrored(subject.at[leaf]) and is_meant_symmetric(subject, leaf)


def _arriving(there: Subject, rng: np.random.Generator) -> Iterator[list[Array]]:
    """Gradients that may arrive: of both signs, of the other signs, and of one sign."""
    weights = [signed(a.shape, rng) for a in there.numbers]
    yield weights
    yield [-0.5 * w for w in weights]
    yield [np.abs(w) for w in weights]


def _is_wrong(there: Subject, weights: list[Array], rng: np.random.Generator, symmetric: Any) -> bool:
    """Tell whether what the inputs are given is wrong along a random direction of each.

    ``symmetric``: the leaf in the graph that stays a symmetric matrix.
    """
    try:
        with np.errstate(all="ignore"):
            claims = there.claim(weights)
    except raised_by_program() as error:
        # A custom backward may raise anything: it says nothing then.
        raise Unreplayable(None, said(error)) from error
    for i, (a, claim) in enumerate(zip(there.at, claims, strict=True)):
        if claim is None and not any(there.plan.depends(root, i) for root in range(len(there.outputs))):
            continue
        direction = np.asarray(rng.standard_normal(a.shape) * np.where(a == 0, rms(a), np.abs(a)))
        if symmetric is not None and there.inputs[i].tensor._node is symmetric:
            direction = mirrored(direction)
        claimed = 0.0 if claim is None else float((claim * direction).sum())
        line = Line(there.plan, [direction if k == i else None for k in range(len(claims))], weights)
        judged = judge(line, np.array([claimed]))[0]
        if judged.verdict in BLAMED and judged.off > _SLIGHT:
            return True
    return False
