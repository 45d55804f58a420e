"""Functions of NumPy with derivatives by hand: right ones, and wrong ones by a known fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

RNG = np.random.default_rng(18)
X = RNG.standard_normal(5)
P = RNG.uniform(0.2, 2.0, 5)
A = RNG.standard_normal((4, 3))
B = RNG.standard_normal((3, 2))
S = np.eye(3) * 3 + RNG.standard_normal((3, 3)) * 0.3
Y = np.array([1.0, 0.0, 1.0, 1.0, 0.0])


class Case(NamedTuple):
    """A function with its derivative; ``fault`` is what the report must have in it, None of a right one."""

    name: str
    function: Callable[..., Any]
    given: Any
    derivative: dict[str, Any]
    fault: str | None = None


def softmax(x: Any) -> Any:
    """With the largest subtracted."""
    e = np.exp(x - np.max(x.real))
    return e / e.sum()


def logistic(x: Any) -> Any:
    """The loss of labels Y."""
    return np.sum(np.log1p(np.exp(x)) - Y * x)


def rosen(x: Any) -> Any:
    """Rosenbrock's valley."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosen_der(x: Any) -> Any:
    """Its gradient."""
    g = np.zeros_like(x)
    g[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


def rosen_der_short(x: Any) -> Any:
    """The same without its last part."""
    g = rosen_der(x)
    g[-1] = 0
    return g


def huber(x: Any) -> Any:
    """Square near zero, straight further off."""
    return np.sum(np.where(np.abs(x) < 1, 0.5 * x**2, np.abs(x) - 0.5))


def norm_layer(x: Any) -> Any:
    """Of mean 0 and variance 1."""
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5)


def norm_layer_vjp(x: Any, g: Any) -> Any:
    """With both means."""
    s = 1 / np.sqrt(x.var() + 1e-5)
    y = (x - x.mean()) * s
    return s * (g - g.mean() - y * (g * y).mean())


def norm_layer_vjp_short(x: Any, g: Any) -> Any:
    """Without the part of the variance."""
    s = 1 / np.sqrt(x.var() + 1e-5)
    return s * (g - g.mean())


def pendulum(x: Any) -> Any:
    """The energy of angle and speed."""
    return 0.5 * x[1] ** 2 + 9.81 * (1 - np.cos(x[0]))


def newton_root(a: Any) -> Any:
    """The cube root, by Newton's steps."""
    y = np.ones_like(a)
    for _ in range(40):
        y = y - (y**3 - a) / (3 * y**2)
    return y


def logdet(m: Any) -> Any:
    """The logarithm of a determinant."""
    return np.linalg.slogdet(m)[1]


def lookup(x: Any) -> Any:
    """A table, straight between its places."""
    return np.interp(x, np.arange(-4.0, 5.0), np.arange(-4.0, 5.0) ** 2)


def lookup_grad(x: Any) -> Any:
    """The slope of the piece."""
    low = np.floor(x)
    return (low + 1) ** 2 - low**2


COUNTER = {"calls": 0}


def counted(x: Any) -> Any:
    """A value that grows from call to call."""
    COUNTER["calls"] += 1
    return np.sum(x**2) + COUNTER["calls"]


def greedy(x: Any) -> Any:
    """It writes to what it is given."""
    x[x < 0] = 0
    return np.sum(x**2)


def noisy(x: Any) -> Any:
    """It draws."""
    return np.sum(x**2) + np.random.standard_normal()


def magnitude(z: Any) -> Any:
    """Of complex numbers."""
    return np.sum((z * np.conj(z)).real)


def in_single(x: Any) -> Any:
    """For numbers of float32 alone."""
    if x.dtype != np.float32:
        raise TypeError("float32 only")
    return np.sum(np.tanh(x) * x)


def in_single_grad(x: Any) -> Any:
    """Right."""
    t = np.tanh(x)
    return (t + x * (1 - t * t)).astype(np.float32)


def in_single_wrong(x: Any) -> Any:
    """Without the square."""
    t = np.tanh(x)
    return (t + x * (1 - t)).astype(np.float32)


WEIGHTS = np.arange(400.0).reshape(20, 20) / 400


def product_with_nothing(x: Any) -> Any:
    # Near the point the one sum is exact on the grid of its numbers; at the steps of differences it is not.
    return np.tanh(x @ WEIGHTS).sum() * x.sum()


def product_slopes(x: Any) -> Any:
    y = np.tanh(x @ WEIGHTS)
    return WEIGHTS @ ((1 - y**2) * x.sum()) + y.sum()


