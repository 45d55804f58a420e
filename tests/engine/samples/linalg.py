"""Samples of inverses, determinants, linear systems, decompositions and functions of matrices."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[2.3, 0.4, -0.7], [0.5, 1.9, 0.3], [-0.2, 0.6, 2.8]])
T = np.array([[2.1, -0.5], [0.4, 1.7], [1.1, 0.2], [-0.6, 0.9]])
STACK = np.stack([A, A.T + 0.3, 4.0 - A])
V = np.array([0.7, -1.3, 2.4])
M = np.array([[0.7, 1.1], [-1.3, 0.2], [2.4, -0.9]])
MS = np.stack([M, M[::-1], 1 - M])
# Of symmetric and triangular matrices one triangle is read, while gradients go to both, as PyTorch has it:
# here only matrices of one element, the larger ones in test_matrices.
ONES = np.array([[[1.7]], [[0.6]]])

SAMPLES: dict[str, list[Sample]] = {
    "linalg_inv_ex": [Sample((A,)), Sample((STACK,)), Sample((ONES,))],
    "linalg_det": [Sample((A,)), Sample((STACK,)), Sample((ONES,)), Sample((-A,))],
    "linalg_slogdet": [Sample((A,)), Sample((STACK,)), Sample((-A,)), Sample((ONES,))],
    "linalg_solve_ex": [
        Sample((A, V)),
        Sample((A, M)),
        Sample((A, M.T.copy(), False)),
        Sample((STACK, MS)),
        Sample((STACK, M)),
        Sample((A, MS)),
        Sample((STACK, A)),
    ],
    "linalg_solve_triangular": [
        Sample((A, M, True)),
        Sample((A, M, False)),
        Sample((A, M.T.copy(), True, False)),
        Sample((A, M, False, True, True)),
        Sample((STACK, M, True)),
        Sample((A, MS, False)),
    ],
    "triangular_solve_": [
        Sample((M, A)), Sample((M, A, False)), Sample((M, A, True, True)), Sample((M, A, True, False, True)),
    ],
    "linalg_cholesky_ex": [Sample((ONES,)), Sample((ONES, True))],
    "cholesky_": [Sample((ONES,)), Sample((ONES, True))],
    "cholesky_solve_": [Sample((1 - ONES, ONES)), Sample((M[:1], ONES, True)), Sample((ONES, ONES[0]))],
    "cholesky_inverse": [Sample((ONES,)), Sample((ONES, True))],
    "linalg_qr": [
        Sample((A,)), Sample((T,)), Sample((T.T.copy(),)), Sample((STACK,)), Sample((A, "complete")),
        Sample((T.T.copy(), "complete")),
    ],
    "linalg_eigh": [Sample((ONES,)), Sample((ONES, "U"))],
    "linalg_svd": [
        Sample((A, False, 3)), Sample((T, False, 2)), Sample((T.T.copy(), False, 2)), Sample((STACK, False, 3)),
        Sample((A, True, 3)),
    ],
    "linalg_pinv": [Sample((A,)), Sample((T,)), Sample((T.T.copy(),)), Sample((STACK,))],
    "linalg_matrix_exp": [Sample((A,)), Sample((STACK * 0.2,)), Sample((A * 4,)), Sample((ONES,))],
    "linalg_lstsq": [
        Sample((T, T[:, 0] + 0.3)), Sample((T, T[::-1].copy())), Sample((T, T[::-1].copy(), None, "gels")),
    ],
}
