"""The noise of a graph against its true rounding error, which mpmath knows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mp

import gradcli as torch
from gradcli.check.replay.forward_rounding import UNIT, measured, noise, noise_at

from .graphs import Positive, leaf, of

F = torch.nn.functional


def _rows(x: list[Any], n: int) -> Any:
    return mp.matrix([x[i : i + n] for i in range(0, len(x), n)])


def _dot(a: list[Any], b: list[Any]) -> Any:
    return mp.fsum(p * q for p, q in zip(a, b, strict=True))


def _softmax(x: list[Any]) -> list[Any]:
    e = [mp.exp(v) for v in x]
    return [v / mp.fsum(e) for v in e]


def _central(x: list[Any]) -> list[Any]:
    return [v - mp.fsum(x) / len(x) for v in x]


def _logistic(r: Any, y: Any) -> Any:
    for _ in range(12):
        y = r * y * (1 - y)
    return y


# A function of a vector, and the same in mpmath: the length, and the range of its entries.
FUNCTIONS: dict[str, tuple[int, float, float, Callable[[Any], Any], Callable[[list[Any]], Any]]] = {
    "polynomial": (1, -3, 3, lambda x: (x**3 - 2 * x**2 + x - 5).sum(), lambda x: x[0] ** 3 - 2 * x[0] ** 2 + x[0] - 5),
    "cancellation": (2, 1, 2, lambda x: (x[0] * x[1] + 1e8) - 1e8, lambda x: x[0] * x[1]),
    "exp - 1": (1, -1e-3, 1e-3, lambda x: (torch.exp(x) - 1).sum(), lambda x: mp.expm1(x[0])),
    "log of sum": (5, -3, 3, lambda x: torch.log(torch.exp(x).sum()), lambda x: mp.log(mp.fsum(map(mp.exp, x)))),
    "logsumexp": (5, -3, 3, lambda x: torch.logsumexp(x, 0), lambda x: mp.log(mp.fsum(map(mp.exp, x)))),
    "softmax": (5, -3, 3, lambda x: torch.softmax(x, 0)[0], lambda x: _softmax(x)[0]),
    "norm": (6, -2, 2, lambda x: torch.linalg.norm(x), lambda x: mp.sqrt(_dot(x, x))),
    "variance": (8, 10, 11, lambda x: x.var(), lambda x: _dot(_central(x), _central(x)) / 7),
    "naive variance": (
        8, 10, 11, lambda x: (x * x).mean() - x.mean() ** 2, lambda x: _dot(_central(x), _central(x)) / 8
    ),
    "sum": (400, -1, 1, lambda x: x.sum(), mp.fsum),
    "sum of positive": (400, 0, 1, lambda x: x.sum(), mp.fsum),
    "running sum": (600, 0, 1, lambda x: torch.cumsum(x, 0)[-1], mp.fsum),
    "dot": (300, -1, 1, lambda x: torch.dot(x[:150], x[150:]), lambda x: _dot(x[:150], x[150:])),
    "product": (6, 0.5, 2, lambda x: x.prod(), mp.fprod),
    "net": (
        12, -1, 1, lambda x: torch.tanh(x[:9].reshape(3, 3) @ x[9:]).sum(),
        lambda x: mp.fsum(mp.tanh(_dot(x[3 * i : 3 * i + 3], x[9:])) for i in range(3)),
    ),
    "sigmoid": (1, -5, 5, lambda x: torch.sigmoid(x).sum(), lambda x: 1 / (1 + mp.exp(-x[0]))),
    "softplus": (1, -20, 20, lambda x: F.softplus(x).sum(), lambda x: mp.log1p(mp.exp(x[0]))),
    "logit": (1, 0.4, 0.6, lambda x: torch.logit(x).sum(), lambda x: mp.log(x[0] / (1 - x[0]))),
    "erfc": (1, 0, 6, lambda x: torch.erfc(x).sum(), lambda x: mp.erfc(x[0])),
    "gelu": (1, -6, 3, lambda x: F.gelu(x).sum(), lambda x: x[0] * mp.ncdf(x[0])),
    "lgamma near 1": (1, 0.99, 1.01, lambda x: torch.lgamma(x).sum(), lambda x: mp.loggamma(x[0])),
    "digamma": (1, 1.3, 1.6, lambda x: torch.digamma(x).sum(), lambda x: mp.digamma(x[0])),
    "sine of exp": (1, 2, 5, lambda x: torch.sin(torch.exp(x)).sum(), lambda x: mp.sin(mp.exp(x[0]))),
    "determinant": (9, -1, 1, lambda x: torch.linalg.det(x.reshape(3, 3)), lambda x: mp.det(_rows(x, 3))),
    "solution": (
        12, -1, 1, lambda x: torch.linalg.solve(x[:9].reshape(3, 3), x[9:])[0],
        lambda x: mp.lu_solve(_rows(x[:9], 3), mp.matrix(x[9:]))[0],
    ),
    "inverse": (9, -1, 1, lambda x: torch.linalg.inv(x.reshape(3, 3))[0, 1], lambda x: (_rows(x, 3) ** -1)[0, 1]),
    "power": (2, 0.5, 3, lambda x: x[0] ** x[1], lambda x: x[0] ** x[1]),
    "difference of roots": (
        1, 1e3, 1e4, lambda x: (torch.sqrt(x + 1) - torch.sqrt(x)).sum(), lambda x: mp.sqrt(x[0] + 1) - mp.sqrt(x[0])
    ),
    "cross entropy": (
        6, -3, 3, lambda x: F.cross_entropy(x.reshape(2, 3), torch.tensor([0, 2])),
        lambda x: -(mp.log(_softmax(x[:3])[0]) + mp.log(_softmax(x[3:])[2])) / 2,
    ),
    "layer norm": (
        6, 5, 6, lambda x: F.layer_norm(x, (6,))[0],
        lambda x: _central(x)[0] / mp.sqrt(_dot(_central(x), _central(x)) / 6 + mp.mpf(1e-5)),
    ),
    "square of a difference": (1, 0.999, 1.001, lambda x: ((x - 1) ** 2).sum(), lambda x: (x[0] - 1) ** 2),
    "sinc": (1, 0.9, 1.1, lambda x: torch.sinc(x).sum(), lambda x: mp.sincpi(x[0])),
    "logistic map": (1, 3, 4, lambda x: _logistic(x, 0.3).sum(), lambda x: _logistic(x[0], mp.mpf(0.3))),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_noise_bounds_the_rounding_error_and_is_not_far_from_it(name: str) -> None:
    n, low, high, function, exact = FUNCTIONS[name]
    random = np.random.default_rng(7)
    ratios = []
    with mpmath.workdps(50):
        for _ in range(8):
            at = random.uniform(low, high, n)
            plan = of(function, torch.tensor(at, requires_grad=True))
            (bar,) = noise(plan, plan.at, leaves=False)
            value = plan.outputs(plan.at)[0]
            error = abs(mp.mpf(float(value)) - exact([mp.mpf(float(v)) for v in at]))
            assert error <= float(bar)
            assert float(bar) >= UNIT * abs(float(value))
            if error:
                ratios.append(float(bar / error))
    assert np.median(ratios) < 200


def test_rounding_inside_a_function_is_seen() -> None:
    class Unstable(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return (torch.exp(x) - 1) / x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g / 2

    plan = of(Unstable.apply, torch.tensor([1.1e-6], dtype=torch.float64, requires_grad=True))
    (bar,) = noise(plan, plan.at, leaves=False)
    assert 1e-11 < bar[0] < 1e-8


def test_a_kink_a_jump_and_an_infinite_slope_are_no_noise() -> None:
    functions: list[Callable[[Any], Any]] = [
        lambda x: torch.abs(x - 2),
        lambda x: torch.floor(x / 2),
        lambda x: torch.sqrt(torch.abs(x - 2)),
        lambda x: torch.where(x > 2, x, -x),
    ]
    for function in functions:
        plan = of(function, torch.tensor([2.0], dtype=torch.float64, requires_grad=True))
        assert noise(plan, plan.at, leaves=False)[0][0] < 1e-14


def test_the_rounding_of_leaves_is_one_more_noise() -> None:
    plan = of(lambda x: (x - 1) * 1e6, torch.tensor([1.1], dtype=torch.float64, requires_grad=True))
    without, with_leaves = (noise(plan, plan.at, leaves=leaves)[0][0] for leaves in (False, True))
    assert with_leaves > 3 * without


def test_noise_has_the_shapes_of_the_outputs() -> None:
    plan = of(lambda x: [x.exp(), x.sum(), x[:0]], leaf(3))
    assert [a.shape for a in noise(plan, plan.at)] == [(3,), (), (0,)]


def test_the_noise_of_a_weighted_sum() -> None:
    plan = of(lambda x: [x.exp(), x.sin()], leaf(50))
    found = measured(plan, plan.at, False)
    each = found.bound()
    ones = np.ones(100)
    total = float(found.weighted(ones)[0])
    # The sum rounds, too.
    assert 0 < total < 3 * each.sum()
    assert math.isclose(float(found.weighted(2 * ones)[0]), 2 * total)


def test_noise_is_found_once() -> None:
    plan = of(lambda x: x.exp(), leaf(3))
    assert noise_at(plan, leaves=True) is noise_at(plan, leaves=True)
    assert noise_at(plan, leaves=True) is not noise_at(plan, leaves=False)


def test_a_function_that_refuses_other_numbers_has_the_noise_of_its_value() -> None:
    plan = of(Positive.apply, torch.tensor([0.0, 3.0], dtype=torch.float64, requires_grad=True))
    assert noise(plan, plan.at)[0][1] >= UNIT * 6


def test_a_function_that_takes_symmetric_matrices_alone_shows_its_noise() -> None:
    class Symmetric(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            if not torch.equal(x, x.T):
                raise ValueError("symmetric")
            return (x + 1e8).sum() - 4e8

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.expand(2, 2)

    plan = of(lambda x: Symmetric.apply(x[:, None] + x), leaf(2))
    assert 1e-9 < noise(plan, plan.at)[0] < 1e-6


def test_a_kink_nearby_is_no_noise() -> None:
    class Distance(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.abs(x - 1.0)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    for power in range(6, 14):
        plan = of(Distance.apply, torch.tensor([1.0 - 10.0**-power], dtype=torch.float64, requires_grad=True))
        assert noise(plan, plan.at, leaves=False)[0][0] < 1e-15


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.log_softmax(x, 0)[0],
        lambda x: torch.logsumexp(x, 0) - 40.0,
        lambda x: F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0, 0.0, 1.0], dtype=torch.float64)),
    ],
)
def test_what_is_left_of_larger_numbers_has_their_rounding(function: Any) -> None:
    plan = of(function, torch.tensor([40.0, 0.0, -3.0, 20.0], dtype=torch.float64, requires_grad=True))
    (bar,) = noise(plan, plan.at, leaves=False)
    assert UNIT / 2 < bar < 1e3 * UNIT
