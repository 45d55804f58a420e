"""Quantiles: elements of the sorted order, or points between two of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import given_for_out
from ...registry import composite, public
from ...tensor import Array, Tensor, Value, result
from ...writes.inplace import reshape_twin
from ..common import axis, re

ROUNDED = {"linear": None, "midpoint": None, "lower": np.floor, "higher": np.ceil, "nearest": np.round}


def _array(x: Value) -> Array:
    return x._a if isinstance(x, Tensor) else x


def _checked(a: Array, q: Any, interpolation: str) -> Any:
    """``q`` as a value of the input's dtype, once the arguments are known to be right."""
    number = isinstance(q, (int, float))
    if number and not 0 <= q <= 1:
        fail(f"quantile() q must be in the range [0, 1] but got {float(q):g}")
    if a.size == 0:
        fail("quantile() input tensor must be non-empty")
    given = a.real.dtype.type(q) if number else _array(q)
    if given.ndim > 1:
        fail("quantile() q must be a scalar or 1D tensor")
    if a.dtype.kind not in "fc" or a.dtype.itemsize < 4:
        fail("quantile() input tensor must be either float or double dtype")
    if given.dtype != a.real.dtype:
        fail("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in ROUNDED:
        fail(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if not number and not np.logical_and(re(given) >= 0, re(given) <= 1).all():
        fail("quantile() q values must be in the range [0, 1]")
    return given if number else q


def _between(values: Value, ranks: Value, interpolation: str) -> Value:
    """The values at fractional ranks along the last axis."""
    r = re(_array(ranks))
    rounded = ROUNDED[interpolation]
    if rounded is not None:
        r = rounded(r)
    recorded = isinstance(values, Tensor)
    below = r.astype(np.int64)
    low = ops.gather_scatter.gather(values, -1, result(below) if recorded else below)
    if rounded is not None:
        return low
    above = np.ceil(r).astype(np.int64)
    high = ops.gather_scatter.gather(values, -1, result(above) if recorded else above)
    if interpolation == "midpoint":
        weight: Any = np.full_like(r, 0.5)
        weight = result(weight) if recorded else weight
    else:
        weight = ranks - (result(below) if recorded else below)
    return low.lerp_(high, weight) if recorded else ops.arith.lerp(low, high, weight)


def _without_last_axis(t: Tensor) -> Tensor:
    """The tensor itself, its last axis of length 1 taken away."""
    return reshape_twin(ops.views.squeeze_dim, "squeeze_", "SqueezeBackward4")(t, -1)


def _quantile(input: Value, q: Any, dim: Any, keepdim: bool, interpolation: str, skip: bool) -> Value:
    a = _array(input)
    q = _checked(a, q, interpolation)
    recorded = isinstance(input, Tensor)
    if recorded and not isinstance(q, Tensor):
        q = result(q)
    sizes = a.shape
    if dim is None:
        left = (1,) * a.ndim if keepdim else ()
        source = ops.reshaping.flatten(input) if recorded else input.reshape(-1)
    else:
        d = axis(dim, a.ndim)
        left = (*sizes[:d], *((1,) if keepdim else ()), *sizes[d + 1 :]) if a.ndim else ()
        source = input
        if d != a.ndim - 1:
            source = ops.views.transpose(ops.views.unsqueeze(input, -1), d, -1)
    values = ops.sorting.sort(source, -1, False)[0]
    n = _array(values).shape[-1] if _array(values).ndim else 1
    values = ops.views.view(values, (*left, n))
    nan = np.isnan(_array(values))
    points = ops.views.unsqueeze(q, 0) if not _array(q).ndim else q
    if skip:
        # Ranks among what is not nan; where there is nothing else, the first, which is nan.
        last = np.add.reduce(~nan, -1, keepdims=True) - 1
        ranks = points * (result(last) if recorded else last)
        below: Any = _array(ranks) < 0
        ranks = ranks.masked_fill_(result(below), 0) if recorded else np.where(below, 0, ranks)
    else:
        # Where there is a nan it is the last, and the answer.
        ranks = ops.arith.mul_number(points, n - 1)
        any_nan = np.logical_or.reduce(nan, -1, keepdims=True)
        full = np.broadcast_shapes(_array(ranks).shape, any_nan.shape)
        if _array(ranks).shape != full:
            ranks = ops.views.expand(ranks, full)
        mask = np.broadcast_to(any_nan, full)
        ranks = ops.choosing.masked_fill(ranks, result(mask) if recorded else mask, n - 1)
    found = _between(values, ranks, interpolation)
    if not _array(q).ndim:
        return _without_last_axis(found) if recorded else found.reshape(left)[()]
    if recorded:
        return _without_last_axis(found.unsqueeze_(0).transpose_(0, -1))
    return np.moveaxis(found, -1, 0)


@public("torch Tensor")
@given_for_out("quantile() out tensor must be same dtype as the input tensor")
@costs("picking.quantile")
@under_autocast("single")
@composite
def quantile(input: Value, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Value:
    """The q-quantiles of all elements, or along an axis."""
    if type(keepdim) is not bool:
        only_bools("quantile", keepdim=keepdim)
    return _quantile(input, q, dim, keepdim, interpolation, False)


@public("torch Tensor")
@given_for_out("quantile() out tensor must be same dtype as the input tensor")
@costs("picking.quantile")
@under_autocast("single")
@composite
def nanquantile(
    input: Value, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Value:
    """The q-quantiles of what is not nan, of all elements or along an axis."""
    if type(keepdim) is not bool:
        only_bools("nanquantile", keepdim=keepdim)
    return _quantile(input, q, dim, keepdim, interpolation, True)
