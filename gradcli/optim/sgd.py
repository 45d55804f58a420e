"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.tensor import Array, Tensor, result
from ..errors import EngineValueError
from .optimizer import Optimizer, check


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, Nesterov's momentum and weight decay."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check(float(lr) >= 0.0, "learning rate", lr)
        check(momentum >= 0.0, "momentum value", momentum)
        check(float(weight_decay) >= 0.0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise EngineValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            dict(
                lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
                maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused,
            ),
        )  # fmt: skip

    def _update(self, p: Array, g: Array, state: dict[str, Any], group: dict[str, Any]) -> Array:
        decay = float(group["weight_decay"])
        if decay:
            g = g + decay * p
        momentum = group["momentum"]
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                state["momentum_buffer"] = buffer = result(np.array(g)[()])
            else:
                buffer._a = momentum * buffer._a + (1 - group["dampening"]) * g
            g = g + momentum * buffer._a if group["nesterov"] else buffer._a
        step = g * float(group["lr"])
        return np.subtract(p, step, out=p) if isinstance(p, np.ndarray) else p - step
