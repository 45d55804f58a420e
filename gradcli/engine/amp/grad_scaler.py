"""torch.amp.GradScaler: losses scaled so that half precision holds their gradients; overflow makes no step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...errors import EngineError, EngineValueError
from ..guard.outside import guarded
from ..modes import mode
from ..tensor import Tensor, result

_SCALED_FIRST = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
_UNSCALED, _STEPPED = "unscaled", "stepped"


class GradScaler:
    """Scales losses, and undoes that in their gradients before a step: on the CPU, and for no other device."""

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._enabled = enabled
        if enabled and device == "cuda":
            words = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
            warnings.warn(words, UserWarning, stacklevel=2)
            self._enabled = False
        if self._enabled and growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if self._enabled and backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        # The factor, once something was scaled.
        self._scale: Tensor | None = None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        # How many steps there were since the factor changed.
        self._tracked = 0
        # By the id() of an optimiser, what was done with it since the last update, and whether all was finite.
        self._stages: dict[int, tuple[Any, str, bool]] = {}

    def scale(self, outputs: Any) -> Any:
        """A loss, or each of several, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = result(np.array(self._init_scale, np.float32))
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(x) for x in outputs])
        raise EngineValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients that an optimiser steps by, once before each update."""
        if not self._enabled:
            return
        scale = self._begun("unscale_")
        _, stage, _ = self._stages.get(id(optimizer), (None, "", True))
        if stage == _UNSCALED:
            raise EngineError("unscale_() has already been called on this optimizer since the last update().")
        if stage == _STEPPED:
            raise EngineError("unscale_() is being called after step().")
        with np.errstate(divide="ignore", over="ignore"):
            factor = float(np.float32(np.divide(1.0, scale)))
        finite = [_unscaled(g, factor) for g in _gradients(optimizer)]
        self._stages[id(optimizer)] = optimizer, _UNSCALED, all(finite)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimiser, unless some gradient is not finite."""
        if not self._enabled:
            return guarded(optimizer.step)(*args, **kwargs)
        if "closure" in kwargs:
            raise EngineError("Closure use is not currently supported if GradScaler is enabled.")
        self._begun("step")
        stage = self._stages.get(id(optimizer), (None, "", True))[1]
        if stage == _STEPPED:
            raise EngineError("step() has already been called since the last update().")
        if stage != _UNSCALED:
            self.unscale_(optimizer)
        finite = self._stages[id(optimizer)][2]
        made = guarded(optimizer.step)(*args, **kwargs) if finite else None
        self._stages[id(optimizer)] = optimizer, _STEPPED, finite
        return made

    def update(self, new_scale: Any = None) -> None:
        """A smaller factor after an overflow, a larger one after many steps without."""
        if not self._enabled:
            return
        scale = self._begun("update")
        if new_scale is not None:
            self._set(float(new_scale))
        elif not self._stages:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif not all(finite for _, _, finite in self._stages.values()):
            self._set(scale * self._backoff_factor)
            self._tracked = 0
        else:
            self._tracked += 1
            if self._tracked == self._growth_interval:
                grown = float(np.float32(scale * self._growth_factor))
                self._set(grown if math.isfinite(grown) else scale)
                self._tracked = 0
        self._stages = {}

    def _begun(self, name: str) -> float:
        """The factor, which there is once something was scaled."""
        if self._scale is None:
            raise AssertionError(f"Attempted {name} but _scale is None.  {_SCALED_FIRST}")
        return float(self._scale._a)

    def _set(self, scale: float) -> None:
        # What was scaled keeps the factor that it had.
        self._scale = result(np.array(float(scale), np.float32))

    def get_scale(self) -> float:
        """The factor that losses are multiplied by."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale._a)

    def get_growth_factor(self) -> float:
        """By what the factor grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Choose by what the factor grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the factor is multiplied after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Choose by what the factor is multiplied after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Choose after how many steps the factor grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """True where losses are scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes; nothing where losses are not scaled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._tracked,
        }  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a state."""
        if not self._enabled:
            return
        if not state_dict:
            raise EngineError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._set(self._init_scale)
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._tracked = state_dict["growth_interval"], state_dict["_growth_tracker"]


def _gradients(optimizer: Any) -> Iterable[Any]:
    for group in optimizer.param_groups:
        for param in group["params"]:
            if param.grad is not None:
                yield param.grad


def _unscaled(gradient: Any, factor: float) -> bool:
    """Divide a gradient by what its loss was multiplied by; False where it is not finite."""
    if gradient._a.dtype == np.float16:
        raise EngineValueError("Attempting to unscale FP16 gradients.")
    before, mode.grad = mode.grad, False
    try:
        values = gradient._values() if gradient.is_sparse else gradient
        finite = bool(values.isfinite().all())
        if factor != 1.0:
            values.mul_(factor)
    finally:
        mode.grad = before
    return finite


class CudaGradScaler(GradScaler):
    """The scaler of old, for one device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("cuda", *args, **kwargs)


CudaGradScaler.__name__ = CudaGradScaler.__qualname__ = "GradScaler"
