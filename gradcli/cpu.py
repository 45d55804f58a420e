"""torch.cpu: the one device."""

from __future__ import annotations

from .engine.amp.autocast_mode import CpuAutocast as autocast
from .engine.parts import part as _part, parts as _parts

amp = _part(__name__, "amp", autocast=autocast)
_parts(amp.__name__, "autocast_mode")


def is_available() -> bool:
    """Return True: there is always a CPU."""
    return True


def device_count() -> int:
    """Return 1."""
    return 1
