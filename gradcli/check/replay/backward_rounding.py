"""The distance by which rounding may move what a backward says, as the backward's own graph shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.tape.tape import recording
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ..judging.higher_orders import keeping, tensor_like
from .forward_rounding import UNIT, noise_of_each
from .plan import Plan, Unreplayable
from .subject import Subject

Array = np.ndarray[Any, Any]


def rounding_of_claims(subject: Subject, output: int, several: Sequence[Array]) -> list[list[Array]]:
    """For each of several weights of an output, and each input: a bound on the rounding error of the gradient.

    All are had from one backward, recorded with what it begins with. Of a backward that cannot be recorded only that
    of its results is known.
    """
    root = subject.outputs[output].tensor
    leaves = [x.tensor for x in subject.inputs]
    try:
        with recording(subject.tape), keeping(subject):
            start = tensor_like(several[0], root).requires_grad_()
            found = grad(root, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
    except raised_by_program():
        # A backward may refuse to be recorded.
        return [[np.zeros(x._a.shape) for x in leaves] for _ in several]
    return _bounds(found, leaves, start, [tensor_like(weights, root)._a for weights in several])


def _bounds(
    gradients: Sequence[Any], leaves: Sequence[Any], start: Any, several: Sequence[Any]
) -> list[list[Array]]:
    pairs = zip(gradients, leaves, strict=True)
    known = [np.zeros(x._a.shape) if g is None else UNIT * np.abs(np.asarray(g._a)) for g, x in pairs]
    bounds: list[list[Array]] = [list(known) for _ in several]
    recorded = [i for i, g in enumerate(gradients) if g is not None and g._node is not None]
    if not recorded:
        return bounds
    try:
        plan = Plan([gradients[i] for i in recorded], [*leaves, start])
        points = [[*plan.at[:-1], np.asarray(weights)] for weights in several]
        for made, found in zip(bounds, noise_of_each(plan, points, leaves=False), strict=True):
            for i, bound in zip(recorded, found, strict=True):
                made[i] = np.asarray(bound)
    except Unreplayable:
        # What their own results are rounded by is known.
        return bounds
    return bounds
