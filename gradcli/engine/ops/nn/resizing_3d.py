"""Volumes in other sizes."""

from __future__ import annotations

from ...dtypes import Array
from ...registry import primitive
from ..memory_order import laid_as
from ..pool.windows import Sizes
from .interpolation import linear, nearest, nearest_exact, resized, unsized

Scale = float | None


@primitive(
    node="UpsampleNearest3DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_d, scales_h, scales_w: upsample_nearest3d_backward(
        g, output_size, self_sym_sizes, scales_d, scales_h, scales_w
    ),
    form="folded",
)
def upsample_nearest3d(self: Array, output_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale) -> Array:
    """Volumes in another size, each element the nearest one."""
    return resized(self, output_size, (scales_d, scales_h, scales_w), nearest)


@primitive(
    backward=True,
    node="UpsampleNearest3DBackwardBackward0",
    grad_output=lambda g, output_size, scales_d, scales_h, scales_w: upsample_nearest3d(
        g, output_size, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest3d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    """Gradient of nearest interpolation of volumes."""
    return unsized(grad_output, input_size, (scales_d, scales_h, scales_w), nearest)


@primitive(
    node="UpsampleNearestExact3DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_d, scales_h, scales_w: upsample_nearest_exact3d_backward(
        g, output_size, self_sym_sizes, scales_d, scales_h, scales_w
    ),
    form="folded",
)
def upsample_nearest_exact3d(
    self: Array, output_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    """Volumes in another size, each element the one nearest to its centre."""
    return resized(self, output_size, (scales_d, scales_h, scales_w), nearest_exact)


@primitive(
    backward=True,
    node="UpsampleNearestExact3DBackwardBackward0",
    grad_output=lambda g, output_size, scales_d, scales_h, scales_w: upsample_nearest_exact3d(
        g, output_size, scales_d, scales_h, scales_w
    ),
)
def upsample_nearest_exact3d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    """Gradient of exact nearest interpolation of volumes."""
    return unsized(grad_output, input_size, (scales_d, scales_h, scales_w), nearest_exact)


@primitive(
    node="UpsampleTrilinear3DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_d, scales_h, scales_w: (
        upsample_trilinear3d_backward(g, output_size, self_sym_sizes, align_corners, scales_d, scales_h, scales_w)
    ),
    form="folded",
)
def upsample_trilinear3d(
    self: Array, output_size: Sizes, align_corners: bool, scales_d: Scale, scales_h: Scale, scales_w: Scale
) -> Array:
    """Volumes in another size, on straight lines between the elements."""
    return resized(self, output_size, (scales_d, scales_h, scales_w), linear, align_corners)


@primitive(
    backward=True,
    node="UpsampleTrilinear3DBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_d, scales_h, scales_w: upsample_trilinear3d(
        g, output_size, align_corners, scales_d, scales_h, scales_w
    ),
)
def upsample_trilinear3d_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_d: Scale,
    scales_h: Scale,
    scales_w: Scale,
) -> Array:
    """Gradient of trilinear interpolation."""
    return laid_as(
        grad_output, unsized(grad_output, input_size, (scales_d, scales_h, scales_w), linear, align_corners)
    )
