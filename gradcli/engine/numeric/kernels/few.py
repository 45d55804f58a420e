"""Products of few rows or columns: every product rounded by itself, in the order that goes with the factors' layout.

Memory is read by sixteen bytes: as four numbers of single precision or two doubles. Those before a place where such a
piece begins are met by themselves.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from ...dtypes import F64, Array
from .sums import place

_add, _running, _zeros = np.add.reduce, np.add.accumulate, np.zeros


def of_few(a: Array, b: Array, added: Array | None, of_matrix: bool = False, beyond: int = 0) -> Array:
    """Every product rounded by itself, in the order of that kernel which goes with the layout of the factors."""
    m, n = len(a), b.shape[1]
    r = None
    if n == 1 and not by_columns(a) and (m > 1 or by_columns(b)):
        r = rows_by_vector(a, b[:, 0]).reshape(m, 1)
    elif n > 1 and m == 1 and not of_matrix and by_columns(b):
        r = rows_by_vector(b.T, a[0]).reshape(1, n)
    if r is None:
        return each_of_few(a[None], b[None], added if added is None or added.ndim == 1 else added[None], beyond)[0]
    return r if added is None else r + added


def each_of_few(a: Array, b: Array, added: Array | None, beyond: int) -> Array:
    """The same for each of some matrices, which are laid alike; what is added comes first where terms do in order."""
    if not by_columns(b[0]):
        return one_by_one(a, b, added, beyond)
    if b.shape[2] > 1 and not by_columns(a[0]):
        r = in_lanes_of_rows(a, b.swapaxes(1, 2))
    elif b.shape[2] > 1 and a.dtype is F64:
        r = in_lanes_of_rows(b.swapaxes(1, 2), a, True).swapaxes(1, 2)
    elif a.dtype is F64:
        return one_by_one(a, b, added, beyond)
    else:
        r = one_by_one(a, b, None, beyond)
    return r if added is None else r + added


def by_columns(a: Array) -> bool:
    """Tell whether the elements of each column stand beside each other, and those of each row do not."""
    across, along = a.strides
    return bool(across == a.itemsize and along >= max(len(a), 2) * a.itemsize)


def one_by_one(
    a: Array, b: Array, added: Array | None = None, beyond: int = 0, row: int = 0, by_eights: bool = True
) -> Array:
    """One term after the other; what is added to each column comes first."""
    count, m, k = a.shape
    n = b.shape[2]
    if added is None:
        r = in_order(a.transpose(2, 0, 1), b.swapaxes(0, 1))
    elif added.ndim == 1:
        first = np.broadcast_to(added, (1, count, n))
        r = in_order(
            np.concatenate((np.ones((1, count, m), a.dtype), a.transpose(2, 0, 1))),
            np.concatenate((first, b.swapaxes(0, 1))),
        )
    else:
        r = added
        for i in range(k):
            r = r + a[:, :, i, None] * b[:, i, None]
    unit = 16 // a.itemsize
    row = row or n
    if by_eights and n > unit and (row % unit or beyond % unit) and k >= 8 and not by_columns(b[0]):
        # The elements of a row before the first that is aligned have a loop of their own, that takes eight terms.
        step = unit // gcd(row, unit)
        rows = r.reshape(-1, n)
        for i in range(min(len(rows), step)):
            before = -(beyond + i * row) % unit
            if before and n - before >= unit:
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


def in_lanes_of_rows(a: Array, b: Array, in_eight: bool = False) -> Array:
    """The inner products of rows, in four lanes from where the row of ``a`` is aligned; of some columns in eight."""
    _, m, k = a.shape
    unit = 16 // a.itemsize
    if m * k % unit and len(a) > 1:
        return np.concatenate([in_lanes_of_rows(a[i : i + 1], b[i : i + 1], in_eight) for i in range(len(a))])
    n = b.shape[1]
    whole = 0 if in_eight else n - n % 4
    unaligned = place(a)
    kinds = unit // gcd(k, unit)
    r = np.empty((len(a), m, n), a.dtype)
    columns = b.transpose(2, 0, 1)
    for i in range(min(kinds, m)):
        before = min(-(unaligned + i * k) % unit, k)
        rows = np.ascontiguousarray(a[:, i::kinds].transpose(2, 0, 1))
        if whole:
            r[:, i::kinds, :whole] = laned(rows, columns[..., :whole], before, unit)
        if whole < n:
            r[:, i::kinds, whole:] = laned(rows, columns[..., whole:], before, 8)
    return r


def rows_by_vector(a: Array, v: Array) -> Array:
    """The inner products of rows and a vector: four rows at once, and each of the last ones by itself.

    Lanes begin behind an element that is aligned: of the last of four rows, or of the vector.
    """
    m, k = a.shape
    whole = m - m % 4
    unit = 16 // a.itemsize
    parts = []
    if whole:
        before = (-(place(a) + 3 * a.strides[0] // a.itemsize) - 1) % unit + 1
        parts.append(laned(a[:whole].T, v[:, None], before, unit))
    if whole < m:
        before = min(k, unit - place(v))
        for i in range(whole, m):
            # Of two rows one has two vectors and the other one; a row alone has eight lanes.
            lanes = 8 if i + 1 == m and (m - whole) % 2 else 2 * unit if (i - whole) % 2 == 0 else unit
            parts.append(laned(a[i : i + 1].T, v[:, None], before, lanes, before + (k - before) // 8 * 8))
    return (parts[0] if len(parts) == 1 else np.concatenate(parts))[:, 0]


def laned(a: Array, b: Array, before: int, lanes: int, end: int | None = None) -> Array:
    """The inner products of columns: some terms one after the other, then in lanes, then what is left in order."""
    k = len(a)
    count = max((k if end is None else end) - before, 0) // lanes
    if not count:
        return in_order(a, b)
    end = before + count * lanes
    if a.ndim == 2 and b.shape[1] == 1:
        return _laned_with_one(a, b, before, lanes, end)
    sums = in_order(_lanes_of(a, before, end, lanes), _lanes_of(b, before, end, lanes))
    r = _of_lanes(sums, a.itemsize)
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
    r = _of_lanes(sums, a.itemsize)
    for i in range(end, len(terms)):
        r += terms[i]
    return r[:, None]


def _of_lanes(sums: Array, itemsize: int) -> Array:
    """The sum of what lanes hold: of vectors beside each other first, then of the numbers of one."""
    lanes, unit = len(sums), 16 // itemsize
    while lanes > unit:
        lanes //= 2
        pairs = sums.reshape(-1, 2, unit, *sums.shape[1:])
        sums = (pairs[:, 0] + pairs[:, 1]).reshape(lanes, *sums.shape[1:])
    while lanes > 1:
        lanes //= 2
        sums = sums[:lanes] + sums[lanes:]
    r: Array = sums[0]
    return r


def _lanes_of(a: Array, before: int, end: int, lanes: int) -> Array:
    """Rows in groups of so many; each of the first ones alone in one that has else zeros."""
    groups = a[before:end].reshape(-1, lanes, *a.shape[1:])
    if not before:
        return groups
    r = _zeros((before + len(groups), *groups.shape[1:]), a.dtype)
    r[:before, 0] = a[:before]
    r[before:] = groups
    return r
