"""Products of matrices for many points at once: as few and as large calls of BLAS as there may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import Array
from ..numeric.kernels.products import of_vector, product
from ..registry import Op
from .generic import Form, at_all

# The forms of the products, each of two operands of which one or both have the points as their first axis.
Product = Callable[[Array, Array, bool, bool], Array]


def mm(a: Array, b: Array, a_given: bool, b_given: bool) -> Array:
    """Products of matrices: one large product where only one of the two differs between points."""
    if (a_given and b_given) or not (a.size and b.size):
        return np.matmul(a, b)
    if a_given:
        rows = np.ascontiguousarray(a).reshape(-1, a.shape[-1])
        return product(rows, b).reshape(*a.shape[:-1], b.shape[-1])
    return np.ascontiguousarray(mm(b.swapaxes(-1, -2), a.T, True, False).swapaxes(-1, -2))


def mv(a: Array, v: Array, a_given: bool, v_given: bool) -> Array:
    """Products of a matrix and a vector."""
    if a_given and v_given:
        return np.matmul(a, v[:, :, None])[:, :, 0]
    if a_given:
        points, rows, terms = a.shape
        return of_vector(np.ascontiguousarray(a).reshape(points * rows, terms), v).reshape(points, rows)
    return product(v, a.T)


def dot(a: Array, b: Array, a_given: bool, b_given: bool) -> Array:
    """Inner products of vectors."""
    if a_given and b_given:
        return np.matmul(a[:, None], b[:, :, None])[:, 0, 0]
    return of_vector(a, b) if a_given else of_vector(b, a)


def bmm(a: Array, b: Array, a_given: bool, b_given: bool) -> Array:
    """Products of stacks of matrices."""
    return np.matmul(a, b)


def outer(a: Array, b: Array, a_given: bool, b_given: bool) -> Array:
    """All products of the entries of two vectors."""
    return a[..., :, None] * b[..., None, :]


def summed(a: Array, b: Array, a_given: bool, b_given: bool) -> Array:
    """The sum of the products of two stacks of matrices."""
    return np.matmul(a, b).sum(-3)


def alone(multiply: Product) -> Form:
    """The op is a product."""

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        return (multiply(args[0], args[1], given[0], given[1]),)

    return form


def added(multiply: Product, ndim: int) -> Form:
    """The op is beta * self + alpha * product, in so many axes."""

    def form(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
        x, a, b, beta, alpha = args
        if given[1] or given[2]:
            found = multiply(a, b, given[1], given[2])
        else:
            found = at_all(multiply(a[None], b[None], True, True)[0], False, count)
        if given[0]:
            x = x.reshape(count, *[1] * (ndim + 1 - x.ndim), *x.shape[1:])
        found = _times(found, alpha)
        return (found if beta == 0 else found + _times(x, beta),)

    return form


def _times(x: Array, factor: Any) -> Array:
    return x if factor == 1 else x * factor
