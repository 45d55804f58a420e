"""torch.accelerator, where there is none."""

from __future__ import annotations


def is_available() -> bool:
    """Whether there is an accelerator: there is none."""
    return False


def device_count() -> int:
    """How many accelerators there are: none."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The accelerator: there is none."""
    del check_available
