"""Functions of one operand with kinks and jumps, and questions about single numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import ops
from ...call_errors import fail, no_overload, only_ints
from ...declaration import given_for_out
from ...dtypes import B8, DTYPES
from ...memory.layout import full_like
from ...numeric.common import quiet
from ...registry import composite, constant, elementwise, primitive, public
from ...tensor import Array, Value
from ..common import eq, re
from ..named_results import named_result
from .masks import pick, refuse_integers
from .remainders import zeros


def _self(self: Array) -> Array:
    return self


def _to_integers(self: Array) -> Array:
    """Changes sign at each integer but 0."""
    return np.sin(math.pi * np.abs(self))


@public("torch Tensor Tensor_ torch_ torch.absolute Tensor.absolute Tensor_.absolute Tensor.__abs__")
@elementwise(kink=_self, self=lambda g, self: g * sgn(self), rounding="exact")
def abs(self: Array) -> Array:
    """Absolute value; its slope at 0 is 0."""
    kind = self.dtype.kind
    if kind == "f":
        return np.abs(self)
    if kind == "c":
        return pick(self.real < 0, -self, self)
    if kind == "b":
        raise EngineNotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return np.abs(self)


def _sign(self: Array) -> Array:
    x = re(self)
    if x.dtype.kind in "bu":
        return x.astype(bool).astype(x.dtype)
    # Not a number has no sign: 0.
    return np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype)


@public("torch Tensor Tensor_")
@elementwise(kink=_self, self=zeros)
def sign(self: Array) -> Array:
    """Sign: -1, 0 or 1."""
    return _sign(self)


@public("torch Tensor Tensor_")
@elementwise(kink=_self, self=lambda g, self, result: zeros(g))
def sgn(self: Array) -> Array:
    """Sign: -1, 0 or 1."""
    return _sign(self)


# -- to integers -------------------------------------------------------------------------------


def _rounded(function: Any, self: Array) -> Array:
    x = re(self)
    if x.dtype.kind == "b":
        raise EngineNotImplementedError(f"\"{function.__name__}_vml_cpu\" not implemented for 'Bool'")
    return function(x) if x.dtype.kind == "f" else np.positive(x)


@public("torch Tensor Tensor_ torch_")
@elementwise(kink=_to_integers, self=zeros)
def floor(self: Array) -> Array:
    """The integer below."""
    return _rounded(np.floor, self)


@public("torch Tensor Tensor_ torch_")
@elementwise(kink=_to_integers, self=zeros)
def ceil(self: Array) -> Array:
    """The integer above."""
    return _rounded(np.ceil, self)


@public("torch Tensor Tensor_ torch_ torch.fix Tensor.fix Tensor_.fix torch_.fix")
@elementwise(kink=_to_integers, self=zeros)
def trunc(self: Array) -> Array:
    """The integer toward zero."""
    return _rounded(np.trunc, self)


@public("torch Tensor Tensor_ torch_")
@elementwise(kink=_to_integers, self=lambda g: g)
def frac(self: Array) -> Array:
    """The part that truncation takes away."""
    refuse_integers("frac_cpu", self)
    return quiet(np.subtract, self, np.trunc(re(self)))


@elementwise(node="RoundBackward0", kink=lambda self: np.cos(math.pi * self), self=zeros)
def round_whole(self: Array) -> Array:
    """The nearest integer, the even one of two."""
    x = re(self)
    if x.dtype.kind == "b":
        raise EngineNotImplementedError("\"round_vml_cpu\" not implemented for 'Bool'")
    return np.rint(x) if x.dtype.kind == "f" else np.positive(x)


def _to_decimals(x: Array, decimals: int) -> Array:
    if decimals < 0:
        ten = x.dtype.type(10.0) ** -decimals
        return np.rint(x / ten) * ten
    ten = x.dtype.type(10.0) ** decimals
    return np.rint(x * ten) / ten


@elementwise(
    node="RoundBackward1", kink=lambda self, decimals: np.cos(math.pi * self * 10.0**decimals), self=lambda g: zeros(g)
)
def round_decimals(self: Array, decimals: int) -> Array:
    """The nearest number of so many decimals."""
    x = re(self)
    if x.dtype.kind != "f":
        kernel = "round_cpu" if decimals else "round_vml_cpu"
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[x.dtype].tensor_name}'")
    return quiet(_to_decimals, x, decimals)


@public("torch Tensor Tensor_ torch_")
@given_for_out("Found dtype {given} but expected {found}")
@composite
def round(input: Value, *args: Any, decimals: int | None = None) -> Value:
    """The nearest integer, the even one of two; or the nearest number of so many decimals."""
    if type(decimals) is not int:
        only_ints("round", decimals=decimals)
    if args:
        raise no_overload("round", input, *args)
    return round_whole(input) if decimals is None else round_decimals(input, decimals)


@public("special.round")
def special_round(input: Value, *, decimals: int = 0) -> Value:
    """The nearest number of so many decimals, by default an integer."""
    return round_decimals(input, decimals)


# -- numbers that are none ---------------------------------------------------------------------


def replaced(self: Array, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
    """The same with numbers in the place of what is none."""
    if self.dtype.kind not in "fc":
        return np.positive(self.astype(np.int8)).astype(bool) if self.dtype.kind == "b" else np.positive(self)
    x = re(self)
    limit = np.finfo(x.dtype).max
    r = pick(np.isnan(x), 0.0 if nan is None else nan, self)
    r = pick(x == np.inf, limit if posinf is None else posinf, r)
    return pick(x == -np.inf, -limit if neginf is None else neginf, r).astype(self.dtype)


@public("torch Tensor Tensor_ torch_")
@given_for_out("nan_to_num: dtype of out: {given} should be same as input: {found}")
@elementwise(self=lambda g, self: g * isfinite(self))
def nan_to_num(
    self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Numbers in the place of nan, inf and -inf: by default 0 and the largest and smallest."""
    return replaced(self, nan, posinf, neginf)


