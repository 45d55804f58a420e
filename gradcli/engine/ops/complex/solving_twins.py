"""Inverses, determinants and linear systems of complex matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...complex_twins import twin, twins
from ...tensor import Array, Value
from ..make import converting
from ..matrix import inverse, symmetric_factors, triangular
from ..matrix.fitting_operands import type_name
from ..matrix.lu import by_columns, determinant, lu, pivot_by
from ..matrix.square import floating, mH, raise_first, square
from .lazy import conjugate as conj
from .parts import imag

# -- inverses and systems ----------------------------------------------------------------------


def _info(A: Array, info: Array) -> Array:
    """Where the first zero pivots are, of what is singular."""
    return lu(A, pivot_by(True))[2] if np.any(info) else info


def _inverse(A: Array, check_errors: bool = False) -> tuple[Array, Array]:
    found, info = inverse.linalg_inv_ex.op.forward(A, check_errors)
    return found, _info(A, info)


def _same(a: Array, b: Array, name: str, first: str = "A", second: str = "B") -> None:
    if a.dtype != b.dtype:
        fail(
            f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type {type_name(a)} "
            f"and {second} of type {type_name(b)} instead"
        )


def _solution(A: Array, B: Array, left: bool = True, LU: Any = None, pivots: Any = None) -> tuple[Array, Array]:
    _same(A, B, "linalg.solve")
    found, info = inverse.linalg_solve_ex.op.forward(A, B, left)
    return found, _info(A, info)


twin(inverse.linalg_inv_ex, _inverse)
twin(inverse.linalg_solve_ex, _solution)
twins(triangular.linalg_solve_triangular, triangular.triangular_solve_)

# -- determinants ------------------------------------------------------------------------------


def _determinant(A: Array, LU: Any = None, pivots: Any = None) -> Array:
    square(A, "linalg.det")
    floating(A, "linalg.det")
    return determinant(A, True)


def _by_sign_and_size(g: list[Value], sign: Value, A: Value) -> Value:
    """The gradient of the sign, which turns, and of the logarithm of the size, which grows."""
    turned, grown = g
    if turned is not None:
        turn = imag(conj(turned) * sign)
        share = -1j * turn if grown is None else grown - 1j * turn
    elif grown is not None:
        share = converting.cast(grown, A._a.dtype)
    else:
        return None
    return inverse.solve(mH(A), inverse.on_diagonal(share, A))


def _sign_and_size(A: Array, LU: Any = None, pivots: Any = None) -> tuple[Array, Array]:
    square(A, "linalg.slogdet")
    floating(A, "linalg.slogdet")
    sign, size = np.linalg.slogdet(A)
    return sign, size


twin(inverse.linalg_det, _determinant)
twin(inverse.linalg_slogdet, _sign_and_size, A=lambda g, sign, A: _by_sign_and_size(g, sign, A))

# -- Cholesky factors --------------------------------------------------------------------------


def _factor(a: Array, upper: bool, name: str) -> tuple[Array, Array]:
    square(a, name)
    floating(a, name)
    lower = a.swapaxes(-1, -2).conj() if upper else a
    try:
        L, info = np.linalg.cholesky(lower), np.zeros(a.shape[:-2], np.int32)[()]
    except np.linalg.LinAlgError:
        L, info = triangular.partial(lower)
    return by_columns(L.swapaxes(-1, -2).conj() if upper else L), info


def _cholesky(self: Array, upper: bool = False) -> Array:
    L, info = _factor(self, upper, "cholesky")
    raise_first(info, "cholesky", triangular.not_positive)
    return L


def _adjoint_first(L: Array, b: Array, upper: bool) -> Array:
    """The solution of a system whose matrix is the product of a triangular one and its conjugate transpose."""
    t = L.swapaxes(-1, -2).conj()
    first, second = (t, L) if upper else (L, t)
    solved: Any = ops.lu.solved_triangular
    return by_columns(solved(second, solved(first, b, False), True))


def _cholesky_inverse(self: Array, upper: bool = False) -> Array:
    square(self, "cholesky_inverse")
    return _adjoint_first(self, np.eye(self.shape[-1], dtype=self.dtype), upper)


twin(triangular.linalg_cholesky_ex, lambda A, upper=False: _factor(A, upper, "linalg.cholesky"))
twin(triangular.cholesky_, _cholesky)
twin(triangular.cholesky_solve_, lambda self, input2, upper=False: _adjoint_first(input2, self, upper))
twin(triangular.cholesky_inverse, _cholesky_inverse)

# -- factors of symmetric and Hermitian matrices -----------------------------------------------

twins(symmetric_factors.linalg_ldl_factor_ex, symmetric_factors.linalg_ldl_solve)
