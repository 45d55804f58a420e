"""torch.nn.utils: gradients clipped, and parameters as one vector."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from . import parametrizations as parametrizations, parametrize as parametrize, rnn as rnn
from .arguments import deprecated
from .clip_grad import (
    clip_grad_norm as clip_grad_norm,
    clip_grad_norm_ as clip_grad_norm_,
    clip_grad_value_ as clip_grad_value_,
    clip_grads_with_norm_ as clip_grads_with_norm_,
    get_total_norm as get_total_norm,
)
from .convert_parameters import (
    parameters_to_vector as parameters_to_vector,
    vector_to_parameters as vector_to_parameters,
)
from .fusion import (
    fuse_conv_bn_eval as fuse_conv_bn_eval,
    fuse_conv_bn_weights as fuse_conv_bn_weights,
    fuse_linear_bn_eval as fuse_linear_bn_eval,
    fuse_linear_bn_weights as fuse_linear_bn_weights,
)
from .init import skip_init as skip_init
from .memory_format import (
    convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
)
from .reweighting import SpectralNorm, WeightNorm, unhang

# -- weights made of others ------------------------------------------------------------------------


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight of a module made of a length and a direction before each forward."""
    deprecated("weight_norm", "parametrizations.weight_norm")
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
