"""Convolutions as users call them: over one, two or three axes, batched or not, padded by number or by name."""

from __future__ import annotations

import warnings
from typing import Any

from ....errors import EngineTypeError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_ints, only_sizes
from ...costs import CUBED, costs
from ...registry import composite, public
from ...tensor import Value
from ..pool.windows import Sizes, spread
from .trilinear_convolution import convolution


def _convolve(
    name: str, input: Value, weight: Value, bias: Value | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Value:
    n = int(name[-2])
    batched = _batched(name, input, n)
    _check_rank(weight)
    x = input if batched else ops.views.unsqueeze(input, 0)
    by_name = padding if isinstance(padding, str) else None
    if by_name == "same" and weight.ndim != x.ndim:
        fail(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but "
            f"got {x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    named = (("stride", stride), ("padding", 0 if by_name else padding), ("dilation", dilation))
    stride, padding, dilation = (_listed(a, v, n, weight) for a, v in named)
    if by_name:
        x, padding = _pad_by_name(x, weight, stride, by_name, dilation)
    y = convolution(x, weight, bias, stride, padding, dilation, False, (0,) * len(stride), groups)
    return y if batched else ops.views.squeeze(y, 0)


def _convolve_transposed(
    name: str,
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Value:
    if type(groups) is not int:
        only_ints(name, groups=groups)
    only_sizes(name, stride=stride, padding=padding, output_padding=output_padding, dilation=dilation)
    n = int(name[-2])
    batched = _batched(name, input, n)
    named = (("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", output_padding))
    if isinstance(padding, str):
        raise EngineTypeError(f"{name}(): argument 'padding' must be tuple of ints, not str")
    _check_rank(weight)
    stride, padding, dilation, output_padding = (_listed(a, v, n, weight) for a, v in named)
    x = input if batched else ops.views.unsqueeze(input, 0)
    y = convolution(x, weight, bias, stride, padding, dilation, True, output_padding, groups)
    return y if batched else ops.views.squeeze(y, 0)


def _batched(name: str, input: Value, n: int) -> bool:
    if input.ndim not in (n + 1, n + 2):
        fail(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return bool(input.ndim == n + 2)


def _check_rank(weight: Value) -> None:
    if weight.ndim < 3:
        fail("weight should have at least three dimensions")


def _listed(argument: str, value: Any, n: int, weight: Value) -> Sizes:
    found = spread(value, n)
    n = weight.ndim - 2
    if len(found) == 1:
        return found * n
    if len(found) != n:
        fail(
            f"expected {argument} to be a single integer value or a list of {n} values to match the convolution "
            f"dimensions, but got {argument}={list(found)}"
        )
    return found


def _pad_by_name(x: Value, weight: Value, stride: Sizes, padding: str, dilation: Sizes) -> tuple[Value, Sizes]:
    """The input, padded where that cannot be left to the convolution, and the convolution's own padding."""
    if padding == "valid":
        return x, (0,) * len(stride)
    if padding != "same":
        fail(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        fail("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(t % 2 for t in totals):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created",
            UserWarning,
            stacklevel=4,
        )
        odd = [n for t in reversed(totals) for n in (0, t % 2)]
        while odd[-2:] == [0, 0]:
            odd = odd[:-2]
        x = ops.padding.pad_any(x, tuple(odd))
    return x, tuple([t // 2 for t in totals])


@public("torch F")
@costs("spatial.convolved", 1, careful=CUBED)
@under_autocast("lower")
@composite
def conv1d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Value:
    """Convolution over one axis."""
    return _convolve("conv1d", input, weight, bias, stride, padding, dilation, groups)


@public("torch F")
@costs("spatial.convolved_in_time", careful=CUBED)
@under_autocast("lower")
@composite
def conv_tbc(input: Value, weight: Value, bias: Value, pad: int = 0) -> Value:
    """Convolution over time, which is the first axis: batch and channels follow."""
    if input.ndim != 3:
        fail("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        fail("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        fail("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        fail("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.shape[2] != bias.shape[0]:
        fail("Bias size must equal dim 2 in the weight tensor (output channels).")
    rows, kernel = ops.views.permute(input, (1, 2, 0)), ops.views.permute(weight, (2, 1, 0))
    return ops.views.permute(_convolve("conv1d", rows, kernel, bias, 1, pad, 1, 1), (2, 0, 1)).contiguous()


@public("torch F")
@costs("spatial.convolved", 2, careful=CUBED)
@under_autocast("lower")
@composite
def conv2d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Value:
    """Convolution over two axes."""
    return _convolve("conv2d", input, weight, bias, stride, padding, dilation, groups)


@public("torch.convolution")
@costs("spatial.convolved_any_way", careful=CUBED)
@under_autocast("lower")
@composite
def convolution_any_way(
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Value:
    """Convolution over the axes that the weight has, or its transpose."""
    _check_rank(weight)
    named = (("stride", stride), ("padding", padding), ("dilation", dilation), ("output_padding", output_padding))
    stride, padding, dilation, output_padding = (_listed(a, v, weight.ndim - 2, weight) for a, v in named)
    return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@public("torch F")
@costs("spatial.convolved", 3, careful=CUBED)
@under_autocast("lower")
@composite
def conv3d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Value:
    """Convolution over three axes."""
    return _convolve("conv3d", input, weight, bias, stride, padding, dilation, groups)


@public("torch F")
@costs("spatial.transposed", 1, careful=CUBED)
@under_autocast("lower")
@composite
def conv_transpose1d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Value:
    """Transposed convolution over one axis."""
    return _convolve_transposed(
        "conv_transpose1d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@public("torch F")
@costs("spatial.transposed", 2, careful=CUBED)
@under_autocast("lower")
@composite
def conv_transpose2d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Value:
    """Transposed convolution over two axes."""
    return _convolve_transposed(
        "conv_transpose2d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@public("torch F")
@costs("spatial.transposed", 3, careful=CUBED)
@under_autocast("lower")
@composite
def conv_transpose3d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Value:
    """Transposed convolution over three axes."""
    return _convolve_transposed(
        "conv_transpose3d", input, weight, bias, stride, padding, output_padding, groups, dilation
    )
