"""Random numbers: PyTorch's CPU generator, draw for draw.

A Mersenne twister gives 32-bit words. A single-precision number is 24 bits of one word; a
double-precision number, and every number that PyTorch draws in double precision before it rounds (the
normal ones below sixteen, Bernoulli, exponential ...), is 53 bits of two words.

The draws return flat arrays, in the order in which memory is filled.
"""

from __future__ import annotations

import math
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...errors import EngineError, EngineTypeError, EngineValueError
from ..dtypes import F32, F64
from ..guard.addresses import address
from ..guard.world import learn
from ..memory.layout import laid_out, rounded
from ..memory.places import CPU, Device, reached
from ..modes import Block, mode
from ..numeric.halves import converted
from ..tensor import Array, Tensor, result
from . import normal
from .normal import exactly, fused

DEFAULT_SEED = 67280421310721

# The length of the twister's state, and how far ahead a word looks.
_N, _M = 624, 397
# After so many words, NumPy's twister is worth the time of its import; or of its setting up, when it is there.
_FEW, _FEWER = 20_000, 2_000

# Seed, words left in the block, seeded, next word; the state; three normal numbers and whether the
# second is kept; a single-precision one and whether it is kept.
_STATE = struct.Struct("<Qiiq")
_NORMALS = struct.Struct("<dddi4xfB3x")
STATE_SIZE = _STATE.size + 8 * _N + _NORMALS.size


class Twister:
    """MT19937: the state, and the words it gives."""

    __slots__ = ("_bits", "_block", "_drawn", "at", "bulk", "key")

    def __init__(self, key: Array, at: int) -> None:
        # The state, and how many words of its block are gone; 0 in a fresh one, which gives none before a twist.
        self.key = key
        self.at = at
        self._block = _tempered(key)
        self._drawn = 0
        self._bits: Any = None
        self.bulk: Any = None

    @classmethod
    def seeded(cls, seed: int) -> Twister:
        """The twister of a seed, of which it takes the lower 32 bits."""
        word = seed & 0xFFFFFFFF
        key = [word]
        for i in range(1, _N):
            word = (1812433253 * (word ^ word >> 30) + i) & 0xFFFFFFFF
            key.append(word)
        return cls(np.array(key, np.uint32), 0)

    def words(self, n: int) -> Array:
        """The next ``n`` words."""
        if self._bits is None:
            self._drawn += n
            if self._drawn > (_FEWER if "numpy.random" in sys.modules else _FEW):
                self._hand_over()
        if self._bits is not None:
            if n < 2000:
                return self._bits.random_raw(n).astype(np.uint32)
            return self.bulk.integers(0, 1 << 32, n, np.uint32)
        out = np.empty(n, np.uint32)
        done = 0
        while done < n:
            if self.at in (0, _N):
                self.key = _twisted(self.key)
                self._block = _tempered(self.key)
                self.at = 0
            step = min(n - done, _N - self.at)
            out[done : done + step] = self._block[self.at : self.at + step]
            self.at += step
            done += step
        return out

    def word(self) -> int:
        """The next word."""
        return int(self.words(1)[0] if self._bits is None else self._bits.random_raw())

    def _hand_over(self) -> None:
        """Let NumPy's twister go on from here."""
        from numpy.random import MT19937, Generator as NumpyGenerator

        self._bits = MT19937(0)
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": self.key, "pos": self.at or _N}}
        self.bulk = NumpyGenerator(self._bits)

    def where(self) -> tuple[Array, int]:
        """The state, and how many words of its block are gone."""
        if self._bits is not None:
            state = self._bits.state["state"]
            self.key, self.at = state["key"], state["pos"]
        return self.key, self.at


def _twisted(key: Array) -> Array:
    """The state of the next block."""
    new = np.empty(_N, np.uint32)
    mixed = (key[:-1] & 0x80000000) | (key[1:] & 0x7FFFFFFF)
    mixed = (mixed >> 1) ^ (mixed & 1) * np.uint32(0x9908B0DF)
    # A word needs the one _M further on, new ones when those are at hand.
    lag = _N - _M
    new[:lag] = key[_M:] ^ mixed[:lag]
    for i in range(lag, _N - 1, lag):
        to = min(i + lag, _N - 1)
        new[i:to] = new[i - lag : to - lag] ^ mixed[i:to]
    last = (int(key[-1]) & 0x80000000) | (int(new[0]) & 0x7FFFFFFF)
    new[-1] = int(new[_M - 1]) ^ (last >> 1) ^ (last & 1) * 0x9908B0DF
    return new


