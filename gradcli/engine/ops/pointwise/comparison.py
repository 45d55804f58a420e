"""Comparisons, logic and bits: functions of two operands that have no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import call_errors, registry
from ...call_errors import fail, is_value, not_a_tensor, only_bools
from ...calls import elementwise
from ...dtypes import BF16, DTYPES, F32, F64, is_complex, promote
from ...memory.layout import like_operands
from ...modes import aside, mode, refuse_of_samples, unfollowed
from ...registry import Op, composite, constant, public
from ...tensor import Array, Tensor, Value, result
from ..common import re

Forward = Callable[[Array, Array], Array]


def pairwise(kink: Forward | None = None, numbers: int = 2, orders: bool = False) -> Callable[[Forward], Any]:
    """A function without a gradient of two operands, broadcast and in one dtype; ``numbers`` as in ``elementwise``."""

    def declare(forward: Forward) -> Any:
        op = Op(
            forward, {}, kind="constant", node=None, outputs=("result",), kink=kink, orders=orders, form="aligned"
        )  # fmt: skip
        return registry.finished(op, called)

    def called(op: Op) -> Any:
        forward = op.forward
        for_real = op.twin_of is None

        def call(input: Value, other: Value) -> Any:
            if isinstance(input, Tensor):
                a = input._a
                if isinstance(other, Tensor):
                    b = other._a
                else:
                    d = a.dtype
                    kind = type(other)
                    if (kind is float or kind is int) and d.kind == "f":
                        b = np.array(other, d) if a.ndim and d is not BF16 else d.type(other)
                    else:
                        arrays = op.name == "eq" and isinstance(other, np.ndarray)
                        other = result(other) if arrays else elementwise.operand(other, a)
                        if other is None:
                            return NotImplemented
                        b = other._a
            elif isinstance(other, Tensor):
                b = other._a
                number = elementwise.operand(input, b)
                if number is None:
                    return NotImplemented
                a = number._a
                input = number
            else:
                return forward(input, other)
            d = a.dtype
            if for_real and (d is not b.dtype or (d is not F32 and d is not F64)) and is_complex((a, b)):
                return op.on_complex(input, other)
            if d is not b.dtype:
                d = promote(elementwise.rank(input), elementwise.rank(other))
                a, b = elementwise.in_dtype(a, d), elementwise.in_dtype(b, d)
            try:
                r = forward(a, b)
            except ValueError as error:
                raise call_errors.translated(error, (a, b)) from None
            if r.ndim > 1 and not a.flags.c_contiguous:
                r = like_operands(r, a, b)
            t = result(r)
            if mode.aside:
                aside(op, (input, other), t)
            return t

        call.leaves_foreign = True  # type: ignore[attr-defined]
        call.numbers = numbers  # type: ignore[attr-defined]
        return call

    return declare


# -- comparisons -------------------------------------------------------------------------------


def difference(self: Array, other: Array) -> Array:
    """The difference that a comparison turns with."""
    return self - other


@public("torch Tensor Tensor.__eq__")
@pairwise(kink=difference, numbers=1)
def eq(self: Array, other: Array) -> Array:
    """True where elements are equal."""
    return np.equal(re(self), re(other))


@public("torch Tensor Tensor.__ne__ torch.not_equal Tensor.not_equal")
@pairwise(kink=difference, numbers=1)
def ne(self: Array, other: Array) -> Array:
    """True where elements differ."""
    return np.not_equal(re(self), re(other))


@public("torch Tensor Tensor.__lt__ torch.less Tensor.less")
@pairwise(kink=difference, numbers=1, orders=True)
def lt(self: Array, other: Array) -> Array:
    """True where elements are less."""
    return np.less(re(self), re(other))


@public("torch Tensor Tensor.__le__ torch.less_equal Tensor.less_equal")
@pairwise(kink=difference, numbers=1, orders=True)
def le(self: Array, other: Array) -> Array:
    """True where elements are less or equal."""
    return np.less_equal(re(self), re(other))


@public("torch Tensor Tensor.__gt__ torch.greater Tensor.greater")
@pairwise(kink=difference, numbers=1, orders=True)
def gt(self: Array, other: Array) -> Array:
    """True where elements are greater."""
    return np.greater(re(self), re(other))


@public("torch Tensor Tensor.__ge__ torch.greater_equal Tensor.greater_equal")
@pairwise(kink=difference, numbers=1, orders=True)
def ge(self: Array, other: Array) -> Array:
    """True where elements are greater or equal."""
    return np.greater_equal(re(self), re(other))


def _same_dtype(name: str, input: Any, other: Any) -> None:
    _only_tensors(name, input, other)
    if input._a.dtype is not other._a.dtype:
        shown = [DTYPES[x._a.dtype].tensor_name for x in (input, other)]
        fail(f"{shown[0]} did not match {shown[1]}")


def _only_tensors(name: str, input: Any, other: Any) -> None:
    for i, x in enumerate((input, other)):
        if not is_value(x):
            raise not_a_tensor(name, ("input", "other")[i], i + 1, x)


@public("torch Tensor")
@composite
def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape and elements."""
    _only_tensors("equal", input, other)
    refuse_of_samples("Batching rule not implemented for aten::equal. We could not generate a fallback.", input, other)
    if mode.tape is not None:
        mode.tape.read("bool", input, other)
    return bool(input._a.shape == other._a.shape and np.all(input._a == other._a))


