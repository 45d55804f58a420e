"""NumPy's functions that count and measure: histograms, products of two arrays, slopes, places in a sorted array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...guard.size_limits import whole
from ..iteration import iterate
from .arguments import Function, array_of, axes_of, number, number_or_array, room


def of_counts() -> dict[str, Function]:
    """The functions of the module `numpy` that count and measure."""
    made = {function.__name__: _of_two(function) for function in _OF_TWO}
    made.update({name: _spread(name) for name in ("cov", "corrcoef")})
    made.update({name: _searched(name) for name in ("digitize", "searchsorted")})
    made.update(
        bincount=_bincount,
        diff=_diff,
        gradient=_gradient,
        histogram=_histogram,
        histogram2d=_histogram2d,
        histogramdd=_histogramdd,
        histogram_bin_edges=_edges,
        interp=_interp,
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


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    given = number_or_array(x), array_of(xp), array_of(fp)
    room(sum(np.size(a) for a in given), 20)
    return np.interp(*given, *[None if n is None else number(n) for n in (left, right, period)])


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
    bounds = None if range is None else tuple([number(n) for n in array_of(range)])
    edges = _bins(values, bins, bounds)
    room(values.size + (edges if isinstance(edges, int) else edges.size) + 1, 100)
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
    bounds = None if range is None else tuple([number(n) for n in range])
    edges = _bins(values, bins, bounds)
    room(values.size + (edges if isinstance(edges, int) else edges.size) + 1, 4)
    return np.histogram_bin_edges(values, edges, bounds)


def _bins(values: Any, bins: Any, bounds: Any) -> Any:
    """The number of bins, or their edges; a text names the rule by which NumPy finds these."""
    if not isinstance(bins, str):
        return whole(bins) if isinstance(bins, int) else array_of(bins)
    room(values.size, 100 + math.isqrt(values.size) if bins == "stone" else 20)
    x = np.ravel(values)
    x = x if bounds is None else x[(x >= bounds[0]) & (x <= bounds[1])]
    if x.size and bins in ("auto", "fd", "scott") and x.dtype.kind in "biuf":
        # These make bins as narrow as most numbers are close to one another, however far the others are.
        inner = np.subtract(*np.percentile(x, [75, 25])) * 2.0
        least = [w for w in (inner, 3.49 * np.std(x)) if w > 0]
        span = float(np.ptp(x) if bounds is None else bounds[1] - bounds[0])
        if least and np.isfinite(span):
            room(int(span * x.size ** (1 / 3) / min(least)) + 1)
    return np.histogram_bin_edges(values, bins, bounds)


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    x, y = array_of(x), array_of(y)
    pair = bins if not isinstance(bins, int) and len(bins) == 2 else [bins, bins]
    counted, edges = _histogramdd(np.stack([x, y], -1), pair, range, density, weights)
    return counted, edges[0], edges[1]


def _histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    points = array_of(sample)
    points = points.reshape(-1, 1) if points.ndim == 1 else points
    if points.ndim != 2 or points.shape[1] > 32:
        raise ValueError("histogramdd() takes points of up to 32 coordinates here")
    each = [bins] * points.shape[1] if isinstance(bins, int) else list(iterate(bins))
    edges = [whole(n) if np.ndim(n) == 0 else array_of(n) for n in each]
    room(max(points.size, math.prod((n if isinstance(n, int) else n.size) + 2 for n in edges)), 100)
    bounds = None if range is None else [None if pair is None else [number(n) for n in pair] for pair in range]
    function: Function = np.histogramdd
    return function(points, edges, bounds, bool(density), None if weights is None else array_of(weights))
