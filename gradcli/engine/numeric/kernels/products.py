"""Products of float matrices that round as PyTorch's do, on processors whose kernels are known; else as NumPy's.

PyTorch multiplies by MKL. On processors of AMD that has one kernel for matrices, which adds one term after the other,
each multiplied and added in one rounding, and others for products with few rows or columns, which round every product
by itself and partly add in four lanes.
"""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np

from ...dtypes import F32, Array
from ...flags import threads
from .chains import in_one_chain
from .sums import place

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
                return _few(a, b, added, beyond=beyond)
    if added is None and a.shape[1] == 1 == len(b) and len(a) > 1 and b.shape[1] > 1:
        # One term is no sum: MKL writes it as it is, and a zero keeps its sign.
        return a * b
    r = a.dot(b)
    return r if added is None else np.add(r, added, r)


def of_vector(a: Array, v: Array) -> Array:
    """The product of a matrix and a vector."""
    if follows and a.ndim == 2 and v.ndim == 1 and a.dtype is F32 is v.dtype and a.size:
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
    if follows and a.dtype is F32 and b.dtype is F32:
        (m, k), n = a.shape[-2:], b.shape[-1]
        count = a.size * n
        if k > 1 and 0 < count <= _MOST:
            if of_matrices(a, b):
                return _fused(a, b, added)
            if count <= _MOST_OF_FEW and a.ndim == 3:
                if m > 1 or n == 1 or not _by_columns(b[0]):
                    return _each_of_few(a, b, added, beyond)
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


# -- the kernels for few rows or columns -------------------------------------------------------


def _shared(a: Array, b: Array, added: Array | None, beyond: int) -> Array:
    """The first rows as the kernel for matrices has them, the others as that for few has."""
    whole = len(a) - len(a) % _ROWS
    first, last = (added[:whole], added[whole:]) if added is not None and added.ndim > 1 else (added, added)
    return np.concatenate((_fused(a[:whole], b, first), _few(a[whole:], b, last, True, beyond)))


def _few(a: Array, b: Array, added: Array | None, of_matrix: bool = False, beyond: int = 0) -> Array:
    """Every product rounded by itself, in the order of that kernel which goes with the layout of the factors."""
    m, n = len(a), b.shape[1]
    r = None
    if n == 1 and not _by_columns(a) and (m > 1 or _by_columns(b)):
        r = rows_by_vector(a, b[:, 0]).reshape(m, 1)
    elif n > 1 and m == 1 and not of_matrix and _by_columns(b):
        r = rows_by_vector(b.T, a[0])[None]
    if r is None:
        return _each_of_few(a[None], b[None], added if added is None or added.ndim == 1 else added[None], beyond)[0]
    return r if added is None else r + added


def _each_of_few(a: Array, b: Array, added: Array | None, beyond: int) -> Array:
    """The same for each of some matrices, which are laid alike; what is added comes first where terms do in order."""
    if not _by_columns(b[0]):
        return _one_by_one(a, b, added, beyond)
    in_lanes = b.shape[2] > 1 and not _by_columns(a[0])
    r = _in_lanes(a, b.swapaxes(1, 2)) if in_lanes else _one_by_one(a, b, None, beyond)
    return r if added is None else r + added


def _by_columns(a: Array) -> bool:
    """Tell whether the elements of each column stand beside each other, and those of each row do not."""
    across, along = a.strides
    return bool(across == a.itemsize and along >= max(len(a), 2) * a.itemsize)


