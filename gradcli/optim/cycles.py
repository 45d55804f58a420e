"""Schedules that go up and down: one cycle, many, and cosines that start again."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Any

from ..engine.guard.outside import guarded, outside
from ..errors import EngineValueError
from .optimizer import Optimizer
from .schedule import LRScheduler, check_optimizer, set_rate


def _for_each(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group of an optimiser."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise EngineValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {groups}."
        )
    return list(value)


class _WithMomentum(LRScheduler):
    """A schedule that moves the momentum against the rate."""

    def _start_momentum(self, base: Any, most: Any, fresh: bool) -> None:
        """Begin with the most momentum, of the kind that the optimiser has."""
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise EngineValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults
        if fresh:
            for low, high, group in zip(base, most, self.optimizer.param_groups, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low

    def _set_momentum(self, group: dict[str, Any], momentum: Any) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """A rate that goes up and down between two bounds, cycle after cycle."""

    _aside = ("optimizer", "_scale_fn_custom")

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
        base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _for_each("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_rate(group, lr)
        self.max_lrs = _for_each("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise EngineValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = _for_each("base_momentum", optimizer, base_momentum)
            self.max_momentums = _for_each("max_momentum", optimizer, max_momentum)
            self._start_momentum(self.base_momentums, self.max_momentums, last_epoch == -1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """By how much a cycle, or an iteration, is flatter."""
        if self._scale_fn_custom is not None:
            given: float = guarded(self._scale_fn_custom)(x)
            return given
        if self.mode == "triangular":
            return 1.0
        if self.mode == "triangular2":
            return 1 / float(2.0 ** (x - 1))
        shrunk: float = outside().power(self.gamma, x)
        return shrunk

    def _rates(self) -> list[Any]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)

        def scale() -> float:
            return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)

        rates = [low + (high - low) * height * scale() for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            momenta = [high - (high - low) * height * scale() for low, high in bounds]
            for group, momentum in zip(self.optimizer.param_groups, momenta, strict=True):
                self._set_momentum(group, momentum)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows but the optimiser and a function of the program's."""
        function = self._scale_fn_custom
        return super().state_dict() | {
            "_scale_fn_custom": None if function is None else outside().attributes(function)
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what another schedule knew."""
        attributes = state_dict["_scale_fn_custom"]
        super().load_state_dict(state_dict)
        if attributes is not None and self._scale_fn_custom is not None:
            outside().take(self._scale_fn_custom, attributes)


class CosineAnnealingWarmRestarts(LRScheduler):
    """A rate that falls as a cosine, and starts again."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise EngineValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise EngineValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise EngineValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: Any = last_epoch
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        height = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * height / 2 for base in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go on to the next epoch, or to any, also between two."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i = outside().times(self.T_i, self.T_mult)
        else:
            if epoch < 0:
                raise EngineValueError(f"Expected non-negative epoch, but got {epoch}")
            self._find(epoch)
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = math.floor(epoch)
            rates = self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            set_rate(group, lr)
        self._last_lr = self._present()

    def _find(self, epoch: Any) -> None:
        """Which part of which fall an epoch is in."""
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


def _by_cosine(start: Any, end: Any, share: float) -> Any:
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _in_line(start: Any, end: Any, share: float) -> Any:
    return (end - start) * share + start


def _phase(end: float, between: str) -> dict[str, Any]:
    """Where a phase ends, and between which rates and momenta it goes."""
    names = zip(("start_lr", "end_lr", "start_momentum", "end_momentum"), between.split(), strict=True)
    return {"end_step": end, **dict(names)}


class OneCycleLR(_WithMomentum):
    """A rate that rises once to its largest, and falls far below where it began."""

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            _check_count("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            _check_count("epochs", epochs)
            _check_count("steps_per_epoch", steps_per_epoch)
            total_steps = epochs * steps_per_epoch
        else:
            raise EngineValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self.total_steps = total_steps
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise EngineValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise EngineValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._schedule_phases = [
            _phase(float(pct_start * total_steps) - 1, "initial_lr max_lr max_momentum base_momentum")
        ]
        if three_phase:
            back = "max_lr initial_lr base_momentum max_momentum"
            self._schedule_phases.append(_phase(float(2 * pct_start * total_steps) - 2, back))
            self._schedule_phases.append(_phase(total_steps - 1, "initial_lr min_lr max_momentum max_momentum"))
        else:
            self._schedule_phases.append(_phase(total_steps - 1, "max_lr min_lr base_momentum max_momentum"))
        self._anneal_func_type = anneal_strategy
        highest = _for_each("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for most, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            most = _for_each("max_momentum", optimizer, max_momentum)
            self._start_momentum(_for_each("base_momentum", optimizer, base_momentum), most, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _rates(self) -> list[Any]:
        step = self.last_epoch
        if step > self.total_steps:
            raise EngineValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        ends = [phase["end_step"] for phase in self._schedule_phases]
        i = min(bisect_left(ends, step), len(ends) - 1)
        start = ends[i - 1] if i else 0.0
        along = _by_cosine if self._anneal_func_type == "cos" else _in_line
        between = partial(along, share=(step - start) / (ends[i] - start))
        phase = self._schedule_phases[i]
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]]))
            if self.cycle_momentum:
                momentum = between(group[phase["start_momentum"]], group[phase["end_momentum"]])
                self._set_momentum(group, momentum)
        return rates


def _check_count(name: str, n: Any) -> None:
    if not isinstance(n, int) or n <= 0:
        raise EngineValueError(f"Expected positive integer {name}, but got {n}")
