"""The generators of random numbers that a Python program has: PyTorch's, Python's and NumPy's."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .generator import default


def set_aside() -> Any:
    """The state of all generators, for one to come back to."""
    return default.set_aside(), random.getstate(), np.random.get_state()


def take_up(state: Any) -> None:
    """Come back to a state that was set aside."""
    ours, pythons, numpys = state
    default.take_up(ours)
    random.setstate(pythons)
    np.random.set_state(numpys)


def seed_all(seed: int, words: Any) -> None:
    """Seed all generators, NumPy's with several words."""
    default.manual_seed(seed)
    random.seed(seed)
    np.random.seed(words)
