"""Losses as modules."""

from __future__ import annotations

from typing import Any

from ..engine.tensor import Tensor
from . import functional as F
from .module import Module


class _Loss(Module):
    """A module that calls one loss function with the options it was made with."""

    _name = ""
    _options: dict[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        options = self._options | {"reduction": "mean"}
        # The two arguments that PyTorch deprecated stand before `reduction`, where they always were.
        given = dict(zip(options, args, strict=False))
        if len(args) > len(options) or kwargs.keys() - options.keys() or kwargs.keys() & given.keys():
            super().__init__(*args, **kwargs)
        super().__init__()
        for name, value in (options | given | kwargs).items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)
            elif name in ("weight", "pos_weight"):
                self.register_buffer(name, None)
            else:
                self.__dict__[name] = value

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        options = {k: getattr(self, k) for k in (*self._options, "reduction")}
        found: Tensor = getattr(F, self._name)(*inputs, **options)
        return found


class MSELoss(_Loss):
    """Mean of squared differences."""

    _name = "mse_loss"


class L1Loss(_Loss):
    """Mean of absolute differences."""

    _name = "l1_loss"


class SmoothL1Loss(_Loss):
    """Squared near zero, absolute beyond beta."""

    _name = "smooth_l1_loss"

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.beta = beta

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.smooth_l1_loss(*inputs, reduction=self.reduction, beta=self.beta)  # type: ignore[attr-defined]
        return found


class HuberLoss(_Loss):
    """Squared near zero, linear beyond delta."""

    _name = "huber_loss"

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.huber_loss(*inputs, reduction=self.reduction, delta=self.delta)  # type: ignore[attr-defined]
        return found


class BCELoss(_Loss):
    """Binary cross entropy of probabilities."""

    _name, _options = "binary_cross_entropy", {"weight": None}


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits."""

    _name, _options = "binary_cross_entropy_with_logits", {"weight": None}

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(weight=weight, reduction=reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.binary_cross_entropy_with_logits(  # type: ignore[attr-defined]
            *inputs, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )
        return found


class NLLLoss(_Loss):
    """Negative log likelihood."""

    _name = "nll_loss"

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.nll_loss(  # type: ignore[attr-defined]
            *inputs, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )
        return found


class CrossEntropyLoss(_Loss):
    """Cross entropy of logits with classes or with probabilities."""

    _name = "cross_entropy"

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(reduction=reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.cross_entropy(  # type: ignore[attr-defined]
            *inputs, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip
        return found


class KLDivLoss(_Loss):
    """Kullback-Leibler divergence."""

    _name = "kl_div"

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.log_target = log_target

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss."""
        found: Tensor = F.kl_div(*inputs, reduction=self.reduction, log_target=self.log_target)  # type: ignore[attr-defined]
        return found
