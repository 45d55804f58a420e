"""Layers that are one product with a weight."""

from __future__ import annotations

import math
from typing import Any

from ...engine.ops.make import filled
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F, init
from ..parameter import Parameter
from .module import Module


def empty(*size: int, dtype: Any = None, device: Any = None) -> Parameter:
    """A parameter yet to be filled."""
    return Parameter(filled.empty(size, dtype=dtype, device=device))


def uniform_bias(bias: Parameter | None, fan_in: int) -> None:
    """Fill a bias as its layer's weight is filled by default."""
    if bias is not None:
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Identity(Module):
    """The input itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input itself."""
        return input


class Linear(Module):
    """x A' + b."""

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty(out_features, in_features, dtype=dtype, device=device)
        self.register_parameter("bias", empty(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        uniform_bias(self.bias, self.in_features)

    def forward(self, input: Tensor) -> Any:
        """Apply the layer."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The options."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The projection at the end of attention, under the name that PyTorch prints."""


class Bilinear(Module):
    """x1 A x2 + b."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = empty(out_features, in1_features, in2_features, dtype=dtype, device=device)
        self.register_parameter("bias", empty(out_features, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        if self.in1_features <= 0:
            raise EngineValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        uniform_bias(self.bias, self.in1_features)

    def forward(self, input1: Tensor, input2: Tensor) -> Any:
        """Apply the layer."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
