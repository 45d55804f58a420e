"""The distance by which rounding may move what a backward says, as the backward's own graph shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.tape.tape import recording
from ...engine.walk.backward import grad
from ...errors import raised_by_program
from ..judging.higher_orders import keeping, tensor_like
from .forward_rounding import UNIT, noise
from .plan import Plan, Unreplayable
from .subject import Subject

Array = np.ndarray[Any, Any]


def rounding_of_claims(subject: Subject, output: int, weights: Array) -> list[Array]:
    """For each input a bound on the rounding error of the gradient of an output's sum with these weights.

    Of a backward that cannot be recorded only that of its results is known.
    """
    root = subject.outputs[output].tensor
    leaves = [x.tensor for x in subject.inputs]
    try:
        with recording(subject.tape), keeping(subject):
            start = tensor_like(weights, root)
            found = grad(root, leaves, start, retain_graph=True, create_graph=True, allow_unused=True)
    except raised_by_program():
        # A backward may refuse to be recorded.
        return [np.zeros(x._a.shape) for x in leaves]
    return _bounds(found, leaves)


def _bounds(gradients: Sequence[Any], leaves: Sequence[Any]) -> list[Array]:
    bounds: list[Array] = [
        np.zeros(x._a.shape) if g is None else UNIT * np.abs(np.asarray(g._a))
        for g, x in zip(gradients, leaves, strict=True)
    ]
    recorded = [i for i, g in enumerate(gradients) if g is not None and g._node is not None]
    if not recorded:
        return bounds
    try:
        plan = Plan([gradients[i] for i in recorded], leaves)
        for i, bound in zip(recorded, noise(plan, plan.at, leaves=False), strict=True):
            bounds[i] = np.asarray(bound)
    except Unreplayable:
        # What their own results are rounded by is known.
        return bounds
    return bounds
