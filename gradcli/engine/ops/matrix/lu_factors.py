"""LU factors as results: made, unpacked, and used for solving."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, only_bools
from ...costs import costs
from ...declaration import given_for_out
from ...dtypes import DTYPES
from ...modes import unfollowed
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..common import unlike
from ..named_results import named_result
from .fitting_operands import type_name
from .lu import by_columns, lu as factored, order_of, pivot_by
from .square import floating, is_complex, matrices, mH, mT

LUFactor = named_result("linalg_lu_factor", "LU", "pivots")
LUFactorEx = named_result("linalg_lu_factor_ex", "LU", "pivots", "info")
LUFactors = named_result("linalg_lu", "P", "L", "U")
LUUnpacked = named_result("lu_unpack", "P", "L", "U")
LUWithInfo = named_result("_lu_with_info", "LU", "pivots", "info")


def _array(x: Value) -> Array:
    return x._a if isinstance(x, Tensor) else x


def check(a: Array, name: str, pivot: bool) -> None:
    """Refuse what is not factored."""
    if a.ndim < 2:
        fail(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(a.shape)} instead")
    if a.dtype.kind not in "fc" or a.dtype.itemsize < 4:
        raise EngineNotImplementedError(f"\"lu_cpu\" not implemented for '{DTYPES[a.dtype].tensor_name}'")
    if not pivot:
        fail("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def _permutation(pivots: Array, rows: int, d: Any) -> Array:
    """The matrices that bring rows back to where they were before they were exchanged."""
    order = order_of(pivots, rows)
    p = np.zeros((*order.shape, rows), d)
    np.put_along_axis(p, order[..., None, :], 1, -2)
    return p


def halves(f: Array) -> tuple[Array, Array]:
    """The lower factors, with ones on the diagonal, and the upper ones, of packed factors."""
    m, n = f.shape[-2:]
    k = min(m, n)
    return np.tril(f[..., :k], -1) + np.eye(m, k, dtype=f.dtype), np.triu(f[..., :k, :])


# -- the factors ---------------------------------------------------------------------------------


@primitive(
    outputs=("LU",),
    aside=("pivots", "info"),
    A=lambda g, LU, pivots, pivot: _packed_backward(g, LU, pivots),
    form="stacked",
    no_half="lu_cpu",
)
def linalg_lu_factor_ex(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    """Packed LU factors, the row exchanges, and for each matrix 0 or where its first zero pivot is."""
    check(A, "torch.lu_factor", pivot)
    f, pivots, info = factored(A)
    return by_columns(f), pivots, info[()] if info.ndim == 0 else info


def _packed_backward(g: Value, LU: Value, pivots: Value) -> Value:
    m, n = LU.shape[-2:]
    k = min(m, n)
    P, L, U = lu_unpacked_any(LU, pivots)
    # No more than a part of the packed factors is L, and another U.
    return _backward(ops.reshaping.narrow(g, -1, 0, k), ops.reshaping.narrow(g, -2, 0, k), P, L, U)


def _backward(gL: Value | None, gU: Value | None, P: Value, L: Value, U: Value) -> Value:
    """The gradient of matrices by those of their factors."""
    m, n = L.shape[-2], U.shape[-1]
    k = min(m, n)
    solve, matmul = ops.triangular.linalg_solve_triangular, ops.matmul.matmul
    tril, triu = ops.reordering.tril, ops.reordering.triu
    below = None if gL is None else matmul(mH(L), gL if m <= n else tril(gL, -1))
    above = None if gU is None else matmul(gU if m >= n else triu(gU), mH(U))
    gA: Any
    if m == n:
        gA = _total(None if below is None else tril(below, -1), None if above is None else triu(above))
        gA = solve(mH(U), gA, False, False, False)
        gA = solve(mH(L), gA, True, True, True)
    elif m < n:
        gA = tril(_less(below, above), -1)
        gA = solve(mH(ops.reshaping.narrow(U, -1, 0, k)), gA, False, False, False)
        rest = (*_array(U).shape[:-2], m, n - k)
        if gU is None:
            beyond = _zeros(rest, L)
        else:
            upper = triu(gU)
            gA = gA + ops.reshaping.narrow(upper, -1, 0, k)
            beyond = ops.reshaping.narrow(upper, -1, k, n - k)
        gA = solve(mH(L), ops.joining.cat([gA, beyond], -1), True, True, True)
    else:
        gA = triu(_less(above, below))
        gA = solve(mH(ops.reshaping.narrow(L, -2, 0, k)), gA, True, True, True)
        rest = (*_array(L).shape[:-2], m - k, n)
        if gL is None:
            beyond = _zeros(rest, L)
        else:
            lower = tril(gL, -1)
            gA = gA + ops.reshaping.narrow(lower, -2, 0, k)
            beyond = ops.reshaping.narrow(lower, -2, k, m - k)
        gA = solve(mH(U), ops.joining.cat([gA, beyond], -2), False, False, False)
    return matmul(ops.converting.like(P, gA), gA)


def _total(a: Value | None, b: Value | None) -> Value:
    return b if a is None else a if b is None else a + b


def _less(a: Value | None, b: Value | None) -> Value:
    return a if b is None else -b if a is None else a - b


def _zeros(size: tuple[int, ...], like: Value) -> Value:
    z = np.zeros(size, _array(like).dtype)
    return result(z) if isinstance(like, Tensor) else z


def _refuse_zero_pivots(info: Value) -> None:
    a = _array(info)
    if not np.any(a):
        return
    flat = np.reshape(a, -1)
    i = int(np.flatnonzero(flat)[0])
    at = f"(Batch element {i}): " if np.ndim(a) else ""
    fail(
        f"torch.linalg.lu_factor: {at}U[{flat[i]},{flat[i]}] is zero and using it on lu_solve would result in a "
        "division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        "linalg.lu_factor_ex(A, pivot)"
    )


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def lu_factor(A: Value, *, pivot: bool = True) -> Any:
    """Packed LU factors of matrices, and the row exchanges, counted from 1."""
    if type(pivot) is not bool:
        only_bools("linalg_lu_factor", pivot=pivot)
    f, pivots, info = linalg_lu_factor_ex(A, pivot)
    _refuse_zero_pivots(info)
    return LUFactor((f, pivots))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def lu_factor_ex(A: Value, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Packed LU factors of matrices, the row exchanges, and for each 0 or where its first zero pivot is."""
    if type(pivot) is not bool:
        only_bools("linalg_lu_factor_ex", pivot=pivot)
    f, pivots, info = linalg_lu_factor_ex(A, pivot)
    if check_errors:
        _refuse_zero_pivots(info)
    return LUFactorEx((f, pivots, info))


