"""Tensors on `meta`: what is made of them has a shape, an element type and a graph."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("call", "shape", "node"),
    [
        (lambda M, x: x @ x.mT, (3, 3), "MmBackward0"),
        (lambda M, x: x.sin() * 2, (3, 4), "MulBackward0"),
        (lambda M, x: M.cat([x, x], 1), (3, 8), "CatBackward0"),
        (lambda M, x: x[1:, M.tensor([0, 2])], (2, 2), "IndexBackward0"),
        (lambda M, x: x.sum(0, keepdim=True), (1, 4), "SumBackward1"),
        (lambda M, x: x.max(1)[0], (3,), "MaxBackward0"),
        (lambda M, x: M.nn.functional.dropout(x), (3, 4), "MulBackward0"),
        (lambda M, x: M.linalg.inv(x[:, :3]), (3, 3), "LinalgInvExBackward0"),
        (lambda M, x: M.nn.Linear(4, 2, device="meta")(x), (3, 2), "AddmmBackward0"),
        (lambda M, x: x.clone().mul_(2), (3, 4), "MulBackward0"),
    ],
)
def test_shapes_and_graphs_are_those_of_numbers(torch: Any, call: Any, shape: Any, node: str) -> None:
    x = torch.empty(3, 4, device="meta", requires_grad=True)
    for _ in range(2):
        y = call(torch, x)
        assert (y.shape, y.device.type, y.grad_fn.name()) == (shape, "meta", node)
        y.sum().backward()
    assert (x.grad.shape, x.grad.device.type) == ((3, 4), "meta")


@pytest.mark.filterwarnings("ignore:Using backward")
def test_gradients_that_are_recorded_have_no_numbers(torch: Any) -> None:
    x = torch.empty(3, 4, device="meta", requires_grad=True)
    (g,) = torch.autograd.grad((x.sin() * 2).sum(), x, create_graph=True)
    found = [g]
    for _ in range(2):
        (x.sin() * 2).sum().backward(create_graph=True)
        found.append(x.grad)
    assert [(g.device.type, g.grad_fn.name()) for g in found] == [
        ("meta", "MulBackward0"), ("meta", "torch::autograd::CopyBackwards"), ("meta", "AddBackward0"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        lambda M, x: bool(x[0]), lambda M, x: x.sum().item(), lambda M, x: x.tolist(), lambda M, x: M.nonzero(x),
        lambda M, x: x[x > 0], lambda M, x: M.equal(x, x), lambda M, x: x.unique(), lambda M, x: x.to("cpu"),
        lambda M, x: M.ones(2).copy_(x), lambda M, x: x.numpy(), lambda M, x: M.ones(2) + x, lambda M, x: x.argwhere(),
        lambda M, x: x.masked_select(M.ones(2) > 0), lambda M, x: M.bincount(x.long()), lambda M, x: M.allclose(x, x),
        lambda M, x: x.unique_consecutive(), lambda M, x: M.is_nonzero(x[0]),
    ],
)  # fmt: skip
def test_no_number_comes_out(torch: Any, call: Any) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        call(torch, torch.empty(2, device="meta"))


def test_so_many_places_have_a_shape(torch: Any) -> None:
    x = torch.empty(2, 3, device="meta")
    places = torch.nonzero_static(x, size=4)
    assert (places.shape, places.dtype, places.device.type) == ((4, 2), torch.int64, "meta")


def test_what_is_made_up_draws_no_random_numbers(torch: Any) -> None:
    torch.manual_seed(0)
    first = torch.rand(3)
    torch.manual_seed(0)
    torch.nn.functional.dropout(torch.empty(5, device="meta"))
    assert torch.equal(first, torch.rand(3))


@pytest.mark.parametrize(
    "draw",
    [
        lambda M: M.rand(3, device="meta"),
        lambda M: M.randn(3, 2, dtype=M.complex64, device="meta"),
        lambda M: M.randint(5, (3,), device="meta"),
        lambda M: M.randperm(5, device="meta"),
        lambda M: M.normal(0.0, 1.0, (3,), device="meta"),
        lambda M: M.rand_like(M.ones(3), device="meta"),
        lambda M: M.randn_like(M.ones(3), device="meta"),
        lambda M: M.randint_like(M.ones(3), 5, device="meta"),
        lambda M: M.nn.init.trunc_normal_(M.empty(3, device="meta")),
    ],
)
def test_nothing_is_drawn_for_what_has_no_numbers(torch: Any, draw: Any) -> None:
    torch.manual_seed(0)
    assert draw(torch).is_meta
    assert torch.rand(1).item() == 0.49625658988952637


def test_what_has_no_numbers_takes_no_memory(torch: Any) -> None:
    made = [f(10**7, 10**7, device="meta") for f in (torch.zeros, torch.ones, torch.rand, torch.randn)]
    made += [torch.full((10**7, 10**7), 2.0, device="meta"), torch.randint(5, (10**7, 10**7), device="meta")]
    assert {x.shape for x in made} == {(10**7, 10**7)}
