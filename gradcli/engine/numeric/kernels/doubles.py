"""Products of double matrices as PyTorch's library has them on processors of AMD.

Its kernel for matrices has tiles of four rows and twelve columns, in which a sum is one chain however long it is.
Around them are the kernels for few rows or columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import Array
from ...flags import threads
from .chains import of_doubles as in_one_chain
from .few import by_columns, in_lanes_of_rows, laned, of_few, one_by_one, rows_by_vector
from .sums import place

# Tiles have so many rows and so many columns.
_ROWS, _COLUMNS = 4, 12


def product_of_doubles(a: Array, b: Array, added: Array | None, beyond: int) -> Array:
    """The product of two matrices: of two threads each has some columns, in whole tiles, unless rows are many more."""
    m, k = a.shape
    n = b.shape[1]
    cut = -(-n // (2 * _COLUMNS)) * _COLUMNS
    if cut < n and m <= 2 * n and (k > 16 or m > 16 or (n > 16 and k > 4)) and threads() == 2 and m > 1:
        parts = (slice(0, cut), slice(cut, n))
        every = slice(m)
        return np.concatenate([of_tiles(a, b[:, i], _of_part(added, every, i), beyond, n) for i in parts], 1)
    return of_tiles(a, b, added, beyond, n) if has_tiles(a, b) else of_few(a, b, added, beyond=beyond)


def of_tiles(a: Array, b: Array, added: Array | None, beyond: int, row: int) -> Array:
    """Tiles of the kernel for matrices, each sum of them in one rounding a term, and around them that for few."""
    m, n = len(a), b.shape[1]
    if not has_tiles(a, b):
        return _last_columns(a, b, added, beyond, row)
    rows, columns = m - m % _ROWS, n - n % _COLUMNS
    r = np.empty((m, n))
    r[:rows, :columns] = _of_whole_tiles(a[:rows], b[:, :columns], _of_part(added, slice(rows), slice(columns)))
    if columns < n:
        some = slice(columns, n)
        part = _of_part(added, slice(rows), some)
        r[:rows, some] = _last_columns(a[:rows], b[:, some], part, beyond, row)
    if rows < m:
        part = _of_part(added, slice(rows, m), slice(n))
        r[rows:] = _last_rows(a[rows:], b, part, beyond, row)
    return r


def _of_whole_tiles(a: Array, b: Array, added: Array | None) -> Array:
    """The kernel for matrices; what is added to each column is its first term."""
    if added is not None and added.ndim == 1:
        return in_one_chain(np.concatenate((np.ones((len(a), 1)), a), 1), np.concatenate((added[None], b)))
    r = in_one_chain(a, b)
    return r if added is None else r + added


def _last_columns(a: Array, b: Array, added: Array | None, beyond: int, row: int) -> Array:
    """Columns fewer than those of a tile, beside tiles or alone for a thread."""
    if not by_columns(b):
        return one_by_one(a[None], b[None], added, beyond, row)[0]
    r = in_lanes_of_rows(b.T[None], a[None], True)[0].T if by_columns(a) else in_lanes_of_rows(a[None], b.T[None])[0]
    return r if added is None else r + added


def _last_rows(a: Array, b: Array, added: Array | None, beyond: int, row: int) -> Array:
    """Rows fewer than those of a tile, beside tiles."""
    if not by_columns(b):
        return one_by_one(a[None], b[None], added, beyond, row, not by_columns(a))[0]
    k, n = b.shape
    columns = n - n % 4 if by_columns(a) else n
    parts = [np.stack([rows_by_vector(b[:, :columns].T, each) for each in a])]
    for column in b[:, columns:].T:
        before = min(k, 2 - place(column))
        parts.append(laned(a.T, column[:, None], before, 8, before + (k - before) // 8 * 8))
    r = np.concatenate(parts, 1)
    return r if added is None else r + added


def _of_part(added: Any, rows: slice, columns: slice) -> Any:
    """Of what is added, that which goes to some rows and columns."""
    return added if added is None else added[columns] if added.ndim == 1 else added[rows, columns]


def has_tiles(a: Array, b: Array) -> bool:
    """Tell whether there are rows and columns enough for a tile."""
    return bool(a.shape[-2] >= _ROWS and b.shape[-1] >= _COLUMNS)
