"""Settings that change no number here, but for threads in last digits; and flags for hardware that there is not."""

from __future__ import annotations

import os
import warnings
from typing import Any

from ..errors import EngineError

# The settings that were made; what is not among them is as at the start.
settings: dict[str, Any] = {}


# So many threads PyTorch has where a program asks for none: OpenMP's variable says so, else the processors do.
_given = os.environ.get("OMP_NUM_THREADS", "")
_threads = int(_given) if _given.isdecimal() and 0 < int(_given) <= 1024 else os.cpu_count() or 1


def threads() -> int:
    """The number of threads among which PyTorch would part what it adds up."""
    return settings.get("threads") or _threads


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


def of_any_order(name: str) -> None:
    """Refuse a function whose results PyTorch does not promise to be the same, where a program asked for those alone.

    Raises:
        EngineError: A program did so, and did not ask for a warning instead.
    """
    if not settings.get(DETERMINISTIC):
        return
    said = (
        f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    )
    if settings.get("deterministic warns"):
        warnings.warn(
            f"{said}, warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us "
            "prioritize adding deterministic support for this operation.",
            UserWarning,
            stacklevel=3,
        )
        return
    raise EngineError(
        f"{said})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, "
        "if that's acceptable for your application. You can also file an issue at "
        "https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
        "operation."
    )


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
