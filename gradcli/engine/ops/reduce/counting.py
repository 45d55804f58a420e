"""Distinct elements, counts, bins, and places in a sorted sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineNotImplementedError
from ...call_errors import fail, is_value, no_overload, only_bools, refuse_complex
from ...costs import ALWAYS, costs
from ...declaration import by_numbers, given_for_out, in_python
from ...dtypes import I64
from ...modes import refuse_other_shapes, unfollowed
from ...numeric.halves import converted
from ...registry import composite, constant, primitive, public
from ...tensor import Array, Value, result
from ..common import axis, re
from ..pointwise.masks import refuse_bool
from .sums import named_dtype

Three = tuple[Array, Array, Array]


# -- distinct elements -----------------------------------------------------------------------


def _counting(what: str) -> Callable[[Any], Any]:
    """A node of its own, and no derivative: the backward fails there, naming what PyTorch names."""
    return primitive(
        outputs=("output",), aside=("inverse", "counts"), no_derivative=what, self=lambda g: None
    )


@_counting("_unique2")
def unique2(self: Array) -> Three:
    """The distinct elements in order, which of them each element is, and how often each occurs."""
    a = np.asarray(self)
    values, inverse, counts = np.unique(a, return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(a.shape)[()], counts


def _sliced(a: Array, dim: int) -> int:
    """The axis along which there are slices to compare."""
    if not a.ndim:
        raise EngineIndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    d = axis(dim, a.ndim)
    if a.size == 0 and a.shape[d] != 0:
        fail("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return d


@_counting("unique_dim")
def unique_dim(self: Array, dim: int) -> Three:
    """The distinct slices along an axis in order, which of them each slice is, and how often each occurs."""
    values, inverse, counts = np.unique(
        self, return_inverse=True, return_counts=True, axis=_sliced(self, dim), equal_nan=False
    )
    return values, inverse.reshape(-1), counts


@_counting("unique_consecutive")
def unique_consecutive_(self: Array, dim: int | None = None) -> Three:
    """Elements (or slices) without those that repeat the one before, which each became, and how long the runs are."""
    a = np.asarray(self)
    d = 0 if dim is None else _sliced(a, dim)
    rows = a.reshape(-1) if dim is None else np.moveaxis(np.atleast_1d(a), d, 0)
    n = rows.shape[0]
    starts = np.ones(n, bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
    places = np.flatnonzero(starts)
    inverse = np.add.accumulate(starts, dtype=I64) - 1
    values = np.moveaxis(rows[places], 0, d)
    return values, inverse.reshape(a.shape)[()] if dim is None else inverse, np.diff(np.append(places, n))


def _wanted(found: tuple[Value, Value, Value], return_inverse: bool, return_counts: bool) -> Value:
    values, inverse, counts = found
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


@by_numbers
@in_python
@public("torch Tensor")
@costs("picking.sorted_")
@composite
def unique(
    input: Value,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Value:
    """The distinct elements, or the distinct slices along an axis, in order."""
    only_bools("_unique2", sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    refuse_other_shapes("_unique2" if dim is None else "unique_dim", input)
    found = unique2(input) if dim is None else unique_dim(input, dim)
    return _wanted(found, return_inverse, return_counts)


@by_numbers
@in_python
@public("torch Tensor")
@costs("picking.sorted_")
@composite
def unique_consecutive(
    input: Value, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Value:
    """The elements (or slices along an axis) without those that repeat the one before."""
    only_bools("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    refuse_other_shapes("unique_consecutive", input)
    return _wanted(unique_consecutive_(input, dim), return_inverse, return_counts)


@public("torch")
@given_for_out()
@composite
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Value:
    """True where an element is among others."""
    del assume_unique
    refuse_complex("isin", elements, test_elements)
    if any(is_value(x) and x._a.dtype.kind == "b" for x in (elements, test_elements)):
        fail("Unsupported input type encountered for isin(): Bool")
    if not is_value(elements) and not is_value(test_elements):
        raise no_overload("isin", elements, test_elements)
    these, others = (re(x._a) if is_value(x) else np.asarray(x) for x in (elements, test_elements))
    return unfollowed(result(np.isin(these, others, invert=invert)[()]), elements, test_elements)


# -- places in a sorted sequence -------------------------------------------------------------


def _right(right: bool, side: str | None) -> bool:
    if side not in (None, "left", "right"):
        fail(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        fail("torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True")
    return right or side == "right"


@public("torch")
@costs("picking.searchsorted")
@constant
def searchsorted(
    sorted_sequence: Array,
    input: Array,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Array | None = None,
) -> Array:
    """Where values would have to be inserted to keep a sequence sorted."""
    only_bools("searchsorted", out_int32=out_int32, right=right)
    if np.asarray(input).dtype.kind == "b":
        refuse_bool("searchsorted_out_cpu", sorted_sequence)
    edges, values = re(sorted_sequence), re(np.asarray(input))
    right = _right(right, side)
    if not edges.ndim:
        fail("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    if edges.ndim > 1 and not values.ndim:
        fail(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({edges.ndim}) and input value's dim({values.ndim}) numel({values.size})"
        )
    if sorter is not None:
        if sorter.shape != edges.shape:
            fail(
                f"torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(edges.shape)}and got sorter tensor {list(sorter.shape)}"
            )
        if sorter.dtype is not I64:
            fail(f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {named_dtype(sorter)}")
        if sorter.size and not 0 <= sorter.min() <= sorter.max() < edges.shape[-1]:
            fail("torch.searchsorted(): sorter index out of range")
        edges = np.take_along_axis(edges, sorter, -1)
    if edges.ndim > 1 and edges.shape[:-1] != values.shape[:-1]:
        fail(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            f"boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(edges.shape)} and input value tensor {list(values.shape)}"
        )
    return _inserted(edges, values, right).astype(np.int32 if out_int32 else np.int64)[()]


def _inserted(edges: Array, values: Array, right: bool) -> Array:
    """Where each value goes, by halves: what is not in order, NaN among it, leads where it leads PyTorch."""
    if edges.ndim == 1 and (edges[1:] >= edges[:-1]).all():
        return np.asarray(np.searchsorted(edges, values, "right" if right else "left"))
    first = np.zeros(values.shape, np.int64)
    last = np.full(values.shape, edges.shape[-1])
    goes_on = np.greater if right else np.greater_equal
    while (open_ := first < last).any():
        middle = np.minimum((first + last) // 2, edges.shape[-1] - 1)
        met = edges[middle] if edges.ndim == 1 else np.take_along_axis(edges, middle, -1)
        before = ~goes_on(met, values)
        first = np.where(open_ & before, middle + 1, first)
        last = np.where(open_ & ~before, middle, last)
    return first


@public("torch")
@costs("picking.bucketize")
@constant
def bucketize(input: Array, boundaries: Array, *, out_int32: bool = False, right: bool = False) -> Array:
    """Which interval between boundaries each value is in."""
    only_bools("bucketize", out_int32=out_int32, right=right)
    if boundaries.ndim != 1:
        fail(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    if np.asarray(input).dtype.kind == "b":
        refuse_bool("searchsorted_out_cpu", boundaries)
    return _inserted(boundaries, re(np.asarray(input)), right).astype(np.int32 if out_int32 else np.int64)[()]


# -- counts ----------------------------------------------------------------------------------


def _refuse_to_count(self: Array, minlength: int) -> None:
    if self.dtype.kind not in "iu":
        raise EngineNotImplementedError(f"\"bincount_cpu\" not implemented for '{named_dtype(self)}'")
    if minlength < 0:
        fail("minlength should be >= 0")
    if self.ndim != 1 or (self.size and self.min() < 0):
        fail("bincount only supports 1-d non-negative integral inputs.")


@constant
def counted(self: Array, minlength: int) -> Array:
    """The number of times that each non-negative integer occurs."""
    _refuse_to_count(self, minlength)
    return np.bincount(self, None, minlength).astype(np.int64)


@primitive(not_implemented="bincount", without_rule=("self",), weights=None)
def weighed(self: Array, weights: Array, minlength: int) -> Array:
    """The sum of the weights of each non-negative integer."""
    _refuse_to_count(self, minlength)
    if weights.shape != self.shape:
        fail("weights should be 1-d and have the same length as input")
    return np.bincount(self, weights, minlength).astype(weights.dtype if weights.dtype == np.float32 else np.float64)


@by_numbers
@public("torch Tensor")
@costs("picking.bincount", careful=ALWAYS)
@composite
def bincount(input: Value, weights: Value | None = None, minlength: int = 0) -> Value:
    """Count each non-negative integer, or add up its weights."""
    return counted(input, minlength) if weights is None else weighed(input, weights, minlength)


@public("torch Tensor")
@given_for_out(
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
    "{c_found} and hist {c_given}"
)
@costs("picking.histc")
@constant
def histc(self: Array, bins: int = 100, min: Any = 0, max: Any = 0) -> Array:
    """Count the elements in each of ``bins`` intervals of equal length."""
    if self.dtype.kind != "f":
        raise EngineNotImplementedError(f"\"histogram_cpu\" not implemented for '{named_dtype(self)}'")
    if bins <= 0:
        fail(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if max < min:
        fail("torch.histc: max must be larger than min")
    a = self.reshape(-1)
    low, high = float(min), float(max)
    if low == high and a.size:
        low, high = float(a.min()), float(a.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        fail(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    inside = a[(a >= low) & (a <= high)]
    first, last, count = (self.dtype.type(x) for x in (low, high, bins))
    places = np.minimum(((inside - first) * count / (last - first)).astype(np.int64), bins - 1)
    return converted(np.bincount(places, minlength=bins), self.dtype)
