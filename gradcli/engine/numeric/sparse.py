"""Sparse gradients: arrays that know of which entries alone they are made.

There is room for all numbers, so that whatever reads them reads an array; of it only what is written to is ever taken
from the machine, and it is written to where there are entries. Beside it stand the places and the values that were
added up, as PyTorch's `sparse_coo` tensors keep them. What NumPy computes of one is an ordinary array, but for what is
zero where it is. Whoever is lent the places or the values may write to them: from then on, the numbers are filled in
anew whenever they are read.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...errors import EngineIndexError
from ..dtypes import Array
from .meta import Meta

_SCALING = (np.multiply, np.true_divide, np.negative)


class Sparse(np.ndarray[Any, Any]):
    """An array with the places (one row for each axis that is sparse) and the values that it is made of.

    What NumPy makes of one of its own accord, a part or a copy, has no places and is an array like any other.
    """

    places: Array
    values: Array
    # Whether no place stands twice, and they are in order.
    coalesced: bool
    # Once others can write to the places and values: the places where numbers stand now.
    filled: Array
    # Whether there was one: functions look for them from the first on.
    known: ClassVar[bool] = False

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        """Compute as with any array; what is zero wherever all of its operands are knows its places."""
        found = _kept(ufunc, inputs) if method == "__call__" and not kwargs else None
        if found is None:
            found = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        if out is None:
            return found
        (into,) = out
        if is_sparse(into):
            plain(into)[...] = plain(found)
            _take(into, found if is_sparse(found) else sparse_of(found, 1))
            return into
        into[...] = plain(found)
        return into

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Compute as with any array, of the numbers as they are now."""
        plain(self)
        return super().__array_function__(function, types, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return plain(self)[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        numbers = plain(self)
        numbers[index] = plain(value)
        if is_sparse(self):
            _take(self, value if is_sparse(value) else sparse_of(numbers, len(self.places)))

    def copy(self, order: Any = "C") -> Any:
        """The same in memory of its own."""
        if not is_sparse(self):
            return plain(self).copy(order)
        return made_of(self.places.copy(), self.values.copy(), self.shape, self.coalesced)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """The same in another element type."""
        if not is_sparse(self):
            return plain(self).astype(dtype, *args, **kwargs)
        return made_of(self.places, self.values.astype(dtype), self.shape, self.coalesced)

    def transpose(self, *axes: Any) -> Any:
        """The same with its axes in another order."""
        numbers = plain(self).transpose(*axes)
        order = axes[0] if len(axes) == 1 and axes[0] is not None and not isinstance(axes[0], int) else axes
        order = tuple(order) or tuple(range(self.ndim))[::-1]
        return self._turned(numbers, order)

    @property
    def T(self) -> Any:
        """The same with its axes the other way round."""
        return self.transpose()

    def swapaxes(self, first: Any, second: Any) -> Any:
        """The same with two of its axes changed."""
        order = list(range(self.ndim))
        order[first], order[second] = order[second], order[first]
        return self._turned(plain(self).swapaxes(first, second), tuple(order))

    def _turned(self, numbers: Array, order: tuple[int, ...]) -> Any:
        if not is_sparse(self):
            return numbers
        axes = len(self.places)
        order = tuple(axis % self.ndim for axis in order)
        first, inner = order[:axes], order[axes:]
        if max(first, default=0) >= axes:
            return numbers
        values = self.values.transpose(0, *(axis - axes + 1 for axis in inner))
        return _with(numbers, self.places[list(first)], values.copy(), self.coalesced and list(first) == sorted(first))


def is_sparse(a: Any) -> bool:
    """Tell whether an array knows of which entries it is made."""
    return type(a) is Sparse and "places" in a.__dict__


def plain(a: Any) -> Any:
    """The numbers alone."""
    if not isinstance(a, Sparse):
        return a
    numbers = a.view(np.ndarray)
    if "filled" in a.__dict__:
        _fill(numbers, a)
    return numbers


def lent(a: Sparse) -> Sparse:
    """An array whose places and values others may write to from now on."""
    if "filled" not in a.__dict__:
        a.filled = a.places.copy()
    return a


def kept_where(values: Array, a: Sparse) -> None:
    """Have the values of an array in the memory where others were before, for whoever was lent it."""
    if values.shape == a.values.shape and values.dtype == a.values.dtype:
        values[...] = a.values
        lent(a).values = values


def _fill(numbers: Array, a: Sparse) -> None:
    """Fill in the numbers that the places and the values stand for now."""
    places = a.places
    for row, n in zip(places, a.shape, strict=False):
        if row.size and not 0 <= row.min() <= row.max() < n:
            raise EngineIndexError(f"an index of a sparse tensor was changed to what is no place in its size {a.shape}")
    numbers[tuple(a.filled)] = 0
    np.add.at(numbers, tuple(places), a.values)
    a.filled[...] = places


def _with(numbers: Array, places: Array, values: Array, coalesced: bool) -> Sparse:
    if not Sparse.known:
        Sparse.known = True
        Meta.first()
    made: Sparse = numbers.view(Sparse)
    # Fewer than two are in order, whoever made them.
    made.places, made.values, made.coalesced = places, values, coalesced or places.shape[1] < 2
    return made


def _take(into: Sparse, other: Sparse) -> None:
    into.places, into.values, into.coalesced = other.places.copy(), other.values.copy(), other.coalesced
    into.__dict__.pop("filled", None)


def _kept(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The result with its places, where it has any; none where it is an array like any other."""
    first, others = inputs[0], inputs[1:]
    if len(inputs) == 2 and all(is_sparse(x) for x in inputs):
        return _of_two(ufunc, first, others[0])
    if not is_sparse(first):
        return _kept(ufunc, inputs[::-1]) if ufunc is np.multiply and is_sparse(inputs[-1]) else None
    if not others:
        # What is bent must be one entry before.
        one = first if ufunc in _SCALING else coalesced(first)
        with np.errstate(all="ignore"):
            still = ufunc(one.dtype.type(0)) == 0
        return made_of(one.places, ufunc(one.values), one.shape, one.coalesced) if still else None
    if ufunc not in _SCALING and ufunc is not np.power:
        return None
    if np.ndim(others[0]) == 0:
        if ufunc is np.power and not others[0] > 0:
            return None
        one = first if ufunc in _SCALING else coalesced(first)
        return made_of(one.places, ufunc(one.values, others[0]), one.shape, one.coalesced)
    if ufunc is np.multiply and np.broadcast_shapes(first.shape, others[0].shape) == first.shape:
        dense = np.broadcast_to(others[0], first.shape)
        return made_of(first.places, first.values * dense[tuple(first.places)], first.shape, first.coalesced)
    return None


def _of_two(ufunc: Any, a: Sparse, b: Sparse) -> Any:
    """The sum, the difference or the product of two of them."""
    if a.shape != b.shape or len(a.places) != len(b.places):
        return None
    if ufunc in (np.add, np.subtract):
        values = b.values if ufunc is np.add else -b.values
        # Walked side by side, as PyTorch does where it has both in a row, entries for the same place meet.
        in_rows = a.values.flags.c_contiguous and b.values.flags.c_contiguous
        if not a.coalesced and in_rows and np.array_equal(a.places, b.places):
            return made_of(a.places, a.values + values, a.shape)
        both = made_of(np.concatenate([a.places, b.places], 1), np.concatenate([a.values, values]), a.shape)
        if a.coalesced and b.coalesced:
            return coalesced(both)
        return _walked(both, a.places.shape[1]) if in_rows else both
    if ufunc is np.multiply:
        a, b = coalesced(a), coalesced(b)
        flat = [np.ravel_multi_index(tuple(x.places), x.shape[: len(x.places)]) for x in (a, b)]
        _, mine, its = np.intersect1d(*flat, return_indices=True)
        return made_of(a.places[:, mine], a.values[mine] * b.values[its], a.shape, True)
    return None


def _walked(both: Sparse, first: int) -> Sparse:
    """The entries of two, one after the other in an array, as PyTorch meets them: always the lower of the two next."""
    places = list(zip(*both.places.tolist(), strict=True))
    i, j = 0, first
    order: list[int] = []
    into = np.zeros(len(places), np.int64)
    while i < first or j < len(places):
        lower = j if i == first or (j < len(places) and places[j] < places[i]) else i
        meet = i < first and j < len(places) and places[i] == places[j]
        for at in (i, j) if meet else (lower,):
            into[at] = len(order)
        order.append(lower)
        i, j = i + (meet or lower == i), j + (meet or lower == j)
    values = np.zeros((len(order), *both.values.shape[1:]), both.values.dtype)
    np.add.at(values, into, both.values)
    return made_of(both.places[:, order], values, both.shape)


def made_of(places: Array, values: Array, shape: tuple[int, ...], coalesced: bool = False) -> Sparse:
    """The array that has these values at these places, and zeros elsewhere, in memory of its own."""
    places, values = places.copy(), values.copy()
    numbers = np.zeros(shape, values.dtype)
    np.add.at(numbers, tuple(places), values)
    return _with(numbers, places, values, coalesced)


def sparse_of(a: Array, axes: int) -> Sparse:
    """An array as one that is sparse along its first axes."""
    a = plain(np.asanyarray(a))
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
    return made_of(places, values, a.shape, True)
