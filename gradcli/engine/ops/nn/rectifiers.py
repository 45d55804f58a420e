"""Activations made of straight pieces: rectifiers, clamps, shrinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, not_a_tensor
from ...declaration import given_for_out
from ...dtypes import DTYPES, zeros_of
from ...memory.layout import like_operands
from ...numeric.common import quiet
from ...registry import elementwise, primitive, public, shared
from ...tensor import Array, Tensor, Value
from ...writes.inplace import write_with
from ..common import ge, gt, le, lt, re
from ..pointwise.masks import pick, refuse_integers, zeroed
from ..pointwise.remainders import zeros


def _self(self: Array, *_: Any) -> Array:
    return self


# -- the rectifier -----------------------------------------------------------------------------


@elementwise(
    backward=True, grad_output=lambda g, self, threshold: threshold_backward(g, self, threshold), self=zeros,
    rounding="exact",
)
def threshold_backward(grad_output: Array, self: Array, threshold: Any) -> Array:
    """Gradient of a threshold: that of the output above it, 0 elsewhere."""
    return like_operands(zeroed(grad_output, le(self, threshold)), self, grad_output)


@public("torch Tensor Tensor_ torch_ F_")
@elementwise(kink=_self, self=lambda g, result: threshold_backward(g, result, 0), rounding="exact")
def relu(self: Array) -> Array:
    """Rectifier, max(input, 0); its slope at 0 is 0."""
    kind = self.dtype.kind
    if kind == "c":
        return pick(self.real > 0, self, 0)
    if kind == "b":
        fail("Boolean inputs not supported for relu")
    row = self.shape[-1:]
    # NumPy compares with a single 0 element by element, with a row of them by vectors.
    return np.maximum(self, zeros_of(row, self.dtype) if row >= (32,) else 0)


@public("F.relu")
def relu_function(input: Value, inplace: bool = False) -> Value:
    """Rectifier, max(input, 0)."""
    return write_with(relu, input, (), {}) if inplace else relu(input)


def _cut(self: Array, threshold: Any, value: Any) -> Array:
    if self.dtype.kind == "b":
        refuse_integers("threshold_cpu", self)
    threshold, value = (ops.filled.fitted(x, self.dtype) for x in (threshold, value))
    return pick(le(self, threshold), value, self)


def _distance(self: Array, threshold: Any, value: Any) -> Array:
    return self - threshold


@public("torch")
@elementwise(kink=_distance, self=lambda g, self, threshold: threshold_backward(g, self, threshold))
def threshold(self: Array, threshold: Any, value: Any) -> Array:
    """The input above a threshold, a value elsewhere."""
    return _cut(self, threshold, value)


@public("torch_.threshold F_.threshold")
@elementwise(
    node="ThresholdBackward1",
    kink=_distance,
    self=lambda g, self, threshold: threshold_backward(g, self, threshold),
)
def threshold_in_place(self: Array, threshold: Any, value: Any) -> Array:
    """The input above a threshold, a value elsewhere, to be written over the input."""
    return _cut(self, threshold, value)


# Under a name that no parameter hides.
_threshold = threshold


@public("F.threshold")
def threshold_function(input: Value, threshold: float, value: float, inplace: bool = False) -> Value:
    """The input above a threshold, a value elsewhere."""
    if inplace:
        return write_with(threshold_in_place, input, (threshold, value), {})
    return _threshold(input, threshold, value)


# -- leaky rectifiers --------------------------------------------------------------------------


def _leaked(a: Array, x: Array, slope: Any) -> Array:
    """``a`` where x is positive, a multiple of it elsewhere."""
    return pick(gt(x, 0), a, a * slope)


@elementwise(
    backward=True,
    grad_output=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope, False), self=zeros
)
def leaky_relu_backward(grad_output: Array, self: Array, negative_slope: Any, self_is_result: bool) -> Array:
    """Gradient of the leaky rectifier, from its input or its result."""
    if self_is_result and negative_slope < 0:
        fail(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. "
            "This is caused by calling in-place forward function with a negative slope, please call out-of-place "
            "version instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting "
            "in-place leakRelu backward calculation with negative slope"
        )
    return like_operands(_leaked(grad_output, self, negative_slope), self, grad_output)


@elementwise(
    kink=_self, self=lambda g, self, negative_slope: leaky_relu_backward(g, self, negative_slope, False),
    rounding="once",
)
def leaky_relu(self: Array, negative_slope: Any = 0.01) -> Array:
    """Leaky rectifier: the input, or a small multiple of it below 0."""
    refuse_integers("leaky_relu_cpu", self)
    return _leaked(self, self, negative_slope)


@public("F_.leaky_relu")
@elementwise(
    node="LeakyReluBackward1",
    kink=_self,
    self=lambda g, result, negative_slope: leaky_relu_backward(g, result, negative_slope, True),
)
def leaky_relu_in_place(self: Array, negative_slope: Any = 0.01) -> Array:
    """Leaky rectifier, to be written over the input."""
    return _leaked(self, self, negative_slope)


@public("F.leaky_relu")
def leaky_relu_function(input: Value, negative_slope: float = 0.01, inplace: bool = False) -> Value:
    """Leaky rectifier: the input, or a small multiple of it below 0."""
    if inplace:
        return write_with(leaky_relu_in_place, input, (negative_slope,), {})
    return leaky_relu(input, negative_slope)


def _prelu_share(g: Any, self: Value, weight: Value) -> Value:
    """Gradient of the output's gradient, from those of the two results."""
    one, two = g
    high = ge(self, 0)
    if one is None:
        return ops.choosing.where(high, 0, two * self)
    return ops.choosing.where(high, one, one * weight if two is None else one * weight + two * self)


