"""Products of all elements, or along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...declaration import made_as_out
from ...dtypes import I64, ones_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result as wrapped
from ..common import re
from .sums import ALL, along, cast, kept, named, one, restored

multiply_up = np.multiply.reduce


def _prod_all_backward(g: Value, self: Value, result: Value) -> Value:
    if not self.shape:
        return g
    if not any_zero(self):
        return g * (result / self)
    flat = ops.views.reshape(self, (-1,))
    return ops.views.reshape(_prod_of_others(g, flat, 0), self.shape)


def _prod_dim_backward(g: Value, self: Value, result: Value, dim: int, keepdim: bool) -> Value:
    if not self.shape:
        return g
    g = restored(g, self.shape, (dim,), keepdim)
    result = restored(result, self.shape, (dim,), keepdim)
    return _prod_of_others(g, self, dim % len(self.shape)) if any_zero(self) else g * (result / self)


def any_zero(x: Value) -> bool:
    """Tell whether there is a zero among the factors."""
    return not np.logical_and.reduce(re(x._a if isinstance(x, Tensor) else x), None)


def _prod_of_others(g: Value, x: Value, dim: int) -> Value:
    """The gradient of a product with a zero in it: for each factor, the product of those before and after."""
    return g if x.shape[dim] == 1 else g * others(x, dim)


def others(x: Value, dim: int) -> Value:
    """For each factor, the product of those before and after."""
    n = x.shape[dim]
    one = ones_of(kept(x.shape, (dim,)), (x._a if isinstance(x, Tensor) else x).dtype)
    ones = wrapped(one) if isinstance(x, Tensor) else one
    before = ops.cumulative.cumprod(ops.joining.cat([ones, ops.views.slice_(x, dim, 0, n - 1, 1)], dim), dim)
    rest = ops.reordering.flip(ops.views.slice_(x, dim, 1, n, 1), (dim,))
    after = ops.reordering.flip(ops.cumulative.cumprod(ops.joining.cat([ones, rest], dim), dim), (dim,))
    return before * after


@primitive(
    node="ProdBackward0", self=lambda g, self, result: _prod_all_backward(g, self, result),
    form=("rows", "prod_dim", -1, False),
)
def prod_all(self: Array, dtype: Any = None) -> Array:
    """The product of all elements."""
    self = cast(self, dtype)
    return multiply_up(self, None, I64 if dtype is None and self.dtype.kind in "biu" else self.dtype)


@primitive(
    node="ProdBackward1",
    self=lambda g, self, result, dim, keepdim: _prod_dim_backward(g, self, result, dim, keepdim),
    form="along",
)
def prod_dim(self: Array, dim: int, keepdim: bool = False, dtype: Any = None) -> Array:
    """The product along an axis."""
    self = cast(self, dtype)
    return along(multiply_up, self, (dim,), keepdim, I64 if dtype is None and self.dtype.kind in "biu" else self.dtype)


@public("torch Tensor")
@made_as_out
@under_autocast("single")
@composite
def prod(input: Value, dim: Any = ALL, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Value:
    """The product of all elements, or along an axis."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("prod", other, dim, keepdim)
    return prod_all(input, dtype) if dim is ALL else prod_dim(input, one("prod", dim), keepdim, dtype)
