"""Settings that change no number here: threads, and flags for hardware that there is not."""

from __future__ import annotations

from typing import Any

# The settings that were made; what is not among them is as at the start.
settings: dict[str, Any] = {}


def replace(others: dict[str, Any]) -> dict[str, Any]:
    """Put other settings in the place of those there are, which are returned."""
    before = dict(settings)
    settings.clear()
    settings.update(others)
    return before


# Under which name the anomaly mode is among the settings: whether gradients are looked at for nan.
ANOMALY = "anomaly"
# Whether what was kept and written to since holds what it held again, for a while.
RESTORED = "restored"
# Whether a converted module has new parameters, and whether its own change places with the new ones.
OVERWRITES = "overwrites"
SWAPS = "swaps"
# Whether results are to be the same each time, and whether memory is filled then that nothing was written to.
DETERMINISTIC, FILLS = "deterministic", "fills"
# Whether attention may be computed as one node, and step by step.
FLASH, MATH = "cuda.flash_sdp", "cuda.math_sdp"


def is_anomaly_enabled() -> bool:
    """Tell whether the anomaly mode is on."""
    return ANOMALY in settings


def is_anomaly_check_nan_enabled() -> bool:
    """Tell whether the anomaly mode, where it is on, looks for nan."""
    return bool(settings.get(ANOMALY, True))


def set_warn_always(b: bool) -> None:
    """Ask for each warning every time; here that is for Python's own filters to say."""
    settings["warn always"] = b


def is_warn_always_enabled() -> bool:
    """Tell what was asked for by set_warn_always."""
    return bool(settings.get("warn always", False))
