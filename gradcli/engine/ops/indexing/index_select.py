"""Whole slices at places of an axis that a tensor of indices names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineError, EngineIndexError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...costs import costs
from ...declaration import given_for_out, reads_elsewhere
from ...dtypes import DTYPES, zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..common import axis, scaled, unlike
from ..matrix.fitting_operands import type_name
from .subscripts import add_at

# -- what reading and writing by places share --------------------------------------------------


def along(dim: int, where: Any) -> tuple[Any, ...]:
    """The key of places on one axis."""
    return (*[slice(None)] * dim, where)


def with_axis(a: Array) -> Array:
    """An array with at least one axis."""
    return a if a.ndim else a.reshape(1)


def copy(self: Array, *written: Array, order: Any = "C") -> Array:
    """A copy with at least one axis to write into, complex if what is written is."""
    d = self.dtype
    if d.kind != "c":
        for w in written:
            if w.dtype.kind == "c":
                d = w.dtype
    return with_axis(np.array(self, d, order=order))


_UNSIGNED = np.dtype("u8")


def inside(index: Array, n: int) -> bool:
    """Tell whether all places are from 0 up to ``n``: a negative one is, read as unsigned, too large."""
    if not index.size:
        return True
    unsigned = index.view(_UNSIGNED if index.itemsize == 8 else f"u{index.itemsize}")
    return bool(np.maximum.reduce(unsigned, None) < n)


def check_places(index: Array, n: int, i: int, error: type[Exception] = EngineError, low: int = 0) -> None:
    """Refuse places before ``low`` or after the last."""
    if not inside(index, n) and not (low and low <= index.min() and index.max() < n):
        wrong = index[(index < low) | (index >= n)].flat[0] if index.ndim else index
        raise error(f"index {wrong} is out of bounds for dimension {i} with size {n}")


def check_added(index: Array, self: Array, i: int) -> None:
    """Refuse places that something is added at, in PyTorch's words, which are others for vectors."""
    n = self.shape[i] if self.ndim else 1
    if self.ndim <= 1 and not inside(index, n):
        raise EngineIndexError("index out of range in self")
    check_places(index, n, i)


# -- slices at places of an axis -----------------------------------------------------------------


@public("torch Tensor")
@given_for_out("{name}(): self and result must have the same scalar type")
@reads_elsewhere
@costs("picking.index_select")
@primitive(
    without_rule=("index",),
    self=lambda g, self_sym_sizes, dim, index: index_select_backward(g, self_sym_sizes, dim, index),
    rounding="exact",
    form="along",
)
def index_select(self: Array, dim: int, index: Array) -> Array:
    """The slices at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        fail("index_select(): Expected dtype int32 or int64 for index")
    if self.ndim == 0 and index.size != 1:
        fail(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    a = with_axis(self)
    n = a.shape[i]
    if not n and index.size:
        fail("index_select(): self indexing axis dim should be positive")
    if not inside(index, n):
        if i == 1:
            wrong = next(k for k in index.ravel().tolist() if not 0 <= k < n)
            fail(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={n}")
        raise EngineIndexError("index out of range in self")
    r = a.take(with_axis(index), i)
    return r if self.ndim else r[0]


def index_select_backward(g: Value, size: Any, dim: int, index: Value) -> Value:
    """The gradient of index_select: each slice added to the place that it was read from."""
    if isinstance(g, Tensor):
        return ops.matmul.written(index_add(constants(zeros_of(size, g._a.dtype)), dim, index, g))
    if not size:
        return g
    out = zeros_of(size, g.dtype)
    add_at(out, along(axis(dim, len(size)), with_axis(index)), g)
    return out


def _from_slices(g: Value, dim: int, index: Value, source: Value) -> Value:
    """The gradient for slices that were put at places of an axis."""
    if source.ndim:
        return ops.views.expand(index_select(g, dim, index), tuple(source.shape))
    return index_select(g, dim, ops.views.squeeze_dim(index, 0))


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("index",),
    broadcasts=True,
    self=lambda g: g,
    source=lambda g, alpha, dim, index, source, source_dim: scaled(_from_slices(g, dim, index, source), alpha),
    form="along",
)
def index_add(self: Array, dim: int, index: Array, source: Array, alpha: Any = 1) -> Array:
    """A copy with slices added at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError(
            f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {type_name(index)} "
            f"and size: {list(index.shape)}"
        )
    if index.dtype.kind != "i":
        fail(
            f"index_add_(): Expected dtype int32/int64 for index but got: {DTYPES[index.dtype].tensor_name}"
        )
    if unlike(self, source):
        names = [DTYPES[x.dtype].tensor_name for x in (self, source)]
        fail(f"index_add_(): self ({names[0]}) and source ({names[1]}) must have the same scalar type")
    if source.ndim and i >= source.ndim:
        fail(f"index_add_(): Indexing dim {i} is out of bounds of the source tensor with dim {source.ndim}")
    s = with_axis(source)
    if s.shape[i] != index.size:
        fail(
            f"index_add_(): Number of indices ({index.size}) should be equal to source.size(dim): ({s.shape[i]}), "
            f"for dim: {dim}"
        )
    out = copy(self, source)
    if self.ndim != source.ndim or out.shape[:i] + out.shape[i + 1 :] != s.shape[:i] + s.shape[i + 1 :]:
        fail(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(self.shape)} source.shape = {list(source.shape)}"
        )
    check_added(index, self, i)
    if alpha != 1:
        # Whole numbers go round at the end of their range, also in the factor.
        s = s * (np.asarray(alpha).astype(s.dtype) if s.dtype.kind in "bu" else alpha)
    add_at(out, along(i, with_axis(index)), s)
    return out if self.ndim else out[0]


