"""Numbers as they come back from a quantisation, with the gradient of what they were before it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....errors import EngineError, EngineNotImplementedError
from ...call_errors import fail, no_overload
from ...dtypes import DTYPES, F32
from ...modes import mode
from ...numeric.halves import is_half
from ...registry import composite, primitive, public
from ...tape.entry import ESTIMATOR
from ...tensor import Array, Tensor, Value, made_like
from ..common import axis as place_of

# What PyTorch names the node for, by how scale and zero point are given: as numbers, tensors, tensors of channels.
_NAME = "FakeQuantizePer{}Backward0"


def _stepped(self: Array, held: Array, steps: Array, mask: Array) -> Array:
    """The steps, and what the input has moved since: it is held where they were taken of it."""
    moved: Array = steps + np.where(mask, self - held, self.dtype.type(0))
    return moved


@primitive(
    node=_NAME.format("TensorAffineCachemask"), without_rule=("held", "steps", "mask"),
    self=lambda g, mask: g * mask, form="aligned",
)
def fake_quantized_by_numbers(self: Array, held: Array, steps: Array, mask: Array) -> Array:
    """Steps of one size, with the gradient of what is rounded to them."""
    return _stepped(self, held, steps, mask)


@primitive(
    node=_NAME.format("TensorAffineCachemaskTensorQparams"), without_rule=("held", "steps", "mask"),
    self=lambda g, mask: g * mask, form="aligned",
)
def fake_quantized_by_tensors(self: Array, held: Array, steps: Array, mask: Array) -> Array:
    """Steps of one size that a tensor gives, with the gradient of what is rounded to them."""
    return _stepped(self, held, steps, mask)


@primitive(
    node=_NAME.format("ChannelAffineCachemask"), without_rule=("held", "steps", "mask"),
    self=lambda g, mask: g * mask, form="aligned",
)
def fake_quantized_by_channels(self: Array, held: Array, steps: Array, mask: Array) -> Array:
    """Steps of a size for each channel, with the gradient of what is rounded to them."""
    return _stepped(self, held, steps, mask)


def _rounded(op: Any, kind: str, input: Tensor, scale: Any, zero_point: Any, low: int, high: int) -> Value:
    """The nearest steps within a range, by one of the ops."""
    a = input._a
    if a.dtype.kind != "f":
        kernel = f"fake_quantize_{kind}_cachemask_kernel_type_handling"
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[a.dtype].tensor_name}'")
    # PyTorch computes in single precision what is in half, and takes scales in single precision.
    wide = a.astype(F32) if is_half(a.dtype) else a
    with np.errstate(all="ignore"):
        at = np.rint(wide * (F32.type(1) / scale)) + zero_point
        inside = np.fmin(np.fmax(at, low), high)
        steps = ((inside - zero_point) * scale).astype(a.dtype)
    mask = (at >= low) & (at <= high)
    held = input.detach()
    if mode.tape is not None:
        # That another gradient stands for that of the steps is what the function is for.
        mode.tape.cut(held, input, ESTIMATOR)
    found: Value = op(input, held, made_like(input, steps), made_like(input, mask))
    return found


def _checked_range(low: int, high: int) -> None:
    if low > high:
        fail("`quant_min` should be less than or         equal to `quant_max`.")


def _outside() -> EngineError:
    return EngineError("`zero_point` must be between `quant_min` and `quant_max`.")


@public("torch")
@composite
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Value:
    """The input in steps of one size, within a range, with the gradient of the input where it lies inside."""
    low, high = operator.index(quant_min), operator.index(quant_max)
    _checked_range(low, high)
    if isinstance(scale, Tensor) != isinstance(zero_point, Tensor) or isinstance(zero_point, float):
        raise no_overload("fake_quantize_per_tensor_affine", input, scale, zero_point, low, high)
    if isinstance(scale, Tensor):
        point = zero_point._a.astype(F32) if zero_point._a.dtype.kind == "f" else int(zero_point.item())
        return _rounded(fake_quantized_by_tensors, "tensor", input, F32.type(scale.item()), point, low, high)
    if not low <= zero_point <= high:
        raise _outside()
    return _rounded(fake_quantized_by_numbers, "tensor", input, F32.type(scale), zero_point, low, high)


@public("torch")
@composite
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Value:
    """The input in steps of a size for each place on an axis, with the gradient of the input where it lies inside."""
    _checked_range(quant_min, quant_max)
    scales, points = scale._a, zero_point._a
    if scales.dtype != F32:
        fail(f"Scale must be Float, found {DTYPES[scales.dtype].tensor_name}")
    if points.dtype != np.int32 and points.dtype.kind != "f":
        fail(f"Zero-point must be Int32, Float or Half, found {DTYPES[points.dtype].tensor_name}")
    if scales.ndim != 1 or points.ndim != 1:
        fail(f"scale {'should be a 1-D tensor' if scales.ndim != 1 else 'and zero-point should be 1-D tensors'}")
    if scales.shape != points.shape:
        fail("scale and zero-point need to have the same dimensions")
    at = place_of(axis, input.ndim)
    if len(scales) != input.shape[at]:
        fail("dimensions of scale and zero-point are not consistent with input tensor")
    if points.dtype == np.int32 and not ((points >= quant_min) & (points <= quant_max)).all():
        raise _outside()
    shape = [1] * input.ndim
    shape[at] = -1
    points = points.astype(F32).reshape(shape)
    return _rounded(fake_quantized_by_channels, "channel", input, scales.reshape(shape), points, quant_min, quant_max)
