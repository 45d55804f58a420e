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


def test_losses_of_nothing_have_no_sign(torch: Any) -> None:
    f, x, t = torch.nn.functional, torch.zeros(2, 1), torch.zeros(2, dtype=torch.int64)
    found = [f.cross_entropy(x, t, reduction=how) for how in ("mean", "sum")]
    assert [str(loss) for loss in (*found, f.cross_entropy(x[0], t[0], reduction="none"))] == ["tensor(0.)"] * 3
    assert f.cross_entropy(x, t, reduction="none", ignore_index=1).signbit().tolist() == [True, True]
    assert f.cross_entropy(x, t, reduction="none", ignore_index=0).signbit().tolist() == [False, False]


def test_mixed_operands_of_small_ops(torch: Any) -> None:
    half, brain, whole = (torch.ones(1, dtype=d) for d in (torch.float16, torch.bfloat16, torch.int32))
    assert torch.nn.functional.smooth_l1_loss(brain, half).dtype == torch.float32
    assert [torch.addr(a, b, b).dtype for a, b in ((whole, half), (half, whole), (half, brain))] == [
        torch.float16, torch.float16, torch.float32,
    ]  # fmt: skip
    assert torch.searchsorted(whole.bool(), half).tolist() == torch.bucketize(half, whole.bool()).tolist() == [0]
    assert torch.clamp(whole.bool(), torch.tensor(True)).tolist() == [True]
