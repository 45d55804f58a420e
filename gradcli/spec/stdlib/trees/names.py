"""The functions that scikit-learn's trees are written with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import caps
from .growing import Growing, Settings
from .targets import Target


def _grown(
    X: Any, y: Any, weights: Any, classes: int, entropy: bool, settings: tuple[Any, ...], seed: int
) -> tuple[Any, ...]:
    """A tree in columns: for each node the nodes below, the feature, the threshold and what is there."""
    # A row of sums for each sample, and one for each of at most twice as many nodes.
    caps.spend(3 * len(y) * max(classes, 1), 3 * len(y) * max(classes, 1))
    tree = Growing(X, Target(y, weights, classes, entropy), Settings(*settings), seed)
    tree.grow()
    columns = list(zip(*tree.nodes, strict=True))
    kinds = (np.int64, np.int64, np.int64, np.float64, np.float64, np.int64, np.float64)
    return (*[np.array(c, k) for c, k in zip(columns, kinds, strict=True)], np.array(tree.values))


def _reached(X: Any, left: Any, right: Any, feature: Any, threshold: Any) -> Any:
    """The leaf that each sample comes to."""
    at = np.zeros(len(X), np.int64)
    inner = np.flatnonzero(feature[at] >= 0)
    while len(inner):
        caps.tick(len(inner))
        nodes = at[inner]
        goes_left = X[inner, feature[nodes]] <= threshold[nodes]
        at[inner] = np.where(goes_left, left[nodes], right[nodes])
        inner = inner[feature[at[inner]] >= 0]
    return at


def names() -> dict[str, Any]:
    """The names that scikit-learn's trees are written with."""
    return {"grown": _grown, "reached": _reached}
