"""Random numbers of Python's own: the same as under Python after `random.seed`, from generators of the program's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from ...engine.tensor import Tensor
from ..guard.limits import BITS, integer_too_large
from ..guard.size_limits import caps, collected, fits, weigh, whole
from ..torch_names import seeded_generators
from ..values.classes.sealed_classes import known_as
from ..values.tables.table import declare
from ..values.visible_types import word
from .iteration import iterate

_NAMES = (
    "choice choices expovariate gauss getrandbits getstate normalvariate randbytes randint random randrange sample "
    "seed setstate shuffle triangular uniform"
)
# Those that are drawn again until a number fits, which it does for finite parameters.
_TRIED = "betavariate gammavariate lognormvariate paretovariate vonmisesvariate weibullvariate"


class Numbers:
    """A generator of random numbers: what a program calls `random.Random`."""

    __slots__ = ("source",)

    def __init__(self, seed: Any = None, /) -> None:
        from random import Random

        self.source = Random(_seed(seed))

    def seed(self, a: Any = None) -> None:
        """Begin again with a seed; without one, with that of the program."""
        self.source.seed(_seed(a))

    def getstate(self) -> tuple[Any, ...]:
        """Return the numbers that setstate() takes."""
        return self.source.getstate()

    def setstate(self, state: Any) -> None:
        """Go on from a state."""
        version, words, ahead = collected(iterate(state))
        numbers = collected(iterate(words))
        if type(version) is not int or not isinstance(ahead, (float, type(None))):
            raise TypeError("state is to be what getstate() gave")
        if not all(type(number) is int for number in numbers):
            raise ValueError("state vector is the wrong type")
        self.source.setstate((version, tuple(numbers), ahead))

    def random(self) -> float:
        """A number from [0, 1)."""
        return self.source.random()

    def uniform(self, a: Any, b: Any) -> Any:
        """A number from an interval."""
        return caps.add(a, caps.times(caps.add(b, caps.times(a, -1)), self.source.random()))

    def triangular(self, low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
        """A number of a triangular distribution."""
        return self.source.triangular(float(low), float(high), None if mode is None else float(mode))

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """A number of a normal distribution."""
        return caps.add(mu, caps.times(self.source.gauss(0.0, 1.0), sigma))

    def normalvariate(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """A number of a normal distribution, drawn in another way."""
        return caps.add(mu, caps.times(self.source.normalvariate(0.0, 1.0), sigma))

    def expovariate(self, lambd: Any) -> Any:
        """A number of an exponential distribution."""
        return self.source.expovariate(float(lambd))

    def getrandbits(self, k: Any, /) -> int:
        """An integer of so many random bits."""
        if whole(k) >= BITS:
            raise integer_too_large()
        return self.source.getrandbits(k)

    def randbytes(self, n: Any) -> bytes:
        """So many random bytes."""
        fits(whole(n), "bytes")
        return self.source.randbytes(n)

    def randint(self, a: Any, b: Any) -> int:
        """An integer between two, both of which may come."""
        return self.source.randint(a, b)

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        """An integer of a range."""
        return self.source.randrange(start) if stop is None else self.source.randrange(start, stop, step)

    def choice(self, seq: Any) -> Any:
        """One of some values."""
        return self.source.choice(seq)

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> list[Any]:
        """Some of some values, each of which may come again."""
        fits(whole(k), "list")
        caps.tick(whole(k))
        weights, cum_weights = (w if w is None else _numbers(w) for w in (weights, cum_weights))
        return self.source.choices(population, weights, cum_weights=cum_weights, k=k)

    def sample(self, population: Any, k: Any, *, counts: Any = None) -> list[Any]:
        """Some of some values, each at most once."""
        fits(whole(k), "list")
        caps.tick(whole(k))
        if isinstance(population, deque):
            population = collected(population)
        return self.source.sample(population, k, counts=None if counts is None else _numbers(counts))

    def shuffle(self, x: Any) -> None:
        """Put a list into another order."""
        fits(len(x), "list")
        caps.tick(len(x))
        self.source.shuffle(x)


def _tried(name: str) -> Callable[..., float]:
    def draw(self: Numbers, first: Any, second: Any = 1.0, /) -> float:
        parameters = float(first), float(second)
        if not all(map(isfinite, parameters)):
            raise ValueError(f"{name}() takes finite numbers")
        drawn: float = getattr(self.source, name)(*parameters[: 1 if name == "paretovariate" else 2])
        return drawn

    draw.__name__ = draw.__qualname__ = name
    return draw


known_as(Numbers, "Random", "random")
METHODS = {name: getattr(Numbers, name) for name in _NAMES.split()} | {name: _tried(name) for name in _TRIED.split()}
declare(Numbers, base=object, methods=METHODS)


def _numbers(values: Any) -> list[Any]:
    """Numbers that are added up: anything else would grow."""
    found = collected(iterate(values))
    for value in found:
        if not isinstance(value, (int, float, Tensor, np.generic)) or np.ndim(getattr(value, "_a", value)):
            raise TypeError(f"weights and counts are numbers, not '{word(value)}'")
    return found


def _seed(a: Any) -> Any:
    """Turn a program's seed into a generator's first state; nothing is taken from the outside world."""
    weigh(a)
    return seeded_generators.first_seed() if a is None else a


def _of_module(name: str) -> Callable[..., Any]:
    """A function of the module."""
    method = METHODS[name]

    def function(*args: Any, **kwargs: Any) -> Any:
        return method(seeded_generators.held("random", Numbers), *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return function


def names() -> dict[str, Any]:
    """The names of the module `random`."""
    return {"Random": Numbers, **{name: _of_module(name) for name in METHODS}}
