"""Labels that are heard at any times."""

from __future__ import annotations

import numpy as np

from . import Sample

ONCE = "PyTorch has no derivative of _ctc_loss_backward"
SCORES = "the gradient is that of the scores that log_softmax made log-probabilities of"

RAW = np.sin(np.arange(40.0)).reshape(5, 2, 4)
LOGS = RAW - np.log(np.exp(RAW).sum(-1, keepdims=True))
LABELS = np.array([[1, 2], [3, 3]])


def sample(*args: object) -> Sample:
    return Sample(args, why_not_second=ONCE, why_not_slopes=SCORES)


SAMPLES: dict[str, list[Sample]] = {
    "ctc_loss_forward": [
        sample(LOGS, LABELS, (5, 4), (2, 2)),
        sample(LOGS, np.array([1, 2, 3]), (5, 5), (2, 1)),
        sample(LOGS, LABELS - 1, (5, 5), (2, 0), 3, True),
    ],
}
