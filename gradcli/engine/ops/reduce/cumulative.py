"""Running sums, products, extrema and log-sum-exps along an axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import ops
from ...declaration import given_for_out, made_as_out
from ...dtypes import F32, F64, I64, limits_of, ones_of
from ...numeric.common import quiet
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value, result
from ..common import axis, gt, lt, re
from ..matrix.matmul import written
from ..named_results import named_result
from ..pointwise.masks import refuse_bool
from .extrema import along_axis
from .sums import ALL, blank, cast, kept, named, named_dtype, one, row_by_row

CummaxResult = named_result("cummax", "values", "indices")
CumminResult = named_result("cummin", "values", "indices")


def running(accumulate: Any, a: Array, dim: int, dtype: Any = None) -> Array:
    """A NumPy accumulation along an axis."""
    d = axis(dim, a.ndim)
    if not a.ndim:
        return a.astype(dtype or a.dtype)
    if not a.flags.c_contiguous:
        a = row_by_row(a)
    if a.dtype is F32:
        # Single precision adds up in double, as PyTorch's kernel does.
        return accumulate(a, d, F64).astype(F32)
    return accumulate(a, d, dtype)


def _wide(name: str, a: Array, dtype: Any) -> tuple[Array, Any]:
    """The array to accumulate, in its element type: integers in int64 unless asked otherwise."""
    if dtype is not None:
        a = cast(a, dtype)
        refuse_bool(f"{name}_out_cpu", a)
        return a, a.dtype
    return a, I64 if a.dtype.kind in "biu" else None


def _dim(name: str, dim: Any, other: dict[str, Any]) -> int:
    if other:
        dim, _ = named(name, other, dim)
    if dim is ALL:
        raise EngineTypeError(f'{name}() missing 1 required positional arguments: "dim"')
    return one(name, dim)


# -- sum -------------------------------------------------------------------------------------


def from_the_end(g: Value, dim: int) -> Value:
    """The running sum along an axis from its end."""
    if isinstance(g, Tensor):
        return ops.reordering.flip(cumsum(ops.reordering.flip(g, (dim,)), dim, None), (dim,))
    back = (slice(None),) * (dim % g.ndim) + (slice(None, None, -1),)
    # Single precision adds up in double here as well.
    sums = np.add.accumulate(g[back], dim, F64 if g.dtype is F32 else None)
    return sums[back].astype(g.dtype, "K")


def _cumsum_backward(g: Value, dim: int) -> Value:
    sizes = g.shape
    return g if not sizes or sizes[dim] == 1 or _few(sizes) else from_the_end(g, dim)


def _few(sizes: tuple[int, ...]) -> bool:
    """Tell whether there is at most one element."""
    return math.prod(sizes) <= 1


@primitive(self=lambda g, dim: _cumsum_backward(g, dim), form="along")
def cumsum(self: Array, dim: int, dtype: Any = None) -> Array:
    """The running sum along an axis."""
    if dtype is None and self.dtype is F64 and -self.ndim <= dim < self.ndim and self.flags.c_contiguous:
        return np.add.accumulate(self, dim)
    a, wide = _wide("cumsum", self, dtype)
    return running(np.add.accumulate, a, dim, wide)


@public("torch.cumsum Tensor.cumsum Tensor_.cumsum")
@made_as_out
def _cumsum(input: Value, dim: Any = ALL, *, dtype: Any = None, **other: Any) -> Value:
    """The running sum along an axis."""
    return cumsum(input, _dim("cumsum", dim, other), dtype)


# -- product ---------------------------------------------------------------------------------


def _cumprod_backward(g: Value, self: Value, dim: int, result: Value) -> Value:
    sizes = self.shape
    if not sizes or sizes[dim] == 1 or _few(sizes):
        return g
    d = dim % len(sizes)
    if not ops.prod.any_zero(self):
        return from_the_end(result * g, d) / self
    if isinstance(g, Tensor):
        return _cumprod_backward_recorded(g, self, d)
    if self.dtype.kind == "c" or g.dtype.kind == "c":
        return np.stack([_share_of(g, self, d, k) for k in range(sizes[d])], d)
    return _cumprod_backward_at_zeros(g, self, d, result)


def _cumprod_backward_at_zeros(g: Array, x: Array, d: int, y: Array) -> Array:
    """Up to the first zero as without one; at it, as if it were 1; nothing beyond."""
    zero = x == 0
    seen = np.add.accumulate(zero, d)
    first = zero & (seen == 1)
    one = x.dtype.type(1)
    before = np.where(seen == 0, from_the_end(y * g, d) / np.where(zero, one, x), x.dtype.type(0))
    beyond = np.multiply.accumulate(np.where(first, one, x), d) * g
    at = np.add.reduce(np.where(seen == 0, x.dtype.type(0), beyond), d, keepdims=True)
    return np.where(first, at, before)


def _share_of(g: Value, x: Value, d: int, k: int) -> Value:
    """The gradient by the elements at place ``k``: the sum of all later products, each without them."""
    n = x.shape[d]
    if k == 0:
        rest = cumprod(ops.views.slice_(x, d, 1, None, 1), d, None)
        one = ones_of(kept(x.shape, (d,)), (x._a if isinstance(x, Tensor) else x).dtype)
        without = ops.joining.cat([result(one) if isinstance(x, Tensor) else one, rest], d)
    else:
        until = ops.prod.prod_dim(ops.views.slice_(x, d, 0, k, 1), d, True, None)
        if k == n - 1:
            without = until
        else:
            rest = cumprod(ops.views.slice_(x, d, k + 1, None, 1), d, None)
            spread = ops.views.expand(until, tuple(rest.shape)) if isinstance(x, Tensor) else until
            without = ops.joining.cat([until, spread * rest], d)
    return ops.sums.sum_dim(ops.views.slice_(g, d, k, None, 1) * without, (d,), False, None)


def _cumprod_backward_recorded(g: Value, x: Value, d: int) -> Value:
    out = written(ops.filled.new_zeros(g, tuple(x.shape)))
    for k in range(x.shape[d]):
        ops.views.select(out, d, k).copy_(_share_of(g, x, d, k))
    return out


@primitive(self=lambda g, self, result, dim: _cumprod_backward(g, self, dim, result), form="along")
def cumprod(self: Array, dim: int, dtype: Any = None) -> Array:
    """The running product along an axis."""
    a, wide = _wide("cumprod", self, dtype)
    return running(np.multiply.accumulate, a, dim, wide)


@public("torch.cumprod Tensor.cumprod Tensor_.cumprod")
@made_as_out
def _cumprod(input: Value, dim: Any = ALL, *, dtype: Any = None, **other: Any) -> Value:
    """The running product along an axis."""
    return cumprod(input, _dim("cumprod", dim, other), dtype)


# -- extrema ---------------------------------------------------------------------------------


def _cumulative(accumulate: Any, a: Array, dim: int) -> tuple[Array, Array]:
    """The running extremum and the last place where it was met; nan stays."""
    d = axis(dim, a.ndim)
    if not a.ndim:
        return a, np.int64(0)
    if not a.flags.c_contiguous:
        a = row_by_row(a)
    real = re(a)
    values = accumulate(real, d)
    met = (real == values) | np.isnan(real)
    step = np.arange(a.shape[d]).reshape((-1,) + (1,) * (a.ndim - d - 1))
    places = np.maximum.accumulate(np.where(met, step, 0), d)
    return (values if real is a else along_axis(a, d, places)), places


def _side(a: Array, dim: int) -> Array:
    return a - _cumulative(np.maximum.accumulate, a, dim)[0]


def _side_min(a: Array, dim: int) -> Array:
    return a - _cumulative(np.minimum.accumulate, a, dim)[0]


def _cumulative_backward(g: Value, self: Value, indices: Value, dim: int) -> Value:
    sizes = tuple(self.shape)
    if 0 in sizes:
        return self
    shares = ops.gather_scatter.scatter_add(blank(g, sizes), dim, indices, g)
    return written(written(shares)) if isinstance(g, Tensor) else shares


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_side,
    self=lambda g, self, indices, dim: _cumulative_backward(g, self, indices, dim),
    form="along",
)
def cummax(self: Array, dim: int) -> tuple[Array, Array]:
    """The running maximum along an axis, and where it is."""
    return _cumulative(np.maximum.accumulate, self, dim)


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_side_min,
    self=lambda g, self, indices, dim: _cumulative_backward(g, self, indices, dim),
    form="along",
)
def cummin(self: Array, dim: int) -> tuple[Array, Array]:
    """The running minimum along an axis, and where it is."""
    return _cumulative(np.minimum.accumulate, self, dim)


@public("torch.cummax Tensor.cummax")
@given_for_out("expected scalar_type {found} but found {given}")
def _cummax(input: Value, dim: Any = ALL, **other: Any) -> Value:
    """The running maximum along an axis, and where it is."""
    return CummaxResult(cummax(input, _dim("cummax", dim, other)))


@public("torch.cummin Tensor.cummin")
@given_for_out("expected scalar_type {found} but found {given}")
def _cummin(input: Value, dim: Any = ALL, **other: Any) -> Value:
    """The running minimum along an axis, and where it is."""
    return CumminResult(cummin(input, _dim("cummin", dim, other)))


# -- log of the running sum of exponentials --------------------------------------------------


def _logcumsumexp_backward(g: Value, self: Value, result_: Value, dim: int) -> Value:
    if not self.shape or 0 in self.shape:
        return g
    d = (g._a if isinstance(g, Tensor) else g).dtype
    lowest = d.type(limits_of(d).min)
    least = result(lowest) if isinstance(g, Tensor) else lowest

    def back(x: Value) -> Value:
        sums = ops.reordering.flip(logcumsumexp(ops.reordering.flip(x, (dim,)), dim), (dim,))
        # The logarithm of nothing is the lowest number here: below it is no less nothing.
        return ops.elementary.exp(sums + self if isinstance(sums, Tensor) else quiet(np.add, sums, self))

    size = ops.elementary.log(ops.kinked.abs(g))
    up = ops.choosing.where(gt(g, 0), size, least)
    down = ops.choosing.where(lt(g, 0), size, least)
    return back(up - result_) - back(down - result_)


@public("torch.logcumsumexp Tensor.logcumsumexp")
@given_for_out("expected scalar_type {found} but found {given}")
@primitive(
    self=lambda g, self, result, dim: _logcumsumexp_backward(g, self, result, dim), form="along",
    no_whole="logcumsumexp_out_cpu",
)
def logcumsumexp(self: Array, dim: int) -> Array:
    """The logarithm of the running sum of exponentials along an axis."""
    d = axis(dim, self.ndim)
    if not self.ndim:
        return self
    if not self.flags.c_contiguous:
        self = row_by_row(self)
    if self.dtype.kind != "c":
        if self.dtype.kind != "f":
            raise EngineNotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{named_dtype(self)}'")
        return running(np.logaddexp.accumulate, self, d)
    # The imaginary part follows: a mean of those so far, weighted as the exponentials are.
    real = np.logaddexp.accumulate(self.real, d)
    first, last = np.moveaxis(self, d, -1), np.moveaxis(real, d, -1)
    weights = np.tril(np.exp(first.real[..., None, :] - last[..., :, None]))
    return np.moveaxis(last + 1j * (weights * first.imag[..., None, :]).sum(-1), -1, d)
