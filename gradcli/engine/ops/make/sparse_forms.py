"""Forms of functions for sparse tensors: their parts, and tensors put together of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ....errors import EngineIndexError, EngineNotImplementedError, Unsupported
from ...call_errors import fail
from ...dtypes import as_numpy
from ...numeric.sparse import Sparse, coalesced, is_sparse, made_of
from ...tensor import Tensor, result


def _axis(dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        span = f"[{-rank}, {rank - 1}]"
        raise EngineIndexError(f"Dimension out of range (expected to be in range of {span}, but got {dim})")
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


def select(input: Tensor, dim: int, index: int) -> Any:
    """A slice along an axis."""
    return result(_select(input._a, dim, int(index)))


def item_at(self: Tensor, index: Any) -> Any:
    """A subscript of a sparse tensor: whole axes, single places along them, and new axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    counted = sum(p is not None and p is not Ellipsis for p in parts)
    a, dim = self._a, 0
    for part in parts:
        if part is None:
            a, dim = _unsqueezed(a, dim), dim + 1
        elif part is Ellipsis:
            dim += self._a.ndim - counted
        elif isinstance(part, slice):
            if part.indices(a.shape[dim]) != (0, a.shape[dim], 1):
                refuse_kernel("as_strided")
            dim += 1
        elif isinstance(part, (int, np.integer)) and not isinstance(part, bool):
            a = _select(a, dim, int(part))
        else:
            refuse_kernel("index.Tensor")
    return result(a)


def refuse_kernel(words: str) -> NoReturn:
    """Refuse an op as PyTorch does, which has no kernel of it for sparse tensors."""
    raise EngineNotImplementedError(
        f"Could not run 'aten::{words}' with arguments from the 'SparseCPU' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using "
        f"custom build). 'aten::{words}' has no kernel for sparse tensors: take their to_dense()."
    )


def unbind(input: Tensor, dim: int = 0) -> tuple[Any, ...]:
    """All slices along an axis."""
    dim = _axis(dim, input._a.ndim)
    return tuple([select(input, dim, i) for i in range(input._a.shape[dim])])


def _unsqueezed(a: Any, dim: int) -> Any:
    dim = _axis(dim, a.ndim + 1)
    shape = (*a.shape[:dim], 1, *a.shape[dim:])
    if not is_sparse(a):
        return a.reshape(shape)
    axes = len(a.places)
    if dim > axes:
        return made_of(a.places, np.expand_dims(a.values, dim - axes + 1), shape)
    return made_of(np.insert(a.places, dim, 0, 0), a.values, shape)


def unsqueeze(input: Tensor, dim: int) -> Any:
    """The same with one more axis."""
    return result(_unsqueezed(input._a, dim))


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along an axis."""
    arrays = [t._a for t in tensors]
    for i, a in enumerate(arrays):
        if not is_sparse(a):
            fail(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
    return result(_joined(arrays, _axis(dim, arrays[0].ndim)))


def _joined(arrays: list[Any], dim: int) -> Sparse:
    first = arrays[0]
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


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors side by side along a new axis."""
    return cat([unsqueeze(t, _axis(dim, t._a.ndim + 1)) if is_sparse(t._a) else t for t in tensors], dim)


def vstack(tensors: Any) -> Any:
    """Tensors one below the other."""
    return cat([unsqueeze(t, 0) if t._a.ndim == 1 and is_sparse(t._a) else t for t in tensors], 0)


def hstack(tensors: Any) -> Any:
    """Tensors one beside the other."""
    return cat(tensors, 0 if tensors[0]._a.ndim == 1 else 1)


def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    """The slices at some places of an axis, in their order."""
    a = input._a
    if not is_sparse(a):
        raise Unsupported("index_select() by a sparse index is not supported", help="use its to_dense()")
    dim = _axis(dim, a.ndim)
    chosen = index._a.reshape(-1)
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < a.shape[dim]:
        raise EngineIndexError("index_select(): index out of range")
    shape = (*a.shape[:dim], chosen.size, *a.shape[dim + 1 :])
    if dim >= len(a.places):
        return result(made_of(a.places, np.take(a.values, chosen, dim - len(a.places) + 1), shape, a.coalesced))
    found, places = [], []
    for new, old in enumerate(chosen.tolist()):
        at = np.flatnonzero(a.places[dim] == old)
        moved = a.places[:, at]
        moved[dim] = new
        found.append(at)
        places.append(moved)
    if not found:
        return result(made_of(a.places[:, :0], a.values[:0], shape))
    return result(made_of(np.concatenate(places, 1), a.values[np.concatenate(found)], shape))


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:
    """The slices from one place of an axis to another."""
    a = input._a
    dim = _axis(dim, a.ndim)
    if not 0 <= start <= start + length <= a.shape[dim]:
        fail("Invalid range to narrow. range(start, start+length) must be a subset of range(0, input.size(dim)).")
    shape = (*a.shape[:dim], length, *a.shape[dim + 1 :])
    if dim >= len(a.places):
        part = a.values[(slice(None),) * (dim - len(a.places) + 1) + (slice(start, start + length),)]
        return result(made_of(a.places, part, shape, a.coalesced))
    kept = (a.places[dim] >= start) & (a.places[dim] < start + length)
    places = a.places[:, kept]
    places[dim] -= start
    return result(made_of(places, a.values[kept], shape, a.coalesced))


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
    "index_select": index_select, "narrow_copy": narrow_copy, "zeros_like": zeros_like, "new_zeros": new_zeros,
}  # fmt: skip
