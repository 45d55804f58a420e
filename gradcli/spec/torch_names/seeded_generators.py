"""Random number generators that belong to one run of a program, and begin with its seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.random import generator

# The module whose generator makes arrays.
OF_ARRAYS = "numpy.random"

# The generators behind the functions of modules, each once it is used; and what they begin with.
_held: dict[str, Any] = {}
_begun = 0


def held(module: str, make: Callable[[int], Any]) -> Any:
    """The generator of a module, made with the program's seed when it is first used."""
    if module not in _held:
        _held[module] = make(_begun)
    return _held[module]


def hold(module: str, generator: Any) -> None:
    """Let a module have another generator."""
    _held[module] = generator


def first_seed() -> int:
    """The seed of the program."""
    return _begun


def begin(seed: int) -> None:
    """Seed what PyTorch, Python and NumPy draw their numbers from."""
    global _held, _begun
    _held, _begun = {}, seed
    generator.default.manual_seed(seed)


def set_aside() -> Any:
    """The state of all generators, for one to come back to."""
    return generator.default.set_aside(), _held, _begun


def take_up(state: Any) -> None:
    """Come back to a state that was set aside."""
    global _held, _begun
    theirs, _held, _begun = state
    generator.default.take_up(theirs)


def seed_all(seed: int, words: Any) -> None:
    """Seed all generators, that of arrays with several words."""
    from numpy.random import RandomState

    begin(seed)
    hold(OF_ARRAYS, RandomState(words))
