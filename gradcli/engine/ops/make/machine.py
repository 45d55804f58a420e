"""Questions and settings about the machine that a program runs on."""

from __future__ import annotations

import warnings
from typing import Any

from ....errors import EngineTypeError
from ... import dtypes
from ...call_errors import fail
from ...flags import DETERMINISTIC, settings, threads
from ...memory.places import CPU, Device, not_built
from ...modes import devices, mode
from ...registry import public
from ...tensor import Tensor
from .from_data import TensorType

# -- threads -------------------------------------------------------------------------------------


@public("torch torch.get_num_interop_threads")
def get_num_threads() -> int:
    """The number of threads that was asked for; that which PyTorch would have where none was."""
    return threads()


@public("torch torch.set_num_interop_threads")
def set_num_threads(num: int) -> None:
    """Ask for a number of threads: last digits are those that PyTorch finds with as many."""
    if type(num) is not int:
        fail(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num <= 0:
        fail("set_num_threads expects a positive integer")
    settings["threads"] = num


# -- how exact, and how repeatable: always as much as can be ---------------------------------------


@public("torch")
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for results that are the same each time, as they are in any case."""
    if not isinstance(mode, bool):
        raise EngineTypeError(
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            f"{type(mode).__name__}"
        )
    settings[DETERMINISTIC] = mode
    settings["deterministic warns"] = warn_only


@public("torch")
def are_deterministic_algorithms_enabled() -> bool:
    """Tell whether results were asked to be the same each time."""
    return bool(settings.get(DETERMINISTIC, False))


@public("torch")
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Tell whether a result that may differ was asked to be a mere warning."""
    return bool(settings.get("deterministic warns", False))


_DEBUG_MODES = ("default", "warn", "error")


@public("torch")
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Ask for results that are the same each time: by the name, or the number, of what may not be so."""
    if not isinstance(debug_mode, (int, str)):
        raise EngineTypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str) and debug_mode not in _DEBUG_MODES:
        fail(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
    wanted = _DEBUG_MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if wanted not in (0, 1, 2):
        fail(f"invalid value of debug_mode, expected 0, 1, or 2, but got {wanted}")
    use_deterministic_algorithms(wanted > 0, warn_only=wanted == 1)


@public("torch")
def get_deterministic_debug_mode() -> int:
    """The number of what was asked for by set_deterministic_debug_mode."""
    if not are_deterministic_algorithms_enabled():
        return 0
    return 1 if is_deterministic_algorithms_warn_only_enabled() else 2


@public("torch")
def set_flush_denormal(mode: bool) -> bool:
    """Tell that numbers near zero cannot be taken for zero: they are computed as they are."""
    if not isinstance(mode, bool):
        raise EngineTypeError(f"set_flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


@public("torch")
def set_float32_matmul_precision(precision: str) -> None:
    """Say how exact products of float32 matrices must be; they are always as exact as can be."""
    if precision in ("highest", "high", "medium"):
        settings["precision"] = precision
    else:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call has "
            "no effect.",
            UserWarning,
            stacklevel=2,
        )


@public("torch")
def get_float32_matmul_precision() -> str:
    """The precision that was asked for in products of float32 matrices."""
    return str(settings.get("precision", "highest"))


# -- defaults --------------------------------------------------------------------------------------


@public("torch")
def get_default_device() -> Device:
    """Where new tensors are made: on the CPU, unless a program says otherwise."""
    here = devices()
    return here[-1] if here else CPU


@public("torch")
def set_default_device(device: Any) -> None:
    """Say where new tensors are made: on the CPU, or on `meta`."""
    mode.devices = () if device is None else (Device(device),)


@public("torch")
def set_default_tensor_type(t: Any) -> None:
    """Set the dtype that Python floats become, by the name of a tensor type or by the type."""
    named = {f"torch.{d.tensor_name}Tensor": d for d in dtypes.DTYPES.values()}
    elsewhere = t if isinstance(t, str) else f"{getattr(t, '__module__', '')}.{getattr(t, '__name__', '')}"
    if elsewhere.startswith("torch.cuda."):
        raise EngineTypeError(f"type {elsewhere} not available. Torch not compiled with CUDA enabled.")
    d = t.dtype if isinstance(t, TensorType) else named.get(t) if isinstance(t, str) else None
    if d is None:
        raise EngineTypeError("invalid type object: only floating-point types are supported as the default type")
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives.",
        UserWarning,
        stacklevel=2,
    )
    dtypes.set_default_dtype(d)


# -- other devices ---------------------------------------------------------------------------------


@public("Tensor")
def cuda(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Refused: there is no such device."""
    raise not_built("cuda")


@public("torch Tensor")
def get_device(input: Tensor) -> int:
    """The number of the device: -1, which is the CPU."""
    del input
    return -1


@public("Tensor")
def is_pinned(input: Tensor, device: Any = None) -> bool:
    """Tell whether the memory is held fast for a device: it is not."""
    del input, device
    return False


@public("Tensor")
def is_shared(input: Tensor) -> bool:
    """Tell whether other processes see the memory: they do not."""
    del input
    return False


@public("torch")
def is_inference(input: Tensor) -> bool:
    """Tell whether a tensor was made in inference mode."""
    return bool(input._inference)


# -- names -----------------------------------------------------------------------------------------


@public("torch")
def typename(obj: Any) -> str:
    """The name of a tensor's type, or of an object's class."""
    if isinstance(obj, Tensor):
        return f"torch.{obj.dtype.tensor_name}Tensor"
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None) or ""
    return named.__qualname__ if module in ("", "builtins") else f"{module}.{named.__qualname__}"
