"""Linear algebra: inverses, determinants and linear systems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineTypeError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, only_ints
from ...costs import costs
from ...declaration import SAFELY, given_for_out
from ...dtypes import F32, ones_of, zeros_of
from ...numeric.common import quiet
from ...numeric.kernels import library
from ...numeric.kernels.sums import along
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ...walk.rules import saved_tensor
from ..common import unlike
from ..named_results import named_result
from .fitting_operands import type_name
from .lu import (
    MANY,
    by_columns,
    determinant,
    inverted,
    lu,
    pivot_by,
    regular_inverse,
    regular_solution,
    sign_of,
    solved,
    transposed_solution,
)
from .square import conj, fits, floating, is_complex, is_vector, mH, mT, raise_first, square

InvEx = named_result("linalg_inv_ex", "inverse", "info")
SolveEx = named_result("linalg_solve_ex", "result", "info")
Slogdet = named_result("linalg_slogdet", "sign", "logabsdet")
OldSlogdet = named_result("slogdet", "sign", "logabsdet")


# -- factors that PyTorch keeps and shows, made here when they are asked for -------------------


def _factored(node: Any, transposed: bool) -> tuple[Array, Array, Array]:
    a = saved_tensor(node, node.op.saves.index("A"))._a
    return lu(a.swapaxes(-1, -2) if transposed and a.flags.c_contiguous else a, pivot_by(node.for_complex))


def shown_lu(node: Any) -> Tensor:
    """The packed LU factors of the matrices of a linear system."""
    return result(_factored(node, False)[0])


def shown_pivots(node: Any) -> Tensor:
    """The row exchanges of the LU factors of the matrices of a linear system."""
    return result(_factored(node, False)[1])


def shown_lu_by_columns(node: Any) -> Tensor:
    """The packed LU factors for a determinant: LAPACK reads the memory by columns, and the transpose will do."""
    return result(_factored(node, True)[0])


def shown_pivots_by_columns(node: Any) -> Tensor:
    """The row exchanges of the LU factors for a determinant."""
    return result(_factored(node, True)[1])


# -- inverse -----------------------------------------------------------------------------------


@primitive(
    outputs=("inverse",),
    aside=("info",),
    A=lambda g, inverse: -ops.matmul.matmul(mH(inverse), ops.matmul.matmul(g, mH(inverse))),
    form="stacked",
    no_half="linalg.inv: Low precision dtypes not supported. Got {}",
)
def linalg_inv_ex(A: Array, check_errors: bool = False) -> tuple[Array, Array]:
    """Inverse, and for each matrix 0 or where its first zero pivot is."""
    square(A, "linalg.inv")
    floating(A, "linalg.inv")
    try:
        return regular_inverse(A), np.zeros(A.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        return by_columns(inverted(A)), lu(A)[2]


def singular(order: int) -> str:
    """The message for a matrix that has no inverse."""
    return (
        f"The diagonal element {order} is zero, the inversion could not be completed because the input matrix is "
        "singular."
    )


@public("linalg torch.inverse Tensor.inverse")
@given_for_out()
@costs("solving.decomposed")
@under_autocast("single")
@composite
def inv(A: Value) -> Value:
    """Inverse of square matrices."""
    inverse, info = linalg_inv_ex(A)
    raise_first(info, "linalg.inv", singular)
    return inverse


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def inv_ex(A: Value, *, check_errors: bool = False) -> Any:
    """Inverse of square matrices, and for each 0 or where its first zero pivot is."""
    inverse, info = linalg_inv_ex(A)
    if check_errors:
        raise_first(info, "linalg.inv_ex", singular)
    return InvEx((inverse, info))


# -- determinants ------------------------------------------------------------------------------


@primitive(
    A=lambda g, result, A: det_backward(g, result, A),
    keeps=("LU", "pivots"),
    form="stacked",
    left_of=("products", "A"),
    no_half="lu_cpu",
)
def linalg_det(A: Array, LU: Any = shown_lu_by_columns, pivots: Any = shown_pivots_by_columns) -> Array:
    """Determinant of square matrices."""
    square(A, "linalg.det")
    floating(A, "linalg.det")
    return determinant(A)


@public("linalg torch Tensor")
@given_for_out()
@costs("solving.decomposed")
@composite
def det(A: Value) -> Value:
    """Determinant of square matrices."""
    return linalg_det(A)


def det_backward(g: Value, det: Value, A: Value) -> Value:
    """The gradient of a determinant: itself times the transposed inverse."""
    if isinstance(A, Tensor) and A._a.size == 0:
        return constants(zeros_of(A._a.shape, A._a.dtype))
    if A.shape[-1] == 1:
        return ops.views.expand(ops.views.unsqueeze(ops.views.unsqueeze(g, -1), -1), A.shape)
    if not isinstance(g, Tensor):
        if A.size == 0:
            return zeros_of(A.shape, A.dtype)
        found = np.not_equal(det, 0)
        d = np.asarray(g * det)
        if np.all(found):
            return _scaled_inverse(A, d)
        out = np.zeros(A.shape, np.result_type(A, d))
        out[found] = _scaled_inverse(A[found], d[found])
        return by_columns(out)
    d = on_diagonal(ops.arith.mul(g, conj(det)), A)
    a = A._a
    zero = np.abs(det._a if is_complex(det) else ops.common.re(det._a)) < 100.0 * np.finfo(a.dtype).eps
    if not np.any(zero):
        return solve(mH(A), d)
    if np.all(zero):
        return _det_backward_singular(A, g)
    arrived: Value = g
    mask: Value = result(np.asarray(zero))
    rest: Value = result(np.asarray(~zero))
    share: Value = ops.filled.new_zeros(A, a.shape)
    shares: list[Value] = [_det_backward_singular(A[mask], arrived[mask]), solve(mH(A[rest]), d[rest])]
    for where, part in zip((mask, rest), shares, strict=True):
        share = share.index_put_((where,), ops.views.view(part, part.shape))
    return share


def _scaled_inverse(A: Array, d: Array) -> Array:
    """Multiples of the transposed inverse."""
    return by_columns(solved(A.swapaxes(-1, -2), np.asarray(d)[..., None, None] * np.eye(A.shape[-1], dtype=d.dtype)))


def on_diagonal(x: Value, A: Value) -> Value:
    """Multiples ``x`` of the identity, of the size of ``A``."""
    return mT(ops.reordering.diag_embed(ops.views.expand(ops.views.unsqueeze(x, -1), A._a.shape[:-1]), 0, -2, -1))


def _det_backward_singular(A: Value, g: Value) -> Value:
    """The gradient of a determinant that is 0: the adjugate, by singular values."""
    U, S, Vh = ops.decompositions.svd(A)
    alpha = ops.arith.mul(conj(ops.arith.mul(det(U), det(Vh))), g)
    D = _prod_but_one(ops.views.unsqueeze(alpha, -1), S)
    return ops.matmul.matmul(ops.arith.mul(U, ops.views.unsqueeze(D, -2)), Vh)


def _prod_but_one(g: Value, x: Value) -> Value:
    """``g`` times the product of all elements of the last axis but one, for each one."""
    n = x._a.shape[-1]
    if n == 1:
        return g
    dim = x._a.ndim - 1
    ones = constants(ones_of((*x._a.shape[:-1], 1), g._a.dtype))
    before = ops.cumulative.cumprod(ops.joining.cat([ones, ops.views.slice_(x, dim, 0, n - 1)], dim), dim)
    after = ops.joining.cat([ones, ops.reordering.flip(ops.views.slice_(x, dim, 1, n), (dim,))], dim)
    others = ops.arith.mul(before, ops.reordering.flip(ops.cumulative.cumprod(after, dim), (dim,)))
    return ops.arith.mul(g, conj(others))


@primitive(
    outputs=("sign", "logabsdet"),
    kink=lambda A: np.linalg.det(A.real),
    domain=lambda A: np.linalg.det(A.real) != 0,
    A=lambda g, sign, A: slogdet_backward(g[1], A),
    keeps=("LU", "pivots"),
    form="stacked",
    no_half="linalg.slogdet: Low precision dtypes not supported. Got {}",
)
def linalg_slogdet(
    A: Array, LU: Any = shown_lu_by_columns, pivots: Any = shown_pivots_by_columns
) -> tuple[Array, Array]:
    """Sign and logarithm of the size of the determinant of square matrices."""
    square(A, "linalg.slogdet")
    floating(A, "linalg.slogdet")
    sign, size = _log_of_size(A) if A.dtype is F32 else quiet(np.linalg.slogdet, A)
    if A.dtype.kind == "c":
        real = np.sign(sign.real)
        # What is not the sign of the determinant belongs to its logarithm.
        return real, size + 1j * np.angle(sign * real)
    return sign, size


def _log_of_size(A: Array) -> tuple[Array, Array]:
    """The sign of a determinant, and the sum of the logarithms of its pivots."""
    if not 0 < A.shape[-1] <= MANY or not A.size:
        found: tuple[Any, Any] = quiet(np.linalg.slogdet, A)
        return found
    factors, pivots, _ = lu(A.swapaxes(-1, -2))
    diagonal = np.ascontiguousarray(np.einsum("...ii->...i", factors))
    sign = np.multiply.reduce(np.sign(diagonal), -1) * sign_of(pivots)
    return sign, along(library.log(np.abs(diagonal)))


def slogdet_backward(g: Value, A: Value) -> Value:
    """The gradient of the logarithm of a determinant: the transposed inverse."""
    if g is None:
        return None
    if not isinstance(g, Tensor):
        return _scaled_inverse(A, np.asarray(g))
    return solve(mH(A), on_diagonal(g, A))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def slogdet(A: Value) -> Any:
    """Sign and logarithm of the size of the determinant of square matrices."""
    return Slogdet(linalg_slogdet(A))


@public("torch.slogdet Tensor.slogdet")
@costs("solving.decomposed")
@composite
def slogdet_of(input: Value) -> Any:
    """Sign and logarithm of the size of the determinant of square matrices."""
    return OldSlogdet(linalg_slogdet(input))


@public("torch Tensor")
@costs("solving.decomposed")
@composite
def logdet(input: Value) -> Value:
    """Logarithm of the determinant of square matrices; nan where that is negative."""
    a = input._a if isinstance(input, Tensor) else input
    square(a, "logdet")
    floating(a, "logdet")
    sign, size = linalg_slogdet(input)
    if is_complex(input):
        return ops.arith.add(ops.elementary.log(sign), size)
    if not isinstance(input, Tensor):
        return np.where(sign == -1, math.nan, size)[()]
    return ops.choosing.where(sign == -1, math.nan, size)


# -- linear systems ----------------------------------------------------------------------------


def unsolvable(order: int) -> str:
    """Say that a system has no solution."""
    return "The solver failed because the input matrix is singular."


@primitive(
    broadcasts=True,
    outputs=("result",),
    aside=("info",),
    joint=lambda g, A, result, left, LU, pivots, *, wanted: solve_backward(g, A, result, left, wanted),
    A=lambda g: None,
    B=lambda g: None,
    form="solved",
    no_half="lu_cpu",
)
def linalg_solve_ex(
    A: Array, B: Array, left: bool = True, LU: Any = shown_lu, pivots: Any = shown_pivots
) -> tuple[Array, Array]:
    """Solution of linear systems, and for each matrix 0 or where its first zero pivot is."""
    floating(A, "linalg.solve")
    if unlike(A, B):
        fail(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {type_name(A)} and B of type "
            f"{type_name(B)} instead"
        )
    vector = is_vector(A, B)
    rhs = B[..., None] if vector else B
    fits(A, rhs, left, "linalg.solve")
    if vector and not left:
        fail(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    problem = broadcast_problem(rhs.shape[:-2], A.shape[:-2])
    if problem is not None:
        raise problem
    try:
        x, info = _solution(regular_solution, A, rhs, left), np.zeros(A.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        x, info = _solution(solved, A, rhs, left), lu(A)[2]
    if vector:
        x = x[..., 0]
    return _laid_out(x, left) if x.ndim > 1 else x, info


def _laid_out(x: Array, left: bool) -> Array:
    """A solution as LAPACK leaves it in memory."""
    return by_columns(x) if left else np.ascontiguousarray(x)


def _solution(solver: Any, a: Array, b: Array, left: bool) -> Array:
    return solver(a, b) if left else solver(a.swapaxes(-1, -2), b.swapaxes(-1, -2)).swapaxes(-1, -2)


def solve_backward(g: Value, A: Value, x: Value, left: bool, wanted: list[bool]) -> tuple[Value, Value]:
    """The gradients of a linear system: the transposed system for the right-hand side."""
    raw = not isinstance(g, Tensor)
    vector = is_vector(A, x) if raw else is_vector(A._a, x._a)
    column = ops.views.unsqueeze(g, -1) if vector else g
    if raw:
        # A system from the right is transposed itself.
        solver = transposed_solution if left else lambda a, b: solved(a.swapaxes(-1, -2), b)
        gB = _laid_out(_solution(solver, A, column, left), left)
    else:
        gB = solve(mH(A), column, left=left)
    gA = None
    if wanted[0]:
        row = mH(ops.views.unsqueeze(x, -1) if vector else x)
        gA = -ops.matmul.matmul(gB, row) if left else -ops.matmul.matmul(row, gB)
    if not wanted[1]:
        return gA, None
    return gA, ops.views.squeeze_dim(gB, -1) if vector else gB


@public("linalg")
@given_for_out()
@costs("solving.solved")
@under_autocast("single")
@composite
def solve(A: Value, B: Value, *, left: bool = True) -> Value:
    """Solution X of linear systems A X = B, or X A = B."""
    x, info = linalg_solve_ex(A, B, left)
    raise_first(info, "torch.linalg.solve", unsolvable)
    return x


@public("linalg")
@given_for_out()
@costs("solving.solved")
@composite
def solve_ex(A: Value, B: Value, *, left: bool = True, check_errors: bool = False) -> Any:
    """Solution of linear systems, and for each matrix 0 or where its first zero pivot is."""
    x, info = linalg_solve_ex(A, B, left)
    if check_errors:
        raise_first(info, "linalg.solve_ex", unsolvable)
    return SolveEx((x, info))


# -- powers ------------------------------------------------------------------------------------


@public("linalg torch Tensor")
@given_for_out("{name}" + SAFELY, cast=True)
@costs("solving.matrix_power")
@composite
def matrix_power(A: Value, n: int) -> Value:
    """Powers of square matrices, by squaring."""
    if type(n) is not int:
        only_ints("linalg_matrix_power", n=n, places=(2,))
    a = A._a if isinstance(A, Tensor) else A
    if not isinstance(n, int):
        raise EngineTypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    square(a, "linalg.matrix_power")
    if n == 0:
        return _identity_like(A)
    if n == 1:
        return ops.converting.clone(A)
    base = inv(A) if n < 0 else A
    n = abs(n)
    if n == 1:
        return base
    if n == 2:
        return ops.matmul.matmul(base, base)
    if n == 3:
        return ops.matmul.matmul(ops.matmul.matmul(base, base), base)
    power: Value = None
    out: Value = None
    while n:
        power = base if power is None else ops.matmul.matmul(power, power)
        if n % 2:
            out = power if out is None else ops.matmul.matmul(out, power)
        n //= 2
    return out


def _identity_like(A: Value) -> Value:
    a = A._a if isinstance(A, Tensor) else A
    eye = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return ops.converting.clone(A).copy_(result(eye)) if isinstance(A, Tensor) else eye.copy()