def _prelu_part(g: Any, k: int, grad_output: Value, like: Value, self: Value) -> Value:
    return zeros(like) if g[k] is None else ops.choosing.where(ge(self, 0), 0, grad_output * g[k])


@primitive(
    backward=True,
    outputs=("result0", "result1"),
    broadcasts=True,
    grad_output=_prelu_share,
    self=lambda g, grad_output, self: _prelu_part(g, 1, grad_output, self, self),
    weight=lambda g, grad_output, self: _prelu_part(g, 0, grad_output, self, self),
)
def prelu_kernel_backward(grad_output: Array, self: Array, weight: Array) -> tuple[Array, Array]:
    """Gradients of the rectifier with a learned slope, by the input and by the slope."""
    high = gt(self, 0)
    return (
        like_operands(pick(high, grad_output, grad_output * weight), self, grad_output),
        like_operands(pick(high, 0, grad_output * self), self, grad_output),
    )


@primitive(
    broadcasts=True,
    kink=lambda self, weight: self,
    joint=lambda g, self, weight, wanted: prelu_kernel_backward(g, self, weight),
    self=shared,
    weight=shared,
    form="aligned",
    no_whole="prelu_cpu",
)
def prelu_kernel(self: Array, weight: Array) -> Array:
    """The rectifier with a slope for each element."""
    return pick(gt(self, 0), self, self * weight)


