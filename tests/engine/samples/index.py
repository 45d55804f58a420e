"""Samples of reading and writing by indices and masks."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
S = np.array(1.7)
TABLE = np.array([[0.3, 1.2], [2.1, 0.5], [-0.4, 0.9], [1.1, -1.6]])

AT = np.array([2, 0, 2])
PAIR = np.array([[0, 1], [1, 1]])
ROWS = np.array([1, 0])
MASK = np.array([[True, False, True], [False, True, True]])
FEW = np.array([True, False, True])

SAMPLES: dict[str, list[Sample]] = {
    "index": [
        Sample((V, [AT])),
        Sample((V, [np.array([-1, 0])])),
        Sample((A, [None, AT])),
        Sample((A, [MASK])),
        Sample((A, [None, FEW])),
        Sample((A, [ROWS, AT[:2]])),
        Sample((B, [ROWS, None, ROWS])),
        Sample((B, [PAIR])),
        Sample((B, [MASK, ROWS[[0, 1, 1, 0]]])),
        Sample((A, [np.zeros(0, np.int64)])),
    ],
    "index_put": [
        Sample((V, [AT[:2]], V[:2] * 3)),
        Sample((V, [AT], V[:3], True)),
        Sample((A, [None, AT[:2]], S)),
        Sample((A, [MASK], V)),
        Sample((A, [MASK], S)),
        Sample((B, [ROWS], B * 2)),
        Sample((A, [np.array([0, 0])], A + 1, True)),
    ],
    "index_put_impl": [Sample((A, [None, AT], np.array([0.2, 0.9, -1.0]), True)), Sample((A, [ROWS], A + 1, False))],
    "masked_select": [
        Sample((A, MASK)),
        Sample((A, FEW)),
        Sample((A[0], MASK)),
        Sample((S, FEW)),
        Sample((S, np.array(True))),
    ],
    "masked_scatter": [Sample((A, MASK, V)), Sample((A, FEW, B)), Sample((A[0], MASK, V))],
    "masked_scatter_backward": [Sample((A, MASK, (2, 3))), Sample((A, FEW, (4,)))],
    "select_scatter": [Sample((A, V[:3], 0, 1)), Sample((A, V[:2], -1, -1))],
    "slice_scatter": [Sample((A, V[:2, None], 1, 2)), Sample((B, B[:, :2] * 2, 1, 0, 3, 2)), Sample((A, A * 2))],
    "diagonal_scatter": [Sample((A, V[:2])), Sample((A, V[:1], -1)), Sample((B, A[:, :2], 0, 1, 2))],
    "embedding": [
        Sample((TABLE, AT)),
        Sample((TABLE, PAIR)),
        Sample((TABLE, AT, 3)),
        Sample((TABLE, np.array(1))),
        # With padding among the indices, or scaled by frequency, the gradient is meant to be no slope.
    ],
    "embedding_dense_backward": [Sample((A, ROWS, 4, -1, False)), Sample((A, ROWS, 4, 1, False))],
}
