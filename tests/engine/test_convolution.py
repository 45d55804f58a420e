"""Convolutions of batches that are taken in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.ops.pool import correlations


def test_a_large_batch_is_convolved_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = [_convolved(groups, dilation) for groups in (1, 2) for dilation in (1, 2)]
    monkeypatch.setattr(correlations, "AT_ONCE", 1000)
    in_parts = [_convolved(groups, dilation) for groups in (1, 2) for dilation in (1, 2)]
    for a, b in zip(at_once, in_parts, strict=True):
        assert all(x.dtype == y.dtype and x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def _convolved(groups: int, dilation: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(groups)
    x = rng.standard_normal((7, 4, 9, 8)).astype(np.float32)
    w = rng.standard_normal((6, 4 // groups, 3, 2)).astype(np.float32)
    how = ((1, 2), (1, 0), (dilation, 1), groups)
    y = correlations.correlate(x, w, *how)
    given = correlations.correlate_input(y, w, (9, 8), *how)
    return y, given, correlations.correlate_weight(y, x, (3, 2), *how)
