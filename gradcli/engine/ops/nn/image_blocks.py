"""Images in other orders: sliding blocks as columns, channels as pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import fail, only_sizes
from ...costs import CUBED, SQUARED, costs
from ...dtypes import DTYPES
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..common import axis
from ..memory_order import laid_as
from ..pool.windows import Sizes, cropped, fold, padded, spread, windows

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
    form="folded",
)
def im2col(self: Array, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Array:
    """Each block that a window meets, as a column."""
    _check_blocks(kernel_size, dilation, padding, stride)
    if self.ndim not in (3, 4) or 0 in self.shape[-3:]:
        fail(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(self.shape)}"
        )
    if self.dtype.kind not in "fc" and self.dtype.kind != "b":
        raise EngineNotImplementedError(f"\"im2col_out_cpu\" not implemented for '{DTYPES[self.dtype].tensor_name}'")
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
    no_whole="col2im_out_cpu but bools",
    node="Col2ImBackward0",
    self=lambda g, kernel_size, dilation, padding, stride: im2col(g, kernel_size, dilation, padding, stride),
    form="folded",
)
def col2im(
    self: Array, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Array:
    """Columns added to where their blocks were taken from."""
    if len(output_size) != 2:
        fail(f"It is expected output_size equals to 2, but got size {len(output_size)}")
    _check_blocks(kernel_size, dilation, padding, stride)
    if self.ndim not in (2, 3) or 0 in self.shape[-2:]:
        fail(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(self.shape)}"
        )
    area = kernel_size[0] * kernel_size[1]
    if self.shape[-2] % area:
        fail(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={self.shape[-2]} and kernel_size={_shown(kernel_size)}."
        )
    out = _blocks(output_size, kernel_size, dilation, padding, stride)
    if out[0] * out[1] != self.shape[-1] or min(out) < 1:
        fail(
            f"Given output_size={_shown(output_size)}, kernel_size={_shown(kernel_size)}, "
            f"dilation={_shown(dilation)}, padding={_shown(padding)}, stride={_shown(stride)}, expected size of "
            f"input's dimension 2 to match the calculated number of sliding blocks "
            f"{out[0]} * {out[1]} = {out[0] * out[1]}, but got input.size(2)={self.shape[-1]}."
        )
    columns = self.reshape(*self.shape[:-2], self.shape[-2] // area, *kernel_size, *out)
    grown = tuple([n + 2 * p for n, p in zip(output_size, padding, strict=True)])
    return cropped(fold(columns, grown, kernel_size, out, stride, dilation), padding, output_size)


# Under names of their own in the registry: a tensor's own unfold is another function.
@public("F.unfold")
@costs("spatial.unfolded", careful=CUBED)
@composite
def unfold_blocks(input: Value, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Value:
    """Each block of pixels that a sliding window meets, as a column."""
    only_sizes("im2col", dilation=dilation, padding=padding, stride=stride, places=(3, 4, 5))
    axis(2, input.ndim)
    return im2col(input, *[spread(v, 2) for v in (kernel_size, dilation, padding, stride)])


@public("F.fold")
@costs("spatial.folded", careful=SQUARED)
@composite
def fold_blocks(
    input: Value, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Value:
    """Columns added up to an image: the adjoint of unfold."""
    return col2im(input, *[spread(v, 2) for v in (output_size, kernel_size, dilation, padding, stride)])


# -- channels as pixels ----------------------------------------------------------------------------


@public("torch F")
@primitive(self=lambda g, upscale_factor: pixel_unshuffle(g, upscale_factor), form="stacked")
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
    return laid_as(self, shuffled.reshape(*lead, c // (r * r), h * r, w * r))


@public("torch F")
@primitive(self=lambda g, downscale_factor: pixel_shuffle(g, downscale_factor), form="stacked")
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
    if not self.size:
        # PyTorch's kernel leaves it as it is.
        return self.copy()
    n = len(lead)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    shuffled = self.reshape(*lead, c, h // r, r, w // r, r).transpose(order).copy()
    return laid_as(self, shuffled.reshape(*lead, c * r * r, h // r, w // r))


@public("torch F torch.native_channel_shuffle F.native_channel_shuffle")
@primitive(self=lambda g, groups: channel_shuffle(g, g.shape[1] // groups), form="folded")
def channel_shuffle(self: Array, groups: int) -> Array:
    """Channels dealt out anew: those of each group in turn."""
    ops.filled.whole_number("channel_shuffle", "groups", 2, groups)
    if self.ndim <= 2:
        fail(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}")
    n, c, *rest = self.shape
    if groups <= 0:
        fail(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups:
        fail(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    return laid_as(self, self.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(self.shape))


def _check_image(name: str, argument: str, x: Array, r: int) -> None:
    ops.filled.whole_number(name, argument, 2, r)
    if x.ndim < 3:
        fail(f"{name} expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)")
    if r <= 0:
        fail(f"{name} expects a positive {argument}, but got {r}")
