"""The dot-product test of somebody's function: a forward mode that does not fit its backward is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcli


def cubes() -> dict[str, Any]:
    """A Function with several forms of its forward mode."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)

    class Cube(torch.autograd.Function):  # type: ignore[name-defined,misc,unused-ignore]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            return x**3 * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * 3 * x**2 * y, g * x**3

        @staticmethod
        def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
            x, y = ctx.saved_tensors
            return (0 if tx is None else 3 * tx * x**2 * y) + (0 if ty is None else ty * x**3)

    class Twice(Cube):
        @staticmethod
        def jvp(ctx: Any, tx: Any, ty: Any) -> Any:
            x, y = ctx.saved_tensors
            return (0 if tx is None else 3 * tx * x**2 * y) + (0 if ty is None else 2 * ty * x**3)

    class Single(Twice):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            assert x.dtype is torch.float32
            return Cube.forward(ctx, x, y)

    class SingleRight(Single):
        jvp = Cube.jvp

    class Stops(Cube):
        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            raise ValueError("no tangents")

    return {cls.__name__: cls for cls in (Cube, Twice, Single, SingleRight, Stops)}


def given() -> Any:
    import torch

    return torch.tensor([0.5, -1.2, 2.0]), torch.tensor([1.5, 0.4, -0.7])


@pytest.mark.parametrize("name", ["Cube", "SingleRight"])
def test_a_forward_mode_that_fits(name: str) -> None:
    found = gradcli.check(cubes()[name], given())
    assert found.ok, found
    assert "TANGENT" not in str(found)


@pytest.mark.parametrize("name", ["Twice", "Single"])
def test_a_forward_mode_that_does_not_fit_is_named(name: str) -> None:
    cls = cubes()[name]
    found = gradcli.check(cls, given())
    assert not found.ok
    assert f"G116 wrong tangent: {name} with respect to y" in str(found)
    assert f"{name}.jvp" in str(found)
    inside = gradcli.check(lambda x, y: cls.apply(2 * x, y).sum(), given())
    assert f"{name}.jvp" in str(inside), inside


def test_a_forward_mode_that_stops_is_noted() -> None:
    found = gradcli.check(cubes()["Stops"], given())
    assert found.ok
    assert "TANGENT: Stops.jvp stops, so no tangents were compared: ValueError: no tangents" in str(found)


def test_at_a_kink_each_may_choose_a_slope() -> None:
    torch = pytest.importorskip("torch")

    class Relu(torch.autograd.Function):  # type: ignore[name-defined,misc,unused-ignore]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x.clamp(min=0)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * (ctx.saved_tensors[0] > 0)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * (ctx.saved_tensors[0] >= 0)

    found = gradcli.check(Relu, torch.tensor([0.0, 1.0, -2.0]))
    assert found.ok, found


@pytest.mark.parametrize("right", [True, False])
def test_a_transpose_of_jax_that_does_not_fit(right: bool) -> None:
    """JAX transposes what is linear: where somebody wrote that, too, it may be another matrix."""
    jax = pytest.importorskip("jax")
    linear_call = pytest.importorskip("jax.custom_derivatives").linear_call
    matrix = np.array([[1.0, 2.0], [0.5, -1.0]])
    back = matrix.T if right else matrix

    def f(x: Any) -> Any:
        return linear_call(lambda m, v: matrix @ v, lambda m, w: back @ w, (), x)

    found = gradcli.check(f, jax.numpy.array([0.3, -0.4]))
    assert found.ok is right, found
