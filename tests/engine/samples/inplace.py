"""Samples of the ops that only write."""

from __future__ import annotations

import numpy as np

from gradcli.engine.ops.pointwise.comparison import ge, lt

from . import Sample

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])

SAMPLES = {
    "copy": [Sample((A, A[::-1] * 2)), Sample((A, A[0])), Sample((A, np.array(3.0)))],
    "zero": [Sample((A,))],
    "answered_by_number": [Sample((A, 0.4, lt)), Sample((A[0], 7, ge))],
    "answered_by_tensor": [Sample((A, A[::-1] + 0.1, lt)), Sample((A, A[1] - 0.1, ge)), Sample((A[0], A[1] + 1, lt))],
    "fill_number": [Sample((A, 2.5))],
    "filled_by_number": [Sample((A, 2.5))],
    "filled_by_tensor": [Sample((A, np.array(1.5)))],
    "fill_tensor": [Sample((A, np.array(1.5)))],
}
