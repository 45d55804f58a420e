"""Convolutions."""

from __future__ import annotations

from . import Sample, wave


def how(stride: int, padding: int, dilation: int, axes: int, groups: int = 1) -> tuple[object, ...]:
    return (stride,) * axes, (padding,) * axes, (dilation,) * axes, False, (0,) * axes, groups


def back(stride: int, output_padding: int, axes: int, groups: int = 1) -> tuple[object, ...]:
    return (stride,) * axes, (1,) * axes, (1,) * axes, True, (output_padding,) * axes, groups


SAMPLES: dict[str, list[Sample]] = {
    "convolution": [
        Sample((wave(2, 3, 5), wave(4, 3, 2), wave(4), *how(1, 0, 1, 1))),
        Sample((wave(2, 4, 5), wave(6, 2, 3), None, *how(2, 1, 1, 1, 2))),
        Sample((wave(1, 2, 4, 5), wave(3, 2, 2, 3), wave(3), *how(1, 0, 1, 2))),
        Sample((wave(1, 2, 5, 5), wave(3, 2, 2, 2), None, *how(2, 2, 2, 2))),
        Sample((wave(1, 1, 3, 3, 3), wave(2, 1, 2, 2, 2), wave(2), *how(1, 0, 1, 3))),
        Sample((wave(2, 4, 3), wave(4, 3, 2), wave(3), *back(1, 0, 1))),
        Sample((wave(1, 4, 3, 2), wave(4, 2, 3, 3), wave(4), *back(2, 1, 2, 2))),
    ],
    "convolution_backward": [
        Sample((wave(2, 4, 4), wave(2, 3, 5), wave(4, 3, 2), (4,), *how(1, 0, 1, 1))),
        Sample((wave(2, 6, 3), wave(2, 4, 5), wave(6, 2, 3), (0,), *how(2, 1, 1, 1, 2))),
        Sample((wave(1, 3, 4, 4), wave(1, 2, 5, 5), wave(3, 2, 2, 2), (3,), *how(2, 2, 2, 2))),
        Sample((wave(1, 4, 6, 4), wave(1, 4, 3, 2), wave(4, 2, 3, 3), (4,), *back(2, 1, 2, 2))),
    ],
}
