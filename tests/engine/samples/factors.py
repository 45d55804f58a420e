"""Samples of LU factors, reflectors, and what is solved or multiplied by them."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[2.1, 0.4, -0.7], [0.6, 1.9, 0.3], [-0.5, 0.8, 2.4]])
P = np.eye(3)
STACK = np.stack([A, A.T + np.eye(3)])
PIVOTS = np.array([1, 2, 3], np.int32)
EXCHANGED = np.array([2, 3, 3], np.int32)
B = np.array([[0.4, -1.1], [0.9, 1.7], [-0.6, 0.2]])
TAU = np.array([1.2, 0.7])
TALL = np.array([[0.3, 1.2], [2.1, 0.5], [-0.4, 0.8], [0.9, -1.3]])

SAMPLES: dict[str, list[Sample]] = {
    "linalg_lu_factor_ex": [Sample((A,)), Sample((STACK,)), Sample((A[:2],)), Sample((A[:, :2],))],
    "linalg_lu": [Sample((A, P)), Sample((A[:2], P[:2, :2])), Sample((A[:, :2], P))],
    "lu_unpacked": [Sample((A,)), Sample((STACK,)), Sample((A[:2],)), Sample((A[:, :2],))],
    "linalg_lu_solve": [
        Sample((A, PIVOTS, B)),
        Sample((A, EXCHANGED, B, True, True)),
        Sample((A, EXCHANGED, B.T, False)),
        Sample((A, PIVOTS, B.T, False, True)),
    ],
    "householder_product": [Sample((TALL, TAU)), Sample((TALL, TAU[:1])), Sample((A, np.array([1.1, 0.3, 0.8])))],
    "ormqr": [
        Sample((TALL, TAU, TALL)),
        Sample((TALL, TAU, TALL, True, True)),
        Sample((TALL, TAU, TALL.T, False)),
        Sample((TALL, TAU, TALL.T, False, True)),
    ],
}
