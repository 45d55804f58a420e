"""The exponential linear units."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...call_errors import fail, is_value, not_a_tensor
from ...numeric.common import quiet
from ...numeric.halves import converted
from ...numeric.kernels.vectors import expm1_in_loop, exponential_in_loop
from ...registry import elementwise, public
from ...tensor import Array, Tensor, Value, result as as_result
from ...writes.inplace import write_with
from ..common import gt, lt
from ..pointwise.masks import pick, refuse_integers

# The scale and the alpha at which activations keep mean 0 and variance 1.
_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


def indicator(mask: Value, like: Value) -> Value:
    """A mask as ones and zeros, in the dtype of ``like``."""
    if isinstance(mask, Tensor):
        return as_result(converted(mask._a, like._a.dtype))
    return converted(mask, like.dtype)


def _slope_of_slope(
    g: Value, grad_output: Value, self_or_result: Value, alpha: Any, scale: Any, input_scale: Any, is_result: bool
) -> Value:
    below = indicator(lt(self_or_result, 0), g)
    h = g * grad_output * input_scale
    if is_result:
        return h * below
    return elu_backward(h, self_or_result, alpha, scale, input_scale, is_result) * below


@elementwise(
    backward=True,
    grad_output=lambda g, self_or_result, alpha, scale, input_scale, is_result: elu_backward(
        g, self_or_result, alpha, scale, input_scale, is_result
    ),
    self_or_result=_slope_of_slope,
)
def elu_backward(
    grad_output: Array, self_or_result: Array, alpha: Any, scale: Any, input_scale: Any, is_result: bool
) -> Array:
    """Gradient of the exponential linear unit, from its input or its result."""
    if is_result and alpha < 0:
        fail(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    x = self_or_result
    factor = alpha * scale
    low = grad_output * input_scale
    low = low * (x + factor) if is_result else low * factor * quiet(exponential_in_loop, x * input_scale)
    return pick(gt(x, 0), grad_output * scale, low)


def _elu(self: Array, alpha: Any, scale: Any, input_scale: Any) -> Array:
    refuse_integers("elu_cpu", self)
    if self.dtype.kind == "c":
        low = quiet(np.expm1, self * input_scale) * (alpha * scale)
        return pick(self.real < 0, low, self * scale)
    low = quiet(expm1_in_loop, self if input_scale == 1 else self * input_scale)
    if alpha * scale != 1:
        low *= alpha * scale
    return pick(self > 0, self if scale == 1 else self * scale, low)


def _kink(self: Array, *_: Any) -> Array:
    return self


@elementwise(
    kink=_kink,
    self=lambda g, self, alpha, scale, input_scale: elu_backward(g, self, alpha, scale, input_scale, False),
)
def elu(self: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    """Exponential linear unit: the input, or alpha * expm1(input) below 0."""
    return _elu(self, alpha, scale, input_scale)


@public("F_.elu")
@elementwise(
    node="EluBackward1",
    kink=_kink,
    self=lambda g, result, alpha, scale, input_scale: elu_backward(g, result, alpha, scale, input_scale, True),
)
def elu_in_place(self: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    """Exponential linear unit, to be written over the input."""
    return _elu(self, alpha, scale, input_scale)


@public("F.elu")
def elu_function(input: Value, alpha: float = 1.0, inplace: bool = False) -> Value:
    """Exponential linear unit: the input, or alpha * expm1(input) below 0."""
    return write_with(elu_in_place, input, (alpha, 1, 1), {}) if inplace else elu(input, alpha, 1, 1)


@public("torch.selu F")
def selu(input: Value, inplace: bool = False) -> Value:
    """Exponential linear unit, scaled so that activations keep mean 0 and variance 1."""
    if not is_value(input):
        raise not_a_tensor("selu_" if inplace else "selu", "input", 1, input)
    if inplace:
        return write_with(elu_in_place, input, (_SELU_ALPHA, _SELU_SCALE, 1), {})
    return elu(input, _SELU_ALPHA, _SELU_SCALE, 1)


def _single(alpha: Any) -> float:
    """1 / alpha, from alpha in single precision, as PyTorch's formula has it."""
    return 1.0 / float(np.float32(alpha))


def _celu(self: Array, alpha: Any) -> Array:
    if alpha == 0:
        fail("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _elu(self, alpha, 1, 1.0 / alpha)


@elementwise(kink=_kink, self=lambda g, self, alpha: elu_backward(g, self, alpha, 1, _single(alpha), False))
def celu(self: Array, alpha: Any = 1.0) -> Array:
    """Exponential linear unit with a continuous slope: alpha * expm1(input / alpha) below 0."""
    return _celu(self, alpha)


@public("torch_.celu F_.celu")
@elementwise(
    node="CeluBackward1",
    kink=_kink,
    self=lambda g, result, alpha: elu_backward(g, result, alpha, 1, _single(alpha), True),
)
def celu_in_place(self: Array, alpha: Any = 1.0) -> Array:
    """Exponential linear unit with a continuous slope, to be written over the input."""
    return _celu(self, alpha)


@public("torch.celu F.celu")
def celu_function(input: Value, alpha: float = 1.0, inplace: bool = False) -> Value:
    """Exponential linear unit with a continuous slope: alpha * expm1(input / alpha) below 0."""
    return write_with(celu_in_place, input, (alpha,), {}) if inplace else celu(input, alpha)


@public("torch.selu_ F.selu_")
def selu_(input: Tensor) -> Value:
    """Exponential linear unit that keeps mean 0 and variance 1, in place."""
    return selu(input, True)
