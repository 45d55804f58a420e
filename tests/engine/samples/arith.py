"""Arithmetic, quotients that are rounded, and powers."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
B = np.array([[1.1, 0.4, -0.9], [0.8, -1.6, 0.6]])
P = np.array([[0.5, 1.2, 2.0], [1.5, 0.3, 0.7]])
E = np.array([[0.9, -0.4, 1.6], [2.2, 0.8, -1.3]])
ROW = np.array([0.2, -0.5, 1.0])
COLUMN = np.array([[1.3], [-0.4]])
S = np.float64(1.7)

PAIRS = [Sample((A, B)), Sample((A, ROW)), Sample((COLUMN, ROW)), Sample((A, S)), Sample((S, A)), Sample((A.T, P.T))]
ALPHA = [*PAIRS, Sample((A, B), {"alpha": 3}), Sample((A, ROW), {"alpha": -0.5})]
NUMBERS = [Sample((A, 2)), Sample((A, -0.6)), Sample((S, 3))]
# No quotient is whole: there these functions jump.
QUOTIENTS = [Sample((A, B + 0.03)), Sample((A, ROW + 0.03)), Sample((A, S)), Sample((P, COLUMN))]

SAMPLES: dict[str, list[Sample]] = {
    "add": ALPHA,
    "sub": ALPHA,
    "rsub_tensor": ALPHA,
    "rsub_number": [*NUMBERS, Sample((A, 2), {"alpha": 3})],
    "mul": PAIRS,
    "div": PAIRS,
    "neg": [Sample((A,)), Sample((S,)), Sample((A.T,))],
    "add_number": NUMBERS,
    "sub_number": NUMBERS,
    "mul_number": NUMBERS,
    "div_number": NUMBERS,
    "addcmul": [Sample((A, B, P)), Sample((A, ROW, S), {"value": 0.5}), Sample((ROW, A, COLUMN), {"value": -2})],
    "addcdiv": [Sample((A, B, P)), Sample((A, ROW, S), {"value": 0.5}), Sample((ROW, A, COLUMN), {"value": -2})],
    "lerp_number": [Sample((A, B, 0.3)), Sample((A, ROW, 0.8)), Sample((S, S + 1, 2))],
    "lerp_tensor": [Sample((A, B, P)), Sample((A, ROW, S)), Sample((A, B, 0.1 * P))],
    "div_mode": [
        Sample((A, B), {"rounding_mode": None}),
        Sample((A, B + 0.03), {"rounding_mode": "floor"}),
        Sample((A, ROW + 0.03), {"rounding_mode": "trunc"}),
    ],
    "remainder_tensor": QUOTIENTS,
    "remainder_number": [Sample((A, 0.9)), Sample((A, -1.9)), Sample((S, 0.4))],
    "fmod_tensor": QUOTIENTS,
    "fmod_number": [Sample((A, 0.9)), Sample((A, -1.9)), Sample((S, 0.4))],
    "power_number": [
        *(Sample((A, n)) for n in (2, 3, 1, 0, -1, -2, 4, -3)),
        *(Sample((P, x)) for x in (0.5, -0.5, 2.5, -1.3, 2.0)),
        Sample((S, 2)),
        Sample((A.T, 2)),
    ],
    "power_tensor": [Sample((P, E)), Sample((P, ROW)), Sample((P, S)), Sample((S, A)), Sample((P, COLUMN))],
    "power_of_number": [Sample((A, 2)), Sample((A, 0.4)), Sample((S, 3)), Sample((A, 1))],
}
