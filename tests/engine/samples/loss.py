"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import Sample

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
B = np.array([[1.1, 0.4, -0.9], [0.8, -1.6, 0.6]])
P = np.array([[0.6, 0.2, 0.9], [0.4, 0.75, 0.3]])
T = np.array([[0.9, 0.1, 0.5], [0.25, 0.7, 0.4]])
# Weights are no leaves: in the narrower width they let either stay what it is.
W = np.array([[0.5, 1.5, 2.0], [1.25, 0.75, 0.25]], np.float32)
ROW = np.array([0.2, -0.5, 1.0])
S, S2 = np.float64(1.7), np.float64(0.6)
G = np.float64(1.3)
NONE, MEAN, SUM = 0, 1, 2

PAIRS = [Sample((A, B, r)) for r in (NONE, MEAN, SUM)] + [Sample((S, S2, MEAN)), Sample((A.T, B.T, MEAN))]
BACK = [Sample((B, A, B, NONE)), Sample((G, A, B, MEAN)), Sample((G, A, B, SUM)), Sample((G, S, S2, MEAN))]


def bent(samples: list[Sample], width: float) -> list[Sample]:
    return [Sample((*s.args, width)) for s in samples]


SCORES = np.array([[0.5, -1.2, 2.0, 0.1], [1.5, 0.3, -0.7, 0.9], [-0.4, 0.8, 0.2, 1.7]])
CLASSES = np.array([2, 0, 3])
IGNORED = np.array([2, -100, 3])
PIXELS = np.arange(24.0).reshape(2, 3, 2, 2) / 7 - 1.3
LABELS = np.array([[[2, 0], [1, 1]], [[0, 2], [-100, 1]]])
SHARES = np.array([0.7, -0.4, 1.1])
MANY_SHARES = np.array([[[0.7, -0.4], [1.1, 0.2]], [[0.3, 0.9], [-0.6, 0.5]]])

SEVERAL = np.array([[3, 0, -1, 1], [1, -1, -1, -1], [0, 1, 2, -1]])
OWN = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]], np.float32)
CLASS_WEIGHTS = np.array([0.5, 1.5, 0.75, 1.25])


def once(*args: Any) -> Sample:
    """A sample of a loss without a second derivative, as in PyTorch."""
    return Sample(args, why_not_second="it has none")


SAMPLES: dict[str, list[Sample]] = {
    "mse_loss": PAIRS,
    "mse_loss_backward": BACK,
    "smooth_l1_loss": bent(PAIRS, 1.0) + bent(PAIRS[:2], 0.45),
    "smooth_l1_loss_backward": bent(BACK, 1.0),
    "huber_loss": bent(PAIRS, 1.0) + bent(PAIRS[:2], 0.45),
    "huber_loss_backward": bent(BACK, 1.0),
    "soft_margin_loss": [Sample((A, np.sign(B).astype(np.float32), r)) for r in (NONE, MEAN, SUM)],
    "soft_margin_loss_backward": [
        Sample((B, A, np.sign(B).astype(np.float32), NONE)),
        Sample((G, A, np.sign(B).astype(np.float32), MEAN)),
    ],
    "binary_cross_entropy": [Sample((P, T, None, r)) for r in (NONE, MEAN, SUM)]
    + [Sample((P, T, W, MEAN)), Sample((S2, np.float64(0.8)))],
    "binary_cross_entropy_backward": [
        Sample((B, P, T, None, NONE)),
        Sample((G, P, T, None, MEAN)),
        Sample((G, P, T, W, SUM)),
    ],
    "binary_cross_entropy_with_logits": [Sample((A, T, None, None, r)) for r in (NONE, MEAN, SUM)]
    + [Sample((A, T, W, W[0], MEAN)), Sample((A, T, None, W, NONE)), Sample((S, S2))],
    "nll_loss_forward": [Sample((SCORES, CLASSES, None, r)) for r in (NONE, MEAN, SUM)]
    + [
        Sample((SCORES, IGNORED)),
        Sample((SCORES, CLASSES, None, MEAN, 3)),
        Sample((SCORES[0], np.array(1))),
        Sample((SCORES[0], np.array(1), None, NONE)),
    ],
    "nll_loss_backward": [
        Sample((SHARES, SCORES, CLASSES, None, NONE, -100, np.float32(3))),
        Sample((G, SCORES, IGNORED, None, MEAN, -100, np.float32(2))),
        Sample((G, SCORES[0], np.array(1), None, SUM, -100, np.float32(1))),
    ],
    "nll_loss2d_forward": [Sample((PIXELS, LABELS, None, r)) for r in (NONE, MEAN, SUM)],
    "nll_loss2d_backward": [
        Sample((MANY_SHARES, PIXELS, LABELS, None, NONE, -100, np.float32(7))),
        Sample((G, PIXELS, LABELS, None, MEAN, -100, np.float32(7))),
    ],
    "multi_margin_loss": [
        *[once(SCORES, CLASSES, p, 1.05, None, r) for p in (1, 2) for r in (NONE, MEAN, SUM)],
        once(SCORES, CLASSES, 2, 0.75, CLASS_WEIGHTS, MEAN),
        once(SCORES[0], np.array(1), 1, 1.05),
    ],
    "multilabel_margin_loss_forward": [
        *[once(SCORES * 1.1, SEVERAL, r) for r in (NONE, MEAN, SUM)],
        once(SCORES[0] * 1.1, SEVERAL[0]),
    ],
}
