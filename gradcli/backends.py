"""torch.backends: the libraries that PyTorch may compute with, none of which is here, and their flags."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .engine.flags import FLASH, MATH, settings
from .engine.modes import Block
from .errors import EngineTypeError


class Flags:
    """The flags of a library: a program may set them, and no number depends on them."""

    def __init__(self, library: str, **defaults: Any) -> None:
        object.__setattr__(self, "_library", library)
        object.__setattr__(self, "_defaults", defaults)

    def __getattr__(self, name: str) -> Any:
        if name not in self._defaults:
            raise AttributeError(f"module 'torch.backends.{self._library}' has no attribute '{name}'")
        return settings.get(f"{self._library}.{name}", self._defaults[name])

    def __setattr__(self, name: str, value: Any) -> None:
        settings[f"{self._library}.{name}"] = value

    def __dir__(self) -> list[str]:
        return [*self._defaults, "flags"]

    def flags(self, enabled: bool = False, **values: Any) -> _ForAWhile:
        """Other flags for a while."""
        values["enabled"] = enabled
        unknown = next((name for name in values if name not in self._defaults), None)
        if unknown is not None:
            raise EngineTypeError(f"flags() got an unexpected keyword argument '{unknown}'")
        return _ForAWhile(self, values)


class _ForAWhile(Block):
    """Other flags of a library, until the block ends."""

    def __init__(self, library: Flags, values: dict[str, Any]) -> None:
        self._library, self._values = library, values

    def __enter__(self) -> None:
        self._before = {name: getattr(self._library, name) for name in self._values}
        for name, value in self._values.items():
            setattr(self._library, name, value)

    def __exit__(self, *error: Any) -> None:
        for name, value in self._before.items():
            setattr(self._library, name, value)


def is_available() -> bool:
    """Return False: the library is never there."""
    return False


def is_built() -> bool:
    """Return False: the library is never built in."""
    return False


def is_in_the_numbers() -> bool:
    """Return True: the library is not there, but PyTorch's has it, and the numbers are those that it makes."""
    return True


def version() -> None:
    """The version of a library: there is none."""


def enable_flash_sdp(enabled: bool) -> None:
    """Say whether attention may be computed as one node."""
    settings[FLASH] = bool(enabled)


def flash_sdp_enabled() -> bool:
    """Tell whether attention may be computed as one node."""
    return bool(settings.get(FLASH, True))


def enable_math_sdp(enabled: bool) -> None:
    """Say whether attention may be computed step by step."""
    settings[MATH] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Tell whether attention may be computed step by step."""
    return bool(settings.get(MATH, True))


def _switch(what: str) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    """Say, and tell, whether attention may be computed in a way that only a GPU has."""

    def enable(enabled: bool) -> None:
        """Say whether attention may be computed in a way that only a GPU has."""
        settings[f"cuda.{what}"] = bool(enabled)

    def enabled() -> bool:
        """Tell whether attention may be computed in a way that only a GPU has."""
        return bool(settings.get(f"cuda.{what}", True))

    enable.__name__, enabled.__name__ = f"enable_{what}", f"{what}_enabled"
    return enable, enabled


enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("mem_efficient_sdp")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cudnn_sdp")
is_flash_attention_available = is_built
cudnn = Flags(
    "cudnn", enabled=True, benchmark=False, benchmark_limit=None, deterministic=False, allow_tf32=True,
    fp32_precision="none", is_available=is_available, version=version,
)  # fmt: skip
mkldnn = Flags(
    "mkldnn", enabled=True, deterministic=False, allow_tf32=None, fp32_precision="none",
    is_available=is_in_the_numbers,
)  # fmt: skip
nnpack = Flags("nnpack", enabled=True, is_available=is_available)
cuda = SimpleNamespace(
    is_built=is_built, enable_flash_sdp=enable_flash_sdp, flash_sdp_enabled=flash_sdp_enabled,
    enable_math_sdp=enable_math_sdp, math_sdp_enabled=math_sdp_enabled,
    enable_mem_efficient_sdp=enable_mem_efficient_sdp, mem_efficient_sdp_enabled=mem_efficient_sdp_enabled,
    enable_cudnn_sdp=enable_cudnn_sdp, cudnn_sdp_enabled=cudnn_sdp_enabled,
    is_flash_attention_available=is_flash_attention_available, matmul=Flags("cuda.matmul", allow_tf32=False),
)  # fmt: skip
mps = SimpleNamespace(is_available=is_available, is_built=is_built)
mkl = openmp = SimpleNamespace(is_available=is_in_the_numbers)
