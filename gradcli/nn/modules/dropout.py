"""Zeros in random places, while training."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from ..base.options import Options, function, taken


class _DropoutNd(Options):
    _called = "_DropoutNd"
    _options, _shown = {"p": 0.5, "inplace": False}, ("p", "inplace")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not 0 <= self.p <= 1:
            raise EngineValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Call the function."""
        name = ours(self, Options)._name
        if not name:
            return super().forward(*inputs)
        return function(name)(*taken(self, inputs, named), self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeros in random places while training, the rest scaled up."""

    _name = "dropout"


class Dropout1d(_DropoutNd):
    """Zeros for random whole channels of a sequence while training."""

    _name = "dropout1d"


class Dropout2d(_DropoutNd):
    """Zeros for random whole channels of an image while training."""

    _name = "dropout2d"


class Dropout3d(_DropoutNd):
    """Zeros for random whole channels of a volume while training."""

    _name = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance behind a SELU."""

    _name = "alpha_dropout"


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    _name = "feature_alpha_dropout"
