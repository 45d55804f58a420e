"""Sample inputs for every op of the registry, one file per family of ops.

Each family file has ``SAMPLES: dict[str, list[Sample]]``, keyed by the op's name in the registry.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Arguments for one call: float64 arrays are the tensors to differentiate by.

    Other arrays (integers, booleans) and anything else are passed on as they are. ``why_not_complex``
    and ``why_not_second`` say why the complex step or the second order cannot judge this op;
    ``why_not_slopes`` says why its gradient, as PyTorch has it, is not the slope of its value.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    why_not_complex: str = ""
    why_not_second: str = ""
    why_not_slopes: str = ""


def wave(*sizes: int) -> np.ndarray:
    """Numbers of no pattern, no two alike."""
    n = int(np.prod(sizes))
    return np.sin(np.arange(1.0, n + 1) * 2.3).reshape(sizes)


def all_samples() -> dict[str, list[Sample]]:
    """The samples of every family."""
    found: dict[str, list[Sample]] = {}
    for module in pkgutil.iter_modules(__path__):
        samples = importlib.import_module(f"{__name__}.{module.name}").SAMPLES
        clash = found.keys() & samples.keys()
        assert not clash, f"{module.name} repeats samples of {clash}"
        found.update(samples)
    return found
