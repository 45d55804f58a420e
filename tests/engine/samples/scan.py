"""Samples of the running sums, products, extrema and log-sum-exps."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1, 1.6])
S = np.array(1.7)
ONE_ZERO = np.array([[0.3, 0.0, -0.7, 1.2], [2.1, 0.5, 1.4, -0.8]])
ZEROS = np.array([[0.0, 1.1, 0.0, 0.6], [0.5, -0.9, 0.0, 0.0]])

EACH = [Sample((A, 0)), Sample((A, -1)), Sample((V, 0)), Sample((S, 0)), Sample((B.T, 1)), Sample((A[:1], 0))]

SAMPLES: dict[str, list[Sample]] = {
    "cumsum": EACH,
    "cumprod": [*EACH, Sample((ONE_ZERO, 1)), Sample((ZEROS, -1)), Sample((ZEROS, 0)), Sample((ONE_ZERO.T, 0))],
    "cummax": EACH,
    "cummin": EACH,
    "logcumsumexp": [*EACH, Sample((A * 400, 1))],
}
