"""Samples for the ops that put in what was drawn; none of them has a slope."""

from __future__ import annotations

import numpy as np

from . import Sample

X = np.array([[0.5, -1.25, 2.0], [0.25, 3.5, -0.75]])
P = np.array([0.25, 0.5, 0.75])
DRAWN = np.array([[1.0, 0.0, 0.25], [-0.5, 2.0, 1.5]])
ROW = np.array([1.0, 0.0, 1.0])

OVERWRITING = (
    "bernoulli_drawn",
    "cauchy_drawn",
    "exponential_drawn",
    "geometric_drawn",
    "log_normal_drawn",
    "normal_drawn",
    "random_between_drawn",
    "random_below_drawn",
    "random_drawn",
    "uniform_drawn",
)

SAMPLES: dict[str, list[Sample]] = {
    **{name: [Sample((X, DRAWN)), Sample((P, ROW))] for name in OVERWRITING},
    "bernoulli_by_self": [Sample((P, ROW))],
    "poisson_by_rate": [Sample((P, ROW))],
    "bernoulli_by": [Sample((X, P, DRAWN))],
    "normal_by_mean": [Sample((X, DRAWN))],
    "normal_by_std": [Sample((P, ROW))],
    "normal_by_both": [Sample((X, P, DRAWN)), Sample((P, np.array([[1.0], [2.0]]), DRAWN))],
}
