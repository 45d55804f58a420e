"""Elements picked by index, counted or sorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine.tensor import Tensor
from .estimate import Estimate, Shape, count, product, shape, together, whole


def _largest(x: Any) -> int:
    return int(np.max(x._a, initial=0))


def one_hot(input: Any, num_classes: Any = -1) -> Estimate:
    """A row for each class: as many as the largest says, unless that is given."""
    classes = whole(num_classes)
    return Estimate(count(input) * (_largest(input) + 1 if classes == -1 else classes))


def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Estimate:
    """A count for each number up to the largest."""
    return Estimate(max(_largest(input) + 1, whole(minlength), count(input)))


def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0) -> Estimate:
    """A count for each bin."""
    return Estimate(count(input) + whole(bins))


def histogram(input: Any, bins: Any = 100, *rest: Any, **named: Any) -> Estimate:
    """A count for each bin, and a place for each element."""
    return Estimate(2 * count(input) + _sides(bins, 1))


def histogramdd(input: Any, bins: Any, *rest: Any, **named: Any) -> Estimate:
    """A count for each bin of a grid, and a place for each element."""
    return Estimate(2 * count(input) + _sides(bins, shape(input)[-1] if shape(input) else 1))


def _sides(bins: Any, axes: int) -> int:
    """The number of bins of a grid: along each axis a number, or edges."""
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * axes
    return product([count(side) if isinstance(side, Tensor) else whole(side) + 1 for side in each])


def embedding(input: Any, weight: Any, *rest: Any, **named: Any) -> Estimate:
    """A row of a table for each index."""
    return Estimate(count(input) * product(shape(weight)[1:]))


def embedding_of_table(weight: Any, indices: Any, *rest: Any, **named: Any) -> Estimate:
    """A row of a table for each index."""
    return embedding(indices, weight)


def index_select(input: Any, dim: Any, index: Any) -> Estimate:
    """A slice for each index."""
    size = shape(input) or (1,)
    return Estimate(count(input) // max(size[whole(dim)], 1) * count(index))


def gather(input: Any, dim: Any, index: Any, *rest: Any, **named: Any) -> Estimate:
    """An element for each index; the indices of the other axes are made as well."""
    return Estimate(count(index), 5 * count(index))


def take(input: Any, index: Any) -> Estimate:
    """An element for each index."""
    return Estimate(count(index))


def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Estimate:
    """An element for each index, which are broadcast with the tensor along the other axes."""
    if dim is None:
        return Estimate(count(indices))
    own, of = list(shape(input)), list(shape(indices))
    own[whole(dim)] = of[whole(dim)]
    return Estimate(together([tuple(own), tuple(of)]))


def bucketize(input: Any, boundaries: Any, **named: Any) -> Estimate:
    """A place for each number."""
    return Estimate(count(input), 10 * count(input) * count(boundaries).bit_length())


def searchsorted(sorted_sequence: Any, input: Any, **named: Any) -> Estimate:
    """A place for each number."""
    n = count(input) if hasattr(input, "shape") else 1
    return Estimate(max(n, count(sorted_sequence)), 10 * n * count(sorted_sequence).bit_length())


def multinomial(input: Any, num_samples: Any, *rest: Any, **named: Any) -> Estimate:
    """So many draws from each row."""
    return Estimate(max(product(shape(input)[:-1]) * whole(num_samples), count(input)), 50 * count(input))


def nonzero(input: Any, **named: Any) -> Estimate:
    """A place for each element, at most."""
    return Estimate(count(input) * max(len(shape(input)), 1))


def quantile(input: Any, q: Any, dim: Any = None, *rest: Any, **named: Any) -> Estimate:
    """So many quantiles of each row, after sorting."""
    along = count(input) if dim is None else shape(input)[whole(dim)]
    wanted = count(q) if hasattr(q, "shape") else 1
    return Estimate(max(count(input), count(input) // max(along, 1) * wanted), _sorting(count(input)))


def sorted_(input: Any, *rest: Any, **named: Any) -> Estimate:
    """As much as there is, in order."""
    return Estimate(count(input), _sorting(count(input)))


def _sorting(n: int) -> int:
    return 5 * n * n.bit_length()


def segments(data: Any, reduce: Any, **named: Any) -> Estimate:
    """The rows of all segments side by side, and a row for each segment."""
    given = named.get("lengths") if named.get("offsets") is None else named.get("offsets")
    found = count(given) if given is not None else 0
    row = product(shape(data)[1:])
    return Estimate(count(data) + found * row, 20 * count(data) + 10 * found * row)


def slopes(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: Any = 1) -> Estimate:
    """As many tensors as axes, and the differences that they are made of."""
    axes = len(shape(input)) if dim is None else len(dim) if isinstance(dim, (list, tuple)) else 1
    return Estimate(3 * axes * product(shape(input)), 10 * axes * product(shape(input)))


def trapezoids(y: Any, x: Any = None, *, dx: Any = None, dim: Any = -1) -> Estimate:
    """A strip between each two neighbours, of the values and of the places that they are at."""
    at, rank = whole(dim), len(shape(y))
    values = _shorter(shape(y), at)
    if x is None:
        return Estimate(product(values))
    # The axis is counted from the front for one, from the back for the other, which may have another rank.
    apart = [_shorter(shape(x), k) for k in (at, at % rank)] if len(shape(x)) > 1 else [_shorter(shape(x), 0)]
    return Estimate(max(together([values, strips]) for strips in apart))


def _shorter(size: Shape, axis: int) -> Shape:
    """A shape with one place less along an axis, if it has that."""
    at = axis + len(size) * (axis < 0)
    return tuple([max(n - (k == at), 0) for k, n in enumerate(size)])


def label_margin(input: Any, target: Any, *rest: Any, **named: Any) -> Estimate:
    """A margin for each pair of classes."""
    return Estimate(count(input) * shape(input)[-1])


def mvlgamma(input: Any, p: Any) -> Estimate:
    """A sum of p terms for each element."""
    return Estimate(count(input) * whole(p), 50 * count(input) * whole(p))


def polynomial(input: Any, n: Any) -> Estimate:
    """A step for each degree up to the largest, of each element; one of the two may be a number."""
    size = (count(input) if hasattr(input, "_a") else 1) * (count(n) if hasattr(n, "_a") else 1)
    degree = _largest(n) if hasattr(n, "_a") else int(n)
    return Estimate(size, size * max(degree, 1))
