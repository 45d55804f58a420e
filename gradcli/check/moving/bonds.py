"""Bonds that tie the numbers of an array by intent: they are sorted, symmetric, of length one, add up to one.

A custom Function may rely on it, and says so nowhere. Where an input is so, other points are looked for that are so,
too: what is wrong only elsewhere is out of the program's reach. What is so by chance, or of numbers that somebody wrote
down in a row (1, 2, 3; the identity), ties nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .similar_numbers import is_symmetric, sums_along

# Lengths and sums that differ from one by less were meant to be one.
_ROUNDING = 1e-6
# Fewer numbers than these are sorted, or add up to one, by chance.
_MANY = 3
# The least eigenvalue of a positive definite matrix that is brought back to be one, of the largest.
_LEAST = 1e-3


class Bond(NamedTuple):
    """A tie between the numbers of an array."""

    # What the array is, after "is" or "are".
    words: str
    # Another array of that shape, brought back to be so.
    kept: Callable[[Array], Array]
    # Whether it is of square matrices, and no matter of other shapes.
    square: bool = False


def bonds_of(a: Array) -> list[Bond]:
    """Find what ties the numbers of an array."""
    if a.dtype.kind != "f" or a.size < 2 or not np.isfinite(a).all() or np.all(a == a.flat[0]):
        return []
    found = [_symmetric(a), _triangular(a), _orthogonal(a), _length(a), _sorted(a), _sum(a)]
    return [bond for bond in found if bond is not None]


def bound(bonds: Sequence[Bond], a: Array) -> Array:
    """An array, brought back to all of these."""
    for bond in bonds:
        a = bond.kept(a)
    return a


def _is_square(a: Array) -> bool:
    return a.ndim >= 2 and a.shape[-1] == a.shape[-2] >= 2


def _is_plain(a: Array) -> bool:
    """Tell whether there is nothing but 0, 1 and -1: as in the identity, or one of its rows."""
    return bool(np.all((a == 0) | (np.abs(a) == 1)))


def _turned(a: Array) -> Array:
    return np.swapaxes(a, -1, -2)


def _symmetric(a: Array) -> Bond | None:
    if not _is_square(a):
        return None
    if np.array_equal(a, -_turned(a)):
        return Bond("skew-symmetric", lambda b: (b - _turned(b)) / 2, square=True)
    if not is_symmetric(a):
        return None
    if np.linalg.eigvalsh(a).min() <= 0:
        return Bond("symmetric", lambda b: (b + _turned(b)) / 2, square=True)
    return Bond("symmetric and positive definite", _definite, square=True)


def _definite(b: Array) -> Array:
    values, vectors = np.linalg.eigh((b + _turned(b)) / 2)
    values = np.maximum(np.abs(values), _LEAST * np.abs(values).max())
    made = (vectors * values[..., None, :]) @ _turned(vectors)
    return np.asarray((made + _turned(made)) / 2)


def _triangular(a: Array) -> Bond | None:
    if not _is_square(a) or _is_plain(a):
        return None
    lower, upper = bool(np.all(np.triu(a, 1) == 0)), bool(np.all(np.tril(a, -1) == 0))
    if lower and upper:
        return Bond("diagonal", lambda b: np.tril(np.triu(b)), square=True)
    if lower:
        return Bond("lower triangular", np.tril, square=True)
    return Bond("upper triangular", np.triu, square=True) if upper else None


def _orthogonal(a: Array) -> Bond | None:
    if not _is_square(a) or _is_plain(a):
        return None
    if np.abs(_turned(a) @ a - np.eye(a.shape[-1])).max() > _ROUNDING:
        return None
    turns = np.sign(np.linalg.det(a))

    def kept(b: Array) -> Array:
        left, _, right = np.linalg.svd(b)
        # It turns as before, or mirrors as before.
        left[..., -1] *= (turns * np.sign(np.linalg.det(left @ right)))[..., None]
        return np.asarray(left @ right)

    return Bond("orthogonal", kept, square=True)


def _length(a: Array) -> Bond | None:
    """Along the last axis, or the first, or of all numbers together."""
    if _is_plain(a):
        return None
    for axis in dict.fromkeys((a.ndim - 1, 0, None)):
        if axis is not None and a.shape[axis] < 2:
            continue
        if np.abs(_norm(a, axis) - 1).max() <= _ROUNDING:

            def kept(b: Array, axis: int | None = axis) -> Array:
                return np.asarray(b / _norm(b, axis))

            return Bond("of length 1", kept)
    return None


def _norm(a: Array, axis: int | None) -> Array:
    return np.asarray(np.sqrt(np.sum(a * a, axis, keepdims=True)))


def _sorted(a: Array) -> Bond | None:
    if a.shape[-1] < _MANY:
        return None
    apart = np.diff(a)
    if np.all(np.abs(apart) == 1):
        return None
    if np.all(apart > 0):
        return Bond("sorted", lambda b: np.sort(b))
    return Bond("sorted from the largest down", lambda b: np.sort(b)[..., ::-1]) if np.all(apart < 0) else None


def _sum(a: Array) -> Bond | None:
    axis = sums_along(a)
    if axis is None or a.shape[axis] < _MANY:
        return None

    def kept(b: Array) -> Array:
        return np.asarray(np.abs(b) / np.abs(b).sum(axis, keepdims=True))

    return Bond("adding up to 1", kept)
