"""Elements at places of an axis, or among all, that a tensor of indices names."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError
from ... import ops
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import given_for_out, reads_elsewhere
from ...dtypes import DTYPES, zeros_of
from ...flags import of_any_order
from ...numeric.sparse import made_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..common import axis, unlike
from ..matrix.fitting_operands import type_name
from ..shape.padding import zeros, zeros_like
from .index_select import check_places, copy, with_axis
from .subscripts import MANY, add_at

# -- elements at places of an axis ---------------------------------------------------------------


def grid(index: Array, dim: int) -> tuple[Array, ...]:
    """The key of the elements that an index names on one axis, in place on the others."""
    n = index.ndim
    return tuple(
        [index if k == dim else np.arange(index.shape[k]).reshape((-1,) + (1,) * (n - 1 - k)) for k in range(n)]
    )


def at_places(a: Array, i: int, index: Array) -> tuple[Array, Any]:
    """An array and a key, for the elements of ``a`` at places of an axis: the shortest way to read or write them."""
    if index.size < MANY or not a.flags.c_contiguous:
        return a, grid(index, i)
    step = math.prod(a.shape[i + 1 :])
    where = index * step if step != 1 else index
    for k, n in enumerate(index.shape):
        if k != i and n > 1:
            own = np.arange(n) * math.prod(a.shape[k + 1 :])
            where = where + own.reshape((-1,) + (1,) * (index.ndim - 1 - k))
    return a.reshape(-1), where


def _check_gather(self: Array, dim: int, index: Array) -> int:
    n = self.ndim
    i = dim if 0 <= dim < n else axis(dim, n)
    if index.size == 0:
        return i
    if index.dtype.kind != "i":
        fail("gather(): Expected dtype int32/int64 for index")
    if max(self.ndim, 1) != max(index.ndim, 1):
        fail("Index tensor must have the same number of dimensions as input tensor")
    for k in range(self.ndim if index.shape != self.shape else 0):
        if k != i and index.ndim and index.shape[k] > self.shape[k]:
            fail(
                f"Size does not match at dimension {k} expected index {list(index.shape)} to be no larger than self "
                f"{list(self.shape)} apart from dimension {i}"
            )
    check_places(index, self.shape[i] if self.ndim else 1, i)
    return i


@public("torch Tensor")
@reads_elsewhere
@costs("picking.gather")
@primitive(
    without_rule=("index",),
    self=lambda g, self, dim, index, sparse_grad: gather_backward(g, self, dim, index, sparse_grad),
    rounding="exact",
    form="along_indexed",
)
def gather(self: Array, dim: int, index: Array, sparse_grad: bool = False) -> Array:
    """The elements at places of an axis, each place of its own."""
    i = _check_gather(self, dim, index)
    if index.size == 0:
        return zeros_of(index.shape, self.dtype)
    a, key = at_places(with_axis(self), i, with_axis(index))
    r = a[key]
    return np.ascontiguousarray(r) if index.ndim else r[0]


def gather_backward(g: Value, self: Value, dim: int, index: Value, sparse: bool = False) -> Value:
    """The gradient of gather: each share added to the place that it was read from, or beside it where it is sparse."""
    if isinstance(g, Tensor):
        return ops.matmul.written(scatter_add(constants(zeros_of(self._a.shape, g._a.dtype)), dim, index, g))
    if not self.ndim:
        return g.sum()
    if sparse:
        read = with_axis(index)
        places = np.indices(read.shape).reshape(read.ndim, -1)
        places[axis(dim, self.ndim)] = read.reshape(-1)
        return made_of(places, np.array(g).reshape(-1), self.shape)
    out = zeros_of(self.shape, g.dtype)
    if index.size:
        add_at(*at_places(out, axis(dim, self.ndim), with_axis(index)), with_axis(g))
    return out


def _read_back(g: Value, dim: int, index: Value) -> Value:
    """The gradient for elements that were put at places of an axis."""
    if isinstance(g, Tensor) or not g.ndim or not index.size:
        return gather(g, dim, index)
    a, key = at_places(g, dim % index.ndim, index)
    return a[key]


def check_scatter(self: Array, dim: int, index: Array, src: Array | None) -> int:
    """The axis of a scatter, once its arguments fit together."""
    i = axis(dim, self.ndim)
    if index.size == 0:
        return i
    if index.dtype.kind != "i":
        fail("scatter(): Expected dtype int32/int64 for index")
    if src is not None and unlike(src, self):
        fail("scatter(): Expected self.dtype to be equal to src.dtype")
    if max(self.ndim, 1) != max(index.ndim, 1):
        fail("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and max(src.ndim, 1) != max(index.ndim, 1):
        fail("Index tensor must have the same number of dimensions as src tensor")
    if self.shape == index.shape and (src is None or src.shape == index.shape):
        check_places(index, self.shape[i] if self.ndim else 1, i)
        return i
    a, x = with_axis(self), with_axis(index)
    wrong = any(k != i and x.shape[k] > a.shape[k] for k in range(a.ndim))
    if src is None:
        if wrong:
            fail(
                f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart from "
                f"dimension {i}"
            )
    elif wrong or any(m > n for m, n in zip(x.shape, with_axis(src).shape, strict=True)):
        fail(
            f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} apart from dimension "
            f"{i} and to be no larger size than src {list(src.shape)}"
        )
    check_places(index, a.shape[i], i)
    return i


def corner(src: Array, index: Array) -> Array:
    """The part of ``src`` that an index reads."""
    s = with_axis(src)
    return s if s.shape == index.shape else s[tuple([slice(n) for n in with_axis(index).shape])]


@primitive(
    without_rule=("index",),
    node="ScatterBackward0",
    self=lambda g, dim, index: scatter_value(g, dim, index, 0),
    src=lambda g, dim, index: _read_back(g, dim, index),
    form="along_indexed",
)
def scatter_src(self: Array, dim: int, index: Array, src: Array) -> Array:
    """A copy with elements written at places of an axis."""
    i = check_scatter(self, dim, index, src)
    out = copy(self, src)
    if index.size:
        a, key = at_places(out, i, with_axis(index))
        a[key] = corner(src, index)
    return out if self.ndim else out[0]


@primitive(
    without_rule=("index",), node="ScatterBackward1", self=lambda g, dim, index: scatter_value(g, dim, index, 0),
    form="along_indexed",
)
def scatter_value(self: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with a number at places of an axis."""
    i = check_scatter(self, dim, index, None)
    out = copy(self)
    if index.size:
        a, key = at_places(out, i, with_axis(index))
        a[key] = ops.filled.fitted(value, out.dtype)
    return out if self.ndim else out[0]


