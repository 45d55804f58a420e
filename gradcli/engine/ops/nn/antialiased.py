"""Images in smaller sizes, smoothed so that no detail is made up: each pixel a mean of all that it covers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...registry import primitive
from ...tensor import Array, Value
from ..common import re
from ..memory_order import laid_as
from ..pointwise.masks import refuse_integers
from ..pool.windows import Sizes
from .interpolation import check_sizes, of_fifteen_bits, rounded_bytes, step_of

Filter = Callable[[Array], Array]


def triangle(x: Array) -> Array:
    """The weight of bilinear interpolation at a distance."""
    return np.maximum(1 - np.abs(x), 0)


def spline(x: Array) -> Array:
    """The weight of bicubic interpolation at a distance."""
    a, x = x.dtype.type(-0.5), np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def lanczos(x: Array) -> Array:
    """The weight of Lanczos interpolation at a distance."""
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


# The pixels that each of these reaches to one side.
REACH: dict[Filter, float] = {triangle: 1.0, spline: 2.0, lanczos: 3.0}


def _weights(n: int, out: int, align_corners: bool, scale: float | None, kind: Any, shape: Filter) -> Array:
    """The share that each output has of each input: a row for each output."""
    # An axis that stays as long is left as it is, whatever the scale.
    step = step_of(n, out, align_corners, None if out == n else scale, kind)
    wide = max(step, kind(1))
    reach = kind(REACH[shape]) * wide
    centre = step * (np.arange(out, dtype=kind) + kind(0.5))
    first = np.maximum((centre - reach + kind(0.5)).astype(np.int64), 0)
    last = np.minimum((centre + reach + kind(0.5)).astype(np.int64), n)
    last = np.minimum(last, first + 2 * math.ceil(reach) + 1)
    at = np.arange(n)
    found = shape((at.astype(kind) - centre[:, None] + kind(0.5)) * (kind(1) / wide))
    found = np.where((at >= first[:, None]) & (at < last[:, None]), found, kind(0))
    total = found.sum(1, keepdims=True)
    return np.where(total != 0, found / np.where(total != 0, total, 1), found).astype(kind)


def _both(
    n: Sizes, out: Sizes, align_corners: bool, scales: tuple[float | None, ...], x: Array, shape: Filter
) -> list[Array]:
    kind = re(x).dtype.type
    return [_weights(n[k], out[k], align_corners, scales[k], kind, shape) for k in (0, 1)]


def _smaller(x: Array, out: Sizes, align_corners: bool, scales: tuple[float | None, ...], shape: Filter) -> Array:
    check_sizes(x, out)
    if x.dtype == np.uint8:
        rows, columns = [
            of_fifteen_bits(_weights(x.shape[2 + k], out[k], align_corners, scales[k], np.float64, shape))
            for k in (0, 1)
        ]
        return laid_as(x, rounded_bytes(np.matmul(rows, rounded_bytes(np.matmul(x, columns.T)))))
    refuse_integers("compute_index_ranges_weights", x)
    rows, columns = _both(x.shape[2:], out, align_corners, scales, x, shape)
    return laid_as(x, np.ascontiguousarray(np.matmul(rows, np.matmul(x, columns.T))))


def _back(g: Array, size: Sizes, align_corners: bool, scales: tuple[float | None, ...], shape: Filter) -> Array:
    rows, columns = _both(size[2:], g.shape[2:], align_corners, scales, g, shape)
    return np.matmul(rows.T, np.matmul(g, columns))


@primitive(
    node="UpsampleBilinear2DAaBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bilinear2d_aa_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
    form="folded",
)
def upsample_bilinear2d_aa(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, each pixel a mean with weights that fall off on straight lines."""
    return _smaller(self, output_size, align_corners, (scales_h, scales_w), triangle)


@primitive(
    backward=True,
    node="UpsampleBilinear2DAaBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d_aa(
        g, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d_aa_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_h: float | None,
    scales_w: float | None,
) -> Array:
    """Gradient of smoothed bilinear interpolation."""
    return _back(grad_output, input_size, align_corners, (scales_h, scales_w), triangle)


@primitive(
    node="UpsampleBicubic2DAaBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bicubic2d_aa_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
    form="folded",
)
def upsample_bicubic2d_aa(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, each pixel a mean with the weights of a cubic spline."""
    return _smaller(self, output_size, align_corners, (scales_h, scales_w), spline)


@primitive(
    backward=True,
    node="UpsampleBicubic2DAaBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d_aa(
        g, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d_aa_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_h: float | None,
    scales_w: float | None,
) -> Array:
    """Gradient of smoothed bicubic interpolation."""
    return _back(grad_output, input_size, align_corners, (scales_h, scales_w), spline)


@primitive(
    node="UpsampleLanczos2DAaBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_lanczos2d_aa_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
    form="folded",
)
def upsample_lanczos2d_aa(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, each pixel a mean with the weights of a windowed wave."""
    return _smaller(self, output_size, align_corners, (scales_h, scales_w), lanczos)


@primitive(
    backward=True,
    node="UpsampleLanczos2DAaBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_h, scales_w: upsample_lanczos2d_aa(
        g, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_lanczos2d_aa_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_h: float | None,
    scales_w: float | None,
) -> Array:
    """Gradient of smoothed Lanczos interpolation."""
    return _back(grad_output, input_size, align_corners, (scales_h, scales_w), lanczos)


def smoothed(mode: str, x: Value, sizes: Sizes, align_corners: bool, scales: tuple[float | None, ...]) -> Value:
    """Images in another size, in one of the three modes that smooth."""
    ways = {"bilinear": upsample_bilinear2d_aa, "bicubic": upsample_bicubic2d_aa, "lanczos": upsample_lanczos2d_aa}
    return ways[mode](x, sizes, align_corners, *scales)
