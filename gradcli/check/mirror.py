"""Ops that take matrices to be symmetric: of two entries that mirror each other they read one.

Their backward gives each of the two its share, so that their gradient is right for whoever moves both together. When
such an op is evaluated again at other values, what its matrix has moved by is made symmetric, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.entry import Operand, entry_of
from ..engine.registry import Op

if TYPE_CHECKING:
    from .subject import Subject

Array = np.ndarray[Any, Any]

# How far entries that mirror each other may be apart, of the largest.
_ALIKE = 1e-9


def is_mirrored(a: Any) -> bool:
    """Whether an array holds square matrices that are symmetric, but for rounding."""
    if np.ndim(a) < 2 or a.shape[-1] != a.shape[-2] or a.shape[-1] < 2 or not np.size(a):
        return False
    return bool(np.max(np.abs(a - np.swapaxes(a, -1, -2))) <= _ALIKE * np.max(np.abs(a)))


def mirrored(a: Any) -> Any:
    """The symmetric part of matrices."""
    return (a + np.swapaxes(a, -1, -2)) / 2


def mirrored_argument(op: Op | None, args: Sequence[Any]) -> tuple[int, Array] | None:
    """The place of the argument that an op takes to be symmetric, and what it held; None where it was not."""
    if op is None or op.symmetric is None:
        return None
    place = op.parameters.index(op.symmetric)
    x = args[place]
    array = x.array if type(x) is Operand else None
    return None if array is None or not is_mirrored(array) else (place, array)


def sees_mirrored(nodes: Iterable[Any]) -> bool:
    """Whether an op among these takes a matrix to be symmetric that is."""
    entries = map(entry_of, nodes)
    return any(entry is not None and mirrored_argument(entry.op, entry.args) is not None for entry in entries)


def alike(at: Array, moved: Array) -> Array:
    """What a matrix is to be moved by, as it is: symmetric, where the matrix is."""
    return np.asarray(mirrored(moved)) if is_mirrored(at) else moved


def mirror_notes(subject: Subject) -> list[str]:
    """What is to be said where an op takes a matrix to be symmetric, and the entries of an input may differ."""
    if not any(map(is_mirrored, subject.at)):
        return []
    taking = [node for node in subject.nodes if sees_mirrored([node])]
    return list(dict.fromkeys(
        f"SYMMETRIC: {subject.name_of(node)} takes its matrix to be symmetric: entries that mirror each other are "
        "moved together"
        for node in taking
    ))  # fmt: skip
