"""Tensors repeated, joined, padded, spread over more axes, or taken apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....engine.tensor import Tensor
from .estimate import Estimate, Shape, broadcast, count, listed, product, shape, sizes, together, whole


def repeated(input: Any, *repeats: Any, **named: Any) -> Estimate:
    """So many times along each axis."""
    return Estimate(count(input) * product(sizes(repeats or tuple(named.values()))))


def tiled(input: Any, *dims: Any, **named: Any) -> Estimate:
    """So many times along each axis."""
    return repeated(input, *dims, **named)


def expanded(input: Any, *size: Any, **named: Any) -> Estimate:
    """A view, that the next function may copy; -1 stands for the size there is."""
    wanted = sizes(size or (named["size"],))
    own = (1,) * (len(wanted) - len(shape(input))) + shape(input)
    return Estimate(product([o if n == -1 else n for n, o in zip(wanted, own, strict=True)]))


def broadcast_to(input: Any, size: Any, **named: Any) -> Estimate:
    """A view, that the next function may copy."""
    return expanded(input, size)


def unravelled(indices: Any, shape: Any) -> Estimate:
    """A tensor of places for each axis."""
    axes = len(sizes((shape,)))
    return Estimate(count(indices), 10 * axes * count(indices), axes)


def broadcast_tensors(*tensors: Any) -> Estimate:
    """Views of one shape."""
    return Estimate(together([shape(t) for t in listed(tensors)]))


def repeat_interleave(
    input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None, **named: Any
) -> Estimate:
    """Each slice so many times: the numbers may be in a tensor."""
    if repeats is None:
        return Estimate(_total(input, 1))
    along = count(input) if dim is None else shape(input)[whole(dim)]
    total = _total(repeats, along) if isinstance(repeats, Tensor) else whole(repeats) * along
    return Estimate(count(input) // max(along, 1) * total)


def _total(repeats: Any, along: int) -> int:
    times = repeats._a
    return int(np.sum(times, dtype=np.float64)) * (along if times.size == 1 else 1)


# -- joined ------------------------------------------------------------------------------------


def joined(tensors: Any, *rest: Any, **named: Any) -> Estimate:
    """All that there is."""
    return Estimate(sum([t._a.size for t in tensors]))


def block_diag(*tensors: Any) -> Estimate:
    """Blocks on the diagonal of a matrix."""
    shapes = [(1, 1, *shape(t))[-2:] for t in listed(tensors)]
    return Estimate(sum(s[0] for s in shapes) * sum(s[1] for s in shapes))


def grid(*tensors: Any, **named: Any) -> Estimate:
    """Every combination of their elements."""
    given = listed(tensors)
    n = product(map(count, given))
    return Estimate(n * len(given), tensors=len(given))


def combinations(input: Any, r: Any = 2, with_replacement: Any = False) -> Estimate:
    """Every choice of r elements; the engine makes a grid of all first."""
    return Estimate(power(count(input), max(whole(r), 1)) * max(whole(r), 1))


def power(a: int, b: int) -> int:
    """A power, or something huge in its place, quickly."""
    return a**b if b * math.log2(max(a, 1)) < 64 else 2**64


# -- around and along diagonals ------------------------------------------------------------------


def padded(input: Any, pad: Any, *rest: Any, **named: Any) -> Estimate:
    """More on both sides of the last axes; a negative number takes away."""
    more = sizes((pad,))
    own = list(shape(input))
    for k in range(len(more) // 2):
        own[-1 - k] += max(more[2 * k], 0) + max(more[2 * k + 1], 0)
    return Estimate(product(own))


def diagonal_matrix(input: Any, diagonal: Any = 0, **named: Any) -> Estimate:
    """A vector on the diagonal of a matrix."""
    offset = whole(named.get("offset", diagonal))
    return Estimate((count(input) + abs(offset)) ** 2)


def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Estimate:
    """The last axis on diagonals of matrices."""
    size = shape(input)
    return Estimate(product(size[:-1]) * (size[-1] + abs(whole(offset))) ** 2)


def vander(x: Any, *, N: Any = None, **named: Any) -> Estimate:
    """N powers of each element, as many as there are elements unless it is given."""
    return Estimate(count(x) * (shape(x)[-1] if N is None else whole(N)))


def old_vander(x: Any, N: Any = None, increasing: Any = False) -> Estimate:
    """The same for a vector."""
    return vander(x, N=N)


# -- taken apart -----------------------------------------------------------------------------------


def windows(input: Any, dimension: Any, size: Any, step: Any) -> Estimate:
    """A view of overlapping windows, that the next function may copy."""
    own = shape(input) or (1,)
    along, width = own[whole(dimension)], whole(size)
    return Estimate(count(input) // max(along, 1) * ((along - width) // whole(step) + 1) * width)


def unbound(input: Any, dim: Any = 0) -> Estimate:
    """A tensor for each place along an axis."""
    return Estimate(0, tensors=shape(input)[whole(dim)])


def split(tensor: Any, split_size_or_sections: Any, dim: Any = 0) -> Estimate:
    """Parts of one size, or of sizes that are listed."""
    given = split_size_or_sections
    if isinstance(given, (list, tuple)):
        return Estimate(0, tensors=len(given))
    return Estimate(0, tensors=-(-shape(tensor)[whole(dim)] // whole(given)))


def split_method(input: Any, split_size: Any, dim: Any = 0) -> Estimate:
    """The same, as a method."""
    return split(input, split_size, dim)


def chunk(input: Any, chunks: Any, dim: Any = 0) -> Estimate:
    """So many parts, or fewer."""
    return Estimate(0, tensors=min(whole(chunks), shape(input)[whole(dim)]))


def tensor_split(input: Any, indices_or_sections: Any = None, dim: Any = 0, **named: Any) -> Estimate:
    """So many parts, empty ones if need be."""
    given = next((x for x in (indices_or_sections, *named.values()) if x is not None), 1)
    if isinstance(given, (list, tuple)):
        return Estimate(0, tensors=len(given) + 1)
    if isinstance(given, Tensor) and given._a.ndim:
        return Estimate(0, tensors=count(given) + 1)
    return Estimate(0, tensors=whole(given))


def split_axis(input: Any, *indices_or_sections: Any, indices: Any = None, sections: Any = None) -> Estimate:
    """Parts along the axis that the name says."""
    named = indices if sections is None else sections
    if indices_or_sections:
        named = indices_or_sections[0] if len(indices_or_sections) == 1 else indices_or_sections
    return tensor_split(input, named)


def indexed(x: Any, index: Any) -> Estimate:
    """As much as an index picks, at most."""
    items = index if isinstance(index, tuple) else (index,)
    left = list(shape(x))
    kept = 1
    picked: list[Shape] = []
    used = sum(_axes_of(i) for i in items if i is not Ellipsis)
    for i in items:
        if i is Ellipsis:
            for _ in range(len(left) - used):
                kept *= left.pop(0)
            continue
        axes = _axes_of(i)
        used -= axes
        own, left = left[:axes], left[axes:]
        if isinstance(i, slice):
            kept *= len(range(*i.indices(own[0])))
        elif isinstance(i, (list, Tensor, np.ndarray)):
            where = i._a if isinstance(i, Tensor) else np.asarray(i)
            picked.append((int(np.count_nonzero(where)),) if where.dtype.kind == "b" else where.shape)
    return Estimate(kept * product(left) * product(broadcast(picked) or ()))


def _axes_of(i: Any) -> int:
    """Count the axes of a tensor that one part of an index takes."""
    if i is None or isinstance(i, bool):
        return 0
    a = i._a if isinstance(i, Tensor) else i
    return int(a.ndim) if getattr(getattr(a, "dtype", None), "kind", "") == "b" else 1
