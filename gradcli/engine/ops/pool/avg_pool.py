"""Mean pools: the mean of each window."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail, only_bools, only_ints, only_sizes
from ...costs import CUBED, SQUARED, costs
from ...declaration import given_for_out
from ...dtypes import zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import axis as check_axis, re
from ..memory_order import is_channels_last, laid_as
from .window_shapes import (
    ONES,
    adaptive_bounds,
    adaptive_size,
    check_adaptive,
    check_signal,
    check_windows,
    each,
    margins,
    nothing,
    one,
    pooled_size,
    refuse_no_gradient,
    strides,
)
from .windows import Sizes, cropped, padded, positions

# Up to so many blocks are taken one after the other, each as so many columns at the most.
_FEW_BLOCKS, _FEW_COLUMNS = 256, 16
# Windows of up to so many places are summed place after place.
_FEW_PLACES = 16


def _divisor(
    size: Sizes,
    kernel: Sizes,
    out: Sizes,
    stride: Sizes,
    padding: Sizes,
    count_include_pad: bool,
    divisor_override: int | None,
    dtype: Any,
) -> Array:
    """The divisor of each window's sum: the number of elements that it meets, border included or not."""
    if divisor_override is not None:
        return np.array(divisor_override, dtype)
    counts = []
    for n, k, o, s, p in zip(size, kernel, out, stride, padding, strict=True):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        counts.append(end - start if count_include_pad else np.minimum(end, n) - np.maximum(start, 0))
    found = counts[0]
    for count in counts[1:]:
        found = found[..., None] * count
    return found.astype(dtype)


def _summed(x: Array, kernel: Sizes, out: Sizes, stride: Sizes) -> Array:
    """The sum of each window: place after place, as PyTorch adds, or, of large windows, one axis at a time."""
    if math.prod(kernel) <= _FEW_PLACES:
        total: Array = None
        for _, slices in positions(kernel, out, stride, (1,) * len(kernel)):
            total = x[(..., *slices)].copy() if total is None else np.add(total, x[(..., *slices)], total)
        return total
    for axis in reversed(range(len(kernel))):
        k, o, s = kernel[axis], out[axis], stride[axis]
        rest = (slice(None),) * (len(kernel) - 1 - axis)
        total = x[(..., slice(0, (o - 1) * s + 1, s), *rest)]
        for i in range(1, k):
            part = x[(..., slice(i, i + (o - 1) * s + 1, s), *rest)]
            total = total + part if i == 1 else np.add(total, part, total)
        x = total
    return np.ascontiguousarray(x)


def _spread_out(g: Array, size: Sizes, kernel: Sizes, stride: Sizes) -> Array:
    """Each window's share added to all elements it meets, window after window: the adjoint of ``_summed``."""
    rank = len(kernel)
    if 1 < math.prod(kernel) <= _FEW_PLACES and rank > 1:
        total: Array = zeros_of((*g.shape[:-rank], *size), g.dtype)
        for _, slices in reversed(positions(kernel, g.shape[-rank:], stride, (1,) * rank)):
            total[(..., *slices)] += g
        return total
    for axis in range(rank):
        at = g.ndim - rank + axis
        k, o, s = kernel[axis], g.shape[at], stride[axis]
        rest = (slice(None),) * (rank - 1 - axis)
        total = zeros_of((*g.shape[:at], size[axis], *g.shape[at + 1 :]), g.dtype)
        for i in range(k):
            total[(..., slice(i, i + (o - 1) * s + 1, s), *rest)] += g
        g = total
    return g


