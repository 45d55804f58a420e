"""Samples of the norms and of the distances that are norms."""

from __future__ import annotations

import math

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4])
S = np.array(-1.7)

ORDERS = [2, 1, 3, 0.5, 1.5, 2.5, -1, math.inf, -math.inf]

SAMPLES: dict[str, list[Sample]] = {
    "linalg_vector_norm": [
        *[Sample((A, p)) for p in ORDERS],
        *[Sample((A, p, (0,))) for p in ORDERS],
        *[Sample((B, p, (-1, 0), True)) for p in ORDERS],
        Sample((S, 2)),
        Sample((B.T, 3, (1,))),
    ],
    "norm_dim": [Sample((A, 2, (1,))), Sample((A, 3.5, (-1,), True)), Sample((B, 1, (0,)))],
    "dist": [
        *[Sample((A, A[::-1] * 0.7 - 0.2, p)) for p in (2, 1, 3, 1.5)],
        Sample((A, V)),
        Sample((V, A, 3)),
        Sample((S, V)),
    ],
    "renorm": [Sample((A, 2, 0, 1.0)), Sample((A, 1, 1, 0.5)), Sample((B, 3, -1, 1.5)), Sample((A, 2, 0, 100.0))],
}
