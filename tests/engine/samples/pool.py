"""Pools."""

from __future__ import annotations

import numpy as np

from . import Sample, wave

X = wave(1, 2, 5, 6)
PLANE = wave(2, 4, 4)
FIRST = np.array([[[0, 2], [8, 10]], [[1, 3], [9, 15]]])
SOLID = wave(1, 3, 4, 3)
CORNERS = np.array([[[[0, 2], [5, 8]], [[13, 16], [20, 23]]]])
TWO3, ONE3, ZERO3 = (2, 2, 2), (1, 1, 1), (0, 0, 0)
TWO, THREE, ONE, ZERO = (2, 2), (3, 3), (1, 1), (0, 0)

PLANES = np.sin(np.arange(40.0) * 1.7).reshape(2, 4, 5)
PLACES = np.array([[[1, 3], [11, 14]], [[0, 4], [12, 19]]])

SAMPLES: dict[str, list[Sample]] = {
    "max_pool2d_with_indices": [
        Sample((X, TWO, (), ZERO, ONE, False)),
        Sample((X, THREE, TWO, ONE, ONE, True)),
        Sample((PLANE, TWO, ONE, ZERO, TWO, False)),
    ],
    "max_pool2d_with_indices_backward": [
        Sample((wave(2, 2, 2), PLANE, TWO, TWO, ZERO, ONE, False, FIRST)),
    ],
    "adaptive_max_pool2d_with_indices": [Sample((X, (3, 2))), Sample((PLANE, (1, 6)))],
    "adaptive_max_pool2d_backward": [Sample((wave(2, 2, 2), PLANE, FIRST))],
    "avg_pool2d": [
        Sample((X, TWO, (), ZERO, False, True, None)),
        Sample((X, THREE, TWO, ONE, True, True, None)),
        Sample((X, THREE, TWO, ONE, True, False, None)),
        Sample((PLANE, (2, 3), ONE, ZERO, False, True, 5)),
    ],
    "avg_pool2d_backward": [
        Sample((wave(1, 2, 2, 3), X, TWO, (), ZERO, False, True, None)),
        Sample((wave(1, 2, 3, 4), X, THREE, TWO, ONE, True, False, None)),
    ],
    "adaptive_avg_pool2d": [Sample((X, (3, 2))), Sample((PLANE, (1, 6)))],
    "adaptive_avg_pool2d_backward": [Sample((wave(1, 2, 3, 2), X)), Sample((wave(2, 1, 6), PLANE))],
    "max_pool3d_with_indices": [
        Sample((SOLID, TWO3, (), ZERO3, ONE3, False)),
        Sample((wave(2, 1, 3, 3, 4), (2, 3, 2), ONE3, (1, 1, 0), ONE3, True)),
    ],
    "max_pool3d_with_indices_backward": [
        Sample((wave(1, 2, 2, 2), SOLID, TWO3, ONE3, ZERO3, ONE3, False, CORNERS)),
    ],
    "avg_pool3d": [
        Sample((SOLID, TWO3, (), ZERO3, False, True, None)),
        Sample((wave(2, 1, 3, 3, 4), (2, 3, 2), ONE3, (1, 1, 0), True, False, None)),
        Sample((SOLID, TWO3, ONE3, ZERO3, False, True, 3)),
    ],
    "avg_pool3d_backward": [
        Sample((wave(1, 2, 3, 2), SOLID, TWO3, ONE3, ZERO3, False, True, None)),
        Sample((wave(1, 1, 2, 1), SOLID, TWO3, (), ZERO3, False, False, 5)),
    ],
    "fractional_pool2d": [Sample((PLANES, (2, 2), (2, 2), (0.3, 0.7, 0.1, 0.9)))],
    "fractional_max_pool2d_backward": [Sample((PLANES[:, :2, :2], PLANES, (2, 2), (2, 2), PLACES))],
    "fractional_pool3d": [Sample((PLANES[None], (1, 2, 2), (2, 2, 2), (0.3, 0.7, 0.1)))],
    "fractional_max_pool3d_backward": [
        Sample((PLANES[None, :, :2, :2], PLANES[None], (1, 2, 2), (2, 2, 2), PLACES[None])),
    ],
}