@public("torch")
@composite
def _is_all_true(input: Tensor) -> bool:
    """Tell whether all elements are True, for who refuses what is not: under vmap, those of the present sample."""
    if not any(watch.depends(input) for watch in mode.writes):
        return bool(input.all())
    for watch in mode.writes:
        watch.looks(_are_true, (input,))
    return _are_true(input._a)


def _are_true(a: Array) -> bool:
    return bool(np.all(a))


@public("torch Tensor")
@composite
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True where elements differ by at most atol + rtol * abs(other)."""
    if type(equal_nan) is not bool:
        only_bools("isclose", equal_nan=equal_nan)
    _same_dtype("isclose", input, other)
    for name, x in ("rtol", rtol), ("atol", atol):
        if x < 0:
            fail(f"{name} must be greater than or equal to zero, but got {x}")
    a, b = input._a, other._a
    problem = call_errors.broadcast_problem(a.shape, b.shape)
    if problem is not None:
        raise problem
    close = a == b
    if a.dtype.kind in "fc" and equal_nan:
        close = close | (np.isnan(a) & np.isnan(b))
    if rtol or atol:
        wide = np.float64 if a.dtype.kind not in "fc" else a.dtype
        error = np.abs(a.astype(wide) - b.astype(wide))
        near = atol + np.abs(rtol * b.astype(wide))
        close = close | (np.isfinite(error) & (error <= near))
        if mode.tape is not None and mode.tape.asked is not None:
            mode.tape.asked.near(input, other, error, near)
    found: Tensor = unfollowed(result(close), input, other)
    return found


@public("torch Tensor")
@composite
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Tell whether all elements differ by at most atol + rtol * abs(other)."""
    _same_dtype("allclose", input, other)
    refuse_of_samples(
        "vmap over torch.allclose isn't supported yet. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature.", input, other,
    )  # fmt: skip
    if mode.tape is not None:
        mode.tape.read("bool", input, other)
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan)._a))


# -- logic -------------------------------------------------------------------------------------


def _of_tensors(call: Any) -> Any:
    """Refuse numbers, as PyTorch does."""

    def function(input: Value, other: Value) -> Any:
        _only_tensors(call.__name__, input, other)
        return call(input, other)

    return registry.dressed(function, call.op)


@public("torch Tensor Tensor_")
@_of_tensors
@constant
def logical_and(self: Array, other: Array) -> Array:
    """True where both elements are nonzero."""
    return np.logical_and(re(self), re(other))


@public("torch Tensor Tensor_")
@_of_tensors
@constant
def logical_or(self: Array, other: Array) -> Array:
    """True where one element or both are nonzero."""
    return np.logical_or(re(self), re(other))


@public("torch Tensor Tensor_")
@_of_tensors
@constant
def logical_xor(self: Array, other: Array) -> Array:
    """True where just one element is nonzero."""
    return np.logical_xor(re(self), re(other))


@public("torch Tensor Tensor_")
@constant
def logical_not(self: Array) -> Array:
    """True where elements are zero."""
    return np.logical_not(re(self))


