"""Softmax, its logarithm, and their kin."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from ....errors import EngineTypeError
from ... import ops
from ...call_errors import fail
from ...declaration import given_for_out
from ...dtypes import F32, as_numpy
from ...flags import threads
from ...numeric.common import quiet
from ...numeric.halves import VECTORS, is_half, lowered, raised
from ...numeric.kernels.fused import LARGEST, multiply_add, rounded
from ...numeric.kernels.sums import VECTOR, in_vectors, products_in_vectors
from ...numeric.kernels.vectors import exponential, logarithm
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..common import axis, re
from ..pointwise.masks import refuse_integers

# Products across so many rows are added row by row, each in one rounding.
_ROWS = 1024


def _is_last(a: Array, dim: int) -> bool:
    """Tell whether an axis is the last one, along which PyTorch's kernels add in vectors."""
    return dim in (-1, a.ndim - 1)


def _total(a: Array, dim: int, b: Array | None = None) -> Array:
    """The sum along an axis, of products with ``b``."""
    if _is_last(a, dim):
        if b is not None and a.dtype is b.dtype is F32 and threads() == 1:
            # What is done where nothing is shared is compiled anew.
            return products_in_vectors(a, b, VECTOR)[..., None]
        return in_vectors(a if b is None else a * b)[..., None]
    if b is not None and a.dtype is b.dtype is F32 and a.shape[dim] <= _ROWS:
        r = np.zeros((*a.shape[:dim], *a.shape[dim:][1:]), a.dtype)
        for of_a, of_b in zip(np.moveaxis(a, dim, 0), np.moveaxis(b, dim, 0), strict=True):
            r = multiply_add(r, of_a, of_b)
        return np.expand_dims(r, dim)
    return np.add.reduce(a if b is None else a * b, dim, keepdims=True)


def _exponential(z: Array, dim: int, shared: bool = True) -> Array:
    """The exponential of what is laid out row by row: across the rows, what fills no vector is exact."""
    e = exponential(z)
    if not _is_last(z, dim) and z.dtype is F32 and z.size <= LARGEST:
        outer, inner = math.prod(z.shape[:dim]), math.prod(z.shape[dim:][1:])
        alone = _alone(outer, inner, threads() if shared else 1, VECTOR)
        of_e, of_z = (v.reshape(outer, -1, inner).swapaxes(1, 2) for v in (e, z))
        of_e[alone] = rounded(np.exp, of_z[alone])
    return e


def _kept_in_half(e: Array, d: Any, dim: int) -> Array:
    """Exponentials across rows whose sum is taken already: what fills no vector is kept in half precision."""
    outer, inner = math.prod(e.shape[:dim]), math.prod(e.shape[dim:][1:])
    alone = _alone(outer, inner, threads(), VECTORS)
    rows = e.reshape(outer, -1, inner).swapaxes(1, 2)
    rows[alone] = raised(lowered(rows[alone], d))
    return e


