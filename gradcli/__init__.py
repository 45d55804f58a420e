"""gradcli: trace, check and draw the graphs that autograd records.

``import gradcli as torch`` runs small PyTorch programs.
"""

from __future__ import annotations

from types import SimpleNamespace as _Namespace
from typing import Any

from .engine import methods as _methods
from .engine.backward import backward as _backward, grad as _grad
from .engine.dtypes import (
    bool_ as bool,  # noqa: A004
    double as double,
    dtype as dtype,
    float32 as float32,
    float64 as float64,
    get_default_dtype as get_default_dtype,
    int32 as int32,
    int64 as int64,
    long as long,
    set_default_dtype as set_default_dtype,
)
from .engine.modes import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from .engine.registry import PUBLIC as _PUBLIC
from .engine.tensor import Size as Size, Tensor as Tensor, tensor as tensor

__version__ = "0.1.0"

float = float32  # noqa: A001
int = int32  # noqa: A001

globals().update(_PUBLIC["torch"])
linalg = _Namespace(**_PUBLIC["linalg"])
special = _Namespace(**_PUBLIC["special"])
F = _Namespace(**_PUBLIC["F"])
autograd = _Namespace(grad=_grad, backward=_backward)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'gradcli' has no attribute '{name}'")
