"""Changes of element type, and copies."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
S = np.float64(1.7)

SAMPLES: dict[str, list[Sample]] = {
    "to_copy": [Sample((A, np.dtype("float64"))), Sample((S, np.dtype("float64"))), Sample((A.T, np.dtype("float64")))],
    "copied": [Sample((A,)), Sample((A.T, "contiguous_format")), Sample((S,)), Sample((A[:, ::2],))],
}
