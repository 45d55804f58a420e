"""gradcli: trace, check and draw the graphs that autograd records.

``import gradcli as torch`` runs small PyTorch programs.
"""

from __future__ import annotations

from types import SimpleNamespace as _Namespace
from typing import Any

from .engine import methods as _methods  # noqa: F401 (fills the registry)
from .engine.dtypes import (
    bool_ as _bool,
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
)
from .engine.facts import Device as _Device
from .engine.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .engine.ops import shape as _shape
from .engine.ops.convert import (
    channels_last as channels_last,
    channels_last_3d as channels_last_3d,
    contiguous_format as contiguous_format,
    preserve_format as preserve_format,
)
from .engine.registry import PUBLIC as _PUBLIC
from .engine.tensor import Size as Size, Tensor as Tensor, tensor as tensor

device = _Device

__version__ = "0.1.0"

strided = "torch.strided"
inf = float("inf")
nan = float("nan")
pi = 3.141592653589793
e = 2.718281828459045

# The rest of torch's namespace: what the ops offer, and the names that Python has otherwise.
globals().update(_PUBLIC["torch"])
globals().update({"float": float32, "int": int32, "bool": _bool})

_MODULES = ("autograd", "nn", "optim", "linalg", "special", "utils", "random")

# What PyTorch lets its users reach below the public functions.
ops = _Namespace(aten=_Namespace(alias=_shape.alias, _unsafe_view=_shape.unsafe_view))


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'gradcli' has no attribute '{name}'")
