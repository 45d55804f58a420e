"""Samples of products of matrices and vectors, of distances, and of the layers built on them."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4]])
W = np.array([[0.6, -1.1, 0.2, 0.9], [1.3, 0.4, -0.8, 0.1], [-0.5, 0.7, 1.9, -1.2]])
V = np.array([0.7, -1.3, 2.4])
U = np.array([1.1, -0.2])
B = np.array([[[0.4, -1.1, 0.5], [0.9, 1.7, -0.3]], [[1.3, 0.8, 0.6], [-1.9, 2.2, 1.4]]])
C = np.array([[[0.2, 1.5], [-0.6, 0.9], [1.1, -0.4]], [[0.8, -1.2], [0.3, 0.7], [-0.9, 1.6]]])
ROWS = np.array([0.5, -0.6, 1.2, 2.0])
S = np.array(1.7)
EMPTY = np.zeros((0, 3))
WEIGHT = np.array([[[0.6, -1.1], [0.2, 0.9], [1.3, 0.4]], [[-0.5, 0.7], [1.9, -1.2], [0.1, 0.8]]])
P = np.array([[0.3, 1.2, -0.7], [2.1, 0.5, 1.4], [-0.4, 0.8, 0.1]])
Q = np.array([[1.3, -0.2, 0.6], [0.4, 1.5, -1.1]])
STACK = np.stack([P, 1.5 - P])
ONCE = "PyTorch has no second derivative of it, and neither has it here"

SAMPLES: dict[str, list[Sample]] = {
    "mm": [Sample((A, W)), Sample((A, A.T)), Sample((A.T, U[:, None])), Sample((EMPTY, W)), Sample((EMPTY.T, EMPTY))],
    "mv": [Sample((A, V)), Sample((W.T, V)), Sample((EMPTY, V))],
    "dot": [Sample((V, V[::-1].copy())), Sample((A[0], V)), Sample((np.zeros(0), np.zeros(0)))],
    "vdot": [Sample((V, A[1]))],
    "bmm": [
        Sample((B, C)),
        Sample((C, B)),
        Sample((B, B.swapaxes(1, 2))),
        Sample((B.transpose(2, 0, 1), np.ones((3, 2, 2)))),
    ],
    "addmm": [
        Sample((ROWS, A, W)),
        Sample((np.outer(U, ROWS), A, W, 0.5, -2)),
        Sample((S, A, W, 3, 1)),
        Sample((U[:, None], A, W.T[:, :3].T.copy())),
        Sample((ROWS, A, W, 0, 2)),
    ],
    "sparse_addmm": [Sample((np.outer(U, ROWS), A, W)), Sample((np.outer(U, ROWS), A, W, 0.5, -2))],
    "with_values": [
        Sample((np.array([[0, 2, 0], [1, 0, 1]]), V, (3, 2))),
        Sample((np.array([[2, 0]]), A, (3, A.shape[1]))),
    ],
    "values_at": [Sample((A, np.array([[0, 1], [1, 0]])))],
    "dense": [Sample((A,))],
    "entries": [Sample((A, 2)), Sample((A, 1))],
    "in_order": [Sample((A,))],
    "addmv": [Sample((U, A, V)), Sample((S, A, V, 0.5, 2)), Sample((U[:1], A, V, 2, 1))],
    "addr": [Sample((A, U, V)), Sample((V, U, V, 0.5, -1)), Sample((S, U, V)), Sample((A, U, V, 0, 2))],
    "addbmm": [Sample((P[:2, :2], B, C)), Sample((U, B, C, 0.5, -2)), Sample((S, C, B))],
    "baddbmm": [Sample((C[:, :2], B, C)), Sample((U, B, C, 0.5, -2)), Sample((S, C, B)), Sample((P, C, B))],
    "linalg_cross": [
        Sample((V, A[0])),
        Sample((A, A[::-1].copy())),
        Sample((A, V[None, :])),
        Sample((W, W[:, ::-1].copy(), 0)),
        Sample((C, C[:1], -2)),
    ],
    "trilinear": [
        Sample((P, WEIGHT, P[:, :2], (1, 3), (0,), (1, 2), (2, 3))),
        Sample((P[:1], WEIGHT, P[:1, 1:], (1, 3), (0,), (1, 2), (2, 3))),
    ],
    "cdist_forward": [
        *(Sample((P, Q, p), why_not_second=ONCE) for p in (2.0, 1.0, 1.5, 3.0, 0.5)),
        Sample((P, Q * 1.1, float("inf")), why_not_second=ONCE),
        Sample((STACK, Q, 2.0), why_not_second=ONCE),
        Sample((P, STACK + 0.15, 1.0), why_not_second=ONCE),
    ],
    "pdist_forward": [
        *(Sample((P, p), why_not_second=ONCE) for p in (2.0, 1.0, 1.5, 3.0, 0.5)),
        Sample((P * 1.1, float("inf")), why_not_second=ONCE),
    ],
    "euclidean_dist": [Sample((P, Q)), Sample((STACK, STACK[::-1] + 0.3))],
}
