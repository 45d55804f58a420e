"""Samples of the sums, means, products, variances, and of what is counted like them."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1])
S = np.array(1.7)
ONE_ZERO = np.array([[0.3, 0.0, -0.7], [2.1, 0.5, 1.4]])
ZEROS = np.array([[0.0, 1.1, 0.0], [0.5, -0.9, 0.0]])

ALONG = [((0,), False), ((-1,), True), ((0, 1), False), ((-1, 0), True), ((), False), (None, True)]

SAMPLES: dict[str, list[Sample]] = {
    "sum_all": [Sample((A,)), Sample((S,)), Sample((B.T,)), Sample((np.zeros((0, 3)),))],
    "sum_dim": [Sample((A, *form)) for form in ALONG] + [Sample((B.T, (1,))), Sample((S, (0,)))],
    "mean_all": [Sample((A,)), Sample((S,)), Sample((B.T,))],
    "mean_dim": [Sample((A, *form)) for form in ALONG] + [Sample((B.T, (1, -1))), Sample((S, (-1,)))],
    "nansum": [Sample((A, *form)) for form in ALONG] + [Sample((A,))],
    "prod_all": [Sample((A,)), Sample((S,)), Sample((ONE_ZERO,)), Sample((ZEROS,)), Sample((B.T,))],
    "prod_dim": [
        Sample((A, 0)),
        Sample((A, -1, True)),
        Sample((ONE_ZERO, 1)),
        Sample((ZEROS, -1)),
        Sample((ZEROS, 0, True)),
        Sample((S, 0)),
        Sample((B.T, 1)),
    ],
    "trace": [Sample((A,)), Sample((A[:, :2],)), Sample((A.T,))],
    "logsumexp": [
        Sample((A, (0,))),
        Sample((A, (-1,), True)),
        Sample((B, (0, -1))),
        Sample((A * 400, (1,))),
        Sample((S, (0,))),
    ],
    "var": [
        Sample((A,)),
        Sample((A, (1,), 1)),
        Sample((A, (-2,), 0, True)),
        Sample((B, (0, 2), 1)),
        Sample((V, None, 0.5)),
        Sample((V, (0,), 1)),
    ],
    "std": [
        Sample((A,)),
        Sample((A, (1,), 1)),
        Sample((A, (-2,), 0, True)),
        Sample((B, (0, 2), 1)),
        Sample((V, None, 0.5)),
    ],
    "var_mean": [Sample((A,)), Sample((A, (1,), 1)), Sample((B, (0, -1), 0, True))],
    "std_mean": [Sample((A,)), Sample((A, (1,), 1)), Sample((B, (0, -1), 0, True))],
}
