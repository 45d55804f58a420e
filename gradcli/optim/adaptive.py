"""Optimisers that divide each gradient by a measure of its size so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.numeric.sparse import Sparse, plain
from ..engine.tensor import Array, Tensor
from ..errors import EngineError
from .optimizer import (
    Stepping,
    along,
    between,
    check,
    check_rate,
    decayed,
    less,
    mean_square,
    multiply_add,
    number,
    square_root,
    zeros,
)


class RMSprop(Stepping):
    """Gradients over the root of their mean square."""

    _later = {"momentum": 0, "centered": False, **Stepping._later}

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(eps >= 0.0, "epsilon value", eps)
        check(momentum >= 0.0, "momentum value", momentum)
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)
        check(alpha >= 0.0, "alpha value", alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        buffer = ("momentum_buffer",) if group["momentum"] > 0 else ()
        mean = ("grad_avg",) if group["centered"] else ()
        return {"step": number(), **zeros(p, "square_avg", *buffer, *mean)}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        s["step"] = s["step"] + 1
        g = decayed(p, g, group)
        alpha, lr = group["alpha"], group["lr"]
        square = s["square_avg"] = mean_square(s["square_avg"], g, alpha)
        if group["centered"]:
            mean = s["grad_avg"] = between(s["grad_avg"], g, 1 - alpha)
            square = multiply_add(square, -mean, mean)
        root = square_root(square) + group["eps"]
        if group["momentum"] > 0:
            s["momentum_buffer"] = group["momentum"] * s["momentum_buffer"] + g / root
            return along(p, s["momentum_buffer"], -lr)
        return less(p, lr * g / root)


class Adagrad(Stepping):
    """Gradients over the root of the sum of their squares."""

    _takes_sparse = True
    _later = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(lr_decay >= 0.0, "lr_decay value", lr_decay)
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)
        check(initial_accumulator_value >= 0.0, "initial_accumulator_value value", initial_accumulator_value)
        check(eps >= 0.0, "epsilon value", eps)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                self._open(p, group)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), "sum": np.full_like(p, self.defaults["initial_accumulator_value"])[()]}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        s["step"] = s["step"] + 1
        if isinstance(g, Sparse):
            if group["weight_decay"]:
                raise EngineError("weight_decay option is not compatible with sparse gradients")
            g = plain(g)
        g = decayed(p, g, group)
        lr = group["lr"] / (1 + (float(s["step"]) - 1) * group["lr_decay"])
        s["sum"] = multiply_add(s["sum"], g, g)
        return less(p, lr * g / (square_root(s["sum"]) + group["eps"]))


class Adadelta(Stepping):
    """Gradients over the root of their mean square, times that of the steps."""

    _captured_on = ("cuda", "xpu", "hpu", "privateuseone")

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-6,
        weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(0.0 <= rho <= 1.0, "rho value", rho)
        check(eps >= 0.0, "epsilon value", eps)
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), **zeros(p, "square_avg", "acc_delta")}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        s["step"] = s["step"] + 1
        g = decayed(p, g, group)
        rho, eps = group["rho"], group["eps"]
        s["square_avg"] = mean_square(s["square_avg"], g, rho)
        delta = square_root(s["acc_delta"] + eps) / square_root(s["square_avg"] + eps) * g
        s["acc_delta"] = mean_square(s["acc_delta"], delta, rho)
        return along(p, delta, -group["lr"])
