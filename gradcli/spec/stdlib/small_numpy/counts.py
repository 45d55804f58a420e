"""NumPy's functions that count and measure: histograms, products of two arrays, slopes, places in a sorted array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...guard.size_limits import whole
from .arguments import Function, array_of, axes_of, number, number_or_array, room


def of_counts() -> dict[str, Function]:
    """The functions of the module `numpy` that count and measure."""
    made = {function.__name__: _of_two(function) for function in _OF_TWO}
    made.update({name: _spread(name) for name in ("cov", "corrcoef")})
    made.update({name: _searched(name) for name in ("digitize", "searchsorted")})
    made.update(
        bincount=_bincount, diff=_diff, gradient=_gradient, histogram=_histogram, histogram2d=_histogram2d,
        histogram_bin_edges=_edges, interp=_interp,
    )
    return made


# What makes nothing larger than all of its arguments with one another, or together.
_OF_TWO: tuple[Function, ...] = (np.convolve, np.correlate, np.inner, np.kron, np.tensordot, np.vdot, np.cross)


def _of_two(function: Function) -> Function:
    def call(a: Any, b: Any, *how: Any, **named: Any) -> Any:
        a, b = array_of(a), array_of(b)
        room(a.size * b.size)
        choices = [h if isinstance(h, str) else axes_of(h) for h in how]
        return function(a, b, *choices, **{key: h if isinstance(h, str) else axes_of(h) for key, h in named.items()})

    return call


def _spread(name: str) -> Function:
    function = getattr(np, name)

    def call(m: Any, y: Any = None, rowvar: Any = True, **how: Any) -> Any:
        m, y = array_of(m), None if y is None else array_of(y)
        room((m.size + (0 if y is None else y.size)) ** 2 // max(1, m.shape[-1] if m.ndim else 1))
        choices = {key: value if isinstance(value, bool) else whole(value) for key, value in how.items()}
        return function(m, y, bool(rowvar), **choices)

    return call


def _bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    x = array_of(x)
    room(max(x.size, int(x.max(initial=0)), whole(minlength)))
    return np.bincount(x, None if weights is None else array_of(weights), whole(minlength))


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    given = number_or_array(x), array_of(xp), array_of(fp)
    room(sum(np.size(a) for a in given), 20)
    return np.interp(*given, *[None if n is None else number(n) for n in (left, right)])


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    a = array_of(f)
    room(a.size * max(1, a.ndim), 4)
    function: Function = np.gradient
    along = None if axis is None else axes_of(axis)
    return function(a, *map(number_or_array, varargs), axis=along, edge_order=whole(edge_order))


def _searched(name: str) -> Function:
    function = getattr(np, name)

    def call(a: Any, v: Any, how: Any = None, **named: Any) -> Any:
        a, v = number_or_array(a), number_or_array(v)
        room(np.size(a) + np.size(v), 20)
        choices = {key: value if isinstance(value, str) else bool(value) for key, value in named.items()}
        if how is not None:
            choices["side" if name == "searchsorted" else "right"] = how if isinstance(how, str) else bool(how)
        return function(a, v, **choices)

    return call


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    values = array_of(a)
    edges = bins if isinstance(bins, int) else array_of(bins)
    room(values.size + (edges if isinstance(edges, int) else edges.size) + 1, 100)
    bounds = None if range is None else tuple([number(n) for n in array_of(range)])
    return np.histogram(values, edges, bounds, bool(density), None if weights is None else array_of(weights))


def _diff(a: Any, n: Any = 1, axis: Any = -1) -> Any:
    a, n, axis = array_of(a), whole(n), whole(axis)
    if -a.ndim <= axis < a.ndim:
        # Nothing is left after so many times.
        n = min(n, a.shape[axis])
    room(a.size, max(n, 1))
    return np.diff(a, n, axis)


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
