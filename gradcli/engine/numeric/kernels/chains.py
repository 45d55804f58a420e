"""Products of float matrices whose terms are added one after the other, as NumPy's BLAS can be brought to add them.

Its kernels for AVX-512 do so of themselves. The others do in some of their tiles, up to so many terms; elsewhere they
add small groups of terms first.
"""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, Array
from .sums import WIDE

ndarray = np.ndarray
_zeros = np.zeros

# BLAS has tiles of so many rows, and of so many columns; of fewer columns and rows it adds all terms in order.
_TILE, _WIDTH = 12, 8
_LEFT_OVER = 3

# More columns BLAS parts in blocks, each with tiles of its own; more multiplications it shares among threads.
_WIDEST, _ALONE = 304, 1 << 18

# So many terms of doubles BLAS adds up before it adds them to the result.
_LONGEST_OF_DOUBLES = 256

# As many elements as are copied to stand amid zeros at once.
_AT_ONCE = 1 << 20


def _adds_in_order_everywhere() -> bool:
    """Tell whether NumPy's BLAS has kernels for AVX-512, which add one term after the other in every tile.

    It has none for some processors with AVX-512. In other kernels small terms meet before they come to a large one.
    """
    if not WIDE:
        return False
    terms = np.full((_WIDTH, 4), 2.0**-24, F32)
    terms[0] = 1
    return bool((terms.T @ np.ones((_WIDTH, _WIDTH), F32) == 1).all())


_IN_EVERY_TILE = _adds_in_order_everywhere()

# Of longer sums BLAS adds the terms in parts, but with AVX-512 not up to so many multiplications.
LONGEST, MANY = 384 if _IN_EVERY_TILE else 320, 10**6


def in_one_chain(a: Array, b: Array) -> Array:
    """The product of matrices, each term added to those before in one rounding, as BLAS can be brought to do it."""
    # It has kernels of their own for one row or column.
    if a.shape[-2] == 1:
        return in_one_chain(np.repeat(a, 2, -2), b)[..., :1, :]
    if b.shape[-1] == 1:
        return in_one_chain(a, np.repeat(b, 2, -1))[..., :1]
    multiply = ndarray.dot if a.ndim == 2 else np.matmul
    if _IN_EVERY_TILE:
        # Where the columns of the first factor stand in memory one by one.
        return multiply(np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2), b)
    return _in_tiles(a, b) if a.size and b.size else multiply(a, b)


