"""Stochastic gradient descent, plain and averaged, and Rprop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.numeric.halves import converted
from ..engine.tensor import Array, Tensor, Value
from ..errors import EngineTypeError, EngineValueError
from .optimizer import (
    Stepping,
    along,
    check,
    check_rate,
    choice,
    decayed,
    less,
    multiply_add,
    number,
    plain_number,
    sign,
    within,
    zeros,
)


class SGD(Stepping):
    """Stochastic gradient descent, with momentum, Nesterov's momentum and weight decay."""

    _takes_sparse = True
    _refuses_recorded_together = False
    _later = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}
    _once_plain = ()

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float | Tensor = 0, nesterov: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(momentum >= 0.0, "momentum value", momentum)
        check(plain_number(weight_decay) >= 0.0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise EngineValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        g = decayed(p, g, group)
        momentum = group["momentum"]
        if momentum:
            old = s.get("momentum_buffer")
            new = _copied(g) if old is None else multiply_add(momentum * old, g, 1 - group["dampening"])
            s["momentum_buffer"] = new
            g = multiply_add(g, new, momentum) if group["nesterov"] else new
        return along(p, g, -group["lr"])


class ASGD(Stepping):
    """Stochastic gradient descent that remembers the average of where it was."""

    _captured = "params, mus, etas, and state_steps"
    _once_plain = ("step", "eta", "mu")

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-2, lambd: float = 1e-4, alpha: float = 0.75,
        t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), "eta": number(plain_number(group["lr"])), "mu": number(1.0), **zeros(p, "ax")}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        lr, lambd = plain_number(group["lr"]), group["lambd"]
        s["step"] = s["step"] + 1
        step, eta, mu = float(s["step"]), float(s["eta"]), float(s["mu"])
        p = multiply_add(p * (1 - lambd * eta), decayed(p, g, group), -eta)
        s["ax"] = p if mu == 1 else s["ax"] + (p - s["ax"]) * mu
        s["eta"] = _in_type_of(s["eta"], lr / (1 + lambd * lr * step) ** group["alpha"])
        s["mu"] = _in_type_of(s["mu"], 1 / max(1, step - group["t0"]))
        return p


class Rprop(Stepping):
    """Steps that grow while a gradient keeps its sign, and shrink when it changes."""

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise EngineValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        if isinstance(group["lr"], Tensor):
            raise EngineTypeError("full_like(): argument 'fill_value' (position 2) must be Number, not Tensor")
        return {"step": number(), **zeros(p, "prev"), "step_size": np.full_like(p, group["lr"])[()]}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        s["step"] = s["step"] + 1
        one, nothing, (shrink, grow), bounds = (
            _held_in(p, x) for x in (1.0, 0.0, group["etas"], group["step_sizes"])
        )
        agreement = g * s["prev"]
        factor = choice(agreement > 0, grow, choice(agreement < 0, shrink, one))
        s["step_size"] = within(s["step_size"] * factor, *bounds)
        s["prev"] = choice(agreement < 0, nothing, g)[()]
        return less(p, sign(s["prev"]) * s["step_size"])


def _in_type_of(state: Value, x: float) -> Array:
    """A number in the element type of a state: one that was loaded has that of its parameter."""
    return converted(number(x), (state._a if isinstance(state, Tensor) else state).dtype)


def _copied(g: Value) -> Value:
    """A gradient in memory of its own, by itself."""
    return g.detach().clone() if isinstance(g, Tensor) else np.array(g, subok=True)[()]


def _held_in(p: Value, x: Any) -> Any:
    """A number, or each of several, in the element type of a parameter."""
    if isinstance(x, (tuple, list)):
        return tuple(_held_in(p, part) for part in x)
    return x if isinstance(p, Tensor) else p.dtype.type(x)


def __getattr__(name: str) -> Any:
    """The step as a function, which is written with those of other optimisers."""
    if name != "sgd":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from . import _functional

    return _functional.sgd
