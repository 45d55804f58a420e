"""Passes through a recorded graph, made by a check: what one begins with, and what it leaves as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...engine.tensor import Tensor, result
from ..arrays import Array
from ..replay.subject import Subject, start_of
from ..slopes.magnitude import signed


@contextmanager
def keeping(subject: Subject) -> Iterator[None]:
    """Leave the gradients of tensors that keep theirs as they are, and the program's hooks out.

    What a backward chooses by its masks is not what the program chose.
    """
    kept = [(tensor, tensor._grad) for tensor in subject._graph.retaining()]
    choosers = set(subject.tape.choosers)
    try:
        with subject._graph.without_hooks():
            yield
    finally:
        subject.tape.choosers = choosers
        for tensor, before in kept:
            tensor._grad = before


def weights_of(tensor: Tensor, seed: int) -> Array:
    """One for one number, else random numbers, none of them small."""
    shape = tensor._a.shape
    if tensor._a.size == 1:
        return np.ones(shape)
    return signed(shape, np.random.default_rng(seed))


def tensor_like(a: Array, of: Tensor) -> Tensor:
    """Numbers in the shape and dtype of a tensor."""
    return result(start_of(a, of))
