"""Samples of other orders, repetitions, triangles and diagonals."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
S = np.array(1.7)

SAMPLES: dict[str, list[Sample]] = {
    "flip": [Sample((A, (0,))), Sample((A, (-1, 0))), Sample((B, (1,))), Sample((A, ())), Sample((S, (0,)))],
    "roll": [
        Sample((A, (1,), (0,))),
        Sample((A, (-2, 5), (-1, 0))),
        Sample((A, (2,))),
        Sample((V, (0,), (0,))),
        Sample((S, (1,))),
    ],
    "rot90": [
        Sample((A,)),
        Sample((A, 2)),
        Sample((A, -1)),
        Sample((B, 1, (2, 0))),
        Sample((B, 3, (-1, 1))),
        Sample((A, 0)),
    ],
    "repeat": [
        Sample((A, (2, 1))),
        Sample((A, (1, 3))),
        Sample((A, (2, 1, 2))),
        Sample((V, (2,))),
        Sample((S, (3,))),
        Sample((S, ())),
        Sample((A, (0, 1))),
    ],
    "tril": [Sample((A,)), Sample((A, 1)), Sample((A, -1)), Sample((B,)), Sample((B, -5))],
    "triu": [Sample((A,)), Sample((A, 1)), Sample((A, -1)), Sample((B,)), Sample((B, 5))],
    "diag_embed": [Sample((A,)), Sample((A, 1)), Sample((V, -2)), Sample((A, 1, 0, 2)), Sample((A, 0, 2, 0))],
    "diagonal_copy": [Sample((A,)), Sample((A, 1)), Sample((B, 0, 1, 2))],
}