def of_doubles(a: Array, b: Array) -> Array:
    """The same of doubles, of a multiple of four rows and more than one column: so in the tiles of all kernels."""
    m, k = a.shape
    r = np.ascontiguousarray(a[:, :_LONGEST_OF_DOUBLES].T).T.dot(b[:_LONGEST_OF_DOUBLES])
    if k <= _LONGEST_OF_DOUBLES:
        return r
    if not np.isfinite(r).all():
        return a.dot(b)
    # The sum so far makes the first terms of a longer one, for four rows at once.
    for begun in range(_LONGEST_OF_DOUBLES, k, _LONGEST_OF_DOUBLES - 4):
        some = slice(begun, begun + _LONGEST_OF_DOUBLES - 4)
        left = a[:, some].reshape(m // 4, 4, -1).swapaxes(1, 2)
        left = np.concatenate((np.broadcast_to(np.eye(4), (m // 4, 4, 4)), left), 1).swapaxes(1, 2)
        right = np.broadcast_to(b[some], (m // 4, *b[some].shape))
        r = np.matmul(left, np.concatenate((r.reshape(m // 4, 4, -1), right), 1)).reshape(m, -1)
    return r


def _in_tiles(a: Array, b: Array) -> Array:
    """The same where BLAS does so in some tiles only: the factors are put among zeros, so that it has none but those.

    Products are parted until one thread multiplies each of them.
    """
    (m, k), n = a.shape[-2:], b.shape[-1]
    alone = m % _TILE if m % _TILE <= _LEFT_OVER else 0
    if 0 < alone < m:
        return np.concatenate([in_one_chain(a[..., :-alone, :], b), in_one_chain(a[..., -alone:, :], b)], -2)
    terms = min(k, LONGEST)
    margin = _WIDTH if n >= 2 * _WIDTH else 0
    widest = min(_WIDEST, _ALONE // (_TILE * terms) // _WIDTH * _WIDTH - 2 * margin)
    some = max(_AT_ONCE // max(b.size // n, 1) // widest, 1) * widest
    if n > some:
        return np.concatenate([in_one_chain(a, b[..., i : i + some]) for i in range(0, n, some)], -1)
    parts = -(-n // widest)
    tiles = 1 if k > LONGEST else max(_ALONE // (_TILE * terms * (-(-n // parts) + 3 * margin)), 1)
    height = m if m <= _LEFT_OVER else min(tiles * _TILE, m + -m % _TILE)
    if m <= height and parts == 1 and k <= LONGEST:
        multiply = ndarray.dot if a.ndim == 2 else np.matmul
        return multiply(_tall(a, height), _amid(b, margin))[..., :m, margin : margin + n]
    rows = _tall(a, m + -m % height)
    rows = rows.reshape(*a.shape[:-2], -1, 1, height, k)
    columns = _in_parts(b, parts, margin)
    r = _of_tiles(rows, columns)
    if r is None:
        return np.matmul(a, b)
    r = r[..., margin : r.shape[-1] - margin].swapaxes(-2, -3)
    return r.reshape(*r.shape[:-4], -1, r.shape[-2] * r.shape[-1])[..., :m, :n]


def _of_tiles(rows: Array, columns: Array) -> Array | None:
    """The products of factors that are parted; where sums are long and not finite, none."""
    r: Array = np.matmul(rows[..., :LONGEST], columns[..., :LONGEST, :])
    height, k = rows.shape[-2:]
    if k <= LONGEST:
        return r
    if not np.isfinite(r).all():
        return None
    # The sum so far makes the first terms of a longer one.
    once = np.broadcast_to(np.eye(height, dtype=F32), (*rows.shape[:-1], height))
    step = LONGEST - height
    for begun in range(LONGEST, k, step):
        some = columns[..., begun : begun + step, :]
        right = np.concatenate((r, np.broadcast_to(some, (*r.shape[:-2], *some.shape[-2:]))), -2)
        r = np.matmul(np.concatenate((once, rows[..., begun : begun + step]), -1), right)
    return r


def _tall(a: Array, height: int) -> Array:
    """``a`` above rows of zeros, where it has less than so many."""
    *lead, m, k = a.shape
    if m == height or m <= _LEFT_OVER:
        return a
    r = _zeros((*lead, height, k), F32)
    r[..., :m, :] = a
    return r


def _amid(b: Array, margin: int) -> Array:
    """``b`` amid so many columns of zeros, and with as many more as it takes to fill its tiles."""
    if not margin:
        return b
    n = b.shape[-1]
    r = _zeros((*b.shape[:-1], n + -n % _WIDTH + 2 * margin), F32)
    r[..., margin : margin + n] = b
    return r


def _in_parts(b: Array, parts: int, margin: int) -> Array:
    """Columns in so many parts of the same width, each amid columns of zeros."""
    *lead, k, n = b.shape
    if parts == 1:
        return _amid(b, margin)[..., None, None, :, :]
    width = -(-n // (parts * _WIDTH)) * _WIDTH
    r = _zeros((*lead, 1, parts, k, width + 2 * margin), F32)
    for i in range(parts):
        some = b[..., i * width : (i + 1) * width]
        r[..., 0, i, :, margin : margin + some.shape[-1]] = some
    return r


def in_small_parts(a: Array, b: Array) -> Array:
    """The product of matrices whose terms make long sums: so few rows and columns at once that BLAS parts none."""
    (rows, terms), columns = a.shape[-2:], b.shape[-1]
    if not _IN_EVERY_TILE or terms <= LONGEST or rows * terms * columns <= MANY:
        return in_one_chain(a, b)
    if columns >= rows:
        half = columns // 2
        return np.concatenate([in_small_parts(a, b[..., some]) for some in (slice(half), slice(half, None))], -1)
    half = rows // 2
    return np.concatenate([in_small_parts(a[..., some, :], b) for some in (slice(half), slice(half, None))], -2)
