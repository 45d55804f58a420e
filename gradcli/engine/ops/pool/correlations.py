"""Correlations of signals with kernels: one trilinear form of input, weight and output gradient, read three ways.

It is given on arrays: input (N, C, *S), weight (O, C / groups, *K), output (N, O, *P). In single precision terms are
added as PyTorch's kernels add them, one after the other: by the places of the kernel, at each by the channels, and
blocks of channels by themselves first. In other precisions PyTorch takes the channels one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ...dtypes import F32, Array
from ...flags import threads
from ...numeric.common import by_samples
from ...numeric.kernels.chains import LONGEST, MANY, in_one_chain, in_small_parts
from ...numeric.kernels.fused import multiply_add
from ...numeric.kernels.sums import VECTOR, WIDE, halved
from ..memory_order import is_channels_last
from .divisions import NARROW, OCTET, Division, of_sums
from .one_place import is_of_one_place, weight_of_one_place
from .windows import Sizes, cropped, fold, padded, windows

# Single precision: channels in blocks of so many, and a part of those of kernels with shorter vectors.
_BLOCK, _QUARTET = 16, 4

# Those kernels are followed up to so many terms of a sum, and products.
_CHAIN, _CHAINED = 320, 1 << 21

# Larger arrays are not worth a copy, nor sums of more products their division.
_LARGE, _MOST = 1 << 20, 1 << 24

# To gather the gradient of an input costs more than to scatter that of its windows: as many elements are worth it, and
# as many where windows skip places.
_GATHERED, _APART = 6 << 20, 4 << 20


def correlate(
    x: Array,
    w: Array,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    groups: int,
    out: Sizes | None = None,
    bias: Array | None = None,
) -> Array:
    """The output that an input, a weight and a bias give: all of it, or as much as ``out`` says."""
    n, o, kernel = x.shape[0], w.shape[0], w.shape[2:]
    size = out_size(x.shape[2:], kernel, stride, padding, dilation) if out is None else out
    if 0 in x.shape or 0 in w.shape:
        return added(np.zeros((n, o, *size), np.result_type(x, w)), bias)
    split = w.reshape(groups, o // groups, *w.shape[1:])
    single = x.dtype == F32 == w.dtype
    if single and o == 1:
        # BLAS has a kernel of its own for one row.
        both = None if bias is None else bias.repeat(2)
        return np.ascontiguousarray(correlate(x, w.repeat(2, 0), stride, padding, dilation, groups, out, both)[:, :1])

    in_blocks = single and not is_of_one_place(kernel, x.shape[2:], size, stride, padding)
    # Of images whose channels come last PyTorch adds it to what it would begin with.
    last = single and (not in_blocks or split.shape[1:3] == (1, 1) != (groups, 1)) and is_channels_last(x)
    begin = None if last else bias

    def of(x: Array) -> Array:
        seen = windows(padded(x, [(p, p) for p in padding]), kernel, size, stride, dilation)
        if single:
            return _in_order(split, 2, seen, len(kernel), begin, in_blocks=in_blocks)
        return np.matmul(split.reshape(*split.shape[:2], -1), _columns(seen, groups, len(kernel)))

    y = _by_samples(of, x.shape[1] * math.prod(kernel) * math.prod(size), x).reshape(n, o, *size)
    return added(y, bias) if last or not single else y


def added(y: Array, bias: Array | None) -> Array:
    """``y`` with a number for each channel added to it, of which a wider one does not widen it."""
    if bias is None:
        return y
    moved = y + bias.reshape(-1, *[1] * (y.ndim - 2))
    return moved if bias.dtype.kind == "c" else moved.astype(y.dtype, copy=False)


def correlate_input(
    g: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The adjoint of ``correlate`` in its input, whose spatial sizes are ``size``."""
    n, o, kernel, out = g.shape[0], w.shape[0], w.shape[2:], g.shape[2:]
    channels = w.shape[1] * groups
    if 0 in g.shape or 0 in w.shape:
        return np.zeros((n, channels, *size), np.result_type(g, w))
    single = g.dtype == F32 == w.dtype
    if single and channels == 1 < n * out[-1]:
        # BLAS has a kernel of its own for one row.
        doubled = correlate_input(g, np.repeat(w, 2, 1), size, stride, padding, dilation, groups)
        return np.ascontiguousarray(doubled[:, :1])
    split = w.reshape(groups, o // groups, *w.shape[1:])
    each = o * math.prod(kernel) * math.prod(size)
    if single and max(stride) == 1 and n * each <= _GATHERED and not _is_unrolled(split):
        in_blocks = not is_of_one_place(kernel, size, out, stride, padding)

        def gathered(g: Array) -> Array:
            seen = _from_behind(g, kernel, size, padding, dilation)
            return _in_order(split, 1, seen, len(kernel), in_blocks=in_blocks)

        return _by_samples(gathered, each, g).reshape(n, channels, *size)
    windows_of_rows = g.size // out[0] * kernel[0] * size[0]
    if single and WIDE and max(stride) > 1 and len(kernel) < 3 and groups == 1 and windows_of_rows <= _APART:
        if len(kernel) == 2:
            return _by_columns(g, w, size, stride, padding, dilation)
        of_plane = _by_columns(g[:, :, None], w[:, :, None], (1, *size), (1, *stride), (0, *padding), (1, *dilation))
        return of_plane[:, :, 0]
    grown = tuple([s + 2 * p for s, p in zip(size, padding, strict=True)])
    if single and groups == channels == o > 1:
        return cropped(_each_alone(g, w[:, 0], grown, stride, dilation), padding, size)
    matrices = split.reshape(*split.shape[:2], -1).swapaxes(1, 2)

    def scattered(g: Array) -> Array:
        columns = (matrices @ g).reshape(len(g), channels, *kernel, *out)
        return cropped(fold(columns, grown, kernel, out, stride, dilation), padding, size)

    return _by_samples(scattered, channels * math.prod(kernel) * math.prod(out), g.reshape(n, groups, o // groups, -1))


def _each_alone(g: Array, w: Array, grown: Sizes, stride: Sizes, dilation: Sizes) -> Array:
    """The same of kernels with a channel each: place by place of the kernel, each product added in one rounding."""
    r = np.zeros((*g.shape[:2], *grown), F32)
    for place in np.ndindex(*w.shape[1:]):
        to: Any = (Ellipsis, *[
            slice(p * d, p * d + (n - 1) * s + 1, s)
            for p, d, n, s in zip(place, dilation, g.shape[2:], stride, strict=True)
        ])  # fmt: skip
        by = w[(slice(None), *place)].reshape(-1, *[1] * len(grown))
        r[to] = multiply_add(r[to], g, by)
    return r


def _fills_none(groups: int, channels: int, results: int, width: int) -> bool:
    """Tell whether groups, of more than a channel each, fill no vectors of this width: these become columns."""
    return groups > 1 and (channels, results) != (1, 1) and bool(channels % width or results % width)


def _is_unrolled(split: Array) -> bool:
    """Tell whether windows become columns for an output, and for an input's gradient."""
    groups, results, channels = split.shape[:3]
    return _fills_none(groups, channels, results, _QUARTET)


def _by_columns(g: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The same of two axes where kernels skip places: the sums of some columns of the kernel, each in order."""
    n, o, count, width = g.shape
    channels, (rows, columns) = w.shape[1], w.shape[2:]
    apart = np.zeros((n, o, (count - 1) * stride[0] + 1, width), F32)
    apart[:, :, :: stride[0]] = g
    seen = _from_behind(apart, (rows, 1), (size[0], width), (padding[0], 0), (dilation[0], 1))
    # Beyond the last column there are zeros.
    seen = padded(seen.transpose(2, 3, 1, 0, 4, 5), [(0, 1)])
    r = np.zeros((n, channels, *size), F32)
    # Of three samples two threads take one and a half each.
    halved_rows = size[0] > 1 and threads() == 2 and n == 3 and channels <= _BLOCK and not size[1] % (2 * stride[1])
    places = [np.arange(first, size[1], stride[1]) for first in range(min(stride[1], size[1]))]
    for to in [part for all_ in places for part in np.split(all_, 2 if halved_rows else 1)]:
        begun = {k: to + padding[1] - k * dilation[1] for k in range(columns)}
        at = {k: reached // stride[1] for k, reached in begun.items() if not reached[0] % stride[1]}
        inside = {k: (reached >= 0) & (reached < width) for k, reached in at.items()}
        # Those that all places have make one sum, others one each; where columns are left over, all make one.
        full = [k for k in at if size[1] % stride[1] or inside[k].all()]
        for ks in [full if k in full[:1] else [k] for k in at if k not in full[1:]]:
            some = np.logical_or.reduce([inside[k] for k in ks])
            there = [np.where(inside[k], at[k], width)[some] for k in ks]
            right = np.concatenate([seen[..., reached] for reached in there], 1).reshape(rows * len(ks) * o, -1)
            left = np.ascontiguousarray(w[..., ks].transpose(2, 3, 0, 1)).reshape(-1, channels)
            part = in_small_parts(left.T, right).reshape(channels, n, size[0], -1).swapaxes(0, 1)
            r[..., to[some]] += part
    return r


def correlate_weight(
    g: Array, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The adjoint of ``correlate`` in its weight, whose spatial sizes are ``kernel``."""
    n, o = g.shape[:2]
    shape, out, rank = (o, x.shape[1] // groups, *kernel), g.shape[2:], len(kernel)
    if 0 in g.shape or 0 in x.shape:
        return np.zeros(shape, np.result_type(g, x))

    def columns(x: Array) -> Array:
        return _columns(windows(padded(x, [(p, p) for p in padding]), kernel, out, stride, dilation), groups, rank)

    def of(g: Array, x: Array) -> Array:
        return np.matmul(g, columns(x).swapaxes(2, 3))

    single = g.dtype == F32 == x.dtype
    of_one_place = groups == 1 and WIDE and is_of_one_place(kernel, x.shape[2:], out, stride, padding)
    if single and of_one_place and g.size * x.shape[1] <= _MOST:
        return weight_of_one_place(g, columns(x)[:, 0].reshape(*x.shape[:2], *out)).reshape(shape)
    if single and o == 1:
        # BLAS has a kernel of its own for one row.
        return correlate_weight(np.repeat(g, 2, 1), x, kernel, stride, padding, dilation, 1)[:1]
    if single and leaves_to_products(x.shape[1], o, groups, n, kernel, dilation):
        found = _in_lanes(g, columns(x), 2 if groups == 1 and threads() == 2 else 1)
        if found is not None:
            return found.reshape(shape)
    division, _ = of_sums(g.shape, x.shape, kernel, stride, padding, dilation, groups)
    g, places = g.reshape(n, groups, o // groups, -1), math.prod(out)
    terms, results = division[1], o * shape[1] * math.prod(kernel)
    if single and (terms <= LONGEST or terms * results <= (_MOST if WIDE else MANY)):
        # One sum over all places of the windows, and over the samples of each thread.
        sums = []
        for begun, end in pairwise(division):
            first, last = begun // places, -(-end // places)
            both = (g[first:last], columns(x[first:last]))
            some = slice(begun - first * places, end - first * places)
            left, right = (
                np.ascontiguousarray(a.transpose(1, 0, 3, 2)).reshape(groups, -1, a.shape[2])[:, some] for a in both
            )
            sums.append(in_small_parts(left.swapaxes(1, 2), right))
        return np.add.reduce(sums, 0).reshape(shape)
    return np.add.reduce(_by_samples(of, x.shape[1] * math.prod(kernel) * g.shape[3], g, x), 0).reshape(shape)


def leaves_to_products(channels: int, o: int, groups: int, n: int, kernel: Sizes, dilation: Sizes) -> bool:
    """Tell whether a weight's gradient is a product of matrices for each sample."""
    if groups == channels == o > 1:
        return max(kernel) > NARROW
    if groups > 1:
        return _fills_none(groups, channels // groups, o // groups, OCTET)
    return WIDE and n > 1 and max(dilation) > 1 and 3 < channels < _BLOCK and math.prod(kernel) > 1


def _in_lanes(g: Array, columns: Array, shares: int) -> Array | None:
    """The same of products whose terms go in vectors; None where that takes long."""
    n, groups, rows, places = columns.shape
    results = g.shape[1] // groups
    if n * groups * results * rows * places > MANY:
        return None
    left, right = g.reshape(n, groups, results, 1, places), columns[:, :, None]
    if results == 1:
        whole = places - places % OCTET
        lanes = _lanes(left[..., :whole], right[..., :whole], OCTET)
        # Neighbours first, then one half and the other.
        sums = halved(lanes[..., ::2] + lanes[..., 1::2])
        for i in range(whole, places):
            sums = multiply_add(sums, left[..., i], right[..., i])
    else:
        more = [(0, 0)] * 4 + [(0, -places % VECTOR)]
        sums = halved(_lanes(np.pad(left, more), np.pad(right, more), VECTOR))
    step = -(-n // shares)
    return np.add.accumulate([np.add.accumulate(sums[i : i + step], 0)[-1] for i in range(0, n, step)], 0)[-1]


def _lanes(a: Array, b: Array, width: int) -> Array:
    """The sums of products in each lane of vectors, each product added in one rounding."""
    a, b = (v.reshape(*v.shape[:-1], -1, width) for v in (a, b))
    lanes = np.zeros((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), width), F32)
    for i in range(a.shape[-2]):
        lanes = multiply_add(lanes, a[..., i, :], b[..., i, :])
    return lanes


# As many elements as the columns of several samples may have at once.
AT_ONCE = 1_000_000


def _by_samples(function: Callable[..., Array], each: int, *batches: Array) -> Array:
    """A function of samples, for whose columns it makes ``each`` elements: of a few at once where that is much."""
    return by_samples(function, max(AT_ONCE // max(each, 1), 1), *batches)


def per_channel(g: Array, division: Division | None) -> Array:
    """The sum of each channel, the gradient of a bias, of these parts of all places; with none, row by row."""
    if g.dtype != F32 or g.size > _LARGE or not g.size:
        return np.add.reduce(g, (0, *range(2, g.ndim)))
    if division is None:
        rows = np.add.accumulate(g, -1)[..., -1]
        return np.add.accumulate(np.moveaxis(rows, 1, 0).reshape(g.shape[1], -1), -1)[:, -1].copy()
    if g.shape[1] == 1:
        row = g.reshape(-1)
        return np.add.accumulate([np.add.accumulate(row[i:j])[-1:] for i, j in pairwise(division)])[-1]
    rows = np.ascontiguousarray(np.moveaxis(g, 1, -1)).reshape(-1, g.shape[1])
    return np.add.reduce([np.add.reduce(rows[i:j], 0) for i, j in pairwise(division)], 0)


def _columns(seen: Array, groups: int, rank: int) -> Array:
    """Windows as the columns of a matrix, by batch and group."""
    n, channels = seen.shape[:2]
    return seen.reshape(n, groups, channels // groups * math.prod(seen.shape[2 : 2 + rank]), -1)


def _in_order(
    w: Array, summed: int, seen: Array, rank: int, bias: Array | None = None, *, in_blocks: bool = True
) -> Array:
    """Products of a weight, split into groups, with windows, summed over an axis of the weight and over the kernel."""
    groups, channels, results = w.shape[0], w.shape[summed], w.shape[3 - summed]
    unrolled = summed == 2 and _is_unrolled(w)
    of_weight, of_windows = _channels_last(rank, summed)
    seen = seen.reshape(len(seen), groups, channels, *seen.shape[2:])
    if unrolled:
        return _in_columns(w, seen, bias)
    w, seen = w.transpose(of_weight), seen.transpose(of_windows)
    if not WIDE and groups == 1 and _chains(w, seen):
        return _in_one_chain(w, seen, rank, bias)
    block = _BLOCK if in_blocks else channels
    total = None
    for begun in range(0, channels, block):
        left, right = w, seen
        if block < channels:
            some = slice(begun, begun + block)
            left, right = w[..., some, :], seen[(..., some, *[slice(None)] * rank)]
        left = left.reshape(groups, -1, results)
        right = right.reshape(len(seen), groups, left.shape[1], -1)
        first = not in_blocks or channels == results == 1 < groups
        if first and bias is not None:
            # For kernels of one place, and for those with a channel each, the bias comes first.
            left = np.concatenate((bias.reshape(groups, 1, results), left), 1)
            right = np.concatenate((np.ones((len(seen), groups, 1, right.shape[3]), F32), right), 2)
        # One row or column of two that were multiplied stands among gaps.
        r = np.ascontiguousarray(in_one_chain(np.ascontiguousarray(left).swapaxes(1, 2), right))
        if begun:
            r += total
        elif bias is not None and not first:
            r += bias.reshape(groups, -1, 1)
        total = r
    return total


def _in_columns(w: Array, seen: Array, bias: Array | None) -> Array:
    """The same channel by channel, and the bias last."""
    groups, results = w.shape[:2]
    left = np.ascontiguousarray(w.reshape(groups, results, -1).swapaxes(1, 2)).swapaxes(1, 2)
    r = np.ascontiguousarray(in_one_chain(left, seen.reshape(len(seen), groups, left.shape[2], -1)))
    return r if bias is None else r + bias.reshape(groups, -1, 1)


def _chains(w: Array, seen: Array) -> bool:
    """Tell whether all terms make one sum: kernels of more than one place, of so many terms as BLAS adds in one."""
    terms = w.size // w.shape[-1]
    return bool(w.shape[-2] < terms < _CHAIN and seen.size * w.shape[-1] <= _CHAINED)


def _in_one_chain(w: Array, seen: Array, rank: int, bias: Array | None) -> Array:
    """The same by kernels with vectors of eight: the bias comes first, all terms of all channels follow it."""
    *kernel, channels, results = w.shape[1:]
    n, size = len(seen), seen.shape[-rank:]
    terms, places = channels * math.prod(kernel), n * math.prod(size)
    left = np.empty((terms + 1, results), F32)
    left[0] = 0 if bias is None else bias
    right = np.empty((terms + 1, places), F32)
    right[0] = 1
    seen = np.moveaxis(seen[:, 0], 0, rank + 1)
    begun = 1
    for first in range(0, channels, OCTET):
        some = w[0, ..., first : first + OCTET, :]
        end = begun + some.size // results
        left[begun:end] = some.reshape(-1, results)
        windows = seen[(*[slice(None)] * rank, slice(first, first + OCTET))]
        right[begun:end].reshape(windows.shape)[...] = windows
        begun = end
    r = in_one_chain(right.T, left)
    return np.ascontiguousarray(r.reshape(n, 1, -1, results).swapaxes(2, 3))


@cache
def _channels_last(rank: int, summed: int) -> tuple[Sizes, Sizes]:
    """The axes of a weight, and of its windows, with the channels after those of the kernel."""
    kernel = range(3, 3 + rank)
    return (0, *kernel, summed, 3 - summed), (0, 1, *kernel, 2, *range(3 + rank, 3 + 2 * rank))


def _from_behind(g: Array, kernel: Sizes, size: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """For each place of an input and of a kernel the gradient of the output that they gave."""
    rank = len(kernel)
    margins = []
    for have, n, k, p, d in zip(g.shape[2:], size, kernel, padding, dilation, strict=True):
        before = d * (k - 1) - p
        margins.append((before, n + d * (k - 1) - before - have))
    seen = windows(padded(g, margins), kernel, size, (1,) * rank, dilation)
    back: Any = slice(None, None, -1)
    return seen[(slice(None), slice(None), *[back] * rank)]


def out_size(size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    """The number of places where a window fits."""
    return tuple(
        [
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
        ]
    )
