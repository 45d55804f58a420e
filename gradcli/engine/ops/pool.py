"""Pools: the largest or the mean of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import composite, fail, primitive, public
from ..tensor import Array, Tensor, Value, result
from . import gather, reduce, shape
from .common import re
from .windows import Sizes, cropped, padded, positions, range_sum, spread

ONES = (1, 1)


def nothing(g: Value, like: tuple[Any, Any]) -> Value:
    """Zeros of a shape and dtype, as ``g`` is: an array, or a Tensor."""
    zeros = np.zeros(*like)
    zeros = zeros if zeros.ndim else zeros[()]
    return result(zeros) if isinstance(g, Tensor) else zeros


# -- the geometry of windows -----------------------------------------------------------------------


def pooled_size(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Sizes:
    """How many windows there are along each axis."""
    found = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (room + (s - 1 if ceil_mode else 0)) // s + 1
        # The last window starts inside the input or its left border.
        found.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    return tuple(found)


def _margins(
    size: Sizes, kernel: Sizes, out: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> list[tuple[int, int]]:
    """The border that all windows need."""
    return [
        (p, max((o - 1) * s + d * (k - 1) + 1 - n - p, 0))
        for n, k, o, s, p, d in zip(size, kernel, out, stride, padding, dilation, strict=True)
    ]


# -- the largest of each window --------------------------------------------------------------------


def _largest(
    x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each window, the first of equals, and its place in the plane."""
    size = x.shape[-2:]
    out = pooled_size(size, kernel, stride, padding, dilation, ceil_mode)
    real = re(x)
    low = -np.inf if real.dtype.kind == "f" else np.iinfo(real.dtype).min
    grown = padded(real, _margins(size, kernel, out, stride, padding, dilation), low)
    best = np.full(x.shape[:-2] + out, low, real.dtype)
    firsts = []
    for o, s, p, d in zip(out, stride, padding, dilation, strict=True):
        first = np.arange(o) * s - p
        firsts.append(first + np.maximum(-(first // d), 0) * d)
    at = np.empty(best.shape, np.int64)
    at[...] = firsts[0][:, None] * size[1] + firsts[1]
    nan = real.dtype.kind == "f" and np.isnan(np.add.reduce(real, None))
    for place, slices in positions(kernel, out, stride, dilation):
        seen = grown[(..., *slices)]
        better = seen > best
        if nan:
            better |= seen != seen
        np.copyto(best, seen, where=better)
        rows, columns = (
            np.arange(o) * s - p + k * d for o, s, p, k, d in zip(out, stride, padding, place, dilation, strict=True)
        )
        np.copyto(at, rows[:, None] * size[1] + columns, where=better)
    return (best if real is x else _taken(x, at)), at


def _taken(x: Array, at: Array) -> Array:
    """The elements of each plane at these places."""
    flat = x.reshape(*x.shape[:-2], -1)
    return np.take_along_axis(flat, at.reshape(*at.shape[:-2], -1), -1).reshape(at.shape)


def _put(g: Array, at: Array, like: Array) -> Array:
    """Each element of ``g`` added at its place in planes of zeros: the adjoint of ``_taken``."""
    if g.dtype.kind == "c":
        return _put(g.real, at, like) + 1j * _put(g.imag, at, like)
    lead, plane = like.shape[:-2], like.shape[-2] * like.shape[-1]
    if not g.size:
        return np.zeros(like.shape, g.dtype)
    n = like.size // plane
    where = (at.reshape(n, -1) + np.arange(n)[:, None] * plane).ravel()
    return np.bincount(where, g.ravel(), like.size).astype(g.dtype, copy=False).reshape(*lead, *like.shape[-2:])


def _gathered(g: Value, indices: Value) -> Value:
    """The gradient of a pool's gradient: what was passed on, at the places it was passed on to."""
    sizes = tuple(indices.shape)
    rows = (*sizes[:-2], sizes[-2] * sizes[-1])
    planes = shape.reshape(g, (*sizes[:-2], g.shape[-2] * g.shape[-1]))
    return shape.reshape(gather.gather(planes, -1, shape.reshape(indices, rows)), sizes)


def _runner_up_gap(self: Array, kernel_size: Sizes, *rest: Any) -> Array:
    """How far the largest of each window leads: the pool has a kink where this is 0."""
    stride, padding, dilation, ceil_mode = rest
    x = re(self)
    stride = stride or kernel_size
    value, at = _largest(x, kernel_size, stride, padding, dilation, ceil_mode)
    out = value.shape[-2:]
    grown = padded(x, _margins(x.shape[-2:], kernel_size, out, stride, padding, dilation), -np.inf)
    gaps = []
    for place, slices in positions(kernel_size, out, stride, dilation):
        rows, columns = (
            np.arange(o) * s - p + k * d for o, s, p, k, d in zip(out, stride, padding, place, dilation, strict=True)
        )
        here = at == rows[:, None] * x.shape[-1] + columns
        gaps.append(np.where(here, np.inf, value - grown[(..., *slices)]))
    return np.minimum.reduce(gaps)


@primitive(
    node="MaxPool2DWithIndicesBackward0",
    aside=("result1",),
    kink=_runner_up_gap,
    self=lambda g, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool2d_with_indices_backward(
        g, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
)
def max_pool2d_with_indices(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each window, and its place."""
    stride = stride or kernel_size
    if any(d <= 0 for d in dilation):
        fail(f"dilation should be greater than zero, but got dilationH: {dilation[0]} dilationW: {dilation[1]}")
    _check_windows(self, kernel_size, stride, padding, dilation, ceil_mode)
    return _largest(self, kernel_size, stride, padding, dilation, ceil_mode)


@primitive(
    node="MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda g, indices: _gathered(g, indices),
    self=lambda g, self_like: nothing(g, self_like),
)
def max_pool2d_with_indices_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    indices: Array,
) -> Array:
    """Gradient of max pooling: each window's share goes to its largest element."""
    return _put(grad_output, indices, self)


def _adaptive_bounds(n: int, out: int) -> tuple[Array, Array]:
    """Where each of ``out`` stretches that cover ``n`` starts and ends."""
    i = np.arange(out)
    return i * n // out, -(-(i + 1) * n // out)


@primitive(
    aside=("result1",),
    node="AdaptiveMaxPool2DBackward0",
    self=lambda g, self, result1: adaptive_max_pool2d_backward(g, self, result1),
)
def adaptive_max_pool2d_with_indices(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    """The largest element of each of a number of stretches, and its place."""
    _check_adaptive("adaptive_max_pool2d", self, ":")
    size = self.shape[-2:]
    (top, bottom), (left, right) = (_adaptive_bounds(n, o) for n, o in zip(size, output_size, strict=True))
    real = re(self)
    best = np.full(self.shape[:-2] + tuple(output_size), -np.inf, real.dtype)
    at = np.empty(best.shape, np.int64)
    at[...] = top[:, None] * size[1] + left
    if best.size:
        for i in range(int((bottom - top).max())):
            rows = np.minimum(top + i, bottom - 1)
            for j in range(int((right - left).max())):
                columns = np.minimum(left + j, right - 1)
                seen = real[..., rows[:, None], columns]
                better = (seen > best) | (seen != seen)
                np.copyto(best, seen, where=better)
                np.copyto(at, rows[:, None] * size[1] + columns, where=better)
    return (best if real is self else _taken(self, at)), at


@primitive(
    node="AdaptiveMaxPool2DBackwardBackward0",
    grad_output=lambda g, indices: _gathered(g, indices),
    self=lambda g, self_like: nothing(g, self_like),
)
def adaptive_max_pool2d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    """Gradient of adaptive max pooling."""
    return _put(grad_output, indices, self)


# -- the mean of each window -----------------------------------------------------------------------


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
    """What the sum of each window is divided by: how many elements it meets, border included or not."""
    if divisor_override is not None:
        return np.array(divisor_override, dtype)
    counts = []
    for n, k, o, s, p in zip(size, kernel, out, stride, padding, strict=True):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        counts.append(end - start if count_include_pad else np.minimum(end, n) - np.maximum(start, 0))
    return (counts[0][:, None] * counts[1]).astype(dtype)


def _summed(x: Array, kernel: Sizes, out: Sizes, stride: Sizes) -> Array:
    """The sum of each window, one axis at a time."""
    for axis in (1, 0):
        k, o, s = kernel[axis], out[axis], stride[axis]
        rest = (slice(None),) * (1 - axis)
        total = x[(..., slice(0, (o - 1) * s + 1, s), *rest)]
        for i in range(1, k):
            part = x[(..., slice(i, i + (o - 1) * s + 1, s), *rest)]
            total = total + part if i == 1 else np.add(total, part, total)
        x = total
    return np.ascontiguousarray(x)


def _spread_out(g: Array, size: Sizes, kernel: Sizes, stride: Sizes) -> Array:
    """Each window's share added to all elements it meets: the adjoint of ``_summed``."""
    for axis in (0, 1):
        k, o, s = kernel[axis], g.shape[g.ndim - 2 + axis], stride[axis]
        rest = (slice(None),) * (1 - axis)
        lead = g.shape[: g.ndim - 2 + axis]
        total = np.zeros((*lead, size[axis], *g.shape[g.ndim - 1 + axis :]), g.dtype)
        for i in range(k):
            total[(..., slice(i, i + (o - 1) * s + 1, s), *rest)] += g
        g = total
    return g


@primitive(
    node="AvgPool2DBackward0",
    self=lambda g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        avg_pool2d_backward(
            g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
    ),
)
def avg_pool2d_op(
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
    _check_windows(self, kernel_size, stride, padding, ONES, ceil_mode)
    size = self.shape[-2:]
    out = pooled_size(size, kernel_size, stride, padding, ONES, ceil_mode)
    grown = padded(self, _margins(size, kernel_size, out, stride, padding, ONES))
    sums = _summed(grown, kernel_size, out, stride)
    d = _divisor(size, kernel_size, out, stride, padding, count_include_pad, divisor_override, re(self).dtype)
    return sums / d if self.dtype.kind in "fc" else np.trunc(sums / d).astype(self.dtype)


@primitive(
    node="AvgPool2DBackwardBackward0",
    grad_output=lambda g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_pool2d_op(
        g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda g, self_like: nothing(g, self_like),
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
    stride = stride or kernel_size
    size = self.shape[-2:]
    out = grad_output.shape[-2:]
    d = _divisor(size, kernel_size, out, stride, padding, count_include_pad, divisor_override, re(self).dtype)
    margins = _margins(size, kernel_size, out, stride, padding, ONES)
    grown = tuple([a + n + b for n, (a, b) in zip(size, margins, strict=True)])
    return cropped(_spread_out(grad_output / d, grown, kernel_size, stride), padding, size)


@primitive(node="AdaptiveAvgPool2DBackward0", self=lambda g, self: adaptive_avg_pool2d_backward(g, self))
def adaptive_avg_pool2d_op(self: Array, output_size: Sizes) -> Array:
    """The mean of each of a number of stretches."""
    _check_adaptive("adaptive_avg_pool2d", self, ",")
    x = self
    for axis, out in ((-1, output_size[1]), (-2, output_size[0])):
        starts, ends = _adaptive_bounds(x.shape[axis], out)
        x = range_sum(x, starts, ends, axis) / _along(ends - starts, axis, re(self).dtype)
    return x


@primitive(
    node="AdaptiveAvgPool2DBackwardBackward0",
    grad_output=lambda g, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1: adaptive_avg_pool2d_op(
        g, (grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1)
    ),
    self=lambda g, self_like: nothing(g, self_like),
)
def adaptive_avg_pool2d_backward(grad_output: Array, self: Array) -> Array:
    """Gradient of adaptive mean pooling."""
    g = grad_output
    for axis in (-2, -1):
        n = self.shape[axis]
        starts, ends = _adaptive_bounds(n, g.shape[axis])
        g = g / _along(ends - starts, axis, re(self).dtype)
        # An element is met by the stretches that end after it and start no later: a stretch of stretches.
        i = np.arange(n)
        g = range_sum(g, np.searchsorted(ends, i, "right"), np.searchsorted(starts, i, "right"), axis)
    return g


def _along(counts: Array, axis: int, dtype: Any) -> Array:
    counts = counts.astype(dtype)
    return counts if axis == -1 else counts[:, None]


# -- what users call -------------------------------------------------------------------------------


def _pair(name: str, argument: str, value: Any, allowed: str = "be a single int, or a tuple of two ints") -> Sizes:
    found = spread(value, 2)
    if len(found) != 2:
        fail(f"{name}: {argument} must either {allowed}")
    return found


def _one(name: str, argument: str, value: Any) -> int:
    found = spread(value, 1)
    if len(found) != 1:
        fail(f"{name}() argument '{argument}' should contain one int (got {len(found)})")
    return found[0]


def _check_windows(
    x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> None:
    if any(s == 0 for s in stride):
        fail("stride should not be zero")
    if any(k <= 0 for k in kernel):
        fail(f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: {kernel[1]}")
    if any(p < 0 for p in padding):
        fail(f"pad must be non-negative, but got pad: {next(p for p in padding if p < 0)}")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p > ((k - 1) * d + 1) // 2:
            fail(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    if x.ndim not in (3, 4):
        fail("non-empty 3D or 4D (batch mode) tensor expected for input")
    if 0 in x.shape[-3:]:
        fail(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(x.shape)}"
        )
    out = pooled_size(x.shape[-2:], kernel, stride, padding, dilation, ceil_mode)
    if min(out) < 1:
        plane = x.shape[-3]
        fail(
            f"Given input size: ({plane}x{x.shape[-2]}x{x.shape[-1]}). Calculated output size: "
            f"({plane}x{out[0]}x{out[1]}). Output size is too small"
        )


def _check_adaptive(name: str, x: Array, mark: str) -> None:
    if x.ndim not in (3, 4):
        fail(f"{name}(): Expected 3D or 4D tensor, but got{':' if mark == ':' else ''} {list(x.shape)}")
    for i in range(x.ndim - 3 + (x.ndim == 3), x.ndim):
        if i > x.ndim - 4 and x.shape[i] == 0 and i > 0:
            fail(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {i} being empty"
            )


def _check_signal(name: str, x: Value) -> None:
    if x.ndim not in (2, 3):
        fail(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self' "
            f"(while checking arguments for {name})"
        )


@public("F torch")
@composite
def max_pool2d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of two axes, and its place if ``return_indices``."""
    found = max_pool2d_with_indices(
        input,
        _pair("max_pool2d", "kernel_size", kernel_size),
        _strides("max_pool2d", stride),
        _pair("max_pool2d", "padding", padding),
        _pair("max_pool2d", "dilation", dilation),
        ceil_mode,
    )
    return found if return_indices else found[0]


def _strides(name: str, stride: Any) -> Sizes:
    if stride is None or isinstance(stride, (tuple, list)) and not stride:
        return ()
    return _pair(name, "stride", stride, "be omitted, a single int, or a tuple of two ints")


@public("F torch")
@composite
def max_pool1d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of the last axis, and its place if ``return_indices``."""
    if input.ndim not in (2, 3):
        fail(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    k, p, d = (
        _one("max_pool1d", a, v) for a, v in (("kernel_size", kernel_size), ("padding", padding), ("dilation", dilation))
    )
    s = k if stride is None or stride in ((), []) else _one("max_pool1d", "stride", stride)
    if k <= 0:
        fail(f"max_pool1d() kernel_size must be greater than zero, but got {k}")
    if s <= 0:
        fail(f"max_pool1d() stride must be greater than zero, but got {s}")
    if p < 0:
        fail(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        fail(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
        )
    if d <= 0:
        fail(f"max_pool1d() dilation must be greater than zero, but got {d}")
    (out,) = pooled_size((input.shape[-1],), (k,), (s,), (p,), (d,), ceil_mode)
    if out <= 0:
        fail(f"max_pool1d() Invalid computed output size: {out}")
    values, indices = max_pool2d_with_indices(
        shape.unsqueeze(input, -2), (1, k), (1, s), (0, p), (1, d), ceil_mode
    )
    values = shape.squeeze(values, -2)
    return (values, shape.squeeze(indices, -2)) if return_indices else values


@public("F")
@composite
def adaptive_max_pool2d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of two axes."""
    found = adaptive_max_pool2d_with_indices(input, _adaptive_size(input, output_size))
    return found if return_indices else found[0]


def _adaptive_size(input: Value, output_size: Any) -> Sizes:
    if isinstance(output_size, (tuple, list)):
        sizes = tuple(input.shape)[-len(output_size) :]
        output_size = tuple([n if o is None else o for n, o in zip(sizes, output_size, strict=False)])
    return spread(output_size, 2)


@public("F")
@composite
def adaptive_max_pool1d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of the last axis."""
    _check_signal("adaptive_max_pool1d", input)
    n = _one("adaptive_max_pool1d", "output_size", output_size)
    values, indices = adaptive_max_pool2d_with_indices(shape.unsqueeze(input, -2), (1, n))
    values = shape.squeeze(values, -2)
    return (values, shape.squeeze(indices, -2)) if return_indices else values


@public("torch.adaptive_max_pool1d")
def adaptive_max_pool1d_with_indices(input: Value, output_size: Any) -> Any:
    """The largest element of each of a number of stretches of the last axis, and its place."""
    return adaptive_max_pool1d(input, output_size, True)


@public("F")
@composite
def avg_pool2d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    """The mean of each window of two axes."""
    return avg_pool2d_op(
        input,
        _pair("avg_pool2d", "kernel_size", kernel_size),
        _strides("avg_pool2d", stride),
        _pair("avg_pool2d", "padding", padding),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@public("F torch")
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
    _check_signal("avg_pool1d", input)
    k, p = (_one("avg_pool1d", a, v) for a, v in (("kernel_size", kernel_size), ("padding", padding)))
    s = k if stride is None or stride in ((), []) else _one("avg_pool1d", "stride", stride)
    y = avg_pool2d_op(
        shape.unsqueeze(input, -2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad, None
    )
    return shape.squeeze(y, -2)


@public("F")
@composite
def adaptive_avg_pool2d(input: Value, output_size: Any) -> Value:
    """The mean of each of a number of stretches of two axes."""
    size = _adaptive_size(input, output_size)
    if len(size) != 2:
        fail("adaptive_avg_pool2d: output_size must be 2")
    if min(size) < 0:
        fail(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]}}}"
        )
    if size == (1, 1):
        return reduce.mean(input, (-1, -2), True)
    return adaptive_avg_pool2d_op(input, size)


@public("F torch")
@composite
def adaptive_avg_pool1d(input: Value, output_size: Any) -> Value:
    """The mean of each of a number of stretches of the last axis."""
    _check_signal("adaptive_avg_pool1d", input)
    n = _one("adaptive_avg_pool1d", "output_size", output_size)
    return shape.squeeze(adaptive_avg_pool2d(shape.unsqueeze(input, -2), (1, n)), -2)


