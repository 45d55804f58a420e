"""Weights as a length times a direction."""

from __future__ import annotations

import numpy as np

from . import Sample

V = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
SOLID = np.sin(np.arange(12.0)).reshape(2, 3, 2) + 0.1

SAMPLES: dict[str, list[Sample]] = {
    "weight_norm_interface": [
        Sample((V, np.array([[0.7], [-1.3]]))),
        Sample((V, np.array([[0.7, -1.3, 0.4]]), 1)),
        Sample((SOLID, np.array([0.6, 1.1]).reshape(2, 1, 1), 0)),
    ],
    "norm_all": [Sample((V,)), Sample((SOLID, 3.0))],
}
