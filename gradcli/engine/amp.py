"""torch.amp: half precision where a device has it; on the CPU alone, all stays as it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..errors import EngineError, Unsupported
from .guard.outside import guarded, named_after
from .modes import Block
from .registry import public


@public("torch.autocast")
class autocast(Block):
    """A block that computes in lower precision: here only one that is switched off, as for devices there are not."""

    def __init__(
        self, device_type: str = "cuda", dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        del dtype, cache_enabled
        if not isinstance(device_type, str):
            raise EngineError(f"device_type should be a string, got {type(device_type).__name__}")
        if enabled and device_type == "cpu":
            raise Unsupported(
                'torch.autocast("cpu") is not supported: nothing is cast by itself',
                help="cast with .to(torch.bfloat16), or leave it away",
            )
        if enabled:
            warnings.warn(
                f"User provided device_type of '{device_type}', but {device_type.upper()} is not available. Disabling",
                UserWarning,
                stacklevel=2,
            )

    def __enter__(self) -> None:
        """Nothing is switched."""

    def __exit__(self, *_: object) -> None:
        """Nothing is switched."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        call = guarded(function)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return call(*args, **kwargs)

        return named_after(function, wrapped)


class GradScaler:
    """Scales losses so that half precision holds their gradients: without a device for it, not at all."""

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        del init_scale, growth_factor, backoff_factor, growth_interval
        if enabled and device == "cpu":
            raise Unsupported('torch.amp.GradScaler("cpu") is not supported', help="leave it away, or enabled=False")
        if enabled:
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )

    def scale(self, outputs: Any) -> Any:
        """The loss as it is."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Leave the gradients as they are."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimiser."""
        return guarded(optimizer.step)(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Leave the scale as it is."""

    def get_scale(self) -> float:
        """The factor that losses are multiplied by."""
        return 1.0

    def is_enabled(self) -> bool:
        """True where losses are scaled."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Nothing: there is no state."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over nothing."""


class CudaAutocast(autocast):
    """The block of old, for one device."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class CudaGradScaler(GradScaler):
    """The scaler of old, for one device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("cuda", *args, **kwargs)


CudaAutocast.__name__ = CudaAutocast.__qualname__ = "autocast"
CudaGradScaler.__name__ = CudaGradScaler.__qualname__ = "GradScaler"