def _fold(self: Array, dim: int, index: Array, src: Any, reduce: str) -> Array:
    if reduce not in ("add", "multiply"):
        fail("reduce argument must be either add or multiply.")
    given = src if isinstance(src, (np.ndarray, np.generic)) else None
    i = check_scatter(self, dim, index, given)
    out = copy(self) if given is None else copy(self, given)
    if index.size:
        part = out.dtype.type(src) if given is None else corner(given, index)
        (np.add if reduce == "add" else np.multiply).at(*at_places(out, i, with_axis(index)), part)
    return out if self.ndim else out[0]


@primitive(not_implemented="scatter", without_rule=("index",), self=lambda g: g, src=lambda g: g)
def scatter_folded(self: Array, dim: int, index: Array, src: Array, reduce: str) -> Array:
    """A copy with elements added to or multiplied into places of an axis."""
    return _fold(self, dim, index, src, reduce)


@primitive(not_implemented="scatter", without_rule=("index",), self=lambda g: g)
def scatter_number_folded(self: Array, dim: int, index: Array, value: Any, reduce: str) -> Array:
    """A copy with a number added to or multiplied into places of an axis."""
    return _fold(self, dim, index, value, reduce)


@public("torch Tensor Tensor_")
@given_for_out()
@composite
def scatter(
    input: Value, dim: int, index: Value, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Value:
    """A copy with elements, or one number, written at places of an axis."""
    given = value if src is None else src
    if isinstance(given, (Tensor, np.ndarray, np.generic)):
        if reduce is not None:
            warnings.warn(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
                "PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
                UserWarning,
                stacklevel=3,
            )
            return scatter_folded(input, dim, index, given, reduce)
        return scatter_src(input, dim, index, given)
    if not isinstance(given, (int, float, complex)):
        raise EngineTypeError("scatter() received an invalid combination of arguments")
    if reduce is not None:
        return scatter_number_folded(input, dim, index, given, reduce)
    return scatter_value(input, dim, index, given)


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("index",), self=lambda g: g, src=lambda g, dim, index: _read_back(g, dim, index),
    form="along_indexed",
)
def scatter_add(self: Array, dim: int, index: Array, src: Array) -> Array:
    """A copy with elements added at places of an axis."""
    i = check_scatter(self, dim, index, src)
    out = copy(self, src)
    if index.size:
        add_at(*at_places(out, i, with_axis(index)), corner(src, index))
    return out if self.ndim else out[0]


