"""QR factors of single precision, one reflector after the other, rounded as PyTorch's LAPACK rounds them.

Small matrices it factors in plain loops. Of larger ones that are high it takes the norm of a column and its products
with those to the right in one go; the others it factors as LAPACK is published. Where blocks of columns are factored
at once, and on other processors, NumPy's factors have to do.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...dtypes import F32, Array
from ...flags import threads
from . import products
from .chains import in_one_chain
from .few import in_order, rows_by_vector
from .products import ndarray

_zeros, _sqrt = np.zeros, np.sqrt
_ONE = F32.type(1)

# Matrices with no more rows and columns are factored in plain loops.
_PLAIN = 20

# High ones with no more columns are always factored by products, with more up to so many rows; ...
_FEW, _BY_PRODUCTS = 20, 50
# ... so high ones as LAPACK is published, still higher ones by products if they have not half as many columns.
_AS_PUBLISHED, _SQUARE, _WIDE = 64, 99, 70

# Squares beyond these are not taken by themselves.
_LEAST, _MOST = 1e-30, 1e30

# Of more reflectors than these the first ones are multiplied in blocks of so many, in halves of which BLAS computes.
_IN_TURN, _BLOCK, _HALF = 32, 16, 8
# Of still more the blocks are larger, and not followed here.
_IN_BLOCKS = 64


def follows(a: Array) -> bool:
    """Tell whether it is known how PyTorch makes the reflectors of matrices."""
    return bool(products.follows and type(a) is ndarray and a.dtype is F32 and a.size and _way(*a.shape[-2:]))


def _way(m: int, n: int) -> Any:
    """The function that makes the next reflector of such a matrix, or None where that is not known."""
    if max(m, n) <= _PLAIN:
        return _in_loops
    if n <= _FEW and n < m:
        return _by_products
    if n >= m:
        return _as_published if m <= _SQUARE else None
    if m <= _AS_PUBLISHED:
        return _by_products if m <= _BY_PRODUCTS else _as_published
    return _by_products if 2 * n >= m and m <= _SQUARE and n <= _WIDE else None


def packed(a: Array) -> tuple[Array, Array]:
    """The columns of packed QR factors, as rows, and the factors of the reflectors."""
    if not follows(a):
        r: tuple[Array, Array] = np.linalg.qr(a, "raw")
        return r
    *batch, m, n = a.shape
    count = min(m, n)
    columns = np.array(a.swapaxes(-1, -2), order="C").reshape(-1, n, m)
    taus = _zeros((len(columns), count), F32)
    reflect = _way(m, n)
    with np.errstate(all="ignore"):
        for of_one, tau in zip(columns, taus, strict=True):
            for i in range(min(count, m - 1)):
                tau[i] = reflect(of_one[i:, i:])
    return columns.reshape(*batch, n, m), taus.reshape(*batch, count)


def product(columns: Array, taus: Array, width: int) -> Array:
    """The first columns of the product of reflectors, as rows."""
    *batch, _, m = columns.shape
    count = taus.shape[-1]
    r = _zeros((*batch, width, m), F32)
    r[..., :count, :] = columns[..., :count, :]
    r[..., range(count, width), range(count, width)] = 1
    in_blocks = 0
    if _IN_TURN < count <= _IN_BLOCKS:
        in_blocks = (count - _IN_TURN - 1) // _BLOCK * _BLOCK + _BLOCK
    for of_one, tau in zip(r.reshape(-1, width, m), taus.reshape(-1, count), strict=True):
        for i in range(count - 1, in_blocks - 1, -1):
            _multiply(of_one[i:, i:], tau[i])
            of_one[i, :i] = 0
        for i in range(in_blocks - _BLOCK, -1, -_BLOCK):
            own = of_one[i : i + _BLOCK].copy()
            _multiply_block(of_one[i:, i:], tau[i : i + _BLOCK])
            if threads() == 1:
                # A thread alone makes a block's own columns one by one.
                for j in range(_BLOCK - 1, -1, -1):
                    _multiply(own[j:, i + j :], tau[i + j])
                    own[j, i : i + j] = 0
                of_one[i : i + _BLOCK] = own
            of_one[i : i + _BLOCK, :i] = 0
    return r


def multiplies(taus: Array) -> bool:
    """Tell whether it is known how PyTorch multiplies so many reflectors."""
    return bool(products.follows and type(taus) is ndarray and taus.dtype is F32 and 0 < taus.shape[-1] <= _IN_BLOCKS)


def upper(a: Array) -> Array:
    """The upper triangular factor."""
    columns, _ = packed(a)
    return _above(columns)[..., : min(a.shape[-2:]), :]


def factors(a: Array, complete: bool) -> tuple[Array, Array]:
    """Orthogonal and upper triangular factors."""
    if not follows(a):
        Q, R = np.linalg.qr(a, "complete" if complete else "reduced")
        return Q, R
    columns, taus = packed(a)
    width = a.shape[-2] if complete else taus.shape[-1]
    return product(columns, taus, width).swapaxes(-1, -2), _above(columns)[..., :width, :]


def _above(columns: Array) -> Array:
    """The triangle that packed factors hold above their reflectors."""
    return np.triu(columns.swapaxes(-1, -2))


# -- products of reflectors ----------------------------------------------------------------------


def _multiply(rows: Array, tau: Any) -> None:
    """Apply the reflector of the first row to the others, and put its own first column in its place."""
    v, others = rows[0], rows[1:]
    v[0] = 1
    if len(others):
        others[:, 0] = 0
        others -= (tau * rows_by_vector(others, v))[:, None] * v
    v[1:] *= -tau
    v[0] = _ONE - tau


def _multiply_block(rows: Array, taus: Array) -> None:
    """The same of a block of reflectors, by the triangle that holds their products with one another."""
    head, half = slice(_BLOCK), slice(_HALF)
    rest = slice(_HALF, _BLOCK)
    v = np.triu(rows[head])
    v[range(_BLOCK), range(_BLOCK)] = 1
    t = _triangle(v, taus)
    w = np.concatenate((v[:, head].T, products.product(rows[_BLOCK:, _BLOCK:], v[:, _BLOCK:].T)))
    left = in_order(w[:, half].T, t[half, half].T) + in_one_chain(w[:, rest], t[half, rest].T)
    w = np.concatenate((left, in_order(w[:, rest].T, t[rest, rest].T)), 1)
    rows[head] = np.eye(_BLOCK, rows.shape[1], dtype=F32)
    rows[:, _BLOCK:] -= in_one_chain(w, v[:, _BLOCK:])
    # Over the triangle of the reflectors BLAS adds from the diagonal on.
    backwards = w.T[::-1]
    rows[:, half] -= in_order(backwards[_HALF:], v[half, half][::-1])
    right = in_order(backwards[:_HALF], v[rest, rest][::-1])
    rows[:, rest] -= right + in_one_chain(w[:, half], v[half, rest])


def _triangle(v: Array, taus: Array) -> Array:
    """The triangle of a block of reflectors: with it between them, they are all applied at once."""
    t = _zeros((len(taus), len(taus)), F32)
    for i, tau in enumerate(taus):
        if i:
            column = -tau * v[:i, i] + -tau * rows_by_vector(v[:i, i + 1 :], v[i, i + 1 :])
            for j in range(i):
                column[:j] += column[j] * t[:j, j]
                column[j] *= t[j, j]
            t[:i, i] = column
        t[i, i] = tau
    return t


# -- a reflector ---------------------------------------------------------------------------------


def _one_by_one(rows: Array, plain: bool) -> Any:
    """Make the reflector of the first row, in its place, and apply it to the others: return its factor.

    ``plain``: in loops of the kernels for small matrices, which divide; else as LAPACK's text has it.
    """
    v, others = rows[0], rows[1:]
    norm = _norm(v[1:], alike=not plain)
    if norm == 0:
        return norm
    beta, tau = _mirrored(v[0], norm)
    if plain:
        v[1:] /= v[0] - beta
    else:
        v[1:] *= _ONE / (v[0] - beta)
    if len(others):
        v[0] = 1
        sums = np.add.accumulate((others * v).T, 0)[-1] if plain else rows_by_vector(others, v)
        others -= (tau * sums)[:, None] * v
    v[0] = beta
    return tau


_in_loops, _as_published = partial(_one_by_one, plain=True), partial(_one_by_one, plain=False)


def _by_products(rows: Array) -> Any:
    """The same, with all inner products of the row at once, before it is scaled."""
    v, others = rows[0], rows[1:]
    sums = rows_by_vector(rows[:, 1:], v[1:])
    if not _LEAST < sums[0] < _MOST:
        return _as_published(rows)
    beta, tau = _mirrored(v[0], _sqrt(sums[0]))
    scale = _ONE / (v[0] - beta)
    v[1:] *= scale
    if len(others):
        w = tau * (others[:, 0] + sums[1:] * scale)
        others[:, 0] -= w
        others[:, 1:] -= w[:, None] * v[1:]
    v[0] = beta
    return tau


def _mirrored(alpha: Any, norm: Any) -> tuple[Any, Any]:
    """The number that a column ends in, and the factor of its reflector."""
    size = abs(alpha)
    large, small = (size, norm) if size > norm else (norm, size)
    ratio = small / large
    beta = -np.copysign(large * _sqrt(_ONE + ratio * ratio), alpha)
    return beta, (beta - alpha) / beta


def _norm(x: Array, alike: bool) -> Any:
    """The norm by squares of ratios to the largest number so far, squared before they are multiplied or then."""
    scale, squares = F32.type(0), _ONE
    for size in abs(x):
        if size:
            if scale < size:
                ratio = scale / size
                squares = _ONE + (squares * (ratio * ratio) if alike else squares * ratio * ratio)
                scale = size
            else:
                ratio = size / scale
                squares += ratio * ratio
    return scale * _sqrt(squares)