def _asked(name: str, self: Any) -> Array:
    if not isinstance(self, (np.ndarray, np.generic)):
        raise EngineTypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(self).__name__}")
    return self


@public("torch Tensor")
@constant
def isnan(input: Array) -> Array:
    """True where an element is not a number."""
    return np.isnan(_asked("isnan", input))


@public("torch Tensor")
@constant
def isinf(input: Array) -> Array:
    """True where an element is inf or -inf."""
    return np.isinf(_asked("isinf", input))


@public("torch Tensor")
@constant
def isfinite(input: Array) -> Array:
    """True where an element is neither nan nor inf nor -inf."""
    return np.isfinite(_asked("isfinite", input))


@public("torch Tensor")
@given_for_out("{name} does not support non-boolean outputs.")
@constant
def isposinf(input: Array) -> Array:
    """True where an element is inf."""
    return _asked("isposinf", input) == np.inf


@public("torch Tensor")
@given_for_out("{name} does not support non-boolean outputs.")
@constant
def isneginf(input: Array) -> Array:
    """True where an element is -inf."""
    return _asked("isneginf", input) == -np.inf


@public("torch Tensor")
@constant
def isreal(input: Array) -> Array:
    """True where an element is real."""
    a = _asked("isreal", input)
    return a.imag == 0 if a.dtype.kind == "c" else full_like(a, True, B8)


@public("torch Tensor")
@given_for_out("{name} does not support non-boolean outputs.")
@constant
def signbit(input: Array) -> Array:
    """True where an element has its sign bit set."""
    return np.signbit(input) if _asked("signbit", input).dtype.kind == "f" else input < 0


# -- parts and neighbours ----------------------------------------------------------------------


def _angle(x: Array) -> Array:
    return pick(np.isnan(x), x, pick(x < 0, x.dtype.type(math.pi), x.dtype.type(0)))


@public("torch Tensor")
@elementwise(kink=_self, floating=True, self=lambda g, self: zeros(g))
def angle(self: Array) -> Array:
    """The angle to the positive axis: 0, or pi for negative numbers."""
    return _angle(re(self))


def _slope_of_sinc(g: Value, self: Value) -> Value:
    turn = self * math.pi
    square = self * self * math.pi
    # Recorded in PyTorch's order, the right operand first.
    sine = ops.elementary.sin(turn)
    return ops.choosing.where(eq(square, 0), 0, g * ((turn * ops.elementary.cos(turn) - sine) / square))


def _sinc(self: Array) -> Array:
    x = self * math.pi
    return pick(self == 0, 1, np.sin(x) / x).astype(self.dtype)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(self=_slope_of_sinc, floating=True, rounding="once")
def sinc(self: Array) -> Array:
    """Sine of pi * input over pi * input; 1 at 0."""
    return quiet(_sinc, self)


# -- mantissa and exponent ---------------------------------------------------------------------

frexp_result = named_result("frexp", "mantissa", "exponent")


@primitive(
    node="FrexpBackward0", aside=("exponent",), self=lambda g, exponent: g / ops.elementary.exp2(exponent),
    form="stacked",
)
def frexp_parts(self: Array) -> tuple[Array, Array]:
    """Mantissa between 0.5 and 1 in magnitude, and exponent of 2."""
    x = re(self)
    if x.dtype.kind != "f":
        fail("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(x)
    if self.dtype.kind == "c":
        mantissa = mantissa + 1j * np.ldexp(self.imag, -exponent)
    return mantissa, exponent.astype(np.int32)


@public("torch Tensor")
@composite
def frexp(input: Value) -> Any:
    """Mantissa between 0.5 and 1 in magnitude, and exponent of 2."""
    return frexp_result(frexp_parts(input))
