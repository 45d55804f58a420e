"""Sums, and what is normalised, of the entries that sparse tensors have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...dtypes import as_numpy
from ...numeric.sparse import coalesced, is_sparse, made_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from .sparse import account, at_places_of, coalesce, in_full, values


def _spread(g: Value, self: Value, dims: tuple[int, ...]) -> Value:
    """The share that each entry has of the sum that it went into."""
    full = in_full(g)
    for dim in dims:
        full = ops.views.unsqueeze(full, dim)
    return at_places_of(ops.views.expand(full, tuple(self.shape)), self)


@primitive(node="SparseSumBackward0", self=lambda g, self, dims: _spread(g, self, dims))
def sparse_sum(self: Array, dims: tuple[int, ...]) -> Array:
    """The sums along axes, which are in order: sparse, unless no axis is left that is."""
    if not is_sparse(self):
        return np.add.reduce(self, dims)
    a: Any = self
    axes = len(a.places)
    inner = tuple(d - axes + 1 for d in dims if d >= axes)
    numbers = np.add.reduce(a.values, inner) if inner else a.values
    kept = [d for d in range(axes) if d not in dims]
    if not kept:
        return np.array(np.add.reduce(numbers, 0))
    shape = tuple(n for d, n in enumerate(a.shape) if d not in dims)
    if len(kept) == axes:
        return made_of(a.places, numbers, shape, a.coalesced)
    return coalesced(made_of(a.places[kept], numbers, shape))


@primitive(
    node="SumBackward1",
    self=lambda g, self, dims: refuse_expanding() if is_sparse_value(g) else _spread(g, self, dims),
)  # fmt: skip
def sparse_sum_along(self: Array, dims: tuple[int, ...]) -> Array:
    """The same as torch.sum knows it."""
    return sparse_sum.op.forward(self, dims)


def is_sparse_value(g: Value) -> bool:
    """Tell whether an array, or that of a tensor, is sparse."""
    return is_sparse(g._a if isinstance(g, Tensor) else g)


def refuse_expanding() -> Any:
    """Refuse what PyTorch has no rule for."""
    fail("expand is unsupported for Sparse tensors")


def _axes(dim: Any, rank: int) -> tuple[int, ...]:
    given = range(rank) if dim is None else (dim,) if isinstance(dim, int) else dim
    return tuple(sorted({axis % rank for axis in given}))


def _converted(input: Tensor, dtype: Any) -> Any:
    return input if dtype is None else ops.converting.cast(input, as_numpy(dtype))


@public("sparse.sum")
@composite
def sparse_total(input: Tensor, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of all entries, or the sums along axes: sparse, unless no axis is left."""
    a = account("sparse.sum", input)
    input = _converted(input, dtype)
    if dim is None:
        return ops.sums.sum_all(values(coalesce(input)))
    return sparse_sum(input, _axes(dim, a.ndim))


def sum_along(input: Tensor, dim: Any, dtype: Any) -> Any:
    """The sums of a sparse tensor along axes, as torch.sum has them."""
    return sparse_sum_along(_converted(input, dtype), _axes(dim, input._a.ndim))


# -- what is normalised ----------------------------------------------------------------------------


def _of_entries(a: Array, dim: int, finish: Any) -> Array:
    """An array finished along an axis at its entries; of one that is not sparse, every number is one."""
    one: Any = coalesced(a) if is_sparse(a) else None
    masked = a if one is None else np.full(one.shape, -np.inf, one.dtype)
    if one is not None:
        masked[tuple(one.places)] = one.values
    largest = np.maximum.reduce(masked.real, dim, keepdims=True, initial=np.finfo(masked.dtype).min)
    found = finish(masked - largest, dim)
    return found if one is None else made_of(one.places, found[tuple(one.places)], one.shape, True)


def _total(x: Array, dim: int) -> Array:
    """The sum of exponentials, which is one where there is none."""
    total = np.add.reduce(np.exp(x), dim, keepdims=True)
    return np.where(total == 0, total.dtype.type(1), total)


def _entries_needed(g: Value, y: Value) -> Value:
    """A gradient at the places of a result, that PyTorch's kernel must be given sparse."""
    if is_sparse_value(y) and not is_sparse_value(g):
        fail("coalesce expected sparse coordinate tensor layout but got Strided")
    return in_full(at_places_of(g, y))


def _softmax_rule(g: Value, y: Value, dim: int) -> Value:
    full, numbers = _entries_needed(g, y), in_full(y)
    return at_places_of(numbers * (full - ops.sums.sum_dim(full * numbers, (dim,), True)), y)


def _log_softmax_rule(g: Value, y: Value, dim: int) -> Value:
    full = _entries_needed(g, y)
    return at_places_of(full - ops.elementary.exp(in_full(y)) * ops.sums.sum_dim(full, (dim,), True), y)


@primitive(node="SparseSoftmaxBackward0", self=lambda g, result, dim: _softmax_rule(g, result, dim))
def sparse_softmax(self: Array, dim: int) -> Array:
    """The softmax along an axis of the entries that there are."""
    return _of_entries(self, dim, lambda x, dim: np.exp(x) / _total(x, dim))


@primitive(node="SparseLogSoftmaxBackward0", self=lambda g, result, dim: _log_softmax_rule(g, result, dim))
def sparse_log_softmax(self: Array, dim: int) -> Array:
    """The log_softmax along an axis of the entries that there are."""
    return _of_entries(self, dim, lambda x, dim: x - np.log(_total(x, dim)))


@public("sparse.softmax")
def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The softmax along an axis of the entries that there are."""
    account("softmax", input)
    return sparse_softmax(_converted(input, dtype), dim)


@public("sparse.log_softmax")
def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The log_softmax along an axis of the entries that there are."""
    account("log_softmax", input)
    return sparse_log_softmax(_converted(input, dtype), dim)


# -- what is bent ----------------------------------------------------------------------------------


def _bent(self: Array, function: Any) -> Array:
    if not is_sparse(self):
        return function(self)
    one: Any = coalesced(self)
    return made_of(one.places, function(one.values), one.shape, True)


@primitive(node="ReluBackward0", self=lambda g, result: at_places_of(in_full(g) * (in_full(result) > 0), result))
def sparse_relu(self: Array) -> Array:
    """The rectifier of the entries."""
    return _bent(self, lambda x: np.where(x.real > 0, x, x.dtype.type(0)))


@primitive(node="Log1PBackward0", self=lambda g, self: at_places_of(in_full(g) / (in_full(self) + 1), self))
def sparse_log1p(self: Array) -> Array:
    """The natural logarithm of one more than each entry."""
    return _bent(self, np.log1p)


@primitive(node="SignBackward0", self=lambda g, self: at_places_of(in_full(g) * 0, self))
def sparse_sign(self: Array) -> Array:
    """The sign of each entry."""
    return _bent(self, lambda x: np.sign(x.real).astype(x.dtype))


BENT: dict[str, Any] = {"relu": sparse_relu, "log1p": sparse_log1p, "sign": sparse_sign}