@lru_cache(maxsize=64)
def _alone(outer: int, inner: int, parts: int, vector: int) -> Array:
    """The columns that are computed one by one: threads share them all, and each fills vectors while they last."""
    alone = np.zeros(outer * inner, bool)
    share = -(-alone.size // parts)
    for begun in range(0, alone.size, share):
        end = min(begun + share, alone.size)
        while begun < end:
            row = min(end, begun - begun % inner + inner)
            alone[row - (row - begun) % vector : row] = True
            begun = row
    return alone.reshape(outer, inner)


def _sum(a: Value, dim: int) -> Value:
    return ops.sums.sum_dim(a, (dim,), True)


def _lowered(a: Array, dim: int) -> Array:
    """An array less its largest elements along an axis, laid out row by row."""
    top = np.maximum.reduce(re(a), dim, keepdims=True)
    return a - top if a.flags.c_contiguous else np.subtract(a, top, order="C")


def _check(name: str, a: Array, dim: int) -> None:
    if not -a.ndim <= dim < a.ndim:
        axis(dim, a.ndim)
    if a.dtype.kind not in "fc" and a.size:
        place = "lastdim_" if axis(dim, a.ndim) == max(a.ndim, 1) - 1 else ""
        refuse_integers(f"{name}_{place}kernel_impl", a)


# -- softmax -----------------------------------------------------------------------------------


def _share_of_result(g: Value, grad_output: Value, output: Value, dim: int) -> Value:
    return grad_output * g - _sum(output * grad_output, dim) * g - grad_output * _sum(output * g, dim)


@primitive(
    backward=True,
    grad_output=lambda g, output, dim: softmax_backward_data(g, output, dim), output=_share_of_result,
    left_of=("largest", "grad_output"),
    form="along",
)
def softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    """Gradient of the softmax, from its result."""
    _check("softmax_backward", output, dim)
    if not output.ndim:
        return output * (grad_output - grad_output * output)
    return (grad_output - _total(grad_output, dim, output)) * output


def softmax_of(a: Array, dim: int) -> Array:
    """The softmax of numbers, each step as PyTorch's kernels have it."""
    e = _exponential(_lowered(raised(a), dim), dim)
    total = _total(e, dim)
    if _is_last(a, dim):
        return e * np.reciprocal(total)
    return (_kept_in_half(e, a.dtype, dim) if is_half(a.dtype) else e) / total


@primitive(
    node="SoftmaxBackward0", self=lambda g, result, dim: softmax_backward_data(g, result, dim), form="along",
    own_precision=True,
)
def softmax_along(self: Array, dim: int) -> Array:
    """Exponentials along an axis, over their sum."""
    _check("softmax", self, dim)
    if not self.size or not self.ndim:
        return self.copy() if not self.size else self - self + 1
    return quiet(softmax_of, self, dim)


# -- its logarithm -----------------------------------------------------------------------------


@primitive(
    backward=True,
    grad_output=lambda g, output, dim: g - _sum(g * ops.elementary.exp(output), dim),
    output=lambda g, grad_output, output, dim: -_sum(grad_output, dim) * ops.elementary.exp(output) * g,
    left_of=("largest", "grad_output"),
    form="along",
)
def log_softmax_backward_data(grad_output: Array, output: Array, dim: int) -> Array:
    """Gradient of the logarithm of the softmax, from its result."""
    _check("log_softmax_backward", output, dim)
    if not output.ndim:
        return grad_output - grad_output * np.exp(output)
    return multiply_add(grad_output, _exponential(output, dim, False), -_total(grad_output, dim))


def _log_softmax(a: Array, dim: int) -> Array:
    z = _lowered(raised(a), dim)
    total = _total(_exponential(z, dim, False), dim)
    if is_half(a.dtype) and _is_last(a, dim):
        # PyTorch keeps a row's sum in half precision, and its logarithm.
        z -= raised(lowered(logarithm(raised(lowered(total, a.dtype))), a.dtype))
        return z
    z -= logarithm(total)
    return z


@primitive(
    node="LogSoftmaxBackward0", self=lambda g, result, dim: log_softmax_backward_data(g, result, dim),
    left_of=("ones",), form="along", own_precision=True,
)
def log_softmax_along(self: Array, dim: int) -> Array:
    """Logarithm of the softmax along an axis."""
    _check("log_softmax", self, dim)
    if not self.size or not self.ndim:
        return self.copy() if not self.size else self - self
    return quiet(_log_softmax, self, dim)


# -- as people call them -----------------------------------------------------------------------


def _converted(input: Value, dtype: Any) -> Value:
    return input if dtype is None else ops.converting.cast(input, as_numpy(dtype))


def _refuse_no_axis(name: str, dim: Any) -> None:
    if not isinstance(dim, int):
        raise EngineTypeError(f"{name}(): argument 'dim' (position 2) must be int, not {type(dim).__name__}")


@public("torch Tensor special")
@given_for_out()
@composite
def softmax(input: Value, dim: int, dtype: Any = None) -> Value:
    """Exponentials along an axis, over their sum."""
    _refuse_no_axis("softmax", dim)
    return softmax_along(_converted(input, dtype), dim)


@public("torch Tensor special")
@given_for_out()
@composite
def log_softmax(input: Value, dim: int, dtype: Any = None) -> Value:
    """Logarithm of the softmax along an axis."""
    _refuse_no_axis("log_softmax", dim)
    return log_softmax_along(_converted(input, dtype), dim)


@public("F")
def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The axis that PyTorch takes when none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


@public("F.softmax")
def softmax_function(input: Value, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Value:
    """Exponentials along an axis, over their sum."""
    if dim is None:
        dim = _get_softmax_dim("softmax", input.ndim, 3)
    return softmax_along(input if dtype is None else _converted(input, dtype), dim)


@public("F.log_softmax")
def log_softmax_function(input: Value, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Value:
    """Logarithm of the softmax along an axis."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.ndim, 3)
    return log_softmax_along(_converted(input, dtype), dim)


@public("torch._masked_softmax")
@composite
def masked_softmax(input: Value, mask: Value, dim: int | None = None, mask_type: int | None = None) -> Value:
    """Softmax of what a mask does not hide: of attention to (L, L), of padding to (B, L), or as large as the input."""
    if mask._a.dtype.kind != "b":
        fail("Mask should be a boolean tensor")
    size, shown = tuple(input.shape), tuple(mask.shape)
    kind = mask_type if len(shown) == 2 and len(size) == 4 else 2
    if kind not in (0, 1, 2):
        fail("Mask Type should be defined")
    if kind == 0 and shown != (size[2], size[2]):
        fail("For mask_type == 0 mask shape should be (L, L)")
    if kind == 1:
        if shown != (size[0], size[2]):
            fail("For mask_type == 1 mask shape should be (B, L)")
        mask = ops.views.view(mask, (size[0], 1, 1, size[2]))
    if kind == 2 and shown != size:
        fail("For mask_type == 2 mask shape should match input shape")
    return softmax_along(ops.choosing.masked_fill(input, mask, -math.inf), -1 if dim is None else dim)


@public("F")
@composite
def softmin(input: Value, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Value:
    """Softmax of the negative input."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.ndim, 3)
    return softmax_along(_converted(ops.arith.neg(input), dtype), dim)
