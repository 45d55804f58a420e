"""Rows of a table, put together bag by bag."""

from __future__ import annotations

import numpy as np

from . import Sample

TABLE = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7], [-0.4, 1.1, 0.9], [0.2, -0.6, 1.3]])
INDICES, OFFSETS = np.array([0, 2, 1, 3, 2]), np.array([0, 2, 2])
WEIGHTS = np.array([0.7, -0.3, 1.2, 0.4, 0.9])
ONCE = "PyTorch has no second derivative of it"

SAMPLES: dict[str, list[Sample]] = {
    "embedding_bag": [
        Sample((TABLE, INDICES, OFFSETS, False, 0, False, None, -1), why_not_second=ONCE),
        Sample((TABLE, INDICES, OFFSETS, False, 1, False, None, -1), why_not_second=ONCE),
        Sample((TABLE, INDICES, OFFSETS, False, 2, False, None, -1), why_not_second=ONCE),
        Sample((TABLE, INDICES, OFFSETS, False, 0, False, WEIGHTS, -1), why_not_second=ONCE),
        # With padding among the indices, the gradient is meant to be no slope.
    ],
}
