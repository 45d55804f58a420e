"""The generators of random numbers that a Python program has: PyTorch's, Python's and NumPy's."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .generator import default


def state() -> Any:
    """Where all of them are."""
    return default.set_aside(), random.getstate(), np.random.get_state()


def take(aside: Any) -> None:
    """Go on from there."""
    ours, pythons, numpys = aside
    default.take_up(ours)
    random.setstate(pythons)
    np.random.set_state(numpys)


def seed(number: int, words: Any) -> None:
    """Seed all of them, NumPy's with several words."""
    default.manual_seed(number)
    random.seed(number)
    np.random.seed(words)
