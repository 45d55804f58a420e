"""torch.nn.init: starting values for parameters, in place."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ..engine.dtypes import part_of
from ..engine.modes import F, no_grad
from ..engine.ops.make import filled, random
from ..engine.tensor import Tensor
from ..errors import EngineValueError

_FIXED_GAINS = {
    "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1, "conv_transpose2d": 1,
    "conv_transpose3d": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75,
}  # fmt: skip


def _unrecorded(function: F) -> F:
    """A function that records nothing."""
    switched: F = no_grad(function)
    return switched


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through a nonlinearity."""
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise EngineValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _FIXED_GAINS:
        raise EngineValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _FIXED_GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Count the numbers that go into one unit, and those that come out of it."""
    if tensor.dim() < 2:
        raise EngineValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise EngineValueError(f"Mode {mode.lower()} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode.lower() == "fan_out"]


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
        return True
    return False


@_unrecorded
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Draw from the uniform distribution between a and b."""
    return tensor.uniform_(a, b, generator=generator)


@_unrecorded
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Draw from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@_unrecorded
def trunc_normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Any:
    """Draw from the normal distribution between a and b."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            UserWarning,
            stacklevel=2,
        )
    if tensor.is_meta:
        return tensor
    share = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    draw = _redrawn_normal if share > 0.3 else _accepted_uniform
    return tensor.copy_(draw(tensor, mean, std, a, b, generator))


def _redrawn_normal(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    """Normal numbers, with those beyond the bounds drawn again: most are within."""
    low, high = (float(part_of(tensor._a.dtype).type(x)) for x in (a, b))
    found = filled.empty_like(tensor).normal_(mean, std, generator=generator)
    while (outside := (found < low) | (found > high)).any():
        found = filled.empty_like(tensor).normal_(mean, std, generator=generator).where(outside, found)
    return found


def _accepted_uniform(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    """Uniform numbers, each accepted as often as the density says: few normal ones would be within."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    found = filled.empty_like(tensor)
    pending: Any = filled.ones_like(tensor).bool()
    while pending.any():
        drawn = filled.empty_like(tensor).uniform_(a, b, generator=generator)
        found = drawn.where(pending, found)
        density = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        pending = pending & filled.empty_like(tensor).uniform_(generator=generator).log_().gt(density)
    return found


@_unrecorded
def constant_(tensor: Any, val: float) -> Any:
    """Fill with a value."""
    return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fill with ones."""
    return constant_(tensor, 1.0)


@_unrecorded
def zeros_(tensor: Any) -> Any:
    """Fill with zeros."""
    return tensor.zero_()


@_unrecorded
def eye_(tensor: Any) -> Any:
    """Fill a matrix with the identity."""
    if tensor.ndim != 2:
        raise EngineValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(filled.eye(*tensor.shape))


@_unrecorded
def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Fill the weight of a convolution so that it passes on as many channels as it can."""
    if tensor.ndim not in (3, 4, 5):
        raise EngineValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise EngineValueError("dim 0 must be divisible by groups")
    tensor.zero_()
    outs = tensor.shape[0] // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        for channel in range(min(outs, tensor.shape[1])):
            tensor[(group * outs + channel, channel, *centre)] = 1
    return tensor


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw uniformly, with the variance that suits both directions of a layer."""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw normally, with the variance that suits both directions of a layer."""
    std = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw uniformly, with the variance that suits a rectifier."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw normally, with the variance that suits a rectifier."""
    if _is_empty(tensor):
        return tensor
    deviation = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return normal_(tensor, 0.0, deviation, generator)


@_unrecorded
def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Fill with a random orthogonal matrix."""
    if tensor.ndim < 2:
        raise EngineValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    from ..engine.ops.matrix import decompositions

    rows = tensor.shape[0]
    wide = rows < tensor.numel() // rows
    drawn: Any = filled.empty(rows, tensor.numel() // rows, dtype=tensor.dtype)
    drawn.normal_(0, 1, generator=generator)
    q, r = decompositions.qr(drawn.t() if wide else drawn)
    q = q * r.diag().sign()
    return tensor.copy_((q.t() if wide else q).reshape(tensor.shape)).mul_(gain)


@_unrecorded
def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Draw a matrix normally, with a share of each column zero."""
    if tensor.ndim != 2:
        raise EngineValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[random.randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return tensor


# -- older names -----------------------------------------------------------------------------------


def _older(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function by the name that it had before."""
    new = function.__name__
    old = new.removesuffix("_")

    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"`{new}` by its older name."
    return call


uniform = _older(uniform_)
normal = _older(normal_)
constant = _older(constant_)
eye = _older(eye_)
dirac = _older(dirac_)
xavier_uniform = _older(xavier_uniform_)
xavier_normal = _older(xavier_normal_)
kaiming_uniform = _older(kaiming_uniform_)
kaiming_normal = _older(kaiming_normal_)
orthogonal = _older(orthogonal_)
sparse = _older(sparse_)
