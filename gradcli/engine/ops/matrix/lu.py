"""LU factors with row exchanges, for what LAPACK's do not come out of NumPy for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import F32, Array
from ...numeric.common import quiet
from ...numeric.kernels import triangles
from ...numeric.kernels.products import follows
from ..common import re

# From so many rows on, the digits of a determinant are not worth the time that they take.
MANY = 16


def determinant(a: Array, for_complex: bool = False) -> Array:
    """The product of the pivots; NumPy's is the exponential of a sum of logarithms, and 11.000000000000002 for 11."""
    n = a.shape[-1]
    if n > MANY or not a.size:
        found: Array = quiet(np.linalg.det, a)
        return found
    # LAPACK reads the memory by columns, and the transpose will do.
    f, pivots, _ = lu(a.swapaxes(-1, -2), pivot_by(for_complex))
    product = np.multiply.reduce(np.einsum("...ii->...i", f), -1)
    return np.where(sign_of(pivots) < 0, -product, product)[()]


def sign_of(pivots: Array) -> Array:
    """-1 where row exchanges turn the sign of a determinant, and 1 elsewhere."""
    exchanged = np.not_equal(pivots, np.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return (1 - exchanged % 2 * 2).astype(F32)[()]


def _less_product(c: Array, a: Array, b: Array) -> Array:
    """``c - a * b``: but for processors of AMD, LAPACK's kernels round that once."""
    if follows:
        return c - a * b
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


# Systems of more rows PyTorch's kernels solve in other orders; those of so many divide, all smaller ones multiply.
_FEW, _FEW_TRANSPOSED = 8, 4


def regular_solution(a: Array, b: Array) -> Array:
    """The solution of a linear system, in PyTorch's digits where it is small and of single precision."""
    n = a.shape[-1]
    if not (follows and a.dtype is F32 is b.dtype and 1 < n <= _FEW and a.size and b.size):
        return np.linalg.solve(a, b)
    f, order, b = _ordered(a, b)
    return _upwards(f, _in_steps(f, np.take_along_axis(b, order, -2), True), False)


def transposed_solution(a: Array, b: Array) -> Array:
    """The solution of the transposed system, which PyTorch finds by the same factors."""
    if not (follows and a.dtype is F32 is b.dtype and 1 < a.shape[-1] <= _FEW_TRANSPOSED and a.size and b.size):
        return solved(a.swapaxes(-1, -2), b)
    try:
        f, order, b = _ordered(a, b)
    except np.linalg.LinAlgError:
        return solved(a.swapaxes(-1, -2), b)
    f = f.swapaxes(-1, -2)
    return np.take_along_axis(_upwards(f, _in_steps(f, b, False), True), order.argsort(-2), -2)


def _ordered(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The factors, and the right-hand side of all systems beside the order of its rows."""
    f, pivots, info = lu(a)
    if info.any():
        raise np.linalg.LinAlgError
    b = np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
    return f, np.broadcast_to(order_of(pivots, a.shape[-1])[..., None], b.shape), b


def _upwards(f: Array, b: Array, unit: bool) -> Array:
    """The solution of a system with an upper triangle."""
    return np.ascontiguousarray(_in_steps(f[..., ::-1, ::-1], b[..., ::-1, :], unit)[..., ::-1, :])


def regular_inverse(a: Array) -> Array:
    """The inverse, in PyTorch's digits as a solution is."""
    if not (follows and a.dtype is F32 and 1 < a.shape[-1] <= _FEW and a.size):
        return np.linalg.inv(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    return by_columns(regular_solution(a, np.eye(a.shape[-1], dtype=F32)))


def _in_steps(f: Array, b: Array, unit: bool) -> Array:
    """The solution of a system with a lower triangle, one row after the other."""
    whole = f.shape[-1] == _FEW
    return triangles.row_by_row(f, b, triangles.in_turn if whole else triangles.at_once, divides=whole, unit=unit)


def solved(a: Array, b: Array) -> Array:
    """The solution of a linear system; where the matrix is singular, what dividing by zero gives."""
    try:
        return regular_solution(a, b)
    except np.linalg.LinAlgError:
        f, pivots, _ = lu(a)
        order = order_of(pivots, a.shape[-1])[..., None]
        b = np.broadcast_to(b, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
        b = np.take_along_axis(b, np.broadcast_to(order, b.shape), -2)
        return substituted(f, substituted(f, b, False, True), True, False)


def inverted(a: Array) -> Array:
    """The inverse; where the matrix is singular, what dividing by zero gives."""
    try:
        return regular_inverse(a)
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
    known = triangles.solution(t, b, upper, left, unit, across=bool(a.flags.c_contiguous))
    if known is not None:
        return known
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
