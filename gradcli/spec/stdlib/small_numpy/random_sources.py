"""Where generators of NumPy's begin: seeds of one number or of many, sequences of them, and what makes bits of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import collected, fits, whole
from ...torch_names import seeded_generators
from ...values.classes.sealed_classes import Given, known_as
from ...values.element_types import element_type
from ...values.tables.table import declare
from ...values.visible_types import word
from ..iteration import iterate
from .arguments import Function, array_of, room

# What makes bits, by its name.
_KINDS: dict[str, Any] = {
    "MT19937": np.random.MT19937, "PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox, "SFC64": np.random.SFC64,
}  # fmt: skip


class Seeds(Given):
    """A sequence of seeds, from which others are spawned."""

    __slots__ = ("seeds",)

    def __init__(self, seeds: np.random.SeedSequence) -> None:
        self.seeds = seeds


class Bits(Given):
    """A maker of bits for a generator, begun with a seed."""

    __slots__ = ("bits",)

    def __init__(self, bits: Any) -> None:
        self.bits = bits


known_as(Seeds, "SeedSequence", "numpy.random.bit_generator")
known_as(Bits, "BitGenerator", "numpy.random.bit_generator")


def seed_of(seed: Any) -> Any:
    """A seed that NumPy takes: a number, several, or a sequence that a program holds."""
    if isinstance(seed, Seeds):
        return seed.seeds
    if isinstance(seed, Bits):
        return seed.bits
    if isinstance(seed, (list, tuple, np.ndarray)):
        words = [whole(n) for n in collected(iterate(seed))]
        if any(n < 0 for n in words):
            raise ValueError("expected non-negative integer")
        fits(len(words), "list")
        return words
    return whole(seed)


def several(n: Any) -> int:
    """The number of what is to be spawned, once there is room for it."""
    count = whole(n)
    fits(max(count, 0), "list")
    room(max(count, 0), 1000)
    return count


def _sequence(entropy: Any = None, *, spawn_key: Any = (), pool_size: int = 4) -> Seeds:
    given = seeded_generators.first_seed() if entropy is None else seed_of(entropy)
    if isinstance(given, (np.random.SeedSequence, np.random.BitGenerator)):
        raise TypeError(f"SeedSequence expects int or sequence of ints for entropy not {word(entropy)}")
    key = tuple([whole(n) for n in collected(iterate(spawn_key))])
    return Seeds(np.random.SeedSequence(given, spawn_key=key, pool_size=min(whole(pool_size), 64)))


def _spawned(self: Seeds, n_children: Any) -> list[Seeds]:
    return [Seeds(child) for child in self.seeds.spawn(several(n_children))]


def _words(self: Seeds, n_words: Any, dtype: Any = "uint32") -> Any:
    kind: Any = element_type(dtype)
    return self.seeds.generate_state(several(n_words), kind)


def _bits(kind: str) -> Function:
    def made(seed: Any = None) -> Bits:
        given = seeded_generators.first_seed() if seed is None else seed_of(seed)
        if isinstance(given, np.random.BitGenerator):
            raise TypeError(f"{kind}() takes a seed, not {word(seed)}")
        return Bits(_KINDS[kind](given))

    made.__name__ = made.__qualname__ = kind
    return made


def plain_state(state: Any) -> Any:
    """The state of what makes bits, as numbers and arrays of a program's own."""
    if isinstance(state, dict):
        return {key: plain_state(value) for key, value in state.items()}
    return array_of(state).copy() if isinstance(state, np.ndarray) else state


declare(
    Seeds, base=object, methods={"spawn": _spawned, "generate_state": _words},
    fields={
        "entropy": lambda s: s.seeds.entropy, "spawn_key": lambda s: s.seeds.spawn_key,
        "n_children_spawned": lambda s: s.seeds.n_children_spawned, "pool_size": lambda s: s.seeds.pool_size,
    },
)  # fmt: skip
declare(Bits, base=object, fields={"state": lambda b: plain_state(b.bits.state)})


def makers() -> dict[str, Function]:
    """The functions that make what generators begin with."""
    return {"SeedSequence": _sequence, **{kind: _bits(kind) for kind in _KINDS}}
