"""The reach of a program: a custom Function need be right for no more than its program can hand to it.

A Function alone is asked with any gradient that may arrive, and along any direction of its arguments. The program may
move an argument along some directions only: an orthogonal matrix that `qr` made stays one, and so do the numbers behind
a softmax. What is wrong only along others shows in no gradient of any input, whatever arrives.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.graph import LEAF, MultiNode, Output as Edge
from ...engine.tape.entry import entry_of
from ...engine.tensor import Tensor, result
from ...errors import raised_by_program
from ...graph.view.reach import reachable
from ...spec.language.machine import said
from ..judging.one_derivative import judge
from ..judging.verdict import BLAMED
from ..replay.line import Line
from ..replay.plan import Unreplayable
from ..replay.real_parts import joins_leaves, parts_of_root
from ..replay.recorded_graph import Input, Output
from ..replay.subject import Subject
from ..slopes.magnitude import rms, signed
from .meant_symmetric import is_meant_symmetric, is_mirrored, mirrored

Array = np.ndarray[Any, np.dtype[Any]]

# What is off by less, of its size, is a matter of rounding on the way.
_SLIGHT = 1e-6


def first_input(subject: Subject, node: Any, slot: int) -> str | None:
    """The first of the inputs that are asked about that the gradient of an argument goes to."""
    before, _ = node.next_functions[slot]
    reached = {} if before is None else reachable(before)
    return next((x.name for x in subject.inputs if x.tensor._node in reached), None)


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
        cut = [Input(str(i), x, None, False) for other in before for i, x in enumerate(_outputs(other))]
        there.inputs = cut + [x for x in subject.inputs if x.tensor._node not in behind]
    try:
        return any(_is_wrong(there, weights, rng, symmetric) for weights in _arriving(there, rng))
    except Unreplayable:
        return True


def _is_meant_symmetric(subject: Subject, edge: Any) -> bool:
    """Tell whether a leaf is a symmetric matrix, and Functions rely on it."""
    leaf = next((i for i, x in enumerate(subject.inputs) if x.tensor._node is edge), None)
    return leaf is not None and is_mirrored(subject.at[leaf]) and is_meant_symmetric(subject, leaf)


def _outputs(node: Any) -> list[Tensor]:
    """The outputs of an op that have a gradient, each in its place in the graph."""
    entry = entry_of(node)
    assert entry is not None
    roots: list[Tensor] = []
    for nr, a in enumerate(entry.outputs):
        if a is not None and a.dtype.kind in "fc":
            root = result(a)
            root._node = Edge(node, nr, root._a) if isinstance(node, MultiNode) else node
            roots += [part for part, _ in parts_of_root(root, None)]
    return roots


def ending_at(subject: Subject, node: Any, name: str | None = None) -> Subject:
    """The part of a program from its inputs to the outputs of one op, which have one name, or else numbers."""
    there = copy.copy(subject)
    there.outputs = [Output(name or str(i), root, None, None) for i, root in enumerate(_outputs(node))]
    there.__dict__.pop("plan", None)
    return there


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
