"""Max pools: the largest of each window."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...costs import CUBED, SQUARED, costs
from ...dtypes import full_of, zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re
from ..memory_order import laid_as
from ..pointwise.masks import refuse_integers
from .window_shapes import (
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
    refuse_odd_windows,
    strides,
)
from .windows import Sizes, padded, positions


def largest(
    x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each window, the first of equals, and its place in the plane or volume."""
    rank = len(kernel)
    size = x.shape[-rank:]
    out = pooled_size(size, kernel, stride, padding, dilation, ceil_mode)
    real = re(x)
    low = -np.inf if real.dtype.kind == "f" else np.iinfo(real.dtype).min
    grown = padded(real, margins(size, kernel, out, stride, padding, dilation), low)
    best = full_of(x.shape[:-rank] + out, low, real.dtype)
    nan = real.dtype.kind == "f" and np.isnan(np.add.reduce(real, None))
    # Which place of the kernel it is, from 1 on, as small numbers, which are quick to write; 0 where none is larger.
    number = np.uint8 if math.prod(kernel) < 256 else np.int64
    which = np.zeros(best.shape, number)
    from_first = [0]
    for place, slices in positions(kernel, out, stride, dilation):
        seen = grown[(..., *slices)]
        better = seen > best
        if nan:
            better |= seen != seen
        np.copyto(best, seen, where=better)
        np.maximum(which, np.multiply(better, number(len(from_first)), dtype=number), out=which)
        steps = zip(place, dilation, strict=True)
        from_first.append(int(_flat([np.array([k * d]) for k, d in steps], size).item()))
    windows = list(zip(out, stride, padding, dilation, strict=True))
    at = np.array(from_first, np.int64)[which]
    at += _flat([np.arange(o) * s - p for o, s, p, _ in windows], size)
    if not which.all():
        inside = [np.arange(o) * s - p + np.maximum(-((np.arange(o) * s - p) // d), 0) * d for o, s, p, d in windows]
        np.copyto(at, _flat(inside, size), where=which == 0)
    return (best if real is x else taken(x, at, rank)), at


def _flat(places: list[Array], size: Sizes) -> Array:
    """The places that places along each axis mean together."""
    found = places[0]
    for n, p in zip(size[1:], places[1:], strict=True):
        found = found[..., None] * n + p
    return found


def taken(x: Array, at: Array, rank: int = 2) -> Array:
    """The elements of each plane or volume at these places."""
    flat = x.reshape(*x.shape[:-rank], math.prod(x.shape[-rank:]))
    places = at.reshape(*at.shape[:-rank], math.prod(at.shape[-rank:]))
    return np.take_along_axis(flat, places, -1).reshape(at.shape)


def put(g: Array, at: Array, like: Array, rank: int = 2) -> Array:
    """Each element of ``g`` added at its place in planes or volumes of zeros: the adjoint of ``taken``."""
    if g.dtype.kind == "c":
        return put(g.real, at, like, rank) + 1j * put(g.imag, at, like, rank)
    lead, plane = like.shape[:-rank], math.prod(like.shape[-rank:])
    if not g.size:
        return zeros_of(like.shape, g.dtype)
    n = like.size // plane
    where = (at.reshape(n, -1) + np.arange(n)[:, None] * plane).ravel()
    r = zeros_of((like.size,), g.dtype)
    np.add.at(r, where, g.ravel())
    return r.reshape(*lead, *like.shape[-rank:])


def gathered(g: Value, indices: Value, rank: int = 2) -> Value:
    """The gradient of a pool's gradient: what was passed on, at the places it was passed on to."""
    sizes = tuple(indices.shape)
    rows = (*sizes[:-rank], math.prod(sizes[-rank:]))
    planes = ops.views.reshape(g, (*sizes[:-rank], math.prod(g.shape[-rank:])))
    return ops.views.reshape(ops.gather_scatter.gather(planes, -1, ops.views.reshape(indices, rows)), sizes)


def behind(self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> Array:
    """Zero where an element is the largest of its window, negative elsewhere."""
    x = re(self)
    stride = stride or kernel_size
    rank = len(kernel_size)
    best, _ = largest(x, kernel_size, stride, padding, dilation, ceil_mode)
    out = best.shape[-rank:]
    grown = padded(x, margins(x.shape[-rank:], kernel_size, out, stride, padding, dilation), -np.inf)
    return np.stack([grown[(..., *slices)] - best for _, slices in positions(kernel_size, out, stride, dilation)])


@primitive(
    no_whole="max_pool2d but integers",
    node="MaxPool2DWithIndicesBackward0",
    aside=("result1",),
    kink=behind,
    self=lambda g, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool2d_with_indices_backward(
        g, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
    form="folded",
)
def max_pool2d_with_indices(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each window, and its place."""
    stride = stride or kernel_size
    if any(d <= 0 for d in dilation):
        fail(f"dilation should be greater than zero, but got dilationH: {dilation[0]} dilationW: {dilation[1]}")
    check_windows(self, kernel_size, stride, padding, dilation, ceil_mode)
    best, at = largest(self, kernel_size, stride, padding, dilation, ceil_mode)
    return laid_as(self, best), laid_as(self, at)


@primitive(
    backward=True,
    without_rule=("indices",),
    node="MaxPool2DWithIndicesBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
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
    return laid_as(self, put(grad_output, indices, self))


def _stretches(x: Array, output_size: Sizes) -> Iterator[tuple[Array, Array]]:
    """The elements of all stretches, one of each at a time, and their places; short ones repeat their last."""
    rank = len(output_size)
    size = x.shape[-rank:]
    bounds = [adaptive_bounds(n, o) for n, o in zip(size, output_size, strict=True)]
    for steps in itertools.product(*[range(int((ends - starts).max(initial=0))) for starts, ends in bounds]):
        places = [np.minimum(starts + i, ends - 1) for (starts, ends), i in zip(bounds, steps, strict=True)]
        yield x[(..., *np.ix_(*places))], _flat(places, size)


def largest_of_stretches(x: Array, output_size: Sizes) -> tuple[Array, Array]:
    """The largest element of each of as many stretches of the last axes, the first of equals, and its place."""
    rank = len(output_size)
    shape = x.shape[:-rank] + tuple(output_size)
    if min(output_size) < 0:
        fail(f"Trying to create tensor with negative dimension {next(n for n in shape if n < 0)}: {list(shape)}")
    best, at = full_of(shape, -np.inf, x.dtype), np.zeros(shape, np.int64)
    for k, (seen, places) in enumerate(_stretches(x, output_size)):
        better = (seen > best) | (seen != seen) | (k == 0)
        np.copyto(best, seen, where=better)
        np.copyto(at, places, where=better)
    return best, at


def behind_in_stretch(self: Array, output_size: Sizes) -> Array:
    """Zero where an element is the largest of its stretch, negative elsewhere."""
    largest, _ = largest_of_stretches(re(self), output_size)
    return np.stack([seen - largest for seen, _ in _stretches(re(self), output_size)])


@primitive(
    no_whole="adaptive_max_pool2d",
    aside=("result1",),
    node="AdaptiveMaxPool2DBackward0",
    kink=behind_in_stretch,
    self=lambda g, self, result1: adaptive_max_pool2d_backward(g, self, result1),
    form="folded",
)
def adaptive_max_pool2d_with_indices(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    """The largest element of each of a number of stretches, and its place."""
    check_adaptive("adaptive_max_pool2d", self, ":")
    if len(output_size) != 2:
        fail("adaptive_max_pool2d(): internal error: output_size.size() must be 2")
    real = re(self)
    best, at = largest_of_stretches(real, output_size)
    return laid_as(self, best if real is self else taken(self, at)), laid_as(self, at)


@primitive(
    backward=True,
    without_rule=("indices",),
    node="AdaptiveMaxPool2DBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def adaptive_max_pool2d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    """Gradient of adaptive max pooling."""
    refuse_no_gradient("adaptive_max_pool2d_backward", grad_output)
    return laid_as(self, put(grad_output, indices, self))


# -- what users call -------------------------------------------------------------------------------


@public("F torch")
@costs("spatial.picked", 2, careful=SQUARED)
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
    name = "max_pool2d_with_indices" if return_indices else "max_pool2d"
    refuse_odd_windows(name, kernel_size, stride, padding, dilation, ceil_mode)
    found = max_pool2d_with_indices(
        input,
        each("max_pool2d", "kernel_size", kernel_size),
        strides("max_pool2d", stride),
        each("max_pool2d", "padding", padding),
        each("max_pool2d", "dilation", dilation),
        ceil_mode,
    )
    return found if return_indices else found[0]


@public("F torch")
@costs("spatial.picked", 1, careful=CUBED)
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
    name = "max_pool1d_with_indices" if return_indices else "max_pool1d"
    refuse_odd_windows(name, kernel_size, stride, padding, dilation, ceil_mode)
    if return_indices:
        check_signal("max_pool1d", input)
    elif input.ndim not in (2, 3) or 0 in input.shape[-2:]:
        fail(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(input.shape)}"
        )
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    if stride is None or stride in ((), []):
        given["stride"] = kernel_size
    # What gives no places is a kernel of signals alone, which has words of its own.
    k, s, p, d = (one("max_pool1d", a, v, "" if return_indices else _ONE_FOR_SIGNALS[a]) for a, v in given.items())
    if not return_indices:
        _check_signal_windows(input, k, s, p, d, ceil_mode)
    values, indices = max_pool2d_with_indices(ops.views.unsqueeze(input, -2), (1, k), (1, s), (0, p), (1, d), ceil_mode)
    values = ops.views.squeeze(values, -2)
    return (values, ops.views.squeeze(indices, -2)) if return_indices else values


_ONE_FOR_SIGNALS = {
    "kernel_size": "an int, list of ints or", "stride": "None, an int, list of ints, or",
    "padding": "an int, list of ints, or", "dilation": "an int, list of ints or",
}  # fmt: skip


def _check_signal_windows(input: Value, k: int, s: int, p: int, d: int, ceil_mode: bool) -> None:
    if k <= 0:
        fail(f"max_pool1d() kernel_size must be greater than zero, but got {k}")
    if s <= 0:
        fail(f"max_pool1d() stride must be greater than zero, but got {s}")
    if p < 0:
        fail(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        fail(f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}")
    if d <= 0:
        fail(f"max_pool1d() dilation must be greater than zero, but got {d}")
    (out,) = pooled_size((input.shape[-1],), (k,), (s,), (p,), (d,), ceil_mode)
    if out <= 0:
        fail(f"max_pool1d() Invalid computed output size: {out}")
    if not (isinstance(input, Tensor) and input.requires_grad):
        refuse_integers("max_pool1d_impl", input._a if isinstance(input, Tensor) else input)


@public("F")
@costs("spatial.adapted", 2, careful=SQUARED)
@composite
def adaptive_max_pool2d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of two axes."""
    found = adaptive_max_pool2d_with_indices(input, adaptive_size(input, output_size))
    return found if return_indices else found[0]


@public("F")
@costs("spatial.adapted", 1, careful=CUBED)
@composite
def adaptive_max_pool1d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of the last axis."""
    check_signal("adaptive_max_pool1d", input)
    n = one("adaptive_max_pool1d", "output_size", output_size)
    values, indices = adaptive_max_pool2d_with_indices(ops.views.unsqueeze(input, -2), (1, n))
    values = ops.views.squeeze(values, -2)
    return (values, ops.views.squeeze(indices, -2)) if return_indices else values


@public("torch.adaptive_max_pool1d")
@costs("spatial.adapted", 1, careful=CUBED)
def adaptive_max_pool1d_with_indices(input: Value, output_size: Any) -> Any:
    """The largest element of each of a number of stretches of the last axis, and its place."""
    return adaptive_max_pool1d(input, output_size, True)
