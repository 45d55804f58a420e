"""Muon: steps along the momentum of a matrix, made nearly orthogonal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.numeric.bfloat16 import rounded
from ..engine.numeric.halves import converted
from ..engine.tensor import Array, Tensor
from ..errors import EngineValueError
from .optimizer import Stepping, along, between, zeros

_F32 = np.dtype("float32")
_MOST_STEPS = 100
_ADJUSTED = ("original", "match_rms_adamw")


class Muon(Stepping):
    """Momentum of matrices, made nearly orthogonal by Newton and Schulz's steps."""

    _takes_complex = False
    _later = {}
    _once_plain = ()

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
        nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise EngineValueError("Tensor lr must be 1-element")
        for what, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not float(value) >= 0.0:
                raise EngineValueError(f"{what} should be >= 0 but is: {value}")
        if adjust_lr_fn is not None and adjust_lr_fn not in _ADJUSTED:
            raise EngineValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise EngineValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()!r}"
                    )

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return zeros(p, "momentum_buffer")

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        momentum = group["momentum"]
        held = s["momentum_buffer"] = between(s["momentum_buffer"], g, 1 - momentum)
        g = between(g, held, momentum) if group["nesterov"] else held
        step = _orthogonal(g, group)
        lr = float(group["lr"])
        p = p * (1 - lr * group["weight_decay"])
        return along(p, converted(step, p.dtype), -_adjusted(lr, p.shape, group["adjust_lr_fn"]))


def _orthogonal(g: Array, group: dict[str, Any]) -> Array:
    """A matrix with singular values near 1, by Newton and Schulz's steps in bfloat16."""
    steps = group["ns_steps"]
    if steps >= _MOST_STEPS:
        raise EngineValueError("Number of steps must be less than 100 for computational efficiency")
    if len(group["ns_coefficients"]) != 3:
        raise EngineValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = group["ns_coefficients"]
    x: Any = rounded(np.asarray(g, _F32))
    wide = g.shape[0] <= g.shape[1]
    x = x if wide else x.T
    length = np.sqrt(np.add.reduce(np.asarray(x, _F32) ** 2, None))
    x = rounded(np.asarray(x, _F32) / max(float(rounded(length)), group["eps"]))
    for _ in range(steps):
        gram = _product(x, x.T)
        poly = rounded(b * np.asarray(gram, _F32) + c * (np.asarray(gram, _F32) @ np.asarray(gram, _F32)))
        x = rounded(a * np.asarray(x, _F32) + np.asarray(poly, _F32) @ np.asarray(x, _F32))
    return np.asarray(x if wide else x.T, _F32)


def _product(a: Any, b: Any) -> Any:
    return rounded(np.asarray(a, _F32) @ np.asarray(b, _F32))


def _adjusted(lr: float, shape: tuple[int, ...], way: str | None) -> float:
    """The rate for a matrix of a shape."""
    rows, columns = shape
    if way == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(rows, columns))
    return lr * math.sqrt(max(1.0, rows / columns))