@public("torch.lu Tensor.lu")
@costs("solving.decomposed")
@composite
def old_lu(A: Value, pivot: bool = True, get_infos: bool = False) -> Any:
    """Packed LU factors of matrices, the row exchanges, and if wanted where the first zero pivots are."""
    if type(pivot) is not bool:
        only_bools("_lu_with_info", pivot=pivot)
    f, pivots, info = linalg_lu_factor_ex(A, pivot)
    if get_infos:
        return LUWithInfo((f, pivots, info))
    _refuse_zero_pivots(info)
    return f, pivots


@primitive(
    outputs=("L", "U"),
    without_rule=("P",),
    A=lambda g, P, L, U, pivot: _backward(g[0], g[1], P, L, U),
)
def linalg_lu(A: Array, P: Array, pivot: bool = True) -> tuple[Array, Array]:
    """The factors of a matrix whose rows are exchanged by P."""
    return halves(factored(A)[0])


@public("linalg")
@given_for_out()
@costs("solving.permuted")
@composite
def lu(A: Value, *, pivot: bool = True) -> Any:
    """A permutation, a lower and an upper triangular matrix whose product is the given one."""
    if type(pivot) is not bool:
        only_bools("linalg_lu", pivot=pivot)
    a = _array(A)
    check(a, "linalg.lu", pivot)
    by = pivot_by(is_complex(A))
    p = _permutation(factored(a, by)[1], a.shape[-2], a.dtype)
    P = unfollowed(result(p), A) if isinstance(A, Tensor) else p
    return LUFactors((P, *linalg_lu(A, P, pivot)))


# -- packed factors taken apart --------------------------------------------------------------------


@primitive(
    outputs=("L", "U"),
    LU_data=lambda g, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1: _unpacked_backward(
        g[0], g[1], LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1
    ),
    node="LuUnpackBackward0",
)
def lu_unpacked(LU_data: Array) -> tuple[Array, Array]:
    """The factors that packed ones hold."""
    return halves(LU_data)


def _unpacked_backward(gL: Value | None, gU: Value | None, m: int, n: int) -> Value:
    k = min(m, n)
    some: Any = gU if gL is None else gL
    batch = _array(some).shape[:-2]
    narrow, cat = ops.reshaping.narrow, ops.joining.cat
    if gL is None:
        alone = ops.reordering.triu(gU)
        return cat([alone, _zeros((*batch, m - k, n), some)], -2) if m > n else alone
    lower = ops.reordering.tril(gL, -1)
    if gU is None:
        return cat([lower, _zeros((*batch, m, n - k), some)], -1) if m < n else lower
    upper = ops.reordering.triu(gU)
    if m < n:
        return cat([lower + narrow(upper, -1, 0, k), narrow(upper, -1, k, n - k)], -1)
    if m > n:
        return cat([narrow(lower, -2, 0, k) + upper, narrow(lower, -2, k, m - k)], -2)
    return lower + upper


def lu_unpacked_any(LU: Value, pivots: Value) -> tuple[Value, Value, Value]:
    """The permutations and the factors, of arrays or tensors."""
    a = _array(LU)
    p = _permutation(_array(pivots), a.shape[-2], a.dtype)
    if not isinstance(LU, Tensor):
        return (p, *halves(a))
    return (result(p), *lu_unpacked(LU))


