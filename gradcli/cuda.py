"""torch.cuda, where there is no such device."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

from .engine.amp.autocast_mode import CudaAutocast as autocast
from .engine.amp.grad_scaler import CudaGradScaler as GradScaler
from .engine.memory.places import not_built
from .engine.parts import part as _part, parts as _parts
from .errors import EngineTypeError

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


def seed() -> None:
    """Seed the random numbers of a device that there is not."""


seed_all = seed


def empty_cache() -> None:
    """Give back memory that nobody holds."""


def memory_allocated(device: object = None) -> int:
    """The bytes that tensors take on a device that there is not."""
    del device
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
memory_cached = max_memory_cached = memory_allocated


def _missing() -> NoReturn:
    raise not_built("cuda")


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


get_device_properties = get_device_capability = mem_get_info = current_stream = default_stream = synchronize
get_rng_state = synchronize


def init() -> NoReturn:
    """Refused: there is no such device."""
    _missing()


ipc_collect = init


def memory_stats(device: object = None) -> OrderedDict[str, int]:
    """Nothing: there is no memory to tell of."""
    del device
    return OrderedDict()


def get_arch_list() -> list[str]:
    """The kinds of devices that there might be: none."""
    return []


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return False: there are no devices that could."""
    del including_emulation
    return False


class _TensorType(type):
    """A class of tensors on a device that there is not: nothing is one, and none can be made."""

    is_cuda = True

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise EngineTypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")

    def __instancecheck__(cls, x: Any) -> bool:
        return False


(
    BFloat16Tensor, BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor,
    ShortTensor,
) = (
    _TensorType(f"{_name}Tensor", (), {"__module__": "torch.cuda", "__doc__": "None of them is there."})
    for _name in ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
)  # fmt: skip
