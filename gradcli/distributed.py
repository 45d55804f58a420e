"""torch.distributed, where there is one process."""

from __future__ import annotations


def is_available() -> bool:
    """Return False: there is one process."""
    return False


def is_initialized() -> bool:
    """Return False: there is one process."""
    return False
