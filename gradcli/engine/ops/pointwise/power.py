"""Powers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import fail, is_value, no_overload
from ...calls.elementwise import plain
from ...dtypes import DTYPES, F16, F32, F64, complex128, is_complex, promote
from ...modes import in_rule
from ...numeric.common import quiet
from ...numeric.halves import raised
from ...numeric.kernels import vectors
from ...numeric.kernels.roots import square_root
from ...registry import composite, elementwise, public
from ...tensor import Array, Tensor, Value
from ...writes.inplace import write_with
from ..common import eq, ge, re
from .remainders import beside, zeros


def _power(a: Array, b: Array) -> Array:
    """``a ** b`` for two arrays of one dtype."""
    kind = a.dtype.kind
    if kind == "f":
        return quiet(vectors.power, a, b) if a.dtype is F32 else quiet(np.power, a, b)
    if kind == "c":
        # Only the direction is taken from the complex power: a negative base is none of its business.
        return np.power(re(a), re(b)) + 1j * np.power(a, b).imag
    if kind == "b":
        raise EngineNotImplementedError("\"pow\" not implemented for 'Bool'")
    if kind == "u" or not np.any(b < 0):
        return np.power(a, b)
    # An integer's inverse power is 0, but for 1 and -1.
    unit = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0))
    return np.where(b < 0, unit, np.power(a, np.maximum(b, 0)))[()].astype(a.dtype)


def _to(a: Array, exponent: Any) -> Array:
    """``a ** exponent`` for a floating array and a number; the common powers without the general one."""
    if exponent == 2:
        return a * a
    if exponent == 1:
        return np.positive(a)
    if exponent == 0.5:
        return square_root(a)
    if exponent == 3:
        return a * a * a
    if exponent == 0:
        return np.ones_like(a)[()]
    if exponent == -1:
        return np.reciprocal(a)
    if exponent == -2:
        return np.reciprocal(a * a)
    if exponent == -0.5:
        return ops.elementary.inverse_root(a)
    if a.dtype is F32:
        return quiet(vectors.power_of_number, a, float(exponent))
    return _power(a, a.dtype.type(exponent))


def _integral(a: Array, exponent: Any) -> Array:
    """``a ** exponent`` for an integral array and a number."""
    d = promote(a, exponent)
    if d.kind == "f":
        return _to(a.astype(d), exponent)
    if d.kind == "b":
        return np.positive(a.astype(np.uint8)).astype(d) if exponent else np.ones_like(a)[()]
    if exponent < 0:
        fail("Integers to negative integer powers are not allowed.")
    return np.power(a.astype(d), ops.filled.fitted(exponent, d))


def _slope(g: Value, self: Value, exponent: Any) -> Value:
    e = float(exponent)
    if e == 0:
        return zeros(g)
    if e == 2 and not isinstance(self, Tensor):
        return g * (2 * self)
    return g * (e * power_number(self, e - 1))


def _has_power(self: Array, exponent: Any) -> Array:
    whole = exponent == np.floor(exponent)
    return (self > 0) | (whole & ((self != 0) | (exponent >= 0)))


@elementwise(node="PowBackward0", domain=_has_power, self=_slope, rounding="once", own_precision=True)
def power_number(self: Array, exponent: Any) -> Array:
    """Power with a number for exponent."""
    if self.dtype is F16:
        # PyTorch rounds each step of bfloat16 only.
        return _to(raised(self), float(F16.type(exponent)))
    if isinstance(exponent, complex):
        d = promote(self, exponent)
        return np.power(self.astype(d), d.type(exponent))
    return _to(self, exponent) if self.dtype.kind in "fc" else _integral(self, exponent)


@elementwise(
    node="PowBackward1",
    domain=_has_power,
    self=lambda g, self, exponent: ops.choosing.where(
        eq(exponent, 0), 0, g * (exponent * power_tensor(self, exponent - 1))
    ),
    exponent=lambda g, self, exponent, result: g * ops.choosing.where(
        ops.comparison.logical_and(eq(self, 0), ge(exponent, 0)),
        0,
        result * ops.elementary.log(ops.converting.like(self, result)),
    ),
    rounding="once",
)
def power_tensor(self: Array, exponent: Array) -> Array:
    """Power with a tensor for exponent."""
    return _power(self, exponent)


def _log(number: Any) -> float:
    return math.log(number) if number > 0 else -math.inf if number == 0 else math.nan


@elementwise(
    node="PowBackward2",
    domain=lambda exponent, self: np.full(np.shape(exponent), self > 0),
    exponent=lambda g, exponent, self, result: g * (
        ops.choosing.where(ge(exponent, 0), 0, result * _log(self)) if self == 0 else result * _log(self)
    ),
    rounding="once",
    half_numbers=True,
)
def power_of_number(exponent: Array, self: Any) -> Array:
    """Power of a number."""
    if isinstance(self, complex):
        d = promote(exponent, self)
        return np.power(d.type(self), exponent.astype(d))
    e, base = beside(exponent, self)
    r: Array = np.ones_like(e)[()] if self == 1 and e.dtype.kind != "b" else _power(base, e)
    return r if r.flags.c_contiguous else np.ascontiguousarray(r)


@public("Tensor.__pow__")
def power(input: Value, exponent: Any) -> Any:
    """Power."""
    if isinstance(exponent, (int, float, complex)) and not isinstance(exponent, np.generic):
        return power_number(input, exponent)
    if isinstance(exponent, np.generic) and not in_rule():
        return power_number(input, plain(exponent))
    return power_tensor(input, exponent)


@public("Tensor.__rpow__")
def power_of(input: Tensor, base: Any) -> Any:
    """Power of a number."""
    if isinstance(base, Tensor):
        return power(base, input)
    if isinstance(base, np.generic):
        base = plain(base)
    return power_of_number(input, base) if isinstance(base, (int, float, complex)) else NotImplemented


@public("torch Tensor Tensor_")
@composite
def pow(input: Value, exponent: Value) -> Value:
    """Power, input ** exponent; either may be a number."""
    if isinstance(input, (int, float, complex)) and isinstance(exponent, Tensor):
        return power_of_number(exponent, input)
    r = power(input, exponent) if is_value(input) else NotImplemented
    if r is NotImplemented:
        raise no_overload("pow", input, exponent)
    return r


@public("torch Tensor Tensor_ torch_")
@composite
def square(input: Value) -> Value:
    """Square."""
    return power_number(input, 2)


def _widest(*operands: Any) -> Any:
    """The dtype of float_power: the widest of real numbers, or of complex ones where there are some."""
    return F64 if not is_complex([x._a if isinstance(x, Tensor) else x for x in operands]) else complex128.np


@public("torch Tensor")
@composite
def float_power(input: Value, exponent: Value) -> Value:
    """Power in float64."""
    if isinstance(input, Tensor):
        input = ops.converting.cast(input, _widest(input, exponent))
    elif isinstance(input, (int, float)):
        input = float(input)
    if isinstance(exponent, Tensor):
        exponent = ops.converting.cast(exponent, _widest(exponent, input))
    elif isinstance(exponent, (int, float)):
        exponent = float(exponent)
    return pow(input, exponent)


@public("Tensor")
def float_power_(input: Tensor, exponent: Value) -> Tensor:
    """Power in float64. In place."""
    needed = DTYPES[_widest(input, exponent)]
    if input.dtype is not needed:
        fail(
            f"the base given to float_power_ has dtype {input.dtype.tensor_name} but the operation's result requires "
            f"dtype {needed.tensor_name}"
        )
    return write_with(float_power, input, (exponent,), {}, "float_power_")  # type: ignore[no-any-return]