@primitive(
    no_whole="avg_pool2d but int64",
    node="AvgPool2DBackward0",
    self=lambda g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        avg_pool2d_backward(g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    ),
    form="folded",
)
def avg_pool2d(
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """The mean of each window."""
    stride = stride or kernel_size
    if divisor_override == 0:
        fail("divisor must be not zero")
    check_windows(self, kernel_size, stride, padding, ONES, ceil_mode)
    y = means(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return laid_as(self, y)


def means(
    x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None,
) -> Array:  # fmt: skip
    """The mean of each window of a plane or volume."""
    rank = len(kernel)
    size = x.shape[-rank:]
    out = pooled_size(size, kernel, stride, padding, (1,) * rank, ceil_mode)
    grown = padded(x, margins(size, kernel, out, stride, padding, (1,) * rank))
    sums = _summed(grown, kernel, out, stride)
    d = _divisor(size, kernel, out, stride, padding, count_include_pad, divisor_override, re(x).dtype)
    return sums / d if x.dtype.kind in "fc" else np.trunc(sums / d).astype(x.dtype)


@primitive(
    backward=True,
    node="AvgPool2DBackwardBackward0",
    grad_output=lambda g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_pool2d(
        g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def avg_pool2d_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """Gradient of mean pooling."""
    how = (kernel_size, stride or kernel_size, padding, count_include_pad, divisor_override)
    return laid_as(self, means_backward(grad_output, self, *how))


def means_backward(
    g: Array, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, count_include_pad: bool,
    divisor_override: int | None,
) -> Array:  # fmt: skip
    """Each mean's share, added to all elements that it was made of."""
    rank = len(kernel)
    size, out = x.shape[-rank:], g.shape[-rank:]
    d = _divisor(size, kernel, out, stride, padding, count_include_pad, divisor_override, re(x).dtype)
    border = margins(size, kernel, out, stride, padding, (1,) * rank)
    grown = tuple([a + n + b for n, (a, b) in zip(size, border, strict=True)])
    return cropped(_spread_out(g / d, grown, kernel, stride), padding, size)


@primitive(
    node="AdaptiveAvgPool2DBackward0", self=lambda g, self: adaptive_avg_pool2d_backward(g, self), form="folded",
    no_whole="adaptive_avg_pool2d but empty",
)
def adaptive_avg_pool2d(self: Array, output_size: Sizes) -> Array:
    """The mean of each of a number of stretches."""
    check_adaptive("adaptive_avg_pool2d", self, ",")
    return laid_as(self, stretch_means(self, output_size))


@primitive(
    backward=True,
    node="AdaptiveAvgPool2DBackwardBackward0",
    grad_output=lambda g, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1: adaptive_avg_pool2d(
        g, (grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1)
    ),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def adaptive_avg_pool2d_backward(grad_output: Array, self: Array) -> Array:
    """Gradient of adaptive mean pooling."""
    refuse_no_gradient("adaptive_avg_pool2d_backward", grad_output)
    return laid_as(self, stretch_means_backward(grad_output, self, 2))


def stretch_means(x: Array, output_size: Sizes) -> Array:
    """The means of as many stretches of each of the last axes."""
    dtype = re(x).dtype
    stretches = [adaptive_bounds(n, o) for n, o in zip(x.shape[-len(output_size) :], output_size, strict=True)]
    means = _each_by_count(_sums_of_stretches(x, stretches), stretches, dtype)
    return means if dtype.kind == "f" else means.astype(dtype)


def _sums_of_stretches(x: Array, stretches: list[tuple[Array, Array]]) -> Array:
    """The sum of each of the blocks that stretches of the last axes make, one element after the other."""
    sizes = [len(starts) for starts, _ in stretches]
    total = np.zeros((*x.shape[: -len(sizes)], *sizes), x.dtype)
    if not x.size or not total.size:
        return total
    longest = [int((ends - starts).max()) for starts, ends in stretches]
    if math.prod(longest) > math.prod(sizes):
        for place, block in _blocks(stretches):
            elements = x[block].reshape(math.prod(x.shape[: -len(sizes)]), -1)
            # Of some columns NumPy adds row by row.
            many = len(elements) > _FEW_COLUMNS
            sums = np.add.reduce(elements.T.copy(), 0) if many else np.add.accumulate(elements, 1)[:, -1]
            total[place] = sums.reshape(x.shape[: -len(sizes)])
        return total
    for offsets in np.ndindex(*longest):
        there = [starts + p for p, (starts, _) in zip(offsets, stretches, strict=True)]
        inside = [at < ends for at, (_, ends) in zip(there, stretches, strict=True)]
        at_all: Any = (..., *np.ix_(*[np.where(some, at, 0) for some, at in zip(inside, there, strict=True)]))
        part = x[at_all]
        if not all(some.all() for some in inside):
            part = np.where(reduce(np.logical_and.outer, inside), part, 0)
        total += part
    return total


def _blocks(stretches: list[tuple[Array, Array]]) -> Iterator[tuple[Any, Any]]:
    """The place of each block, and where its elements are."""
    for place in np.ndindex(*[len(starts) for starts, _ in stretches]):
        block = [slice(starts[p], ends[p]) for p, (starts, ends) in zip(place, stretches, strict=True)]
        yield (..., *place), (..., *block)


def stretch_means_backward(g: Array, x: Array, rank: int) -> Array:
    """Each mean's share, added to all elements of its stretch."""
    sizes = list(zip(x.shape[-rank:], g.shape[-rank:], strict=True))
    stretches = [adaptive_bounds(n, o) for n, o in sizes]
    shares = _each_by_count(g, stretches, re(x).dtype)
    if math.prod(g.shape[-rank:]) <= _FEW_BLOCKS:
        total = np.zeros((*g.shape[:-rank], *x.shape[-rank:]), shares.dtype)
        for place, block in _blocks(stretches):
            total[block] += shares[place][(..., *[None] * rank)]
        return total
    # An element is met by the stretches that end after it and start no later: a stretch of stretches.
    elements = [np.arange(n) for n, _ in sizes]
    meeting = [
        (np.searchsorted(ends, i, "right"), np.searchsorted(starts, i, "right"))
        for i, (starts, ends) in zip(elements, stretches, strict=True)
    ]
    return _sums_of_stretches(shares, meeting)


def _each_by_count(sums: Array, stretches: list[tuple[Array, Array]], dtype: Any) -> Array:
    for axis, (starts, ends) in zip(range(-len(stretches), 0), stretches, strict=True):
        sums = sums / _along(ends - starts, axis, dtype)
    return sums


def _along(counts: Array, axis: int, dtype: Any) -> Array:
    return counts.astype(dtype).reshape(-1, *[1] * (-axis - 1))


# -- what users call -------------------------------------------------------------------------------


@public("F.avg_pool2d")
@given_for_out()
@costs("spatial.averaged", 2, careful=SQUARED)
def mean_pool2d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    """The mean of each window of two axes."""
    if type(divisor_override) is not int:
        only_ints("avg_pool2d", divisor_override=divisor_override, places=(7,))
    only_sizes("avg_pool2d", kernel_size=kernel_size, stride=stride, padding=padding, places=(2, 3, 4))
    only_bools("avg_pool2d", ceil_mode=ceil_mode, count_include_pad=count_include_pad, places=(5, 6))
    check_axis(-3, input.ndim)
    return avg_pool2d(
        input,
        each("avg_pool2d", "kernel_size", kernel_size),
        strides("avg_pool2d", stride),
        each("avg_pool2d", "padding", padding),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@public("F torch")
@costs("spatial.averaged", 1, careful=CUBED)
@composite
def avg_pool1d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Value:
    """The mean of each window of the last axis."""
    only_sizes("avg_pool1d", kernel_size=kernel_size, stride=stride, padding=padding, places=(2, 3, 4))
    only_bools("avg_pool1d", ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    check_signal("avg_pool1d", input)
    k, p = (one("avg_pool1d", a, v) for a, v in (("kernel_size", kernel_size), ("padding", padding)))
    s = k if stride is None or stride in ((), []) else one("avg_pool1d", "stride", stride)
    y = avg_pool2d(ops.views.unsqueeze(input, -2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad, None)
    return ops.views.squeeze(y, -2)


def mean_of_all(input: Value, axes: tuple[int, ...]) -> Value:
    """The mean over the last axes; where the channels come last in memory, they do so in the result, as a step."""
    found = ops.sums.mean(input, axes, True)
    if isinstance(input, Tensor) and is_channels_last(input._a):
        channels = input.shape[1]
        found.as_strided_(found.shape, (channels, 1, *(channels for _ in axes)))
    return found


@public("F.adaptive_avg_pool2d")
@costs("spatial.adapted", 2, careful=SQUARED)
def adaptive_mean_pool2d(input: Value, output_size: Any) -> Value:
    """The mean of each of a number of stretches of two axes."""
    only_sizes("adaptive_avg_pool2d", output_size=output_size, places=(2,))
    size = adaptive_size(input, output_size)
    if len(size) != 2:
        fail("adaptive_avg_pool2d: output_size must be 2")
    if min(size) < 0:
        fail(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]}}}"
        )
    if size == (1, 1):
        return mean_of_all(input, (-1, -2))
    return adaptive_avg_pool2d(input, size)


@public("F torch")
@costs("spatial.adapted", 1, careful=CUBED)
@composite
def adaptive_avg_pool1d(input: Value, output_size: Any) -> Value:
    """The mean of each of a number of stretches of the last axis."""
    only_sizes("adaptive_avg_pool1d", output_size=output_size, places=(2,))
    check_signal("adaptive_avg_pool1d", input)
    n = one("adaptive_avg_pool1d", "output_size", output_size)
    return ops.views.squeeze(adaptive_mean_pool2d(ops.views.unsqueeze(input, -2), (1, n)), -2)
