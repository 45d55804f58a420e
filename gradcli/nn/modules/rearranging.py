"""Padding, resampling and rearranging, and distances: each is its function."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.tensor import Tensor
from .. import functional as F
from .holder import member
from .options import NEEDED, Options


class _Pad(Options):
    _options: dict[str, Any] = {"padding": NEEDED}
    _shown: tuple[str, ...] = ("padding!v",)
    _rank = 0
    _mode = "constant"
    padding: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given = self.padding
        self.padding = (given,) * (2 * ours(self, _Pad)._rank) if isinstance(given, int) else tuple(given)

    def forward(self, *inputs: Tensor) -> Any:
        """Pad."""
        return F.pad(*inputs, self.padding, ours(self, _Pad)._mode, self.__dict__.get("value"))


class _ConstantPad(_Pad):
    _options = {"padding": NEEDED, "value": NEEDED}
    _shown = ("padding", "value")


class ConstantPad1d(_ConstantPad):
    """A sequence with a value on both sides."""

    _rank = 1


class ConstantPad2d(_ConstantPad):
    """An image with a value on all sides."""

    _rank = 2


class ConstantPad3d(_ConstantPad):
    """A volume with a value on all sides."""

    _rank = 3


class ZeroPad1d(_Pad):
    """A sequence with zeros on both sides."""

    _rank = 1


class ZeroPad2d(_Pad):
    """An image with zeros on all sides."""

    _rank = 2


class ZeroPad3d(_Pad):
    """A volume with zeros on all sides."""

    _rank = 3


class ReflectionPad1d(_Pad):
    """A sequence with its mirror image on both sides."""

    _rank, _mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """An image with its mirror image on all sides."""

    _rank, _mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """A volume with its mirror image on all sides."""

    _rank, _mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """A sequence with its ends repeated."""

    _rank, _mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """An image with its border repeated."""

    _rank, _mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """A volume with its border repeated."""

    _rank, _mode = 3, "replicate"


class CircularPad1d(_Pad):
    """A sequence that goes on from the other end."""

    _rank, _mode = 1, "circular"


class CircularPad2d(_Pad):
    """An image that goes on from the other side."""

    _rank, _mode = 2, "circular"


class CircularPad3d(_Pad):
    """A volume that goes on from the other side."""

    _rank, _mode = 3, "circular"


class Upsample(Options):
    """A larger image, or a smaller one."""

    _name = "interpolate"
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

    def forward(self, *inputs: Tensor) -> Any:
        """Resample."""
        return F.interpolate(*inputs, self.size, self.scale_factor, self.mode, self.align_corners)


class UpsamplingNearest2d(_Upsampling):
    """A larger image of the nearest pixels."""


class UpsamplingBilinear2d(_Upsampling):
    """A larger image of means of the nearest pixels."""

    mode = "bilinear"
    align_corners = True


class PixelShuffle(Options):
    """Channels made pixels."""

    _name, _options = "pixel_shuffle", {"upscale_factor": NEEDED}
    _shown = ("upscale_factor",)


class PixelUnshuffle(Options):
    """Pixels made channels."""

    _name, _options = "pixel_unshuffle", {"downscale_factor": NEEDED}
    _shown = ("downscale_factor",)


class ChannelShuffle(Options):
    """Channels dealt out anew: those of each group in turn."""

    _name, _options = "channel_shuffle", {"groups": NEEDED}
    _shown = ("groups",)


class Unfold(Options):
    """The windows of an image as columns."""

    _name, _options = "unfold", {"kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
    _shown = ("kernel_size", "dilation", "padding", "stride")


class Fold(Options):
    """An image as the sum of its windows."""

    _name = "fold"
    _options = {"output_size": NEEDED, "kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
    _shown = ("output_size", "kernel_size", "dilation", "padding", "stride")


class CosineSimilarity(Options):
    """The cosine of the angle between vectors."""

    _name, _options = "cosine_similarity", {"dim": 1, "eps": 1e-8}


class PairwiseDistance(Options):
    """The distance between vectors."""

    _options = {"p": 2.0, "eps": 1e-6, "keepdim": False}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.norm = self.__dict__.pop("p")

    def forward(self, *inputs: Tensor) -> Any:
        """The distance."""
        return F.pairwise_distance(*inputs, self.norm, self.eps, self.keepdim)
