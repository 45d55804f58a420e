"""The namespace behind ``import gradcli as torch``: torch's own names, its modules, and every op of the engine."""

from __future__ import annotations

from typing import Any as _Any

from .engine import offers as _offers
from .engine.dtypes import (
    bfloat16 as bfloat16,
    bool_ as _bool,
    cdouble as cdouble,
    cfloat as cfloat,
    complex64 as complex64,
    complex128 as complex128,
    double as double,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    get_default_dtype as get_default_dtype,
    half as half,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    long as long,
    set_default_dtype as set_default_dtype,
    short as short,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
from .engine.memory.places import (
    Device as _Device,
    Layout as _Layout,
    MemoryFormat as _MemoryFormat,
    channels_last as channels_last,
    channels_last_3d as channels_last_3d,
    contiguous_format as contiguous_format,
    jagged as jagged,
    preserve_format as preserve_format,
    sparse_bsc as sparse_bsc,
    sparse_bsr as sparse_bsr,
    sparse_coo as sparse_coo,
    sparse_csc as sparse_csc,
    sparse_csr as sparse_csr,
    strided as strided,
)
from .engine.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .engine.tensor import Size as Size, Tensor as Tensor, tensor as tensor

device = _Device
layout = _Layout
memory_format = _MemoryFormat
inf = float("inf")
nan = float("nan")
pi = 3.141592653589793
e = 2.718281828459045

# The names that Python has otherwise.
globals().update({"float": float32, "int": int32, "bool": _bool})

_OWN = {name: value for name, value in globals().items() if not name.startswith("_") and name != "annotations"}
_ROOMS = (
    "_C", "_VF", "__future__", "_functorch", "_utils", "accelerator", "amp", "autograd", "backends", "compiler",
    "cpu", "cuda", "distributed", "distributions", "fft", "func", "functional", "jit", "library", "linalg", "masked",
    "nn", "optim", "overrides", "profiler", "random", "return_types", "serialization", "signal", "sparse", "special",
    "testing", "types", "utils", "version",
)  # fmt: skip
# What is declared in a room, and is torch's own name besides.
_OF_ROOMS = {"compile": "jit", "save": "serialization", "load": "serialization"}
# The memory under tensors, for Python alone.
_STORAGES = ("TypedStorage", "UntypedStorage")
# How libraries hand each other memory, for Python alone.
_OF_DLPACK = ("from_dlpack", "to_dlpack")
# Methods that are functions of torch, too.
_OF_TENSORS = ("resize_as_", "as_strided_")
_FLAGS = ("is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_warn_always_enabled", "set_warn_always")


# What programs may look for and is not here, and why.
_ABSENT = {
    name: why
    for names, why in (
        ("complex32 chalf", "complex numbers are complex64 or complex128"),
        ("hash_tensor", "there is no sum of bits"),
        ("qint8 quint8 qint32 quantize_per_tensor quantize_per_channel ao quantization", "no tensor is quantised"),
        ("nested", "the tensors in a list stay a list"),
        ("fx export onnx", "programs run as they are written"),
        ("multiprocessing", "there is one process"),
    )
    for name in names.split()
}


def _find(name: str) -> _Any:
    """Find the value of a name: one of this module, a room, or an offer of the engine; None if nobody has it."""
    if name in _ABSENT:
        raise AttributeError(f"gradcli has no torch.{name}: {_ABSENT[name]}")
    if name in _OWN:
        return _OWN[name]
    if name in _ROOMS:
        from importlib import import_module

        return import_module(f"{__package__}.{name}")
    if name in _OF_ROOMS:
        return getattr(_find(_OF_ROOMS[name]), name)
    if name == "ops":
        return _reach()
    if name in _FLAGS:
        from .engine import flags

        return getattr(flags, name)
    if name == "set_anomaly_enabled":
        from .engine.walk import traces

        return traces.set_anomaly_enabled
    if name.startswith("_check"):
        from .engine.asserting import CHECKS

        return CHECKS.get(name)
    if name in _STORAGES:
        from .engine.memory import storage

        return getattr(storage, name)
    if name in _OF_TENSORS:
        return getattr(Tensor, name)
    if name in _OF_DLPACK:
        from .engine.memory import dlpack

        return getattr(dlpack, name)
    return _offers.find_for_python("torch", name)


def _reach() -> _Any:
    """Return PyTorch's ops under its own names for them, and those of a program."""
    from importlib import import_module

    return import_module(f"{__package__}.engine.custom_ops.ops").Ops()


# What the package itself answers with: its names come from here when they are first asked for.
find_public, list_public = _offers.door(
    __name__.rpartition(".")[0],
    _find,
    lambda: (*_OWN, *_ROOMS, *_OF_ROOMS, *_FLAGS, *_STORAGES, "ops", "set_anomaly_enabled", *_offers.names("torch")),
)
