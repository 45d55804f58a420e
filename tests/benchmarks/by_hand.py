"""The same computations in NumPy with the derivative worked out by hand: what no engine can beat by much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Call = Callable[[], Any]


def chain(shape: tuple[int, ...], dtype: str, steps: int) -> Call:
    """Value and gradient of ``y = y * 1.0001 + x``, summed at the end."""
    x = np.ones(shape, dtype)
    factor = x.dtype.type(1.0001)

    def run() -> Any:
        y = x
        for _ in range(steps):
            y = y * factor + x
        g = np.ones_like(y)
        total = np.zeros_like(x)
        for _ in range(steps):
            total = total + g
            g = g * factor
        return y.sum(), total + g

    return run


def wave(size: int, dtype: str, steps: int) -> Call:
    """Value and gradient of ``tanh(sin(y) * exp(-y) + x / (1 + y * y))``, repeated."""
    x = np.linspace(0.1, 1.0, size).astype(dtype)
    one = x.dtype.type(1)

    def run() -> Any:
        y = x
        kept = []
        for _ in range(steps):
            e, s = np.exp(-y), np.sin(y)
            d = one + y * y
            q = x / d
            out = np.tanh(s * e + q)
            kept.append((y, e, s, d, q, out))
            y = out
        g = np.ones_like(y)
        total = np.zeros_like(x)
        for y0, e, s, d, q, out in reversed(kept):
            g = g * (one - out * out)
            share = g / d
            total += share
            g = g * e * (np.cos(y0) - s) - (share * q) * (y0 + y0)
        return y.sum(), total + g

    return run


def mlp(batch: int, width: int, rate: float, data: dict[str, Any]) -> Call:
    """One step of gradient descent on a perceptron of three layers."""
    del batch, width
    x, t = data["x"], data["t"]
    w1, b1, w2, b2, w3, b3 = (data[n].copy() for n in ("w1", "b1", "w2", "b2", "w3", "b3"))

    def run() -> Any:
        h1 = np.maximum(x @ w1.T + b1, 0.0)
        h2 = np.maximum(h1 @ w2.T + b2, 0.0)
        e = h2 @ w3.T + b3 - t
        loss = np.mean(e * e)
        g = e * (2.0 / e.size)
        g2 = g @ w3
        g2 *= h2 > 0
        g1 = g2 @ w2
        g1 *= h1 > 0
        for w, b, dy, x0 in ((w3, b3, g, h2), (w2, b2, g2, h1), (w1, b1, g1, x)):
            dw = dy.T @ x0
            dw *= rate
            w -= dw
            b -= rate * dy.sum(0)
        return loss

    return run
