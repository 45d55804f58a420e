"""Smooth functions of one operand: exponentials, logarithms, roots, circular and hyperbolic functions."""

from __future__ import annotations

import math

import numpy as np

from ... import ops
from ...dtypes import Array
from ...memory.layout import like_operands
from ...numeric.common import quiet
from ...numeric.halves import Brain, in_vectors, is_half, raised
from ...numeric.kernels import library, vectors
from ...numeric.kernels.fused import exactly, one_less_square
from ...numeric.kernels.roots import square_root
from ...registry import elementwise, public
from ..common import re
from .masks import pick

# -- exponentials and logarithms ---------------------------------------------------------------


def _laid(r: Array, a: Array) -> Array:
    """A result with its axes in memory as PyTorch has them, where the operand repeats elements."""
    return like_operands(r, a) if type(r) is np.ndarray and 0 in a.strides else r


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, result: g * result, floating=True, rounding="once")
def exp(self: Array) -> Array:
    """Exponential."""
    return library.exp(self)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(self=lambda g, result: g * result * math.log(2), floating=True, rounding="once")
def exp2(self: Array) -> Array:
    """Power of 2."""
    return _laid(quiet(vectors.exp2, self), self)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(self=lambda g, result: g * (result + 1), floating=True, rounding="once")
def expm1(self: Array) -> Array:
    """Exponential less 1, exact near 0."""
    return quiet(vectors.expm1, self)


# As PyTorch's formula has it, a unit in the last place above the nearest number.
_LOG_OF_10 = 2.3025850929940456


def _above_zero(self: Array) -> Array:
    return self > 0


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g / self, domain=_above_zero, floating=True, rounding="once")
def log(self: Array) -> Array:
    """Natural logarithm."""
    return library.log(self)


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g / (self * math.log(2)), domain=_above_zero, floating=True, rounding="once")
def log2(self: Array) -> Array:
    """Logarithm to base 2."""
    return _laid(exactly(np.log2, self), self)


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g / (self * _LOG_OF_10), domain=_above_zero, floating=True, rounding="once")
def log10(self: Array) -> Array:
    """Logarithm to base 10."""
    return _laid(exactly(np.log10, self), self)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(
    node="Log1PBackward0", self=lambda g, self: g / (self + 1), domain=lambda self: self > -1, floating=True,
    rounding="once",
)
def log1p(self: Array) -> Array:
    """Natural logarithm of 1 + input, exact near 0."""
    return quiet(vectors.log1p, self)


# -- roots and the reciprocal ------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, result: g / (2 * result), domain=_above_zero, floating=True, rounding="once")
def sqrt(self: Array) -> Array:
    """Square root."""
    return _laid(quiet(square_root, self), self)


def _rsqrt(a: Array) -> Array:
    return np.reciprocal(np.sqrt(a))


def inverse_root(a: Array) -> Array:
    """The reciprocal of the square root of each element."""
    return in_vectors(_rsqrt, a.dtype, a) if is_half(a.dtype) else _rsqrt(a)


@public("torch Tensor Tensor_ torch_")
@elementwise(
    self=lambda g, result: -0.5 * g * ops.power.pow(result, 3), domain=_above_zero, floating=True,
    rounding="once",
    own_precision=True,
)
def rsqrt(self: Array) -> Array:
    """Reciprocal of the square root."""
    return quiet(inverse_root, self)


@public("torch Tensor Tensor_ torch_")
@elementwise(
    self=lambda g, result: -g * (result * result), domain=lambda self: self != 0, floating=True,
    rounding="once",
)
def reciprocal(self: Array) -> Array:
    """Reciprocal, 1 / input."""
    return quiet(np.reciprocal, self)


# -- circular functions ------------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g * cos(self), floating=True, rounding="once")
def sin(self: Array) -> Array:
    """Sine."""
    return library.sin(self)


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g * -sin(self), floating=True, rounding="once")
def cos(self: Array) -> Array:
    """Cosine."""
    return library.cos(self)


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, result: g * (1 + ops.power.pow(result, 2)), floating=True, rounding="once")
def tan(self: Array) -> Array:
    """Tangent."""
    return _laid(exactly(np.tan, self), self)


def _inside_one(self: Array) -> Array:
    return np.abs(self) < 1


@public("torch Tensor Tensor_ torch_ torch.arcsin Tensor.arcsin Tensor_.arcsin torch_.arcsin")
@elementwise(self=lambda g, self: g * rsqrt(-self * self + 1), domain=_inside_one, floating=True, rounding="once")
def asin(self: Array) -> Array:
    """Inverse sine."""
    return _laid(exactly(np.arcsin, self), self)


@public("torch Tensor Tensor_ torch_ torch.arccos Tensor.arccos Tensor_.arccos torch_.arccos")
@elementwise(self=lambda g, self: g * -rsqrt(-self * self + 1), domain=_inside_one, floating=True, rounding="once")
def acos(self: Array) -> Array:
    """Inverse cosine."""
    return _laid(exactly(np.arccos, self), self)


@public("torch Tensor Tensor_ torch_ torch.arctan Tensor.arctan Tensor_.arctan torch_.arctan")
@elementwise(self=lambda g, self: g / (self * self + 1), floating=True, rounding="once")
def atan(self: Array) -> Array:
    """Inverse tangent."""
    return _laid(exactly(np.arctan, self), self)


