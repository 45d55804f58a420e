"""Pools of volumes to a number of stretches of each of three axes."""

from __future__ import annotations

from typing import Any

from ...autocasting import under_autocast
from ...call_errors import fail, only_sizes
from ...costs import CUBED, costs
from ...registry import primitive, public
from ...tensor import Array, Value
from ..common import re
from .avg_pool import mean_of_all, stretch_means, stretch_means_backward
from .max_pool import behind_in_stretch, gathered, largest_of_stretches, put, taken
from .window_shapes import adaptive_size, nothing, refuse_no_gradient
from .windows import Sizes


def _check(name: str, x: Array) -> None:
    if x.ndim not in (4, 5):
        mark = ":" if name == "adaptive_max_pool3d" else ""
        fail(f"{name}(): Expected 4D or 5D tensor, but got{mark} {list(x.shape)}")
    for i in range(1, x.ndim):
        if x.shape[i] == 0:
            fail(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {i} being empty"
            )


@under_autocast("single")
@primitive(
    node="AdaptiveAvgPool3DBackward0", self=lambda g, self: adaptive_avg_pool3d_backward(g, self), form="folded",
    no_whole="adaptive_avg_pool3d_cpu but empty",
)
def adaptive_avg_pool3d(self: Array, output_size: Sizes) -> Array:
    """The mean of each of a number of stretches of three axes."""
    _check("adaptive_avg_pool3d", self)
    return stretch_means(self, output_size)


def _mean_again(
    g: Value,
    grad_output_sym_argsize_minus_3: int,
    grad_output_sym_argsize_minus_2: int,
    grad_output_sym_argsize_minus_1: int,
) -> Value:
    return adaptive_avg_pool3d(
        g, (grad_output_sym_argsize_minus_3, grad_output_sym_argsize_minus_2, grad_output_sym_argsize_minus_1)
    )


@primitive(
    backward=True,
    node="AdaptiveAvgPool3DBackwardBackward0",
    grad_output=_mean_again,
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def adaptive_avg_pool3d_backward(grad_output: Array, self: Array) -> Array:
    """Gradient of adaptive mean pooling of three axes."""
    refuse_no_gradient("adaptive_avg_pool3d_backward", grad_output)
    return stretch_means_backward(grad_output, self, 3)


@primitive(
    no_whole="adaptive_max_pool3d_cpu",
    aside=("result1",),
    node="AdaptiveMaxPool3DBackward0",
    kink=behind_in_stretch,
    self=lambda g, self, result1: adaptive_max_pool3d_backward(g, self, result1),
    form="folded",
)
def adaptive_max_pool3d_with_indices(self: Array, output_size: Sizes) -> tuple[Array, Array]:
    """The largest element of each of a number of stretches of three axes, and its place."""
    _check("adaptive_max_pool3d", self)
    real = re(self)
    best, at = largest_of_stretches(real, output_size)
    return (best if real is self else taken(self, at, 3)), at


@primitive(
    backward=True,
    without_rule=("indices",),
    node="AdaptiveMaxPool3DBackwardBackward0",
    grad_output=lambda g, indices: gathered(g, indices, 3),
    self=lambda g, self_like: nothing(g, self_like),
    form="folded",
)
def adaptive_max_pool3d_backward(grad_output: Array, self: Array, indices: Array) -> Array:
    """Gradient of adaptive max pooling of three axes."""
    refuse_no_gradient("adaptive_max_pool3d_backward", grad_output)
    return put(grad_output, indices, self, 3)


# -- what users call -------------------------------------------------------------------------------


def _size(name: str, input: Value, output_size: Any) -> Sizes:
    """The size to pool to, where None keeps an axis as it is."""
    size = adaptive_size(input, output_size, 3)
    if len(size) != 3:
        picks = name == "adaptive_max_pool3d"
        fail(f"{name}(): internal error: output_size.size() must be 3" if picks else f"{name}: output_size must be 3")
    return size


@public("F.adaptive_avg_pool3d")
@costs("spatial.adapted", 3, careful=CUBED)
def adaptive_mean_pool3d(input: Value, output_size: Any) -> Value:
    """The mean of each of a number of stretches of three axes."""
    only_sizes("adaptive_avg_pool3d", output_size=output_size, places=(2,))
    size = _size("adaptive_avg_pool3d", input, output_size)
    if min(size) < 0:
        fail(
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{size[0]}, {size[1]},{size[2]}}}"
        )
    if size == (1, 1, 1):
        return mean_of_all(input, (-1, -2, -3))
    return adaptive_avg_pool3d(input, size)


@public("F")
@costs("spatial.adapted", 3, careful=CUBED)
@under_autocast("single")
def adaptive_max_pool3d(input: Value, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element of each of a number of stretches of three axes."""
    found = adaptive_max_pool3d_with_indices(input, _size("adaptive_max_pool3d", input, output_size))
    return found if return_indices else found[0]
