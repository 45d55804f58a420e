"""Signals and images in other sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ....errors import EngineNotImplementedError, EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import no_overload
from ...costs import CUBED, costs
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..memory_order import laid_as
from ..pool.windows import Sizes
from .interpolation import cubic, linear, nearest, nearest_exact, nearest_in_images, resized, unsized


@primitive(
    node="UpsampleNearest1DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales: upsample_nearest1d_backward(
        g, output_size, self_sym_sizes, scales
    ),
    form="folded",
)
def upsample_nearest1d(self: Array, output_size: Sizes, scales: float | None) -> Array:
    """Signals in another length, each element the nearest one."""
    return resized(self, output_size, (scales,), nearest)


@primitive(
    backward=True,
    node="UpsampleNearest1DBackwardBackward0",
    grad_output=lambda g, output_size, scales: upsample_nearest1d(g, output_size, scales),
)
def upsample_nearest1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales: float | None
) -> Array:
    """Gradient of nearest interpolation of signals."""
    return unsized(grad_output, input_size, (scales,), nearest)


@primitive(
    node="UpsampleNearestExact1DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales: upsample_nearest_exact1d_backward(
        g, output_size, self_sym_sizes, scales
    ),
    form="folded",
)
def upsample_nearest_exact1d(self: Array, output_size: Sizes, scales: float | None) -> Array:
    """Signals in another length, each element the one nearest to its centre."""
    return resized(self, output_size, (scales,), nearest_exact)


@primitive(
    backward=True,
    node="UpsampleNearestExact1DBackwardBackward0",
    grad_output=lambda g, output_size, scales: upsample_nearest_exact1d(g, output_size, scales),
)
def upsample_nearest_exact1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales: float | None
) -> Array:
    """Gradient of exact nearest interpolation of signals."""
    return unsized(grad_output, input_size, (scales,), nearest_exact)


@primitive(
    node="UpsampleLinear1DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales: upsample_linear1d_backward(
        g, output_size, self_sym_sizes, align_corners, scales
    ),
    form="folded",
)
def upsample_linear1d(self: Array, output_size: Sizes, align_corners: bool, scales: float | None) -> Array:
    """Signals in another length, on straight lines between the elements."""
    return resized(self, output_size, (scales,), linear, align_corners)


@primitive(
    backward=True,
    node="UpsampleLinear1DBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales: upsample_linear1d(g, output_size, align_corners, scales),
)
def upsample_linear1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales: float | None
) -> Array:
    """Gradient of linear interpolation."""
    return unsized(grad_output, input_size, (scales,), linear, align_corners)


@primitive(
    node="UpsampleNearest2DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_h, scales_w: upsample_nearest2d_backward(
        g, output_size, self_sym_sizes, scales_h, scales_w
    ),
    form="folded",
)
def upsample_nearest2d(self: Array, output_size: Sizes, scales_h: float | None, scales_w: float | None) -> Array:
    """Images in another size, each pixel the nearest one."""
    return resized(self, output_size, (scales_h, scales_w), nearest_in_images)


@primitive(
    backward=True,
    node="UpsampleNearest2DBackwardBackward0",
    grad_output=lambda g, output_size, scales_h, scales_w: upsample_nearest2d(g, output_size, scales_h, scales_w),
)
def upsample_nearest2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: float | None, scales_w: float | None
) -> Array:
    """Gradient of nearest interpolation of images."""
    return laid_as(grad_output, unsized(grad_output, input_size, (scales_h, scales_w), nearest_in_images))


@primitive(
    node="UpsampleNearestExact2DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_h, scales_w: upsample_nearest_exact2d_backward(
        g, output_size, self_sym_sizes, scales_h, scales_w
    ),
    form="folded",
)
def upsample_nearest_exact2d(self: Array, output_size: Sizes, scales_h: float | None, scales_w: float | None) -> Array:
    """Images in another size, each pixel the one nearest to its centre."""
    return resized(self, output_size, (scales_h, scales_w), nearest_exact)


@primitive(
    backward=True,
    node="UpsampleNearestExact2DBackwardBackward0",
    grad_output=lambda g, output_size, scales_h, scales_w: upsample_nearest_exact2d(g, output_size, scales_h, scales_w),
)
def upsample_nearest_exact2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: float | None, scales_w: float | None
) -> Array:
    """Gradient of exact nearest interpolation of images."""
    return laid_as(grad_output, unsized(grad_output, input_size, (scales_h, scales_w), nearest_exact))


@primitive(
    node="UpsampleBilinear2DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bilinear2d_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
    form="folded",
)
def upsample_bilinear2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, on straight lines between the pixels."""
    return resized(self, output_size, (scales_h, scales_w), linear, align_corners)


@primitive(
    backward=True,
    node="UpsampleBilinear2DBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_h, scales_w: upsample_bilinear2d(
        g, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_h: float | None,
    scales_w: float | None,
) -> Array:
    """Gradient of bilinear interpolation."""
    return laid_as(grad_output, unsized(grad_output, input_size, (scales_h, scales_w), linear, align_corners))


