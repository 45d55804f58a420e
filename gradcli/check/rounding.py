"""How far rounding may move what a backward says, as the backward's own graph shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.backward import grad
from ..engine.tape import recording
from ..graph.gradients import NEVER_CAUGHT
from .noise import UNIT, noise
from .orders import keeping, tensor_like
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
    except NEVER_CAUGHT:
        raise
    except Exception:
        # A backward may refuse to be recorded.
        return [np.zeros(x._a.shape) for x in leaves]
    return [np.zeros(x._a.shape) if g is None else _bound(g, leaves) for g, x in zip(found, leaves, strict=True)]


def _bound(gradient: Any, leaves: Sequence[Any]) -> Array:
    own: Array = UNIT * np.abs(np.asarray(gradient._a))
    if gradient._node is None:
        return own
    try:
        plan = Plan([gradient], leaves)
        return np.asarray(noise(plan, plan.at, leaves=False)[0])
    except Unreplayable:
        return own
