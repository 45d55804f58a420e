"""Activations as modules: each is its function, and options shown as PyTorch shows them."""

from __future__ import annotations

from typing import Any

from ..engine.tensor import Tensor
from . import functional as F
from .module import Module
from .parameter import Parameter


class _Function(Module):
    """A module that calls one function with the options it was made with."""

    # The options with their defaults, in order; those named in `_shown` stand in the repr.
    _options: dict[str, Any] = {}
    _shown: tuple[str, ...] = ()
    _name = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = dict(zip(self._options, args, strict=False))
        if len(args) > len(self._options) or kwargs.keys() - self._options.keys() or kwargs.keys() & given.keys():
            super().__init__(*args, **kwargs)
        super().__init__()
        self.__dict__.update(self._options | given | kwargs)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = getattr(F, self._name)(input, **{k: self.__dict__[k] for k in self._options})
        return found

    def extra_repr(self) -> str:
        """The options."""
        parts = [f"{k}={self.__dict__[k]!r}" for k in self._shown]
        if self.__dict__.get("inplace"):
            parts.append("inplace=True")
        return ", ".join(parts)


class ReLU(_Function):
    """max(x, 0)."""

    _name, _options = "relu", {"inplace": False}


class ReLU6(_Function):
    """min(max(x, 0), 6)."""

    _name, _options = "relu6", {"inplace": False}

    def extra_repr(self) -> str:
        """The options."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(_Function):
    """x, or a small multiple of it below zero."""

    _name, _options, _shown = "leaky_relu", {"negative_slope": 0.01, "inplace": False}, ("negative_slope",)


class ELU(_Function):
    """x, or alpha (exp(x) - 1) below zero."""

    _name, _options, _shown = "elu", {"alpha": 1.0, "inplace": False}, ("alpha",)


class CELU(_Function):
    """x, or alpha (exp(x / alpha) - 1) below zero."""

    _name, _options, _shown = "celu", {"alpha": 1.0, "inplace": False}, ("alpha",)


class SELU(_Function):
    """A scaled ELU whose activations normalise themselves."""

    _name, _options = "selu", {"inplace": False}


class GELU(_Function):
    """x times the normal distribution function of x."""

    _name, _options, _shown = "gelu", {"approximate": "none"}, ("approximate",)


class SiLU(_Function):
    """x times sigmoid(x)."""

    _name, _options = "silu", {"inplace": False}


class Mish(_Function):
    """x times tanh(softplus(x))."""

    _name, _options = "mish", {"inplace": False}


class Softplus(_Function):
    """log(1 + exp(beta x)) / beta."""

    _name, _options, _shown = "softplus", {"beta": 1.0, "threshold": 20.0}, ("beta", "threshold")


class Softsign(_Function):
    """x / (1 + abs(x))."""

    _name = "softsign"


class Sigmoid(_Function):
    """1 / (1 + exp(-x))."""

    _name = "sigmoid"


class Tanh(_Function):
    """Hyperbolic tangent."""

    _name = "tanh"


class LogSigmoid(_Function):
    """log(sigmoid(x))."""

    _name = "logsigmoid"


class Tanhshrink(_Function):
    """x - tanh(x)."""

    _name = "tanhshrink"


class Hardsigmoid(_Function):
    """A sigmoid of straight lines."""

    _name, _options = "hardsigmoid", {"inplace": False}


class Hardswish(_Function):
    """x times hardsigmoid(x)."""

    _name, _options = "hardswish", {"inplace": False}


class Hardtanh(_Function):
    """x, cut off at both ends."""

    _name, _shown = "hardtanh", ("min_val", "max_val")
    _options = {"min_val": -1.0, "max_val": 1.0, "inplace": False}


class Softshrink(_Function):
    """x moved towards zero by lambd."""

    _name, _options = "softshrink", {"lambd": 0.5}

    def extra_repr(self) -> str:
        """The options."""
        return str(self.lambd)


class Hardshrink(_Function):
    """x, or zero within lambd of it."""

    _name, _options = "hardshrink", {"lambd": 0.5}

    def extra_repr(self) -> str:
        """The options."""
        return str(self.lambd)


class Threshold(_Function):
    """x above a threshold, else a value."""

    _name, _options, _shown = "threshold", {"threshold": 0.0, "value": 0.0, "inplace": False}, ("threshold", "value")


class GLU(_Function):
    """One half of the input, gated by the sigmoid of the other."""

    _name, _options, _shown = "glu", {"dim": -1}, ("dim",)


class Softmax(_Function):
    """Exponentials that add up to one."""

    _name, _options, _shown = "softmax", {"dim": None}, ("dim",)


class Softmin(_Function):
    """The softmax of the negative."""

    _name, _options, _shown = "softmin", {"dim": None}, ("dim",)


class LogSoftmax(_Function):
    """The logarithm of the softmax."""

    _name, _options, _shown = "log_softmax", {"dim": None}, ("dim",)


class Dropout(_Function):
    """Zeros in random places while training, the rest scaled up."""

    _name, _options, _shown = "dropout", {"p": 0.5, "inplace": False}, ("p",)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = F.dropout(input, self.p, self.training, self.inplace)  # type: ignore[attr-defined]
        return found

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


class PReLU(Module):
    """x, or a trained multiple of it below zero."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        from .. import full

        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        found: Tensor = F.prelu(input, self.weight)  # type: ignore[attr-defined]
        return found

    def extra_repr(self) -> str:
        """The options."""
        return f"num_parameters={self.num_parameters}"


