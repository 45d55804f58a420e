"""torch.nn.init: starting values for parameters, in place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.modes import no_grad
from ..engine.tensor import Tensor
from ..errors import EngineValueError

_FIXED_GAINS = {
    "linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0), "selu": 0.75,
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through a nonlinearity."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _FIXED_GAINS:
        raise EngineValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _FIXED_GAINS[nonlinearity]


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into, and come out of, one unit."""
    if tensor.dim() < 2:
        raise EngineValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = int(np.prod(tensor.shape[2:], dtype=np.int64))
    return tensor.shape[1] * field, tensor.shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise EngineValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _fans(tensor)[mode.lower() == "fan_out"]


def _within(tensor: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    with no_grad():
        return getattr(tensor, method)(*args, **kwargs)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Draw from the uniform distribution between a and b."""
    return _within(tensor, "uniform_", a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Draw from the normal distribution."""
    return _within(tensor, "normal_", mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Any:
    """Fill with a value."""
    return _within(tensor, "fill_", val)


def ones_(tensor: Tensor) -> Any:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Any:
    """Fill with zeros."""
    return _within(tensor, "zero_")


def eye_(tensor: Tensor) -> Any:
    """Fill a matrix with the identity."""
    if tensor.ndim != 2:
        raise EngineValueError("Only tensors with 2 dimensions are supported")
    from .. import eye

    return _within(tensor, "copy_", eye(*tensor.shape))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw uniformly, with the variance that suits both directions of a layer."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(sum(_fans(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Any:
    """Draw normally, with the variance that suits both directions of a layer."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw uniformly, with the variance that suits a rectifier."""
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Any:
    """Draw normally, with the variance that suits a rectifier."""
    if 0 in tensor.shape:
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """Fill with a random orthogonal matrix."""
    if tensor.ndim < 2:
        raise EngineValueError("Only tensors with 2 or more dimensions are supported")
    from .. import empty, linalg

    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    cols = tensor.numel() // rows
    with no_grad():
        flat: Any = empty(rows, cols, dtype=tensor.dtype).normal_(0, 1, generator=generator)
        if rows < cols:
            flat = flat.t()
        q, r = linalg.qr(flat)  # type: ignore[attr-defined]
        q = q * r.diag().sign()
        if rows < cols:
            q = q.t()
        tensor.copy_(q.reshape(tensor.shape))
        return tensor.mul_(gain)
