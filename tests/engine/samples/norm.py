"""Normalisation, and attention's softmax."""

from __future__ import annotations

import numpy as np

from . import Sample, wave

ROWS = wave(3, 4)
BATCH = wave(3, 2, 4)
IMAGES = wave(2, 4, 2, 2)
# Running statistics are no leaves: in the narrower width they let either stay what it is, and lose nothing.
MEAN, VARIANCE, EPS = np.array([0.25, -0.125], np.float32), np.array([0.9375, 3.9375], np.float32), 0.0625
W, B = np.array([0.8, -1.3]), np.array([0.2, 0.4])

SAMPLES: dict[str, list[Sample]] = {
    "native_layer_norm": [
        Sample((ROWS, (4,), wave(4), wave(4) + 1, 0.01)),
        Sample((ROWS, (4,), None, None, 0.01)),
        Sample((BATCH, (2, 4), wave(2, 4), None, 0.1)),
    ],
    # Its statistics are functions of the input: given as numbers, they would stand still when it moves.
    "native_layer_norm_backward": [
        Sample((wave(3, 4) + 0.5, ROWS, (4,), None, None, wave(4), wave(4), 0.01)),
        Sample((wave(3, 4) + 0.5, ROWS, (4,), None, None, None, None, 0.01)),
        Sample((wave(3, 2, 4) - 0.5, BATCH, (2, 4), None, None, wave(2, 4), wave(2, 4), 0.1)),
    ],
    "native_batch_norm": [
        Sample((ROWS, wave(4), wave(4) + 1, None, None, True, 0.1, 0.01)),
        Sample((BATCH, W, B, None, None, True, 0.1, 0.01)),
        Sample((BATCH, None, None, None, None, True, 0.1, 0.1)),
        Sample((BATCH, W, B, MEAN, VARIANCE, False, 0.1, EPS)),
        Sample((IMAGES, wave(4), None, None, None, True, 0.1, 0.01)),
    ],
    "native_batch_norm_backward": [
        Sample((wave(3, 4) + 0.5, ROWS, wave(4), None, None, None, None, True, 0.01)),
        Sample((wave(3, 2, 4) - 0.5, BATCH, W, None, None, None, None, True, 0.01)),
        Sample((wave(3, 2, 4) - 0.5, BATCH, W, MEAN, VARIANCE, None, None, False, EPS)),
        Sample((wave(2, 4, 2, 2) + 0.5, IMAGES, wave(4), None, None, None, None, True, 0.01)),
    ],
    "native_group_norm": [
        Sample((IMAGES, wave(4), wave(4) + 1, 2, 4, 4, 2, 0.01)),
        Sample((IMAGES, None, None, 2, 4, 4, 1, 0.1)),
        Sample((BATCH, W, B, 3, 2, 4, 2, 0.01)),
    ],
    "safe_softmax": [Sample((ROWS, -1)), Sample((BATCH, 1)), Sample((ROWS[0], 0))],
    "_scaled_dot_product_flash_attention_for_cpu": [
        Sample((wave(1, 2, 3, 4), *given), why_not_second="PyTorch has no second derivative of it")
        for given in (
            (wave(1, 2, 5, 4) * 0.7, wave(1, 2, 5, 4)[..., ::-1] * 1.2, 0.0, False, np.eye(3, 5), None),
            (wave(1, 1, 3, 4) * 0.7, wave(1, 1, 3, 4)[..., ::-1] * 1.2, 0.0, True, None, 0.3),
        )
    ],
}
