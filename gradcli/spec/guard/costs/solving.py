"""Decompositions of matrices, and what rests on them: work grows with the third power of their size."""

from __future__ import annotations

from typing import Any

from ....engine.tensor import Tensor
from .estimate import Estimate, count, product, shape, whole


def _cubic(A: Any, times: int = 1) -> int:
    """Estimate the work of decomposing each matrix of a stack."""
    *stack, m, n = shape(A)
    return times * product(stack) * m * n * min(m, n)


def decomposed(A: Any, *rest: Any, **named: Any) -> Estimate:
    """Matrices no larger than those that are decomposed."""
    return Estimate(count(A), _cubic(A, 2))


def _sided(A: Any, reduced: bool) -> Estimate:
    """Square matrices on both sides, unless they are reduced."""
    *stack, m, n = shape(A)
    side = min(m, n) if reduced else max(m, n)
    return Estimate(product(stack) * max(m, n) * side, 2 * product(stack) * m * n * side)


def svd(A: Any, full_matrices: Any = True, *, driver: Any = None) -> Estimate:
    """Singular values, and square matrices of vectors unless they are reduced."""
    return _sided(A, not full_matrices)


def reduced_by_default(input: Any, some: Any = True, compute_uv: Any = True) -> Estimate:
    """The same, reduced unless that is not wanted."""
    return _sided(input, bool(some))


def qr(A: Any, mode: Any = "reduced") -> Estimate:
    """An orthogonal matrix, square when all of it is wanted, and a triangular one."""
    return _sided(A, mode != "complete")


def tolerant(A: Any, *rest: Any, **named: Any) -> Estimate:
    """A decomposition, and a result for each tolerance."""
    times = product([count(x) for x in (*rest, *named.values()) if isinstance(x, Tensor)])
    return Estimate(count(A) * times, _cubic(A, 2) * times)


def lstsq(input: Any, b: Any, *rest: Any, **named: Any) -> Estimate:
    """A solution for each column of the right-hand side, or for the one vector that each is."""
    found = solved(input, b)
    return found._replace(elements=max(found.elements, count(b) * shape(input)[-1]))


def solved(A: Any, B: Any, *rest: Any, **named: Any) -> Estimate:
    """A solution for each column of the right-hand side."""
    return Estimate(_stacked(A, B), _cubic(A, 2) + count(B) * shape(A)[-1])


def solved_for(input: Any, A: Any, *rest: Any, **named: Any) -> Estimate:
    """The same, the right-hand side first."""
    return solved(A, input)


def solved_by_factors(LU: Any, pivots: Any, B: Any, *rest: Any, **named: Any) -> Estimate:
    """The same, by factors that are there already."""
    return solved(LU, B)


def solved_for_by_factors(input: Any, LU_data: Any, LU_pivots: Any) -> Estimate:
    """The same, the right-hand side first."""
    return solved(LU_data, input)


def reflected(input: Any, tau: Any, other: Any, *rest: Any, **named: Any) -> Estimate:
    """One pass over the right-hand side for each reflector."""
    return Estimate(count(other), 4 * count(other) * shape(tau)[-1])


def permuted(A: Any, *rest: Any, **named: Any) -> Estimate:
    """Two factors, and a square matrix that exchanges rows."""
    *stack, m, n = shape(A)
    return Estimate(product(stack) * max(m, n) * m, _cubic(A, 2))


def low_rank(A: Any, q: Any = None, *rest: Any, **named: Any) -> Estimate:
    """Some products with a matrix of few columns."""
    columns = q if isinstance(q, int) else 6
    return Estimate(2 * count(A) + columns * sum(shape(A)[-2:]), 40 * count(A) * columns)


def _stacked(A: Any, B: Any) -> int:
    """The larger of both, as often as the longer stack says."""
    stack = max(product(shape(A)[:-2]), product(shape(B)[:-2]))
    a, b = product(shape(A)[-2:]), product(shape(B)[-2:])
    return stack * max(a, b)


def matrix_exp(A: Any) -> Estimate:
    """About twenty products of matrices."""
    return Estimate(count(A), _cubic(A, 20))


def matrix_power(A: Any, n: Any) -> Estimate:
    """Products of matrices, as many as the exponent has binary digits."""
    return Estimate(count(A), _cubic(A, abs(whole(n)).bit_length() + 1))


def norm(A: Any, ord: Any = None, *rest: Any, **named: Any) -> Estimate:
    """A decomposition, when the norm is one of singular values."""
    spectral = ord in (2, -2, "nuc") and len(shape(A)) >= 2
    return Estimate(count(A), _cubic(A, 2) if spectral else count(A))


def tensorinv(A: Any, ind: Any = 2) -> Estimate:
    """The inverse of a tensor read as a square matrix."""
    side = product(shape(A)[: whole(ind)])
    return Estimate(count(A), 2 * side**3)


def tensorsolve(A: Any, B: Any, dims: Any = None) -> Estimate:
    """The solution of a system read as a matrix."""
    return Estimate(count(A), 2 * count(B) ** 3)
