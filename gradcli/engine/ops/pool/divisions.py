"""The division between two threads of the sums that make the gradients of a convolution's weight and bias.

They take blocks of channels, or parts of the samples, whichever reads and writes least; sums of parts are added last.
A division is the list of where parts begin and end, counted in places of all samples.
"""

from __future__ import annotations

from math import prod

from ...flags import threads
from ...numeric.kernels.sums import WIDE
from .one_place import BLOCK, busy_threads, is_of_one_place
from .windows import Sizes

# With shorter vectors channels go in blocks of so many, and those of inputs of no more channels than these alone.
OCTET, _FIRST = 8, 3

# Kernels with a channel each, and no more places along an axis, have a kernel of their own.
NARROW = 3

# From more rows than these on, rows are what is divided, so many of them for each thread at the least.
_ROWS = 9

# To write a weight costs as much as to read so many numbers.
_WRITTEN = 8

Division = list[int]


def of_sums(
    g: Sizes, input: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> tuple[Division, Division]:
    """The divisions of the sums for a weight and for a bias, from the sizes of an output's gradient and of an input."""
    (n, o, *out), channels = g, input[1]
    if threads() != 2:
        return _parts(n, out, 1), _parts(n, out, 1)
    if groups > 1:
        shares = 2 if groups == channels == o <= BLOCK and max(kernel) <= NARROW else 1
        return _parts(n, out, shares), _parts(n, out, shares)
    if WIDE and is_of_one_place(kernel, input[2:], tuple(out), stride, padding):
        busy = busy_threads(n, o, channels, tuple(out))
        return _parts(n, out, 1), _parts(n, out, _shares_of_jobs(n, -(-o // BLOCK), busy))
    if WIDE and not _FIRST < channels < BLOCK:
        return _directly(n, o, tuple(out), input, kernel, stride, dilation)
    outputs, inputs = -(-o // OCTET), -(-channels // OCTET)
    of_weight = 1 if prod(kernel) == 1 else _shares_of_jobs(n, outputs * inputs, 2)
    return _parts(n, out, of_weight), _parts(n, out, _shares_of_jobs(n, outputs, 2))


def _parts(n: int, out: list[int] | Sizes, shares: int, rows: int = 1) -> Division:
    """So many parts, as even as can be, of samples that have so many rows; none is empty."""
    shares = min(shares, n * rows)
    whole, more = divmod(n * rows, shares)
    ends = [i * whole + min(i, more) for i in range(shares + 1)]
    return [end * (prod(out) // rows) for end in ends]


def _shares_of_jobs(n: int, jobs: int, busy: int) -> int:
    """The number of threads that samples are divided among, where jobs are, but for what odd ones leave idle."""
    if busy == 1 or n == 1:
        return 1
    # Two that share samples have their sums to add, too.
    return 2 if jobs == 1 or jobs * (-(-n // 2) + 1) < -(-jobs // 2) * n else 1


def _directly(
    n: int, o: int, out: Sizes, input: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> tuple[Division, Division]:
    channels = input[1]
    block = channels if channels <= _FIRST else BLOCK
    outputs, inputs = -(-o // BLOCK), -(-channels // block)
    by_rows = len(out) == 2 and dilation[0] == 1 and out[0] > _ROWS
    # Of each sample so many rows of the input and of the output are counted apart.
    seen, shown = (input[2], out[0]) if by_rows else (1, 1)
    read, given = prod(input[2:]) // seen, prod(out) // shown
    units = out[0] if by_rows or len(out) == 3 else 1

    def cost(shares: int, of_outputs: int, of_inputs: int) -> int:
        ins, outs = -(-inputs // of_inputs), -(-outputs // of_outputs)
        to_read = -(-n * seen // shares) * ins * block * read
        for s in stride:
            to_read //= s
        to_see = -(-n * shown // shares) * outs * BLOCK * given
        return to_read + to_see + _WRITTEN * ins * outs * block * BLOCK * prod(kernel)

    def work(shares: int, of_outputs: int, of_inputs: int) -> int:
        return -(-n * shown // shares) * -(-outputs // of_outputs) * -(-inputs // of_inputs)

    options = [(1, 1, min(2, inputs))]
    if outputs > 1:
        options.append((1, 2, 1))
    if n * (units // _ROWS if by_rows else units) > 1:
        options.append((2, 1, 1))
    # Of two that cost the same it is the last; less work is worth a little more to read.
    best = min(reversed(options), key=lambda option: cost(*option))
    least, found = work(*best), best
    for option in options:
        if (work(*option) <= least and cost(*option) < 1.1 * cost(*best)) or 4 * work(*option) <= 3 * least:
            least, found = work(*option), option
    of_weight = _parts(n, out, found[0], units)
    if by_rows or len(out) == 3:
        return of_weight, of_weight
    return of_weight, _parts(n, out, _shares_of_jobs(n, outputs, prod(found)))
