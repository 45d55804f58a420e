"""Arithmetic: the operators + - * / and what PyTorch computes of them in one node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import fail, is_value, no_overload
from ...calls.elementwise import SCALAR_OVERLOADS, by_name, plain
from ...dtypes import DTYPES, get_default_dtype, promote
from ...modes import in_rule
from ...numeric.kernels.fused import between, multiply_add
from ...registry import composite, elementwise, public
from ...tensor import Array, Tensor, Value, result
from ..common import re, scaled

# -- sum and difference ----------------------------------------------------------------------


def _plus(a: Array, alpha: Any, b: Array) -> Array:
    kind = b.dtype.kind
    if kind != "b" and isinstance(alpha, bool):
        fail("Boolean alpha only supported for Boolean results.")
    if kind == "f" and isinstance(alpha, complex):
        fail("For non-complex input tensors, argument alpha must not be a complex number.")
    if kind in "fc":
        return multiply_add(a, b, alpha)
    if isinstance(alpha, (float, complex)):
        fail("For integral input tensors, argument alpha must not be a floating point number.")
    # A boolean sum is "or": there alpha counts as a truth value.
    return a + (b & bool(alpha) if kind == "b" else np.asarray(alpha).astype(b.dtype) * b)


@public("torch Tensor Tensor_ Tensor.__add__ Tensor.__radd__")
@elementwise(
    self=lambda g: g, other=lambda g, alpha: scaled(g, alpha), rounding="sum", own_precision=True, half_numbers=True
)  # fmt: skip
def add(self: Array, other: Array, alpha: Any = 1) -> Array:
    """Sum, input + alpha * other."""
    return self + other if alpha == 1 and alpha is not True else _plus(self, alpha, other)


def refuse_bool(a: Array, b: Array) -> None:
    """Refuse a difference with booleans, in PyTorch's words."""
    if a.dtype.kind == b.dtype.kind == "b":
        fail(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if "b" in (a.dtype.kind, b.dtype.kind):
        fail(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )


@public("torch Tensor Tensor_ Tensor.__sub__ torch.subtract Tensor.subtract Tensor_.subtract")
@elementwise(
    refuse=refuse_bool, self=lambda g: g, other=lambda g, alpha: scaled(-g, alpha), rounding="sum", own_precision=True,
    half_numbers=True,
)  # fmt: skip
def sub(self: Array, other: Array, alpha: Any = 1) -> Array:
    """Difference, input - alpha * other."""
    if alpha != 1 or alpha is True:
        refuse_bool(self, other)
        return _plus(self, alpha if isinstance(alpha, bool) else -alpha, other)
    try:
        return self - other
    except TypeError:
        refuse_bool(self, other)
        raise


@elementwise(
    node="RsubBackward0", refuse=refuse_bool, self=lambda g, alpha: scaled(-g, alpha), other=lambda g: g,
    own_precision=True,
)  # fmt: skip
def rsub_tensor(self: Array, other: Array, alpha: Any = 1) -> Array:
    """Difference the other way round, other - alpha * input."""
    return sub.op.forward(other, self, alpha)


@elementwise(node="RsubBackward1", self=lambda g, alpha: scaled(-g, alpha), rounding="sum", half_numbers=True)
def rsub_number(self: Array, other: Any, alpha: Any = 1) -> Array:
    """A number less a tensor, other - alpha * input."""
    if type(other) is bool or self.dtype.kind not in "fc":
        refuse_bool(self, np.asarray(other))
        d = promote(self, other)
        return sub.op.forward(np.asarray(other).astype(d)[()], self.astype(d), alpha)
    return other - self if alpha == 1 else multiply_add(self.dtype.type(other), self, -alpha)


_rsub = by_name(rsub_tensor, "rsub")


@public("torch")
@composite
def rsub(input: Value, other: Value, *, alpha: Any = 1) -> Value:
    """Difference the other way round, other - alpha * input."""
    if not is_value(input):
        raise no_overload("rsub", input, other)
    if not is_value(other) and isinstance(other, (int, float, complex)):
        return rsub_number(input, other, alpha)
    return _rsub(input, other, alpha=alpha)


@public("Tensor.__rsub__")
def subtracted_from(input: Tensor, other: Any) -> Any:
    """A number less a tensor."""
    if isinstance(other, Tensor):
        return rsub_tensor(input, other)
    if isinstance(other, np.generic):
        other = plain(other)
    if not isinstance(other, (int, float, complex)):
        return NotImplemented
    if in_rule():
        return sub(result(input._a.dtype.type(other)), input)
    return rsub_number(input, other, 1)


# -- product and quotient --------------------------------------------------------------------


@public("torch Tensor Tensor_ Tensor.__mul__ Tensor.__rmul__ torch.multiply Tensor.multiply Tensor_.multiply")
@elementwise(
    self=lambda g, other: g * other, other=lambda g, self: g * self, rounding="once", exact_numbers=True
)  # fmt: skip
def mul(self: Array, other: Array) -> Array:
    """Product."""
    return self * other


def by_divisor(g: Value, self: Value, other: Value) -> Value:
    """The gradient of a quotient by its divisor."""
    # Here as in other rules, the right operand comes first: so PyTorch's compiler has it, and numbers the nodes.
    q = (self / other) / other
    return -g * q


@public("Tensor.__truediv__ Tensor.__div__ torch.true_divide Tensor.true_divide Tensor_.true_divide")
@elementwise(
    floating=True,
    domain=lambda self, other: other != 0,
    self=lambda g, other: g / other,
    other=lambda g, self, other: by_divisor(g, self, other),
    rounding="once",
    exact_numbers=True,
)
def div(self: Array, other: Array) -> Array:
    """Quotient."""
    return self / other


quotient = by_name(div)


@public("torch.div Tensor.div Tensor_.div torch.divide Tensor.divide Tensor_.divide")
@composite
def divide(*args: Any, **kwargs: Any) -> Any:
    """Quotient; rounding_mode="floor" or "trunc" rounds it."""
    if "rounding_mode" in kwargs:
        return ops.remainders.divided(*args, **kwargs)
    return quotient(*args, **kwargs)


@public("Tensor.__rtruediv__ Tensor.__rdiv__")
def divided_into(input: Tensor, other: Any) -> Any:
    """A number over a tensor."""
    if isinstance(other, Tensor):
        return mul(ops.elementary.reciprocal(input), other)
    if not isinstance(other, (int, float, complex)):
        if isinstance(other, np.ndarray):
            return ops.elementary.reciprocal(input) * other
        if not isinstance(other, np.generic):
            return NotImplemented
        other = plain(other)
    if in_rule():
        a = input._a
        return div(result(np.full_like(a, other)[()]), input)
    return mul(ops.elementary.reciprocal(input), other)


@public("torch Tensor Tensor_ torch_ Tensor.__neg__ torch.negative Tensor.negative Tensor_.negative torch_.negative")
@elementwise(self=lambda g: -g, rounding="exact")
def neg(self: Array) -> Array:
    """Negative."""
    try:
        return -self
    except TypeError:
        fail(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


@public("torch Tensor Tensor.__pos__")
@composite
def positive(input: Value) -> Value:
    """The tensor itself."""
    if isinstance(input, Tensor) and input._a.dtype.kind == "b":
        fail("The `+` operator, on a bool tensor is not supported.")
    return input


# -- beside a number, in recorded rules --------------------------------------------------------


def beside(x: Any, number: Any) -> Any:
    """A tensor that a number stands beside: whole numbers become floating ones if that is no whole number."""
    return x.to(get_default_dtype()) if isinstance(number, float) and x._a.dtype.kind in "biu" else x


@elementwise(node="AddBackward1", self=lambda g: g, rounding="sum")
def add_number(self: Array, other: Any) -> Array:
    """Sum with a number."""
    return self + other


@elementwise(node="SubBackward1", self=lambda g: g, rounding="sum")
def sub_number(self: Array, other: Any) -> Array:
    """Difference with a number."""
    if self.dtype.kind == "b":
        refuse_bool(self, np.asarray(other))
    return self - other


@elementwise(node="MulBackward1", self=lambda g, other: g * other.conjugate(), rounding="once")
def mul_number(self: Array, other: Any) -> Array:
    """Product with a number."""
    return self * other


@elementwise(node="DivBackward1", self=lambda g, other: g / other.conjugate(), rounding="once")
def div_number(self: Array, other: Any) -> Array:
    """Quotient with a number."""
    return self / other


SCALAR_OVERLOADS.update(add=add_number, sub=sub_number, mul=mul_number, div=div_number)


# -- several operations in one -----------------------------------------------------------------


@public("torch Tensor Tensor_")
@elementwise(
    no_whole="addcmul_cpu_out but integers",
    numbers=0,
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (tensor2 * value),
    tensor2=lambda g, tensor1, value: g * (tensor1 * value),
    rounding="once",
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    """Sum with a product, input + value * tensor1 * tensor2."""
    if value != 1:
        tensor1 = tensor1 * (value if self.dtype.kind in "fc" else int(value))
    return multiply_add(self, tensor1, tensor2)


def _by_tensor2(g: Value, tensor1: Value, tensor2: Value, value: Any) -> Value:
    square = tensor2 * tensor2
    q = value * tensor1 / square
    return -g * q


@public("torch Tensor Tensor_")
@elementwise(
    numbers=0,
    domain=lambda self, tensor1, tensor2, value=1: tensor2 != 0,
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (value / tensor2),
    tensor2=lambda g, tensor1, tensor2, value: _by_tensor2(g, tensor1, tensor2, value),
    rounding="once",
)
def addcdiv(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    """Sum with a quotient, input + value * tensor1 / tensor2."""
    if self.dtype.kind not in "fc":
        fail(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform "
            "a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
            "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
            "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
            "(input + value * tensor1 / tensor2), for all dtypes."
        )
    return self + (tensor1 if value == 1 else value * tensor1) / tensor2


@elementwise(node="LerpBackward0", self=lambda g, weight: g * (1 - weight), end=lambda g, weight: g * weight)
def lerp_number(self: Array, end: Array, weight: Any) -> Array:
    """The point at a given part of the way from input to end."""
    return between(self, end, weight)


@elementwise(
    node="LerpBackward1",
    self=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight,
    weight=lambda g, self, end: g * (end - self),
)
def lerp_tensor(self: Array, end: Array, weight: Array) -> Array:
    """The points at given parts of the way from input to end."""
    way = end - self
    near: Array = multiply_add(self, way, weight)
    far: Array = multiply_add(end, way, weight - 1)
    found: Array = np.where(abs(re(weight)) < 0.5, near, far)
    return found[()]


@public("torch Tensor Tensor_")
@composite
def lerp(input: Value, end: Value, weight: Any) -> Value:
    """The point at a given part of the way from input to end, input + weight * (end - input)."""
    if not is_value(input, end) or type(weight) in (tuple, list):
        raise no_overload("lerp", input, end, weight)
    d = input._a.dtype
    for name, x in ("end", end), ("weight", weight):
        if isinstance(x, Tensor) and x._a.dtype is not d and (x._a.ndim or name == "end"):
            shown = [DTYPES[t].c_name for t in (d, x._a.dtype)]
            fail(f"expected dtype {shown[0]} for `{name}` but got dtype {shown[1]}")
    if d.kind not in "fc":
        kernel = "lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar"
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for '{DTYPES[d].tensor_name}'")
    return lerp_tensor(input, end, weight) if isinstance(weight, Tensor) else lerp_number(input, end, weight)
