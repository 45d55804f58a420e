"""The usual size of numbers, and random numbers of usual size."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array

# Squares between this and its inverse neither vanish nor overflow.
_PLAIN = 2.0**-800


def rms(a: Array) -> float:
    """The root of the mean square of numbers, however large or small; 1 where they are all 0, or not all finite."""
    flat = np.asarray(a, np.float64).reshape(-1)
    with np.errstate(over="ignore", under="ignore"):
        squares = float(flat @ flat)
    if _PLAIN < squares < 1 / _PLAIN:
        return math.sqrt(squares / flat.size)
    sizes = np.abs(flat)
    largest = float(np.max(sizes, initial=0.0))
    if not largest or not math.isfinite(largest):
        return 1.0
    return largest * float(np.sqrt(np.mean((sizes / largest) ** 2)))


def signed(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Random numbers of both signs, none of them small or large: between 0.5 and 1.5, but for the sign."""
    drawn = rng.uniform(-1.0, 1.0, shape)
    return np.asarray(drawn + np.copysign(0.5, drawn))
