"""Triangular systems, and what is built on Cholesky factors."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, only_bools
from ...costs import costs
from ...declaration import SAFELY, given_for_out
from ...dtypes import zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..named_results import named_result
from ..pointwise.masks import refuse_integers
from .fitting_operands import type_name
from .lu import by_columns, solved_triangular
from .square import conj, fits, floating, mH, mT, of_lower_half, raise_first, square

CholeskyEx = named_result("linalg_cholesky_ex", "L", "info")
TriangularSolve = named_result("triangular_solve", "solution", "cloned_coefficient")


# -- triangular systems ------------------------------------------------------------------------


@primitive(
    no_whole="triangular_solve_cpu",
    broadcasts=True,
    joint=lambda g, self, result, upper, left, unitriangular, *, wanted: _solve_triangular_backward(
        g, self, result, upper, left, unitriangular, wanted
    ),
    self=lambda g: None,
    B=lambda g: None,
    form="aligned",
    no_half="triangular_solve_cpu",
)
def linalg_solve_triangular(
    self: Array, B: Array, upper: bool, left: bool = True, unitriangular: bool = False
) -> Array:
    """Solution of triangular systems."""
    fits(self, B, left, "linalg.solve_triangular")
    problem = broadcast_problem(self.shape[:-2], B.shape[:-2])
    if problem is not None:
        raise problem
    x = solved_triangular(self, B, upper, left, unitriangular)
    # LAPACK solves from the left, and from the right by transposing.
    return by_columns(x)


def _solve_triangular_backward(
    g: Value, A: Value, x: Value, upper: bool, left: bool, unit: bool, wanted: list[bool]
) -> tuple[Value, Value]:
    gB = linalg_solve_triangular(mH(A), g, not upper, left, unit)
    gA = None
    if wanted[0]:
        gA = -ops.matmul.matmul(gB, mH(x)) if left else -ops.matmul.matmul(mH(x), gB)
        gA = ops.reordering.triu(gA, int(unit)) if upper else ops.reordering.tril(gA, -int(unit))
    return gA, gB if wanted[1] else None


@public("linalg")
@given_for_out("expected scalar type {found} but found {given}")
@costs("solving.solved")
@composite
def solve_triangular(
    A: Value, B: Value, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Value:
    """Solution X of triangular systems A X = B, or X A = B."""
    only_bools("linalg_solve_triangular", upper=upper, left=left, unitriangular=unitriangular)
    if isinstance(A, Tensor) and isinstance(B, Tensor) and A._a.dtype is not B._a.dtype:
        # The right side is read in the element type of the matrices.
        refuse_integers("triangular_solve_cpu", A._a)
        B = B.to(A.dtype)
    return linalg_solve_triangular(A, B, upper, left, unitriangular)


@primitive(
    no_whole="triangular_solve_cpu",
    broadcasts=True,
    outputs=("solution", "cloned_coefficient"),
    joint=lambda g, self, A, solution, upper, transpose, unitriangular, *, wanted: _old_solve_backward(
        g, self, A, solution, upper, transpose, unitriangular, wanted
    ),
    self=lambda g: None,
    A=lambda g: None,
    node="TriangularSolveBackward0",
    form="stacked",
    no_half="triangular_solve_cpu",
)
def triangular_solve_(
    self: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Array, Array]:
    """Solution of triangular systems, and a copy of the matrices."""
    for name, a in (("b", self), ("A", A)):
        if a.ndim < 2:
            fail(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {a.ndim} "
                "dimensions instead"
            )
    square(A, "triangular_solve")
    if A.shape[-1] != self.shape[-2]:
        fail(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by {A.shape[-1]} but each "
            f"b matrix is {self.shape[-2]} by {self.shape[-1]}"
        )
    t = A.swapaxes(-1, -2) if transpose else A
    problem = broadcast_problem(self.shape[:-2], A.shape[:-2])
    if problem is not None:
        raise problem
    x = by_columns(solved_triangular(t, self, upper != transpose, True, unitriangular))
    return x, by_columns(np.array(np.broadcast_to(A, (*x.shape[:-2], *A.shape[-2:]))))


def _old_solve_backward(
    g: list[Value], b: Value, A: Value, x: Value, upper: bool, transpose: bool, unit: bool, wanted: list[bool]
) -> tuple[Value, Value]:
    gx, gm = g
    if gx is None:
        zeros = zeros_of(b.shape, (b._a if isinstance(b, Tensor) else b).dtype)
        return result(zeros) if isinstance(b, Tensor) else zeros, gm
    gb = triangular_solve_(gx, conj(A), upper, not transpose, unit)[0]
    gA = None
    if wanted[1]:
        gA = -ops.matmul.matmul(conj(x), mT(gb)) if transpose else -ops.matmul.matmul(gb, mH(x))
        gA = ops.reordering.triu(gA, int(unit)) if upper else ops.reordering.tril(gA, -int(unit))
        if gm is not None:
            gA = ops.arith.add(gA, gm)
    return gb, gA


@public("torch Tensor")
@given_for_out()
@costs("solving.solved_for")
@under_autocast("single")
@composite
def triangular_solve(
    input: Value, A: Value, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Solution of triangular systems A X = input, and a copy of A."""
    warnings.warn(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
        "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one "
        "of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
        UserWarning,
        stacklevel=2,
    )
    only_bools("triangular_solve", (3, 4, 5), upper=upper, transpose=transpose, unitriangular=unitriangular)
    if isinstance(input, Tensor) and isinstance(A, Tensor) and input._a.dtype is not A._a.dtype:
        names = [x.dtype.tensor_name for x in (input, A)]
        fail(
            f"Expected b and A to have the same dtype, but found b of type {names[0]} and A of type {names[1]} instead."
        )
    return TriangularSolve(triangular_solve_(input, A, upper, transpose, unitriangular))


