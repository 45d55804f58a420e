"""Samples of joins, and of what takes tensors apart."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
C = np.array([[1.5, -0.2, 0.8], [0.6, -1.7, 0.9]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
E = np.zeros(0)
S = np.array(1.7)

SAMPLES: dict[str, list[Sample]] = {
    "cat": [
        Sample(([A, C], 0)),
        Sample(([A, C, A[:, :1]], -1)),
        Sample(([A], 1)),
        Sample(([E, A, E], 1)),
        Sample(([V, E], 0)),
        Sample(([B, B[:, :1]], 1)),
    ],
    "stack": [Sample(([A, C], 0)), Sample(([A, C], 1)), Sample(([A, C], -1)), Sample(([S, S + 1], 0)), Sample(([V],))],
    "block_diag": [Sample(([A, V, S],)), Sample(([A],))],
    "unbind": [Sample((A,)), Sample((A, 1)), Sample((B, -2)), Sample((V,))],
    "split": [Sample((A, 1)), Sample((V, 3)), Sample((B, 2, 1)), Sample((A, 2, -1)), Sample((A, 9))],
    "split_with_sizes": [Sample((V, (1, 0, 3))), Sample((B, (2, 1), 1)), Sample((A, (1, 2), -1))],
}
