"""saved_tensors_hooks: what is packed and when, and that gradients come from what was unpacked."""

import pytest

import gradcli as torch

hooks = torch.autograd.graph.saved_tensors_hooks


def test_each_kept_tensor_is_packed_once_and_unpacked_once():
    log = []

    def pack(x):
        log.append(("pack", tuple(x.shape)))
        return x.detach().clone()

    def unpack(x):
        log.append(("unpack", tuple(x.shape)))
        return x

    a = torch.ones(3, requires_grad=True)
    with hooks(pack, unpack):
        y = (a * a).exp()
    assert log == [("pack", (3,))] * 3
    y.sum().backward()
    assert log[3:] == [("unpack", (3,))] * 3
    assert torch.allclose(a.grad, 2 * torch.ones(3).exp())


def test_gradients_come_from_what_was_unpacked():
    a = torch.tensor([3.0], requires_grad=True)
    with hooks(lambda x: x * 10, lambda x: x):
        y = a * a
    y.backward()
    assert a.grad.item() == 60


def test_reading_opens_and_freeing_frees():
    a = torch.tensor([3.0], requires_grad=True)
    with hooks(lambda x: [x], lambda kept: kept[0]):
        y = a.exp()
    assert type(y.grad_fn).__name__ == "ExpBackward0"
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_the_next_order_is_recorded_through_packed_tensors():
    a = torch.tensor([2.0], requires_grad=True)
    with hooks(lambda x: x, lambda x: x):
        y = a**3
        (g,) = torch.autograd.grad(y, a, create_graph=True)
    assert torch.autograd.grad(g, a)[0].item() == 12


def test_a_write_after_packing_does_not_reach_what_the_write_itself_keeps():
    a = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([5.0], requires_grad=True)
    with hooks(lambda x: x, lambda x: x):
        y = a * 1
        y.mul_(b)
    y.backward()
    assert (a.grad.item(), b.grad.item()) == (5, 2)


def test_a_custom_function_unpacks_what_it_saved():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    a = torch.tensor([3.0], requires_grad=True)
    with hooks(lambda x: x + 1, lambda x: x):
        y = Square.apply(a)
    y.backward()
    assert a.grad.item() == 8


def test_what_is_unpacked_must_be_a_tensor():
    a = torch.tensor([3.0], requires_grad=True)
    with hooks(lambda x: x, lambda x: 3):
        y = a.exp()
    with pytest.raises(TypeError, match="expected to be a Tensor but got result of type int"):
        y.backward()
