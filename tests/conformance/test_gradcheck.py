"""gradcheck and gradgradcheck beside PyTorch's own, on functions that leave no doubt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradcli

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch==2.13.0")
torch.set_num_threads(1)

A, B = [[0.3, -0.7], [1.1, 0.6]], [[0.9, 0.2], [-0.4, 1.3]]
Inputs = list[Any]

FUNCTIONS: dict[str, tuple[Callable[..., Any], Inputs]] = {
    "sin": (lambda t, x: t.sin(x), [[0.3, -1.2]]),
    "polynomial": (lambda t, x: 3 * x**3 - x, [[0.3, -1.2]]),
    "product": (lambda t, x, y: x * y, [[0.3, -1.2], [0.7, 2.0]]),
    "quotient": (lambda t, x, y: x / y, [[0.3, -1.2], [0.7, 2.0]]),
    "matmul": (lambda t, x, y: x @ y, [A, B]),
    "broadcast": (lambda t, x, y: x + y, [A, [0.5, 0.1]]),
    "softmax": (lambda t, x: t.softmax(x, 0), [[0.3, -1.2, 0.8]]),
    "log_softmax": (lambda t, x: t.log_softmax(x, 0), [[0.3, -1.2, 0.8]]),
    "logsumexp": (lambda t, x: t.logsumexp(x, 0), [[0.3, -1.2, 0.8]]),
    "norm": (lambda t, x: (x * x).sum().sqrt(), [[0.3, -1.2]]),
    "relu": (lambda t, x: t.relu(x), [[0.3, -1.2]]),
    "tanh net": (lambda t, x, w: t.tanh(x @ w).sum(), [A, B]),
    "two outputs": (lambda t, x: (x.sin(), x.exp()), [[0.3, -1.2]]),
    "cumsum": (lambda t, x: x.cumsum(0), [[0.3, -1.2, 0.8]]),
    "max": (lambda t, x: x.max(), [[0.3, -1.2, 0.8]]),
    "inverse": (lambda t, x: t.linalg.inv(x), [A]),
    "determinant": (lambda t, x: t.linalg.det(x), [A]),
    "index": (lambda t, x: x[0] * x[1:], [[0.3, -1.2, 0.8]]),
    "where": (lambda t, x: t.where(x > 0, x**2, x.exp()), [[0.3, -1.2, 0.8]]),
    "linear": (lambda t, x: 3 * x, [[0.3, -1.2]]),
    "constant": (lambda t, x: t.ones(2, dtype=t.float64), [[0.3, -1.2]]),
}

# What a backward gives for x³, and what both checks say to that.
BACKWARDS: dict[str, tuple[Callable[..., Any], bool, bool]] = {
    "right": (lambda t, x, g: 3 * x**2 * g, True, True),
    "half": (lambda t, x, g: 1.5 * x**2 * g, False, False),
    "sign": (lambda t, x, g: -3 * x**2 * g, False, False),
    "power": (lambda t, x, g: 3 * x * g, False, True),
    "detached": (lambda t, x, g: (3 * x**2).detach() * g, True, False),
    "half detached": (lambda t, x, g: 3 * x * x.detach() * g, True, False),
    "ignores what arrives": (lambda t, x, g: 3 * x**2, False, False),
}


def leaves(t: Any, inputs: Inputs) -> tuple[Any, ...]:
    return tuple(t.tensor(value, dtype=t.float64, requires_grad=True) for value in inputs)


def answers(t: Any, function: Callable[..., Any], inputs: Inputs) -> list[bool]:
    """What both checks say."""
    checks = (t.autograd.gradcheck, t.autograd.gradgradcheck)
    return [check(lambda *x: function(t, *x), leaves(t, inputs), raise_exception=False) for check in checks]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_are_content_with_what_is_right(name: str) -> None:
    function, inputs = FUNCTIONS[name]
    assert answers(gradcli, function, inputs) == [True, True]
    if name != "constant":
        # PyTorch's gradgradcheck has nothing to differentiate there.
        assert answers(torch, function, inputs) == [True, True]


def cube(t: Any, backward: Callable[..., Any]) -> Callable[..., Any]:
    """x³ with a backward of its own."""

    class Cube(t.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return backward(t, x, g)

    return lambda _, x: Cube.apply(x)


@pytest.mark.parametrize("name", BACKWARDS)
def test_both_see_what_is_wrong(name: str) -> None:
    backward, first, second = BACKWARDS[name]
    assert answers(torch, cube(torch, backward), [[0.8, -1.3]])[0] is first
    assert answers(gradcli, cube(gradcli, backward), [[0.8, -1.3]])[0] is first
    if first:
        assert answers(torch, cube(torch, backward), [[0.8, -1.3]])[1] is second
        assert answers(gradcli, cube(gradcli, backward), [[0.8, -1.3]])[1] is second


def test_a_backward_that_is_not_linear_in_what_arrives_is_seen_by_gradcli_alone() -> None:
    function, inputs = (lambda t, x, g: 3 * x**2 * g * g.abs()), [[0.8, -1.3]]
    assert answers(torch, cube(torch, function), inputs)[0] is True
    assert answers(gradcli, cube(gradcli, function), inputs)[0] is False


@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
def test_the_arguments_have_the_same_names_and_defaults(check: str) -> None:
    import inspect

    theirs, ours = (inspect.signature(getattr(t.autograd, check)).parameters for t in (torch, gradcli))
    assert [(p.name, p.kind, p.default) for p in theirs.values()] == [
        (p.name, p.kind, p.default) for p in ours.values()
    ]


@pytest.mark.parametrize("check", ["gradcheck", "gradgradcheck"])
def test_both_refuse_inputs_without_a_gradient(check: str) -> None:
    said = []
    for t in (torch, gradcli):
        with pytest.raises(ValueError, match="requires_grad=True") as error:
            getattr(t.autograd, check)(t.sin, t.ones(2, dtype=t.float64))
        said.append(str(error.value))
    assert check == "gradgradcheck" or said[0] == said[1]
