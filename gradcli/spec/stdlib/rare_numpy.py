"""Of NumPy what few programs ask for: which type holds others, windows, polynomials, texts of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..guard.size_limits import fits, whole
from ..values.element_types import ElementType, element_type
from ..values.tables.byte_strings import BYTES
from ..values.visible_types import word
from .numpy_arguments import Function, array_of, number, number_or_array, room


def rare() -> dict[str, Function]:
    """Functions of the module `numpy` that are seldom called."""
    made = {name: _of_types(name) for name in ("promote_types", "result_type", "can_cast", "min_scalar_type")}
    made.update({name: _window(name) for name in ("bartlett", "blackman", "hamming", "hanning")})
    made.update({name: _of_polynomials(name) for name in ("polyadd", "polydiv", "polymul", "polysub")})
    made.update({name: _shown(name) for name in ("array_repr", "array_str")})
    made.update({name: _number_shown(name) for name in ("format_float_positional", "format_float_scientific")})
    made.update(
        poly=_poly, polyder=_polyder, polyint=_polyint, diagflat=_diagflat, choose=_choose, base_repr=_in_base,
        binary_repr=_in_base, ravel_multi_index=_ravel, broadcast_shapes=_broadcast_shapes,
        array_equiv=_equivalent, histogram_bin_edges=_edges, iscomplexobj=lambda x: np.iscomplexobj(_given(x)),
        isrealobj=lambda x: np.isrealobj(_given(x)), histogram2d=_histogram2d, frombuffer=_from_buffer,
    )  # fmt: skip
    return made


def _from_buffer(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0) -> Any:
    """The numbers that bytes stand for, in the memory of those."""
    if type(buffer) not in (*BYTES, memoryview) and not isinstance(buffer, np.ndarray):
        raise TypeError(f"a bytes-like object is required, not '{word(buffer)}'")
    return np.frombuffer(buffer, element_type(dtype), whole(count), whole(offset))


def _given(value: Any) -> Any:
    """An array or a number as it is, an element type as NumPy has it."""
    return value if isinstance(value, (int, float, complex, np.generic, np.ndarray)) else array_of(value)


def _of_types(name: str) -> Function:
    """A function of element types, or of what has one."""
    function = getattr(np, name)

    def call(*types: Any) -> Any:
        how = list(types[2:]) if name == "can_cast" else []
        if not _CASTINGS.issuperset(how):
            raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'")
        found = function(*[_type_or_value(one) for one in types[: len(types) - len(how)]], *how)
        return ElementType(found) if isinstance(found, np.dtype) else found

    return call


_CASTINGS = frozenset(("no", "equiv", "safe", "same_kind", "unsafe"))


def _type_or_value(value: Any) -> Any:
    return value if isinstance(value, (int, float, complex, np.generic, np.ndarray)) else element_type(value)


def _window(name: str) -> Function:
    function = getattr(np, name)

    def call(M: Any) -> Any:
        room(max(0, whole(M)), 40)
        return function(whole(M))

    return call


# -- polynomials -----------------------------------------------------------------------------------


def _of_polynomials(name: str) -> Function:
    function = getattr(np, name)

    def call(a1: Any, a2: Any) -> Any:
        a, b = array_of(a1), array_of(a2)
        room(max(a.size, b.size, a.size * b.size), 4)
        return function(a, b)

    return call


def _poly(seq_of_zeros: Any) -> Any:
    zeros = array_of(seq_of_zeros)
    room(zeros.size + 1, 20 * (zeros.size + 1))
    return np.poly(zeros)


def _polyder(p: Any, m: Any = 1) -> Any:
    p, m = array_of(p), whole(m)
    room(p.size, max(1, min(m, p.size)))
    # Nothing is left after so many times.
    return np.polyder(p, min(m, p.size))


def _polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    p, m = array_of(p), whole(m)
    room(p.size + max(m, 0), max(1, m))
    return np.polyint(p, m, None if k is None else number_or_array(k))


# -- places and parts ------------------------------------------------------------------------------


def _diagflat(v: Any, k: Any = 0) -> Any:
    a = array_of(v)
    room((a.size + abs(whole(k))) ** 2)
    return np.diagflat(a, whole(k))


def _choose(a: Any, choices: Any) -> Any:
    places, parts = array_of(a), [array_of(part) for part in choices]
    if len(parts) > 32:
        raise ValueError("Need at least 1 and at most 32 array objects.")
    shape = np.broadcast_shapes(places.shape, *[part.shape for part in parts])
    room(int(np.prod(shape, dtype=float)))
    return np.choose(places, parts)


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


def _edges(a: Any, bins: Any = 10, range: Any = None) -> Any:
    values = array_of(a)
    edges = whole(bins) if isinstance(bins, int) else array_of(bins)
    room(values.size + (edges if isinstance(edges, int) else edges.size) + 1, 4)
    return np.histogram_bin_edges(values, edges, None if range is None else tuple([number(n) for n in range]))


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None) -> Any:
    x, y = array_of(x), array_of(y)
    counts = [whole(bins)] * 2 if isinstance(bins, int) else [whole(n) for n in bins]
    room(max(x.size, (counts[0] + 2) * (counts[-1] + 2)), 100)
    bounds = None if range is None else [[number(n) for n in pair] for pair in range]
    return np.histogram2d(x, y, counts, bounds, bool(density))


# -- texts -----------------------------------------------------------------------------------------


def _shown(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any) -> str:
        return str(function(array_of(a)))

    return call


def _number_shown(name: str) -> Function:
    function = getattr(np, name)

    def call(x: Any, precision: Any = None, unique: Any = True, trim: Any = "k") -> str:
        if trim not in ("k", ".", "0", "-"):
            raise TypeError("Trim must be one of 'k', '.', '0', '-'")
        digits = None if precision is None else whole(precision)
        if digits is not None:
            fits(digits, "str")
        return str(function(number(x), digits, bool(unique), trim=trim))

    return call


def _in_base(number: Any, base: Any = 2, padding: Any = 0) -> str:
    fits(whole(padding), "str")
    value = whole(number)
    fits(value.bit_length(), "str")
    return np.base_repr(value, whole(base), whole(padding))
