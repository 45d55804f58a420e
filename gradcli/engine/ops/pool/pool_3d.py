"""Pools of volumes: the largest, or the mean, of each window of three axes."""

from __future__ import annotations

from typing import Any

from ...autocasting import under_autocast
from ...call_errors import fail, only_bools, only_ints, only_sizes
from ...costs import CUBED, costs
from ...declaration import given_for_out
from ...registry import primitive, public
from ...tensor import Array, Value
from ..memory_order import laid_as
from .avg_pool import means, means_backward
from .max_pool import behind, gathered, largest, put
from .window_shapes import check_padding, each, nothing, pooled_size, refuse_odd_windows, strides
from .windows import Sizes

_ONES = (1, 1, 1)


def _check(name: str, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """Refuse windows that do not fit a volume."""
    if x.ndim not in (4, 5):
        fail("non-empty 4D or 5D (batch mode) tensor expected for input")
    if 0 in stride:
        fail("stride should not be zero")
    for what, axis, sizes in (("kernel size", "k", kernel), ("dilation", "dilation", dilation)):
        if min(sizes) <= 0:
            shown = " ".join(f"{axis}{letter}: {n}" for letter, n in zip("THW", sizes, strict=True))
            fail(f"{what} should be greater than zero, but got {shown}")
    check_padding(kernel, padding, dilation)
    for i, n in enumerate(x.shape[-4:]):
        if n == 0:
            fail(
                f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
                f"{list(x.shape)} and non-batch dimension {i} has length zero!"
            )


@primitive(
    no_whole="max_pool3d but integers",
    node="MaxPool3DWithIndicesBackward0",
    aside=("result1",),
    kink=behind,
    self=lambda g, self, kernel_size, stride, padding, dilation, ceil_mode, result1: max_pool3d_with_indices_backward(
        g, self, kernel_size, stride, padding, dilation, ceil_mode, result1
    ),
    form="folded",
)
def max_pool3d_with_indices(
    self: Array, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Array, Array]:
    """The largest element of each window of three axes, and its place."""
    stride = stride or kernel_size
    _check("max_pool3d_with_indices_out_cpu_template", self, kernel_size, stride, padding, dilation)
    out = pooled_size(self.shape[-3:], kernel_size, stride, padding, dilation, ceil_mode)
    if min(out) < 1:
        given, made = ("x".join(map(str, (self.shape[-4], *s))) for s in (self.shape[-3:], out))
        fail(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    best, at = largest(self, kernel_size, stride, padding, dilation, ceil_mode)
    return laid_as(self, best), laid_as(self, at)


@primitive(
    backward=True,
    without_rule=("indices",),
    node="MaxPool3DWithIndicesBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices, 3),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def max_pool3d_with_indices_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,
    indices: Array,
) -> Array:
    """Gradient of max pooling of three axes: each window's share goes to its largest element."""
    return laid_as(self, put(grad_output, indices, self, 3))


@under_autocast("single")
@primitive(
    no_whole="avg_pool3d_out_frame but int64",
    node="AvgPool3DBackward0",
    self=lambda g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
        avg_pool3d_backward(g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    ),
    form="folded",
    no_half="avg_pool3d_out_frame",
)
def avg_pool3d(
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """The mean of each window of three axes."""
    stride = stride or kernel_size
    if divisor_override == 0:
        fail("divisor must be not zero")
    _check("avg_pool3d", self, kernel_size, stride, padding, _ONES)
    size = self.shape[-3:]
    if any(n + 2 * p < k for n, p, k in zip(size, padding, kernel_size, strict=True)):
        (t, h, w), (a, b, c) = size, kernel_size
        fail(f"input image (T: {t} H: {h} W: {w}) smaller than kernel size (kT: {a} kH: {b} kW: {c})")
    return means(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@primitive(
    backward=True,
    node="AvgPool3DBackwardBackward0",
    grad_output=lambda g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: avg_pool3d(
        g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    ),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def avg_pool3d_backward(
    grad_output: Array,
    self: Array,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Array:
    """Gradient of mean pooling of three axes."""
    stride = stride or kernel_size
    return means_backward(grad_output, self, kernel_size, stride, padding, count_include_pad, divisor_override)


# -- what users call -------------------------------------------------------------------------------


@public("F torch")
@costs("spatial.picked", 3, careful=CUBED)
@under_autocast("single")
def max_pool3d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of three axes, and its place if ``return_indices``."""
    name = "max_pool3d_with_indices" if return_indices else "max_pool3d"
    refuse_odd_windows(name, kernel_size, stride, padding, dilation, ceil_mode)
    found = max_pool3d_with_indices(
        input,
        each("max_pool3d", "kernel_size", kernel_size, 3),
        strides("max_pool3d", stride, 3),
        each("max_pool3d", "padding", padding, 3),
        each("max_pool3d", "dilation", dilation, 3),
        ceil_mode,
    )
    return found if return_indices else found[0]


@public("F.avg_pool3d")
@given_for_out()
@costs("spatial.averaged", 3, careful=CUBED)
def mean_pool3d(
    input: Value,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    """The mean of each window of three axes."""
    if type(divisor_override) is not int:
        only_ints("avg_pool3d", divisor_override=divisor_override, places=(7,))
    only_sizes("avg_pool3d", kernel_size=kernel_size, stride=stride, padding=padding, places=(2, 3, 4))
    only_bools("avg_pool3d", ceil_mode=ceil_mode, count_include_pad=count_include_pad)
    return avg_pool3d(
        input,
        each("avg_pool3d", "kernel_size", kernel_size, 3),
        strides("avg_pool3d", stride, 3),
        each("avg_pool3d", "padding", padding, 3),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