def _tempered(key: Array) -> Array:
    """The words of a state's block."""
    y = key ^ (key >> 11)
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    y ^= y >> 18
    return y


class Here(NamedTuple):
    """A place in the sequence of a generator."""

    seed: int | None
    # The state of the twister, and how many words of its block are gone; None of one that nothing was drawn from.
    key: Array | None
    at: int
    double: float | None
    single: float | None

    def is_at(self, other: Here) -> bool:
        """Tell whether nothing was drawn between two places."""
        same = self.key is other.key or (
            self.key is not None and other.key is not None and np.array_equal(self.key, other.key)
        )
        return same and self.seed == other.seed and self[2:] == other[2:]


class Generator:
    """A source of random numbers, with a state of its own."""

    __slots__ = ("__weakref__", "_seed", "_twister", "next_double", "next_float")

    def __init__(self, device: Any = "cpu") -> None:
        if reached(device).type == "meta":
            raise EngineError("META device type not an accelerator.")
        self._begin(DEFAULT_SEED)

    def _begin(self, seed: int) -> None:
        self._seed: int | None = seed
        # Made when first needed: seeding takes a while.
        self._twister: Twister | None = None
        # Normal numbers come in pairs: the second of a pair, when it is still to be given out.
        self.next_double: float | None = None
        self.next_float: float | None = None

    @property
    def device(self) -> Device:
        """Always the CPU."""
        return CPU

    def manual_seed(self, seed: int) -> Generator:
        """Begin anew from a seed."""
        if type(seed) is not int:
            raise EngineError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise EngineValueError("Overflow when unpacking long long")
        self._begin(seed % 2**64)
        return self

    def seed(self) -> int:
        """Begin anew from a seed that nobody chose, and tell it."""
        learn()
        self._begin(int.from_bytes(os.urandom(8)))
        return self.initial_seed()

    def initial_seed(self) -> int:
        """The seed that this generator began from."""
        if self._seed is None:
            self.seed()
        assert self._seed is not None
        return self._seed

    def _engine(self) -> Twister:
        if self._twister is None:
            self._twister = Twister.seeded(self.initial_seed())
        return self._twister

    def _drawing(self) -> Twister:
        for watch in mode.writes:
            watch.draws()
        return self._engine()

    def _part(self, draw: Callable[..., Array], n: int, *how: Any) -> Array | None:
        """The part of a sample in what ``draw`` gives all samples of the innermost vmap that gives each its own.

        It is drawn at once, which may itself be a part. None where there is no such vmap.
        """
        before = mode.writes
        for i in reversed(range(len(before))):
            if before[i].randomness == "different":
                mode.writes = before[:i]
                try:
                    part: Array = before[i].part_of_draws(draw, n, how)
                finally:
                    mode.writes = before
                return part
        return None

    def set_aside(self) -> tuple[Any, ...]:
        """All that is known of the sequence so far, to be taken up again after a new seed."""
        return self._seed, self._twister, self.next_double, self.next_float

    def take_up(self, aside: tuple[Any, ...]) -> None:
        """Go on where ``set_aside`` left off."""
        self._seed, self._twister, self.next_double, self.next_float = aside

    def here(self) -> Here:
        """Where in its sequence the generator is."""
        key, at = (None, 0) if self._twister is None else self._twister.where()
        return Here(self._seed, key, at, self.next_double, self.next_float)

    def go(self, to: Here) -> None:
        """Go to where ``here`` was."""
        self._seed, self.next_double, self.next_float = to.seed, to.double, to.single
        self._twister = None if to.key is None else Twister(to.key, to.at)

    def get_state(self) -> Tensor:
        """The state as a tensor of bytes, laid out as PyTorch does."""
        key, at = self._engine().where()
        left = 1 if at == 0 else _N + 1 - at
        head = _STATE.pack(self.initial_seed(), left, 1, at)
        double, single = self.next_double, self.next_float
        tail = _NORMALS.pack(0.0, double or 0.0, 0.0, double is not None, single or 0.0, single is not None)
        return result(np.frombuffer(bytearray(head + key.astype("<u8").tobytes() + tail), np.uint8))

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state that get_state gave."""
        if not isinstance(new_state, Tensor):
            raise EngineTypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        a = new_state._a
        if a.dtype != np.uint8:
            raise EngineTypeError("RNG state must be a torch.ByteTensor")
        if a.size != STATE_SIZE:
            raise EngineError(
                f"Expected a CPUGeneratorImplState of size {STATE_SIZE} but found the input RNG state size to be "
                f"{a.size}"
            )
        raw = a.tobytes()
        seed, left, seeded, at = _STATE.unpack_from(raw)
        _, double, _, has_double, single, has_single = _NORMALS.unpack_from(raw, _STATE.size + 8 * _N)
        if not (seeded and 0 < left <= _N and 0 <= at <= _N):
            raise EngineError("Invalid mt19937 state")
        self._begin(seed)
        key = np.frombuffer(raw, "<u8", _N, _STATE.size).astype(np.uint32)
        self._twister = Twister(key, at)
        self.next_double = double if has_double else None
        self.next_float = single if has_single else None
        return self

    def clone_state(self) -> Generator:
        """A generator that goes on from the same state."""
        return Generator().set_state(self.get_state())

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {address(self):#x}>"

    # -- draws: flat arrays, in the order in which memory is filled ---------------------------

    def random32(self, n: int) -> Array:
        """Words of 32 bits."""
        engine = self._drawing()
        part = self._part(self.random32, n) if mode.writes else None
        return engine.words(n) if part is None else part

    def random64(self, n: int) -> Array:
        """Words of 64 bits, of two words each, the higher first."""
        engine = self._drawing()
        part = self._part(self.random64, n) if mode.writes else None
        if part is not None:
            return part
        if engine.bulk is not None and n > 1000:
            return engine.bulk.integers(0, 1 << 64, n, np.uint64)
        pairs = engine.words(2 * n).reshape(n, 2)
        return np.ascontiguousarray(pairs[:, ::-1]).view("<u8").reshape(n)

    def unit(self, n: int, d: Any = F64) -> Array:
        """Uniform numbers from 0 up to 1."""
        if d == F64:
            bits = self.random64(n)
            bits &= np.uint64((1 << 53) - 1)
            # As signed numbers, which processors convert faster.
            x = bits.view(np.int64).astype(F64)
            x *= 2.0**-53
            return x
        words = self.random32(n)
        words &= np.uint32((1 << 24) - 1)
        x = words.view(np.int32).astype(F32)
        x *= F32.type(2.0**-24)
        return x

    def one(self) -> float:
        """A uniform number from 0 up to 1, as ``unit`` makes them in double precision."""
        word = self._drawing().word
        return ((word() << 32 | word()) & (1 << 53) - 1) * 2.0**-53

    def uniform(self, n: int, d: Any, low: float = 0.0, high: float = 1.0) -> Array:
        """Uniform numbers from ``low`` up to ``high``."""
        x = self.unit(n, d)
        if low == 0 and high == 1:
            return x if x.dtype == d else _below(converted(x, d), low, high)
        if d == F64:
            x = fused(x, high - low, low)
        else:
            span = F32.type(high) - F32.type(low)
            x = (x.astype(F64) * F64.type(span) + F64.type(F32.type(low))).astype(F32)
        return _below(converted(x, d), low, high)

    def normal(self, n: int, d: Any, mean: float = 0.0, std: float = 1.0, contiguous: bool = True) -> Array:
        """Normal numbers, for memory that is contiguous or not: PyTorch makes them differently."""
        part = self._part(self.normal, n, d, mean, std, contiguous) if mode.writes else None
        if part is not None:
            return part
        if n < 16 or not contiguous:
            return rounded(fused(self._normals(n), std, mean), d)
        make = normal.doubles if d == F64 else normal.singles
        whole = n - n % 16
        if whole < n:
            # The last sixteen are made again, of numbers of their own; in half precision none are drawn in vain.
            u = self.unit((n if d.itemsize > 2 else whole) + 16, d)
            z = np.empty(n, u.dtype)
            z[:whole] = make(u[:whole], mean, std)
            z[n - 16 :] = make(u[-16:], mean, std)
        else:
            z = make(self.unit(n, d), mean, std)
        return rounded(z, d)

    def _normals(self, n: int) -> Array:
        """Normal numbers made in pairs, the odd one kept for the next call."""
        kept = self.next_double
        if not n:
            return np.empty(0)
        missing = n - (kept is not None)
        pairs = (missing + 1) // 2
        z = normal.scalars(self.unit(2 * pairs))
        if kept is not None:
            z = np.concatenate(([kept], z))
        self.next_double = float(z[n]) if z.size > n else None
        return z[:n]

    def bernoulli(self, n: int, p: Any, d: Any) -> Array:
        """Ones with probability ``p``, a number or an array that decides how many bits are drawn; else zeros."""
        return converted(self.unit(n, p.dtype if isinstance(p, np.ndarray) else F64) < p, d)

    def exponential(self, n: int, rate: float) -> Array:
        """Exponential numbers, in double precision."""
        return -1.0 / rate * exactly(math.log1p, -self.unit(n))

    def integers(self, n: int, low: int, count: int) -> Array:
        """Whole numbers, ``count`` of them from ``low`` on."""
        if count >= 1 << 28:
            drawn = self.random64(n)
            if count < 1 << 64:
                drawn %= np.uint64(count)
            found = drawn.view(np.int64)
        else:
            drawn = self.random32(n)
            drawn %= np.uint32(count)
            found = drawn.astype(np.int64)
        if low:
            found += low
        return found

    def permutation(self, n: int) -> Array:
        """The numbers below ``n``, shuffled."""
        if n < 2:
            return np.arange(n)
        steps = np.arange(n)
        # Each place from the front swaps its number with that of a place not before it.
        swap = steps.copy()
        swap[:-1] += self.random32(n - 1) % (n - steps[:-1])
        # The last earlier swap with the same place, if any: it left there what it took from its own place.
        order = np.sort((swap << 32) | steps)
        place, step = order >> 32, order & 0xFFFFFFFF
        again = place[1:] == place[:-1]
        before = np.full(n, -1)
        before[step[1:]] = np.where(again, step[:-1], -1)
        # What stands at a place when its turn comes was left there by the last swap with it, which took it
        # from its own place, and so on back to a place that no swap had changed. A swap with itself says nothing.
        ended = np.append(~again, True)
        link = steps.copy()
        link[place[ended]] = step[ended]
        link = np.where(link == steps, np.where((swap == steps) & (before >= 0), before, steps), link)
        while True:
            further = link[link]
            if np.array_equal(further, link):
                break
            link = further
        return np.where(before >= 0, link[before], swap)

    # -- the same for an array that they are to fill -------------------------------------------

    def fill_uniform(self, a: Array) -> Array:
        """Uniform numbers in the shape and dtype of ``a``, in the order of its memory."""
        return laid_out(self.uniform(a.size, a.dtype), a)

    def fill_normal(self, a: Array) -> Array:
        """Normal numbers in the shape and dtype of ``a``, in the order of its memory."""
        return laid_out(self.normal(a.size, a.dtype, 0.0, 1.0, a.flags.c_contiguous), a)

    def fill_bernoulli(self, a: Array, p: float) -> Array:
        """Ones with probability ``p``, else zeros, in the shape and dtype of ``a``: the mask of a dropout."""
        return laid_out(self.bernoulli(a.size, p, a.dtype), a)


# As Python's own messages name a class that is written in C.
Generator.__name__ = "torch._C.Generator"


def _below(x: Array, low: float, high: float) -> Array:
    """``x`` with what was rounded up to the bound that it stays below put at the other one."""
    d = x.dtype.type
    reached = x == d(high)
    if reached.any():
        x[reached] = d(low)
    return x


default = Generator()
# No seed until one is asked for or set.
default._seed = None


class fork_rng(Block):
    """Leave the default generator as it was, whatever a ``with`` block draws."""

    def __init__(self, devices: Any = None, enabled: bool = True) -> None:
        del devices
        self._enabled = enabled

    def __enter__(self) -> None:
        self._before = default.get_state() if self._enabled else None

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            default.set_state(self._before)
