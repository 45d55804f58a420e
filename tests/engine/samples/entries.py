"""Samples of what is done to the entries of sparse tensors, given tensors of which every number is one."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
C = np.array([[1.5, -0.2, 0.8], [0.6, -1.7, 0.9]])
B = np.array([[[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]], [[1.3, 0.8], [-1.9, 2.2], [0.1, -0.5]]])

SAMPLES: dict[str, list[Sample]] = {
    "sparse_select": [Sample((A, 0, 1)), Sample((B, 1, 0))],
    "sparse_unbind": [Sample((A,)), Sample((B, -2))],
    "sparse_unsqueeze": [Sample((A, 0)), Sample((A, -1))],
    "sparse_cat": [Sample(([A, C], 0)), Sample(([A, C], 1))],
    "sparse_stack": [Sample(([A, C], 0)), Sample(([A, C], 2))],
    "sparse_index_select": [Sample((A, 1, np.array([2, 0, 0])))],
    "sparse_narrow": [Sample((A, 1, 1, 2))],
    "sparse_matmul": [Sample((A, C.T.copy()))],
    "sparse_mm": [Sample((A, C.T.copy()))],
    "masked": [Sample((A, C > 0))],
    "sparse_sum": [Sample((A, (1,))), Sample((B, (0, 2)))],
    "sparse_sum_along": [Sample((A, (0,)))],
    "sparse_softmax": [Sample((A, 1)), Sample((B, 0))],
    "sparse_log_softmax": [Sample((A, 1)), Sample((B, 0))],
    "sparse_relu": [Sample((A,))],
    "sparse_log1p": [Sample((np.abs(A),))],
    "sparse_sign": [Sample((A,))],
}
