"""Learning-rate schedules that a program derives from PyTorch's: those derive from classes in the spec language."""

from __future__ import annotations

import sys
from typing import Any

from ..guard.size_limits import caps


def written_schedule(base: Any) -> type | None:
    """The class in the spec language for a schedule of PyTorch's: nothing of ours calls the methods of what derives."""
    room = sys.modules.get(f"{__name__.partition('.')[0]}.optim.schedule")
    # Where nobody has read the schedules, nothing is one.
    if room is None or type(base) is not type or not issubclass(base, room.LRScheduler):
        return None
    found: type | None = caps.library("_schedules").get(base.__name__)
    return found
