"""Points that are special: at such a one a wrong gradient can be right by chance."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..replay.subject import Subject
from .similar_numbers import is_symmetric, kind_of

# The numbers at which powers, products and signs coincide.
_SPECIAL = (0.0, 1.0, -1.0, 2.0)


def degenerate(subject: Subject) -> list[str]:
    """Say what is special about the inputs' values, a sentence for each input of which there is something to say."""
    found = []
    for x, a in zip(subject.inputs, subject.at, strict=True):
        said = _values(a.astype(float))
        if said:
            found.append(f"{x.name} {_joined(said)}")
    return found


def _joined(said: list[str]) -> str:
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def _values(a: Array) -> list[str]:
    if not a.size:
        return []
    said = []
    special = [x for x in _SPECIAL if np.any(a == x)]
    if a.size == 1:
        return [f"is {special[0]:g}"] if special else []
    if np.all(a == a.flat[0]):
        return [f"is {a.flat[0]:g} everywhere"]
    if is_symmetric(a):
        said.append(_matrix(a))
    elif special:
        said.append(f"has entries that are {_joined([f'{x:g}' for x in special])}")
    if a.ndim > 1 and len(a) > 1 and np.all(a == a[:1]):
        said.append("has equal rows")
    if a.ndim == 1 and a.size > 2 and (np.all(np.diff(a) > 0) or np.all(np.diff(a) < 0)):
        said.append("is sorted")
    if kind_of(a).sums is not None:
        said.append("adds up to 1")
    return said


def _matrix(a: Array) -> str:
    n = a.shape[-1]
    if np.all(a == np.eye(n)):
        return "is the identity"
    return "is diagonal" if np.all(a * (1 - np.eye(n)) == 0) else "is symmetric"
