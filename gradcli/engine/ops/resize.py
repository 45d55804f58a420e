"""Images in other sizes and orders: interpolation, sliding blocks as columns, channels as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import EngineTypeError, EngineValueError, Unsupported
from ..registry import composite, fail, primitive, public
from ..tensor import Array, Value
from . import pool
from .common import re
from .windows import Sizes, cropped, fold, padded, range_sum, spread, windows

# -- interpolation: along one axis, each output is a weighted sum of a few inputs ------------------

# For each tap: which input each output reads, and how much of it (None for all of it).
Taps = list[tuple[Array, Array | None]]

CUBIC = -0.75


def _step(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Any:
    """How far the source moves for a step of one in the result."""
    if align_corners:
        return kind(n - 1) / kind(out - 1) if out > 1 else kind(0)
    return kind(1.0 / scale) if scale is not None and scale > 0 else kind(n) / kind(out)


def _nearest(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    step = _step(n, out, False, scale, np.float32)
    return [(np.minimum((np.arange(out, dtype=np.float32) * step).astype(np.int64), n - 1), None)]


def _nearest_exact(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    step = _step(n, out, False, scale, np.float32)
    at = ((np.arange(out, dtype=np.float32) + np.float32(0.5)) * step).astype(np.int64)
    return [(np.minimum(at, n - 1), None)]


def _source(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Array:
    step = _step(n, out, align_corners, scale, kind)
    i = np.arange(out, dtype=kind)
    return i * step if align_corners else (i + kind(0.5)) * step - kind(0.5)


def _linear(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    source = np.maximum(_source(n, out, align_corners, scale, kind), 0)
    first = np.minimum(source.astype(np.int64), n - 1)
    part = np.clip(source - first.astype(kind), 0, 1)
    return [(first, 1 - part), (np.minimum(first + 1, n - 1), part)]


def _cubic(n: int, out: int, align_corners: bool, scale: float | None, kind: Any) -> Taps:
    source = _source(n, out, align_corners, scale, kind)
    first = np.floor(source)
    t = source - first
    a = kind(CUBIC)

    def near(x: Array) -> Array:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Array) -> Array:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = (far(t + 1), near(t), near(1 - t), far(2 - t))
    at = first.astype(np.int64)
    return [(np.clip(at + k - 1, 0, n - 1), w) for k, w in enumerate(weights)]


def _resized(x: Array, sizes: Sizes, scales: Sequence[float | None], taps: Any, align_corners: bool = False) -> Array:
    """``x`` with its trailing axes interpolated to ``sizes``."""
    _check_sizes(x, sizes)
    count = len(sizes)
    for k in range(count - 1, -1, -1):
        axis = k - count
        total = None
        for at, weight in taps(x.shape[axis], sizes[k], align_corners, scales[k], re(x).dtype.type):
            part = x.take(at, axis)
            if weight is not None:
                part *= weight.reshape(-1, *[1] * (-axis - 1))
            total = part if total is None else np.add(total, part, total)
        x = total
    return x


def _unsized(g: Array, size: Sizes, scales: Sequence[float | None], taps: Any, align_corners: bool = False) -> Array:
    """The adjoint of ``_resized``, onto an input of this size."""
    count = len(scales)
    for k in range(count):
        axis = k - count
        n = size[axis]
        i = np.arange(n)
        total = None
        for at, weight in taps(n, g.shape[axis], align_corners, scales[k], re(g).dtype.type):
            part = g if weight is None else g * weight.reshape(-1, *[1] * (-axis - 1))
            # The taps move forward only, so the outputs that read one input are neighbours.
            part = range_sum(part, np.searchsorted(at, i, "left"), np.searchsorted(at, i, "right"), axis)
            total = part if total is None else total + part
        g = total
    return g


def _check_sizes(x: Array, sizes: Sizes) -> None:
    own = x.shape[2:]
    if min(own) <= 0 or min(sizes) <= 0:
        sides = ("D", "H", "W")[-len(sizes) :]
        shown = [", ".join(f"{side}: {n}" for side, n in zip(sides, found, strict=True)) for found in (own, sizes)]
        fail(f"Input and output sizes should be greater than 0, but got input ({shown[0]}) output ({shown[1]})")
    if x.shape[1] == 0:
        fail(f"Non-empty {x.ndim}D data tensor expected but got a tensor with sizes {list(x.shape)}")


@primitive(
    node="UpsampleNearest1DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales: upsample_nearest1d_backward(
        g, output_size, self_sym_sizes, scales
    ),
)
def upsample_nearest1d(self: Array, output_size: Sizes, scales: float | None) -> Array:
    """Signals in another length, each element the nearest one."""
    return _resized(self, output_size, (scales,), _nearest)


@primitive(
    node="UpsampleNearest1DBackwardBackward0",
    grad_output=lambda g, output_size, scales: upsample_nearest1d(g, output_size, scales),
)
def upsample_nearest1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales: float | None
) -> Array:
    """Gradient of nearest interpolation of signals."""
    return _unsized(grad_output, input_size, (scales,), _nearest)


@primitive(
    node="UpsampleNearestExact1DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales: upsample_nearest_exact1d_backward(
        g, output_size, self_sym_sizes, scales
    ),
)
def upsample_nearest_exact1d(self: Array, output_size: Sizes, scales: float | None) -> Array:
    """Signals in another length, each element the one nearest to its centre."""
    return _resized(self, output_size, (scales,), _nearest_exact)


@primitive(
    node="UpsampleNearestExact1DBackwardBackward0",
    grad_output=lambda g, output_size, scales: upsample_nearest_exact1d(g, output_size, scales),
)
def upsample_nearest_exact1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales: float | None
) -> Array:
    """Gradient of exact nearest interpolation of signals."""
    return _unsized(grad_output, input_size, (scales,), _nearest_exact)


@primitive(
    node="UpsampleLinear1DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales: upsample_linear1d_backward(
        g, output_size, self_sym_sizes, align_corners, scales
    ),
)
def upsample_linear1d(self: Array, output_size: Sizes, align_corners: bool, scales: float | None) -> Array:
    """Signals in another length, on straight lines between the elements."""
    return _resized(self, output_size, (scales,), _linear, align_corners)


@primitive(
    node="UpsampleLinear1DBackwardBackward0",
    grad_output=lambda g, output_size, align_corners, scales: upsample_linear1d(
        g, output_size, align_corners, scales
    ),
)
def upsample_linear1d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, align_corners: bool, scales: float | None
) -> Array:
    """Gradient of linear interpolation."""
    return _unsized(grad_output, input_size, (scales,), _linear, align_corners)


@primitive(
    node="UpsampleNearest2DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_h, scales_w: upsample_nearest2d_backward(
        g, output_size, self_sym_sizes, scales_h, scales_w
    ),
)
def upsample_nearest2d(self: Array, output_size: Sizes, scales_h: float | None, scales_w: float | None) -> Array:
    """Images in another size, each pixel the nearest one."""
    return _resized(self, output_size, (scales_h, scales_w), _nearest)


@primitive(
    node="UpsampleNearest2DBackwardBackward0",
    grad_output=lambda g, output_size, scales_h, scales_w: upsample_nearest2d(g, output_size, scales_h, scales_w),
)
def upsample_nearest2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: float | None, scales_w: float | None
) -> Array:
    """Gradient of nearest interpolation of images."""
    return _unsized(grad_output, input_size, (scales_h, scales_w), _nearest)


@primitive(
    node="UpsampleNearestExact2DBackward0",
    self=lambda g, output_size, self_sym_sizes, scales_h, scales_w: upsample_nearest_exact2d_backward(
        g, output_size, self_sym_sizes, scales_h, scales_w
    ),
)
def upsample_nearest_exact2d(
    self: Array, output_size: Sizes, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, each pixel the one nearest to its centre."""
    return _resized(self, output_size, (scales_h, scales_w), _nearest_exact)


