"""Gradients scaled down or cut off."""

from __future__ import annotations

import types
import warnings
from typing import Any

from ...engine.call_errors import not_a_tensor
from ...engine.modes import no_grad
from ...engine.ops.reduce import vector_norms
from ...engine.ops.shape import joining
from ...engine.tensor import Tensor, tensor
from ...errors import EngineError
from .arguments import deprecated, tensors_of


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Any:
    """The norm of several tensors, as if they were one vector."""
    del foreach
    held = tensors_of("get_total_norm", tensors)
    order = float(norm_type)
    if not held:
        return tensor(0.0)
    with no_grad():
        total: Any = vector_norms.vector_norm(joining.stack([vector_norms.vector_norm(t, order) for t in held]), order)
    if error_if_nonfinite and bool((total.isnan() | total.isinf()).any()):
        raise EngineError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any, foreach: bool | None = None) -> None:
    """Scale gradients down by what their norm has too much."""
    del foreach
    held = tensors_of("clip_grads_with_norm_", parameters)
    if not isinstance(total_norm, Tensor):
        raise not_a_tensor("clip_grads_with_norm_", "total_norm", 3, total_norm)
    norm: Any = total_norm
    with no_grad():
        factor = (float(max_norm) / (norm + 1e-6)).clamp(max=1.0)
        for grad in _grads(held):
            grad.mul_(factor)


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:  # fmt: skip
    """Scale gradients down to a norm, and return the norm they had."""
    held = tensors_of("clip_grad_norm_", parameters)
    if not held and isinstance(parameters, types.GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", UserWarning, stacklevel=2)
    total = get_total_norm(_grads(held), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(held, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:  # fmt: skip
    """The same by its older name."""
    deprecated("clip_grad_norm", "clip_grad_norm_")
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Cut gradients off at a value, in both directions."""
    del foreach
    held = tensors_of("clip_grad_value_", parameters)
    bound = float(clip_value)
    with no_grad():
        for grad in _grads(held):
            grad.clamp_(-bound, bound)


def _grads(parameters: list[Any]) -> list[Any]:
    return [p.grad for p in parameters if p.grad is not None]
