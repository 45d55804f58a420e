"""Samples of the extrema and of what puts elements in order."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])
V = np.array([0.7, -1.3, 2.4, 0.1, 1.6])
S = np.array(1.7)

ONE_AXIS = [(0,), (-1, True), (1,)]

SAMPLES: dict[str, list[Sample]] = {
    **{name: [Sample((A,)), Sample((V,)), Sample((S,)), Sample((B.T,))] for name in ("max_all", "min_all")},
    **{
        name: [Sample((A, *form)) for form in ONE_AXIS] + [Sample((B.T, 1)), Sample((S, 0)), Sample((V, 0, True))]
        for name in ("max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode")
    },
    **{
        name: [Sample((A,)), Sample((A, (0,))), Sample((A, (-1,), True)), Sample((B, (0, 2))), Sample((S, (0,)))]
        for name in ("amax", "amin")
    },
    "aminmax": [Sample((A,)), Sample((A, 0)), Sample((A, -1, True)), Sample((S,)), Sample((B.T, 1))],
    **{name: [Sample((V,)), Sample((A,)), Sample((S,))] for name in ("median_all", "nanmedian_all")},
    **{
        name: [Sample((A, 1)), Sample((A, 0, True)), Sample((B.T, -2)), Sample((S,)), Sample((V, -1, True))]
        for name in ("sort", "sort_stable")
    },
    "topk": [
        Sample((V, 2)),
        Sample((A, 1, 0)),
        Sample((A, 2, -1, False)),
        Sample((B, 2, 1, True, False)),
        Sample((S, 1)),
    ],
    "kthvalue": [Sample((V, 2)), Sample((A, 1, 0)), Sample((A, 3, -1, True)), Sample((B, 2, 1)), Sample((S, 1))],
}
