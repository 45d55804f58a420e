"""The limits of a program, by the options of a command line and the settings of the same names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...spec.guard.limits import PRESETS, Limits

# Option -> the limit that it sets, and in what units.
_OVERRIDES = {
    "timeout": ("seconds", 1),
    "check_timeout": ("checking", 1),
    "max_memory": ("memory", 10**6),
    "max_elements": ("elements", 1),
    "max_steps": ("steps", 1),
    "max_output": ("output", 10**6),
    "max_source": ("source", 1024),
}


def limits_of(chosen: Mapping[str, Any]) -> Limits:
    """The limits that were chosen, single ones last."""
    overrides = {name: chosen[key] * unit for key, (name, unit) in _OVERRIDES.items() if key in chosen}
    return PRESETS[chosen.get("limits", "strict")].replace(**overrides)
