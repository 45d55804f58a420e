"""Choosing between elements."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
B = np.array([[1.1, 0.4, -0.9], [0.8, -1.6, 0.6]])
P = np.array([[0.6, 1.2, 2.1], [1.4, 0.2, 0.7]])
ROW = np.array([0.2, -0.5, 1.0])
COLUMN = np.array([[1.3], [-0.4]])
S = np.float64(1.7)
MASK = np.array([[True, False, True], [False, True, True]])

PAIRS = [Sample((A, B)), Sample((A, ROW)), Sample((COLUMN, ROW)), Sample((A, S)), Sample((A.T, P.T))]
ONE_BOUND = [Sample((A, -0.9)), Sample((A, 1)), Sample((S, 0.3)), Sample((A.T, 0))]

SAMPLES: dict[str, list[Sample]] = {
    "where": [
        Sample((MASK, A, B)),
        Sample((MASK, A, ROW)),
        Sample((MASK[0], A, S)),
        Sample((MASK, S, COLUMN)),
        Sample((MASK.T, A.T, B.T)),
    ],
    "masked_fill_number": [Sample((A, MASK, 0)), Sample((A, MASK[0], 2.5)), Sample((ROW, MASK, -1))],
    "masked_fill_tensor": [Sample((A, MASK, S)), Sample((A, MASK[0], S)), Sample((ROW, MASK, S))],
    "maximum": PAIRS,
    "minimum": PAIRS,
    "fmax": PAIRS,
    "fmin": PAIRS,
    "clamp_number": [
        Sample((A, -1, 1)),
        Sample((A, None, 0.9)),
        Sample((A, -0.6, None)),
        Sample((S, 0, 1)),
        Sample((A.T, -1, 1)),
    ],
    "clamp_tensor": [
        Sample((A, B, P)),
        Sample((A, None, ROW)),
        Sample((A, COLUMN, None)),
        Sample((A, S - 2, S)),
        Sample((A, P, B)),
    ],
    "clamp_min_number": ONE_BOUND,
    "clamp_max_number": ONE_BOUND,
    "clamp_min_tensor": PAIRS,
    "clamp_max_tensor": PAIRS,
}
