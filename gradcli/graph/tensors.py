"""Tensors of gradcli's and of PyTorch's, and what a tape noted of them: their place in a graph, numbers, memory."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine.graph import LEAF, node_of
from ..engine.tape import Operand
from ..engine.tensor import Tensor, result
from ..errors import InputError
from .view import Array

# What of PyTorch's dtypes NumPy has not.
_WITHOUT_NUMPY = ("torch.bfloat16", "torch.float8")


def torch_of(x: Any) -> Any:
    """The module torch, when it is loaded and ``x`` is a tensor of its."""
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    return torch if tensor is not None and isinstance(x, tensor) else None


def origin(x: Any) -> tuple[Any, int]:
    """The node that made a tensor (of a leaf its AccumulateGrad), and which of its outputs it is.

    A tensor that no gradient goes to has none: the error says why.
    """
    if isinstance(x, Tensor):
        edge = x._node
        fn = edge if edge is not None and edge.kind == LEAF else x.grad_fn
    elif (torch := torch_of(x)) is not None:
        fn = x.grad_fn
        if fn is None and x.requires_grad:
            fn = torch.autograd.graph.get_gradient_edge(x).node
    else:
        raise InputError(f"a graph starts at a tensor, not at a {type(x).__name__}", help="give a tensor that was computed")
    if fn is None:
        raise without_graph("the tensor", x)
    return fn, x.output_nr


def without_graph(called: str, x: Any) -> InputError:
    """The error for a tensor without a graph."""
    if not (x.is_floating_point() or x.is_complex()):
        kind = str(x.dtype).removeprefix("torch.")
        return InputError(f"{called} has no graph: its numbers are {kind}, which have no gradients")
    return InputError(
        f"{called} has no graph: it was not computed from anything that requires a gradient",
        help="compute it from a tensor with requires_grad=True, outside no_grad() and detach()",
    )


def is_tensor(x: Any) -> bool:
    """Whether a value has numbers of a tensor."""
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
    """The numbers of a tensor or of a number; None when they are not known any more."""
    if isinstance(x, Tensor):
        return x._a
    if isinstance(x, Operand):
        held: Array | None = x.array
        return held
    if isinstance(x, (np.ndarray, np.generic)):
        return x  # type: ignore[return-value]
    if (torch := torch_of(x)) is not None:
        return _numpy(torch, x.detach())
    return np.asarray(x)


def _numpy(torch: Any, x: Any) -> Array:
    if x.layout is not torch.strided:
        x = x.to_dense()
    if str(x.dtype).startswith(_WITHOUT_NUMPY):
        x = x.float()
    if x._is_zerotensor():
        x = torch.zeros(x.shape, dtype=x.dtype)
    found: Array = x.cpu().resolve_conj().resolve_neg().numpy()
    return found


def memory_of(x: Any) -> tuple[Any, int]:
    """What the numbers of a tensor are kept in, as a key, and how many bytes that is."""
    if torch_of(x) is not None:
        storage = x.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    a = x if isinstance(x, (np.ndarray, np.generic)) else array_of(x)
    if a is None:
        return None, 0
    while isinstance(a, np.ndarray) and isinstance(a.base, np.ndarray):
        a = a.base
    return id(a), a.nbytes


def dtype_name(dtype: Any) -> str:
    """What PyTorch calls an element type."""
    return str(dtype).removeprefix("torch.")


def ones_like(x: Any) -> Any:
    """The gradient that a backward starts from: ones, in the shape of its root."""
    if isinstance(x, Tensor):
        return result(np.ones(x._a.shape, x._a.dtype))
    return torch_of(x).ones_like(x.detach())
