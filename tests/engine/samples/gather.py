"""Samples of reading, writing and reducing at places of an axis."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
C = np.array([[1.5, -0.2, 0.8], [0.6, -1.7, 0.9]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
S = np.array(1.7)

AT = np.array([2, 0, 2])
TWO = np.array([2, 0])
ZERO = np.array([0])
GRID = np.array([[2, 0, 1], [0, 0, 2]])
PART = np.array([[1], [2]])

NO_SECOND = "PyTorch has no second derivative of it, and neither has it here"

SAMPLES: dict[str, list[Sample]] = {
    "index_select": [Sample((A, 1, AT)), Sample((B, -2, AT)), Sample((V, 0, np.array(2))), Sample((S, 0, ZERO))],
    "index_add": [Sample((A, 1, TWO, C[:, :2])), Sample((V, 0, AT, V[:3], 2.5)), Sample((S, 0, ZERO, S + 1))],
    "index_copy": [
        Sample((A, 1, TWO, C[:, :2])),
        Sample((V, 0, TWO, V[:2])),
        Sample((V, 0, ZERO, S)),
        Sample((S, 0, ZERO, S)),
    ],
    "index_fill_number": [Sample((A, 1, TWO, 3.0)), Sample((A, 0, np.array([-1]), 0)), Sample((S, 0, ZERO, 2.0))],
    "index_fill_tensor": [Sample((A, 1, AT, S)), Sample((A, 0, np.array(1), S))],
    "gather": [
        Sample((A, 1, GRID)),
        Sample((A, -2, GRID // 2)),
        Sample((A, 1, PART)),
        Sample((S, 0, ZERO)),
        Sample((V, 0, AT)),
    ],
    "scatter_src": [
        Sample((A, 1, PART, C[:, :1])),
        Sample((A, 0, np.array([[1, 0, 1]]), C[:1])),
        Sample((S, 0, np.array(0), S)),
    ],
    "scatter_value": [Sample((A, 1, GRID, 3.0)), Sample((A, 0, PART[:1], 0))],
    "scatter_add": [Sample((A, 1, GRID, C)), Sample((A, 0, PART[:1], C[:1, :1])), Sample((S, 0, np.array(0), S))],
    "take": [Sample((A, AT)), Sample((A, np.array([[5, -1], [0, 0]]))), Sample((A, np.array(4))), Sample((S, ZERO))],
    "put": [Sample((A, TWO, V[:2])), Sample((A, AT, V[:3], True)), Sample((A, np.array([[5, 1]]), V[:2][None]))],
    "scatter_reduce": [
        Sample((A, 1, GRID, C, how, include))
        for how in ("sum", "prod", "mean", "amax", "amin")
        for include in (True, False)
    ]
    + [Sample((A, 0, PART[:1], C[:1, :1], "amax")), Sample((A * [[1, 0, 1]], 1, GRID, C, "prod"))],
    "index_reduce": [
        Sample((A, 1, AT, C, how, include)) for how in ("prod", "mean", "amax", "amin") for include in (True, False)
    ],
    "segments_reduced": [
        *(Sample((A, reduce, np.array([1, 1]), None, 0), why_not_second=NO_SECOND) for reduce in ("sum", "max")),
        Sample((A, "prod", np.array([[2, 1], [1, 2]]), None, 1, 2.0), why_not_second=NO_SECOND),
        Sample((A, "mean", None, np.array([0, 2]), 0), why_not_second=NO_SECOND),
    ],
}
