"""torch.nn.utils: gradients clipped, and parameters as one vector."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ...engine.call_errors import not_a_tensor
from ...engine.modes import no_grad
from ...engine.ops.reduce import vector_norms
from ...engine.ops.shape import joining
from ...engine.tensor import Tensor, tensor
from ...errors import EngineError, EngineTypeError
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from . import parametrizations as parametrizations, parametrize as parametrize, rnn as rnn
from .making import (
    convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
    fuse_conv_bn_eval as fuse_conv_bn_eval,
    fuse_conv_bn_weights as fuse_conv_bn_weights,
    fuse_linear_bn_eval as fuse_linear_bn_eval,
    fuse_linear_bn_weights as fuse_linear_bn_weights,
    skip_init as skip_init,
)
from .reweighting import SpectralNorm, WeightNorm, unhang


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Any:
    """The norm of several tensors, as if they were one vector."""
    del foreach
    held = _tensors("get_total_norm", tensors)
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
    held = _tensors("clip_grads_with_norm_", parameters)
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
    held = _tensors("clip_grad_norm_", parameters)
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
    _deprecated("clip_grad_norm", "clip_grad_norm_")
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def _deprecated(name: str, new: str) -> None:
    warnings.warn(
        f"`torch.nn.utils.{name}` is {'now ' if new.endswith('_') else ''}deprecated in favor of "
        f"`torch.nn.utils.{new}`.",
        FutureWarning,
        stacklevel=3,
    )


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Cut gradients off at a value, in both directions."""
    del foreach
    held = _tensors("clip_grad_value_", parameters)
    bound = float(clip_value)
    with no_grad():
        for grad in _grads(held):
            grad.clamp_(-bound, bound)


def _tensors(name: str, given: Any) -> list[Any]:
    """Read an argument that may be one tensor or several; nothing else about it is asked or run."""
    if isinstance(given, Tensor):
        return [given]
    held = list(given)
    for i, t in enumerate(held):
        if not isinstance(t, Tensor):
            raise EngineTypeError(f"{name}(): expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return held


def _grads(parameters: list[Any]) -> list[Any]:
    return [p.grad for p in parameters if p.grad is not None]


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters in one vector."""
    return joining.cat([p.view(-1) for p in _tensors("parameters_to_vector", parameters)])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Give parameters the numbers of one vector."""
    if not isinstance(vec, Tensor):
        raise EngineTypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in _tensors("vector_to_parameters", parameters):
        p.data = vec[start : start + p.numel()].view_as(p).data
        start += p.numel()


# -- weights made of others ------------------------------------------------------------------------


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight of a module made of a length and a direction before each forward."""
    _deprecated("weight_norm", "parametrizations.weight_norm")
    WeightNorm(name, dim).apply(module)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make a weight that is a length times a direction a parameter of its own again."""
    return unhang(WeightNorm, module, name)


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight of a module divided by its largest singular value before each forward."""
    if dim is None:
        dim = int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
    SpectralNorm(name, n_power_iterations, dim, eps).apply(module)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make a weight that is divided by its largest singular value a parameter of its own again."""
    return unhang(SpectralNorm, module, name)


def __getattr__(name: str) -> Any:
    # Read when they are asked for.
    if name in ("prune", "stateless"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
