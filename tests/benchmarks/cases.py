"""What is measured: each case makes, for an engine, a function that computes once, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import by_hand

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    group: str
    title: str
    make: Callable[[Any], Call]
    by_hand: Callable[[], Call] | None = None
    # operations in one call, for a figure that does not depend on their number
    operations: int = 1


def chain(shape: tuple[int, ...], dtype: str) -> Case:
    """``y = y * 1.0001 + x``, many times."""
    steps = 100 if np.prod(shape, dtype=int) > 1000 else 300

    def make(torch: Any) -> Call:
        x = torch.ones(shape, dtype=getattr(torch, dtype), requires_grad=True)

        def run() -> None:
            y = x
            for _ in range(steps):
                y = y * 1.0001 + x
            x.grad = None
            y.sum().backward()

        return run

    return Case("chain", f"{shape} {dtype}", make, lambda: by_hand.chain(shape, dtype, steps), 2 * steps)


def wave(size: int, dtype: str) -> Case:
    """``tanh(sin(y) * exp(-y) + x / (1 + y * y))``, repeated."""
    steps = 10 if size > 1000 else 50

    def make(torch: Any) -> Call:
        data = np.linspace(0.1, 1.0, size).tolist()
        x = torch.tensor(data, dtype=getattr(torch, dtype), requires_grad=True)

        def run() -> None:
            y = x
            for _ in range(steps):
                y = torch.tanh(torch.sin(y) * torch.exp(-y) + x / (1 + y * y))
            x.grad = None
            y.sum().backward()

        return run

    return Case("wave", f"{size} {dtype}", make, lambda: by_hand.wave(size, dtype, steps), 9 * steps)


RATE = 0.01


def mlp(batch: int, width: int) -> Case:
    """One step of gradient descent on a perceptron of three layers, in float64."""
    random = np.random.default_rng(0)
    data: dict[str, Any] = {"x": random.standard_normal((batch, width)), "t": random.standard_normal((batch, 1))}
    for k, out in ((1, width), (2, width), (3, 1)):
        data[f"w{k}"] = random.standard_normal((out, width)) / width**0.5
        data[f"b{k}"] = random.standard_normal(out)

    def make(torch: Any) -> Call:
        F = torch.nn.functional
        t = {n: torch.tensor(a.tolist(), dtype=torch.float64) for n, a in data.items()}
        parameters = [t[n].requires_grad_() for n in ("w1", "b1", "w2", "b2", "w3", "b3")]
        w1, b1, w2, b2, w3, b3 = parameters
        x, target = t["x"], t["t"]

        def run() -> None:
            h = F.relu(F.linear(x, w1, b1))
            h = F.relu(F.linear(h, w2, b2))
            loss = F.mse_loss(F.linear(h, w3, b3), target)
            for p in parameters:
                p.grad = None
            loss.backward()
            with torch.no_grad():
                for p in parameters:
                    p -= RATE * p.grad

        return run

    return Case("mlp", f"{batch}x{width}", make, lambda: by_hand.mlp(batch, width, RATE, data))


def third(size: int) -> Case:
    """The third derivative of ``(sigmoid(x) ** 2 * sin(x)).sum()``."""

    def make(torch: Any) -> Call:
        x = torch.tensor(np.linspace(-1.0, 1.5, size).tolist(), requires_grad=True)
        grad = torch.autograd.grad

        def run() -> None:
            y = (torch.sigmoid(x) ** 2 * torch.sin(x)).sum()
            (g,) = grad(y, x, create_graph=True)
            (g,) = grad(g.sum(), x, create_graph=True)
            grad(g.sum(), x)

        return run

    return Case("third derivative", f"{size} entries", make)


def layer(title: str, build: Callable[[Any, Any, Callable[..., Any]], Any]) -> Case:
    """A layer, forward and backward, in float32; ``build`` makes its output."""

    def make(torch: Any) -> Call:
        random = np.random.default_rng(0)

        def data(*shape: int) -> Any:
            return torch.tensor(random.standard_normal(shape).tolist(), requires_grad=True)

        forward, leaves = build(torch, torch.nn.functional, data)
        seed = torch.ones(tuple(forward().shape))

        def run() -> None:
            for leaf in leaves:
                leaf.grad = None
            forward().backward(seed)

        return run

    return Case("layer", title, make)


def _conv2d(torch: Any, F: Any, data: Any) -> Any:
    x, w, b = data(8, 3, 32, 32), data(16, 3, 3, 3), data(16)
    return lambda: F.conv2d(x, w, b), (x, w, b)


def _batch_norm(torch: Any, F: Any, data: Any) -> Any:
    x, w, b = data(8, 16, 16, 16), data(16), data(16)
    return lambda: F.batch_norm(x, None, None, w, b, training=True), (x, w, b)


def _layer_norm(torch: Any, F: Any, data: Any) -> Any:
    x, w, b = data(64, 256), data(256), data(256)
    return lambda: F.layer_norm(x, (256,), w, b), (x, w, b)


def _softmax(torch: Any, F: Any, data: Any) -> Any:
    x = data(64, 256)
    return lambda: F.softmax(x, -1), (x,)


def _cross_entropy(torch: Any, F: Any, data: Any) -> Any:
    x = data(64, 256)
    target = torch.tensor([(7 * i) % 256 for i in range(64)])
    return lambda: F.cross_entropy(x, target), (x,)


CASES = [
    *(chain(s, d) for d in ("float32", "float64") for s in ((), (10,), (1000,), (100, 100))),
    *(wave(n, d) for d in ("float32", "float64") for n in (1, 100, 10_000)),
    *(mlp(b, w) for b, w in ((1, 8), (10, 32), (64, 128), (256, 256))),
    *(third(n) for n in (1, 1000)),
    layer("conv2d (8, 3, 32, 32), 16 of 3x3", _conv2d),
    layer("batch_norm (8, 16, 16, 16)", _batch_norm),
    layer("layer_norm (64, 256)", _layer_norm),
    layer("softmax (64, 256)", _softmax),
    layer("cross_entropy (64, 256)", _cross_entropy),
]

# The rows whose geometric mean is the goal.
GOAL = ("chain", "wave", "mlp", "third derivative")
