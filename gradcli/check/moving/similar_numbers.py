"""Other numbers of the same kind: of the same shape, size and sign, and with what all of them have in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array

# How far the logarithm of a number's size is moved, at most.
_APART = 0.7
# Sums that differ from one by less were meant to be one.
_ROUNDING = 1e-6


class Kind(NamedTuple):
    """All that the numbers of an array have in common."""

    positive: bool
    # Several numbers, all between 0 and 1, ends included.
    unit: bool
    # The axis along which they add up to one, none of them negative.
    sums: int | None
    # Square matrices that are their own transposes; whether these are positive definite.
    symmetric: bool
    definite: bool


class Manner(NamedTuple):
    """A manner of choosing other numbers, more or less freely."""

    # Whether signs, and the symmetry of matrices, are kept.
    signs: bool
    symmetry: bool
    shuffled: bool = False
    # Whether numbers that are all positive may become negative.
    freely: bool = False


# In turn: as close in kind as can be, then without one thing after another.
MANNERS = (
    Manner(signs=True, symmetry=True),
    Manner(signs=True, symmetry=False, shuffled=True),
    Manner(signs=False, symmetry=True, shuffled=True),
    Manner(signs=False, symmetry=False, freely=True),
)


def kind_of(a: Array) -> Kind:
    """Find what all numbers of an array have in common."""
    symmetric = is_symmetric(a)
    return Kind(
        positive=bool(a.size) and bool(np.all(a > 0)),
        unit=a.size > 1 and bool(np.all((a >= 0) & (a <= 1))),
        sums=sums_along(a),
        symmetric=symmetric,
        definite=symmetric and _is_definite(a),
    )


def _is_definite(a: Array) -> bool:
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return True


def is_symmetric(a: Array) -> bool:
    """Tell whether an array is a square matrix, or a stack of such, that is its own transpose."""
    square = a.ndim >= 2 and a.shape[-1] == a.shape[-2] >= 2
    return square and bool(np.array_equal(a, np.swapaxes(a, -1, -2)))


def sums_along(a: Array) -> int | None:
    """The axis along which numbers that are not negative add up to one."""
    if a.ndim == 0 or not a.size or np.any(a < 0):
        return None
    for axis in (a.ndim - 1, 0):
        if a.shape[axis] > 1 and np.all(np.abs(a.sum(axis) - 1) < _ROUNDING):
            return axis
    return None


def alike(a: Array, kind: Kind, rng: np.random.Generator, manner: Manner) -> Array:
    """Other numbers of the same kind: none of them special."""
    if kind.symmetric and manner.symmetry:
        return _matrix(a, kind, rng)
    usual = _usual(a)
    sizes = np.where(a == 0, usual, np.abs(a)) * np.exp(rng.uniform(-_APART, _APART, a.shape))
    if kind.sums is not None:
        sizes = _shuffled(sizes, rng, kind.sums) if manner.shuffled else sizes
        return np.asarray(sizes / sizes.sum(kind.sums, keepdims=True))
    if kind.unit:
        return np.asarray(rng.uniform(0.05, 0.95, a.shape)) if manner.shuffled else _within(a, rng)
    signs = np.where(a == 0, rng.choice([-1.0, 1.0], a.shape), np.sign(a))
    if manner.freely or not (manner.signs or np.all(a > 0) or np.all(a < 0)):
        signs = rng.choice([-1.0, 1.0], a.shape)
        if a.size and manner.freely and np.all(signs == np.sign(a)):
            signs = -signs
    elif np.all(a >= 0):
        signs = np.ones(a.shape)
    made = signs * sizes
    return _shuffled(made, rng, None) if manner.shuffled else made


def _usual(a: Array) -> float:
    """The size of what is not zero."""
    there = np.abs(a[a != 0])
    return float(np.median(there)) if there.size else 1.0


def _within(a: Array, rng: np.random.Generator) -> Array:
    """Numbers between 0 and 1, near those that there were."""
    held = np.clip(a, 0.1, 0.9)
    return np.asarray(1 / (1 + (1 / held - 1) * np.exp(rng.uniform(-_APART, _APART, a.shape))))


def _shuffled(a: Array, rng: np.random.Generator, axis: int | None) -> Array:
    if axis is None:
        return np.asarray(rng.permutation(a.reshape(-1)).reshape(a.shape))
    return np.asarray(rng.permuted(a, axis=axis))


def _matrix(a: Array, kind: Kind, rng: np.random.Generator) -> Array:
    """Another symmetric matrix, positive definite where the first one is."""
    n = a.shape[-1]
    d = np.exp(rng.uniform(-_APART / 2, _APART / 2, a.shape[:-1]))
    more = rng.standard_normal(a.shape)
    more = more @ np.swapaxes(more, -1, -2) / n if kind.definite else more
    made = d[..., :, None] * a * d[..., None, :] + 0.2 * _usual(a) * more
    return np.asarray((made + np.swapaxes(made, -1, -2)) / 2)