def _one_by_one(a: Array, b: Array, added: Array | None = None, beyond: int = 0) -> Array:
    """One term after the other; what is added to each column comes first."""
    count, m, k = a.shape
    n = b.shape[2]
    if added is None:
        r = in_order(a.transpose(2, 0, 1), b.swapaxes(0, 1))
    elif added.ndim == 1:
        first = np.broadcast_to(added, (1, count, n))
        r = in_order(
            np.concatenate((np.ones((1, count, m), F32), a.transpose(2, 0, 1))),
            np.concatenate((first, b.swapaxes(0, 1))),
        )
    else:
        r = added
        for i in range(k):
            r = r + a[:, :, i, None] * b[:, i, None]
    if n > 4 and (n % 4 or beyond % 4) and k >= 8 and not _by_columns(b[0]):
        # The elements of a row before the first that is aligned have a loop of their own, that takes eight terms.
        step = 1 if n % 4 == 0 else 2 if n % 2 == 0 else 4
        rows = r.reshape(-1, n)
        for i in range(min(len(rows), step)):
            before = -(beyond + i * n) % 4
            if before and n - before >= 4:
                at = np.arange(i, len(rows), step)
                terms = (a.reshape(-1, k)[at, :, None] * b[at // m, :, :before]).swapaxes(0, 1)
                if added is not None:
                    terms[0] += np.broadcast_to(added, r.shape).reshape(-1, n)[at, :before]
                rows[at, :before] = _running(_by_eights(terms), 0)[-1]
    return r


def in_order(a: Array, b: Array) -> Array:
    """The sums of the products of all columns of one and of the other, one term after the other."""
    if a.shape[-1] == b.shape[-1] == 1:
        found: Array = _running(a * b, 0)[-1]
        return found.reshape(*found.shape, 1)
    if b.shape[-1] < a.shape[-1]:
        return in_order(b, a).swapaxes(-1, -2).copy()
    # In each of einsum's inner loops several sums have one more term: the last axis has to be the longer one.
    return np.einsum("k...m,k...n->...mn", np.ascontiguousarray(a), np.ascontiguousarray(b))


def _by_eights(terms: Array) -> Array:
    """Of each eight terms the last four summed up."""
    whole = len(terms) - len(terms) % 8
    eights = terms[:whole].reshape(-1, 8, *terms.shape[1:])
    last = _running(eights[:, 4:], 1)[:, -1:]
    joined = np.concatenate((eights[:, :4], last), 1).reshape(-1, *terms.shape[1:])
    return np.concatenate((joined, terms[whole:]))


def _in_lanes(a: Array, b: Array) -> Array:
    """The inner products of rows, in four lanes from where the row of ``a`` is aligned; of some columns in eight."""
    _, m, k = a.shape
    if m * k % 4 and len(a) > 1:
        return np.concatenate([_in_lanes(a[i : i + 1], b[i : i + 1]) for i in range(len(a))])
    n = b.shape[1]
    whole = n - n % 4
    unaligned = place(a)
    kinds = 1 if k % 4 == 0 else 2 if k % 2 == 0 else 4
    r = np.empty((len(a), m, n), F32)
    columns = b.transpose(2, 0, 1)
    for i in range(min(kinds, m)):
        before = min(-(unaligned + i * k) % 4, k)
        rows = np.ascontiguousarray(a[:, i::kinds].transpose(2, 0, 1))
        if whole:
            r[:, i::kinds, :whole] = _laned(rows, columns[..., :whole], before, 4)
        if whole < n:
            r[:, i::kinds, whole:] = _laned(rows, columns[..., whole:], before, 8)
    return r


def rows_by_vector(a: Array, v: Array) -> Array:
    """The inner products of rows and a vector: four rows at once, and each of the last ones by itself.

    Lanes begin behind an element that is aligned: of the last of four rows, or of the vector.
    """
    m, k = a.shape
    whole = m - m % 4
    parts = []
    if whole:
        parts.append(_laned(a[:whole].T, v[:, None], (-(place(a) + 3 * a.strides[0] // 4) - 1) % 4 + 1, 4))
    if whole < m:
        before = min(k, 4 - place(v))
        lanes = 8
        for i in range(whole, m):
            parts.append(_laned(a[i : i + 1].T, v[:, None], before, lanes, before + (k - before) // 8 * 8))
            lanes = 12 - lanes
    return (parts[0] if len(parts) == 1 else np.concatenate(parts))[:, 0]


def _laned(a: Array, b: Array, before: int, lanes: int, end: int | None = None) -> Array:
    """The inner products of columns: some terms one after the other, then in lanes, then what is left in order."""
    k = len(a)
    count = max((k if end is None else end) - before, 0) // lanes
    if not count:
        return in_order(a, b)
    end = before + count * lanes
    if a.ndim == 2 and b.shape[1] == 1:
        return _laned_with_one(a, b, before, lanes, end)
    sums = in_order(_lanes_of(a, before, end, lanes), _lanes_of(b, before, end, lanes))
    while lanes > 1:
        lanes //= 2
        sums = sums[:lanes] + sums[lanes:]
    r = sums[0]
    for i in range(end, k):
        r = r + a[i][..., :, None] * b[i][..., None, :]
    return r


def _laned_with_one(a: Array, b: Array, before: int, lanes: int, end: int) -> Array:
    """The same of columns and one other column: all products are made at once, and added where they are."""
    terms = np.multiply(a, b, order="C")
    alone = terms.shape[1] == 1
    if before:
        first = terms[0]
        for i in range(1, before):
            first += terms[i]
        terms[before] += first
        if alone:
            # The other lanes begin with a zero.
            terms[before + 1 : before + lanes] += 0
    sums = _add(terms[before:end].reshape(-1, lanes, terms.shape[1]), 0, initial=None if alone else 0)
    while lanes > 1:
        lanes //= 2
        sums = sums[:lanes] + sums[lanes:]
    r: Array = sums[0]
    for i in range(end, len(terms)):
        r += terms[i]
    return r[:, None]


def _lanes_of(a: Array, before: int, end: int, lanes: int) -> Array:
    """Rows in groups of so many; each of the first ones alone in one that has else zeros."""
    groups = a[before:end].reshape(-1, lanes, *a.shape[1:])
    if not before:
        return groups
    r = _zeros((before + len(groups), *groups.shape[1:]), F32)
    r[:before, 0] = a[:before]
    r[before:] = groups
    return r