CASES = [
    Case("softplus", lambda x: np.sum(np.log1p(np.exp(x))), X, {"grad": lambda x: 1 / (1 + np.exp(-x))}),
    Case("logistic", logistic, X, {"grad": lambda x: 1 / (1 + np.exp(-x)) - Y}),
    Case("logistic, labels lost", logistic, X, {"grad": lambda x: 1 / (1 + np.exp(-x))}, "of 5 entries"),
    Case("softmax", softmax, X, {"vjp": lambda x, g: softmax(x) * (g - (g * softmax(x)).sum())}),
    Case("softmax, diagonal only", softmax, X, {"vjp": lambda x, g: softmax(x) * (1 - softmax(x)) * g}, "G101"),
    Case("rosenbrock", rosen, X, {"grad": rosen_der}),
    Case("rosenbrock, last entry", rosen, X, {"grad": rosen_der_short}, "x[4]"),
    Case("huber", huber, np.array([0.3, -2.0, 1.5]), {"grad": lambda x: np.clip(x, -1, 1)}),
    Case("huber, twice", huber, np.array([0.3, -2.0, 1.5]), {"grad": lambda x: 2 * np.clip(x, -1, 1)}, "2"),
    Case("norm layer", norm_layer, X, {"vjp": norm_layer_vjp}),
    Case("norm layer, no variance", norm_layer, X, {"vjp": norm_layer_vjp_short}, "G101"),
    Case("pendulum", pendulum, np.array([0.4, 1.1]), {"grad": lambda x: np.array([9.81 * np.sin(x[0]), x[1]])}),
    Case("pendulum, sign", pendulum, np.array([0.4, 1.1]), {"grad": lambda x: np.array([-9.81 * np.sin(x[0]), x[1]])},
         "x[0]"),
    Case("matmul", lambda a, b: a @ b, {"a": A, "b": B}, {"vjp": lambda a, b, g: (g @ b.T, a.T @ g)}),
    Case("matmul, one scaled", lambda a, b: a @ b, {"a": A, "b": B}, {"vjp": lambda a, b, g: (g @ b.T, 2 * a.T @ g)},
         "with respect to b"),
    Case("logdet", logdet, S, {"grad": lambda m: np.linalg.inv(m).T}),
    Case("logdet of a symmetric matrix", logdet, S @ S.T, {"grad": np.linalg.inv}),
    Case("entropy of shares", lambda p: -np.sum(p * np.log(p)), P / P.sum(), {"grad": lambda p: -np.log(p) - 1}),
    Case("logdet, not transposed", logdet, S, {"grad": np.linalg.inv}, "transposed"),
    Case("cube root by Newton", newton_root, P, {"vjp": lambda a, g: g * newton_root(a) ** -2 / 3}),
    Case("cube root, power", newton_root, P, {"vjp": lambda a, g: g * newton_root(a) ** -1 / 3}, "G101"),
    Case("interpolation", lookup, X, {"vjp": lambda x, g: g * lookup_grad(x)}),
    Case("interpolation, neighbour", lookup, X, {"vjp": lambda x, g: g * lookup_grad(x + 1)}, "G101"),
    Case("jacobian", lambda x: np.outer(x, x).ravel()[:6], X[:3],
         {"jac": lambda x: np.stack([np.eye(3)[i // 3] * x[i % 3] + np.eye(3)[i % 3] * x[i // 3] for i in range(6)])}),
    Case("tangents", lambda x: np.sin(x) * x[0], X,
         {"jvp": lambda x, t: np.cos(x) * t * x[0] + np.sin(x) * t[0]}),
    Case("tangents, one part", lambda x: np.sin(x) * x[0], X, {"jvp": lambda x, t: np.cos(x) * t * x[0]}, "G101"),
    Case("value and gradient", lambda x: (np.sum(x**3), 3 * x**2), X, {"grad": True}),
    Case("wrong shape", lambda x: np.sum(x**2), X, {"grad": lambda x: 2 * x[:2]}, "SHAPE"),
    Case("state", counted, X, {"grad": lambda x: 2 * x}, "it keeps COUNTER between calls"),
    Case("written", greedy, X, {"grad": lambda x: 2 * np.maximum(x, 0)}, "greedy writes to its input x"),
    Case("random", noisy, X, {"grad": lambda x: 2 * x}, "it draws random numbers"),
    Case("complex", magnitude, X[:3] + 1j * P[:3], {"grad": lambda z: 2 * z}),
    Case("complex, conjugate", magnitude, X[:3] + 1j * P[:3], {"grad": lambda z: 2 * np.conj(z)}, "z.imag"),
    Case("float32", in_single, X.astype(np.float32), {"grad": in_single_grad}),
    Case("float32, wrong", in_single, X.astype(np.float32), {"grad": in_single_wrong}, "24 bits"),
    Case("steep, and off by 1e-4", lambda r: np.sum((1 / r) ** 12 - (1 / r) ** 6), np.array([1.0, 1.12, 1.5, 2.4]),
         {"grad": lambda r: 1.0001 * (6 / r**7 - 12 / r**13)}, "G101"),
    Case("kink", lambda x: np.sum(np.abs(x)), np.array([0.0, -1.0, 2.0]), {"grad": np.sign}),
    Case("kink, outside", lambda x: np.sum(np.abs(x)), np.array([0.0, -1.0, 2.0]),
         {"grad": lambda x: np.where(x == 0, 2.0, np.sign(x))}, "G102"),
    Case("right at one point", lambda x: np.sum(x**2), np.array([1.0, 1.0]), {"grad": lambda x: 2 * x**3}, "ELSEWHERE"),
]  # fmt: skip
