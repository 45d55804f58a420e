"""Reading and writing along an axis, and among all elements, at places that a tensor of indices names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import EngineError, EngineIndexError, EngineTypeError, Unsupported
from ..dtypes import DTYPES
from ..registry import composite, fail, primitive, public, underivable
from ..tensor import Array, Tensor, Value, result
from . import forms, matmul, reduce, shape
from .common import axis, scaled
from .index import add_at
from .pad import zeros, zeros_like

# -- what they share -----------------------------------------------------------------------------


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
    """Whether all places are from 0 up to ``n``: a negative one is, read as unsigned, too large."""
    if not index.size:
        return True
    unsigned = index.view(_UNSIGNED if index.itemsize == 8 else f"u{index.itemsize}")
    return bool(np.maximum.reduce(unsigned, None) < n)


def check_places(index: Array, n: int, i: int, error: type[Exception] = EngineError, low: int = 0) -> None:
    """Refuse places before ``low`` or after the last."""
    if not inside(index, n) and not (low and low <= index.min() and index.max() < n):
        wrong = index[(index < low) | (index >= n)].flat[0] if index.ndim else index
        raise error(f"index {wrong} is out of bounds for dimension {i} with size {n}")


def c_name(a: Array) -> str:
    """PyTorch's name of an element type."""
    return DTYPES[a.dtype].tensor_name


# -- slices at places of an axis -----------------------------------------------------------------


@public("torch Tensor")
@primitive(self=lambda g, self_sym_sizes, dim, index: index_select_backward(g, self_sym_sizes, dim, index))
def index_select(self: Array, dim: int, index: Array) -> Array:
    """The slices at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind != "i":
        fail("index_select(): Expected dtype int32 or int64 for index")
    if self.ndim == 0 and index.size != 1:
        raise EngineIndexError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    a = with_axis(self)
    n = a.shape[i]
    if not inside(index, n):
        raise EngineIndexError("index out of range in self")
    r = a.take(with_axis(index), i)
    return r if self.ndim else r[0]


def index_select_backward(g: Value, size: Any, dim: int, index: Value) -> Value:
    """The gradient of index_select: each slice added to the place that it was read from."""
    if isinstance(g, Tensor):
        return matmul.written(index_add(result(np.zeros(size, g._a.dtype)), dim, index, g))
    if not size:
        return g
    out = np.zeros(size, g.dtype)
    add_at(out, along(axis(dim, len(size)), with_axis(index)), g)
    return out


def _from_slices(g: Value, dim: int, index: Value, source: Value) -> Value:
    """The gradient for slices that were put at places of an axis."""
    if source.ndim:
        return shape.expand(index_select(g, dim, index), tuple(source.shape))
    return index_select(g, dim, shape.squeeze_dim(index, 0))


@public("torch Tensor Tensor_")
@primitive(
    broadcasts=True,
    self=lambda g: g,
    source=lambda g, alpha, dim, index, source, source_dim: scaled(_from_slices(g, dim, index, source), alpha),
)
def index_add(self: Array, dim: int, index: Array, source: Array, alpha: Any = 1) -> Array:
    """A copy with slices added at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError("index_add_(): Index is supposed to be a vector")
    if index.dtype.kind != "i":
        fail("index_add_(): Expected dtype int32/int64 for index")
    if self.dtype != source.dtype and "c" not in self.dtype.kind + source.dtype.kind:
        fail("index_add_(): self and source must have the same scalar type")
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
    check_places(index, out.shape[i], i)
    add_at(out, along(i, with_axis(index)), s if alpha == 1 else s * alpha)
    return out if self.ndim else out[0]


