"""Adam and its relatives: running means of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..engine.tensor import Array, Tensor
from ..errors import EngineValueError
from .optimizer import (
    Stepping,
    between,
    check,
    check_rate,
    decayed,
    larger,
    less,
    mean_square,
    number,
    plain_number,
    size,
    square_root,
    zeros,
)


class _Moments(Stepping):
    """The base of the Adam family: running averages of gradients and of their squares."""

    def _check(self, lr: Any, betas: Any, eps: float, weight_decay: float) -> None:
        check_rate(lr)
        check(eps >= 0.0, "epsilon value", eps)
        for i in (0, 1):
            check(0.0 <= plain_number(betas[i]) < 1.0, f"beta parameter at index {i}", betas[i])
        check(weight_decay >= 0.0, "weight_decay value", weight_decay)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), **zeros(p, "exp_avg", "exp_avg_sq")}

    def _begin(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> tuple[Array, Array, Any]:
        """Parameter and gradient after weight decay, and the number of the step."""
        s["step"] = s["step"] + 1
        if group.get("decoupled_weight_decay"):
            decay = group["weight_decay"]
            return (p * (1 - group["lr"] * decay) if decay else p), g, float(s["step"])
        return p, decayed(p, g, group), float(s["step"])

    def _average(self, g: Array, s: dict[str, Array], group: dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        s["exp_avg"] = between(s["exp_avg"], g, 1 - beta1)
        s["exp_avg_sq"] = mean_square(s["exp_avg_sq"], g, beta2)


class Adam(_Moments):
    """Steps by the mean gradient over the root of its mean square."""

    _refused_as = "Adam"
    _instead = ", please consider SparseAdam instead"
    _later = {
        "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        self._check(lr, betas, eps, weight_decay)
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise EngineValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        if not all(isinstance(b, float) for b in betas) and not all(isinstance(b, Tensor) for b in betas):
            raise EngineValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if isinstance(beta, Tensor) and foreach and not capturable:
                what = f"betas[{i}] as a Tensor"
                raise EngineValueError(f"{what} is not supported for capturable=False and foreach=True")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return super()._start(p, group) | (zeros(p, "max_exp_avg_sq") if group["amsgrad"] else {})

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        p, g, step = self._begin(p, g, s, group)
        self._average(g, s, group)
        beta1, beta2 = group["betas"]
        # Recorded, the number of the step is the tensor that it is in the state.
        step = s["step"] if isinstance(s["step"], Tensor) else step
        square = s["exp_avg_sq"]
        if group["amsgrad"]:
            square = s["max_exp_avg_sq"] = larger(s["max_exp_avg_sq"], square)
        root = square_root(square) / (1 - beta2**step) ** 0.5 + group["eps"]
        return less(p, (group["lr"] / (1 - beta1**step)) * s["exp_avg"] / root)


class AdamW(Adam):
    """Adam with weight decay that goes past the running means."""

    _later = Adam._later | {"decoupled_weight_decay": True}

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


class Adamax(_Moments):
    """Adam with the largest gradient of late in place of the mean square."""

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        self._check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), **zeros(p, "exp_avg", "exp_inf")}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        p, g, step = self._begin(p, g, s, group)
        beta1, beta2 = group["betas"]
        s["exp_avg"] = between(s["exp_avg"], g, 1 - beta1)
        s["exp_inf"] = larger(beta2 * s["exp_inf"], size(g) + group["eps"])
        return less(p, (group["lr"] / (1 - beta1**step)) * s["exp_avg"] / s["exp_inf"])


class NAdam(_Moments):
    """Adam with Nesterov's momentum."""

    _captured = "params, mu_products and state_steps"
    _later = {
        "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False,
    }  # fmt: skip
    _once_plain = ("step", "mu_product")

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        self._check(lr, betas, eps, weight_decay)
        check(momentum_decay >= 0.0, "momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, p: Array, group: dict[str, Any]) -> dict[str, Array]:
        return {"step": number(), "mu_product": number(1.0), **zeros(p, "exp_avg", "exp_avg_sq")}

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        p, g, step = self._begin(p, g, s, group)
        self._average(g, s, group)
        beta1, beta2 = group["betas"]
        lr, decay = group["lr"], group["momentum_decay"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * decay))
        next_mu = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
        s["mu_product"] = s["mu_product"] * mu
        product: Any = s["mu_product"]
        product = product if isinstance(product, Tensor) and product.requires_grad else float(product)
        root = square_root(s["exp_avg_sq"] / (1 - beta2**step)) + group["eps"]
        p = less(p, (lr * (1.0 - mu) / (1.0 - product)) * g / root)
        return less(p, (lr * next_mu / (1.0 - product * next_mu)) * s["exp_avg"] / root)


class RAdam(_Moments):
    """Adam that starts with plain steps until its mean square can be relied on."""

    _later = {
        "foreach": None, "maximize": False, "differentiable": False, "decoupled_weight_decay": False,
        "capturable": False,
    }  # fmt: skip

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        self._check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _update(self, p: Array, g: Array, s: dict[str, Array], group: dict[str, Any]) -> Array:
        p, g, step = self._begin(p, g, s, group)
        self._average(g, s, group)
        beta1, beta2 = group["betas"]
        correction = 1 - beta2**step
        mean = s["exp_avg"] / (1 - beta1**step) * group["lr"]
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / correction
        if length <= 5.0:
            return less(p, mean)
        share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        by_root = 1 / (square_root(s["exp_avg_sq"]) + group["eps"]) * correction**0.5
        return less(p, mean * by_root * share**0.5)


def __getattr__(name: str) -> Any:
    """The step as a function, which is written with those of other optimisers."""
    if name != "adam":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from . import _functional

    return _functional.adam