@public("torch")
@given_for_out()
@costs("solving.permuted")
@composite
def lu_unpack(LU_data: Value, LU_pivots: Value, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """A permutation, and a lower and an upper triangular matrix, of packed LU factors."""
    a, pivots = _array(LU_data), _array(LU_pivots)
    if a.ndim < 2:
        fail("torch.lu_unpack: Expected tensor with 2 or more dimensions.")
    if unpack_pivots and pivots.dtype != np.int32:
        fail(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    L, U = lu_unpacked(LU_data) if unpack_data else (_zeros((0,), LU_data), _zeros((0,), LU_data))
    p = _permutation(pivots, a.shape[-2], a.dtype) if unpack_pivots else np.zeros(0, a.dtype)
    return LUUnpacked((result(p) if isinstance(LU_data, Tensor) else p, L, U))


# -- systems solved by factors ---------------------------------------------------------------------


def solved(f: Array, pivots: Array, b: Array, transposed: bool) -> Array:
    """The solution X of A X = B, or of its transpose, by the packed factors of A."""
    L, U = halves(f)
    p = _permutation(pivots, f.shape[-2], f.dtype)
    solve = ops.lu.solved_triangular
    if transposed:
        x = solve(mT(U), b, False)
        return np.matmul(p, solve(mT(L), x, True, True, True))
    return solve(U, solve(L, np.matmul(mT(p), b), False, True, True), True)


@primitive(
    broadcasts=True,
    without_rule=("pivots",),
    joint=lambda g, LU, pivots, result, left, adjoint, *, wanted: _solve_backward(
        g, LU, pivots, result, left, adjoint, wanted
    ),
    LU=lambda g: None,
    B=lambda g: None,
    no_half="linalg.lu_solve_cpu",
)
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False) -> Array:
    """Solutions of linear systems by packed LU factors of their matrices."""
    check_solve(LU, pivots, B, left)
    if left:
        return by_columns(solved(LU, pivots, B, adjoint))
    return np.ascontiguousarray(mT(solved(LU, pivots, mT(B), not adjoint)))


def check_solve(LU: Array, pivots: Array, B: Array, left: bool) -> None:
    """Refuse factors and right-hand sides that do not go together."""
    name = "linalg.lu_solve"
    floating(LU, f"torch.{name}")
    matrices(LU, name, "LU")
    matrices(B, name, "B")
    if pivots.dtype != np.int32:
        fail(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    if unlike(LU, B):
        fail(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type {type_name(LU)} and B of type "
            f"{type_name(B)} instead"
        )
    if LU.shape[-1] != LU.shape[-2]:
        fail(f"{name}: LU must be batches of square matrices, but they are {LU.shape[-2]} by {LU.shape[-1]} matrices")
    if B.shape[-2 if left else -1] != LU.shape[-1]:
        m, n = B.shape[-2:]
        fail(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({LU.shape[-2]}x{LU.shape[-1]} and {m}x{n})"
        )
    if pivots.shape != LU.shape[:-1]:
        fail(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    problem = broadcast_problem(LU.shape[:-2], B.shape[:-2])
    if problem is not None:
        raise problem


def _solve_backward(
    g: Value, LU: Value, pivots: Value, X: Value, left: bool, adjoint: bool, wanted: list[bool]
) -> tuple[Value, Value]:
    gB = linalg_lu_solve(LU, pivots, g, left, not adjoint)
    if not wanted[0]:
        return None, gB
    matmul, solve = ops.matmul.matmul, ops.triangular.linalg_solve_triangular
    P, L, U = lu_unpacked_any(LU, pivots)
    gL: Value
    gU: Value
    if left != adjoint:
        r = -matmul(g, mH(X)) if left else -matmul(mH(g), X)
        gU = solve(mH(U), r, False, True, False)
        gL = solve(mH(L), matmul(gU, mH(U)), True, True, True)
    else:
        r = matmul(X, mH(g)) if left else matmul(mH(X), g)
        gL = solve(mH(L), -matmul(mH(P), matmul(ops.converting.like(r, P), P)), True, False, True)
        gU = solve(mH(U), matmul(mH(L), gL), False, False, False)
    return ops.reordering.tril(gL, -1) + ops.reordering.triu(gU), gB if wanted[1] else None


@public("linalg")
@given_for_out()
@costs("solving.solved_by_factors")
@under_autocast("single")
@composite
def lu_solve(LU: Value, pivots: Value, B: Value, *, left: bool = True, adjoint: bool = False) -> Value:
    """The solution X of A X = B, or X A = B, by the LU factors of A."""
    only_bools("linalg_lu_solve", adjoint=adjoint, left=left)
    return linalg_lu_solve(LU, pivots, B, left, adjoint)


@public("torch.lu_solve Tensor.lu_solve")
@given_for_out()
@costs("solving.solved_for_by_factors")
@composite
def old_lu_solve(input: Value, LU_data: Value, LU_pivots: Value) -> Value:
    """The solution of linear systems by the LU factors of their matrices."""
    return linalg_lu_solve(LU_data, LU_pivots, input)
