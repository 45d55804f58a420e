"""torch.optim.lr_scheduler: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..engine.guard.outside import guarded, outside
from ..engine.own_init import own_init
from ..errors import EngineTypeError, EngineValueError
from .cycles import (
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    CyclicLR as CyclicLR,
    OneCycleLR as OneCycleLR,
)
from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau as ReduceLROnPlateau
from .schedule import EPOCH, LRScheduler as LRScheduler
from .sequences import ChainedScheduler as ChainedScheduler, SequentialLR as SequentialLR

EPOCH_DEPRECATION_WARNING = EPOCH


class _LRScheduler(LRScheduler):
    """The base by its older name."""


class _ByFunction(LRScheduler):
    """A schedule that a function of the epoch gives, or one function for each group."""

    _aside = ("optimizer", "lr_lambdas")

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise EngineValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        """Any may be given."""

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows but the optimiser and the functions; of callable objects, their attributes."""
        return super().state_dict() | {"lr_lambdas": [outside().attributes(f) for f in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what another schedule knew."""
        super().load_state_dict(state_dict)
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if attributes is not None:
                outside().take(function, attributes)


    def _product(self, rate: Any, function: Any) -> Any:
        return outside().times(rate, guarded(function)(self.last_epoch))


@own_init
class LambdaLR(_ByFunction):
    """The first rate times a function of the epoch."""

    def _rates(self) -> list[Any]:
        return [self._product(base, f) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


@own_init
class MultiplicativeLR(_ByFunction):
    """The rate before, times a function of the epoch."""

    def _check_functions(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise EngineTypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def _rates(self) -> list[Any]:
        if self._is_initial:
            return self._present()
        return [self._product(lr, f) for f, lr in zip(self.lr_lambdas, self._present(), strict=True)]


class _Closed(LRScheduler):
    """A rate that can be told of an epoch alone."""

    def _closed(self, base: Any) -> Any:
        """The rate of this epoch, of the one that there was at first."""
        raise NotImplementedError

    def _get_closed_form_lr(self) -> list[Any]:
        return [self._closed(base) for base in self.base_lrs]


class _Decaying(_Closed):
    """A rate that is multiplied by gamma now and then."""

    gamma: float

    def _decayed(self, base: Any, times: Any) -> Any:
        return outside().times(base, outside().power(self.gamma, times))


class StepLR(_Decaying):
    """The rate times gamma, every so many epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        still = self.last_epoch == 0 or self.last_epoch % self.step_size != 0
        return self._present() if still else self._times(self.gamma)

    def _closed(self, base: Any) -> Any:
        return self._decayed(base, self.last_epoch // self.step_size)


class MultiStepLR(_Decaying):
    """The rate times gamma, at each of some epochs."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        times = self.milestones[self.last_epoch]
        return self._times(outside().power(self.gamma, times)) if times else self._present()

    def _closed(self, base: Any) -> Any:
        return self._decayed(base, sum(n for at, n in self.milestones.items() if at <= self.last_epoch))


class ConstantLR(_Closed):
    """A smaller rate for some epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise EngineValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._times(self.factor)
        return self._times(1.0 / self.factor) if self.last_epoch == self.total_iters else self._present()

    def _closed(self, base: Any) -> Any:
        return base * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


class LinearLR(_Closed):
    """A rate that goes from one factor to another in equal steps."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise EngineValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise EngineValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        rise = self.end_factor - self.start_factor
        return self._times(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _closed(self, base: Any) -> Any:
        rise = self.end_factor - self.start_factor
        return base * (self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters)


class ExponentialLR(_Decaying):
    """The rate times gamma, every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        return self._present() if self._is_initial else self._times(self.gamma)

    def _closed(self, base: Any) -> Any:
        return self._decayed(base, self.last_epoch)


class PolynomialLR(_Closed):
    """A rate that falls to zero as a power of the epochs left."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        now, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._times(outside().power(now / before, self.power))

    def _closed(self, base: Any) -> Any:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return outside().times(base, outside().power(left, self.power))


class CosineAnnealingLR(_Closed):
    """A rate that falls and rises as a cosine."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        if self._is_initial:
            return self._present()
        if self._step_count == 1 and self.last_epoch > 0:
            return [self._closed(base) for base in self.base_lrs]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (b - self.eta_min) * rise for b, lr in zip(self.base_lrs, self._present(), strict=True)]
        now, before = (1 + math.cos(math.pi * e / self.T_max) for e in (self.last_epoch, self.last_epoch - 1))
        return [now / before * (lr - self.eta_min) + self.eta_min for lr in self._present()]

    def _closed(self, base: Any) -> Any:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


# All are of this file in PyTorch, as those say that are printed.
for _schedule in (
    ChainedScheduler, CosineAnnealingWarmRestarts, CyclicLR, LRScheduler, OneCycleLR, ReduceLROnPlateau, SequentialLR,
):  # fmt: skip
    _schedule.__module__ = __name__
