"""Samples for the cells of recurrent networks."""

from __future__ import annotations

import numpy as np

from . import Sample

A = np.linspace(-1.3, 1.9, 12).reshape(2, 6)


def _layer(reverse: bool) -> Sample:
    def part(*shape: int) -> np.ndarray:
        return np.sin(np.arange(1.0, 1 + np.prod(shape)).reshape(shape) * (1 + len(shape)))

    state = part(2, 3)
    return Sample(
        (part(3, 2, 2), part(12, 2), part(12, 3), part(12), np.cos(part(12)), state, np.cos(state), reverse, True)
    )


SAMPLES = {
    "gates": [Sample((A, 2, 1)), Sample((A, 3, 1)), Sample((A, 1, 0))],
    "mkldnn_rnn_layer": [_layer(False), _layer(True)],
}
