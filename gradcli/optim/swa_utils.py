"""Averages of a model's weights over a training, and the schedule for it.

Programs in the spec language run this file as it stands, and Python does.
"""

import math
import warnings
from copy import deepcopy
from typing import Any

from ..engine.dtypes import long
from ..engine.modes import no_grad
from ..engine.tensor import tensor
from ..nn.modules.module import Module
from .lr_scheduler import LRScheduler


def get_swa_avg_fn() -> Any:
    """A function that moves an average of parameters on to the next."""

    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Any:
    """A function that moves an average of parameters, of which the older count less, on to the next."""
    _check_decay(decay)

    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        with no_grad():
            return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_multi_avg_fn() -> Any:
    """The same for all parameters at once, in place."""

    def swa_update(averaged_param_list: Any, current_param_list: Any, num_averaged: Any) -> None:
        with no_grad():
            for averaged, current in zip(averaged_param_list, current_param_list, strict=True):
                if _is_fractional(averaged):
                    averaged.lerp_(current, float(1 / (num_averaged + 1)))
                else:
                    averaged.addcdiv_(current - averaged, num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Any:
    """The same for all parameters at once, in place, of which the older count less."""
    _check_decay(decay)

    def ema_update(ema_param_list: Any, current_param_list: Any, _: Any) -> None:
        with no_grad():
            for ema, current in zip(ema_param_list, current_param_list, strict=True):
                if _is_fractional(ema):
                    ema.lerp_(current, 1 - decay)
                else:
                    ema.copy_(ema * decay + current * (1 - decay))

    return ema_update


def _is_fractional(t: Any) -> bool:
    found: bool = t.is_floating_point() or t.is_complex()
    return found


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """A model whose parameters are averages of those that another has had."""

    def __init__(
        self, model: Any, device: Any = None, avg_fn: Any = None, multi_avg_fn: Any = None, use_buffers: bool = False
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module: Any = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the model of averages."""
        return self.module(*args, **kwargs)

    def _averaged(self, model: Any) -> Any:
        found = list(model.parameters())
        return found + list(model.buffers()) if self.use_buffers else found

    def update_parameters(self, model: Any) -> None:
        """Take what a model's parameters are by now into the averages."""
        with no_grad():
            self._update(model)

    def _update(self, model: Any) -> None:
        mine, theirs = self._averaged(self.module), self._averaged(model)
        count: Any = self.n_averaged
        if count == 0:
            for averaged, current in zip(mine, theirs, strict=True):
                averaged.copy_(current)
        elif self.avg_fn is None and self.multi_avg_fn is not None:
            alike: dict[Any, tuple[list[Any], list[Any]]] = {}
            for averaged, current in zip(mine, theirs, strict=True):
                of_type = alike.setdefault(averaged.dtype, ([], []))
                of_type[0].append(averaged)
                of_type[1].append(current)
            for averages, currents in alike.values():
                self.multi_avg_fn(averages, currents, count)
        else:
            update = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
            for averaged, current in zip(mine, theirs, strict=True):
                averaged.copy_(update(averaged, current, count))
        if not self.use_buffers:
            for averaged, current in zip(self.module.buffers(), model.buffers(), strict=True):
                averaged.copy_(current)
        count += 1


def update_bn(loader: Any, model: Any, device: Any = None) -> None:
    """Measure the means and variances of a model's batch norms over data."""
    momenta = {}
    for module in model.modules():
        if hasattr(module, "running_mean") and hasattr(module, "momentum"):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    with no_grad():
        for batch in loader:
            first = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(first if device is None else first.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """A rate that goes to another within some epochs, and stays there."""

    def __init__(
        self, optimizer: Any, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1
    ) -> None:
        groups = optimizer.param_groups
        rates = swa_lr if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups. "
                f"swa_lr has {len(rates)} values, param_groups has {len(groups)}."
            )
        for rate, group in zip(rates, groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        step = self._step_count - 1 if self.anneal_epochs else max(1, self._step_count - 1)
        before, now = self._share(max(0, step - 1)), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            first = group["lr"]
            if before == 1:
                first = group["swa_lr"]
            elif before != 1:
                first = (group["lr"] - before * group["swa_lr"]) / (1 - before)
            rates.append(group["swa_lr"] * now + first * (1 - now))
        return rates
