"""A schedule that waits for a measure to stop getting better."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..errors import EngineError, EngineValueError
from .optimizer import Optimizer
from .schedule import EPOCH, LRScheduler, check_optimizer, set_rate


class ReduceLROnPlateau(LRScheduler):
    """A smaller rate whenever a measure has stopped getting better."""

    _optional = ("default_min_lr",)

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise EngineValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise EngineValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise EngineValueError(f"threshold mode {threshold_mode} is unknown!")
        groups = len(optimizer.param_groups)
        self.optimizer = optimizer
        self.factor = factor
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise EngineValueError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = self._present()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on to the next epoch, of which this is the measure."""
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        current = float(metrics)
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._present()

    @property
    def in_cooldown(self) -> bool:
        """True while the measure is not looked at after a change of the rate."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        """True if a measure is better than the best so far, by more than a threshold."""
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            bar = best * (1.0 + sign * self.threshold)
        else:
            bar = best + sign * self.threshold
        return a > bar if sign > 0 else a < bar

    def _reduce_lr(self, epoch: int) -> None:
        """Make the rates smaller; subclasses may do it otherwise."""
        del epoch
        groups = len(self.optimizer.param_groups)
        if groups != len(self.min_lrs) and self.default_min_lr is not None:
            self.min_lrs = [self.default_min_lr] * groups
        if groups != len(self.min_lrs):
            raise EngineError(
                f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` was "
                f"initialized ({len(self.min_lrs)}), usually due to a new param group being added to the optimizer. "
                "Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
            )
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_rate(group, new)