@public("torch Tensor Tensor_")
@under_autocast("widest")
@primitive(
    without_rule=("index",),
    broadcasts=True,
    self=lambda g, dim, index: index_fill(g, dim, index, 0),
    source=lambda g, dim, index, source, source_dim: _from_slices(g, dim, index, source),
    form="along",
)
def index_copy(self: Array, dim: int, index: Array, source: Array) -> Array:
    """A copy with slices written at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if index.dtype.kind != "i":
        fail("index_copy_(): Expected a long tensor for index, but got " + type_name(index))
    if unlike(self, source):
        fail(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{type_name(self)} and (source) {type_name(source)}"
        )
    if source.ndim == 0 and index.size != 1:
        raise EngineIndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {index.size})"
        )
    if source.ndim != self.ndim and source.ndim and self.ndim:
        raise EngineIndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({self.ndim})"
        )
    out, s = copy(self, source), with_axis(source)
    if out.shape[:i] + out.shape[i + 1 :] != s.shape[:i] + s.shape[i + 1 :] and source.ndim:
        fail(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{_spaced(out.shape[:i] + out.shape[i + 1 :])} at dimension {i} and source slice shape: "
            f"{_spaced(s.shape[:i] + s.shape[i + 1 :])} at dimension 0."
        )
    if source.ndim and index.size != s.shape[i]:
        raise EngineIndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({s.shape[i]})"
        )
    for_range = with_axis(index)
    if not inside(for_range, out.shape[i]):
        wrong = for_range[(for_range < 0) | (for_range >= out.shape[i])][0]
        raise EngineIndexError(
            f"index_copy_(): index {wrong} is out of bounds for dimension {i} with size {out.shape[i]}"
        )
    out[along(i, for_range)] = s
    return out if self.ndim else out[0]


def _spaced(sizes: tuple[int, ...]) -> str:
    return " ".join(map(str, sizes))


def _index_filled(self: Array, dim: int, index: Array, value: Any) -> Array:
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        fail("Index has to be a vector/scalar")
    if index.dtype.kind != "i":
        raise EngineIndexError("index_fill_(): Expected dtype int64 for index.")
    out = copy(self, np.asarray(value), order="K") if isinstance(value, np.generic) else copy(self, order="K")
    n = out.shape[i]
    check_places(index, n, i, EngineIndexError, -n)
    out[along(i, with_axis(index))] = value
    return out if self.ndim else out[0]


_OF_COMPLEX = "index_fill_(): Converting complex Scalar to non-complex type is not supported"


@primitive(
    without_rule=("index",), node="IndexFillBackward0", self=lambda g, dim, index: index_fill(g, dim, index, 0),
    form="along",
)
def index_fill_number(self: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with a number at places of an axis."""
    if isinstance(value, complex) and self.dtype.kind != "c":
        fail(_OF_COMPLEX)
    return _index_filled(self, dim, index, ops.filled.fitted(value, self.dtype))


@primitive(
    without_rule=("index",),
    node="IndexFillBackward1",
    self=lambda g, dim, index: index_fill(g, dim, index, 0),
    value=lambda g, dim, index: ops.sums.sum_all(index_select(g, dim, _distinct(index))),
)
def index_fill_tensor(self: Array, dim: int, index: Array, value: Array) -> Array:
    """A copy with the value of a 0-d tensor at places of an axis."""
    if value.ndim:
        fail(f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).")
    if value.dtype.kind == "c" and self.dtype.kind != "c" and unlike(self, value):
        fail(_OF_COMPLEX)
    return _index_filled(self, dim, index, value[()])


def _distinct(index: Value) -> Value:
    return result(np.unique(index._a)) if isinstance(index, Tensor) else np.unique(index)


@public("torch Tensor Tensor_")
@composite
def index_fill(input: Value, dim: int, index: Value, value: Any) -> Value:
    """A copy with one value at places of an axis."""
    if isinstance(value, Tensor):
        return index_fill_tensor(input, dim, index, value)
    return index_fill_number(input, dim, index, value)
