"""Choosing between elements: where, masked_fill, the larger of two, clamp."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import broadcast_problem, fail, is_value, no_overload, plain_number
from ...declaration import CASTABLE_IN_C, given_for_out
from ...dtypes import DTYPES, promote
from ...modes import refuse_other_shapes
from ...numeric.halves import converted
from ...registry import composite, elementwise, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import eq, ge, gt, le, lt, re, unlike

# -- by a mask ---------------------------------------------------------------------------------


@elementwise(
    without_rule=("condition",),
    self=lambda g, condition: where(condition, g, 0), other=lambda g, condition: where(condition, 0, g),
    rounding="exact",
)
def where(condition: Array, self: Array, other: Array) -> Array:
    """Elements of input where the condition holds, of other elsewhere."""
    if condition.dtype.kind != "b":
        condition = condition.astype(bool)
    r: Array = np.where(condition, self, other)
    return r[()]


@public("torch.where")
def chosen(condition: Value, input: Any = None, other: Any = None) -> Any:
    """Elements of input where the condition holds, of other elsewhere; the indices where it holds, if alone."""
    if isinstance(condition, Tensor) and input is None and other is None:
        refuse_other_shapes("where", condition)
        return ops.masked.nonzero(condition, as_tuple=True)
    numbers = (Tensor, int, float, complex)
    if not isinstance(condition, Tensor) or not isinstance(input, numbers) or not isinstance(other, numbers):
        raise no_overload("where", condition, input, *(() if other is None else (other,)))
    d = condition._a.dtype
    if d == np.uint8:
        warnings.warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead.",
            UserWarning,
            stacklevel=3,
        )
    if d.kind != "b" and d != np.uint8:
        fail(f"where expected condition to be a boolean tensor, but got a tensor with dtype {DTYPES[d].tensor_name}")
    return where(condition, input, other)


@public("Tensor.where")
def where_else(input: Tensor, condition: Tensor, other: Any) -> Any:
    """Its elements where the condition holds, those of other elsewhere."""
    return chosen(condition, input, other)


def _filled(a: Array, mask: Array, value: Any) -> Array:
    if mask.dtype.kind != "b":
        # PyTorch fits the shapes to each other first.
        problem = broadcast_problem(mask.shape, a.shape)
        if problem is not None:
            raise problem
        fail(f"masked_fill_ only supports boolean masks, but got mask with dtype {_c_name(mask.dtype)}")
    try:
        r = np.where(mask, value, a)
    except ValueError as error:
        raise broadcast_problem(mask.shape, a.shape) or error from None
    # A copy stays bfloat16, as what NumPy makes contiguous does not.
    return r[()] if r.flags.c_contiguous else r.copy("C")


def _c_name(d: Any) -> str:
    name = DTYPES[d].tensor_name.lower()
    return {"long": "long int", "byte": "unsigned char", "char": "signed char", "short": "short int"}.get(name, name)


@primitive(
    without_rule=("mask",),
    node="MaskedFillBackward0",
    broadcasts=True,
    self=lambda g, mask: masked_fill_number(g, mask, 0),
    rounding="exact",
    form="filled",
)
def masked_fill_number(self: Array, mask: Array, value: Any) -> Array:
    """The elements, with a number where the mask holds."""
    if not isinstance(value, (int, float, complex)):
        raise no_overload("masked_fill", mask, value)
    return _filled(self, mask, ops.filled.fitted(value, self.dtype))


@primitive(
    without_rule=("mask",),
    node="MaskedFillBackward1",
    broadcasts=True,
    self=lambda g, mask: masked_fill_number(g, mask, 0),
    value=lambda g, mask: ops.sums.sum_all(ops.masked.masked_select(g, mask)),
    rounding="exact",
    form="filled",
)
def masked_fill_tensor(self: Array, mask: Array, value: Array) -> Array:
    """The elements, with the value of a 0-d tensor where the mask holds."""
    of_complex = value.dtype.kind == "c"
    if self.dtype.kind in "iu" or (of_complex and self.dtype.kind != "c" and unlike(self, value)):
        value = ops.filled.fitted(value.item(), self.dtype)
    elif not of_complex or (self.dtype.kind == "c" and unlike(self, value)):
        value = converted(value, self.dtype)
    return _filled(self, mask, value)


@public("torch Tensor Tensor_")
@composite
def masked_fill(input: Value, mask: Value, value: Any) -> Value:
    """The elements, with one value where the mask holds."""
    if not is_value(input, mask):
        raise no_overload("masked_fill", input, mask, value)
    if not isinstance(value, Tensor):
        return masked_fill_number(input, mask, value)
    if value._a.ndim:
        fail(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._a.ndim} dimension(s)."
        )
    return masked_fill_tensor(input, mask, value)


# -- the larger and the smaller ----------------------------------------------------------------


def _difference(self: Array, other: Array) -> Array:
    return self - other


def _emptied(g: Value, mask: Value) -> Value:
    """``g``, just made, with zeros written where the mask holds."""
    if isinstance(g, Tensor):
        return g.masked_fill_(mask, 0)
    if not isinstance(g, np.ndarray):
        return g.dtype.type(0) if mask else g
    g[mask] = 0
    return g


@public("torch Tensor")
@elementwise(
    numbers=0,
    kink=_difference,
    self=lambda g, self, other: _emptied(where(eq(self, other), g / 2, g), lt(self, other)),
    other=lambda g, self, other: _emptied(where(eq(self, other), g / 2, g), gt(self, other)),
    rounding="exact",
)
def maximum(self: Array, other: Array) -> Array:
    """The larger of two elements; NaN if either is."""
    return np.maximum(self, other) if self.dtype.kind != "c" else _by_real_part(np.maximum, self, other)


@public("torch Tensor")
@elementwise(
    numbers=0,
    kink=_difference,
    self=lambda g, self, other: _emptied(where(eq(self, other), g / 2, g), gt(self, other)),
    other=lambda g, self, other: _emptied(where(eq(self, other), g / 2, g), lt(self, other)),
    rounding="exact",
)
def minimum(self: Array, other: Array) -> Array:
    """The smaller of two elements; NaN if either is."""
    return np.minimum(self, other) if self.dtype.kind != "c" else _by_real_part(np.minimum, self, other)


@public("torch Tensor")
@elementwise(
    numbers=0,
    kink=_difference,
    self=lambda g, self, other: masked_fill_number(g, ops.comparison.logical_not(_prefers(ge, self, other)), 0),
    other=lambda g, self, other: masked_fill_number(g, _prefers(ge, self, other), 0),
)
def fmax(self: Array, other: Array) -> Array:
    """The larger of two elements; the number where one is NaN."""
    return np.fmax(self, other) if self.dtype.kind != "c" else _by_real_part(np.fmax, self, other)


@public("torch Tensor")
@elementwise(
    numbers=0,
    kink=_difference,
    self=lambda g, self, other: masked_fill_number(g, ops.comparison.logical_not(_prefers(le, self, other)), 0),
    other=lambda g, self, other: masked_fill_number(g, _prefers(le, self, other), 0),
)
def fmin(self: Array, other: Array) -> Array:
    """The smaller of two elements; the number where one is NaN."""
    return np.fmin(self, other) if self.dtype.kind != "c" else _by_real_part(np.fmin, self, other)


def _prefers(order: Any, self: Value, other: Value) -> Value:
    """Where the first is taken: it is in order, or the second is NaN."""
    return ops.comparison.logical_or(order(self, other), ops.comparison.ne(other, other))


def _by_real_part(ufunc: Any, a: Array, b: Array) -> Array:
    """A choice between complex elements by their real parts; between equal ones, their mean."""
    chosen = ufunc(a.real, b.real)
    r: Array = np.where(chosen == a.real, a, np.where(chosen == b.real, b, chosen))
    return np.where(a.real == b.real, (a + b) / 2, r)[()]


# -- between bounds ----------------------------------------------------------------------------


def _between(self: Value, min: Any, max: Any) -> Value:
    """Where the bounds let the element pass; the bounds themselves do."""
    if max is None:
        return ge(self, min)
    if min is None:
        return le(self, max)
    return ops.comparison.logical_and(ge(self, min), le(self, max))


def _bounded(self: Array, min: Any = None, max: Any = None) -> Array:
    """Changes sign at each bound."""
    return (1 if min is None else self - min) * (1 if max is None else self - max)


def _clamped(a: Array, min: Any, max: Any) -> Array:
    if a.dtype.kind == "c" or any(x is not None and np.iscomplexobj(x) for x in (min, max)):
        if min is not None:
            a = np.where(re(a) < re(min), min, a)
        return a[()] if max is None else np.where(re(a) > re(max), max, a)[()]
    if min is not None:
        a = np.maximum(a, min)
    return a if max is None else np.minimum(a, max)


def _kept_between(a: Array, min: Any, max: Any) -> Array:
    """An array kept between numbers, in the dtype of their result."""
    d = a.dtype
    if d.kind not in "fc":
        d = promote(a, *(x for x in (min, max) if x is not None))
        if d.kind == "b":
            bound = "" if min is not None and max is not None else "max_" if min is None else "min_"
            raise EngineNotImplementedError(f"\"clamp_{bound}scalar_cpu\" not implemented for 'Bool'")
        a = a.astype(d)
    if min is not None:
        min = ops.filled.fitted(min, d)
    if max is not None:
        max = ops.filled.fitted(max, d)
    if d.kind == "c":
        return _clamped(a, min, max)
    if min is not None:
        a = np.maximum(a, min)
    return a if max is None else np.minimum(a, max)


@elementwise(
    node="ClampBackward1",
    kink=_bounded,
    self=lambda g, self, min, max: where(_between(self, min, max), g, 0),
    rounding="exact",
)
def clamp_number(self: Array, min: Any, max: Any) -> Array:
    """Elements kept between two numbers."""
    return _kept_between(self, min, max)


@elementwise(
    # PyTorch computes the gradients of the two bounds together.
    order=("min", "max", "self"),
    node="ClampBackward0",
    kink=_bounded,
    self=lambda g, self, min, max: where(_between(self, min, max), g, 0),
    min=lambda g, self, min, max: where(_below(self, min, max), g, 0),
    max=lambda g, self, min, max: where(_above(self, min, max), g, 0),
)
def clamp_tensor(self: Array, min: Array | None, max: Array | None) -> Array:
    """Elements kept between those of two tensors."""
    if self.dtype.kind == "b" and min is not None and max is not None:
        raise EngineNotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")
    return _clamped(self, min, max)


def _below(self: Value, min: Value, max: Value) -> Value:
    """Where the lower bound decides."""
    below = lt(self, min)
    return below if max is None else ops.comparison.logical_and(below, lt(min, max))


def _above(self: Value, min: Value, max: Value) -> Value:
    """Where the upper bound decides; it also does where the bounds are crossed."""
    above = gt(self, max)
    return above if min is None else ops.comparison.logical_or(above, lt(max, min))


@public("torch Tensor Tensor_ torch_ torch.clip Tensor.clip Tensor_.clip torch_.clip")
@given_for_out(CASTABLE_IN_C, cast=True)
@composite
def clamp(input: Value, min: Any = None, max: Any = None) -> Value:
    """Elements kept between a lower and an upper bound."""
    if not is_value(input):
        raise no_overload("clamp", input, min, max)
    if min is None and max is None:
        fail("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = [isinstance(x, Tensor) for x in (min, max) if x is not None]
    if all(tensors):
        return clamp_tensor(input, min, max)
    if any(tensors):
        # Beside a bound that is a number the other may be the tensor of one.
        low, high = plain_number(min), plain_number(max)
        if isinstance(low, Tensor) or isinstance(high, Tensor):
            raise no_overload("clamp", input, min, max)
        return clamp_number(input, low, high)
    return clamp_number(input, min, max)


@elementwise(
    node="ClampMinBackward0",
    kink=lambda self, min: self - min,
    self=lambda g, self, min: where(ge(self, min), g, 0),
    rounding="exact",
)
def clamp_min_number(self: Array, min: Any) -> Array:
    """Elements kept above a number."""
    return _kept_between(self, min, None)


@elementwise(
    node="ClampMinBackward1",
    kink=lambda self, min: self - min,
    self=lambda g, self, min: where(ge(self, min), g, 0),
    min=lambda g, self, min: where(lt(self, min), g, 0),
)
def clamp_min_tensor(self: Array, min: Array) -> Array:
    """Elements kept above those of a tensor."""
    return _clamped(self, min, None)


@elementwise(
    node="ClampMaxBackward0",
    kink=lambda self, max: self - max,
    self=lambda g, self, max: where(le(self, max), g, 0),
    rounding="exact",
)
def clamp_max_number(self: Array, max: Any) -> Array:
    """Elements kept below a number."""
    return _kept_between(self, None, max)


@elementwise(
    node="ClampMaxBackward1",
    kink=lambda self, max: self - max,
    self=lambda g, self, max: where(le(self, max), g, 0),
    max=lambda g, self, max: where(gt(self, max), g, 0),
)
def clamp_max_tensor(self: Array, max: Array) -> Array:
    """Elements kept below those of a tensor."""
    return _clamped(self, None, max)


@public("torch Tensor Tensor_ torch_")
@given_for_out(CASTABLE_IN_C, cast=True)
@composite
def clamp_min(input: Value, min: Any) -> Value:
    """Elements kept above a bound."""
    if not is_value(input):
        raise no_overload("clamp_min", input, min)
    return clamp_min_tensor(input, min) if isinstance(min, Tensor) else clamp_min_number(input, min)


@public("torch Tensor Tensor_ torch_")
@given_for_out(CASTABLE_IN_C, cast=True)
@composite
def clamp_max(input: Value, max: Any) -> Value:
    """Elements kept below a bound."""
    if not is_value(input):
        raise no_overload("clamp_max", input, max)
    return clamp_max_tensor(input, max) if isinstance(max, Tensor) else clamp_max_number(input, max)
