"""QR factors of single precision, one reflector after the other, rounded as PyTorch's LAPACK rounds them.

Small matrices it factors in plain loops. Of larger ones that are high it takes the norm of a column and its products
with those to the right in one go; the others it factors as LAPACK is published. Where blocks of columns are factored
at once, and on other processors, NumPy's factors have to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import products
from .products import F32, ndarray, rows_by_vector

Array = Any

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

# More reflectors are multiplied in blocks.
_IN_TURN = 32


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
    for of_one, tau in zip(r.reshape(-1, width, m), taus.reshape(-1, count), strict=True):
        for i in range(count - 1, -1, -1):
            v, t = of_one[i, i:], tau[i]
            v[0] = 1
            others = of_one[i + 1 :, i:]
            if len(others):
                others[:, 0] = 0
                others -= (t * rows_by_vector(others, v))[:, None] * v
            v[1:] *= -t
            v[0] = _ONE - t
            of_one[i, :i] = 0
    return r


def multiplies(taus: Array) -> bool:
    """Tell whether it is known how PyTorch multiplies so many reflectors."""
    return bool(products.follows and type(taus) is ndarray and taus.dtype is F32 and 0 < taus.shape[-1] <= _IN_TURN)


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


# -- a reflector ---------------------------------------------------------------------------------


def _in_loops(rows: Array) -> Any:
    """Make the reflector of the first row, in its place, and apply it to the others: return its factor."""
    v, others = rows[0], rows[1:]
    norm = _norm(v[1:], alike=False)
    if norm == 0:
        return norm
    beta, tau = _mirrored(v[0], norm)
    v[1:] /= v[0] - beta
    if len(others):
        v[0] = 1
        sums = np.add.accumulate(np.ascontiguousarray((others * v).T), 0)[-1]
        others -= (tau * sums)[:, None] * v
    v[0] = beta
    return tau


def _as_published(rows: Array) -> Any:
    """The same as LAPACK's text has it."""
    v, others = rows[0], rows[1:]
    norm = _norm(v[1:], alike=True)
    if norm == 0:
        return norm
    beta, tau = _mirrored(v[0], norm)
    v[1:] *= _ONE / (v[0] - beta)
    if len(others):
        v[0] = 1
        others -= (tau * rows_by_vector(others, v))[:, None] * v
    v[0] = beta
    return tau


def _by_products(rows: Array) -> Any:
    """The same, with all inner products of the row at once, before it is scaled."""
    v, others = rows[0], rows[1:]
    first, *sums = rows_by_vector(rows[:, 1:], v[1:])
    if not _LEAST < first < _MOST:
        return _as_published(rows)
    beta, tau = _mirrored(v[0], _sqrt(first))
    scale = _ONE / (v[0] - beta)
    v[1:] *= scale
    if len(others):
        w = tau * (others[:, 0] + np.array(sums, F32) * scale)
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
