"""Larger and smaller images."""

from __future__ import annotations

from typing import Any

from ...engine.tensor import Tensor
from .. import functional as F
from ..base.holder import member
from ..base.options import Options, taken


class Upsample(Options):
    """A larger image, or a smaller one."""

    _name = "interpolate"
    _forward_of = "Upsample"
    _added = {"recompute_scale_factor": True}
    scale_factor: Any
    _options = {
        "size": None, "scale_factor": None, "mode": "nearest", "align_corners": None, "recompute_scale_factor": None,
    }  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        factor = self.scale_factor
        if isinstance(factor, tuple):
            self.scale_factor = tuple(float(f) for f in factor)
        else:
            self.scale_factor = float(factor) if factor else None

    def extra_repr(self) -> str:
        """The options."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={member(self, name)!r}, mode={self.mode!r}"


class _Upsampling(Upsample):
    _options = {"size": None, "scale_factor": None}
    mode = "nearest"
    align_corners: bool | None = None

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Resample."""
        (x,) = taken(self, inputs, named)
        return F.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners)


class UpsamplingNearest2d(_Upsampling):
    """A larger image of the nearest pixels."""


class UpsamplingBilinear2d(_Upsampling):
    """A larger image of means of the nearest pixels."""

    mode = "bilinear"
    align_corners = True
