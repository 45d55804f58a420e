"""Activations as modules: each is its function, and options shown as PyTorch shows them."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.ops.make import filled
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F
from ..parameter import Parameter
from .module import Module
from .options import NEEDED, Options, function

_INPLACE = {"inplace": False}


class ReLU(Options):
    """max(x, 0)."""

    _name, _options = "relu", _INPLACE


class ReLU6(Options):
    """min(max(x, 0), 6)."""

    _name, _options = "relu6", _INPLACE


class LeakyReLU(Options):
    """x, or a small multiple of it below zero."""

    _name, _options = "leaky_relu", {"negative_slope": 0.01} | _INPLACE
    _shown = ("negative_slope",)


class ELU(Options):
    """x, or alpha (exp(x) - 1) below zero."""

    _name, _options, _shown = "elu", {"alpha": 1.0} | _INPLACE, ("alpha",)


class CELU(Options):
    """x, or alpha (exp(x / alpha) - 1) below zero."""

    _name, _options, _shown = "celu", {"alpha": 1.0} | _INPLACE, ("alpha",)


class SELU(Options):
    """A scaled ELU whose activations normalise themselves."""

    _name, _options = "selu", _INPLACE


class GELU(Options):
    """x times the normal distribution function of x."""

    _name, _options, _shown = "gelu", {"approximate": "none"}, ("approximate!r",)


class SiLU(Options):
    """x times sigmoid(x)."""

    _name, _options = "silu", _INPLACE


class Mish(Options):
    """x times tanh(softplus(x))."""

    _name, _options = "mish", _INPLACE


class Softplus(Options):
    """log(1 + exp(beta x)) / beta."""

    _name, _options = "softplus", {"beta": 1.0, "threshold": 20.0}
    _shown = ("beta", "threshold")


class Softsign(Options):
    """x / (1 + abs(x))."""

    _name = "softsign"


class Sigmoid(Options):
    """1 / (1 + exp(-x))."""

    _name = "sigmoid"


class Tanh(Options):
    """Hyperbolic tangent."""

    _name = "tanh"


class LogSigmoid(Options):
    """log(sigmoid(x))."""

    _name = "logsigmoid"


class Tanhshrink(Options):
    """x - tanh(x)."""

    _name = "tanhshrink"


class Hardsigmoid(Options):
    """A sigmoid of straight lines."""

    _name, _options = "hardsigmoid", _INPLACE

    def extra_repr(self) -> str:
        """Nothing: PyTorch does not show the option."""
        return ""


class Hardswish(Options):
    """x times hardsigmoid(x)."""

    _name, _options = "hardswish", _INPLACE

    def extra_repr(self) -> str:
        """Nothing: PyTorch does not show the option."""
        return ""


class Hardtanh(Options):
    """x, cut off at both ends."""

    _name, _shown = "hardtanh", ("min_val", "max_val")
    _options = {"min_val": -1.0, "max_val": 1.0} | _INPLACE | {"min_value": None, "max_value": None}
    _own = ("min_value", "max_value")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for new in ("min_val", "max_val"):
            old = new + "ue"
            given = self.__dict__.pop(old, None)
            if given is not None:
                words = f"keyword argument `{old}` is deprecated and renamed to `{new}`"
                warnings.warn(words, FutureWarning, stacklevel=2)
                setattr(self, new, given)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")


class Softshrink(Options):
    """x moved towards zero by lambd."""

    _name, _options, _shown = "softshrink", {"lambd": 0.5}, ("lambd!v",)


class Hardshrink(Options):
    """x, or zero within lambd of it."""

    _name, _options, _shown = "hardshrink", {"lambd": 0.5}, ("lambd!v",)


class Threshold(Options):
    """x above a threshold, else a value."""

    _name, _shown = "threshold", ("threshold", "value")
    _options = {"threshold": NEEDED, "value": NEEDED} | _INPLACE


class GLU(Options):
    """One half of the input, gated by the sigmoid of the other."""

    _name, _options, _shown = "glu", {"dim": -1}, ("dim",)


class Softmax(Options):
    """Exponentials that add up to one."""

    _name, _options, _shown = "softmax", {"dim": None}, ("dim",)


class Softmin(Options):
    """The softmax of the negative."""

    _name, _options, _shown = "softmin", {"dim": None}, ("dim",)


class LogSoftmax(Options):
    """The logarithm of the softmax."""

    _name, _options, _shown = "log_softmax", {"dim": None}, ("dim",)


class Softmax2d(Module):
    """Exponentials that add up to one over the channels of an image."""

    def forward(self, input: Tensor) -> Any:
        """Call the function."""
        if input.dim() not in (3, 4):
            raise EngineValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(Options):
    """x, or a random multiple of it below zero while training."""

    _name, _shown = "rrelu", ("lower", "upper")
    _options = {"lower": 1.0 / 8, "upper": 1.0 / 3} | _INPLACE

    def forward(self, *inputs: Tensor) -> Any:
        """Call the function."""
        return F.rrelu(*inputs, self.lower, self.upper, self.training, self.inplace)


class _Drop(Options):
    _options, _shown = {"p": 0.5} | _INPLACE, ("p", "inplace")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not 0 <= self.p <= 1:
            raise EngineValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, *inputs: Tensor) -> Any:
        """Call the function."""
        return function(ours(self, Options)._name)(*inputs, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Drop):
    """Zeros in random places while training, the rest scaled up."""

    _name = "dropout"


class Dropout1d(_Drop):
    """Zeros for random whole channels of a sequence while training."""

    _name = "dropout1d"


class Dropout2d(_Drop):
    """Zeros for random whole channels of an image while training."""

    _name = "dropout2d"


class Dropout3d(_Drop):
    """Zeros for random whole channels of a volume while training."""

    _name = "dropout3d"


class AlphaDropout(_Drop):
    """Dropout that keeps mean and variance behind a SELU."""

    _name = "alpha_dropout"


class FeatureAlphaDropout(_Drop):
    """AlphaDropout of whole channels."""

    _name = "feature_alpha_dropout"


class PReLU(Module):
    """x, or a trained multiple of it below zero."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(filled.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Go back to the starting value."""
        self.weight.data.fill_(self.init)  # type: ignore[attr-defined]

    def forward(self, input: Tensor) -> Any:
        """Call the function."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The options."""
        return f"num_parameters={self.num_parameters}"