# -- bits --------------------------------------------------------------------------------------


def _bits(kernel: str, a: Array) -> None:
    if a.dtype.kind not in "biu":
        raise EngineNotImplementedError(f"\"{kernel}_cpu\" not implemented for '{DTYPES[a.dtype].tensor_name}'")


@public("torch Tensor Tensor_ Tensor.__and__ Tensor.__rand__")
@pairwise()
def bitwise_and(self: Array, other: Array) -> Array:
    """Bits set in both; for booleans, logical and."""
    _bits("bitwise_and", self)
    return np.bitwise_and(self, other)


@public("torch Tensor Tensor_ Tensor.__or__ Tensor.__ror__")
@pairwise()
def bitwise_or(self: Array, other: Array) -> Array:
    """Bits set in one or both; for booleans, logical or."""
    _bits("bitwise_or", self)
    return np.bitwise_or(self, other)


@public("torch Tensor Tensor_ Tensor.__xor__ Tensor.__rxor__")
@pairwise()
def bitwise_xor(self: Array, other: Array) -> Array:
    """Bits set in just one; for booleans, logical exclusive or."""
    _bits("bitwise_xor", self)
    return np.bitwise_xor(self, other)


@public("torch Tensor Tensor_")
@constant
def bitwise_not(self: Array) -> Array:
    """Every bit inverted; for booleans, logical not."""
    _bits("bitwise_not", self)
    return np.invert(self)


@public("Tensor.__invert__")
def invert(input: Tensor) -> Tensor:
    """Every bit inverted; for booleans, logical not."""
    if input._a.dtype.kind not in "biu":
        raise EngineTypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(input)  # type: ignore[no-any-return]


def _shift(kernel: str, ufunc: Any, a: Array, b: Array) -> Array:
    """``a`` shifted by ``b``; a count out of range shifts every bit out."""
    if a.dtype.kind not in "iu":
        raise EngineNotImplementedError(f"\"{kernel}_cpu\" not implemented for '{DTYPES[a.dtype].tensor_name}'")
    width = a.dtype.itemsize * 8
    inside = (b >= 0) & (b < width)
    if np.all(inside):
        return ufunc(a, b)
    gone = -(a < 0).astype(a.dtype) if ufunc is np.right_shift else np.zeros_like(a)
    return np.where(inside, ufunc(a, np.where(inside, b, 0)), gone)[()].astype(a.dtype)


@public("torch Tensor Tensor_ Tensor.__lshift__")
@pairwise()
def bitwise_left_shift(self: Array, other: Array) -> Array:
    """Bits moved up by other places."""
    return _shift("lshift", np.left_shift, self, other)


@public("torch Tensor Tensor_ Tensor.__rshift__")
@pairwise()
def bitwise_right_shift(self: Array, other: Array) -> Array:
    """Bits moved down by other places, the sign kept."""
    return _shift("rshift", np.right_shift, self, other)


# -- divisors ----------------------------------------------------------------------------------


def _whole(kernel: str, a: Array) -> None:
    if a.dtype.kind not in "iu":
        raise EngineNotImplementedError(f"\"{kernel}_cpu\" not implemented for '{DTYPES[a.dtype].tensor_name}'")


@public("torch Tensor Tensor_ torch_")
@_of_tensors
@pairwise(numbers=0)
def gcd(self: Array, other: Array) -> Array:
    """The greatest common divisor."""
    _whole("gcd", self)
    return np.gcd(self, other)


@public("torch Tensor Tensor_ torch_")
@_of_tensors
@pairwise(numbers=0)
def lcm(self: Array, other: Array) -> Array:
    """The least common multiple."""
    _whole("lcm", self)
    return np.lcm(self, other)


@public("Tensor.__rlshift__")
def shifted_left_by(input: Tensor, other: Any) -> Any:
    """A number's bits moved up."""
    return bitwise_left_shift(other, input) if isinstance(other, (int, float)) else NotImplemented


@public("Tensor.__rrshift__")
def shifted_right_by(input: Tensor, other: Any) -> Any:
    """A number's bits moved down."""
    return bitwise_right_shift(other, input) if isinstance(other, (int, float)) else NotImplemented
