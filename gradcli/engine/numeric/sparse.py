"""Sparse gradients: arrays that know of which entries alone they are made.

All numbers are there, so that whatever reads them reads an array; beside them stand the places and the values that were
added up, as PyTorch's `sparse_coo` tensors keep them. What NumPy computes of one is an ordinary array, but for sums of
two of them, and products with a number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_SCALING = (np.multiply, np.true_divide, np.negative)


class Sparse(np.ndarray[Any, Any]):
    """An array with the places (one row for each axis that is sparse) and the values that it is made of."""

    places: Array
    values: Array
    # Whether no place stands twice, and they are in order.
    coalesced: bool

    def __array_finalize__(self, source: Any) -> None:
        # What NumPy makes of it of its own accord, a part or a copy, has no places.
        self.places = np.zeros((1, 0), np.int64)
        self.values = np.zeros((0,), self.dtype)
        self.coalesced = False

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        """Compute as with any array; sums of two, and products with a number, know their places."""
        found = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        if method == "__call__":
            found = _kept(ufunc, inputs, found)
        if out is None:
            return found
        (into,) = out
        if isinstance(into, Sparse):
            plain(into)[...] = found
            _take(into, found if isinstance(found, Sparse) else sparse_of(found, 1))
            return into
        into[...] = plain(found)
        return into

    def copy(self, order: Any = "C") -> Sparse:
        """The same in memory of its own."""
        return _with(plain(self).copy(order), self.places.copy(), self.values.copy(), self.coalesced)

    def __copy__(self) -> Sparse:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Sparse:
        return self.copy()


def plain(a: Any) -> Any:
    """The numbers alone."""
    return a.view(np.ndarray) if isinstance(a, Sparse) else a


def _with(numbers: Array, places: Array, values: Array, coalesced: bool) -> Sparse:
    made = numbers.view(Sparse)
    made.places, made.values, made.coalesced = places, values, coalesced
    return made


def _take(into: Sparse, other: Sparse) -> None:
    into.places, into.values, into.coalesced = other.places, other.values, other.coalesced


def _kept(ufunc: Any, inputs: tuple[Any, ...], found: Any) -> Any:
    """The result with its places, where it has any."""
    if ufunc is np.add and all(isinstance(x, Sparse) for x in inputs):
        a, b = inputs
        if len(a.places) == len(b.places):
            return _with(found, np.concatenate([a.places, b.places], 1), np.concatenate([a.values, b.values]), False)
    elif ufunc in _SCALING and isinstance(inputs[0], Sparse) and all(np.ndim(x) == 0 for x in inputs[1:]):
        return _with(found, inputs[0].places, ufunc(inputs[0].values, *inputs[1:]), inputs[0].coalesced)
    return found


def made_of(places: Array, values: Array, shape: tuple[int, ...], coalesced: bool = False) -> Sparse:
    """The array that has these values at these places, and zeros elsewhere."""
    numbers = np.zeros(shape, values.dtype)
    np.add.at(numbers, tuple(places), values)
    return _with(numbers, places, values, coalesced)


def sparse_of(a: Array, axes: int) -> Sparse:
    """An array as one that is sparse along its first axes."""
    a = np.asarray(a)
    there = (a != 0).any(tuple(range(axes, a.ndim))) if a.ndim > axes else a != 0
    places = np.stack(np.nonzero(there)) if axes else np.zeros((0, 1), np.int64)
    return _with(np.array(a), places, a[tuple(places)], True)


def coalesced(a: Sparse) -> Sparse:
    """The same with each place once, in order."""
    if a.coalesced:
        return a
    shape = a.shape[: len(a.places)]
    flat = np.ravel_multi_index(tuple(a.places), shape) if a.places.size else np.zeros(0, np.int64)
    kept, where = np.unique(flat, return_inverse=True)
    values = np.zeros((len(kept), *a.values.shape[1:]), a.values.dtype)
    np.add.at(values, where, a.values)
    places = np.stack(np.unravel_index(kept, shape)).astype(np.int64) if kept.size else a.places[:, :0]
    return _with(plain(a), places, values, True)
