"""Pooling: each is its function, with the options of the table."""

from __future__ import annotations

from typing import Any

from .options import NEEDED, Options

_WINDOW = {"kernel_size": NEEDED, "stride": None, "padding": 0}
_MAX = _WINDOW | {"dilation": 1, "return_indices": False, "ceil_mode": False}
_MEAN = _WINDOW | {"ceil_mode": False, "count_include_pad": True}


class _Pool(Options):
    stride: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size


class _MaxPool(_Pool):
    _options = _MAX
    _shown = "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}"


class MaxPool1d(_MaxPool):
    """The largest number in each window of a sequence."""

    _name = "max_pool1d"


class MaxPool2d(_MaxPool):
    """The largest number in each window of an image."""

    _name = "max_pool2d"


class MaxPool3d(_MaxPool):
    """The largest number in each window of a volume."""

    _name = "max_pool3d"


class _AvgPool(_Pool):
    _shown = "kernel_size={kernel_size}, stride={stride}, padding={padding}"


class AvgPool1d(_AvgPool):
    """The mean of each window of a sequence."""

    _name, _options = "avg_pool1d", _MEAN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, (value,) if isinstance(value, int) else tuple(value))


class AvgPool2d(_AvgPool):
    """The mean of each window of an image."""

    _name, _options = "avg_pool2d", _MEAN | {"divisor_override": None}


class AvgPool3d(_AvgPool):
    """The mean of each window of a volume."""

    _name, _options = "avg_pool3d", _MEAN | {"divisor_override": None}


class _Adaptive(Options):
    _shown = "output_size={output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """The means of as many windows of a sequence as there should be results."""

    _name, _options = "adaptive_avg_pool1d", {"output_size": NEEDED}


class AdaptiveAvgPool2d(_Adaptive):
    """The means of as many windows of an image as there should be results."""

    _name, _options = "adaptive_avg_pool2d", {"output_size": NEEDED}


class AdaptiveMaxPool1d(_Adaptive):
    """The largest numbers in as many windows of a sequence as there should be results."""

    _name, _options = "adaptive_max_pool1d", {"output_size": NEEDED, "return_indices": False}


class AdaptiveMaxPool2d(_Adaptive):
    """The largest numbers in as many windows of an image as there should be results."""

    _name, _options = "adaptive_max_pool2d", {"output_size": NEEDED, "return_indices": False}
