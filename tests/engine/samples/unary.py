"""Smooth functions of one operand, functions with kinks and jumps, functions of two operands."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.3], [1.4, 0.3, -0.7]])
B = np.array([[1.1, 0.4, -0.9], [0.8, -1.6, 0.6]])
P = np.array([[0.5, 1.2, 2.3], [1.4, 0.3, 0.7]])
U = np.array([[0.5, -0.2, 0.83], [-0.94, 0.3, -0.7]])
Q = np.array([[0.5, 0.02, 0.83], [0.94, 0.3, 0.71]])
ABOVE_ONE = np.array([1.3, 2.5, 7.0])
ROW = np.array([0.2, -0.5, 1.3])
COLUMN = np.array([[1.3], [-0.4]])
S = np.float64(0.6)

ANY = [Sample((A,)), Sample((S,)), Sample((A.T,)), Sample((np.array([[[-3.7, 4.2]]]),))]
POSITIVE = [Sample((P,)), Sample((S,)), Sample((P.T * 10,))]
INSIDE_ONE = [Sample((U,)), Sample((S,)), Sample((U.T,))]
PAIRS = [Sample((A, B)), Sample((A, ROW)), Sample((COLUMN, ROW)), Sample((A, S)), Sample((S, B)), Sample((A.T, P.T))]
LOGARITHMS = [Sample((A, P)), Sample((A, P[0])), Sample((COLUMN, P[1])), Sample((A, S)), Sample((S, P))]

SAMPLES: dict[str, list[Sample]] = {
    "exp": ANY,
    "exp2": ANY,
    "expm1": [*ANY, Sample((A * 1e-6,))],
    "log": POSITIVE,
    "log2": POSITIVE,
    "log10": POSITIVE,
    "log1p": [*POSITIVE, Sample((Q - 1,)), Sample((A * 1e-3,))],
    "sqrt": POSITIVE,
    "rsqrt": POSITIVE,
    "reciprocal": ANY,
    "sin": ANY,
    "cos": ANY,
    "tan": ANY,
    "asin": INSIDE_ONE,
    "acos": INSIDE_ONE,
    "atan": ANY,
    "deg2rad": ANY,
    "rad2deg": ANY,
    "sinh": ANY,
    "cosh": ANY,
    "tanh": ANY,
    "tanh_backward": PAIRS,
    "asinh": ANY,
    "acosh": [Sample((ABOVE_ONE,)), Sample((np.float64(1.7),))],
    "atanh": INSIDE_ONE,
    "sigmoid": [*ANY, Sample((A * 20,))],
    "sigmoid_backward": PAIRS,
    "abs": ANY,
    "sign": ANY,
    "sgn": ANY,
    "floor": ANY,
    "ceil": ANY,
    "trunc": ANY,
    "frac": ANY,
    "round_whole": [Sample((A + 0.03,)), Sample((S,)), Sample((A.T * 3.1,))],
    "round_decimals": [Sample((A + 0.017, 1)), Sample((S * 1.01, 2)), Sample((A * 31, -1))],
    "nan_to_num": [*ANY, Sample((A,), {"nan": 1.0, "posinf": 2.0, "neginf": 3.0})],
    "angle": ANY,
    "sinc": ANY,
    # Off the powers of 2, where the mantissa jumps.
    "frexp_parts": [Sample((A * 1.03,)), Sample((S,)), Sample((A.T * 3.1,))],
    "atan2": PAIRS,
    "hypot": PAIRS,
    "logaddexp": [*PAIRS, Sample((A * 200, B * 200))],
    "logaddexp2": [*PAIRS, Sample((A * 200, B * 200))],
    "xlogy_tensor": LOGARITHMS,
    "xlogy_of_number": [Sample((P, 2.5)), Sample((P, -1)), Sample((S, 3))],
    "xlogy_number": [Sample((A, 2.5)), Sample((S, 3))],
    "xlog1py_tensor": [*LOGARITHMS, Sample((A, Q - 1))],
    "xlog1py_of_number": [Sample((P, 2.5)), Sample((Q - 1, -1)), Sample((S, 3))],
    "xlog1py_number": [Sample((A, 2.5)), Sample((S, -0.5))],
    "copysign_tensor": PAIRS,
    "copysign_number": [Sample((A, -2.0)), Sample((A, 1)), Sample((S, -1))],
    # It jumps where the two are equal.
    "nextafter": [Sample((A, B)), Sample((A, ROW * 1.1)), Sample((COLUMN, ROW * 1.1)), Sample((S, B * 1.1))],
    "ldexp": PAIRS,
}
