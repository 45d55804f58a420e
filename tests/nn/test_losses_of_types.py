"""Losses of an input and a target in different element types: PyTorch's results and its words."""

from __future__ import annotations

from typing import Any

import pytest

SAID = {
    ("binary_cross_entropy", "float32", "float64"): "Found dtype Double but expected Float",
    ("binary_cross_entropy", "float16", "uint8"): "Found dtype Byte but expected Half",
    ("binary_cross_entropy", "int64", "int32"): "Found dtype Int but expected Long",
    ("binary_cross_entropy_with_logits", "bfloat16", "int64"): (
        "result type BFloat16 can't be cast to the desired output type Long"
    ),
    ("binary_cross_entropy_with_logits", "float32", "bool"): (
        "Subtraction, the `-` operator, with two bool tensors is not supported"
    ),
    ("huber_loss", "float16", "float32"): "Found dtype Float but expected Half",
    ("huber_loss", "int64", "float16"): "result type Half can't be cast to the desired output type Long",
    ("huber_loss", "bool", "int32"): "result type Int can't be cast to the desired output type Bool",
    ("huber_loss", "float64", "complex64"): (
        "result type ComplexDouble can't be cast to the desired output type Double"
    ),
    ("soft_margin_loss", "bool", "float32"): "Negation, the `-` operator, on a bool tensor is not supported",
    ("soft_margin_loss", "float32", "bool"): "Negation, the `-` operator, on a bool tensor is not supported",
    ("soft_margin_loss", "int64", "float64"): "result type Double can't be cast to the desired output type Long",
    ("cross_entropy", "float32", "complex64"): (
        "Expected floating point type for target with class probabilities, got ComplexFloat"
    ),
    ("cosine_similarity", "float32", "complex64"): (
        "expected common dtype to be floating point, yet common dtype is ComplexFloat"
    ),
}


@pytest.mark.parametrize("call", SAID, ids="-".join)
def test_what_does_not_go_together_is_refused(torch: Any, call: tuple[str, str, str]) -> None:
    name, own, other = call
    x, t = (torch.tensor([[0.2, 0.9], [0.4, 0.1]]).to(getattr(torch, d)) for d in (own, other))
    if x.is_floating_point():
        x.requires_grad_()
    with pytest.raises(RuntimeError) as caught:
        getattr(torch.nn.functional, name)(x, t).sum().backward()
    assert str(caught.value).startswith(SAID[call])
