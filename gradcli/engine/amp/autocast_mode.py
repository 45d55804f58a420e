"""torch.amp: blocks that compute in half precision."""

from __future__ import annotations

import warnings
from typing import Any, Self

from ...errors import EngineError
from ..autocasting import Casting
from ..dtypes import BF16, DTYPES, F16, as_numpy
from ..guard.outside import guarded, named_after
from ..modes import Decorator, mode
from ..numeric.halves import is_half
from ..registry import public


@public("torch.autocast")
class autocast(Decorator):
    """A block in which products are computed in half precision, and losses in single: on the CPU alone."""

    def __init__(
        self, device_type: str = "cuda", dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise EngineError(f"device_type should be a string, got {type(device_type).__name__}")
        self._enabled = enabled and device_type == "cpu"
        if enabled and device_type != "cpu":
            _warn(
                f"User provided device_type of '{device_type}', but {device_type.upper()} is not available. Disabling"
            )
        wanted = BF16 if dtype is None else as_numpy(dtype)
        if self._enabled and not is_half(wanted):
            _warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtype of bfloat16, float16 currently."
            )
            self._enabled = False
        self._dtype = wanted
        self._caches = cache_enabled is not False
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        outer = mode.autocast
        self._before.append(outer)
        cached = outer.cached if outer is not None and outer.cached is not None else {}
        mode.autocast = Casting(self._dtype, cached if self._caches else None) if self._enabled else None
        return self

    def __exit__(self, *_: object) -> None:
        mode.autocast = self._before.pop()


def _warn(words: str) -> None:
    warnings.warn(words, UserWarning, stacklevel=3)


@public("torch")
def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Tell whether products are computed in half precision."""
    return device_type == "cpu" and mode.autocast is not None


@public("torch")
def is_autocast_cpu_enabled() -> bool:
    """Tell whether products are computed in half precision."""
    return mode.autocast is not None


@public("torch")
def get_autocast_dtype(device_type: str) -> Any:
    """The element type that products are computed in."""
    if device_type != "cpu":
        return DTYPES[F16]
    return DTYPES[BF16 if mode.autocast is None else mode.autocast.dtype]


@public("torch")
def is_autocast_cache_enabled() -> bool:
    """Tell whether a leaf is cast once, for all that is computed of it in a block."""
    return mode.autocast is None or mode.autocast.cached is not None


@public("torch")
def clear_autocast_cache() -> None:
    """Forget what was cast of leaves."""
    if mode.autocast is not None and mode.autocast.cached is not None:
        mode.autocast.cached.clear()


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """The forward of a Function, with its tensors in an element type where autocast is on, and without it inside."""
    if fwd is None:
        return lambda function: custom_fwd(function, device_type=device_type, cast_inputs=cast_inputs)
    call = guarded(fwd)

    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        casting = mode.autocast if device_type == "cpu" else None
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = casting is not None and cast_inputs is None
        if casting is None or cast_inputs is None:
            return call(ctx, *args, **kwargs)
        to = as_numpy(cast_inputs)
        with autocast(device_type, enabled=False):
            return call(
                ctx, *[casting.cast(x, to) for x in args], **{name: casting.cast(x, to) for name, x in kwargs.items()}
            )

    return named_after(fwd, forward)


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """The backward of a Function, under autocast as its forward was."""
    if bwd is None:
        return lambda function: custom_bwd(function, device_type=device_type)
    call = guarded(bwd)

    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return call(ctx, *args, **kwargs)

    return named_after(bwd, backward)


class CudaAutocast(autocast):
    """The block of old, for one device."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class CpuAutocast(autocast):
    """The block of old, for the CPU."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cpu", dtype, enabled, cache_enabled)


CudaAutocast.__name__ = CudaAutocast.__qualname__ = "autocast"
CpuAutocast.__name__ = CpuAutocast.__qualname__ = "autocast"
