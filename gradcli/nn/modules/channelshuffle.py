"""Channels dealt out anew."""

from __future__ import annotations

from ..base.options import NEEDED, Options


class ChannelShuffle(Options):
    """Channels dealt out anew: those of each group in turn."""

    _name, _options = "channel_shuffle", {"groups": NEEDED}
    _shown = ("groups",)
