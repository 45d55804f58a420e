"""Reading and writing where a mask holds, and where elements are not zero."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import by_numbers, given_for_out, reads_elsewhere
from ...dtypes import DTYPES, zeros_of
from ...modes import refuse_of_samples, refuse_other_shapes, unfollowed
from ...registry import constant, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..common import unlike
from ..shape.padding import zeros
from .index_select import copy


def _holds(mask: Array, message: str) -> Array:
    if mask.dtype.kind != "b":
        fail(message)
    return mask


@by_numbers
@primitive(without_rule=("mask",), broadcasts=True, self=lambda g, self, mask: _masked_select_backward(g, self, mask))
def masked_select(self: Array, mask: Array) -> Array:
    """The elements where a mask holds, as a vector."""
    _holds(mask, "masked_select: expected BoolTensor for mask")
    if self.shape == mask.shape and isinstance(self, np.ndarray):
        return self[mask]
    size = ops.reshaping.broadcast_shape(mask.shape, self.shape)
    return np.broadcast_to(self, size)[np.broadcast_to(mask, size)].reshape(-1)


@public("torch.masked_select Tensor.masked_select")
@given_for_out("{name}(): self and result must have the same scalar type")
@reads_elsewhere
def _masked_select(input: Value, mask: Value) -> Value:
    """The elements where a mask holds, as a vector."""
    refuse_of_samples(
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
        "each batch this would return a differently shaped Tensor. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature.",
        mask,
    )
    return masked_select(input, mask)


def _masked_select_backward(g: Value, self: Value, mask: Value) -> Value:
    """The gradient of masked_select: zeros, with the shares where the mask holds."""
    size = ops.reshaping.broadcast_shape(tuple(mask.shape), tuple(self.shape))
    if isinstance(g, Tensor):
        return ops.matmul.written(masked_scatter(zeros((size, g._a.dtype), g), mask, g))
    out = zeros_of(size, g.dtype)
    out[np.broadcast_to(mask, size)] = g
    return out


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("mask",),
    broadcasts=True,
    self=lambda g, mask: ops.choosing.masked_fill(g, mask, 0),
    source=lambda g, mask, source_sym_sizes: masked_scatter_backward(g, mask, source_sym_sizes),
)
def masked_scatter(self: Array, mask: Array, source: Array) -> Array:
    """A copy with the elements of another tensor, one after the other, where a mask holds."""
    if unlike(self, source):
        fail(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{DTYPES[self.dtype].tensor_name} and {DTYPES[source.dtype].tensor_name}"
        )
    if mask.dtype == np.uint8:
        warnings.warn(
            "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask "
            "with dtype torch.bool instead.",
            stacklevel=3,
        )
    _holds(mask, "masked_scatter_ only supports boolean masks, but got mask with dtype " + _name(mask))
    size = ops.reshaping.broadcast_shape(mask.shape, self.shape)
    where = np.broadcast_to(mask, size)
    count = int(np.count_nonzero(where))
    if source.size < count:
        fail("Number of elements of source < number of ones in mask")
    out = copy(np.broadcast_to(self, size), source).reshape(size)
    out[where] = source.reshape(-1)[:count] if size else source.reshape(-1)[:count].reshape(-1)
    return out


def _name(a: Array) -> str:
    return DTYPES[a.dtype].tensor_name


@primitive(
    backward=True,
    without_rule=("mask",),
    node="MaskedScatterBackwardBackward0",
    grad_output=lambda g, grad_output_like, mask: masked_scatter(zeros(grad_output_like, g), mask, g),
)
def masked_scatter_backward(grad_output: Array, mask: Array, sizes: Any) -> Array:
    """The gradient of masked_scatter for what was written: what the mask picks, then zeros."""
    picked = grad_output[np.broadcast_to(mask, grad_output.shape)]
    out = zeros_of(math.prod(sizes), grad_output.dtype)
    out[: picked.size] = picked.reshape(-1)
    return out.reshape(sizes)


@constant
def nonzero_places(self: Array) -> Array:
    """The places of the elements that are not zero, one in each row."""
    a = np.asarray(self)
    if a.ndim == 0:
        return np.zeros((int(bool(a)), 0), np.int64)
    return np.array(np.nonzero(a)).T


@by_numbers
@public("torch Tensor")
@given_for_out("nonzero: Expected out tensor to have scalar type {found} but got scalar type{given}")
@costs("picking.nonzero")
def nonzero(input: Value, *, as_tuple: bool = False) -> Any:
    """The places of the elements that are not zero, as rows, or as one tensor for each axis."""
    if type(as_tuple) is not bool:
        only_bools("nonzero", as_tuple=as_tuple)
    if not as_tuple:
        refuse_other_shapes("nonzero", input)
        return nonzero_places(input)
    refuse_of_samples(
        "Batching rule not implemented for aten::nonzero_numpy. We could not generate a fallback.", input
    )
    if input.ndim == 0:
        input = ops.views.unsqueeze(input, 0)
    return ops.splitting.unbind(nonzero_places(input), 1)


@public("torch Tensor")
@costs("picking.nonzero")
def nonzero_static(input: Value, *, size: int, fill_value: int = -1) -> Any:
    """The places of so many elements that are not zero, as rows; where there are fewer, rows of another number."""
    refuse_other_shapes("nonzero", input)
    if size < 0:
        fail("nonzero_static: 'size' must be an non-negative integer")
    places = nonzero_places(input)._a[:size]
    found = np.full((size, input.ndim), fill_value, np.int64)
    found[: len(places)] = places
    return unfollowed(result(found), input)


@by_numbers
@public("torch Tensor")
@costs("picking.nonzero")
def argwhere(input: Value) -> Any:
    """The places of the elements that are not zero, one in each row."""
    refuse_other_shapes("nonzero", input)
    return nonzero_places(input)
