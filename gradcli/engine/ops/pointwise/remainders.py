"""Quotients that are rounded, and what is left over."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import fail
from ...calls.elementwise import by_name, plain
from ...dtypes import DTYPES, promote
from ...registry import composite, elementwise, public
from ...tensor import Array, Tensor, Value, result
from ..common import re


def zeros(g: Value) -> Value:
    """Zeros of the shape and dtype of ``g``, outside the graph."""
    if isinstance(g, Tensor):
        return result(np.zeros_like(g._a)[()])
    return np.zeros_like(g)[()]


def beside(a: Array, number: Any) -> tuple[Array, Array]:
    """An array and a Python number in the dtype of their result."""
    d = a.dtype
    if d.kind == "f":
        return a, d.type(number)
    d = promote(a, number)
    return (a if a.dtype is d else a.astype(d)), np.asarray(number).astype(d)[()]


def _refuse(kernel: str, a: Array, b: Array) -> None:
    """Refuse booleans, and integers over zero."""
    kind = a.dtype.kind
    if kind == "b":
        raise EngineNotImplementedError(f"\"{kernel}_cpu\" not implemented for '{DTYPES[a.dtype].tensor_name}'")
    if kind in "iu" and not np.all(b):
        fail("ZeroDivisionError")


def _jump(self: Array, other: Array) -> Array:
    """Changes sign where the quotient passes an integer."""
    return np.sin(np.pi * (self / other))


def floored(a: Array, b: Array) -> Array:
    """The quotient rounded down."""
    a, b = re(a), re(b)
    if a.dtype.kind != "f":
        _refuse("div_floor", a, b)
    return np.floor_divide(a, b)


def _truncated(a: Array, b: Array) -> Array:
    """The quotient rounded toward zero."""
    a, b = re(a), re(b)
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    _refuse("div_trunc", a, b)
    return (a - np.fmod(a, b)) // b


@elementwise(
    node="DivBackward2",
    kink=lambda self, other, rounding_mode=None: _jump(self, other),
    self=lambda g, other, rounding_mode: zeros(g) if rounding_mode else g / other,
    other=lambda g, self, other, rounding_mode: zeros(g) if rounding_mode else ops.arith.by_divisor(g, self, other),
    own_precision=True,
    exact_numbers=True,
)
def div_mode(self: Array, other: Array, rounding_mode: Any = None) -> Array:
    """Quotient, rounded down ("floor"), toward zero ("trunc") or not at all (None)."""
    if rounding_mode is None:
        return self / other
    return floored(self, other) if rounding_mode == "floor" else _truncated(self, other)


_div_mode = by_name(div_mode, "div")


def divided(*args: Any, rounding_mode: Any, **kwargs: Any) -> Any:
    """Quotient with a mode of rounding."""
    if rounding_mode not in (None, "floor", "trunc"):
        fail(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")
    r = _div_mode(*args, rounding_mode=rounding_mode, **kwargs)
    if rounding_mode is None and r._node is None:
        # Integers too have a true quotient.
        return ops.arith.quotient(*args, **kwargs)
    return r


@public("torch Tensor Tensor_ Tensor.__floordiv__")
@elementwise(not_implemented="floor_divide", kink=_jump, self=zeros, other=zeros, exact_numbers="second")
def floor_divide(self: Array, other: Array) -> Array:
    """Quotient rounded down."""
    return floored(self, other)


@public("Tensor.__rfloordiv__")
def floor_divided_into(input: Tensor, other: Any) -> Any:
    """A number over a tensor, rounded down."""
    if isinstance(other, np.generic):
        other = plain(other)
    return floor_divide(other, input) if isinstance(other, (int, float)) else NotImplemented


def _less_quotients(g: Value, quotients: Value) -> Value:
    return -g * quotients


# -- what is left over -------------------------------------------------------------------------


def _remainder(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return np.remainder(re(a), re(b)) + 1j * (a.imag - b.imag * np.floor_divide(re(a), re(b)))
    if a.dtype.kind != "f":
        _refuse("remainder", a, b)
        return np.remainder(a, b)
    left = np.remainder(a, b)
    if np.count_nonzero(left) == left.size:
        return left
    # NumPy gives a remainder of zero the sign of the divisor, PyTorch leaves it that of what is divided.
    left = np.asarray(left)
    return np.copysign(left, a, left, where=left == 0)


def _fmod(a: Array, b: Array) -> Array:
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return np.fmod(re(a), re(b)) + 1j * (a.imag - b.imag * np.trunc(re(a) / re(b)))
    if a.dtype.kind != "f":
        _refuse("fmod", a, b)
    return np.fmod(a, b)


@elementwise(
    node="RemainderBackward1",
    numbers=1,
    kink=_jump,
    self=lambda g: g,
    other=lambda g, self, other: _less_quotients(g, div_mode(self, other, "floor")),
)
def remainder_tensor(self: Array, other: Array) -> Array:
    """The remainder of a quotient rounded down; it has the sign of the divisor."""
    return _remainder(self, other)


@elementwise(node="RemainderBackward0", kink=_jump, self=lambda g: g, half_numbers=True)
def remainder_number(self: Array, other: Any) -> Array:
    """The remainder of a quotient by a number, rounded down; it has the sign of the number."""
    return _remainder(*beside(self, other))


@elementwise(
    not_implemented="remainder", kink=lambda self, other: _jump(other, self), self=zeros, half_numbers=True
)  # fmt: skip
def remainder_of_number(self: Array, other: Any) -> Array:
    """The remainder of a number over a tensor, rounded down."""
    if isinstance(other, Tensor):
        return remainder(other, input)
    return _remainder(*beside(self, other)[::-1])


_remainder_by_name = by_name(remainder_tensor, "remainder")


@public("torch Tensor Tensor_")
@composite
def remainder(input: Value, other: Value) -> Value:
    """The remainder of a quotient rounded down; it has the sign of the divisor, as Python's %."""
    if isinstance(other, (int, float)):
        return remainder_number(input, other)
    if isinstance(input, (int, float)):
        return remainder_of_number(other, input)
    return _remainder_by_name(input, other)


