"""Targets of decision trees, and what is added up of them: classes and numbers, and how mixed they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# As many parts of numbers as sums have room for.
_EXACT = 2.0**52


@dataclass
class Sums:
    """Sums over samples: their weights, and those of each class or the weighted targets."""

    weight: Any
    parts: Any


@dataclass
class Target:
    """The numbers or classes that are to be told of samples."""

    y: Any
    weights: Any
    classes: int
    entropy: bool
    rows: Any = field(init=False)
    exact: bool = field(init=False)

    def __post_init__(self) -> None:
        if self.classes:
            self.rows = (self.y[:, None] == np.arange(self.classes)) * self.weights[:, None]
            self.exact = bool((self.weights == np.floor(self.weights)).all())
        else:
            self.rows = (self.weights * self.y)[:, None]
            whole = (self.weights == np.floor(self.weights)) & (self.y == np.floor(self.y))
            largest = float(np.abs(self.rows[:, 0] * self.y).sum())
            self.exact = bool(whole.all()) and largest < _EXACT

    def total(self, samples: Any) -> Sums:
        """All of it, in the order of the samples."""
        return Sums(np.cumsum(self.weights[samples])[-1], np.cumsum(self.rows[samples], axis=0)[-1])

    def squares(self, samples: Any) -> float:
        """The weighted squares of targets, added up."""
        y = self.y[samples]
        return float(np.cumsum(self.weights[samples] * y * y)[-1])

    def impurity(self, sums: Sums) -> Any:
        """The measure of how mixed the classes are."""
        weight = sums.weight
        if self.entropy:
            return _entropy(weight, sums.parts)
        squares = np.zeros(np.shape(weight))
        for of_class in np.moveaxis(sums.parts, -1, 0):
            squares = squares + of_class * of_class
        return 1.0 - squares / (weight * weight)

    def worth(self, left: Sums, right: Sums) -> Any:
        """The number that is largest for the best of some splits."""
        if not self.classes:
            return (left.parts[..., 0] * left.parts[..., 0]) / left.weight + (
                right.parts[..., 0] * right.parts[..., 0]
            ) / right.weight
        return -right.weight * self.impurity(right) - left.weight * self.impurity(left)


def squared(sums: Sums) -> Any:
    """The mean of targets, squared as C has it: powers of NumPy's may end in another digit."""
    mean = sums.parts[0] / sums.weight
    return mean * mean


def _entropy(weight: Any, parts: Any) -> Any:
    weight = np.asarray(weight)
    found = np.zeros(weight.shape)
    shares, inverse = np.unique(parts / weight[..., None], return_inverse=True)
    terms = np.array([share * (math.log(share) / math.log(2.0)) if share > 0 else 0.0 for share in shares.tolist()])
    for of_class in np.moveaxis(terms[inverse].reshape(parts.shape), -1, 0):
        found = found - of_class
    return found
