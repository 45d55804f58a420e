"""Tensors of a few entries, as the gradients of tables are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineValueError, Unsupported
from ...call_errors import fail
from ...costs import ALWAYS, costs
from ...numeric.sparse import Sparse, coalesced, made_of, plain
from ...registry import public
from ...tensor import Size, Tensor, result
from .from_data import as_tensor


def _account(name: str, self: Tensor) -> Sparse:
    """The array of a sparse tensor."""
    a = self._a
    if not isinstance(a, Sparse):
        fail(f"{name} expected sparse coordinate tensor layout but got Strided")
    return a


@public("torch")
@costs("making.sparse", careful=ALWAYS)
def sparse_coo_tensor(
    indices: Any, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: Any = None, is_coalesced: Any = None,
) -> Any:  # fmt: skip
    """A tensor that is zero but for values at places."""
    del device, pin_memory, check_invariants
    if values is None:
        raise Unsupported("sparse_coo_tensor() of a size alone is not supported")
    places: Any = as_tensor(indices)
    held: Any = as_tensor(values, dtype)
    if requires_grad or held.requires_grad:
        raise Unsupported("a sparse tensor that requires a gradient is not supported: there are sparse gradients only")
    if places.dim() != 2:
        fail(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    at = np.array(places._a, np.int64)
    numbers = np.array(held._a)
    if size is None:
        shape: tuple[int, ...] = (*(int(n) + 1 for n in at.max(1, initial=-1)), *numbers.shape[1:])
    else:
        shape = tuple(int(n) for n in size)
    if at.shape[1] != len(numbers):
        fail(
            f"indices and values must have same nnz, but got nnz from indices: {at.shape[1]}, nnz from values: "
            f"{len(numbers)}"
        )
    for d, (row, n) in enumerate(zip(at, shape, strict=False)):
        if row.size and not 0 <= row.min() <= row.max() < n:
            fail(f"size is inconsistent with indices: for dim {d}, size is {n} but found index {int(row.max())}")
    return result(made_of(at, numbers, shape, bool(is_coalesced)))


@public("Tensor")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    """All numbers of a tensor of a few entries."""
    del masked_grad
    if not isinstance(self._a, Sparse):
        return self if dtype is None else self.to(dtype)
    found: Any = result(plain(self._a).copy())
    return found if dtype is None else found.to(dtype)


@public("Tensor")
def coalesce(self: Tensor) -> Any:
    """The same with each place once, in order."""
    return result(coalesced(_account("coalesce", self)))


@public("Tensor")
def is_coalesced(self: Tensor) -> bool:
    """True if no place stands twice."""
    return _account("is_coalesced", self).coalesced


@public("Tensor")
def indices(self: Tensor) -> Any:
    """The places of the entries, a row for each axis."""
    return result(_sorted_out("indices", self).places)


@public("Tensor")
def values(self: Tensor) -> Any:
    """The entries."""
    return result(_sorted_out("values", self).values)


def _sorted_out(name: str, self: Tensor) -> Sparse:
    a = _account(name, self)
    if not a.coalesced:
        fail(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
    return a


@public("Tensor._indices")
def places_of(self: Tensor) -> Any:
    """The places of the entries, of which some may stand twice."""
    return result(_account("_indices", self).places)


@public("Tensor._values")
def entries_of(self: Tensor) -> Any:
    """The entries, of which some may be for one place."""
    return result(_account("_values", self).values)


@public("Tensor._nnz")
def count_of(self: Tensor) -> int:
    """The number of entries."""
    return int(_account("_nnz", self).places.shape[1])


@public("Tensor")
def sparse_dim(self: Tensor) -> int:
    """The number of axes that are sparse."""
    return len(self._a.places) if isinstance(self._a, Sparse) else 0


@public("Tensor")
def dense_dim(self: Tensor) -> int:
    """The number of axes that are not sparse."""
    return self.dim() - int(sparse_dim(self))


@public("Tensor")
def sparse_mask(self: Tensor, mask: Tensor) -> Any:
    """The entries of a tensor at the places of a sparse one."""
    a = _account("sparse_mask", mask)
    if self.shape != mask.shape:
        raise EngineValueError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(Size(self.shape))} but mask has "
            f"size {list(Size(mask.shape))}"
        )
    return result(made_of(a.places, plain(self._a)[tuple(a.places)], a.shape, a.coalesced))
