"""The base of all learning-rate schedules."""

from __future__ import annotations

import warnings
import weakref
from typing import Any

from ..engine.guard.outside import guarded, named_after, outside
from ..engine.guard.trusted_classes import ours
from ..engine.tensor import Tensor
from ..errors import EngineTypeError
from .optimizer import Optimizer
from .saving import kept, take_over

_LINK = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler:
    """Base of all schedules: sets the learning rate of each group of an optimiser."""

    # Whether the schedule is being made, and sets its first rates.
    _is_initial = False
    _get_lr_called_within_step = False
    # What is no part of the state, or saved in a way of its own.
    _aside: tuple[str, ...] = ("optimizer",)
    # What of the state may be None, or a number.
    _optional: tuple[str, ...] = ()
    # Lists of its own that nobody changes any more once it is made.
    _settled: tuple[str, ...] = ()

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _held(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = [_held(g["initial_lr"]) for g in optimizer.param_groups]
        self.last_epoch = last_epoch
        _watch(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows but the optimiser."""
        return kept(self, self._aside)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what another schedule knew."""
        take_over(self, state_dict, self._aside, self._optional)

    def get_last_lr(self) -> list[Any]:
        """The rates as they are."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        has_rates = ours(self, LRScheduler)._rates is not LRScheduler._rates
        if has_rates and not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        return self._rates()

    def _rates(self) -> list[Any]:
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_watched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                    + _LINK,
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure "
                    "to do this will result in PyTorch skipping the first value of the learning rate schedule. See "
                    "more details at " + _LINK,
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self._move(epoch)

    def _move(self, epoch: int | None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = getattr(self, "_get_closed_form_lr", None) if epoch is not None else None
            rates = guarded(closed)() if closed else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, lr)
        self._last_lr = self._present()

    def _present(self) -> list[Any]:
        return [_held(g["lr"]) for g in self.optimizer.param_groups]

    def _times(self, factor: float) -> list[Any]:
        return [outside().times(g["lr"], factor) for g in self.optimizer.param_groups]


def check_optimizer(optimizer: Any) -> None:
    """PyTorch's complaint about what is no optimiser."""
    if not isinstance(optimizer, Optimizer):
        raise EngineTypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _held(lr: Any) -> Any:
    return lr.clone() if isinstance(lr, Tensor) else lr


def set_rate(group: dict[str, Any], lr: Any) -> None:
    """Give a group its learning rate."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(float(lr))
    else:
        group["lr"] = lr


def _watch(optimizer: Any) -> None:
    """Have an optimiser remember that it was stepped."""
    if hasattr(optimizer.step, "_watched"):
        return
    step = optimizer.step
    function = getattr(step, "__func__", None)
    call = guarded(step if function is None else function)
    reference = weakref.ref(optimizer)

    def watched(*args: Any, **kwargs: Any) -> Any:
        owner = reference()
        owner._opt_called = True  # type: ignore[union-attr]
        return call(*(() if function is None else (owner,)), *args, **kwargs)

    named_after(step, watched)

    watched._watched = watched._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = watched