@public("torch Tensor F")
@under_autocast("lower")
def prelu(input: Value, weight: Value) -> Value:
    """Rectifier with a learned slope below 0, one or one for each channel."""
    for place, (name, x) in enumerate((("input", input), ("weight", weight)), 1):
        if not isinstance(x, Tensor):
            raise not_a_tensor("prelu", name, place, x)
    a, w = input._a, weight._a
    if a.dtype != w.dtype:
        found = [DTYPES[x.dtype].tensor_name for x in (a, w)]
        fail(f"prelu: Type promoting not supported. Got {found[0]} and {found[1]}")
    if w.size != 1:
        if not a.ndim:
            fail("Not allow zero-dim input tensor.")
        channels = a.shape[1] if a.ndim > 1 else 1
        if channels != w.size:
            fail(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{w.size} and channel size = {channels}."
            )
    if w.ndim > 1:
        fail(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")
    if a.ndim == 0:
        weight = ops.views.view(weight, ()) if w.ndim else weight
    elif a.ndim > 1 or not w.ndim:
        size = [1] * a.ndim
        size[min(1, a.ndim - 1)] = w.size
        weight = ops.views.view(weight, tuple(size))
    return prelu_kernel(input, weight)


# -- clamps ------------------------------------------------------------------------------------


def _ends(self: Array, min_val: Any, max_val: Any) -> Array:
    return (self - min_val) * (self - max_val)


@elementwise(
    backward=True,
    grad_output=lambda g, self, min_val, max_val: hardtanh_backward(g, self, min_val, max_val), self=zeros
)
def hardtanh_backward(grad_output: Array, self: Array, min_val: Any, max_val: Any) -> Array:
    """Gradient of a clamp: that of the output strictly between its ends."""
    return zeroed(grad_output, ~(gt(self, min_val) & lt(self, max_val)))


def between(self: Array, low: Any, high: Any) -> Array:
    """An array held between two numbers."""
    if self.dtype.kind == "c":
        return pick(self.real < low, low, pick(self.real > high, high, self))
    return np.minimum(np.maximum(self, low), high)


@public("F_")
@elementwise(kink=_ends, self=lambda g, self, min_val, max_val: hardtanh_backward(g, self, min_val, max_val))
def hardtanh(self: Array, min_val: Any = -1, max_val: Any = 1) -> Array:
    """The input, held between two numbers; its slope at them is 0."""
    kind = self.dtype.kind
    if kind == "b":
        fail("Bool inputs not supported for hardtanh")
    if kind == "u" and min_val < 0:
        fail("cannot do hardtanh on an unsigned type with negative limits")
    if kind not in "fc":
        min_val, max_val = int(min_val), int(max_val)
    return between(self, min_val, max_val)


@public("F.hardtanh")
def hardtanh_function(input: Value, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Value:
    """The input, held between two numbers."""
    if min_val > max_val:
        raise EngineValueError("min_val cannot be greater than max_val")
    return write_with(hardtanh, input, (min_val, max_val), {}) if inplace else hardtanh(input, min_val, max_val)


@public("F")
def relu6(input: Value, inplace: bool = False) -> Value:
    """The input, held between 0 and 6."""
    return write_with(hardtanh, input, (0, 6), {}) if inplace else hardtanh(input, 0, 6)


def _near_three(self: Array, *_: Any) -> Array:
    return _ends(self, -3, 3)


# PyTorch's kernel has this slope in single precision, whatever the dtype.
_SIXTH = float(np.float32(1) / np.float32(6))


@elementwise(not_implemented="hardsigmoid_backward", backward=True, grad_output=zeros, self=zeros)
def hardsigmoid_backward(grad_output: Array, self: Array) -> Array:
    """Gradient of the straight sigmoid."""
    return zeroed(grad_output * _SIXTH, ~(gt(self, -3) & lt(self, 3)))


@elementwise(kink=_near_three, self=lambda g, self: hardsigmoid_backward(g, self))
def hardsigmoid(self: Array) -> Array:
    """Sigmoid of straight pieces, clamp(input + 3, 0, 6) / 6."""
    refuse_integers("hardsigmoid_cpu", self)
    return between(self + 3, 0, 6) / 6


@public("F.hardsigmoid")
def hardsigmoid_function(input: Value, inplace: bool = False) -> Value:
    """Sigmoid of straight pieces, clamp(input + 3, 0, 6) / 6."""
    return write_with(hardsigmoid, input, (), {}) if inplace else hardsigmoid(input)


def _slope_of_slope(g: Value, grad_output: Value, self: Value) -> Value:
    return ops.choosing.where(gt(self, -3.0) & lt(self, 3.0), g * grad_output / 3.0, 0)


@elementwise(backward=True, grad_output=lambda g, self: hardswish_backward(g, self), self=_slope_of_slope)
def hardswish_backward(grad_output: Array, self: Array) -> Array:
    """Gradient of the straight swish."""
    inner = pick(ge(self, 3), grad_output, grad_output * (self / 3 + 0.5))
    return zeroed(inner, le(self, -3))


@elementwise(kink=_near_three, self=lambda g, self: hardswish_backward(g, self))
def hardswish(self: Array) -> Array:
    """Swish of straight pieces, input * hardsigmoid(input)."""
    refuse_integers("hardswish_cpu", self)
    return quiet(np.multiply, self, between(self + 3, 0, 6)) / 6


@public("F.hardswish")
def hardswish_function(input: Value, inplace: bool = False) -> Value:
    """Swish of straight pieces, input * hardsigmoid(input)."""
    return write_with(hardswish, input, (), {}) if inplace else hardswish(input)


# -- shrinks -----------------------------------------------------------------------------------


def _at_lambda(self: Array, lambd: Any = 0.5) -> Array:
    return _ends(self, -lambd, lambd)


def _not_outside(self: Array, lambd: Any) -> Array:
    x = re(self)
    return ~((x > lambd) | (x < -lambd))


@elementwise(backward=True, grad_output=lambda g, self, lambd: softshrink_backward(g, self, lambd), self=zeros)
def softshrink_backward(grad_output: Array, self: Array, lambd: Any) -> Array:
    """Gradient of the soft shrink."""
    return zeroed(grad_output, _not_outside(self, lambd))


@public("F")
@given_for_out("Found dtype {given} but expected {found}")
@elementwise(kink=_at_lambda, self=lambda g, self, lambd: softshrink_backward(g, self, lambd))
def softshrink(self: Array, lambd: Any = 0.5) -> Array:
    """The input moved toward 0 by lambd, and 0 within it."""
    refuse_integers("softshrink_check", self)
    if lambd < 0:
        name, limit = DTYPES[self.dtype].tensor_name, np.finfo(self.dtype).max
        fail(f"lambda must be in range [0, {limit:g}] for input dtype {name}, but found {lambd:g}")
    return pick(gt(self, lambd), self - lambd, pick(lt(self, -lambd), self + lambd, quiet(np.multiply, self, 0)))


@elementwise(backward=True, grad_out=lambda g, self, lambd: hardshrink_backward(g, self, lambd), self=zeros)
def hardshrink_backward(grad_out: Array, self: Array, lambd: Any) -> Array:
    """Gradient of the hard shrink."""
    return zeroed(grad_out, _not_outside(self, lambd))


@public("torch Tensor F")
@given_for_out("Found dtype {given} but expected {found}")
@elementwise(kink=_at_lambda, self=lambda g, self, lambd: hardshrink_backward(g, self, lambd))
def hardshrink(self: Array, lambd: Any = 0.5) -> Array:
    """The input, and 0 within lambd of 0."""
    refuse_integers("hardshrink_cpu", self)
    return zeroed(self, ge(self, -lambd) & le(self, lambd))
