"""PyTorch itself, where somebody has it, and the kinds of its objects."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ...errors import InputError


def torch() -> Any:
    """PyTorch, which whoever has a tensor of it has imported."""
    try:
        return import_module("torch")
    except ImportError:
        raise InputError(
            "PyTorch is not installed here", help="pip install torch, or give the derivative of a NumPy function"
        ) from None


def _imported() -> Any:
    """PyTorch, if somebody has imported it; what stands in its place may be gradcli itself."""
    module = sys.modules.get("torch")
    return None if module is None or module.Tensor is Tensor else module


def is_tensor(x: Any) -> bool:
    """Tell whether something is a tensor of PyTorch, without importing it."""
    module = _imported()
    return module is not None and isinstance(x, module.Tensor)


def is_module(x: Any) -> bool:
    """Tell whether something is a module of PyTorch."""
    module = _imported()
    return module is not None and isinstance(x, module.nn.Module)


def tensor_of(array: np.ndarray[Any, Any]) -> Any:
    """An array as a tensor with memory of its own; one of anything but numbers, as texts are, stays what it is."""
    if array.dtype.kind not in "biufc":
        return array
    widest = np.complex128 if array.dtype.kind == "c" else np.float64
    is_longer = array.dtype.kind in "fc" and array.dtype.itemsize > np.dtype(widest).itemsize
    # PyTorch knows no other order of bytes than the machine's.
    return torch().from_numpy(np.array(array, widest if is_longer else array.dtype.newbyteorder("=")))


def has_context(cls: Any) -> bool:
    """Tell whether the forward of a Function of PyTorch's takes the context, and no method of its own does."""
    return bool(cls.setup_context is torch().autograd.Function.setup_context)
