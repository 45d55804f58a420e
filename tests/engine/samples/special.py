"""Special functions: of the normal distribution, the gamma family, Bessel's."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.3], [1.4, 0.3, -0.7]])
P = np.array([[0.5, 1.2, 2.3], [7.4, 0.3, 12.7]])
U = np.array([[0.5, -0.2, 0.83], [-0.94, 0.3, -0.7]])
Q = np.array([[0.5, 0.02, 0.83], [0.94, 0.3, 0.71]])
S = np.float64(0.6)
# More elements than are done one by one.
MANY = np.linspace(-3.1, 2.9, 80)

ANY = [Sample((A,)), Sample((S,)), Sample((A.T,)), Sample((MANY,))]
POSITIVE = [Sample((P,)), Sample((S,)), Sample((P.T,)), Sample((np.abs(MANY),))]
ORDERS = np.array([[2, 3, 2], [4, 2, 5]])

SAMPLES: dict[str, list[Sample]] = {
    "erf": ANY,
    "erfc": [*ANY, Sample((P,))],
    "erfcx": [*ANY, Sample((P,))],
    "erfinv": [Sample((U,)), Sample((S,)), Sample((U.T,)), Sample((np.array([0.96, -0.97]),))],
    "ndtri": [Sample((Q,)), Sample((S,)), Sample((np.array([0.03, 0.96]),))],
    "log_ndtr": [*ANY, Sample((A * 10,))],
    "entr": POSITIVE,
    "lgamma": POSITIVE,
    "digamma": POSITIVE,
    "polygamma_": [Sample((P, 0)), Sample((P, 1)), Sample((P.T, 2)), Sample((S, 3))],
    "polygamma_in_place": [Sample((P, 1)), Sample((S, 2))],
    "mvlgamma_": [Sample((P + 1, 2)), Sample((P + 2, 3)), Sample((S, 1))],
    "zeta_of_both": [Sample((ORDERS, P)), Sample((ORDERS, S)), Sample((np.int64(3), P))],
    "zeta_of_number": [Sample((P, 2)), Sample((P, 2.5)), Sample((S, 7))],
    "igamma": [Sample((ORDERS, P)), Sample((ORDERS, S)), Sample((np.int64(3), P))],
    "igammac": [Sample((ORDERS, P)), Sample((ORDERS, S)), Sample((np.int64(3), P))],
    "i0": [*ANY, Sample((A * 12,))],
    "i0e": [*ANY, Sample((A * 12,))],
    "i1": [*ANY, Sample((A * 12,))],
    "i1e": [*ANY, Sample((A * 12,))],
    "logit": [Sample((Q,)), Sample((S,)), Sample((Q,), {"eps": 0.01}), Sample((Q.T,), {"eps": 1e-6})],
}
