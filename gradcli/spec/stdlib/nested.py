"""Tensors of several lengths: what torch.nested is written with."""

from __future__ import annotations

import math
from typing import Any

from ...engine.ops.shape import nested
from ..guard.size_limits import caps
from ..values.classes.tensor_classes import doors, prepare


def _of_class(tensor: Any, cls: type) -> Any:
    """A tensor that nobody else has, as one of a class of the library's."""
    return doors().made_of(tensor, cls)


def _grad_of(tensor: Any) -> Any:
    """The gradient of a tensor as it stands there, whatever its class says."""
    return tensor.grad


def _to_padded_tensor(tensor: Any, padding: Any, sizes: Any, output_size: tuple[int, ...], axis: int | None) -> Any:
    """Parts side by side, each filled up, in as much memory as the run allows."""
    caps.spend(math.prod(output_size), math.prod(output_size))
    return nested.to_padded_tensor(tensor, padding, sizes, output_size, axis)


def names() -> dict[str, Any]:
    """The names that torch.nested is written with."""
    # The library's classes derive from tensors, as those of a program may.
    prepare(("__torch_function__",))
    return {
        "grad_of": _grad_of, "of_class": _of_class, "to_padded_tensor": _to_padded_tensor,
        "nested_tensor_from_tensor_list": nested.nested_tensor_from_tensor_list,
        "nested_view_from_jagged": nested.nested_view_from_jagged, "nested_get_values": nested.nested_get_values,
        "nested_values": nested.nested_values, "nested_unbind": nested.nested_unbind,
        "nested_select": nested.nested_select, "nested_view": nested.nested_view, "nested_chunk": nested.nested_chunk,
        "nested_sum": nested.nested_sum, "nested_mean": nested.nested_mean, "nested_sum_dim": nested.nested_sum_dim,
        "nested_sum_of_parts": nested.nested_sum_of_parts, "nested_mean_of_parts": nested.nested_mean_of_parts,
        "nested_linear": nested.nested_linear, "nested_linear_alone": nested.nested_linear_alone,
        "nested_matmul": nested.nested_matmul,
    }  # fmt: skip
