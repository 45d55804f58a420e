"""LU factors with row exchanges, for what LAPACK's do not come out of NumPy for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...tensor import Array
from ..common import re

# From so many rows on, the digits of a determinant are not worth the time that they take.
_MANY = 16


def determinant(a: Array, for_complex: bool = False) -> Array:
    """The product of the pivots; NumPy's is the exponential of a sum of logarithms, and 11.000000000000002 for 11."""
    n = a.shape[-1]
    if n > _MANY or not a.size:
        return np.linalg.det(a)
    # LAPACK reads the memory by columns, and the transpose will do.
    f, pivots, _ = lu(a.swapaxes(-1, -2), pivot_by(for_complex))
    product = np.multiply.reduce(np.einsum("...ii->...i", f), -1)
    exchanged = np.not_equal(pivots, np.arange(1, n + 1)).sum(-1) % 2 == 1
    return np.where(exchanged, -product, product)[()]


def _less_product(c: Array, a: Array, b: Array) -> Array:
    """``c - a * b``, rounded once: LAPACK's kernels fuse the two."""
    return (c - a.astype(np.result_type(c, np.longdouble)) * b).astype(c.dtype)


def pivot_by(for_complex: bool) -> Callable[[Array], Array]:
    """The size of numbers by which pivots are chosen: LAPACK takes that for the complex ones."""
    return (lambda x: np.abs(x.real) + np.abs(x.imag)) if for_complex else lambda x: np.abs(re(x))


_BY_REAL_PART = pivot_by(False)


def lu(a: Array, size: Callable[[Array], Array] = _BY_REAL_PART) -> tuple[Array, Array, Array]:
    """Packed factors, the row exchanges (counted from 1), and where the first zero pivot is (0: nowhere)."""
    m, n = a.shape[-2:]
    k = min(m, n)
    f = np.array(a, order="C").reshape(math.prod(a.shape[:-2]), m, n)
    stack = np.arange(len(f))
    pivots = np.zeros((len(f), k), np.int32)
    info = np.zeros(len(f), np.int32)
    for j in range(k):
        row = j + size(f[:, j:, j]).argmax(1) if len(f) else stack
        pivots[:, j] = row + 1
        f[stack, row], f[:, j] = f[:, j], f[stack, row]
        pivot = f[:, j, j]
        zero = pivot == 0
        info[zero & (info == 0)] = j + 1
        pivot = np.where(zero, 1, pivot)[:, None]
        # The kernels for up to four rows divide by the last pivot; all others multiply by one over it.
        if k <= 4 and j == k - 2:
            f[:, j + 1 :, j] /= pivot
        else:
            f[:, j + 1 :, j] *= 1 / pivot
        rest = f[:, j + 1 :, j + 1 :]
        rest[...] = _less_product(rest, f[:, j + 1 :, j, None], f[:, j, None, j + 1 :])
    return f.reshape(a.shape), pivots.reshape(*a.shape[:-2], k), info.reshape(a.shape[:-2])


def order_of(pivots: Array, rows: int) -> Array:
    """The rows in the order that the exchanges bring them to."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = np.tile(np.arange(rows), (len(flat), 1))
    stack = np.arange(len(flat))
    for j in range(flat.shape[1]):
        row = flat[:, j] - 1
        order[stack, row], order[:, j] = order[:, j], order[stack, row]
    return order.reshape(*pivots.shape[:-1], rows)


def substituted(a: Array, b: Array, upper: bool, unit: bool) -> Array:
    """The solution of a triangular system row by row; a zero on the diagonal divides."""
    n = a.shape[-1]
    x = np.array(np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])))
    x = x.astype(np.result_type(a, b), copy=False)
    with np.errstate(all="ignore"):
        for i in range(n - 1, -1, -1) if upper else range(n):
            known = slice(i + 1, n) if upper else slice(0, i)
            x[..., i, :] -= np.matmul(a[..., i, None, known], x[..., known, :])[..., 0, :]
            if not unit:
                x[..., i, :] /= a[..., i, i, None]
    return x


def solved(a: Array, b: Array) -> Array:
    """The solution of a linear system; where the matrix is singular, what dividing by zero gives."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        f, pivots, _ = lu(a)
        order = order_of(pivots, a.shape[-1])[..., None]
        b = np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
        b = np.take_along_axis(b, np.broadcast_to(order, b.shape), -2)
        return substituted(f, substituted(f, b, False, True), True, False)


def inverted(a: Array) -> Array:
    """The inverse; where the matrix is singular, what dividing by zero gives."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return solved(a, np.eye(a.shape[-1], dtype=a.dtype))


def triangular(a: Array, upper: bool, unit: bool) -> Array:
    """The triangle of a matrix that a triangular solver reads."""
    t = np.triu(a) if upper else np.tril(a)
    if unit:
        diagonal = np.einsum("...ii->...i", t)
        diagonal[...] = 1
    return t


def solved_triangular(a: Array, b: Array, upper: bool, left: bool = True, unit: bool = False) -> Array:
    """The solution of a triangular system, from the left or from the right."""
    t = triangular(a, upper, unit)
    if not left:
        t, b, upper = t.swapaxes(-1, -2), b.swapaxes(-1, -2), not upper
    try:
        x: Any = np.linalg.solve(t, b)
    except np.linalg.LinAlgError:
        x = substituted(t, b, upper, unit)
    return x if left else x.swapaxes(-1, -2)


def by_columns(a: Array) -> Array:
    """The same matrices with the elements of a column side by side, as LAPACK leaves them."""
    t = a.swapaxes(-1, -2)
    # Whether an axis of length 1 has an odd stride, NumPy does not say.
    t = t.copy() if 1 in t.shape[-2:] else np.ascontiguousarray(t)
    return t.swapaxes(-1, -2)
