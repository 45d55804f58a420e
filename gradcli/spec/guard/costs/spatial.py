"""Convolutions, pools and other windows over the last axes."""

from __future__ import annotations

from functools import cache
from typing import Any

from ....engine.ops.pool.correlations import AT_ONCE
from ....engine.tensor import Tensor
from .estimate import Estimate, Estimator, Shape, count, multiplied, product, shape, spread, whole


def _split(input: Any, rank: int) -> tuple[int, int, Shape]:
    """Split a shape into the number of signals, the channels of each, and their size."""
    size = shape(input)
    lead, size = size[: len(size) - rank], size[len(size) - rank :]
    return product(lead[:-1]), lead[-1], size


def _fits(size: Shape, kernel: Shape, stride: Shape, padding: Shape, dilation: Shape) -> Shape:
    """Compute how often a window fits along each axis."""
    axes = zip(size, kernel, stride, padding, dilation, strict=True)
    return tuple([max((n + 2 * p - d * (k - 1) - 1) // s + 1, 0) for n, k, s, p, d in axes])


def grown(size: Shape, padding: Shape) -> Shape:
    """A size with padding on both sides of each axis."""
    return tuple([n + 2 * p for n, p in zip(size, padding, strict=True)])


def _at_once(batch: int, columns: int) -> int:
    """The columns that a convolution has at once: it takes a large batch in parts."""
    return min(columns, max(columns // max(batch, 1), AT_ONCE))


@cache
def convolved(rank: int) -> Estimator:
    """For convolutions: the windows, side by side as columns, times the kernels."""

    def estimate(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1
    ) -> Estimate:
        batch, channels, size = _split(input, rank)
        kernel = shape(weight)[2:]
        strides, dilations = spread(stride, rank), spread(dilation, rank)
        if isinstance(padding, str):
            paddings = tuple([d * (k - 1) // 2 + 1 for d, k in zip(dilations, kernel, strict=True)])
            out = size
        else:
            paddings = spread(padding, rank)
            out = _fits(size, kernel, strides, paddings, dilations)
        columns = batch * channels * product(kernel) * product(out)
        elements = max(
            batch * channels * product(grown(size, paddings)), _at_once(batch, columns),
            batch * shape(weight)[0] * product(out),
        )
        return Estimate(elements, multiplied(input, columns // max(groups, 1) * shape(weight)[0]) + columns)

    return estimate


def convolved_in_time(input: Any, weight: Any, bias: Any = None, pad: Any = 0) -> Estimate:
    """For a convolution over the first axis: the windows, side by side as columns, times the kernels."""
    (time, batch, channels), (kernel, _, made) = shape(input), shape(weight)
    out = max(time + 2 * pad - kernel + 1, 0)
    columns = batch * channels * kernel * out
    elements = max(batch * channels * (time + 2 * pad), columns, batch * made * out)
    return Estimate(elements, multiplied(input, columns * made) + columns)


@cache
def transposed(rank: int) -> Estimator:
    """For transposed convolutions: a kernel for each element, added up where they overlap."""

    def estimate(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: Any = 1, dilation: Any = 1,
    ) -> Estimate:  # fmt: skip
        batch, channels, size = _split(input, rank)
        made, kernel = shape(weight)[1] * groups, shape(weight)[2:]
        strides, dilations, more = (spread(v, rank) for v in (stride, dilation, output_padding))
        axes = zip(size, kernel, strides, dilations, more, strict=True)
        whole_size = [(n - 1) * s + d * (k - 1) + o + 1 for n, k, s, d, o in axes]
        columns = batch * made * product(kernel) * product(size)
        elements = max(batch * made * product(whole_size), _at_once(batch, columns))
        return Estimate(elements, multiplied(input, columns // max(groups, 1) * channels) + columns)

    return estimate


def convolved_any_way(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, back: Any, output_padding: Any,
    groups: Any,
) -> Estimate:  # fmt: skip
    """For a convolution, or a transposed one, over the axes that the weight has."""
    rank = len(shape(weight)) - 2
    if back:
        return transposed(rank)(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return convolved(rank)(input, weight, bias, stride, padding, dilation, groups)


def unfolded(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Estimate:
    """Each block that a window meets, as a column."""
    batch, channels, size = _split(input, 2)
    kernel, dilations, paddings, strides = (spread(v, 2) for v in (kernel_size, dilation, padding, stride))
    out = _fits(size, kernel, strides, paddings, dilations)
    return Estimate(batch * channels * max(product(kernel) * product(out), product(grown(size, paddings))))


def folded(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Estimate:
    """Blocks added up where they overlap."""
    kernel, paddings = spread(kernel_size, 2), spread(padding, 2)
    size = shape(input)
    signals = product(size[:-2]) * (size[-2] // max(product(kernel), 1) + 1)
    return Estimate(signals * product(grown(spread(output_size, 2), paddings)))


def framed(input: Any, n_fft: Any, hop_length: Any = None, *rest: Any, **named: Any) -> Estimate:
    """Frames that overlap, each as long as its transform."""
    size, long = shape(input), whole(n_fft)
    hop = max(long // 4 if hop_length is None else whole(hop_length), 1)
    return Estimate(product(size[:-1]) * ((size[-1] + long) // hop + 1) * long)


def _pooled(rank: int, picks: bool) -> Estimator:
    def estimate(
        input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, *rest: Any, **named: Any
    ) -> Estimate:
        batch, channels, size = _split(input, rank)
        kernel, paddings = spread(kernel_size, rank), spread(padding, rank)
        strides = kernel if stride is None or stride == [] else spread(stride, rank)
        dilations = spread(dilation if picks else 1, rank)
        # With ceil_mode the last window may begin inside and end outside.
        reached = tuple([n + s for n, s in zip(size, strides, strict=True)])
        out = product(_fits(reached, kernel, strides, paddings, dilations))
        padded = product([n + 2 * p + k for n, p, k in zip(size, paddings, kernel, strict=True)])
        return Estimate(batch * channels * max(padded, out), batch * channels * out * product(kernel))

    return estimate


def averaged(rank: int) -> Estimator:
    """For means of windows."""
    return _pooled(rank, False)


def picked(rank: int) -> Estimator:
    """For the largest of each window, which may have gaps."""
    return _pooled(rank, True)


def adapted(rank: int) -> Estimator:
    """For pools into a given number of windows, one axis after the other."""

    def estimate(input: Any, output_size: Any, *rest: Any, **named: Any) -> Estimate:
        batch, channels, size = _split(input, rank)
        wanted = output_size if isinstance(output_size, (list, tuple)) else (output_size,) * rank
        out = [n if w is None else w for w, n in zip(wanted * (rank if len(wanted) == 1 else 1), size, strict=True)]
        mixed = [max(n, w) for n, w in zip(size, out, strict=True)]
        return Estimate(batch * channels * product(mixed))

    return estimate


def adapted_windows(rank: int) -> Estimator:
    """For pools into a given number of windows of a given size."""

    def estimate(
        input: Any, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, *rest: Any, **named: Any
    ) -> Estimate:
        made = count(input)
        if output_size is not None:
            wanted = output_size if isinstance(output_size, (list, tuple)) else (output_size,) * rank
            made = product(shape(input)[:-rank]) * product(wanted)
        window = product(kernel_size if isinstance(kernel_size, (list, tuple)) else (kernel_size,) * rank)
        return Estimate(4 * made, 10 * made * window)

    return estimate


def pooled_by_power(rank: int) -> Estimator:
    """For sums of powers of windows."""
    pooled = _pooled(rank, False)

    def estimate(
        input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, *rest: Any, **named: Any
    ) -> Estimate:
        return pooled(input, kernel_size, stride)

    return estimate


def responded(input: Any, size: Any, *rest: Any, **named: Any) -> Estimate:
    """The squares with more channels, and windows of so many of them."""
    channels = max(shape(input)[1], 1)
    return Estimate(count(input) // channels * (channels + size), count(input) * size)


@cache
def unpooled(rank: int) -> Estimator:
    """For what puts each element back where a pool found it."""

    def estimate(
        input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Estimate:
        batch, channels, size = _split(input, rank)
        kernel = spread(kernel_size, rank)
        strides = kernel if stride is None else spread(stride, rank)
        usual = [n * s + k for n, s, k in zip(size, strides, kernel, strict=True)]
        return Estimate(batch * channels * product(usual if output_size is None else output_size[-rank:]))

    return estimate


def mapped(theta: Any, size: Any, *rest: Any, **named: Any) -> Estimate:
    """Two or three numbers for each place."""
    places = size[0] * product(size[2:]) * (len(size) - 2)
    return Estimate(places, places * (len(size) - 1))


def sampled(input: Any, grid: Any, *rest: Any, **named: Any) -> Estimate:
    """So many channels at each place, each of up to 16 neighbours."""
    found = shape(input)[1] * count(grid) // max(shape(grid)[-1], 1)
    return Estimate(max(found, count(input)), 16 * found)


def interpolated(input: Any, size: Any = None, scale_factor: Any = None, *rest: Any, **named: Any) -> Estimate:
    """One axis after the other in another size."""
    own = shape(input)[2:]
    if size is not None:
        out = spread(size, len(own))
    else:
        factors = scale_factor if isinstance(scale_factor, (list, tuple)) else (scale_factor,) * len(own)
        out = tuple([int(n * f) for n, f in zip(own, factors, strict=True)])
    mixed = [max(n, w) for n, w in zip(own, out, strict=True)]
    return Estimate(count(input) // max(product(own), 1) * product(mixed), 4 * product(mixed))


def unpacked(sequence: Any, batch_first: Any = False, padding_value: Any = 0.0, total_length: Any = None) -> Estimate:
    """All sequences as long as the longest, or as is asked for."""
    data, sizes, *_ = sequence
    widest = shape(sizes)[0] if total_length is None else total_length
    return Estimate(widest * int(sizes._a[0]) * product(shape(data)[1:]))


def padded(sequences: Any, *rest: Any, **named: Any) -> Estimate:
    """All sequences as long as the longest."""
    if isinstance(sequences, Tensor) or not isinstance(sequences, (list, tuple)):
        return Estimate(0)
    return Estimate(len(sequences) * max(map(count, sequences), default=0))


def heard(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *rest: Any, **named: Any) -> Estimate:
    """Twice as many states as labels, at all times."""
    size = shape(log_probs)
    states = size[0] * (size[1] if len(size) == 3 else 1) * (2 * shape(targets)[-1] + 1)
    return Estimate(max(states, count(log_probs)), 20 * states + 10 * count(log_probs))
