"""Condition numbers, Vandermonde matrices, and linear systems of tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_ints
from ...costs import SQUARED, costs
from ...declaration import SAFELY, given_for_out
from ...dtypes import ones_of, zeros_of
from ...registry import composite, public
from ...tensor import Value, constants, result
from ..common import re
from .square import matrices, raise_first, square

NORMS = ("fro", "nuc", math.inf, -math.inf, 1, -1, 2, -2)


@public("linalg")
@given_for_out("linalg.{name}" + SAFELY, cast=True)
@costs("solving.decomposed")
@under_autocast("single")
@composite
def cond(A: Value, p: Any = None) -> Value:
    """Condition number of matrices, in the norm that ``p`` names."""
    matrices(A._a, "linalg.cond")
    if not A._a.size and not isinstance(p, str):
        return constants(zeros_of(A._a.shape[:-2], re(A._a).dtype))
    if p is None or p in (2, -2):
        sizes = ops.decompositions.factors(A, False)[1]
        greatest, least = ops.reshaping.narrow(sizes, -1, 0, 1), ops.reshaping.narrow(sizes, -1, -1, 1)
        return ops.views.squeeze_dim(ops.arith.div(least, greatest) if p == -2 else ops.arith.div(greatest, least), -1)
    if p not in NORMS:
        fail(f"linalg.cond got an invalid norm type: {p}")
    square(A._a, f"linalg.cond(ord={p})")
    if p == "nuc":
        sizes = ops.decompositions.svdvals(A)
        inverses = ops.sums.sum_dim(ops.elementary.reciprocal(sizes), (-1,), False)
        return ops.arith.mul(ops.sums.sum_dim(sizes, (-1,), False), inverses)
    inverse, info = ops.inverse.linalg_inv_ex(A)
    singular = info > 0
    for _ in range(2):
        singular = ops.views.unsqueeze(singular, -1)
    inverse = inverse.masked_fill_(singular, math.inf)
    found = ops.arith.mul(ops.vector_norms.matrix_norm(A, p), ops.vector_norms.matrix_norm(inverse, p))
    return found.nan_to_num_(nan=math.inf, posinf=math.inf, neginf=-math.inf)


@public("linalg")
@given_for_out("{name}" + SAFELY, cast=True)
@costs("solving.tensorinv")
@under_autocast("single")
@composite
def tensorinv(A: Value, ind: int = 2) -> Value:
    """Inverse of a tensor, with its first ``ind`` axes as rows and the others as columns."""
    if ind <= 0:
        fail(f"Expected a strictly positive integer for 'ind', but got {ind}")
    size = A._a.shape
    rows, columns = math.prod(size[:ind]), math.prod(size[ind:])
    if rows != columns:
        fail(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    inverse, info = ops.inverse.linalg_inv_ex(ops.views.reshape(A, (columns, rows)))
    raise_first(info, "inv", ops.inverse.singular)
    return ops.views.reshape(inverse, (*size[ind:], *size[:ind]))


@public("linalg")
@given_for_out("{name}" + SAFELY, cast=True)
@costs("solving.tensorsolve")
@under_autocast("single")
@composite
def tensorsolve(A: Value, B: Value, dims: Any = None) -> Value:
    """Solution X of a linear system of tensors, with A X summed over the last axes of A."""
    if dims is not None:
        rank = A._a.ndim
        moved = [d % rank for d in dims]
        A = ops.views.permute(A, (*(d for d in range(rank) if d not in moved), *moved))
    size, n = A._a.shape, B._a.ndim
    columns, rows = math.prod(size[n:]), math.prod(size[:n])
    if rows != columns:
        fail(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {columns} != {rows}"
        )
    flat = ops.inverse.solve(ops.views.reshape(A, (rows, columns)), B if n == 1 else ops.views.reshape(B, (B._a.size,)))
    return ops.views.reshape(flat, size[n:])


@public("linalg")
@costs("arranging.vander", careful=SQUARED)
@composite
def vander(x: Value, *, N: int | None = None) -> Value:
    """Vandermonde matrices: the powers of the last axis, from 0 on."""
    if x._a.dtype.kind == "b":
        fail("linalg.vander supports floating point, complex, and integer tensors, but got Bool")
    if x._a.ndim == 0:
        x = ops.views.unsqueeze(x, -1)
    size = x._a.shape
    n = size[-1] if N is None else N
    if n <= 1:
        fail("N must be greater than 1.")
    powers = ops.cumulative.cumprod(ops.views.expand(ops.views.unsqueeze(x, -1), (*size, n - 1)), -1)
    return ops.joining.cat([constants(ones_of((*size, 1), x._a.dtype)), powers], -1)


@public("torch.vander")
@costs("arranging.old_vander", careful=SQUARED)
@composite
def old_vander(x: Value, N: int | None = None, increasing: bool = False) -> Value:
    """The Vandermonde matrix of a vector: its powers, from the greatest on unless ``increasing``."""
    a = x._a
    if a.ndim != 1:
        fail("x must be a one-dimensional tensor.")
    n = a.size if N is None else N
    if n < 0:
        fail("N must be non-negative.")
    made = zeros_of((a.size, n), a.dtype if a.dtype.kind in "fc" else np.dtype(np.int64))
    columns = result(made)
    if n > 0:
        ops.views.select(columns, 1, 0).fill_(1)
    if n > 1:
        ops.views.slice_(columns, 1, 1, None, 1).copy_(ops.views.unsqueeze(x, 1))
        powers = ops.cumulative.cumprod(ops.views.slice_(columns, 1, 1, None, 1), 1)
        ops.views.slice_(columns, 1, 1, None, 1).copy_(powers)
    return columns if increasing else ops.reordering.flip(columns, (1,))


@public("linalg.diagonal")
@composite
def matrix_diagonal(A: Value, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Value:
    """The diagonals of matrices."""
    if type(offset) is not int:
        only_ints("linalg_diagonal", offset=offset)
    return ops.views.diagonal(A, offset, dim1, dim2)