@public("torch Tensor Tensor_")
@primitive(
    broadcasts=True,
    self=lambda g, dim, index: index_fill(g, dim, index, 0),
    source=lambda g, dim, index, source, source_dim: _from_slices(g, dim, index, source),
)
def index_copy(self: Array, dim: int, index: Array, source: Array) -> Array:
    """A copy with slices written at places of an axis."""
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError(
            f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})"
        )
    if index.dtype.kind != "i":
        raise EngineIndexError("index_copy_(): Expected a long tensor for index, but got " + c_name(index))
    if self.dtype != source.dtype and "c" not in self.dtype.kind + source.dtype.kind:
        fail(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{c_name(self)} and (source) {c_name(source)}"
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
            f"{list(out.shape[:i] + out.shape[i + 1 :])} at dimension {i} and source slice shape: "
            f"{list(s.shape[:i] + s.shape[i + 1 :])} at dimension 0."
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


def _index_filled(self: Array, dim: int, index: Array, value: Any) -> Array:
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError("Index has to be a vector/scalar")
    if index.dtype.kind != "i":
        raise EngineIndexError("index_fill_(): Expected dtype int64 for index.")
    out = copy(self, np.asarray(value), order="K") if isinstance(value, np.generic) else copy(self, order="K")
    n = out.shape[i]
    check_places(index, n, i, EngineIndexError, -n)
    out[along(i, with_axis(index))] = value
    return out if self.ndim else out[0]


@primitive(node="IndexFillBackward0", self=lambda g, dim, index: index_fill(g, dim, index, 0))
def index_fill_number(self: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with a number at places of an axis."""
    return _index_filled(self, dim, index, value)


@primitive(
    node="IndexFillBackward1",
    self=lambda g, dim, index: index_fill(g, dim, index, 0),
    value=lambda g, dim, index: reduce.sum_all(index_select(g, dim, _distinct(index))),
)
def index_fill_tensor(self: Array, dim: int, index: Array, value: Array) -> Array:
    """A copy with the value of a 0-d tensor at places of an axis."""
    if value.ndim:
        fail(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
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


# -- elements at places of an axis ---------------------------------------------------------------


def grid(index: Array, dim: int) -> tuple[Array, ...]:
    """The key of the elements that an index names on one axis, in place on the others."""
    n = index.ndim
    return tuple(
        [index if k == dim else np.arange(index.shape[k]).reshape((-1,) + (1,) * (n - 1 - k)) for k in range(n)]
    )


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
@primitive(
    self=lambda g, self, dim, index, sparse_grad: gather_backward(g, self, dim, index),
)
def gather(self: Array, dim: int, index: Array, sparse_grad: bool = False) -> Array:
    """The elements at places of an axis, each place of its own."""
    if sparse_grad:
        raise Unsupported("gather(): sparse_grad=True is not supported")
    i = _check_gather(self, dim, index)
    if index.size == 0:
        return np.empty(index.shape, self.dtype)
    r = with_axis(self)[grid(with_axis(index), i)]
    return np.ascontiguousarray(r) if index.ndim else r[0]


def gather_backward(g: Value, self: Value, dim: int, index: Value) -> Value:
    """The gradient of gather: each share added to the place that it was read from."""
    if isinstance(g, Tensor):
        return matmul.written(scatter_add(result(np.zeros(self._a.shape, g._a.dtype)), dim, index, g))
    if not self.ndim:
        return g.sum()
    out = np.zeros(self.shape, g.dtype)
    if index.size:
        add_at(out, grid(with_axis(index), axis(dim, self.ndim)), with_axis(g))
    return out


def _read_back(g: Value, dim: int, index: Value) -> Value:
    """The gradient for elements that were put at places of an axis."""
    if isinstance(g, Tensor) or not g.ndim or not index.size:
        return gather(g, dim, index)
    return g[grid(index, dim % index.ndim)]


def check_scatter(name: str, self: Array, dim: int, index: Array, src: Array | None) -> int:
    """The axis of a scatter, once its arguments fit together."""
    i = axis(dim, self.ndim)
    if index.size == 0:
        return i
    if index.dtype.kind != "i":
        fail(f"{name}(): Expected dtype int32/int64 for index")
    if src is not None and src.dtype != self.dtype and "c" not in src.dtype.kind + self.dtype.kind:
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
    node="ScatterBackward0",
    self=lambda g, dim, index: scatter_value(g, dim, index, 0),
    src=lambda g, dim, index: _read_back(g, dim, index),
)
def scatter_src(self: Array, dim: int, index: Array, src: Array) -> Array:
    """A copy with elements written at places of an axis."""
    i = check_scatter("scatter", self, dim, index, src)
    out = copy(self, src)
    if index.size:
        out[grid(with_axis(index), i)] = corner(src, index)
    return out if self.ndim else out[0]


@primitive(node="ScatterBackward1", self=lambda g, dim, index: scatter_value(g, dim, index, 0))
def scatter_value(self: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with a number at places of an axis."""
    i = check_scatter("scatter", self, dim, index, None)
    out = copy(self)
    if index.size:
        out[grid(with_axis(index), i)] = value
    return out if self.ndim else out[0]


@underivable("scatter")
@primitive(self=lambda g: g, src=lambda g: g)
def scatter_folded(self: Array, dim: int, index: Array, src: Any, reduce: str) -> Array:
    """A copy with elements, or a number, added to or multiplied into places of an axis."""
    if reduce not in ("add", "multiply"):
        fail("reduce argument must be either add or multiply.")
    given = src if isinstance(src, (np.ndarray, np.generic)) else None
    i = check_scatter("scatter", self, dim, index, given)
    out = copy(self) if given is None else copy(self, given)
    if index.size:
        part = out.dtype.type(src) if given is None else corner(given, index)
        (np.add if reduce == "add" else np.multiply).at(out, grid(with_axis(index), i), part)
    return out if self.ndim else out[0]


@public("torch Tensor Tensor_")
@composite
def scatter(
    input: Value, dim: int, index: Value, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Value:
    """A copy with elements, or one number, written at places of an axis."""
    given = value if src is None else src
    if reduce is not None:
        return scatter_folded(input, dim, index, given, reduce)
    if isinstance(given, (Tensor, np.ndarray, np.generic)):
        return scatter_src(input, dim, index, given)
    if not isinstance(given, (int, float, complex)):
        raise EngineTypeError("scatter() received an invalid combination of arguments")
    return scatter_value(input, dim, index, given)


@public("torch Tensor Tensor_")
@primitive(self=lambda g: g, src=lambda g, dim, index: _read_back(g, dim, index))
def scatter_add(self: Array, dim: int, index: Array, src: Array) -> Array:
    """A copy with elements added at places of an axis."""
    i = check_scatter("scatter", self, dim, index, src)
    out = copy(self, src)
    if index.size:
        add_at(out, grid(with_axis(index), i), corner(src, index))
    return out if self.ndim else out[0]


# -- among all elements --------------------------------------------------------------------------


def _check_flat(index: Array, n: int) -> None:
    if index.size and not (-n <= index.min() and index.max() < n):
        wrong = index[(index < -n) | (index >= n)].flat[0] if index.ndim else index
        raise EngineIndexError(f"out of range: tried to access index {wrong} on a tensor of {n} elements.")


@public("torch Tensor")
@primitive(self=lambda g, self, index: _take_backward(g, self, index))
def take(self: Array, index: Array) -> Array:
    """The elements at places among all, counted in order."""
    if not isinstance(index, (np.ndarray, np.generic)):
        raise EngineTypeError(f"take(): argument 'index' (position 1) must be Tensor, not {type(index).__name__}")
    if index.dtype.kind != "i" or index.dtype.itemsize != 8:
        fail(f"take(): Expected a long tensor for index, but got {c_name(index)}")
    _check_flat(index, self.size)
    return self.take(index)


def _take_backward(g: Value, self: Value, index: Value) -> Value:
    """The gradient of take: each share added to the place that it was read from."""
    r = put(zeros_like(self), index, g, True)
    return matmul.written(r) if isinstance(r, Tensor) else r


@public("torch Tensor Tensor_")
@primitive(
    self=lambda g, index, source_like, accumulate: g if accumulate else put(g, index, zeros(source_like, g), False),
    source=lambda g, index, source: forms.reshape_as(take(g, index), source),
)
def put(self: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    """A copy with elements written, or added, at places among all."""
    if index.dtype.kind != "i" or index.dtype.itemsize != 8:
        fail(f"put_(): Expected a long tensor for index, but got {c_name(index)}")
    if self.dtype != source.dtype and "c" not in self.dtype.kind + source.dtype.kind:
        fail(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{c_name(self)} and source.dtype = {c_name(source)}"
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
@composite
def take_along_dim(input: Value, indices: Value, dim: int | None = None) -> Value:
    """The elements at places of an axis; the other axes broadcast."""
    if indices._a.dtype != np.int64:
        fail(f"torch.take_along_dim(): dtype of indices should be Long but got {DTYPES[indices._a.dtype].tensor_name}")
    if dim is None:
        return gather(shape.view(input, (-1,)), 0, shape.view(indices, (-1,)))
    if input.ndim != indices.ndim:
        fail(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    i = axis(dim, input.ndim)
    have, places = list(input.shape), list(indices.shape)
    wide = list(forms.broadcast_shape(tuple(have[:i] + have[i + 1 :]), tuple(places[:i] + places[i + 1 :])))
    where = indices._a
    if where.size and where.min() < 0:
        where = np.where(where < 0, where + have[i], where)
    where = np.broadcast_to(where, (*wide[:i], places[i], *wide[i:]))
    return gather(shape.expand(input, (*wide[:i], have[i], *wide[i:])), i, result(where))