@primitive(
    node="UpsampleNearestExact2DBackwardBackward0",
    grad_output=lambda g, output_size, scales_h, scales_w: upsample_nearest_exact2d(
        g, output_size, scales_h, scales_w
    ),
)
def upsample_nearest_exact2d_backward(
    grad_output: Array, output_size: Sizes, input_size: Sizes, scales_h: float | None, scales_w: float | None
) -> Array:
    """Gradient of exact nearest interpolation of images."""
    return _unsized(grad_output, input_size, (scales_h, scales_w), _nearest_exact)


@primitive(
    node="UpsampleBilinear2DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bilinear2d_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bilinear2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, on straight lines between the pixels."""
    return _resized(self, output_size, (scales_h, scales_w), _linear, align_corners)


@primitive(
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
    return _unsized(grad_output, input_size, (scales_h, scales_w), _linear, align_corners)


@primitive(
    node="UpsampleBicubic2DBackward0",
    self=lambda g, output_size, self_sym_sizes, align_corners, scales_h, scales_w: upsample_bicubic2d_backward(
        g, output_size, self_sym_sizes, align_corners, scales_h, scales_w
    ),
)
def upsample_bicubic2d(
    self: Array, output_size: Sizes, align_corners: bool, scales_h: float | None, scales_w: float | None
) -> Array:
    """Images in another size, on cubic curves through the pixels."""
    return _resized(self, output_size, (scales_h, scales_w), _cubic, align_corners)


@primitive(
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
    return _unsized(grad_output, input_size, (scales_h, scales_w), _cubic, align_corners)


MODES = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


@public("F")
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
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise EngineValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    sizes, scales = _asked_size(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise EngineValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if recompute_scale_factor or mode == "area":
        scales = (None,) * len(sizes)
    if antialias:
        if mode not in ("bilinear", "bicubic", "lanczos") or input.ndim != 4:
            raise EngineValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor "
                "as input"
            )
        raise Unsupported("interpolate: antialias=True is not supported")
    n = input.ndim
    align = bool(align_corners)
    if n == 3 and mode == "nearest":
        return upsample_nearest1d(input, sizes, scales[0])
    if n == 4 and mode == "nearest":
        return upsample_nearest2d(input, sizes, *scales)
    if n == 3 and mode == "nearest-exact":
        return upsample_nearest_exact1d(input, sizes, scales[0])
    if n == 4 and mode == "nearest-exact":
        return upsample_nearest_exact2d(input, sizes, *scales)
    if n == 3 and mode == "area":
        return pool.adaptive_avg_pool1d(input, sizes)
    if n == 4 and mode == "area":
        return pool.adaptive_avg_pool2d(input, sizes)
    if n == 3 and mode == "linear":
        return upsample_linear1d(input, sizes, align, scales[0])
    if n == 4 and mode == "bilinear":
        return upsample_bilinear2d(input, sizes, align, *scales)
    if n == 4 and mode == "bicubic":
        return upsample_bicubic2d(input, sizes, align, *scales)
    if mode in MODES and n in (3, 4, 5) and MODES[mode] != n:
        raise Unsupported(f"Got {n}D input, but {mode} mode needs {MODES[mode]}D input")
    if n == 5 or mode == "lanczos":
        raise Unsupported(f"interpolate: mode='{mode}' of {n}-D input is not supported")
    raise Unsupported(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {n}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _asked_size(input: Value, size: Any, scale_factor: Any) -> tuple[Sizes, tuple[float | None, ...]]:
    """The size of the result, and the scale along each axis where it was asked for by scale."""
    own = tuple(input.shape)[2:]
    n = len(own)
    if size is not None and scale_factor is not None:
        raise EngineValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (tuple, list)):
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


# -- sliding blocks as columns ---------------------------------------------------------------------


def _blocks(size: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Sizes:
    return tuple(
        [
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, d, p, s in zip(size, kernel, dilation, padding, stride, strict=True)
        ]
    )


def _check_blocks(kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> None:
    named = (("kernel_size", kernel), ("dilation", dilation), ("padding", padding), ("stride", stride))
    for name, found in named:
        if len(found) != 2:
            fail(f"It is expected {name} equals to 2, but got size {len(found)}")
    for word, short, found, least in (
        ("kernel size", "kernel", kernel, 1),
        ("dilation", "dilation", dilation, 1),
        ("padding", "pad", padding, 0),
        ("stride", "stride", stride, 1),
    ):
        if min(found) < least:
            fail(
                f"{word} should be {'non-negative' if least == 0 else 'greater than zero'}, but got "
                f"{short}_height: {found[0]} {short}_width: {found[1]}"
            )


@primitive(
    node="Im2ColBackward0",
    self=lambda g, self_sym_argsize_minus_2, self_sym_argsize_minus_1, kernel_size, dilation, padding, stride: col2im(
        g, (self_sym_argsize_minus_2, self_sym_argsize_minus_1), kernel_size, dilation, padding, stride
    ),
)
def im2col(self: Array, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
    """Each block that a window meets, as a column."""
    _check_blocks(kernel_size, dilation, padding, stride)
    if self.ndim not in (3, 4) or 0 in self.shape[-3:]:
        fail(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(self.shape)}"
        )
    size = self.shape[-2:]
    out = _blocks(size, kernel_size, dilation, padding, stride)
    if min(out) < 1:
        fail(
            f"Given input with spatial size {_shown(size)}, kernel_size={_shown(kernel_size)}, "
            f"dilation={_shown(dilation)}, padding={_shown(padding)}, calculated shape of the array of sliding "
            f"blocks as {_shown(out)}, but its components must be at least one."
        )
    seen = windows(padded(self, [(p, p) for p in padding]), kernel_size, out, stride, dilation)
    columns = seen.reshape(*self.shape[:-3], self.shape[-3] * kernel_size[0] * kernel_size[1], out[0] * out[1])
    return columns.copy() if np.may_share_memory(columns, self) else columns


def _shown(sizes: Sizes) -> str:
    return f"({', '.join(str(n) for n in sizes)})"


@primitive(
    node="Col2ImBackward0",
    self=lambda g, kernel_size, dilation, padding, stride: im2col(g, kernel_size, dilation, padding, stride),
)
def col2im(
    self: Array, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Array:
    """Columns added to where their blocks were taken from."""
    _check_blocks(kernel_size, dilation, padding, stride)
    if self.ndim not in (2, 3) or 0 in self.shape[-2:]:
        fail(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(self.shape)}"
        )
    place = self.ndim - 2
    area = kernel_size[0] * kernel_size[1]
    if self.shape[-2] % area:
        fail(
            f"Expected size of input's dimension {place} to be divisible by the product of kernel_size, but got "
            f"input.size({place})={self.shape[-2]} and kernel_size={_shown(kernel_size)}."
        )
    out = _blocks(output_size, kernel_size, dilation, padding, stride)
    if out[0] * out[1] != self.shape[-1] or min(out) < 1:
        fail(
            f"Given output_size={_shown(output_size)}, kernel_size={_shown(kernel_size)}, "
            f"dilation={_shown(dilation)}, padding={_shown(padding)}, stride={_shown(stride)}, expected size of "
            f"input's dimension {place + 1} to match the calculated number of sliding blocks "
            f"{out[0]} * {out[1]} = {out[0] * out[1]}, but got input.size({place + 1})={self.shape[-1]}."
        )
    columns = self.reshape(*self.shape[:-2], self.shape[-2] // area, *kernel_size, *out)
    grown = tuple([n + 2 * p for n, p in zip(output_size, padding, strict=True)])
    return cropped(fold(columns, grown, kernel_size, out, stride, dilation), padding, output_size)


# Under names of their own in the registry: a tensor's own unfold is another function.
@public("F.unfold")
@composite
def unfold_blocks(input: Value, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Value:
    """Each block of pixels that a sliding window meets, as a column."""
    return im2col(input, *[spread(v, 2) for v in (kernel_size, dilation, padding, stride)])


@public("F.fold")
@composite
def fold_blocks(
    input: Value, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Value:
    """Columns added up to an image: the adjoint of unfold."""
    return col2im(input, *[spread(v, 2) for v in (output_size, kernel_size, dilation, padding, stride)])


# -- channels as pixels ----------------------------------------------------------------------------


@public("torch F")
@primitive(self=lambda g, upscale_factor: pixel_unshuffle(g, upscale_factor))
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    """Channels laid out as pixels: (C r^2, H, W) becomes (C, H r, W r)."""
    r = upscale_factor
    _check_image("pixel_shuffle", "upscale_factor", self, r)
    *lead, c, h, w = self.shape
    if c % (r * r):
        fail(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={c} is not divisible by {r * r}"
        )
    n = len(lead)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    shuffled = self.reshape(*lead, c // (r * r), r, r, h, w).transpose(order).copy()
    return shuffled.reshape(*lead, c // (r * r), h * r, w * r)


@public("torch F")
@primitive(self=lambda g, downscale_factor: pixel_shuffle(g, downscale_factor))
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    """Pixels laid out as channels: (C, H r, W r) becomes (C r^2, H, W)."""
    r = downscale_factor
    _check_image("pixel_unshuffle", "downscale_factor", self, r)
    *lead, c, h, w = self.shape
    for name, place, size in (("height", -2, h), ("width", -1, w)):
        if size % r:
            fail(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({place})={size} "
                f"is not divisible by {r}"
            )
    n = len(lead)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    shuffled = self.reshape(*lead, c, h // r, r, w // r, r).transpose(order).copy()
    return shuffled.reshape(*lead, c * r * r, h // r, w // r)


def _check_image(name: str, argument: str, x: Array, r: int) -> None:
    if x.ndim < 3:
        fail(f"{name} expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)")
    if r <= 0:
        fail(f"{name} expects a positive {argument}, but got {r}")
