"""Forms of functions for sparse tensors: their parts, and tensors put together of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineNotImplementedError, Unsupported
from ... import ops
from ...call_errors import fail
from ...dtypes import as_numpy
from ...numeric.sparse import coalesced, is_sparse, made_of
from ...properties import no_such_axis
from ...registry import primitive
from ...tensor import Array, Tensor, Value, result


def without_kernel(words: str) -> EngineNotImplementedError:
    """The refusal of an op, as PyTorch words it, that has no kernel for sparse tensors."""
    return EngineNotImplementedError(
        f"Could not run 'aten::{words}' with arguments from the 'SparseCPU' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using "
        f"custom build). 'aten::{words}' has no kernel for sparse tensors: take their to_dense()."
    )


def _in_full(g: Value, words: str) -> Value:
    """A gradient that is not sparse, as PyTorch's own rules need it."""
    if is_sparse(g._a if isinstance(g, Tensor) else g):
        raise without_kernel(words)
    return g


def _axis(dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise no_such_axis(dim, rank)
    return dim % rank


def _select(a: Any, dim: int, index: int) -> Any:
    """A slice along an axis: sparse, unless no axis that is sparse is left."""
    dim = _axis(dim, a.ndim)
    n = a.shape[dim]
    if not -n <= index < n:
        raise EngineIndexError(
            f"select(): index {index} out of range for tensor of size {list(a.shape)} at dimension {dim}"
        )
    if not is_sparse(a):
        return a[(slice(None),) * dim + (index,)]
    index %= n
    shape = a.shape[:dim] + a.shape[dim + 1 :]
    axes = len(a.places)
    if dim >= axes:
        part = a.values[(slice(None),) * (dim - axes + 1) + (index,)]
        return made_of(a.places, part, shape, a.coalesced)
    kept = a.places[dim] == index
    values = a.values[kept]
    if axes == 1:
        return np.add.reduce(values, 0)
    return coalesced(made_of(np.delete(a.places[:, kept], dim, 0), values, shape))


@primitive(
    node="SelectBackward0",
    self=lambda g, self_sym_sizes, dim, index: ops.views.select_backward(
        _in_full(g, "select_backward"), self_sym_sizes, dim, index
    ),
)  # fmt: skip
def sparse_select(self: Array, dim: int, index: int) -> Array:
    """A slice along an axis."""
    return np.array(_select(self, dim, index), subok=True, copy=None)


def select(input: Tensor, dim: int, index: int) -> Any:
    """A slice along an axis."""
    return sparse_select(input, dim, int(index))


def item_at(self: Tensor, index: Any) -> Any:
    """A subscript of a sparse tensor: whole axes, single places along them, and new axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    counted = sum(p is not None and p is not Ellipsis for p in parts)
    found: Any = self
    dim = 0
    for part in parts:
        if part is None:
            found, dim = unsqueeze(found, dim), dim + 1
        elif part is Ellipsis:
            dim += self._a.ndim - counted
        elif isinstance(part, slice):
            if part.indices(found._a.shape[dim]) != (0, found._a.shape[dim], 1):
                raise without_kernel("as_strided")
            dim += 1
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            found = select(found, dim, int(part))
        else:
            raise without_kernel("index.Tensor")
    return found


@primitive(
    node="UnbindBackward0", siblings=True, self=lambda g, dim: ops.splitting.stacked(
        [None if x is None else _in_full(x, "expand") for x in g], dim
    ),
)  # fmt: skip
def sparse_unbind(self: Array, dim: int = 0) -> tuple[Array, ...]:
    """All slices along an axis."""
    dim = _axis(dim, self.ndim)
    return tuple([np.array(_select(self, dim, i), subok=True, copy=None) for i in range(self.shape[dim])])


def unbind(input: Tensor, dim: int = 0) -> tuple[Any, ...]:
    """All slices along an axis."""
    parts: tuple[Any, ...] = sparse_unbind(input, dim)
    return parts


def _unsqueezed(a: Any, dim: int) -> Any:
    dim = _axis(dim, a.ndim + 1)
    shape = (*a.shape[:dim], 1, *a.shape[dim:])
    if not is_sparse(a):
        return a.reshape(shape)
    axes = len(a.places)
    if dim > axes:
        return made_of(a.places, np.expand_dims(a.values, dim - axes + 1), shape)
    return made_of(np.insert(a.places, dim, 0, 0), a.values, shape)


@primitive(
    node="UnsqueezeBackward0", self=lambda g, dim: ops.views.squeeze_dim(_in_full(g, "as_strided"), dim),
)  # fmt: skip
def sparse_unsqueeze(self: Array, dim: int) -> Array:
    """The same with one more axis."""
    return _unsqueezed(self, dim)


def unsqueeze(input: Tensor, dim: int) -> Any:
    """The same with one more axis."""
    return sparse_unsqueeze(input, dim)


@primitive(
    node="CatBackward0", lists=("tensors",),
    tensors=lambda g, dim, tensors_args_sizes: ops.joining.cut(_in_full(g, "as_strided"), dim, tensors_args_sizes),
)  # fmt: skip
def sparse_cat(tensors: Any, dim: int = 0) -> Array:
    """Tensors one after the other along an axis."""
    return _joined(tensors, dim)


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along an axis."""
    _refuse_dense(tensors)
    return sparse_cat(list(tensors), _axis(dim, tensors[0]._a.ndim))


def _refuse_dense(tensors: Any) -> None:
    for i, t in enumerate(tensors):
        if not is_sparse(t._a):
            fail(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")


def _joined(arrays: list[Any], dim: int) -> Any:
    first = arrays[0]
    if not is_sparse(first):
        return np.concatenate(arrays, dim)
    axes = len(first.places)
    if dim >= axes:
        raise Unsupported("cat() of sparse tensors along an axis that is dense is not supported", help="use to_dense()")
    for a in arrays[1:]:
        if len(a.places) != axes or np.delete(a.shape, dim).tolist() != np.delete(first.shape, dim).tolist():
            raise Unsupported("cat() of sparse tensors of other sizes is not supported", help="use to_dense()")
    places, start = [], 0
    for a in arrays:
        moved = a.places.copy()
        moved[dim] += start
        places.append(moved)
        start += a.shape[dim]
    shape = (*first.shape[:dim], start, *first.shape[dim + 1 :])
    return made_of(np.concatenate(places, 1), np.concatenate([a.values for a in arrays]), shape)


@primitive(
    node="StackBackward0", lists=("tensors",),
    tensors=lambda g, dim, tensors_args_sizes: [_part(g, dim, i) for i in range(len(tensors_args_sizes))],
)  # fmt: skip
def sparse_stack(tensors: Any, dim: int = 0) -> Array:
    """Tensors side by side along a new axis."""
    dim = _axis(dim, tensors[0].ndim + 1)
    return _joined([_unsqueezed(a, dim) for a in tensors], dim)


def _part(g: Value, dim: int, index: int) -> Value:
    return sparse_select(g, dim, index) if isinstance(g, Tensor) else _select(g, dim, index)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors side by side along a new axis."""
    _refuse_dense(tensors)
    return sparse_stack(list(tensors), dim)


def vstack(tensors: Any) -> Any:
    """Tensors one below the other."""
    return cat([unsqueeze(t, 0) if t._a.ndim == 1 and is_sparse(t._a) else t for t in tensors], 0)


def hstack(tensors: Any) -> Any:
    """Tensors one beside the other."""
    return cat(tensors, 0 if tensors[0]._a.ndim == 1 else 1)


@primitive(
    node="IndexSelectBackward0", without_rule=("index",),
    self=lambda g, self_sym_sizes, dim, index: ops.index_select.index_select_backward(
        _in_full(g, "index_add_"), self_sym_sizes, dim, index
    ),
)  # fmt: skip
def sparse_index_select(self: Array, dim: int, index: Array) -> Array:
    """The slices at some places of an axis, in their order."""
    a, dim, chosen = self, _axis(dim, self.ndim), index.reshape(-1)
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < a.shape[dim]:
        raise EngineIndexError("index_select(): index out of range")
    if not is_sparse(a):
        return np.take(a, chosen, dim)
    one: Any = a
    shape = (*a.shape[:dim], chosen.size, *a.shape[dim + 1 :])
    if dim >= len(one.places):
        return made_of(one.places, np.take(one.values, chosen, dim - len(one.places) + 1), shape, one.coalesced)
    found, places = [], []
    for new, old in enumerate(chosen.tolist()):
        at = np.flatnonzero(one.places[dim] == old)
        moved = one.places[:, at]
        moved[dim] = new
        found.append(at)
        places.append(moved)
    if not found:
        return made_of(one.places[:, :0], one.values[:0], shape)
    return made_of(np.concatenate(places, 1), one.values[np.concatenate(found)], shape)


def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    """The slices at some places of an axis, in their order."""
    if not is_sparse(input._a):
        raise Unsupported("index_select() by a sparse index is not supported", help="use its to_dense()")
    return sparse_index_select(input, dim, index)


@primitive(
    node="NarrowCopyBackward0",
    self=lambda g, self_sym_sizes, dim, start, length: ops.views.slice_backward(
        _in_full(g, "as_strided"), self_sym_sizes, dim, start, start + length, 1
    ),
)  # fmt: skip
def sparse_narrow(self: Array, dim: int, start: int, length: int) -> Array:
    """The slices from one place of an axis to another."""
    a: Any = self
    if not is_sparse(a):
        return np.array(a[(slice(None),) * dim + (slice(start, start + length),)])
    shape = (*a.shape[:dim], length, *a.shape[dim + 1 :])
    if dim >= len(a.places):
        part = a.values[(slice(None),) * (dim - len(a.places) + 1) + (slice(start, start + length),)]
        return made_of(a.places, part, shape, a.coalesced)
    kept = (a.places[dim] >= start) & (a.places[dim] < start + length)
    places = a.places[:, kept]
    places[dim] -= start
    return made_of(places, a.values[kept], shape, a.coalesced)


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:
    """The slices from one place of an axis to another."""
    dim = _axis(dim, input._a.ndim)
    if not 0 <= start <= start + length <= input._a.shape[dim]:
        fail("Invalid range to narrow. range(start, start+length) must be a subset of range(0, input.size(dim)).")
    return sparse_narrow(input, dim, start, length)


def any_of(input: Tensor) -> Any:
    """True if there is an entry that is not zero."""
    return result(np.any(input._a.values))


def _empty(shape: tuple[int, ...], dtype: Any, axes: int) -> Any:
    return result(made_of(np.zeros((axes, 0), np.int64), np.zeros((0, *shape[axes:]), dtype), shape, True))


def zeros_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor of the same size without entries."""
    made = _empty(input._a.shape, input._a.dtype if dtype is None else as_numpy(dtype), len(input._a.places))
    return made.requires_grad_() if requires_grad else made


def new_zeros(self: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Any:
    """A tensor of some size without entries."""
    shape = tuple(int(n) for n in (size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size))
    return _empty(shape, self._a.dtype if dtype is None else as_numpy(dtype), len(shape))


FORMS: dict[str, Callable[..., Any]] = {
    "select": select, "index": item_at, "unbind": unbind, "unsqueeze": unsqueeze, "cat": cat, "concat": cat,
    "concatenate": cat, "stack": stack, "vstack": vstack, "row_stack": vstack, "hstack": hstack, "any": any_of,
    "index_select": index_select, "narrow_copy": narrow_copy, "zeros_like": zeros_like,
    "empty_like": zeros_like, "new_zeros": new_zeros,
}  # fmt: skip
