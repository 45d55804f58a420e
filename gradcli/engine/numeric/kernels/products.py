"""Products of float matrices that round as PyTorch's do, on processors whose kernels are known; else as NumPy's.

PyTorch multiplies by MKL. On processors of AMD that has one kernel for matrices, which adds one term after the other,
each multiplied and added in one rounding, and others for products with few rows or columns, which round every product
by itself and partly add in four lanes.
"""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np

from ...dtypes import F32, F64, Array
from ...flags import threads
from .chains import in_one_chain
from .few import by_columns, each_of_few, of_few, rows_by_vector

ndarray = np.ndarray
_add, _running, _zeros = np.add.reduce, np.add.accumulate, np.zeros

# Products of so many rows and of so many columns go to the kernel for matrices.
_ROWS, _COLUMNS = 4, 12

# Of fewer rows than these the second of two threads has too few for that kernel.
_SHARED = 12

# So many terms that kernel adds up before it adds them to the result.
_TERMS = 192

# Of more multiplications than these, what it takes to follow PyTorch is felt: those of BLAS, those of NumPy, and those
# of NumPy for a single row.
_MOST, _MOST_OF_FEW, _MOST_OF_ONE = 1 << 28, 1 << 22, 1 << 20


def _is_amd() -> bool:
    """Tell whether the processor says that AMD made it, where the system tells so in a file or a variable."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as told:
            return "AuthenticAMD" in told.read(200)
    except OSError:
        return "AuthenticAMD" in os.environ.get("PROCESSOR_IDENTIFIER", "")


follows = _is_amd()

# Of so many columns the products of all with all are a cheap way to those of each with its own.
_AT_ONCE = 64


def product(a: Array, b: Array, added: Array | None = None, beyond: int = 0) -> Array:
    """The product of two matrices, and ``added`` when given.

    PyTorch writes it so many elements ``beyond`` an aligned place.
    """
    if follows and type(a) is ndarray and type(b) is ndarray and a.dtype is F32 and b.dtype is F32:
        (m, k), (terms, n) = a.shape, b.shape
        count = m * k * n
        if k == terms and k > 1 and 0 < count <= _MOST:
            if added is not None and added.shape != (n,):
                added = np.broadcast_to(added, (m, n))
            if of_matrices(a, b):
                if m % _ROWS and _ROWS < m < _SHARED and (k > 16 or (n > 16 and k > 4)) and threads() == 2:
                    return _shared(a, b, added, beyond)
                return _fused(a, b, added)
            if count <= (_MOST_OF_FEW if m > 1 else _MOST_OF_ONE):
                return of_few(a, b, added, beyond=beyond)
    if follows and type(a) is ndarray and type(b) is ndarray and a.dtype is F64 and b.dtype is F64:
        (m, k), (terms, n) = a.shape, b.shape
        if k == terms and k > 1 and 0 < m * k * n <= _MOST_OF_FEW:
            from .doubles import product_of_doubles

            return product_of_doubles(a, b, added, beyond)
    if added is None and a.shape[1] == 1 == len(b) and len(a) > 1 and b.shape[1] > 1:
        # One term is no sum: MKL writes it as it is, and a zero keeps its sign.
        return a * b
    r = a.dot(b)
    return r if added is None else np.add(r, added, r)


def of_vector(a: Array, v: Array) -> Array:
    """The product of a matrix and a vector."""
    if follows and a.ndim == 2 and v.ndim == 1 and a.size and a.dtype is v.dtype and (a.dtype is F32 or a.dtype is F64):
        if len(a) == 1 < a.size <= _MOST_OF_ONE:
            return rows_by_vector(a, v)
        return product(a, v[:, None])[:, 0]
    return a.dot(v)


def of_matrices(a: Array, b: Array) -> bool:
    """Tell whether a product has so many rows and columns that the kernel for matrices computes it."""
    return bool(a.shape[-2] >= _ROWS and b.shape[-1] >= _COLUMNS)


def stacked(a: Array, b: Array, added: Array | None = None, beyond: int = 0) -> Array:
    """The products of two stacks of matrices that BLAS can read where they are, and ``added`` when given.

    PyTorch writes each of them so many elements ``beyond`` an aligned place.
    """
    if follows and a.dtype is b.dtype and (a.dtype is F32 or a.dtype is F64):
        (m, k), n = a.shape[-2:], b.shape[-1]
        count = a.size * n
        if k > 1 and 0 < count <= _MOST:
            if a.dtype is F32 and of_matrices(a, b):
                return _fused(a, b, added)
            if count <= _MOST_OF_FEW and a.ndim == 3:
                if of_matrices(a, b):
                    if len(a) <= _AT_ONCE:
                        from .doubles import of_tiles

                        return np.stack(
                            [
                                of_tiles(x, b[i], None if added is None else added[i], beyond + i * m * n, n)
                                for i, x in enumerate(a)
                            ]
                        )
                elif m > 1 or n == 1 or not by_columns(b[0]):
                    return each_of_few(a, b, added, beyond)
                else:
                    r = np.stack([rows_by_vector(columns.T, row) for (row,), columns in zip(a, b, strict=True)])
                    r = r.reshape(len(r), 1, -1)
                    return r if added is None else r + added
    r = np.matmul(a, b)
    return r if added is None else np.add(r, added, r)


# -- the kernel for matrices -------------------------------------------------------------------


def _fused(a: Array, b: Array, added: Array | None) -> Array:
    """Blocks of terms, those of each added in one rounding."""
    k = a.shape[-1]
    if k <= _TERMS:
        r = in_one_chain(a, b)
        return np.ascontiguousarray(r) if added is None else r + added
    r = added
    for first, last in _blocks(k):
        part = in_one_chain(a[..., first:last], b[..., first:last, :])
        r = part if r is None else part + r
    return r


def of_columns(a: Array, b: Array | None = None) -> Array:
    """The sum of each column, or of its products with another, each added in one rounding.

    Threads share the rows; what they found is added in double precision.
    """
    step = -(-len(a) // threads())
    shares = [slice(i, i + step) for i in range(0, len(a), step)]
    if b is None:
        parts = [_add(a[share], 0) for share in shares]
    else:
        parts = [_of_columns(a[share], b[share]) for share in shares]
    return _add(parts, 0, np.float64)


def _of_columns(a: Array, b: Array) -> Array:
    """The diagonal of the products of all columns with all, of some columns and rows at a time."""
    rows, columns = a.shape
    width = -(-columns // -(-columns // _AT_ONCE))
    if width < columns:
        groups = [slice(i, i + width) for i in range(0, columns, width)]
        return np.concatenate([_of_columns(a[:, some], b[:, some]) for some in groups])
    total = in_one_chain(a[:_TERMS].T, b[:_TERMS]).diagonal()
    for begun in range(_TERMS, rows, _TERMS):
        # The sum so far comes first.
        left = np.concatenate((total[None], a[begun : begun + _TERMS]))
        right = np.concatenate((np.ones((1, columns), F32), b[begun : begun + _TERMS]))
        total = in_one_chain(left.T, right).diagonal()
    return total


def _blocks(terms: int) -> list[tuple[int, int]]:
    """Where blocks of terms start and end; what is less than two blocks is parted in halves."""
    if terms < 2 * _TERMS:
        half = terms // 2
        cuts = [0, half, 2 * half]
    else:
        cuts = [*range(0, terms, _TERMS)]
    if cuts[-1] < terms:
        cuts.append(terms)
    return list(pairwise(cuts))


def _shared(a: Array, b: Array, added: Array | None, beyond: int) -> Array:
    """The first rows as the kernel for matrices has them, the others as that for few has."""
    whole = len(a) - len(a) % _ROWS
    first, last = (added[:whole], added[whole:]) if added is not None and added.ndim > 1 else (added, added)
    return np.concatenate((_fused(a[:whole], b, first), of_few(a[whole:], b, last, True, beyond)))
