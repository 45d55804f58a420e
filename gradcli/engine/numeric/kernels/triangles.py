"""Triangular systems solved row by row, their terms taken in the order in which PyTorch's BLAS takes them.

Of a single right-hand side each row ends in a division, of more in a product with one over the diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import F32, F64, Array
from . import products
from .products import ndarray

# So many unknowns have their terms in an order that is known: solved from the right, of a single right-hand side when
# the triangle lies in memory as BLAS reads it, and when it does not.
_FROM_RIGHT, _ALONE, _ALONE_ACROSS = 64, 32, 8
# The same of several right-hand sides, in single and in double precision.
_SINGLE, _LOWER, _UPPER, _TWO = 4, 5, 3, 2


def in_turn(own: Array, terms: Array) -> Array:
    """A right-hand side less one term after the other."""
    return np.add.accumulate(np.concatenate((own[..., None, :], -terms), -2), -2)[..., -1, :]


def at_once(own: Array, terms: Array) -> Array:
    """A right-hand side less the sum of all terms."""
    return own - np.add.accumulate(terms, -2)[..., -1, :]


def _backwards(own: Array, terms: Array) -> Array:
    """The same from the last term on."""
    return in_turn(own, terms[..., ::-1, :])


def _by_twos(own: Array, terms: Array) -> Array:
    """A right-hand side less the last of an odd number of terms, then less the first two."""
    if terms.shape[-2] % 2:
        own = own - terms[..., -1, :]
    return own if terms.shape[-2] == 1 else own - (terms[..., 0, :] + terms[..., 1, :])


def solution(t: Array, b: Array, upper: bool, left: bool, unit: bool, across: bool) -> Array | None:
    """The solution of triangular systems whose terms are taken in a known order; else None.

    ``across``: the triangles were given row by row, and BLAS reads columns.
    """
    if not (products.follows and type(t) is type(b) is ndarray and t.dtype is b.dtype and t.size and b.size):
        return None
    if t.dtype is not F32 and t.dtype is not F64:
        return None
    count = b.shape[-1 if left else -2]
    if not left:
        t, b = t.swapaxes(-1, -2), b.swapaxes(-1, -2)
        order = _from_right(t.shape[-1], count, upper, across)
        upper = not upper
    elif count == 1:
        order = _alone(t.shape[-1], upper, across)
    else:
        order = _of_several(t.shape[-1], t.dtype, upper, unit)
    if order is None:
        return None
    if upper:
        t, b = t[..., ::-1, ::-1], b[..., ::-1, :]
    with np.errstate(all="ignore"):
        x = row_by_row(t, b, order, count == 1, unit)
    x = np.ascontiguousarray(x[..., ::-1, :]) if upper else x
    return x if left else x.swapaxes(-1, -2)


def _from_right(n: int, count: int, upper: bool, across: bool) -> Callable[[Array, Array], Array] | None:
    if count == 1:
        return _alone(n, not upper, not across)
    if n > _FROM_RIGHT:
        return None
    return in_turn if upper or across else _backwards


def _alone(n: int, upper: bool, across: bool) -> Callable[[Array, Array], Array] | None:
    if not across:
        return in_turn if n <= _ALONE else None
    if upper:
        return _backwards if n <= _UPPER else None
    return in_turn if n <= _ALONE_ACROSS else None


def _of_several(n: int, d: Any, upper: bool, unit: bool) -> Callable[[Array, Array], Array] | None:
    if n > _TWO and unit:
        return None
    if d is F32:
        if n > _SINGLE:
            return None
        return _of_four if upper and n == _SINGLE else _by_twos
    if upper:
        return _backwards if n <= _UPPER else None
    return in_turn if n <= _LOWER else None


def _of_four(own: Array, terms: Array) -> Array:
    """A row of an upper triangle of four."""
    return _backwards(own, terms) if terms.shape[-2] == _TWO else _by_twos(own, terms)


def row_by_row(
    t: Array, b: Array, order: Callable[[Array, Array], Array], divides: bool, unit: bool = False
) -> Array:
    """The solution of a system with a lower triangle; ``unit``: its diagonal stands for ones."""
    x = np.array(np.broadcast_to(b, (*np.broadcast_shapes(t.shape[:-2], b.shape[:-2]), *b.shape[-2:])))
    for i in range(t.shape[-1]):
        row = x[..., i, :]
        if i:
            row = order(row, t[..., i, :i, None] * x[..., :i, :])
        if not unit:
            pivot = t[..., i, i, None]
            row = row / pivot if divides else row * (1 / pivot)
        x[..., i, :] = row
    return x
