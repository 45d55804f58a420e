"""The windows of an image, taken apart and put together."""

from __future__ import annotations

from ..base.options import NEEDED, Options


class Unfold(Options):
    """The windows of an image as columns."""

    _name, _options = "unfold", {"kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
    _shown = ("kernel_size", "dilation", "padding", "stride")


class Fold(Options):
    """An image as the sum of its windows."""

    _name = "fold"
    _options = {"output_size": NEEDED, "kernel_size": NEEDED, "dilation": 1, "padding": 0, "stride": 1}
    _shown = ("output_size", "kernel_size", "dilation", "padding", "stride")
