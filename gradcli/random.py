"""torch.random: where random numbers come from."""

from __future__ import annotations

from .engine.ops.make.random import (
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)
from .engine.random.generator import default as default_generator, fork_rng as fork_rng

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
