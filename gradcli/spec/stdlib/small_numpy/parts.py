"""Parts of arrays and their places: what is taken out, put in, laid side by side, and where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import SpecError
from ...guard.size_limits import collected, fits, whole
from ...values.element_types import element_type
from ..iteration import iterate
from .arguments import Function, array_of, number_or_array, of_one, room, split_at


def of_parts() -> dict[str, Function]:
    """The functions of the module `numpy` that look for places, and take or put parts there."""
    made = {name: of_one(name) for name in _OF_ONE.split()}
    made.update({name: _triangle(name) for name in ("tril_indices", "triu_indices")})
    made.update(
        array_equiv=_equivalent, broadcast_shapes=_broadcast_shapes, broadcast_to=_broadcast, choose=_choose,
        delete=_delete, diagflat=_diagflat, dstack=_dstack, fill_diagonal=_fill_diagonal, indices=_indices,
        insert=_insert, isin=_isin, isscalar=_is_scalar, may_share_memory=_maybe_sharing, ravel_multi_index=_ravel,
        shares_memory=_sharing, split=_split, take=_take, take_along_axis=_along, unravel_index=_unravel,
    )  # fmt: skip
    return made


_OF_ONE = (
    "diagonal rot90 rollaxis trapezoid union1d intersect1d setdiff1d setxor1d argpartition partition lexsort "
    "resize nancumsum nancumprod"
)


def _maybe_sharing(a: Any, b: Any) -> bool:
    return np.may_share_memory(array_of(a), array_of(b))


# How many ways of laying one array over another are tried: more than slices of ordinary arrays have.
_MOST_WAYS: Any = 10_000


def _sharing(a: Any, b: Any) -> bool:
    """shares_memory(): True if two arrays have an element in common."""
    try:
        return np.shares_memory(array_of(a), array_of(b), _MOST_WAYS)
    except np.exceptions.TooHardError:
        raise SpecError("whether these arrays share memory takes too long to find out", help="leave it out") from None


def _fill_diagonal(a: Any, val: Any, wrap: Any = False) -> None:
    if not isinstance(a, np.ndarray):
        raise TypeError("fill_diagonal() takes an array")
    room(a.size)
    np.fill_diagonal(a, number_or_array(val), bool(wrap))


def _triangle(name: str) -> Function:
    function = getattr(np, name)

    def call(n: Any, k: Any = 0, m: Any = None) -> Any:
        room(3 * max(0, whole(n)) * max(0, whole(n if m is None else m)))
        return function(whole(n), whole(k), None if m is None else whole(m))

    return call


def _dstack(arrays: Any) -> Any:
    parts = [array_of(a) for a in collected(iterate(arrays))]
    room(sum(a.size for a in parts))
    return np.dstack(parts)


def _take(a: Any, indices: Any, axis: Any = None, *, mode: Any = "raise") -> Any:
    a, places = array_of(a), number_or_array(indices)
    along = a.size if axis is None else a.shape[whole(axis)]
    room(np.size(places) * (a.size // max(1, along)))
    return np.take(a, places, None if axis is None else whole(axis), mode=_beyond(mode))


def _along(arr: Any, indices: Any, axis: Any = -1) -> Any:
    a, places = array_of(arr), array_of(indices)
    room(math.prod(np.broadcast_shapes(a.shape, places.shape)) if a.ndim == places.ndim == 0 else a.size + places.size)
    return np.take_along_axis(a, places, None if axis is None else whole(axis))


def _broadcast(array: Any, shape: Any) -> Any:
    sizes = tuple([whole(n) for n in shape]) if isinstance(shape, (list, tuple)) else (whole(shape),)
    room(math.prod(max(n, 0) for n in sizes))
    # A copy: that of NumPy's cannot be written to.
    return np.array(np.broadcast_to(array_of(array), sizes))


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    a, b = array_of(arr), number_or_array(values)
    along = a.shape[whole(axis)] if axis is not None and a.ndim else a.size
    room(a.size + max(np.size(b), np.size(obj) * (a.size // max(1, along))))
    return np.insert(a, _places(obj), b, None if axis is None else whole(axis))


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    a = array_of(arr)
    room(a.size)
    return np.delete(a, _places(obj), None if axis is None else whole(axis))


def _places(value: Any) -> Any:
    return value if isinstance(value, slice) else number_or_array(value)


def _indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    sizes = tuple([whole(n) for n in collected(iterate(dimensions))])
    room(math.prod(max(n, 0) for n in sizes) * max(1, len(sizes)))
    function: Function = np.indices
    return function(sizes, element_type(dtype), bool(sparse))


def _isin(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False, *, kind: Any = None
) -> Any:
    of = array_of(element)
    if isinstance(test_elements, (set, frozenset)):
        # To NumPy a set is one thing, which no number is equal to.
        room(of.size)
        return np.full(of.shape, bool(invert))
    among = array_of(test_elements)
    room(of.size + among.size, 20)
    if kind == "table":
        # A table has a place for each number between the least and the greatest.
        room(int(np.ptp(among)) + 1 if among.size and among.dtype.kind in "iu" else 1)
    elif kind not in (None, "sort"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    return np.isin(of, among, bool(assume_unique), bool(invert), kind=kind)


def _is_scalar(element: Any) -> bool:
    return isinstance(element, (int, float, complex, str, np.generic))


def _split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    a = array_of(ary)
    return np.split(a, split_at(a, indices_or_sections), whole(axis))


def _unravel(indices: Any, shape: Any) -> Any:
    places = number_or_array(indices)
    sizes = tuple([whole(n) for n in shape]) if isinstance(shape, (list, tuple)) else (whole(shape),)
    room(np.size(places) * max(1, len(sizes)))
    return np.unravel_index(places, sizes)


def _diagflat(v: Any, k: Any = 0) -> Any:
    a = array_of(v)
    room((a.size + abs(whole(k))) ** 2)
    return np.diagflat(a, whole(k))


def _choose(a: Any, choices: Any, mode: Any = "raise") -> Any:
    places, parts = array_of(a), [array_of(part) for part in choices]
    if len(parts) > 32:
        raise ValueError("Need at least 1 and at most 32 array objects.")
    shape = np.broadcast_shapes(places.shape, *[part.shape for part in parts])
    room(int(np.prod(shape, dtype=float)))
    return np.choose(places, parts, mode=_beyond(mode))


def _beyond(mode: Any) -> Any:
    """The name of what is done with places that there are not."""
    if type(mode) is not str or mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return mode


def _ravel(multi_index: Any, dims: Any) -> Any:
    places = tuple([array_of(index) for index in multi_index])
    room(max([1, *[place.size for place in places]]) * max(1, len(places)))
    sizes = tuple([whole(n) for n in dims]) if isinstance(dims, (list, tuple)) else whole(dims)
    return np.ravel_multi_index(places, sizes)


def _broadcast_shapes(*shapes: Any) -> Any:
    fits(sum(len(shape) if isinstance(shape, tuple) else 1 for shape in shapes), "tuple")
    given = [tuple([whole(n) for n in shape]) if isinstance(shape, tuple) else whole(shape) for shape in shapes]
    return np.broadcast_shapes(*given)


def _equivalent(a1: Any, a2: Any) -> bool:
    a, b = array_of(a1), array_of(a2)
    try:
        room(int(np.prod(np.broadcast_shapes(a.shape, b.shape), dtype=float)))
    except ValueError:
        return False
    return bool(np.array_equiv(a, b))