@primitive(
    node="UpsampleBicubic2DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bicubic2d_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
    form="folded",
)
def upsample_bicubic2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, on cubic curves through the pixels."""
    return resized(self, output_size, (scales_h, scales_w), cubic, align_corners)


@primitive(
    backward=True,
    node="UpsampleBicubic2DBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales_h, scales_w: upsample_bicubic2d(
        g, output_size, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d_backward(
    grad_output: Array,
    output_size: Sizes,
    input_size: Sizes,
    align_corners: bool,
    scales_h: float | None,
    scales_w: float | None,
) -> Array:
    """Gradient of bicubic interpolation."""
    return unsized(grad_output, input_size, (scales_h, scales_w), cubic, align_corners)


MODES = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}

# How input of so many axes is brought to another size, by mode.
_WAYS: dict[tuple[str, int], Callable[[Any, Any, bool, Any], Any]] = {
    ("nearest", 3): lambda x, sizes, align, scales: upsample_nearest1d(x, sizes, *scales),
    ("nearest", 4): lambda x, sizes, align, scales: upsample_nearest2d(x, sizes, *scales),
    ("nearest", 5): lambda x, sizes, align, scales: ops.resizing_3d.upsample_nearest3d(x, sizes, *scales),
    ("nearest-exact", 3): lambda x, sizes, align, scales: upsample_nearest_exact1d(x, sizes, *scales),
    ("nearest-exact", 4): lambda x, sizes, align, scales: upsample_nearest_exact2d(x, sizes, *scales),
    ("nearest-exact", 5): lambda x, sizes, align, scales: ops.resizing_3d.upsample_nearest_exact3d(x, sizes, *scales),
    ("area", 3): lambda x, sizes, align, scales: ops.avg_pool.adaptive_avg_pool1d(x, sizes),
    ("area", 4): lambda x, sizes, align, scales: ops.avg_pool.adaptive_mean_pool2d(x, sizes),
    ("area", 5): lambda x, sizes, align, scales: ops.adaptive_3d.adaptive_mean_pool3d(x, sizes),
    ("linear", 3): lambda x, sizes, align, scales: upsample_linear1d(x, sizes, align, *scales),
    ("bilinear", 4): lambda x, sizes, align, scales: upsample_bilinear2d(x, sizes, align, *scales),
    ("bicubic", 4): lambda x, sizes, align, scales: upsample_bicubic2d(x, sizes, align, *scales),
    ("trilinear", 5): lambda x, sizes, align, scales: ops.resizing_3d.upsample_trilinear3d(x, sizes, align, *scales),
}


@public("F")
@costs("spatial.interpolated", careful=CUBED)
@composite
def interpolate(
    input: Value,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Value:
    """Signals or images in another size."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise EngineValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    sizes, scales = _asked_size(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise EngineValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if recompute_scale_factor or mode == "area":
        scales = (None,) * len(sizes)
    n = input.ndim
    if antialias:
        if mode not in ("bilinear", "bicubic", "lanczos") or n != 4:
            raise EngineValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as "
                "input"
            )
        if mode == "lanczos" and align_corners:
            raise EngineValueError("Lanczos mode does not support align_corners=True")
        return ops.antialiased.smoothed(mode, input, sizes, bool(align_corners), scales)
    way = _WAYS.get((mode, n))
    if way is None:
        raise _no_way(mode, n)
    return way(input, sizes, bool(align_corners), scales)


def _no_way(mode: str, n: int) -> Exception:
    """Why input of ``n`` axes cannot be brought to another size in this mode."""
    if mode in MODES and n in (3, 4, 5) and mode != "bicubic":
        return EngineNotImplementedError(f"Got {n}D input, but {mode} mode needs {MODES[mode]}D input")
    if mode == "lanczos" and n == 4:
        return EngineValueError("Lanczos mode requires antialias=True")
    return EngineNotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {n}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _older(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", UserWarning, stacklevel=3
    )


@public("F")
@costs("spatial.interpolated", careful=CUBED)
@composite
def upsample(
    input: Value, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Value:
    """Signals or images in another size, by the older name."""
    _older("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@public("F")
@costs("spatial.interpolated", careful=CUBED)
@composite
def upsample_nearest(input: Value, size: Any = None, scale_factor: Any = None) -> Value:
    """Signals or images in another size, each element the nearest one."""
    _older("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


@public("F")
@costs("spatial.interpolated", careful=CUBED)
@composite
def upsample_bilinear(input: Value, size: Any = None, scale_factor: Any = None) -> Value:
    """Images in another size, on straight lines between the outermost pixels."""
    _older("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)


def _asked_size(input: Value, size: Any, scale_factor: Any) -> tuple[Sizes, tuple[float | None, ...]]:
    """The size of the result, and the scale along each axis where it was asked for by scale."""
    own = tuple(input.shape)[2:]
    n = len(own)
    if size is not None and scale_factor is not None:
        raise EngineValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (tuple, list)):
            if ops.filled.index_of(size) is None:
                raise no_overload(f"upsample_nearest{n}d", input, [size] * n, None)
            return (int(size),) * n, (None,) * n
        if len(size) != n:
            raise EngineValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(own)} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(hasattr(s, "__index__") for s in size):
            raise EngineTypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {[type(s) for s in size]}"
            )
        return tuple([int(s) for s in size]), (None,) * n
    if scale_factor is None:
        raise EngineValueError("either size or scale_factor should be defined")
    scales = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * n
    if len(scales) != n:
        raise EngineValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {list(own)} and scale_factor of shape {scale_factor}. Please provide input tensor in "
            "(N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    return tuple([int(a * s) for a, s in zip(own, scales, strict=True)]), tuple([float(s) for s in scales])
