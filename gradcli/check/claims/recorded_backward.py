"""One backward, recorded with what it begins with: what it says of many beginnings at once, and how far that rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.function import FunctionNode
from ...engine.tape.tape import recording
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ..arrays import Array
from ..replay.forward_rounding import UNIT, noise_of_each
from ..replay.line import CHUNK
from ..replay.plan import Plan, Unreplayable
from ..replay.recorded_graph import close
from ..replay.subject import Subject
from .passes import keeping, tensor_like

# A plan, if there is one; which inputs its results are the gradients of; how far rounding moves each gradient itself.
_Recorded = tuple[Plan | None, list[int], list[Array]]

# For fewer beginnings it is sooner asked again than recorded; and so nearly both ways agree.
_WORTH, _AGREE = 16, 1e-14


def claims_at_once(subject: Subject, output: int, several: Sequence[Array]) -> list[list[Array | None]] | None:
    """The backward's answers to many weights of an output, from one that was recorded; None where each is asked for."""
    if len(several) < _WORTH:
        return None
    try:
        if subject.plan.is_outside or subject.plan.nbytes * len(several) > CHUNK:
            return None
        made = _answers(subject, output, several)
    except Unreplayable:
        return None
    if made is None:
        return None
    weights: list[Any] = [None] * len(subject.outputs)
    for row in (0, len(several) - 1):
        weights[output] = several[row]
        if not all(map(_is_same, made[row], subject.claim(weights))):
            return None
    return made


def _answers(subject: Subject, output: int, several: Sequence[Array]) -> list[list[Array | None]] | None:
    """The same as the recorded backward has it."""
    own = [node for node in subject.nodes if isinstance(node, FunctionNode)]
    if own:
        from .recorded_claims import claims_at
        from .straight import are_straight

        if not are_straight(subject, own, np.random.default_rng(0)):
            # What a function of the program's own makes of a gradient, it may choose by that: it is an op there.
            here = [np.asarray(a)[None] for a in subject.plan.at]
            answers = claims_at(subject, output, several, here, [True] * len(here))
            return None if answers is None else [gradients for (gradients,) in answers]
    plan, recorded, _ = _recorded(subject, output, several[0])
    if plan is None:
        return None
    root = subject.outputs[output].tensor
    starts = np.stack([tensor_like(weights, root)._a for weights in several])
    moved = [*[False] * len(subject.inputs), True]
    found = plan.batch([*plan.at[:-1], starts], moved, len(several))
    made: list[list[Array | None]] = []
    for row in range(len(several)):
        claims: list[Array | None] = [None] * len(subject.inputs)
        for i, a in zip(recorded, found, strict=True):
            claims[i] = a[row]
        made.append(claims)
    return made


def _is_same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and close(a, b, _AGREE))


def rounding_of_claims(subject: Subject, output: int, several: Sequence[Array]) -> list[list[Array]]:
    """For each of several weights of an output, and each input: a bound on the rounding error of the gradient.

    All are had from one recorded backward. Of a backward that cannot be recorded only that of its results is known.
    """
    plan, recorded, known = _recorded(subject, output, several[0])
    bounds: list[list[Array]] = [list(known) for _ in several]
    if plan is None:
        return bounds
    root = subject.outputs[output].tensor
    points = [[*plan.at[:-1], np.asarray(tensor_like(weights, root)._a)] for weights in several]
    for made, found in zip(bounds, noise_of_each(plan, points), strict=True):
        for i, bound in zip(recorded, found, strict=True):
            made[i] = np.asarray(bound)
    return bounds


def _recorded(subject: Subject, output: int, weights: Array) -> _Recorded:
    """The backward from inputs and weights to gradients, recorded once, with these weights."""
    found: _Recorded | None = subject.recorded_backwards.get(output)
    if found is None:
        found = subject.recorded_backwards[output] = _record(subject, output, weights)
    return found


def _record(subject: Subject, output: int, weights: Array) -> _Recorded:
    root = subject.outputs[output].tensor
    leaves = [x.tensor for x in subject.inputs]
    try:
        with recording(subject.tape), keeping(subject):
            start = tensor_like(weights, root).requires_grad_()
            found = grad(root, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
    except raised_by_program():
        # A backward may refuse to be recorded.
        return None, [], [np.zeros(x._a.shape) for x in leaves]
    pairs = zip(found, leaves, strict=True)
    known = [np.zeros(x._a.shape) if g is None else UNIT * np.abs(np.asarray(g._a)) for g, x in pairs]
    recorded = [i for i, g in enumerate(found) if g is not None and g._node is not None]
    try:
        return (Plan([found[i] for i in recorded], [*leaves, start]) if recorded else None), recorded, known
    except Unreplayable:
        # What their own results are rounded by is known.
        return None, recorded, known
