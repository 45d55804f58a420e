"""Functions of two operands: angles, lengths, sums of exponentials, products with logarithms, signs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import dtypes, ops
from ...call_errors import fail, is_value, no_overload
from ...dtypes import F32
from ...numeric.common import log1p, quiet
from ...numeric.kernels import alone, vectors
from ...registry import composite, elementwise, public
from ...tensor import Array, Tensor, Value
from ..common import eq, ge, le, re
from .masks import pick, refuse_integers
from .remainders import zeros


def _with_direction(y: Array, imaginary: Array) -> Array:
    """A complex reading of a real value."""
    return y + 1j * imaginary


# -- the polar form ----------------------------------------------------------------------------


def _inverse_square(self: Value, other: Value) -> Value:
    """1 / (self**2 + other**2), 0 at the origin."""
    square = self * self + other * other
    return ops.choosing.masked_fill(ops.elementary.reciprocal(square), eq(square, 0), 0)


def _turns(g: Value, self: Value, other: Value, wanted: list[bool]) -> tuple[Value | None, Value | None]:
    """Both gradients of the angle; what they share is recorded once."""
    inverse = _inverse_square(self, other)
    return g * other * inverse if wanted[0] else None, g * -self * inverse if wanted[1] else None


@public("torch Tensor Tensor_ torch.arctan2 Tensor.arctan2 Tensor_.arctan2")
@elementwise(
    kink=lambda self, other: pick(other < 0, self, 1),
    joint=_turns,
    self=lambda g, self, other: g * other * _inverse_square(self, other),
    other=lambda g, self, other: g * -self * _inverse_square(self, other),
    floating=True,
    numbers=0,
    rounding="once",
)
def atan2(self: Array, other: Array) -> Array:
    """The angle of the point (other, input)."""
    y, x = re(self), re(other)
    angle = quiet(vectors.arctan2, y, x) if y.dtype is x.dtype is F32 else np.arctan2(y, x)
    if self.dtype.kind == "c" or other.dtype.kind == "c":
        # Divided before they are multiplied: squares of small numbers vanish.
        length = quiet(np.hypot, x, y)
        across = quiet(np.divide, x, length) * self.imag - quiet(np.divide, y, length) * other.imag
        return _with_direction(angle, quiet(np.divide, across, length))
    return angle


@public("torch Tensor Tensor_")
@elementwise(
    self=lambda g, self, result: g * self / result,
    other=lambda g, other, result: g * other / result,
    numbers=0,
    rounding="once",
)
def hypot(self: Array, other: Array) -> Array:
    """Length of the hypotenuse, sqrt(input**2 + other**2)."""
    refuse_integers("hypot_cpu", self)
    x, y = re(self), re(other)
    length = quiet(np.hypot, x, y)
    if self.dtype.kind == "c" or other.dtype.kind == "c":
        along = quiet(np.divide, x, length) * self.imag + quiet(np.divide, y, length) * other.imag
        return _with_direction(length, along)
    return length


# -- sums of exponentials ----------------------------------------------------------------------


def _log_sum(self: Array, other: Array, exp: Any, log: Any, function: Any) -> Array:
    if self.dtype.kind != "c" and other.dtype.kind != "c":
        return function(self, other)
    first = ge(self, other)
    high, low = pick(first, self, other), pick(first, other, self)
    return high + log(1 + exp(low - high))


@public("torch Tensor")
@elementwise(
    self=lambda g, self, other: g / (1 + ops.elementary.exp(other - self)),
    other=lambda g, self, other: g / (1 + ops.elementary.exp(self - other)),
    numbers=0,
)
def logaddexp(self: Array, other: Array) -> Array:
    """Logarithm of the sum of the exponentials."""
    refuse_integers("logaddexp_cpu", self)
    return quiet(_log_sum, self, other, np.exp, np.log, vectors.log_of_sum)


@public("torch Tensor")
@elementwise(
    self=lambda g, self, other: g / (1 + ops.power.power_of_number(other - self, 2)),
    other=lambda g, self, other: g / (1 + ops.power.power_of_number(self - other, 2)),
    numbers=0,
)
def logaddexp2(self: Array, other: Array) -> Array:
    """Logarithm to base 2 of the sum of the powers of 2."""
    refuse_integers("logaddexp2_cpu", self)
    return quiet(_log_sum, self, other, np.exp2, np.log2, np.logaddexp2)


# -- products with a logarithm -----------------------------------------------------------------


def _log(y: Array) -> Array:
    return alone.log(y) if y.dtype is F32 and y.ndim else np.log(y)


def _times_log(x: Array, y: Array, log: Any) -> Array:
    """``x * log(y)``, 0 where x is 0, unless y is no number."""
    return pick((x == 0) & ~np.isnan(y), 0, x * log(y))


@elementwise(
    node="XlogyBackward0",
    domain=lambda self, other: other > 0,
    self=lambda g, self, other: ops.choosing.masked_fill(xlogy_tensor(g, other), eq(self, 0) & le(other, 0), 0),
    other=lambda g, self, other: g * self / other,
    floating=True,
    own_precision=True,
)
def xlogy_tensor(self: Array, other: Array) -> Array:
    """Product with a logarithm."""
    return quiet(_times_log, self, other, _log)


@elementwise(
    node="XlogyBackward1", domain=lambda other, self: other > 0, other=lambda g, other, self: g * self / other,
    own_precision=True,
)  # fmt: skip
def xlogy_of_number(other: Array, self: Any) -> Array:
    """Product of a number with a logarithm."""
    return quiet(_times_log, _number(self, other), _floating(other), _log)


def _masked(g: Value, self: Value, other: Any, limit: float) -> Value:
    return g if other > limit else ops.choosing.masked_fill(g, eq(self, 0), 0)


@elementwise(
    node="XlogyBackward2", self=lambda g, self, other: _masked(xlogy_number(g, other), self, other, 0),
    own_precision=True,
)
def xlogy_number(self: Array, other: Any) -> Array:
    """Product with the logarithm of a number."""
    return quiet(_times_log, _floating(self), _number(other, self), _log)


@elementwise(
    node="SpecialXlog1PyBackward0",
    domain=lambda self, other: other > -1,
    self=lambda g, self, other: ops.choosing.masked_fill(xlog1py_tensor(g, other), eq(self, 0) & le(other, -1), 0),
    other=lambda g, self, other: g * self / (other + 1),
    floating=True,
    own_precision=True,
)
def xlog1py_tensor(self: Array, other: Array) -> Array:
    """Product with the logarithm of 1 + other."""
    return quiet(_times_log, self, other, log1p)


@elementwise(
    node="SpecialXlog1PyBackward1",
    domain=lambda other, self: other > -1,
    other=lambda g, other, self: g * self / (other + 1),
)
def xlog1py_of_number(other: Array, self: Any) -> Array:
    """Product of a number with the logarithm of 1 + other."""
    return quiet(_times_log, _number(self, other), _floating(other), log1p)


@elementwise(
    node="SpecialXlog1PyBackward2", self=lambda g, self, other: _masked(xlog1py_number(g, other), self, other, -1)
)
def xlog1py_number(self: Array, other: Any) -> Array:
    """Product with the logarithm of 1 + a number."""
    return quiet(_times_log, _floating(self), _number(other, self), log1p)


def _floating(a: Array) -> Array:
    return a if a.dtype.kind in "fc" else a.astype(dtypes.default.float)


def _number(number: Any, beside: Array) -> Array:
    return re(_floating(beside)).dtype.type(number)


def either(name: str, of_number: Any, number: Any, tensor: Any, input: Any, other: Any) -> Any:
    """A function of two tensors, of which one may be a number."""
    if isinstance(input, (int, float)) and isinstance(other, Tensor):
        return of_number(other, input)
    if isinstance(other, (int, float)) and not isinstance(input, (int, float)):
        return number(input, other)
    if isinstance(input, (int, float)) or isinstance(other, str) or other is None:
        raise no_overload(name, input, other)
    return tensor(input, other)


@public("torch Tensor Tensor_ torch_ special")
@composite
def xlogy(input: Value, other: Value) -> Value:
    """Product with a logarithm, input * log(other), 0 where input is 0."""
    return either("xlogy", xlogy_of_number, xlogy_number, xlogy_tensor, input, other)


@public("special")
@composite
def xlog1py(input: Value, other: Value) -> Value:
    """Product with a logarithm, input * log1p(other), 0 where input is 0."""
    return either("special_xlog1py", xlog1py_of_number, xlog1py_number, xlog1py_tensor, input, other)


# -- signs and neighbours ----------------------------------------------------------------------


def _copysign(self: Array, other: Array) -> Array:
    x, sign = re(self), re(other)
    if self.dtype.kind == "c":
        return pick(np.signbit(x) == np.signbit(sign), self, -self)
    return np.copysign(x, sign)


def _ratio(self: Value, result: Value) -> Value:
    return ops.choosing.masked_fill(result / self, eq(self, 0), 0)


@elementwise(
    node="CopysignBackward0",
    kink=lambda self, other: other,
    self=lambda g, self, result: g * _ratio(self, result),
    other=zeros,
    floating=True,
)
def copysign_tensor(self: Array, other: Array) -> Array:
    """The magnitude of one tensor with the sign of another."""
    return _copysign(self, other)


@elementwise(
    node="CopysignBackward1",
    kink=lambda self, other: self,
    self=lambda g, self, result: g * _ratio(self, result),
    floating=True,
)
def copysign_number(self: Array, other: Any) -> Array:
    """The magnitude of a tensor with the sign of a number."""
    return _copysign(self, re(self).dtype.type(other))


@public("torch Tensor Tensor_")
@composite
def copysign(input: Value, other: Value) -> Value:
    """The magnitude of input with the sign of other."""
    if not is_value(input):
        raise no_overload("copysign", input, other)
    return copysign_number(input, other) if isinstance(other, (int, float)) else copysign_tensor(input, other)


def _refuse_two_dtypes(a: Array, b: Array) -> None:
    fail("heaviside is not yet implemented for tensors with different dtypes.")


def _step(self: Array, values: Array) -> Array:
    x = re(self)
    return pick(x == 0, values, (x > 0).astype(values.dtype))


@public("torch Tensor")
@elementwise(
    not_implemented="heaviside",
    kink=lambda self, values: self,
    self=zeros, values=zeros, refuse=_refuse_two_dtypes, numbers=0,
)
def heaviside(self: Array, values: Array) -> Array:
    """The step function: 0 below 0, values at 0, 1 above."""
    return _step(self, values)


@public("Tensor_.heaviside")
@elementwise(
    not_implemented="heaviside_",
    kink=lambda self, values: self,
    self=zeros, values=zeros, refuse=_refuse_two_dtypes, numbers=0,
)
def heaviside_in_place(self: Array, values: Array) -> Array:
    """The step function, to be written over the input."""
    return _step(self, values)


@public("torch Tensor Tensor_")
@elementwise(
    no_whole="nextafter_cpu",
    self=lambda g, self, other: ops.choosing.where(re(self) != re(other), g, 0),
    other=zeros,
    keeps=("other",),
    numbers=0,
    own_precision=True,
)
def nextafter(self: Array, other: Array) -> Array:
    """The next number of the dtype from input toward other."""
    return np.nextafter(re(self), re(other)) + (1j * self.imag if self.dtype.kind == "c" else 0)


@public("torch Tensor Tensor_ torch_")
@elementwise(
    self=lambda g, other: g * ops.power.power_of_number(other, 2),
    other=lambda g, result: g * result * math.log(2),
    floating=True,
    own_precision=True,
    numbers=0,
)
def ldexp(self: Array, other: Array) -> Array:
    """Product with a power of 2, input * 2**other."""
    return quiet(lambda: self * np.exp2(other))
