"""Sums in the order in which PyTorch adds: four rows side by side, in blocks, and eight or four lanes across.

Rounding depends on the order. NumPy has another one, so that of the same numbers it makes another last digit.
"""

from __future__ import annotations

from math import isfinite, prod
from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array
from ...flags import threads

_add, _running, _joined = np.add.reduce, np.add.accumulate, np.concatenate
LANES = {F32: 8, F64: 4}


def _has_wide_vectors() -> bool:
    """Tell whether NumPy found a processor with AVX-512, for which PyTorch has kernels of twice the width."""
    found: Any = np.show_config(mode="dicts")
    return not {"X86_V4", "AVX512_SKX"}.isdisjoint(found["SIMD Extensions"]["found"])


WIDE = _has_wide_vectors()

# So many times these lanes is a vector of the kernels for rows; of single precision it has so many numbers.
_VECTORS = 2 if WIDE else 1
VECTOR = 8 * _VECTORS

# Beyond so many elements PyTorch parts the work among threads.
UNSHARED = 1 << 15
# Beyond so many of single precision a last digit is not worth the passes, and of rows so short that passes take long.
# Of double precision, which shows none, as many are followed as one thread adds.
_MOST, _MOST_OF_SHORT, _SHORT = 1 << 22, 1 << 18, 64

_BLOCK = 16

# Up to so many terms every order is one after the other.
_NEVER_REORDERED = 4

# Fewer than eight elements NumPy adds one after another: they need only be in order.
_FEW = {n: np.array([0, *range(4, n), 1, 2, 3]) for n in range(5, 8)}


def total(a: Array) -> Array:
    """The sum of all elements."""
    if a.size >= 5 and follows(a):
        if a.flags.c_contiguous:
            return _by_threads(a.reshape(-1))
        if a.flags.f_contiguous:
            return _by_threads(a.T.reshape(-1))
        if a.size <= UNSHARED:
            return _by_rows(a)
    return _add(a, None)


def _by_rows(a: Array) -> Array:
    """The sum of what has gaps in memory: of rows as long as equal steps lead, one row after the other."""
    a = a.squeeze()
    a = a.transpose(np.argsort(a.strides, kind="stable")[::-1])
    step, row = a.strides[-1], a.shape[-1]
    if step <= 0:
        return _add(a, None)
    for further, n in zip(a.strides[-2::-1], a.shape[-2::-1], strict=True):
        if further != step * row:
            break
        row *= n
    rows = a.reshape(-1, row)
    in_vectors = step == a.itemsize and row >= LANES[a.dtype]
    return _running(along(rows) if in_vectors else lane_sums(rows, 1)[:, 0])[-1]


def follows(a: Array) -> bool:
    """Tell whether the sum of all elements is added in PyTorch's order."""
    return a.dtype in LANES and a.size <= (_MOST if LANES[a.dtype] == 8 else UNSHARED)


