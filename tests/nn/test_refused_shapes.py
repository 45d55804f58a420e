"""Layers and losses refuse shapes that do not fit, in PyTorch's words."""

from collections.abc import Callable

import pytest

import gradcli as torch
import gradcli.nn as nn
import gradcli.nn.functional as F

FOUR, ROWS = torch.full((4,), 0.5), torch.ones(3, 4)
TOO_LARGE = r"^output with shape \[4\] doesn't match the broadcast shape \[3, 4\]$"
HALF = torch.float16


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.binary_cross_entropy(FOUR, FOUR, weight=ROWS), TOO_LARGE),
        (lambda: F.binary_cross_entropy_with_logits(FOUR, FOUR, weight=ROWS), TOO_LARGE),
        (lambda: F.binary_cross_entropy_with_logits(FOUR, FOUR, pos_weight=ROWS), TOO_LARGE),
        (lambda: F.binary_cross_entropy_with_logits(FOUR[:1], FOUR[:1], weight=FOUR), r"shape \[1\].* shape \[4\]$"),
        (lambda: nn.CrossMapLRN2d(2)(torch.ones(2, 3, 4)), "^CrossMapLRN2d: Expected input to be 4D, got 3D instead.$"),
        (lambda: F.fold(torch.ones(12, 12), 4, 2, stride=2), r"dimension 2 to match .* got input.size\(2\)=12.$"),
        (lambda: F.fold(torch.ones(3, 12), 4, 2, stride=2), r"dimension 1 to be divisible .* input.size\(1\)=3 and"),
        (lambda: F.linear(torch.ones(2, 3, dtype=HALF), torch.ones(2, 4, dtype=HALF)), r"multiplied \(2x3 and 4x2\)$"),
        (
            lambda: F.linear(torch.ones(2, 3, dtype=HALF), torch.ones(2, 4, dtype=HALF), torch.ones(2, dtype=HALF)),
            r"^mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x2\)$",
        ),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=words):
        call()


def test_weights_that_are_spread_over_the_loss_are_taken() -> None:
    loss = F.binary_cross_entropy_with_logits(ROWS, ROWS * 0, weight=FOUR, pos_weight=FOUR, reduction="sum")
    assert loss.item() == pytest.approx(12 * 0.5 * 1.3132616875182228, rel=1e-6)
