"""torch.accelerator, where there is none."""

from __future__ import annotations


def is_available() -> bool:
    """Return False: there is never an accelerator."""
    return False


def device_count() -> int:
    """Return 0: there is never an accelerator."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The accelerator: there is none."""
    del check_available