@public("Tensor.__mod__")
def modulo(input: Tensor, other: Any) -> Any:
    """The remainder of a quotient rounded down."""
    if isinstance(other, Tensor):
        return remainder_tensor(input, other)
    if isinstance(other, (int, float)):
        return remainder_number(input, other)
    return remainder_number(input, plain(other)) if isinstance(other, np.generic) else NotImplemented


@public("Tensor.__rmod__")
def modulo_of(input: Tensor, other: Any) -> Any:
    """The remainder of a number over a tensor, rounded down."""
    if isinstance(other, Tensor):
        return remainder(other, input)
    if isinstance(other, np.generic):
        other = plain(other)
    return remainder_of_number(input, other) if isinstance(other, (int, float)) else NotImplemented


@elementwise(
    node="FmodBackward1",
    numbers=1,
    kink=_jump,
    self=lambda g: g,
    other=lambda g, self, other: _less_quotients(g, div_mode(self, other, "trunc")),
)
def fmod_tensor(self: Array, other: Array) -> Array:
    """The remainder of a quotient rounded toward zero; it has the sign of the dividend."""
    return _fmod(self, other)


@elementwise(node="FmodBackward0", kink=_jump, self=lambda g: g, half_numbers=True)
def fmod_number(self: Array, other: Any) -> Array:
    """The remainder of a quotient by a number, rounded toward zero."""
    return _fmod(*beside(self, other))


_fmod_by_name = by_name(fmod_tensor, "fmod")


@public("torch Tensor Tensor_")
@composite
def fmod(input: Value, other: Value) -> Value:
    """The remainder of a quotient rounded toward zero; it has the sign of the dividend, as C's fmod."""
    if isinstance(other, (int, float)):
        return fmod_number(input, other)
    return _fmod_by_name(input, other)
