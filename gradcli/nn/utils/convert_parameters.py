"""Parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...engine.ops.shape import joining
from ...engine.tensor import Tensor
from ...errors import EngineTypeError
from .arguments import tensors_of


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters in one vector."""
    return joining.cat([p.view(-1) for p in tensors_of("parameters_to_vector", parameters)])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Give parameters the numbers of one vector."""
    if not isinstance(vec, Tensor):
        raise EngineTypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in tensors_of("vector_to_parameters", parameters):
        p.data = vec[start : start + p.numel()].view_as(p).data
        start += p.numel()
