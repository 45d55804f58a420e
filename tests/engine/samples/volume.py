"""Volumes pooled and resampled, what pools took put back, images read at places, sequences packed."""

from __future__ import annotations

import numpy as np

from . import Sample

ONCE = "PyTorch has no derivative of the gradient's gradient"


def wave(*size: int) -> np.ndarray:
    n = int(np.prod(size))
    return np.sin(np.arange(n) * 1.7 + 0.3).reshape(size) + np.arange(n).reshape(size) * 0.01


SOLID = wave(1, 2, 3, 4, 3)
HALF = (2, 3, 2)
MORE = (4, 5, 4)
NO_SCALE = (None, None, None)
NEAREST = [Sample((SOLID, MORE, *NO_SCALE)), Sample((SOLID, (6, 8, 6), 2.0, 2.0, 2.0))]
NEAREST_BACK = [Sample((wave(1, 2, *MORE), MORE, SOLID.shape, *NO_SCALE))]

PLACES = np.array([[[0, 3], [9, 7]], [[1, 6], [8, 11]]])
CORNERS = np.array([[[[[0]], [[13]]]]])

IMAGE = wave(2, 2, 3, 4)
GRID = wave(2, 2, 3, 2) * 0.6
SMALL = wave(1, 1, 2, 3, 2)
GRID3 = wave(1, 2, 1, 2, 3) * 0.7
MODES = [(mode, padding, align) for mode in (0, 1, 2) for padding in (0, 1, 2) for align in (False, True)]

PADDED = wave(3, 2, 2)

SAMPLES: dict[str, list[Sample]] = {
    "adaptive_avg_pool3d": [Sample((SOLID, HALF)), Sample((SOLID[0], (3, 2, 1)))],
    "adaptive_avg_pool3d_backward": [Sample((wave(1, 2, *HALF), SOLID))],
    "adaptive_max_pool3d_with_indices": [Sample((SOLID, HALF)), Sample((SOLID[0], (3, 2, 1)))],
    "adaptive_max_pool3d_backward": [Sample((wave(1, 2, 1, 1, 1), SOLID, np.array([[[[[5]]], [[[8]]]]])))],
    "upsample_nearest3d": NEAREST,
    "upsample_nearest3d_backward": NEAREST_BACK,
    "upsample_nearest_exact3d": NEAREST,
    "upsample_nearest_exact3d_backward": NEAREST_BACK,
    "upsample_trilinear3d": [Sample((SOLID, MORE, False, *NO_SCALE)), Sample((SOLID, HALF, True, *NO_SCALE))],
    "upsample_trilinear3d_backward": [Sample((wave(1, 2, *MORE), MORE, SOLID.shape, False, *NO_SCALE))],
    "max_unpooled2d": [Sample((wave(2, 2, 2), PLACES, (3, 4))), Sample((wave(1, 2, 2, 2), PLACES[None], (3, 4)))],
    "max_unpooled3d": [Sample((wave(1, 1, 2, 1, 1), CORNERS, (2, 3, 4), (1, 1, 1), (0, 0, 0)))],
    "channel_shuffle": [Sample((wave(1, 6, 2), 2)), Sample((wave(2, 6, 1, 2), 3))],
    "grid_sampler_2d": [Sample((IMAGE, GRID, *options)) for options in MODES],
    "grid_sampler_2d_backward": [
        Sample((wave(2, 2, 2, 3), IMAGE, GRID, *options), why_not_second=ONCE) for options in MODES
    ],
    "grid_sampler_3d": [Sample((SMALL, GRID3, *options)) for options in MODES[:12]],
    "grid_sampler_3d_backward": [
        Sample((wave(1, 1, 2, 1, 2), SMALL, GRID3, *options), why_not_second=ONCE) for options in MODES[:12]
    ],
    "affine_grid_generator": [
        Sample((wave(2, 2, 3), (2, 1, 2, 3), False)),
        Sample((wave(1, 3, 4), (1, 1, 2, 1, 2), True)),
    ],
    "pack_sequences": [Sample((PADDED, np.array([3, 1]))), Sample((PADDED, np.array([2, 2, 1]), True))],
    "unpack_sequences": [Sample((wave(4, 2), PADDED.shape, np.array([2, 1, 1]), False))],
}
