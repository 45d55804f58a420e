"""Interpolation, sliding blocks, and channels as pixels."""

from __future__ import annotations

from . import Sample, wave

SIGNAL, IMAGE = wave(1, 2, 4), wave(1, 2, 3, 4)
ONE, TWO, ZERO = (1, 1), (2, 2), (0, 0)

NEAREST1 = [Sample((SIGNAL, (7,), None)), Sample((SIGNAL, (3,), 0.8))]
NEAREST1_BACK = [Sample((wave(1, 2, 7), (7,), (1, 2, 4), None)), Sample((wave(1, 2, 3), (3,), (1, 2, 4), 0.8))]
NEAREST2 = [Sample((IMAGE, (5, 2), None, None)), Sample((IMAGE, (4, 6), 1.5, 1.6))]
NEAREST2_BACK = [
    Sample((wave(1, 2, 5, 2), (5, 2), (1, 2, 3, 4), None, None)),
    Sample((wave(1, 2, 4, 6), (4, 6), (1, 2, 3, 4), 1.5, 1.6)),
]
SMOOTH2 = [
    Sample((IMAGE, (5, 2), False, None, None)),
    Sample((IMAGE, (4, 6), False, 1.5, 1.6)),
    Sample((IMAGE, (5, 7), True, None, None)),
]
SMOOTH2_BACK = [
    Sample((wave(1, 2, 5, 2), (5, 2), (1, 2, 3, 4), False, None, None)),
    Sample((wave(1, 2, 5, 7), (5, 7), (1, 2, 3, 4), True, None, None)),
]

SAMPLES: dict[str, list[Sample]] = {
    "upsample_nearest1d": NEAREST1,
    "upsample_nearest1d_backward": NEAREST1_BACK,
    "upsample_nearest_exact1d": NEAREST1,
    "upsample_nearest_exact1d_backward": NEAREST1_BACK,
    "upsample_linear1d": [Sample((SIGNAL, (7,), False, None)), Sample((SIGNAL, (3,), True, None))],
    "upsample_linear1d_backward": [Sample((wave(1, 2, 7), (7,), (1, 2, 4), False, None))],
    "upsample_nearest2d": NEAREST2,
    "upsample_nearest2d_backward": NEAREST2_BACK,
    "upsample_nearest_exact2d": NEAREST2,
    "upsample_nearest_exact2d_backward": NEAREST2_BACK,
    "upsample_bilinear2d": SMOOTH2,
    "upsample_bilinear2d_backward": SMOOTH2_BACK,
    "upsample_bicubic2d": SMOOTH2,
    "upsample_bicubic2d_backward": SMOOTH2_BACK,
    "upsample_bilinear2d_aa": SMOOTH2,
    "upsample_bilinear2d_aa_backward": SMOOTH2_BACK,
    "upsample_bicubic2d_aa": SMOOTH2,
    "upsample_bicubic2d_aa_backward": SMOOTH2_BACK,
    "upsample_lanczos2d_aa": SMOOTH2,
    "upsample_lanczos2d_aa_backward": SMOOTH2_BACK,
    "im2col": [
        Sample((IMAGE, TWO, ONE, ZERO, ONE)),
        Sample((IMAGE, (2, 3), (2, 1), ONE, (1, 2))),
        Sample((IMAGE[0], ONE, ONE, ZERO, ONE)),
    ],
    "col2im": [
        Sample((wave(1, 8, 6), (3, 4), TWO, ONE, ZERO, ONE)),
        Sample((wave(8, 6), (3, 4), TWO, ONE, ZERO, ONE)),
        Sample((wave(1, 4, 6), (3, 4), TWO, ONE, ONE, TWO)),
    ],
    "pixel_shuffle": [Sample((wave(1, 8, 1, 2), 2)), Sample((wave(4, 2, 3), 2))],
    "pixel_unshuffle": [Sample((wave(1, 2, 2, 4), 2)), Sample((wave(2, 4, 2), 2))],
}
