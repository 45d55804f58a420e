"""Decompositions and functions of complex matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...call_errors import fail
from ...complex_twins import twin, twins
from ...dtypes import zeros_of
from ...tensor import Array, Tensor, Value
from ..matrix import decompositions, lu_factors, matrix_functions as functions, products, reflectors
from ..matrix.fitting_operands import type_name
from ..matrix.lu import by_columns, lu, pivot_by
from ..matrix.square import floating, square
from .lazy import conjugate as conj

# -- decompositions ----------------------------------------------------------------------------


def _qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    decompositions.check_qr(A, mode)
    if mode == "r":
        return zeros_of(0, A.dtype), by_columns(np.linalg.qr(A, "r"))
    Q, R = np.linalg.qr(A, "complete" if mode == "complete" else "reduced")
    return by_columns(Q), by_columns(R)


def _eigh(A: Array, UPLO: str = "L") -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh(A, decompositions.triangle(A, UPLO))
    return values, by_columns(vectors)


def _svd(A: Array, full_matrices: bool = False, S_sym_argsize_minus_1: int = 0) -> tuple[Array, Array, Array]:
    U, S, Vh = np.linalg.svd(A, full_matrices)
    return by_columns(U), S, by_columns(Vh)


twin(decompositions.linalg_qr, _qr)
twin(decompositions.linalg_eigh, _eigh)
twin(decompositions.linalg_svd, _svd)

# -- reflectors --------------------------------------------------------------------------------


def _adjoint(x: Any) -> Any:
    return conj(x.mT) if isinstance(x, Tensor) else x.swapaxes(-1, -2).conj()


def _product_backward(g: Value, a: Value, tau: Value) -> tuple[Value, Value]:
    return reflectors.product_backward(g, a, tau, adjoint=_adjoint, conj=conj)


def _multiplied(self: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Array:
    reflectors.check_multiplied(self, tau, other, left)
    tau = tau.conj() if left == transpose else tau
    if left:
        return by_columns(reflectors.applied(self, tau, other, not transpose, _adjoint))
    return by_columns(_adjoint(reflectors.applied(self, tau, _adjoint(other), transpose, _adjoint)))


def _multiplied_backward(
    g: Value, a: Value, tau: Value, other: Value, left: bool, transpose: bool
) -> tuple[Value, Value, Value]:
    turned = left == transpose
    tau = conj(tau) if turned else tau
    forms = {"adjoint": _adjoint, "conj": conj}
    if left:
        ga, gtau, gother = reflectors.gradients(g, a, tau, other, not transpose, **forms)
    else:
        ga, gtau, gother = reflectors.gradients(_adjoint(g), a, tau, _adjoint(other), transpose, **forms)
        gother = _adjoint(gother)
    return ga, conj(gtau) if turned and gtau is not None else gtau, gother


twins(reflectors.reflected)
twin(
    reflectors.ormqr, _multiplied,
    joint=lambda g, self, input2, input3, left, transpose, result, *, wanted: _multiplied_backward(
        g, self, input2, input3, left, transpose
    ),
)  # fmt: skip
twin(
    reflectors.householder_product, lambda input, tau: reflectors.product(input, tau, _adjoint),
    joint=lambda g, input, tau, result, *, wanted: _product_backward(g, input, tau),
)  # fmt: skip

# -- LU factors --------------------------------------------------------------------------------


def _packed(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    lu_factors.check(A, "torch.lu_factor", pivot)
    f, pivots, info = lu(A, pivot_by(True))
    return by_columns(f), pivots, info[()] if info.ndim == 0 else info


def _by_factors(
    LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False
) -> Array:
    lu_factors.check_solve(LU, pivots, B, left)
    if left:
        return by_columns(_solved(LU, pivots, B, adjoint))
    # X A = B is A^H X^H = B^H.
    turned = _solved(LU, pivots, B.swapaxes(-1, -2).conj(), not adjoint)
    return np.ascontiguousarray(turned.swapaxes(-1, -2).conj())


def _solved(f: Array, pivots: Array, b: Array, adjoint: bool) -> Array:
    return lu_factors.solved(f.conj(), pivots, b, True) if adjoint else lu_factors.solved(f, pivots, b, False)


twin(lu_factors.linalg_lu_factor_ex, _packed)
twin(lu_factors.linalg_lu, lambda A, P, pivot=True: lu_factors.halves(lu(A, pivot_by(True))[0]))
twins(lu_factors.lu_unpacked)
twin(lu_factors.linalg_lu_solve, _by_factors)

# -- functions ---------------------------------------------------------------------------------


def _pinv(self: Array, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Array:
    functions.check_pinv(self, hermitian)
    m, n = self.shape[-2:]
    if self.size == 0:
        return zeros_of((*self.shape[:-2], n, m), self.dtype)
    if hermitian:
        values, U = np.linalg.eigh(self)
        Vh, sizes = U.conj().swapaxes(-1, -2), np.abs(values)
    else:
        U, values, Vh = np.linalg.svd(self, False)
        sizes = values
    small = sizes <= functions.tolerance(sizes, atol, rtol, m, n)
    inverses = np.where(small, 0, 1 / np.where(small, 1, values))
    found = np.matmul(Vh.conj().swapaxes(-1, -2) * inverses[..., None, :], U.conj().swapaxes(-1, -2))
    return found.astype(self.dtype, copy=False)


def _exponential(self: Array) -> Array:
    square(self, "linalg.matrix_exp")
    floating(self, "linalg.matrix_exp")
    return functions.exponential(self, np.abs)


twins(functions.ranks)
twin(functions.linalg_pinv, _pinv)
twin(functions.linalg_matrix_exp, _exponential)
twin(
    functions.linalg_lstsq,
    lambda self, b, rcond=None, driver=None: functions.least_squares(self, b, rcond, driver, _pinv, True),
)  # fmt: skip


def _cross(self: Array, other: Array, dim: int = -1) -> Array:
    if self.dtype != other.dtype:
        fail(f"expected scalar type {type_name(self)} but found {type_name(other)}")
    made: Array = products.linalg_cross.op.forward(self, other, dim)
    return made


twin(
    products.linalg_cross, _cross, self=lambda g, other, dim: products.linalg_cross(conj(other), g, dim),
    other=lambda g, self, dim: products.linalg_cross(g, conj(self), dim),
)  # fmt: skip
