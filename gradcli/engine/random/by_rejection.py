"""Numbers drawn one at a time until one fits, as PyTorch draws them: gamma, Poisson and binomial ones.

Each is made in double precision of uniform numbers, and gamma ones of normal ones, too; where PyTorch computes in the
dtype of the parameters, so does this. The methods are those of Marsaglia and Tsang (2000) for gamma numbers, of
Hörmann (1993) for large Poisson and binomial ones; the small ones count how many uniform numbers fit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .generator import Generator

F32 = np.float32
# Constants that PyTorch keeps in single precision.
_THIRD, _SQUEEZE = float(F32(1) / F32(3)), float(F32(0.0331))
# What Stirling's formula misses of the logarithms of the factorials of 0 to 9.
_TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip
_SMALLEST, _WORDS = -(2.0**63), 2.0**63


class OneByOne:
    """Uniform and normal numbers of a generator, one at a time."""

    def __init__(self, source: Generator) -> None:
        self._source = source
        self.uniform = source.one

    def normal(self) -> float:
        """One of mean 0 and standard deviation 1."""
        source = self._source
        kept, source.next_double = source.next_double, None
        if kept is not None:
            return kept
        angle = 2 * math.pi * self.uniform()
        radius = math.sqrt(-2.0 * math.log1p(-self.uniform()))
        source.next_double = radius * math.sin(angle)
        return radius * math.cos(angle)


def gamma(alpha: Any, draw: OneByOne) -> float:
    """A gamma number of rate 1, for a NumPy number ``alpha`` in whose precision a part is computed."""
    one = type(alpha)(1)
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        # Small ones are made of one that is larger by 1, of which more fit.
        scale = math.pow(1 - draw.uniform(), float(one / alpha))
        alpha = alpha + one
    d = float(alpha - type(alpha)(_THIRD))
    c = 1.0 / math.sqrt(9.0 * d) if d > 0 else math.nan
    while True:
        x = draw.normal()
        y = 1.0 + c * x
        while y <= 0:
            x = draw.normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1 - draw.uniform()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx:
            return scale * d * v
        if math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def poisson(rate: float, draw: OneByOne) -> float:
    """The number of events in a time in which there are ``rate`` on average."""
    if rate == 0:
        return 0.0
    return _few(math.exp(-rate), draw) if rate < 10 else _many(rate, draw)


def _few(end: float, draw: OneByOne) -> float:
    count, product = 0.0, draw.uniform()
    while product > end:
        count += 1
        product *= draw.uniform()
    return count


def _many(rate: float, draw: OneByOne) -> float:
    root, logarithm = math.sqrt(rate), math.log(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse = 1.1239 + 1.1328 / (b - 3.4)
    tight = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, us, v = _below_hat(draw)
        k = float(np.floor((2 * a / us + b) * u + rate + 0.43))
        if us >= 0.07 and v <= tight:
            return _as_word(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        reached = _log(v) + math.log(inverse) - math.log(a / (us * us) + b)
        if reached <= -rate + k * logarithm - _lgamma(k + 1):
            return _as_word(k)


def _below_hat(draw: OneByOne) -> tuple[float, float, float]:
    """A point to be kept or not: how far it lies from the middle and from the end, and how high."""
    while True:
        u, v = draw.uniform() - 0.5, draw.uniform()
        us = 0.5 - abs(u)
        # A uniform number of 0 leads nowhere: PyTorch divides by it, and tries again.
        if us != 0:
            return u, us, v


def _lgamma(x: float) -> float:
    """The logarithm of the gamma function; of a large number as the C library rounds it."""
    if x < 1e6:
        return math.lgamma(x)
    return (x - 0.5) * (math.log(x) - 1) + (0.5 * math.log(2 * math.pi) - 0.5 + 1 / (12 * x))


def _as_word(k: float) -> float:
    """A number as it comes back from a word of 64 bits: what has no place in one is the smallest."""
    return k if k < _WORDS else _SMALLEST


def binomial(count: Any, chance: Any, draw: OneByOne) -> float:
    """The number of ``count`` trials that succeed, each with a chance: NumPy numbers, in whose dtype is computed."""
    if count <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return float(count)
    if chance <= 0.5:
        return float(_successes(count, chance, draw))
    if chance > 0.5:
        failures = _successes(count, type(chance)(1) - chance, draw)
        return float(count - failures)
    return math.nan


def _successes(count: Any, chance: Any, draw: OneByOne) -> Any:
    made = type(count)
    return made((_large if count * chance >= 10 else _small)(count, chance, draw))


def _small(count: Any, chance: Any, draw: OneByOne) -> float:
    """Count the waiting times whose sum stays within the trials."""
    fails = float(np.log1p(-chance))
    waited, found = 0.0, 0.0
    while True:
        waited += float(np.ceil(_log(draw.uniform()) / fails))
        if waited > count:
            return found
        found += 1


def _large(count: Any, chance: Any, draw: OneByOne) -> float:
    one = type(count)(1)
    trials, p = float(count), float(chance)
    mean = float(count * chance)
    stddev = float(np.sqrt(count * chance * (one - chance)))
    b = 1.15 + 2.53 * stddev
    a = -0.0873 + 0.0248 * b + 0.01 * p
    tight = 0.92 - 4.2 / b
    odds = float(chance / (one - chance))
    alpha = (2.83 + 5.1 / b) * stddev
    m = float(np.floor((count + one) * chance))
    above = float(count + one)
    while True:
        u, us, v = _below_hat(draw)
        k = float(type(count)(math.floor((2 * a / us + b) * u + mean + 0.5)))
        if k < 0 or k > trials:
            continue
        if us >= 0.07 and v <= tight:
            return k
        rest = float(count - type(count)(k) + one)
        following = float(type(count)(k) + one)
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (trials - m + 1)))
            + above * math.log((trials - m + 1) / rest)
            + (k + 0.5) * math.log(odds * rest / following)
            + _tail(m) + _tail(trials - m) - _tail(k) - _tail(float(count - type(count)(k)))
        )  # fmt: skip
        if _log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _tail(k: float) -> float:
    """The part of the logarithm of a factorial that Stirling's formula misses."""
    if k <= 9:
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
