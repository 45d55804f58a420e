"""Samples for the cells of recurrent networks."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.linspace(-1.3, 1.9, 12).reshape(2, 6)

SAMPLES = {"gates": [Sample((A, 2, 1)), Sample((A, 3, 1)), Sample((A, 1, 0))]}
