"""torch.cuda, where there is no such device."""

from __future__ import annotations

from typing import NoReturn

from .engine.amp import CudaAutocast as autocast, CudaGradScaler as GradScaler
from .engine.parts import part as _part, parts as _parts

amp = _part(__name__, "amp", autocast=autocast, GradScaler=GradScaler)
_parts(amp.__name__, "autocast_mode grad_scaler")


def is_available() -> bool:
    """Return False: there is never a CUDA device."""
    return False


_initialized = False


def is_initialized() -> bool:
    """Return False: there are no devices to initialise."""
    return False


def device_count() -> int:
    """Return 0: there are no CUDA devices."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed the random numbers of a device that there is not."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seed the random numbers of devices that there are not."""
    int(seed)


def empty_cache() -> None:
    """Give back memory that nobody holds."""


def memory_allocated(device: object = None) -> int:
    """The bytes that tensors take on a device that there is not."""
    del device
    return 0


max_memory_allocated = memory_reserved = memory_allocated


def _missing() -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


def current_device() -> NoReturn:
    """Refused: there is no such device."""
    _missing()


def get_device_name(device: object = None) -> NoReturn:
    """Refused: there is no such device."""
    del device
    _missing()


def synchronize(device: object = None) -> NoReturn:
    """Refused: there is no such device."""
    del device
    _missing()