# -- among all elements --------------------------------------------------------------------------


def _check_flat(index: Array, n: int) -> None:
    if index.size and not n:
        raise EngineIndexError("take(): tried to take from an empty tensor")
    if index.size and not (-n <= index.min() and index.max() < n):
        wrong = index[(index < -n) | (index >= n)].flat[0] if index.ndim else index
        raise EngineIndexError(f"out of range: tried to access index {wrong} on a tensor of {n} elements.")


@public("torch Tensor")
@reads_elsewhere
@costs("picking.take")
@primitive(without_rule=("index",), self=lambda g, self, index: _take_backward(g, self, index))
def take(self: Array, index: Array) -> Array:
    """The elements at places among all, counted in order."""
    if not isinstance(index, (np.ndarray, np.generic)):
        raise EngineTypeError(f"take(): argument 'index' (position 1) must be Tensor, not {type(index).__name__}")
    if index.dtype.kind != "i" or index.dtype.itemsize != 8:
        fail(f"take(): Expected a long tensor for index, but got {type_name(index)}")
    _check_flat(index, self.size)
    return self.take(index)


def _take_backward(g: Value, self: Value, index: Value) -> Value:
    """The gradient of take: each share added to the place that it was read from."""
    r = put(zeros_like(self), index, g, True)
    return ops.matmul.written(r) if isinstance(r, Tensor) else r


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("index",),
    self=lambda g, index, source_like, accumulate: g if accumulate else put(g, index, zeros(source_like, g), False),
    source=lambda g, index, source: ops.reshaping.reshape_as(take(g, index), source),
)
def put(self: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    """A copy with elements written, or added, at places among all."""
    if type(accumulate) is not bool:
        only_bools("put", accumulate=accumulate)
    if not accumulate:
        of_any_order("put_")
    if index.dtype.kind != "i" or index.dtype.itemsize != 8:
        fail(f"put_(): Expected a long tensor for index, but got {type_name(index)}")
    if unlike(self, source):
        fail(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{type_name(self)} and source.dtype = {type_name(source)}"
        )
    if source.size != index.size:
        raise EngineIndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    _check_flat(index, self.size)
    out = copy(self, source)
    flat, where, values = out.reshape(-1), index.reshape(-1), source.reshape(-1)
    if accumulate:
        np.add.at(flat, where, values)
    else:
        flat[where] = values
    return flat.reshape(self.shape) if self.ndim else flat[0]


@public("torch Tensor")
@given_for_out()
@costs("picking.take_along_dim")
@composite
def take_along_dim(input: Value, indices: Value, dim: int | None = None) -> Value:
    """The elements at places of an axis; the other axes broadcast."""
    if indices._a.dtype != np.int64:
        fail(f"torch.take_along_dim(): dtype of indices should be Long but got {DTYPES[indices._a.dtype].tensor_name}")
    if dim is None:
        return gather(ops.views.view(input, (-1,)), 0, ops.views.view(indices, (-1,)))
    if input.ndim != indices.ndim:
        fail(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    i = axis(dim, input.ndim)
    have, places = list(input.shape), list(indices.shape)
    wide = list(ops.reshaping.broadcast_shape(tuple(have[:i] + have[i + 1 :]), tuple(places[:i] + places[i + 1 :])))
    # New numbers, as PyTorch makes: what is written to the indices later does not matter.
    where = np.where(indices._a < 0, indices._a + have[i], indices._a)
    where = np.broadcast_to(where, (*wide[:i], places[i], *wide[i:]))
    return gather(ops.views.expand(input, (*wide[:i], have[i], *wide[i:])), i, result(where))
