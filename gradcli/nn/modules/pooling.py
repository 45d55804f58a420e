"""Pooling: each is its function, with the options of the table."""

from __future__ import annotations

from typing import Any

from ...engine.guard.trusted_classes import ours
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from ..base.holder import member
from ..base.options import NEEDED, Options, function, taken

_WINDOW = {"kernel_size": NEEDED, "stride": None, "padding": 0}
_MAX = _WINDOW | {"dilation": 1, "return_indices": False, "ceil_mode": False}
_MEAN = _WINDOW | {"ceil_mode": False, "count_include_pad": True}


class _Pool(Options):
    stride: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size


class _MaxPoolNd(_Pool):
    _called = "_MaxPoolNd"
    _options = _MAX
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")


class MaxPool1d(_MaxPoolNd):
    """The largest number in each window of a sequence."""

    _name = "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The largest number in each window of an image."""

    _name = "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The largest number in each window of a volume."""

    _name = "max_pool3d"


class _AvgPoolNd(_Pool):
    _shown = ("kernel_size", "stride", "padding")


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of a sequence."""

    _name, _options = "avg_pool1d", _MEAN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("kernel_size", "stride", "padding"):
            value = member(self, name)
            setattr(self, name, (value,) if isinstance(value, int) else tuple(value))


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of an image."""

    _name, _options = "avg_pool2d", _MEAN | {"divisor_override": None}


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of a volume."""

    _name, _options = "avg_pool3d", _MEAN | {"divisor_override": None}
    _added = {"padding": 0, "ceil_mode": False, "count_include_pad": True}


class _AdaptiveAvgPoolNd(Options):
    _called, _options, _shown = "_AdaptiveAvgPoolNd", {"output_size": NEEDED}, ("output_size",)


class _AdaptiveMaxPoolNd(Options):
    _called, _shown = "_AdaptiveMaxPoolNd", ("output_size",)
    _options = {"output_size": NEEDED, "return_indices": False}


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The means of as many windows of a sequence as there should be results."""

    _name = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The means of as many windows of an image as there should be results."""

    _name = "adaptive_avg_pool2d"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest numbers in as many windows of a sequence as there should be results."""

    _name = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest numbers in as many windows of an image as there should be results."""

    _name = "adaptive_max_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The means of as many windows of a volume as there should be results."""

    _name = "adaptive_avg_pool3d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest numbers in as many windows of a volume as there should be results."""

    _name = "adaptive_max_pool3d"


class _LPPoolNd(Options):
    _called = "_LPPoolNd"
    _options = {"norm_type": NEEDED, "kernel_size": NEEDED, "stride": None, "ceil_mode": False}
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Pool."""
        pool = function(ours(self, Options)._name)
        return pool(*taken(self, inputs, named), float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The root of the sum of powers in each window of a sequence."""

    _name = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The root of the sum of powers in each window of an image."""

    _name = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The root of the sum of powers in each window of a volume."""

    _name = "lp_pool3d"


class _MaxUnpoolNd(Options):
    _options = _WINDOW
    _shown = ("kernel_size", "stride", "padding")
    _rank = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stride = self.kernel_size if self.stride is None else self.stride
        rank = ours(self, _MaxUnpoolNd)._rank
        for name, value in (("kernel_size", self.kernel_size), ("stride", stride), ("padding", self.padding)):
            setattr(self, name, tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Any:  # type: ignore[override]
        """Put the numbers back: of an input, its indices and perhaps the size that was pooled."""
        unpool = function(ours(self, Options)._name)
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """The largest numbers of windows back at their places in a sequence."""

    _name, _rank = "max_unpool1d", 1


class MaxUnpool2d(_MaxUnpoolNd):
    """The largest numbers of windows back at their places in an image."""

    _name, _rank = "max_unpool2d", 2


class MaxUnpool3d(_MaxUnpoolNd):
    """The largest numbers of windows back at their places in a volume."""

    _name, _rank = "max_unpool3d", 3


def _for_axes(value: Any, rank: int) -> Any:
    """One number for each axis; nothing where nothing is given."""
    return value if value is None or isinstance(value, (tuple, list)) else (value,) * rank


class _FractionalMaxPool(Options):
    kernel_size: Any
    output_size: Any
    output_ratio: Any
    _options = {
        "kernel_size": NEEDED, "output_size": None, "output_ratio": None, "return_indices": False,
        "_random_samples": None,
    }  # fmt: skip
    _rank = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rank, given = ours(self, _FractionalMaxPool)._rank, self.output_ratio
        self.kernel_size = _for_axes(self.kernel_size, rank)
        self.output_size = _for_axes(self.output_size, rank)
        self.output_ratio = _for_axes(given, rank)
        if self.output_size is None and given is None:
            raise EngineValueError(
                f"FractionalMaxPool{rank}d requires specifying either an output size, or a pooling ratio"
            )
        if self.output_size is not None and given is not None:
            raise EngineValueError("only one of output_size and output_ratio may be specified")
        if given is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise EngineValueError(f"output_ratio must be between 0 and 1 (got {given})")


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest numbers of windows that lie at random in an image."""

    _name, _rank = "fractional_max_pool2d", 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest numbers of windows that lie at random in a volume."""

    _name, _rank = "fractional_max_pool3d", 3
