"""Kernels of one place, which PyTorch's library takes by themselves: what two threads divide among them.

The samples are cut into stretches of places, as long as they divide them without a rest. A thread has either some of
the stretches, or some blocks of channels: whichever reads and writes least.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from ...dtypes import Array
from ...flags import threads
from ...numeric.kernels.chains import in_small_parts
from ...numeric.kernels.sums import WIDE
from .windows import Sizes

# Channels of output and input are taken in blocks of so many.
BLOCK = 16

# A stretch of places: no shorter and no longer than this, or else part of a row, or else one place.
_SHORTEST, _LONGEST, _SHORTEST_OF_ROW, _MOST = 7, 16, 4, 256

# To write a sum costs as much as to read so many numbers.
_WRITTEN = 12

# A thread has as many numbers at hand as its first cache holds, a few rows of channels of which it adds up at once.
_AT_HAND, _ROWS, _ROWS_OF_LONG, _UNROLLED = 1 << 13, 8, 16, 19

# One sample's stretch: its number, and where in its places it begins and ends.
Stretch = tuple[int, int, int]


def is_of_one_place(kernel: Sizes, size: Sizes, out: Sizes, stride: Sizes, padding: Sizes) -> bool:
    """Tell whether a convolution is one of these: with nothing around the input, and no place left over by strides.

    With shorter vectors all kernels of one place are.
    """
    if prod(kernel) > 1 or not WIDE:
        return prod(kernel) == 1
    if any(padding):
        return False
    whole = size == tuple([o * s for o, s in zip(out, stride, strict=True)])
    return max(stride) == 1 or (whole and len(kernel) < 3)


def _best_divider(count: int, least: int, most: int, *, largest: bool) -> int:
    """The number in this range which leaves the smallest part of the last stretch empty."""
    most, least = max(min(most, count), 1), max(min(least, count), 1)

    def lost(divider: int) -> float:
        filled = -(-count // divider) * divider
        return (filled - count) / filled

    candidates = range(most, least - 1, -1) if largest else range(least, most + 1)
    return min(candidates, key=lost)


def _stretch(places: int, row: int) -> int:
    found = _best_divider(places, _SHORTEST, _LONGEST, largest=True)
    if places % found:
        found = _best_divider(row, _SHORTEST_OF_ROW, row, largest=False)
    return 1 if found > _MOST else found


def _division(n: int, stretch: int, per_sample: int, inputs: int, outputs: int) -> tuple[int, int]:
    """The number of threads that share the stretches, and of those that are busy; else they share channels."""

    def cost(of_samples: int, of_outputs: int, of_inputs: int) -> int:
        read = -(-n * per_sample // of_samples) * BLOCK * stretch
        ins, outs = -(-inputs // of_inputs), -(-outputs // of_outputs)
        return read * (ins + outs) + _WRITTEN * ins * outs * BLOCK * BLOCK

    options = [(1, 1, min(2, inputs))]
    if outputs > 1:
        options.append((1, 2, 1))
    if n * per_sample > 1:
        options.append((2, 1, 1))
    # Of two that cost the same it is the last.
    found = min(reversed(options), key=lambda option: cost(*option))
    return found[0], prod(found)


@lru_cache(256)
def _stretches(n: int, o: int, channels: int, out: Sizes, at_work: int) -> tuple[list[list[Stretch]], int]:
    """The stretches in each share of the samples, and the number of threads that are busy, of these at work."""
    places = prod(out)
    stretch = _stretch(places, out[-1])
    per_sample = -(-places // stretch)
    shares, busy = 1, 1
    if at_work == 2:
        shares, busy = _division(n, stretch, per_sample, -(-channels // BLOCK), -(-o // BLOCK))
    most = _AT_HAND // (_ROWS if stretch <= _UNROLLED else _ROWS_OF_LONG)
    at_once = _best_divider(places, min(most, max(out[-2:])), min(most, places), largest=True)
    at_once = max(at_once // stretch, 1)
    last = at_once * stretch * 3 // 2 // stretch
    found, begun = [], 0
    for share in range(shares):
        end = begun + n * per_sample // shares + (share < n * per_sample % shares)
        parts = []
        while begun < end:
            sample, first = divmod(begun, per_sample)
            left = min(per_sample - first, end - begun)
            count = left if left < last else at_once
            parts.append((sample, first * stretch, (first + count) * stretch))
            begun += count
        found.append(parts)
    return found, busy


def weight_of_one_place(g: Array, x: Array) -> Array:
    """The gradient of a weight, a row for each output channel: the sums of stretches, one after the other."""
    n, o, *out = g.shape
    shares, _ = _stretches(n, o, x.shape[1], tuple(out), threads())
    left, right = g.reshape(n, o, -1), x.reshape(*x.shape[:2], -1)
    sums = []
    for share in shares:
        parts = [in_small_parts(left[i, :, a:b], right[i, :, a:b].T) for i, a, b in share]
        sums.append(np.add.accumulate(parts)[-1])
    return np.add.accumulate(sums)[-1]


def busy_threads(n: int, o: int, channels: int, out: Sizes) -> int:
    """The number of threads that have something to do."""
    return _stretches(n, o, channels, out, threads())[1]
