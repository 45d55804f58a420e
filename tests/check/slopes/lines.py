"""Lines over plain NumPy functions, and functions whose derivatives are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

UNIT = 2.0**-53
Array = Any


class FunctionLine:
    """A function of one number (from an array of points to one of values, (k,) or (k, m)) at a point."""

    def __init__(self, function: Callable[[Array], Array], x: float, noise: Any = None, readable: bool = True) -> None:
        self.function, self.x = function, x
        self.scale = abs(x)
        self.readable = readable
        self.asked = 0
        centre = np.abs(self._rows(np.array([x]))[0].real)
        self.noise = 2 * UNIT * centre if noise is None else np.broadcast_to(np.asarray(noise, float), centre.shape)

    @property
    def size(self) -> int:
        return len(self.noise)

    def values(self, steps: Array) -> tuple[Array, Array]:
        self.asked += 1
        ends = self.x + np.asarray(steps)
        return ends - self.x, self._rows(ends)

    def imag(self, h: float, offsets: Array) -> Array | None:
        return self._rows(self.x + offsets + 1j * h).imag / h if self.readable else None

    def imag_noise(self, h: float) -> Array:
        return np.zeros(self.size)

    def around(self, points: Array, draws: int = 0) -> Array | None:
        return self._rows(self.x + np.tile(points, max(draws, 1))) if self.readable else None

    def _rows(self, points: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(self.function(points)).reshape(len(points), -1)


class PlaneLine:
    """A function of several numbers (from (k, n) to (k,)) along a direction."""

    def __init__(self, function: Callable[[Array], Array], at: Array, direction: Array) -> None:
        self.function, self.at, self.direction = function, at, direction
        self.scale = float(np.max(np.abs(at * direction)) / np.max(np.abs(direction)) ** 2)
        self.noise = 4 * UNIT * (np.abs(function(at[None])) + np.abs(at).max())
        self.size = 1

    def values(self, steps: Array) -> tuple[Array, Array]:
        return steps, self.function(self.at + np.asarray(steps)[:, None] * self.direction)[:, None]

    def imag(self, h: float, offsets: Array) -> Array | None:
        return None

    def imag_noise(self, h: float) -> Array:
        return np.zeros(1)

    def around(self, points: Array, draws: int = 0) -> Array | None:
        return None


def relu(x: Array) -> Array:
    return np.where(x.real > 0, x, 0 * x)


def absolute(x: Array) -> Array:
    return np.where(x.real < 0, -x, x)


def floor(x: Array) -> Array:
    return np.floor(x.real)


def single(x: Array) -> Array:
    """To single precision and back; complex numbers as they are."""
    return x if x.dtype.kind == "c" else x.astype(np.float32).astype(np.float64)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "cube": lambda x: x**3,
    "inv": lambda x: 1 / x,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "gauss": lambda x: np.exp(-x * x),
    "logcosh": lambda x: np.log(np.cosh(x)),
    "xlogx": lambda x: x * np.log(x),
    "sinc": lambda x: np.sin(x) / x,
    "sin100": lambda x: np.sin(100 * x),
    "sin1e5": lambda x: np.sin(1e5 * x),
    "two": lambda x: x + 1e-6 * np.sin(1e6 * x),
    "atan": np.arctan,
    "asin": np.arcsin,
    "pow1.5": lambda x: x**1.5,
    "pow.3": lambda x: x**0.3,
    "poly": lambda x: ((x - 3) * x + 3) * x - 1,
    "rat": lambda x: (x * x + 1) / (x**4 + 2),
    "expm1": np.expm1,
    "runge": lambda x: 1 / (1 + 25 * x * x),
    "sinexp": lambda x: np.sin(np.exp(x)),
    "expsin": lambda x: np.exp(np.sin(3 * x)),
    "relu": relu,
    "hyp": lambda x: np.sqrt(1 + x * x),
    "wide": lambda x: 1e20 * np.sin(x / 1e10),
    "tiny": lambda x: 1e-150 * np.sin(x),
    "bump": lambda x: np.exp(-((x / 1e-6) ** 2)),
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3))),
    "x|x|": lambda x: x * absolute(x),
}


class Known(NamedTuple):
    """A derivative that is known, and the rounding noise of the function there."""

    function: str
    x: float
    slope: float
    noise: float


def known() -> list[Known]:
    """Derivatives of all functions at random points, computed with 60 digits."""
    path = Path(__file__).parents[1] / "data" / "slopes.json"
    return [Known(name, *numbers) for name, points in json.loads(path.read_text()).items() for numbers in points]
