"""Recorded graphs for tests: roots and leaves of programs that touch what is hard to evaluate again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradcli as torch
from gradcli.check.replay.plan import Plan
from gradcli.engine.tape.tape import recording
from gradcli.engine.tensor import Tensor

Roots = tuple[list[Tensor], list[Tensor]]
GRAPHS: dict[str, Callable[[], Roots]] = {}


def graph(make: Callable[[], Roots]) -> Callable[[], Roots]:
    GRAPHS[make.__name__] = make
    return make


def leaf(*shape: int, seed: int = 0) -> Tensor:
    random = np.random.default_rng((seed, *shape))
    return torch.tensor(random.standard_normal(shape), dtype=torch.float64, requires_grad=True)


def planned(name: str) -> tuple[Plan, list[Tensor], list[Tensor]]:
    with recording():
        roots, leaves = GRAPHS[name]()
    return Plan(roots, leaves), roots, leaves


def of(function: Callable[..., Any], *leaves: Tensor) -> Plan:
    """The plan of a function of leaves."""
    with recording():
        made = function(*leaves)
    return Plan(list(made) if isinstance(made, (list, tuple)) else [made], leaves)


class Powers(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, n: int) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        return x**n, x.sum()

    @staticmethod
    def backward(ctx: Any, g: Tensor, h: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        return 3 * g * x**2 + h, None


class Positive(torch.autograd.Function):
    """Refuses negative numbers."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        if float(x.min()) < 0:
            raise ValueError("negative")
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 2 * g


@graph
def writes_through_views() -> Roots:
    x = leaf(3, 4)
    y = x * 2
    y[0].mul_(3.0)
    y[:, 1] += x[:, 2]
    y.t()[2].sin_()
    return [y.sum(), y], [x]


@graph
def assigned_slices() -> Roots:
    x = leaf(3)
    y = torch.zeros(2, 3, dtype=torch.float64)
    y[1] = x
    y[0, 1] = x[0] * x[1]
    return [y * y], [x]


@graph
def in_place() -> Roots:
    x = leaf(3, 2)
    y = x.sin()
    y.add_(x, alpha=2).tanh_()
    return [y], [x]


@graph
def own_function() -> Roots:
    x = leaf(3)
    a, b = Powers.apply(x, 3)
    return [a * b], [x]


@graph
def backward_of_a_net() -> Roots:
    x, w = leaf(3, 2), leaf(2, 2)
    (g,) = torch.autograd.grad(torch.tanh(x @ w).sum(), x, create_graph=True)
    return [g, (g * g).sum()], [x, w]


@graph
def backward_of_a_pool() -> Roots:
    x, w = leaf(1, 2, 4), leaf(1, 2, 4)
    pooled = torch.nn.functional.max_pool1d(torch.sin(3e3 * x) * w, 2, 1)
    (g,) = torch.autograd.grad((pooled * pooled).sum(), x, create_graph=True)
    return [g], [x, w]


@graph
def lstm() -> Roots:
    m = torch.nn.LSTM(3, 4, batch_first=True).double()
    x = leaf(2, 5, 3)
    y, (h, c) = m(x)
    return [y, h, c], [x, *m.parameters()]


@graph
def gru() -> Roots:
    m = torch.nn.GRU(3, 4).double()
    x = leaf(2, 3, 3)
    y, h = m(x)
    return [y, h], [x, *m.parameters()]


@graph
def convolutional() -> Roots:
    nn = torch.nn
    m = nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.LayerNorm(12),
        nn.Linear(12, 4),
    ).double()  # fmt: skip
    x = leaf(3, 2, 4, 4)
    return [nn.functional.cross_entropy(m(x), torch.tensor([0, 1, 3]))], [x, *m.parameters()]


@graph
def attention() -> Roots:
    m = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True).double()
    x = leaf(2, 3, 4)
    return [m(x)], [x, *m.parameters()]


@graph
def several_outputs() -> Roots:
    x = leaf(4, 4)
    w, v = torch.linalg.eigh(x @ x.T)
    rows = x.unbind(0)
    named = torch.stack(torch.aminmax(x, dim=0))
    return [w, v, torch.sort(x, 0).values, rows[0] * rows[1], torch.stack(x.chunk(2)), named], [x]


@graph
def drawn() -> Roots:
    x = leaf(4, 4)
    return [torch.nn.functional.dropout(x, 0.5) * 2], [x]


@graph
def memory_read_beyond_a_view() -> Roots:
    x = leaf(2, 3)
    row = (x * 2)[1]
    return [row.as_strided((2, 2), (1, 2), 0) * row[:2]], [x]


@graph
def a_leaf_itself() -> Roots:
    x, y = leaf(3), leaf(2)
    return [x, y * 2, torch.ones(2)], [x, y]
