"""torch.cpu: the one device."""

from __future__ import annotations

from types import SimpleNamespace

from .engine.amp import CpuAutocast as autocast

amp = SimpleNamespace(autocast=autocast)


def is_available() -> bool:
    """Return True: there is always a CPU."""
    return True


def device_count() -> int:
    """Return 1."""
    return 1
