"""Channels and pixels made each other."""

from __future__ import annotations

from ..base.options import NEEDED, Options


class PixelShuffle(Options):
    """Channels made pixels."""

    _name, _options = "pixel_shuffle", {"upscale_factor": NEEDED}
    _shown = ("upscale_factor",)


class PixelUnshuffle(Options):
    """Pixels made channels."""

    _name, _options = "pixel_unshuffle", {"downscale_factor": NEEDED}
    _shown = ("downscale_factor",)
