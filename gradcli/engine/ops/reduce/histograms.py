"""Histograms: how many points fall into each bin of a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import given_for_out
from ...dtypes import DTYPES
from ...numeric.halves import is_half
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..named_results import named_result

Histogram = named_result("histogram", "hist", "bin_edges")
HistogramDD = named_result("histogramdd", "hist", "bin_edges")

_NAME = "torch.histogramdd"


@primitive(not_implemented="_histogramdd_bin_edges", self=None)
def bin_edges(self: Array, bins: int, low: float | None, high: float | None, dim: int) -> Array:
    """The edges of bins of one width: between given numbers, or from the least of a column to the largest."""
    if low is None or high is None:
        low, high = (float(self.min()), float(self.max())) if self.size else (0.0, 1.0)
        if not (math.isfinite(low) and math.isfinite(high)):
            fail(f"{_NAME}: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        fail(f"{_NAME}: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    made: Array = ops.ranges.linspace(low, high, bins + 1, dtype=DTYPES[self.dtype])._a
    return made


@primitive(
    not_implemented="_histogramdd_from_bin_cts", without_rule=("weight",), optional=("weight",), lists=("edges",),
    self=None, edges=None,
)
def binned(self: Array, edges: Sequence[Array], weight: Array | None, density: bool) -> Array:
    """The number of rows in each bin of a grid, or what they weigh."""
    places, inside = [], np.ones(len(self), bool)
    for x, at in zip(self.T, edges, strict=True):
        inside &= (x >= at[0]) & (x <= at[-1])
        places.append(np.minimum(np.searchsorted(at, x, "right") - 1, len(at) - 2))
    found = np.zeros([len(at) - 1 for at in edges], self.dtype)
    np.add.at(found, tuple([p[inside] for p in places]), 1 if weight is None else weight[inside])
    if density:
        found = found / np.add.reduce(found, None)
        for k, at in enumerate(edges):
            found = found / np.diff(at).reshape(-1, *[1] * (len(edges) - 1 - k))
    return found


def _word(x: Value) -> str:
    """The name of a dtype in C."""
    return DTYPES[x._a.dtype].tensor_name.lower()


def _checked(x: Value, bins: Sequence[Any], span: Any, weight: Any, shape: Sequence[int]) -> list[Any]:
    """The sides of the grid: edges, or their number with the least and the largest."""
    dims = x._a.shape[-1]
    if x._a.dtype.kind != "f" or is_half(x._a.dtype):
        raise EngineNotImplementedError(f"\"histogramdd\" not implemented for '{DTYPES[x._a.dtype].tensor_name}'")
    if len(bins) != dims:
        fail("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if weight is not None:
        if weight._a.shape != tuple(shape[:-1]):
            fail(
                f"{_NAME}: if weight tensor is provided it should have the same shape as the input tensor excluding "
                f"its innermost dimension, but got input with shape {list(shape)} and weight with shape "
                f"{list(weight._a.shape)}"
            )
        if weight._a.dtype is not x._a.dtype:
            fail(
                f"{_NAME}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, "
                f"but got input({_word(x)}), and weight({_word(weight)})"
            )
    if span is not None and len(span) != 2 * dims:
        fail(f"{_NAME}: for a {dims}-dimensional histogram range should have {2 * dims} elements, but got {len(span)}")
    return [_side(x, k, side, None if span is None else span[2 * k : 2 * k + 2]) for k, side in enumerate(bins)]


def _side(x: Value, k: int, side: Any, span: Any) -> Any:
    if isinstance(side, Tensor):
        if side.ndim != 1:
            fail(
                f"{_NAME}: bins tensor should have one dimension, but got {side.ndim} dimensions in the bins tensor "
                f"for dimension {k}"
            )
        if side._a.dtype is not x._a.dtype:
            fail(
                f"{_NAME}: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{_word(x)} and bins for dimension {k} with dtype {_word(side)}"
            )
        return side
    if side <= 0:
        fail(f"torch.histogram(): bins must be > 0, but got {side} for dimension {k}")
    low, high = (None, None) if span is None else map(float, span)
    return bin_edges(ops.views.select(x, -1, k), side, low, high, k)


@public("torch Tensor")
@given_for_out(
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
    "{c_found} and hist {c_given}"
)
@costs("picking.histogram")
@composite
def histogram(input: Value, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """The number of elements in each bin, or what they weigh, and the edges of the bins."""
    if type(density) is not bool:
        only_bools("histogram", density=density)
    flat = ops.views.view(input.contiguous(), (-1, 1))
    given = None if weight is None else ops.views.view(weight.contiguous(), (-1,))
    sides = _checked(flat, [bins], range, given, flat._a.shape)
    return Histogram((binned(flat, sides, given, density), sides[0]))


@public("torch")
@costs("picking.histogramdd")
@composite
def histogramdd(input: Value, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """The number of points in each bin of a grid, or what they weigh, and the edges of the bins along each axis."""
    if type(density) is not bool:
        only_bools("histogramdd", density=density)
    if input._a.ndim < 2:
        fail(f"{_NAME}: input tensor should have at least 2 dimensions")
    shape = input._a.shape
    flat = ops.views.view(input.contiguous(), (-1, shape[-1]))
    many = [bins] * shape[-1] if isinstance(bins, int) else bins
    sides = _checked(flat, many, range, weight, shape)
    given = None if weight is None else ops.views.view(weight.contiguous(), (-1,))
    return HistogramDD((binned(flat, sides, given, density), tuple(sides)))
