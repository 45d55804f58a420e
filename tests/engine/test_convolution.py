"""Convolutions of batches that are taken in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli
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


@pytest.mark.parametrize(
    "call",
    [
        "conv2d(x, w)", "conv2d(x.contiguous(), w.to(memory_format=M.channels_last))", "max_pool2d(x, 2)",
        "avg_pool2d(x, 2)", "adaptive_max_pool2d(x, 2)", "interpolate(x, scale_factor=2, mode='bilinear')",
        "interpolate(x, scale_factor=2, mode='bicubic')",
    ],
)  # fmt: skip
def test_gradients_lie_in_memory_as_in_pytorch(call: str) -> None:
    torch = pytest.importorskip("torch")

    def strides(M: Any) -> Any:
        x = M.ones(2, 3, 4, 4).to(memory_format=M.channels_last).requires_grad_()
        w = M.ones(2, 3, 2, 2, requires_grad=True)
        y = eval(f"M.nn.functional.{call}", {"M": M, "x": x, "w": w})
        found = M.autograd.grad(y, [x, w], M.ones_like(y), allow_unused=True)
        return [None if g is None else g.stride() for g in found]

    assert strides(gradcli) == strides(torch)