def _by_threads(x: Array) -> Array:
    """The sum of a vector, of which each thread adds a part."""
    n = x.size
    parts = min(threads(), -(-n // UNSHARED)) if n > UNSHARED else 1
    if parts == 1:
        return along(x)
    part = -(-n // parts)
    sums = np.zeros(threads(), x.dtype)
    for i in range(parts):
        sums[i] = along(x[i * part : (i + 1) * part])
    return along(sums)


def along(x: Array) -> Array:
    """The sum along the last axis, of each row as ``total`` has it."""
    n = x.shape[-1]
    lanes = LANES.get(x.dtype, 0)
    if n < 5 or not lanes or (n > UNSHARED and lanes < 8) or x.size > (_MOST if n >= _SHORT else _MOST_OF_SHORT):
        return _add(x, -1)
    if n < lanes:
        return _add(x.take(_FEW[n], -1), -1)
    whole = n - n % lanes
    across = lane_sums(x[..., :whole], lanes)
    if n > whole:
        across = _joined((x[..., whole:], across), -1)
    return _add(across, -1) if across.shape[-1] < 8 else in_turn(across)


def in_turn(x: Array) -> Array:
    """The sum along the last axis, one after the other."""
    if x.size < 512:
        return _running(x, -1)[..., -1][()]
    r = x[..., 0] + x[..., 1]
    for i in range(2, x.shape[-1]):
        r += x[..., i]
    return r


def _down(a: Array) -> Array:
    """The sum over the last axis but one, one after the other: of short rows, NumPy has a faster way."""
    if a.size < 4096 or a.shape[-1] > 64 or not a.flags.c_contiguous:
        return _add(a, -2)
    *lead, count, width = a.shape
    return np.einsum("ijk->ik", a.reshape(-1, count, width)).reshape(*lead, width)


def over(a: Array, axes: tuple[int, ...]) -> Array | None:
    """The sum over axes of an array laid out row by row, as PyTorch adds; else None."""
    lanes = LANES.get(a.dtype, 0)
    if not 0 < a.size <= _MOST or not follows(a):
        return None
    if a.ndim == len(axes) == 1:
        return total(a)
    if a.ndim == 2 and len(axes) == 1 and a.strides[0] > a.strides[1] == a.itemsize:
        if a.shape[axes[0]] <= _NEVER_REORDERED:
            return None
        if a.shape[axes[0]] == a.size:
            return _by_threads(a.reshape(-1)).reshape(1)
        if axes[0] in (1, -1):
            return along(a)
        return columns(a[None], lanes)[0]
    axes = tuple(sorted([axis % a.ndim for axis in axes]))
    first, last = axes[0], axes[-1] + 1
    if last - first != len(axes):
        return _over_groups(a, axes)
    size = a.shape
    if not a.flags.c_contiguous:
        if axes == (a.ndim - 1,) and min(a.strides) == a.strides[-1] == a.itemsize:
            return along(a)
        if a.ndim != 2 or not a.flags.f_contiguous:
            return None
        # What is read is the memory, not the order of the axes.
        a = a.T
        if len(axes) == 1:
            first, last = 1 - first, 2 - first
    below = prod(a.shape[last:])
    terms = prod(a.shape[first:last])
    if terms <= _NEVER_REORDERED:
        return None
    if terms == a.size:
        r = _by_threads(a.reshape(-1))
    else:
        r = along(a.reshape(-1, terms)) if below == 1 else columns(a.reshape(-1, terms, below), lanes)
    return r.reshape(size[: axes[0]] + size[axes[-1] + 1 :])


def _over_groups(a: Array, axes: tuple[int, ...]) -> Array | None:
    """The sum over axes with others between: over the last that follow each other, then of those sums in order."""
    if not a.flags.c_contiguous:
        return None
    left = [n for axis, n in enumerate(a.shape) if axis not in axes]
    long = [axis for axis, n in enumerate(a.shape) if n > 1]
    axes = tuple([i for i, axis in enumerate(long) if axis in axes])
    a = a.reshape([a.shape[axis] for axis in long])
    if not axes:
        return a.reshape(left)
    last = first = axes[-1] + 1
    while first - 1 in axes:
        first -= 1
    outer = axes[: first - last]
    if not outer:
        r = over(a, axes)
        return (_add(a, axes) if r is None else r).reshape(left)
    size = a.shape
    below, terms = prod(size[last:]), prod(size[first:last])
    # Columns are not taken in groups here.
    r = along(a.reshape(-1, terms)) if below == 1 else lane_sums(a.reshape(-1, terms * below), below)
    r = r.reshape(size[:first] + size[last:])
    r = r.transpose(*outer, *[axis for axis in range(r.ndim) if axis not in outer])
    return _running(r.reshape(prod(r.shape[: len(outer)]), -1), 0)[-1].reshape(left)


def columns(x: Array, lanes: int) -> Array:
    """The sum of each column: of whole groups of columns row after row, of what is left by every fourth row."""
    *_, rows, width = x.shape
    group = 4 * lanes if width >= lanes else 4
    whole = width - width % group
    if not whole:
        return lane_sums(x.reshape(-1, rows * width), width)
    parts = x[..., :whole] if whole < width else x
    sums = _add(parts, -2) if rows <= _BLOCK else _blocks(parts)
    if whole == width:
        return sums
    left = x[..., whole:].reshape(-1, rows * (width - whole))
    return _joined((sums, lane_sums(left, width - whole)), -1)


def in_vectors(x: Array, width: int = 0) -> Array:
    """The sum along the last axis as PyTorch's kernels for rows add: vector by vector."""
    width = width or _VECTORS * LANES.get(x.dtype, 0)
    n = x.shape[-1]
    if not width or x.size > (_MOST if x.dtype.itemsize == 4 else UNSHARED):
        return _add(x, -1)
    if n < width:
        return _add(x, -1) if n < 8 else _running(x, -1)[..., -1]
    whole = n - n % width
    across = _whole_vectors(x[..., :whole], width)
    if whole < n:
        across[..., : n - whole] += x[..., whole:]
    return halved(across)


def products_in_vectors(a: Array, b: Array, width: int = 8) -> Array:
    """The same of products of single precision: of those that fill no vector each is added in one rounding."""
    n = a.shape[-1]
    left = n % width
    if not left or n < width or a.size > _MOST:
        return in_vectors(a * b, width)
    whole = n - left
    across = _whole_vectors(a[..., :whole] * b[..., :whole], width)
    some = across[..., :left]
    np.add(np.multiply(a[..., whole:], b[..., whole:], dtype=np.float64), some, some, casting="same_kind")
    return halved(across)


def _whole_vectors(x: Array, width: int) -> Array:
    return _down(x.reshape(*x.shape[:-1], x.shape[-1] // width, width))


def halved(across: Array) -> Array:
    """The sum of the lanes of a vector: one half and the other, and so on."""
    width = across.shape[-1]
    while width > 1:
        width //= 2
        across = across[..., :width] + across[..., width:]
    return across[..., 0]


def by_sixteens(a: Array, used: Array | None = None) -> Array:
    """The sum of those used as PyTorch's loss of classes adds: the first number last, the others in blocks of 16."""
    if used is not None and not used.all():
        return _some_by_sixteens(a[used], np.flatnonzero(used))
    total, rest = 0, a[1:]
    while rest.size:
        whole = rest.size - rest.size % _BLOCK
        if whole < rest.size:
            total = _running(rest[whole:])[-1] + total
        rest = _running(rest[:whole].reshape(-1, _BLOCK), -1)[:, -1]
    return total + a[0]


def _some_by_sixteens(a: Array, places: Array) -> Array:
    """The same of those in these places alone: where a block would end in another place, it goes on."""
    total = a.dtype.type(0)
    while a.size > 1:
        ends = np.flatnonzero(places % _BLOCK == 0)
        begun = np.concatenate(([0], ends + 1))
        if begun[-1] < a.size:
            total = total + _running(a[begun[-1] :])[-1]
        if not ends.size:
            return total
        lengths = (ends + 1 - begun[:-1])[:, None]
        inside = np.arange(lengths.max())
        rows = np.where(inside < lengths, a.take(begun[:-1, None] + inside, mode="clip"), 0)
        a, places = _running(rows, -1)[:, -1], places[ends] // _BLOCK
    return total + a[0] if a.size else total


def squares_of_rows(x: Array) -> Array:
    """The sum of squares along the last axis as PyTorch's norm adds: eight lanes, then what is left."""
    n = x.shape[-1]
    by_lanes, by_fours = n - n % 8, n - n % 4
    squares = x * x
    parts = squares[..., by_lanes:by_fours]
    if by_lanes:
        lanes = _add(squares[..., :by_lanes].reshape(*x.shape[:-1], -1, 8), -2)
        parts = _joined((lanes, parts), -1) if by_fours > by_lanes else lanes
    return _with_last_squares(parts, x, by_fours)


def squares_in_turn(x: Array) -> Array:
    """The sum of squares along the last axis as PyTorch's distances add: one after the other."""
    by_fours = x.shape[-1] - x.shape[-1] % 4
    return _with_last_squares(x[..., :by_fours] * x[..., :by_fours], x, by_fours)


def _with_last_squares(squares: Array, x: Array, begun: int) -> Array:
    """The sum of squares in turn, and of the last few numbers, whose squares are each added in one rounding."""
    total: Any = in_turn(squares) if squares.shape[-1] else x.dtype.type(0)
    for i in range(begun, x.shape[-1]):
        total = (np.square(x[..., i], dtype=np.float64) + total).astype(x.dtype)
    return total


def sum_of_squares(v: Array) -> Array:
    """The sum of squares of a vector as PyTorch's norm of a whole tensor adds."""
    if v.dtype.itemsize == 4:
        return squares_of_rows(v)
    whole = v.size - v.size % 4
    squares = v[:whole] * v[:whole]
    total = float(_running(_add(squares.reshape(-1, 4), 0), -1)[-1])
    for number in v[whole:].tolist():
        total = _plus_square(total, number)
    return v.dtype.type(total)


# Halves of a double are kept apart by it: their products are exact.
_HALVING = 2.0**27 + 1


def _plus_square(total: float, x: float) -> float:
    """``total + x * x`` in one rounding."""
    square = x * x
    upper = x * _HALVING - (x * _HALVING - x)
    lower = x - upper
    rest = upper * upper - square + 2 * upper * lower + lower * lower
    found = total + square
    added = found - total
    exact = found + (total - (found - added) + (square - added) + rest)
    # Infinity is no number that could be taken apart.
    return exact if isfinite(exact) else found


def lane_sums(x: Array, lanes: int) -> Array:
    """The sum of each lane: of every fourth row by itself first."""
    group = 4 * lanes
    *lead, n = x.shape
    count = n // group
    if count:
        begun = group * count
        parts = x[..., :begun]
        if count > 1:
            parts = parts.reshape(*lead, count, group)
            parts = _down(parts) if count < _BLOCK else _blocks(parts)
        x = _joined((parts[..., :lanes], x[..., begun:], parts[..., lanes:]), -1) if n > begun else parts
    return _down(x.reshape(*lead, x.shape[-1] // lanes, lanes))


def _blocks(a: Array) -> Array:
    """The sum of each column: by blocks of rows, then by blocks of blocks."""
    sums = None
    *lead, count, width = a.shape
    while count:
        blocks, rest = divmod(count, _BLOCK)
        if rest:
            left = _add(a[..., count - rest :, :], -2)
            sums = left if sums is None else sums + left
        a = a[..., : count - rest, :].reshape(*lead, blocks, _BLOCK, width)
        a = _down(a)
        count = blocks
    return sums


# -- inner products --------------------------------------------------------------------------------

# From so many bytes of products on two threads take a half each.
_SHARED = 1 << 15


def inner(a: Array, b: Array) -> Array:
    """The inner product of two vectors as PyTorch's library has it on processors of AMD.

    In single precision four vectors of four lanes take sixteen products in turn, each rounded by itself; what is left
    goes to the first two, to the first, and to its first lane. What stands before a place that memory is read at whole
    goes there, too.
    """
    n = a.size
    kind = a.dtype.char
    if kind not in "fd" or b.dtype.char != kind or not 1 < n <= _MOST:
        return a.dot(b)
    part = _of_part if kind == "f" else _of_doubles
    if a.nbytes < _SHARED or threads() == 1:
        return part(a, b)
    if threads() > 2:
        return a.dot(b)
    half = n - n // 2
    return part(a[:half], b[:half]) + part(a[half:], b[half:])


def _of_doubles(a: Array, b: Array) -> Array:
    """Four vectors of two lanes take eight products in turn; what is left, and one before an aligned place, the first.

    Of numbers that do not stand beside each other one vector takes all.
    """
    products = a * b
    n = products.size
    if a.strides[0] != 8 or b.strides[0] != 8:
        return _running(products[::2])[-1] + _running(products[1::2])[-1]
    begin = place(b)
    if begin:
        products[1] += products[0]
    left = n - (n - begin) % 8
    lanes, *others = _add(products[begin:left].reshape(-1, 4, 2), 0)
    for i in range(left, n - 1, 2):
        lanes += products[i : i + 2]
    if (n - left) % 2:
        lanes[0] += products[-1]
    for each in others:
        lanes += each
    return lanes[0] + lanes[1]


def _of_part(a: Array, b: Array) -> Array:
    products = a * b
    n = products.size
    if n < 4 or a.strides[0] != 4 or b.strides[0] != 4:
        return _running(products)[-1]
    of_b = place(b)
    begin = -of_b % 4
    if n - begin < 4:
        return _running(products)[-1]
    if begin:
        products[begin] += _running(products[:begin])[-1]
    left = n - (n - begin) % 16
    if of_b != place(a):
        # They never are at such a place together: there is just one vector.
        left = begin + 4
        lanes = products[begin:left]
    elif n - begin < 8:
        left = begin + 4
        lanes = products[begin:left]
        if n - left >= 4:
            lanes += products[left : left + 4]
            left += 4
    else:
        sums = _add(products[begin:left].reshape(-1, 4, 4), 0)
        if n - left >= 8:
            sums[:2] += products[left : left + 8].reshape(2, 4)
            left += 8
        if n - left >= 4:
            sums[0] += products[left : left + 4]
            left += 4
        for i in range(left, n):
            sums[0, 0] += products[i]
        left = n
        lanes = _add(sums, 0)
    for i in range(left, n):
        lanes[0] += products[i]
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


def place(a: Array) -> int:
    """Where an array begins among the numbers that memory is read by sixteen bytes; one of its own begins the first."""
    return 0 if a.base is None else int(a.__array_interface__["data"][0]) % 16 // a.itemsize
