"""Convolutions: batches that are taken in parts, where gradients lie in memory, and words of refusals."""

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


@pytest.mark.parametrize(("channels", "outputs", "groups", "size"), [
    (12, 12, 12, 3), (12, 24, 12, 3), (8, 8, 8, 5), (4, 6, 2, 3),
    (4, 1, 1, 3), (1, 4, 1, 3), (1, 1, 1, 6), (4, 4, 4, 6),
])  # fmt: skip
def test_images_and_gradients_have_no_gaps(channels: int, outputs: int, groups: int, size: int) -> None:
    x, w, b = (
        gradcli.randn(*shape, requires_grad=True)
        for shape in ((2, channels, 6, 6), (outputs, channels // groups, size, size), (outputs,))
    )
    y = gradcli.nn.functional.conv2d(x, w, b, padding=(size - 1) // 2, groups=groups)
    y.view(2, -1).sum().backward()
    for t in (y, x.grad, w.grad, b.grad):
        assert t.stride() == t.contiguous().clone().stride() == gradcli.zeros(t.shape).stride()


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


@pytest.mark.parametrize(
    ("input", "kernel", "by_library"),
    [
        ((1, 1, 8, 8), (3, 3), False), ((2, 1, 8, 8), (3, 3), True), ((1, 1, 150, 150), (3, 3), True),
        ((1, 1, 9, 9), (4, 4), True), ((1, 1, 9, 9), (5, 2), False), ((1, 1, 90), (7,), False),
        ((1, 1, 30, 30, 30), (3, 3, 3), False), ((1, 1, 6, 6, 6), (5, 3, 3), False),
        ((1, 1, 6, 6, 6), (3, 5, 5), True),
    ],
)  # fmt: skip
def test_a_weight_of_another_dtype_is_refused_in_the_words_of_its_kernel(
    input: tuple[int, ...], kernel: tuple[int, ...], by_library: bool
) -> None:
    convolve = getattr(gradcli.nn.functional, f"conv{len(kernel)}d")
    words = "should be the same or input should be a MKLDNN tensor" if by_library else "expected scalar type Float"
    with pytest.raises(RuntimeError, match=words):
        convolve(gradcli.zeros(input), gradcli.zeros(1, 1, *kernel, dtype=gradcli.float64))