# -- Cholesky ----------------------------------------------------------------------------------


@primitive(
    outputs=("L",),
    aside=("info",),
    assumes=("A", "symmetric"),
    A=lambda g, L, upper: cholesky_backward(g, L, upper),
    reads_half=True,
    form="stacked",
    no_half="cholesky_cpu",
)
def linalg_cholesky_ex(A: Array, upper: bool = False) -> tuple[Array, Array]:
    """Cholesky factor, and for each matrix 0 or the order of its first minor that is not positive."""
    return _factor(A, upper, "linalg.cholesky")


@primitive(
    node="CholeskyBackward0",
    assumes=("self", "symmetric"),
    self=lambda g, result, upper: cholesky_backward(g, result, upper),
    reads_half=True,
    form="stacked",
    no_half="cholesky_cpu",
)
def cholesky_(self: Array, upper: bool = False) -> Array:
    """Cholesky factor of positive-definite matrices."""
    L, info = _factor(self, upper, "cholesky")
    raise_first(info, "cholesky", not_positive)
    return L


def not_positive(order: int) -> str:
    """The message for a matrix that has no Cholesky factor."""
    return (
        "The factorization could not be completed because the input is not positive-definite (the leading minor of "
        f"order {order} is not positive-definite)."
    )


def _factor(a: Array, upper: bool, name: str) -> tuple[Array, Array]:
    square(a, name)
    if name == "cholesky":
        if a.size:
            refuse_integers("cholesky_cpu", a)
    else:
        floating(a, name)
    if not a.size:
        return a.copy(), np.zeros(a.shape[:-2], np.int32)[()]
    lower = a.swapaxes(-1, -2) if upper else a
    try:
        L, info = np.linalg.cholesky(lower.real), np.zeros(a.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        L, info = partial(lower.real)
    if a.dtype.kind == "c":
        L = L + 1j * _cholesky_jvp(L, of_lower_half(lower.imag))
    return by_columns(L.swapaxes(-1, -2) if upper else L), info


def partial(a: Array) -> tuple[Array, Array]:
    """Cholesky factors column by column, as far as they go."""
    out = np.tril(a).reshape(math.prod(a.shape[:-2]), *a.shape[-2:])
    info = np.zeros(len(out), np.int32)
    for j in range(a.shape[-1]):
        pivot = out[:, j, j].real - np.add.reduce((out[:, j, :j] * out[:, j, :j].conj()).real, 1)
        info[(info == 0) & ~(pivot > 0)] = j + 1
        going = info == 0
        root = np.sqrt(np.where(going, pivot, 1))
        column = out[:, j + 1 :, j] - np.matmul(out[:, j + 1 :, :j], out[:, j, :j, None].conj())[..., 0]
        out[:, j, j] = np.where(going, root, np.where(info == j + 1, pivot, out[:, j, j]))
        out[:, j + 1 :, j] = np.where(going[:, None], column / root[:, None], out[:, j + 1 :, j])
    return out.reshape(a.shape), info.reshape(a.shape[:-2])[()]


def _cholesky_jvp(L: Array, dA: Array) -> Array:
    """The derivative of a Cholesky factor in a symmetric direction."""
    p = solved_triangular(L, dA, False)
    p = solved_triangular(L.swapaxes(-1, -2), p, True, False)
    p = np.tril(p)
    diagonal = np.einsum("...ii->...i", p)
    diagonal *= 0.5
    return np.matmul(L, p)


def cholesky_backward(g: Value, L: Value, upper: bool) -> Value:
    """The gradient of a Cholesky factor, made symmetric."""
    if upper:
        L, g = mH(L), mH(g)
    gA = ops.reordering.tril(ops.matmul.matmul(mH(L), g), 0)
    gA = (gA + mH(ops.reordering.tril(gA, -1))) * 0.5
    gA = linalg_solve_triangular(mH(L), gA, True, True, False)
    return linalg_solve_triangular(L, gA, False, False, False)


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@under_autocast("single")
@composite
def cholesky(A: Value, *, upper: bool = False) -> Value:
    """Cholesky factor of positive-definite matrices."""
    if type(upper) is not bool:
        only_bools("linalg_cholesky", upper=upper)
    L, info = linalg_cholesky_ex(A, upper)
    raise_first(info, "linalg.cholesky", not_positive)
    return L


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def cholesky_ex(A: Value, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Cholesky factor, and for each matrix 0 or the order of its first minor that is not positive."""
    if type(upper) is not bool:
        only_bools("linalg_cholesky_ex", upper=upper)
    L, info = linalg_cholesky_ex(A, upper)
    if check_errors:
        raise_first(info, "linalg.cholesky_ex", not_positive)
    return CholeskyEx((L, info))


@public("torch.cholesky Tensor.cholesky")
@costs("solving.decomposed")
@composite
def old_cholesky(input: Value, upper: bool = False) -> Value:
    """Cholesky factor of positive-definite matrices."""
    if type(upper) is not bool:
        only_bools("cholesky", upper=upper)
    warnings.warn(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\n"
        "U = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform "
        "will produce equivalent results for all valid (symmetric positive definite) inputs.",
        UserWarning,
        stacklevel=2,
    )
    return cholesky_(input, upper)


@primitive(
    no_whole="cholesky_solve_cpu",
    broadcasts=True,
    joint=lambda g, self, input2, result, upper, *, wanted: _cholesky_solve_backward(g, input2, result, upper, wanted),
    self=lambda g: None,
    input2=lambda g: None,
    node="CholeskySolveBackward0",
    assumes=("input2", "factor"),
    reads_half=True,
    form="aligned",
)
def cholesky_solve_(self: Array, input2: Array, upper: bool = False) -> Array:
    """Solution of linear systems whose matrices are given by their Cholesky factors."""
    t = input2.swapaxes(-1, -2)
    first, second = (t, input2) if upper else (input2, t)
    return by_columns(solved_triangular(second, solved_triangular(first, self, False), True))


def _cholesky_solve_backward(
    g: Value, L: Value, x: Value, upper: bool, wanted: list[bool]
) -> tuple[Value, Value]:
    gB = cholesky_solve_(g, L, upper)
    if not wanted[1]:
        return gB, None
    common = ops.matmul.matmul(gB, mH(x))
    common = common + mH(common)
    return gB, -ops.matmul.matmul(L, common) if upper else -ops.matmul.matmul(common, L)


@public("torch Tensor")
@given_for_out("{name}" + SAFELY, cast=True)
@costs("solving.solved_for")
@under_autocast("single")
@composite
def cholesky_solve(input: Value, input2: Value, upper: bool = False) -> Value:
    """Solution of linear systems whose matrices are given by their Cholesky factors."""
    if type(upper) is not bool:
        only_bools("cholesky_solve", upper=upper)
    raw = not isinstance(input, Tensor)
    b, a = (input, input2) if raw else (input._a, input2._a)
    for name, x in (("b", b), ("u", a)):
        if x.ndim < 2:
            fail(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    if a.shape[-1] != a.shape[-2]:
        fail(f"A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices")
    if a.shape[-1] != b.shape[-2]:
        fail(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {a.shape[-2]} by {a.shape[-1]} but each b "
            f"matrix is {b.shape[-2]} by {b.shape[-1]}"
        )
    if a.dtype != b.dtype and not raw:
        fail(
            f"Expected b and A to have the same dtype, but found b of type {type_name(b)} and A of type "
            f"{type_name(a)} instead."
        )
    problem = broadcast_problem(b.shape[:-2], a.shape[:-2])
    if problem is not None:
        raise problem
    return cholesky_solve_(input, input2, upper)


@public("torch Tensor")
@given_for_out("{name}" + SAFELY, cast=True)
@costs("solving.decomposed")
@under_autocast("single")
@primitive(
    no_whole="cholesky_inverse_out_cpu",
    self=lambda g, self, result, upper: _cholesky_inverse_backward(g, self, result, upper),
    assumes=("self", "factor"), reads_half=True, form="stacked",
    no_half="cholesky_inverse_out_cpu",
)
def cholesky_inverse(self: Array, upper: bool = False) -> Array:
    """Inverse of matrices given by their Cholesky factors."""
    if type(upper) is not bool:
        only_bools("cholesky_inverse", upper=upper)
    square(self, "cholesky_inverse")
    eye = np.eye(self.shape[-1], dtype=self.dtype)
    t = self.swapaxes(-1, -2)
    first, second = (t, self) if upper else (self, t)
    return by_columns(solved_triangular(second, solved_triangular(first, eye, False), True))


def _cholesky_inverse_backward(g: Value, L: Value, inverse: Value, upper: bool) -> Value:
    common = g + mH(g)
    common = ops.matmul.matmul(inverse, ops.matmul.matmul(common, inverse))
    return -ops.matmul.matmul(L, common) if upper else -ops.matmul.matmul(common, L)


