"""Tensors of gradcli's and of PyTorch's, and what a tape noted of them: their place in a graph, numbers, memory."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine.dtypes import ones_of
from ...engine.graph import LEAF
from ...engine.numeric.bfloat16 import rounded
from ...engine.python_number import WrappedNumber
from ...engine.tape.tape import Operand
from ...engine.tensor import Tensor, result
from ...errors import InputError
from .view import Array

# What of PyTorch's dtypes NumPy has not.
_WITHOUT_NUMPY = ("bfloat16", "float8")


def torch_of(x: Any) -> Any:
    """The module torch, when it is loaded and ``x`` is a tensor of its."""
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    return torch if tensor is not None and isinstance(x, tensor) else None


def origin(x: Any) -> tuple[Any, int]:
    """The node that made a tensor (of a leaf its AccumulateGrad), and which of its outputs it is; a node is its own.

    A tensor that no gradient goes to has none: the error says why.
    """
    if hasattr(x, "next_functions"):
        return x, 0
    if isinstance(x, Tensor):
        edge = x._node
        fn = edge if edge is not None and edge.kind == LEAF else x.grad_fn
    elif (torch := torch_of(x)) is not None:
        fn = x.grad_fn
        if fn is None and x.requires_grad:
            fn = torch.autograd.graph.get_gradient_edge(x).node
    else:
        raise InputError(f"a graph starts at a tensor, not at {x!r:.60}", help="give a tensor that was computed")
    if fn is None:
        raise without_graph("the tensor", x)
    return fn, x.output_nr


def without_graph(called: str, x: Any, choices: str | None = None) -> InputError:
    """The error for a tensor without a graph."""
    if not (x.is_floating_point() or x.is_complex()):
        why = f"its numbers are {dtype_name(x.dtype)}, which have no gradients"
    else:
        why = "it was not computed from anything that requires a gradient"
    help_ = choices or "compute it from a tensor with requires_grad=True, outside no_grad() and detach()"
    return InputError(f"{called} has no graph: {why}", help=help_)


def is_tensor(x: Any) -> bool:
    """Tell whether a value has numbers of a tensor."""
    return isinstance(x, (Tensor, Operand)) or torch_of(x) is not None


def place(x: Any, leaves: Mapping[int, Any]) -> tuple[Any, int]:
    """The node that made a tensor, or None, and which output it is; ``leaves``: nodes by the id() of their variable."""
    if isinstance(x, Operand):
        return x.node, x.output_nr
    if isinstance(x, Tensor):
        edge = x._node
        return (edge, 0) if edge is not None and edge.kind == LEAF else (x.grad_fn, x.output_nr)
    return x.grad_fn if x.grad_fn is not None else leaves.get(id(x)), x.output_nr


def array_of(x: Any) -> Array | None:
    """The numbers of a tensor; None when they are not known any more."""
    if isinstance(x, WrappedNumber):
        return np.asarray(x.number)
    found: Array | None
    if isinstance(x, Tensor):
        found = x._a
    elif isinstance(x, Operand):
        found = x.array
    elif isinstance(x, np.ndarray):
        found = x
    else:
        found = _numpy(torch_of(x), x.detach())
    return found


def _numpy(torch: Any, x: Any) -> Array:
    if x.layout is not torch.strided:
        x = x.to_dense()
    kept = dtype_name(x.dtype)
    if kept.startswith(_WITHOUT_NUMPY):
        x = x.float()
    if x._is_zerotensor():
        x = torch.zeros(x.shape, dtype=x.dtype)
    found: Array = x.cpu().resolve_conj().resolve_neg().numpy()
    return found if kept != "bfloat16" else rounded(found)


def memory_of(x: Any) -> tuple[Any, int]:
    """The memory that the numbers of a tensor are kept in, as a key, and how many bytes that is."""
    if not isinstance(x, (Tensor, Operand, np.ndarray)):
        storage = x.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    a = x._a if isinstance(x, Tensor) else array_of(x)
    if a is None:
        return None, 0
    while isinstance(a, np.ndarray) and isinstance(a.base, np.ndarray):
        a = a.base
    return id(a), a.nbytes


@functools.cache
def dtype_name(dtype: Any) -> str:
    """PyTorch's name for an element type."""
    return str(dtype).removeprefix("torch.")


@functools.cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype in which numbers of an element type are shown."""
    return np.dtype("float32" if name.startswith(_WITHOUT_NUMPY) else name)


def number_of(x: Any) -> Any:
    """The Python number that was given where a tensor could be, or None.

    PyTorch's nodes keep it as a tensor without dimensions, of the number's own type.
    """
    if isinstance(x, (bool, int, float, complex)):
        return x
    if isinstance(x, WrappedNumber):
        return x.number
    if torch_of(x) is not None and x.dim() == 0 and dtype_name(x.dtype) in ("int64", "float64", "bool"):
        return x.item()
    return None


def ones_like(x: Any) -> Any:
    """The gradient that a backward starts from: ones, in the shape of its root."""
    if isinstance(x, Tensor):
        return result(ones_of(x._a.shape, x._a.dtype))
    return torch_of(x).ones_like(x.detach())
