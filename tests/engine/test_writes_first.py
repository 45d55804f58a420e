"""What is asked before a write, and what a gradient's count of writes tells."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli as torch

_LEAF = "a leaf Variable that requires grad is being used"
_VIEW = "a view of a leaf Variable that requires grad is being used"


@pytest.mark.parametrize("write", [
    lambda x: x.add_(torch.ones(2, 2)),
    lambda x: x.copy_(torch.ones(5)),
    lambda x: x.fill_(torch.ones(2)),
    lambda x: x.add_(1j),
    lambda x: x.index_fill_(3, torch.tensor([0]), 1.0),
    lambda x: x.transpose_(0, 4),
])  # fmt: skip
def test_whether_it_may_be_written_to_is_asked_before_whether_it_fits(write: Any) -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=_LEAF):
        write(x)
    with pytest.raises(RuntimeError, match=_VIEW):
        write(x[:2])
    with pytest.raises((RuntimeError, IndexError), match=r"size|only supports|cast|range"):
        write(x * 1)


def test_gradients_count_their_writes() -> None:
    x = torch.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad._version == 0
    (x * 2).sum().backward()
    assert x.grad._version == 1
    x.grad = None
    # It was one number three times: it is copied, which is a write.
    x.sum().backward()
    assert x.grad._version == 1


def test_a_gradient_that_is_recorded_has_memory_of_its_own() -> None:
    x = torch.ones(3).to(torch.complex64).requires_grad_()
    y = torch.view_as_real(x).sum()
    with pytest.warns(UserWarning, match="create_graph"):
        y.backward(create_graph=True)
    y.backward()
    assert x.grad.tolist() == [2 + 2j] * 3


def test_what_is_marked_dirty_is_returned_though_no_tensor_is() -> None:
    class Marks(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return "done"

    with pytest.raises(RuntimeError, match="marked as dirty"):
        Marks.apply(torch.ones(2))


def test_the_same_memory_under_its_own_dtype_counts_the_same_writes() -> None:
    x = torch.arange(4.0)
    y = x.view(torch.float32)
    x.add_(1)
    assert y._version == 1


@pytest.mark.parametrize("name", "acos asin atan exp2 log10 log2 sqrt tan sin exp".split())
def test_results_lie_in_order_where_the_operand_repeats_elements(name: str) -> None:
    x = (torch.arange(1.0, 4.0) / 4).broadcast_to(2, 3)
    assert getattr(x, name)().stride() == (3, 1)
    assert getattr(torch.ones(2, 1, 3).expand(2, 4, 3), name)().stride() == (12, 3, 1)


def test_an_input_handed_back_without_a_gradient_may_be_kept() -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(output)
            ctx.save_for_backward(inputs[0])

    assert not Same.apply(torch.ones(2, requires_grad=True)).requires_grad
