"""Arithmetic, powers and elementary functions of complex tensors."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from ....errors import EngineError
from ... import ops
from ...complex_twins import TWINS, twin, twins
from ...dtypes import promote
from ...modes import recording
from ...numeric.common import quiet
from ...tensor import Array, Value, result
from ..common import scaled
from ..make import converting
from ..pointwise import (
    arith,
    choosing,
    comparison,
    elementary,
    kinked,
    power,
    python_functions,
    remainders,
    two_operands,
)
from .lazy import conjugate as conj
from .parts import real_part

# -- sums and products -------------------------------------------------------------------------


def _times(a: Array, factor: Any) -> Array:
    return a if factor == 1 else a * a.dtype.type(factor)


def _minus(self: Array, other: Array, alpha: Any = 1) -> Array:
    return self - _times(other, alpha)


twin(
    arith.add, lambda self, other, alpha=1: self + _times(other, alpha), self=lambda g: g,
    other=lambda g, alpha: scaled(g, conj(alpha)),
)  # fmt: skip
twin(arith.sub, _minus, self=lambda g: g, other=lambda g, alpha: scaled(-g, conj(alpha)))
twin(
    arith.rsub_tensor, lambda self, other, alpha=1: other - _times(self, alpha),
    self=lambda g, alpha: scaled(-g, conj(alpha)), other=lambda g: g,
)  # fmt: skip


def _of(self: Array, number: Any) -> tuple[Array, Any]:
    """An array and a number in the dtype of both."""
    d = promote(self, number)
    return self.astype(d, copy=False), d.type(number)


def _rsub_number(self: Array, other: Any, alpha: Any = 1) -> Array:
    a, b = _of(self, other)
    return b - _times(a, alpha)


def _with_number(function: Any) -> Any:
    def forward(self: Array, other: Any) -> Array:
        a, b = _of(self, other)
        made: Array = function(a, b)
        return made

    return forward


twin(arith.rsub_number, _rsub_number, self=lambda g, alpha: scaled(-g, conj(alpha)))
twin(arith.add_number, _with_number(np.add))
twin(arith.sub_number, _with_number(np.subtract))
twin(arith.mul_number, _with_number(np.multiply), self=lambda g, other: g * conj(other))
twin(arith.div_number, _with_number(np.divide), self=lambda g, other: g / conj(other))
twin(arith.mul, self=lambda g, other: g * conj(other), other=lambda g, self: g * conj(self))


def _by_divisor(g: Value, self: Value, other: Value) -> Value:
    q = conj((self / other) / other)
    return -g * q


twin(
    arith.div, self=lambda g, other: g / conj(other), other=lambda g, self, other: _by_divisor(g, self, other)
)  # fmt: skip
twin(arith.neg)


def _addcmul(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    return self + _times(tensor1 * tensor2, value)


def _addcdiv(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    return self + _times(tensor1 / tensor2, value)


def _addcdiv_by_tensor2(g: Value, tensor1: Value, tensor2: Value, value: Any) -> Value:
    q = conj(tensor1 * value / (tensor2 * tensor2))
    return -g * q


twin(
    arith.addcmul, _addcmul,
    tensor1=lambda g, tensor2, value: g * conj(tensor2 * value),
    tensor2=lambda g, tensor1, value: g * conj(tensor1 * value),
)  # fmt: skip
twin(
    arith.addcdiv, _addcdiv,
    tensor1=lambda g, tensor2, value: g * conj(value / tensor2),
    tensor2=lambda g, tensor1, tensor2, value: _addcdiv_by_tensor2(g, tensor1, tensor2, value),
)  # fmt: skip


def _lerp(self: Array, end: Array, weight: Any) -> Array:
    way = end - self
    near = np.abs(weight) < 0.5
    found: Array = np.where(near, self + weight * way, end - way * (1 - weight))
    return found.astype(self.dtype)[()]


twin(
    arith.lerp_number, _lerp, self=lambda g, weight: g * conj(1 - weight), end=lambda g, weight: g * conj(weight)
)  # fmt: skip
twin(
    arith.lerp_tensor, _lerp, self=lambda g, weight: g * conj(1 - weight), end=lambda g, weight: g * conj(weight),
    weight=lambda g, self, end: g * conj(end - self),
)  # fmt: skip

twin(
    two_operands.ldexp, lambda self, other: self * np.exp2(other),
    self=lambda g, other: g * conj(power.power_of_number(other, 2)),
    other=lambda g, result: g * conj(result) * math.log(2),
)  # fmt: skip

# -- exponentials, logarithms, roots -----------------------------------------------------------

_LOG2, _LOG10 = math.log(2), math.log(10)


def _log1p(a: Array) -> Array:
    """The logarithm of 1 + a, of which little is lost where that is near 1."""
    x, y = a.real, a.imag
    real = 0.5 * np.log1p(x * (2 + x) + y * y)
    out = np.empty(a.shape, a.dtype)
    out.real, out.imag = real, np.arctan2(y, 1 + x)
    return out[()]


twin(elementary.exp, lambda self: np.exp(self), self=lambda g, result: g * conj(result))
twin(elementary.exp2, lambda self: np.exp2(self), self=lambda g, result: g * conj(result) * _LOG2)
twin(elementary.expm1, lambda self: np.expm1(self), self=lambda g, result: g * (conj(result) + 1))
twin(elementary.log, lambda self: np.log(self), self=lambda g, self: g / conj(self))
twin(elementary.log2, lambda self: np.log2(self), self=lambda g, self: g / (conj(self) * _LOG2))
twin(elementary.log10, lambda self: np.log10(self), self=lambda g, self: g / (conj(self) * _LOG10))
twin(elementary.log1p, _log1p, self=lambda g, self: g / conj(self + 1))
twin(elementary.sqrt, lambda self: np.sqrt(self), self=lambda g, result: g / (2 * conj(result)))
twin(
    elementary.rsqrt, lambda self: 1 / np.sqrt(self), self=lambda g, result: -0.5 * g * conj(ops.power.pow(result, 3))
)  # fmt: skip
twin(elementary.reciprocal, lambda self: 1 / self, self=lambda g, result: -g * conj(result * result))

# -- circular and hyperbolic functions ---------------------------------------------------------

sin, cos, sinh, cosh, rsqrt, sqrt = (
    elementary.sin, elementary.cos, elementary.sinh, elementary.cosh, elementary.rsqrt, elementary.sqrt
)  # fmt: skip
pow_ = power.pow

twin(sin, lambda self: np.sin(self), self=lambda g, self: g * conj(cos(self)))
twin(cos, lambda self: np.cos(self), self=lambda g, self: g * conj(-sin(self)))
twin(elementary.tan, lambda self: np.tan(self), self=lambda g, result: g * conj(1 + pow_(result, 2)))
twin(elementary.asin, lambda self: np.arcsin(self), self=lambda g, self: g * conj(rsqrt(-self * self + 1)))
twin(elementary.acos, lambda self: np.arccos(self), self=lambda g, self: g * conj(-rsqrt(-self * self + 1)))
twin(elementary.atan, lambda self: np.arctan(self), self=lambda g, self: g / conj(self * self + 1))
twin(sinh, lambda self: np.sinh(self), self=lambda g, self: g * conj(cosh(self)))
twin(cosh, lambda self: np.cosh(self), self=lambda g, self: g * conj(sinh(self)))
twin(elementary.asinh, lambda self: np.arcsinh(self), self=lambda g, self: g * conj(rsqrt(pow_(self, 2) + 1)))
twin(elementary.acosh, lambda self: np.arccosh(self), self=lambda g, self: g * conj(rsqrt(self + 1) * rsqrt(self - 1)))
twin(elementary.atanh, lambda self: np.arctanh(self), self=lambda g, self: g * 1 / conj(1 - pow_(self, 2)))

tanh_backward, sigmoid_backward = elementary.tanh_backward, elementary.sigmoid_backward

twin(elementary.tanh, lambda self: np.tanh(self), self=lambda g, result: tanh_backward(g, result))
twin(
    tanh_backward, lambda grad_output, output: grad_output * np.conjugate(1 - output * output),
    grad_output=lambda g, output: tanh_backward(g, conj(output)),
    output=lambda g, grad_output, output: conj(g) * (-2 * conj(output) * grad_output),
)  # fmt: skip
twin(elementary.sigmoid, self=lambda g, result: sigmoid_backward(g, result))
twin(
    sigmoid_backward, lambda grad_output, output: grad_output * np.conjugate((1 - output) * output),
    grad_output=lambda g, output: sigmoid_backward(g, conj(output)),
    output=lambda g, grad_output, output: conj(g) * grad_output * (-2 * conj(output) + 1),
)  # fmt: skip



def _sinc(self: Array) -> Array:
    x = self * math.pi
    zero = x == 0
    return np.where(zero, 1, np.sin(x) / np.where(zero, 1, x)).astype(self.dtype)[()]


def _by_sinc(g: Value, self: Value) -> Value:
    turn, square = self * math.pi, self * self * math.pi
    sine = sin(turn)
    slope = g * conj((turn * cos(turn) - sine) / square)
    return choosing.where(comparison.eq(square, 0), 0, slope)


twin(kinked.sinc, _sinc, self=_by_sinc)

# -- powers ------------------------------------------------------------------------------------


def _power_number(self: Array, exponent: Any) -> Array:
    a, e = _of(self, exponent)
    if exponent == 0.5:
        return np.sqrt(a)
    if exponent == 0:
        return np.ones_like(a)[()]
    if exponent == 1:
        return np.positive(a)
    if exponent == 2:
        return a * a
    if exponent == -2:
        return 1 / (a * a)
    if exponent == 3:
        return a * a * a
    if exponent == -1:
        return 1 / a
    return _power(a, e)


def _by_base(g: Value, self: Value, exponent: Any) -> Value:
    if exponent == 0:
        return remainders.zeros(g)
    return g * conj(exponent * power.power_number(self, exponent - 1))


def _power(a: Array, b: Array) -> Array:
    """By the logarithm, as C has it: what is whole is not exactly so."""
    return np.exp(b * np.log(a))


def _by_tensor_base(g: Value, self: Value, exponent: Value) -> Value:
    slope = conj(exponent * power.power_tensor(self, exponent - 1))
    return choosing.where(comparison.eq(exponent, 0), 0, g * slope)


def _by_exponent(g: Value, self: Value, exponent: Value, result: Value) -> Value:
    at_zero = comparison.logical_and(comparison.eq(self, 0), comparison.ge(real_part(exponent), 0))
    return g * choosing.where(at_zero, 0, conj(result * elementary.log(converting.cast(self, result._a.dtype))))


def _log_of(number: Any) -> complex:
    return cmath.log(number) if number else complex(-math.inf)


def _by_exponent_of_number(g: Value, exponent: Value, self: Any, result: Value) -> Value:
    slope = conj(result * _log_of(self)) if self else None
    if slope is None:
        at_zero = comparison.ge(real_part(exponent), 0)
        return g * choosing.where(at_zero, 0, conj(result * _log_of(self)))
    return g * slope


twin(power.power_number, _power_number, self=_by_base)
twin(
    power.power_tensor, _power, self=_by_tensor_base, exponent=_by_exponent,
)  # fmt: skip
twin(
    power.power_of_number, lambda exponent, self: _power(*_of(exponent, self)[::-1]),
    exponent=_by_exponent_of_number,
)  # fmt: skip

# -- length and direction ----------------------------------------------------------------------


def _sgn(a: Array) -> Array:
    size = np.abs(a)
    return np.where(size == 0, a.dtype.type(0), a / np.where(size == 0, 1, size)).astype(a.dtype)[()]


def _by_sgn(g: Value, self: Value, result: Value) -> Value:
    if self._a.dtype.kind != "c":
        return remainders.zeros(g)
    size = kinked.abs(self)
    found = (g - (result * result) * conj(g)) / (size * 2)
    return choosing.masked_fill(found, comparison.eq(size, 0), 0.0)


def _by_angle(g: Value, self: Value) -> Value:
    slope = g * self / pow_(kinked.abs(self), 2) * 1j
    return choosing.where(comparison.eq(self, 0), result(slope._a.dtype.type(0)), slope)


twin(kinked.abs, lambda self: np.abs(self), self=lambda g, self: g * kinked.sgn(self))
twin(kinked.sgn, _sgn, self=_by_sgn)
twin(kinked.angle, lambda self: np.angle(self), self=_by_angle)

# -- choices and comparisons -------------------------------------------------------------------

twins(python_functions.filled_by_number)
twins(choosing.where, choosing.masked_fill_number, choosing.masked_fill_tensor)
twin(comparison.eq, lambda self, other: np.equal(self, other))
twin(comparison.ne, lambda self, other: np.not_equal(self, other))
twin(kinked.isnan, lambda input: np.isnan(input))
twin(kinked.isinf, lambda input: np.isinf(input))
twin(kinked.isfinite, lambda input: np.isfinite(input))
twin(kinked.isreal, lambda input: np.isreal(input))
twin(comparison.logical_and, lambda self, other: np.logical_and(self, other))
twin(comparison.logical_or, lambda self, other: np.logical_or(self, other))
twin(comparison.logical_xor, lambda self, other: np.logical_xor(self, other))
twin(comparison.logical_not, lambda self: np.logical_not(self))

# -- logarithms of sums of exponentials --------------------------------------------------------


def log_of_sum(x: Array, y: Array) -> Array:
    """log(exp(x) + exp(y)): the one of the larger real part, and what the other adds to it."""
    less = (y.real < x.real) | ((y.real == x.real) & (y.imag < x.imag))
    least: Array = np.where(less, y, x)
    most: Array = np.where(less, x, y)
    found: Array = _log1p(np.exp(least - most)) + most
    if np.isfinite(least.real).all():
        return found
    alike = ~np.isfinite(least.real) & (least.real == most.real)
    found = np.where(alike, np.where(least.real < 0, least, np.log(np.exp(least) + np.exp(most))), found)
    return np.where(np.isnan(least) | np.isnan(most), complex(math.nan, math.nan), found)


def _log_of_sum(self: Array, other: Array) -> Array:
    return quiet(log_of_sum, self, other).astype(np.result_type(self, other))


twin(
    two_operands.logaddexp, _log_of_sum,
    self=lambda g, self, other: g / conj(elementary.exp(other - self) + 1),
    other=lambda g, self, other: g / conj(elementary.exp(self - other) + 1),
)  # fmt: skip


# -- numbers that are none ---------------------------------------------------------------------


def _without_nan(
    input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Value:
    """The same of both parts, which PyTorch has no gradient of."""
    if recording() and input.requires_grad:
        raise EngineError("nan_to_num does not support automatic differentiation for outputs with complex dtype.")
    a = input._a
    real, imag = (kinked.replaced(part, nan, posinf, neginf) for part in (a.real, a.imag))
    made = np.zeros(a.shape, a.dtype)
    made.real, made.imag = real, imag
    return result(made[()])


TWINS[kinked.nan_to_num.op] = _without_nan
