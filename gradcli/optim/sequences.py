"""Schedules made of schedules: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..errors import EngineTypeError, EngineValueError, Unsupported
from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .schedule import LRScheduler, set_rate


class _Several(LRScheduler):
    """A schedule that steps others."""

    _aside = ("optimizer", "_schedulers")
    _schedulers: Sequence[LRScheduler]

    def _check(self, optimizer: Any) -> None:
        """PyTorch's complaints about schedules that do not go together."""
        name = type(self).__name__
        for i, scheduler in enumerate(self._schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise EngineTypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if not isinstance(scheduler, LRScheduler):
                raise Unsupported(f"{name}: a scheduler of one's own, as at index {i}, is not supported")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise EngineValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {i} in the given schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise EngineValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule and those it steps know, but the optimiser."""
        return super().state_dict() | {"_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what another such schedule knew."""
        super().load_state_dict(state_dict)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Several):
    """Schedules one after another, each from a milestone on."""

    _settled = ("_schedulers", "_milestones")

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise EngineValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        self._schedulers = list(schedulers)
        self._check(optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise EngineValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # All of them have taken their first step, which only one is to take.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        _undo(self)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._move(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(scheduler: LRScheduler) -> None:
    """Take back the first step of a schedule, or of those it is made of."""
    if isinstance(scheduler, _Several):
        for inner in scheduler._schedulers:
            _undo(inner)
    else:
        scheduler.last_epoch -= 1


class ChainedScheduler(_Several):
    """Schedules that all move the same rates."""

    _settled = ("_schedulers",)

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise EngineValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler."
            )
        self._schedulers = list(schedulers)
        self.optimizer = optimizer or schedulers[0].optimizer
        self._check(self.optimizer)
        self._last_lr = self._present()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._present()