@public("torch Tensor Tensor_ torch_")
@elementwise(node="Deg2RadBackward0", self=lambda g: g * (math.pi / 180), floating=True)
def deg2rad(self: Array) -> Array:
    """Radians from degrees."""
    return self * (math.pi / 180)


@public("torch Tensor Tensor_ torch_")
@elementwise(node="Rad2DegBackward0", self=lambda g: g * (180 / math.pi), floating=True)
def rad2deg(self: Array) -> Array:
    """Degrees from radians."""
    return self * (180 / math.pi)


# -- hyperbolic functions ----------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g * cosh(self), floating=True, rounding="once")
def sinh(self: Array) -> Array:
    """Hyperbolic sine."""
    return quiet(vectors.sinh, self)


@public("torch Tensor Tensor_ torch_")
@elementwise(self=lambda g, self: g * sinh(self), floating=True, rounding="once")
def cosh(self: Array) -> Array:
    """Hyperbolic cosine."""
    return quiet(vectors.cosh, self)


@elementwise(
    backward=True,
    grad_output=lambda g, output: tanh_backward(g, output),
    output=lambda g, grad_output, output: g * (-2 * output * grad_output),
)
def tanh_backward(grad_output: Array, output: Array) -> Array:
    """Gradient of the hyperbolic tangent, from its result."""
    return grad_output * one_less_square(output)


@public("torch Tensor Tensor_ torch_ F")
@elementwise(self=lambda g, result: tanh_backward(g, result), floating=True, rounding="once")
def tanh(self: Array) -> Array:
    """Hyperbolic tangent."""
    return library.tanh(self)


@public("torch Tensor torch.arcsinh Tensor.arcsinh")
@elementwise(self=lambda g, self: g * rsqrt(ops.power.pow(self, 2) + 1), floating=True, rounding="once")
def asinh(self: Array) -> Array:
    """Inverse hyperbolic sine."""
    return quiet(vectors.arcsinh, self)


@public("torch Tensor torch.arccosh Tensor.arccosh")
@elementwise(
    self=lambda g, self: g * rsqrt(self * self - 1), domain=lambda self: self > 1, floating=True,
    rounding="once",
)
def acosh(self: Array) -> Array:
    """Inverse hyperbolic cosine."""
    return quiet(vectors.arccosh, self)


@public("torch Tensor torch.arctanh Tensor.arctanh")
@elementwise(
    self=lambda g, self: g * 1 / (1 - ops.power.pow(self, 2)), domain=_inside_one, floating=True,
    rounding="once",
)
def atanh(self: Array) -> Array:
    """Inverse hyperbolic tangent."""
    return quiet(np.arctanh, self)


@public("Tensor_.asinh torch_.asinh Tensor_.arcsinh torch_.arcsinh")
@elementwise(
    node="AsinhBackward1", no_derivative="inplace version of asinh", self=lambda g: g, floating=True
)
def asinh_in_place(self: Array) -> Array:
    """Inverse hyperbolic sine, to be written over the input."""
    return quiet(vectors.arcsinh, self)


@public("Tensor_.acosh torch_.acosh Tensor_.arccosh torch_.arccosh")
@elementwise(
    node="AcoshBackward1", no_derivative="inplace version of acosh", self=lambda g: g, floating=True
)
def acosh_in_place(self: Array) -> Array:
    """Inverse hyperbolic cosine, to be written over the input."""
    return quiet(vectors.arccosh, self)


@public("Tensor_.atanh torch_.atanh Tensor_.arctanh torch_.arctanh")
@elementwise(
    node="AtanhBackward1", no_derivative="inplace version of atanh", self=lambda g: g, floating=True
)
def atanh_in_place(self: Array) -> Array:
    """Inverse hyperbolic tangent, to be written over the input."""
    return quiet(np.arctanh, self)


# -- the logistic function ---------------------------------------------------------------------


@elementwise(
    backward=True,
    grad_output=lambda g, output: sigmoid_backward(g, output),
    output=lambda g, grad_output, output: g * grad_output * (-2 * output + 1),
    own_precision=True,
)
def sigmoid_backward(grad_output: Array, output: Array) -> Array:
    """Gradient of the logistic function, from its result."""
    if isinstance(output, Brain):
        # PyTorch rounds each step of float16 only.
        grad_output, output = raised(grad_output), raised(output)
    return grad_output * (1 - output) * output


def _sigmoid(a: Array) -> Array:
    if a.dtype.kind == "c":
        # A complex exponential must not overflow: it is that of the negative side, for both.
        low = re(a) < 0
        e = np.exp(pick(low, a, -a))
        return pick(low, e, 1) / (1 + e)
    return np.reciprocal(vectors.one_and_exponential(a))


@public("torch Tensor Tensor_ torch_ F special.expit")
@elementwise(self=lambda g, result: sigmoid_backward(g, result), floating=True, rounding="once")
def sigmoid(self: Array) -> Array:
    """Logistic function, 1 / (1 + exp(-input))."""
    return quiet(_sigmoid, self)
