"""Functions of JAX, where it is installed: jax.vjp, custom_vjp and custom_jvp, complex numbers, higher orders."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import gradcli

jax = pytest.importorskip("jax")
jnp = jax.numpy
X = np.array([0.3, 1.0, -2.0])


def with_vjp(back: Any) -> Any:
    @jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
    def f(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * x)

    def bwd(x: Any, g: Any) -> Any:
        return (g * back(x),)

    f.defvjp(lambda x: (f(x), x), bwd)
    return f


def with_jvp(factor: float) -> Any:
    @jax.custom_jvp  # type: ignore[untyped-decorator,unused-ignore]
    def f(x: Any) -> Any:
        return jnp.exp(x)

    @f.defjvp  # type: ignore[untyped-decorator,unused-ignore]
    def rule(primals: Any, tangents: Any) -> Any:
        return f(primals[0]), factor * f(primals[0]) * tangents[0]

    return f


RIGHT = {
    "custom vjp": (with_vjp(lambda x: jnp.sin(x) + x * jnp.cos(x)), X, 1),
    "custom jvp": (with_jvp(1.0), X, 1),
    "tanh": (jnp.tanh, jnp.asarray(X), 3),
    "gelu": (jax.nn.gelu, jnp.asarray(X), 2),
    "relu at its kink": (jax.nn.relu, jnp.asarray(np.array([0.0, 1.0, -1.0])), 1),
    "softmax": (jax.nn.softmax, jnp.asarray(X), 1),
    "logsumexp": (jax.nn.logsumexp, jnp.asarray(X), 1),
    "erf": (jax.scipy.special.erf, jnp.asarray(X), 1),
    "gammaln": (jax.scipy.special.gammaln, jnp.asarray(abs(X)), 1),
    "matmul, compiled": (jax.jit(lambda a, b: a @ b), (jnp.asarray(np.ones((2, 3))), jnp.asarray(X)), 1),
    "solve": (jnp.linalg.solve, (jnp.asarray(np.eye(3) * 2 + 0.1), jnp.asarray(X)), 1),
    "scan": (lambda x: jax.lax.scan(lambda c, v: (c * v + v, c), 1.0, x)[0], jnp.asarray(X), 1),
    "complex": (lambda z: jnp.sum(jnp.abs(z) ** 2) + jnp.imag(jnp.sum(z * z)), jnp.asarray(X + 1j), 1),
}


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def powered(x: Any, k: Any) -> Any:
    return x**k


powered.defvjp(lambda x, k: (x**k, x), lambda k, x, g: (g * k * x ** (k - 1.0),))


@jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
def affine(p: Any, x: Any) -> Any:
    return jnp.sum(p["w"] * x) + p["b"]


affine.defvjp(lambda p, x: (affine(p, x), (p, x)), lambda r, g: ({"w": g * r[1], "b": 2 * g}, g * r[0]["w"]))
RIGHT["a float that is no number to it"] = (powered, (jnp.asarray(abs(X)), 2.5), 1)
WRONG = {
    "one of a dict": (
        affine, ({"w": jnp.asarray(X), "b": jnp.asarray(np.array(0.5))}, jnp.asarray(X)), "with respect to p.b",
    ),
    "another shape": (with_vjp(lambda x: jnp.ones(2)), X, "SHAPE: the backward of f: ValueError"),
    "custom vjp, sign": (with_vjp(lambda x: jnp.sin(x) - x * jnp.cos(x)), X, "(g * back(x),)"),
    "custom jvp, twice": (with_jvp(2.0), X, "f(primals[0]), factor"),
    "gradient stopped": (lambda x: jnp.sum(x * jax.lax.stop_gradient(x)), jnp.asarray(X), "1/2 of the true gradient"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions(name: str) -> None:
    function, given, order = RIGHT[name]
    found = gradcli.check(function, given, order=order)
    assert found.ok, found


def test_a_key_of_random_numbers_is_no_number() -> None:
    # Made here, as all that JAX has to compile: each process of the tests reads this file.
    found = gradcli.check(lambda x, k: x * jax.random.normal(k, (3,)), (jnp.asarray(X), jax.random.key(0)))
    assert found.ok, found


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions(name: str) -> None:
    function, given, said = WRONG[name]
    found = gradcli.check(function, given)
    assert found.verdict == "WRONG"
    assert said in str(found)


@jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
def scaled(x: Any) -> Any:
    return x * x


def scaled_bwd(x: Any, g: Any) -> Any:
    return (g * 3 * x,)


scaled.defvjp(lambda x: (x * x, x), scaled_bwd)


@jax.custom_vjp  # type: ignore[untyped-decorator,unused-ignore]
def averaging(x: Any) -> Any:
    return jnp.sin(x)


def averaging_bwd(x: Any, g: Any) -> Any:
    return (jnp.cos(x) * jnp.mean(g),)


averaging.defvjp(lambda x: (jnp.sin(x), x), averaging_bwd)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.sin(scaled(x)).sum(),
        jax.jit(lambda x: jnp.sin(scaled(x)).sum()),
        lambda x: jax.lax.scan(lambda c, v: (c + scaled(v), c), 1.0, x)[0],
    ],
    ids=["called", "compiled", "in a loop"],
)
def test_a_rule_that_is_met_on_the_way_is_named(function: Any) -> None:
    found = gradcli.check(function, jnp.asarray(X))
    assert not found.ok
    assert "return (g * 3 * x,)" in str(found)
    assert " scaled, applied at line" in str(found)


def test_a_rule_that_is_right_for_the_gradient_that_arrives_is_judged_alone() -> None:
    found = gradcli.check(lambda x: averaging(x).sum(), jnp.asarray(X))
    assert not found.ok
    assert "right for the gradient that arrives at averaging here, wrong for others" in str(found)
    assert gradcli.check(lambda x: powered(x, 2.0).sum(), jnp.asarray(X)).ok
