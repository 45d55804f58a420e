"""Adafactor: Adam with the sizes of a matrix's gradients kept by row and by column only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.dtypes import limits_of
from ..engine.tensor import Array, Tensor
from ..errors import EngineValueError
from .optimizer import Stepping, less, number, zeros


class Adafactor(Stepping):
    """Gradients over the root of their mean square, which is kept by row and by column only."""

    _takes_complex = False
    _later = {"foreach": None}

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise EngineValueError("Tensor lr must be 1-element")
        for holds, what, value in (
            (float(lr) >= 0.0, "Learning rate should be >= 0", lr),
            (beta2_decay <= 0.0, "beta2_decay should be <= 0", beta2_decay),
            (eps[0] is None or eps[0] >= 0.0, "epsilon1 should be >= 0", eps[0]),
            (eps[1] >= 0.0, "epsilon2 should be >= 0", eps[1]),
            (d >= 1.0, "Clipping threshold d should be >= 1", d),
            (weight_decay >= 0.0, "weight_decay should be >= 0", weight_decay),
        ):
            if not holds:
                raise EngineValueError(f"{what} but is: {value}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        if p.ndim < 2:
            return {"step": number(), **zeros(p, "variance")}
        row, column = np.zeros_like(p[..., :1]), np.zeros_like(p[..., :1, :])
        return {"step": number(), "row_var": row, "col_var": column}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        s["step"] = s["step"] + 1
        step, lr = float(s["step"]), float(group["lr"])
        least, eps2 = group["eps"]
        least = float(limits_of(p.dtype).eps) if least is None else least
        rate = max(eps2, _size(p)) * min(lr, 1 / step**0.5)
        if group["weight_decay"]:
            p = less(p, p * (lr * group["weight_decay"]))
        share = step ** group["beta2_decay"]
        if g.ndim < 2:
            size = s["variance"] = _between(s["variance"], g * g, share)
        else:
            for name, axis in (("row_var", -1), ("col_var", -2)):
                length = np.sqrt(np.add.reduce(g * g, axis, keepdims=True))
                s[name] = _between(s[name], length * length / g.shape[axis], share)
            size = np.matmul(s["row_var"], s["col_var"])
            size = size / np.maximum(np.mean(s["row_var"], -2, keepdims=True), least)
        step_ = g * (1 / np.sqrt(np.maximum(size, least * least)))
        return less(p, step_ * (rate / max(1.0, _size(step_) / group["d"])))


def _between(a: Array, b: Array, share: float) -> Array:
    """From ``a`` this share of the way to ``b``, counted from the nearer end."""
    return a + share * (b - a) if share < 0.5 else b - (b - a) * (1 - share)


def _size(x: Array) -> float:
    """The root of the mean of squares."""
    root: float = float(np.sqrt(np.add.reduce(x * x, None))) / float(x.size) ** 0.5
    return root
