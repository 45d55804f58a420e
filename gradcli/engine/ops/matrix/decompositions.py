"""Decompositions: QR, eigenvalues of symmetric matrices, singular values."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np

from ....errors import EngineTypeError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_bools
from ...costs import SQUARED, costs
from ...declaration import given_for_out
from ...dtypes import zeros_of
from ...modes import is_followed
from ...numeric.common import quiet
from ...numeric.kernels import orthogonal
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..named_results import named_result
from ..pointwise.masks import refuse_halves, refuse_integers
from .lu import by_columns, solved_triangular
from .square import (
    diagonal,
    fill_diagonal,
    floating,
    halve_diagonal,
    is_complex,
    matrices,
    mH,
    mT,
    narrow,
    of_lower_half,
    square,
    with_diagonal,
)  # fmt: skip
from .triangular import linalg_solve_triangular

QR = named_result("linalg_qr", "Q", "R")
OldQR = named_result("qr", "Q", "R")
Eigh = named_result("linalg_eigh", "eigenvalues", "eigenvectors")
SVD = named_result("linalg_svd", "U", "S", "Vh")
OldSVD = named_result("svd", "U", "S", "V")

WITHOUT_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
    "mode='reduced') if you are going to differentiate through linalg.qr."
)
TOO_TALL = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."


# -- QR ----------------------------------------------------------------------------------------


@primitive(
    outputs=("Q", "R"), A=lambda g, Q, R, mode: qr_backward(g[0], g[1], Q, R, mode), form="stacked", no_half="geqrf_cpu"
)
def linalg_qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """Orthogonal and upper triangular factors of matrices."""
    check_qr(A, mode)
    if mode == "r":
        alone = orthogonal.upper(A.real)
        if A.dtype.kind == "c":
            alone = alone + 1j * _qr_jvp(*np.linalg.qr(A.real), A.imag)[1]
        return zeros_of(0, A.dtype), by_columns(alone)
    complete = mode == "complete"
    Q, R = orthogonal.factors(A.real, complete)
    if A.dtype.kind == "c":
        if complete and A.shape[-2] > A.shape[-1]:
            fail(TOO_TALL)
        dQ, dR = _qr_jvp(Q, R, A.imag)
        Q, R = Q + 1j * dQ, R + 1j * dR
    return by_columns(Q), by_columns(R)


def check_qr(A: Array, mode: str) -> None:
    """Refuse what has no QR factors, and modes that there are not."""
    matrices(A, "linalg.qr")
    floating(A, "linalg.qr")
    if mode not in ("reduced", "r", "complete"):
        fail(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'")


def _qr_jvp(Q: Array, R: Array, dA: Array) -> tuple[Array, Array]:
    """The derivatives of the factors in a direction."""
    m, n = dA.shape[-2:]
    if m >= n:
        p = solved_triangular(R, dA, True, False)
        x = np.matmul(mT(Q), p)
        dR = halve_diagonal(np.triu(x + mT(x)))
        return p - np.matmul(Q, dR), np.matmul(dR, R)
    p = np.matmul(mT(Q), dA)
    x = np.tril(solved_triangular(R[..., :m], p[..., :m], True, False), -1)
    dQ = x - mT(x)
    return np.matmul(Q, dQ), p - np.matmul(dQ, R)


def qr_backward(gQ: Value, gR: Value, Q: Value, R: Value, mode: str) -> Value:
    """The gradient of the factors."""
    if mode == "r":
        fail(WITHOUT_Q)
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        fail(TOO_TALL)
    if gQ is None and gR is None:
        return None
    if gQ is None:
        gA = ops.matmul.matmul(gR, mH(R))
    elif gR is None:
        gA = -ops.matmul.matmul(mH(Q), gQ)
    else:
        gA = ops.matmul.matmul(gR, mH(R)) - ops.matmul.matmul(mH(Q), gQ)
    if m >= n:
        gA = ops.reordering.triu(gA, 0)
        gA = ops.matmul.matmul(Q, halve_diagonal(gA + mH(gA)))
        if gQ is not None:
            gA = gA + gQ
        return linalg_solve_triangular(mH(R), gA, False, False, False)
    gA = -gA
    gA = ops.reordering.tril(gA - mH(gA), 0)
    gA = ops.matmul.matmul(Q, halve_diagonal(gA) if is_complex(gA) else gA)
    gA = linalg_solve_triangular(mH(narrow(R, -1, 0, m)), gA, False, False, False)
    rest = zeros_of((*R.shape[:-1], n - m), (R._a if isinstance(R, Tensor) else gA).dtype)
    gA = ops.joining.cat([gA, result(rest) if isinstance(R, Tensor) else rest], -1)
    return gA if gR is None else gA + ops.matmul.matmul(Q, gR)


@public("linalg")
@given_for_out()
@costs("solving.qr", careful=SQUARED)
@under_autocast("single")
@composite
def qr(A: Value, mode: str = "reduced") -> Any:
    """Orthogonal and upper triangular factors of matrices."""
    return QR(linalg_qr(A, mode))


@public("torch.qr Tensor.qr")
@given_for_out()
@costs("solving.reduced_by_default", careful=SQUARED)
@composite
def old_qr(input: Value, some: bool = True) -> Any:
    """Orthogonal and upper triangular factors of matrices."""
    if type(some) is not bool:
        only_bools("qr", some=some, places=(2,))
    warnings.warn(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        UserWarning,
        stacklevel=2,
    )
    return OldQR(linalg_qr(input, "reduced" if some else "complete"))


# -- eigenvalues of symmetric matrices ---------------------------------------------------------


@primitive(
    outputs=("eigenvalues", "eigenvectors"),
    assumes=("A", "symmetric"),
    A=lambda g, eigenvalues, eigenvectors: eigh_backward(g[0], g[1], eigenvalues, eigenvectors),
    reads_half=True,
    form="stacked",
    no_half="linalg_eigh_cpu",
)
def linalg_eigh(A: Array, UPLO: str = "L") -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read."""
    read = triangle(A, UPLO)
    if not A.size:
        return np.zeros(A.shape[:-1], A.dtype), A.copy()
    L, V = np.linalg.eigh(A.real, read)
    if A.dtype.kind == "c":
        dA = of_lower_half(A.imag if read == "L" else mT(A.imag))
        p = np.matmul(np.matmul(mT(V), dA), V)
        gaps = fill_diagonal(L[..., None, :] - L[..., :, None], 1)
        dL = np.einsum("...ii->...i", p).copy()
        return L + 1j * dL, by_columns(V + 1j * np.matmul(V, fill_diagonal(p / gaps, 0)))
    return L, by_columns(V)


def triangle(A: Array, UPLO: Any) -> Literal["L", "U"]:
    """Which triangle of symmetric matrices to read."""
    square(A, "linalg.eigh")
    if A.size:
        refuse_integers("linalg_eigh_cpu", A)
    if str(UPLO).upper() not in ("L", "U"):
        fail(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return "U" if UPLO in "uU" else "L"


def eigh_backward(gL: Value, gV: Value, L: Value, V: Value) -> Value:
    """The gradient of the eigenvalues and eigenvectors of symmetric matrices."""
    if gV is None:
        return None if gL is None else ops.matmul.matmul(V * ops.views.unsqueeze(gL, -2), mH(V))
    p = ops.matmul.matmul(mH(V), gV)
    if is_complex(p):
        refuse_phases("linalg_eigh_backward", diagonal(p)._a.imag)
    p = (p - mH(p)) * 0.5
    gaps = fill_diagonal(ops.views.unsqueeze(L, -2) - ops.views.unsqueeze(L, -1), 1)
    p = p / gaps
    if gL is not None:
        p = fill_diagonal(p, gL)
    return ops.matmul.matmul(V, ops.matmul.matmul(p, mH(V)))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@under_autocast("single")
@composite
def eigh(A: Value, UPLO: str = "L") -> Any:
    """Eigenvalues, from the least, and eigenvectors of symmetric matrices."""
    return Eigh(linalg_eigh(A, UPLO))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@under_autocast("single")
@composite
def eigvalsh(A: Value, UPLO: str = "L") -> Value:
    """Eigenvalues of symmetric matrices, from the least."""
    if isinstance(A, Tensor) and A._a.size and not is_followed(A):
        refuse_halves("linalg_eigh_cpu", A._a.dtype)
        return result(np.linalg.eigvalsh(A._a, triangle(A._a, UPLO)))
    return linalg_eigh(A, UPLO)[0]


# -- singular values ---------------------------------------------------------------------------


@primitive(
    outputs=("U", "S", "Vh"),
    A=lambda g, full_matrices, U, S, S_sym_argsize_minus_1, Vh: _svd_backward(
        g, full_matrices, U, S, S_sym_argsize_minus_1, Vh
    ),
    form="stacked",
    no_half="linalg_svd_cpu",
)
def linalg_svd(
    A: Array, full_matrices: bool = False, S_sym_argsize_minus_1: int = 0
) -> tuple[Array, Array, Array]:
    """Singular values of matrices, from the greatest, and the vectors on both sides of them."""
    U, S, Vh = quiet(np.linalg.svd, A.real, full_matrices)
    if A.dtype.kind == "c":
        dU, dS, dVh = _svd_jvp(U, S, Vh, A.imag)
        return by_columns(U + 1j * dU), S + 1j * dS, by_columns(Vh + 1j * dVh)
    return by_columns(U), S, by_columns(Vh)


def _svd_jvp(U: Array, S: Array, Vh: Array, dA: Array) -> tuple[Array, Array, Array]:
    """The derivatives of the factors in a direction; 0 for the vectors that only fill up."""
    k = S.shape[-1]
    u, vh = U[..., :k], Vh[..., :k, :]
    m, n = u.shape[-2], vh.shape[-1]
    p = np.matmul(np.matmul(mT(u), dA), mT(vh))
    dS = np.einsum("...ii->...i", p).copy()
    p = fill_diagonal(p, 0)
    row, column = S[..., None, :], S[..., :, None]
    gaps = fill_diagonal(row * row - column * column, 1)
    x, y = p * row, column * p
    dU, dV = np.zeros_like(U), np.zeros_like(Vh)
    dU[..., :k] = np.matmul(u, (x + mT(x)) / gaps)
    dV[..., :k, :] = mT(np.matmul(mT(vh), (y + mT(y)) / gaps))
    if m > n:
        w = np.matmul(dA, mT(vh)) / row
        dU[..., :k] += w - np.matmul(u, np.matmul(mT(u), w))
    elif m < n:
        w = np.matmul(mT(dA), u) / row
        dV[..., :k, :] += mT(w - np.matmul(mT(vh), np.matmul(vh, w)))
    return dU, dS, dV


def _svd_backward(g: list[Value], full: bool, U: Value, S: Value, k: int, Vh: Value) -> Value:
    gU, gS, gVh = g
    if full:
        gU = None if gU is None else narrow(gU, -1, 0, k)
        gVh = None if gVh is None else narrow(gVh, -2, 0, k)
        U, Vh = narrow(U, -1, 0, k), narrow(Vh, -2, 0, k)
    return svd_backward(gU, gS, gVh, U, S, Vh)


def svd_backward(gU: Value, gS: Value, gVh: Value, U: Value, S: Value, Vh: Value) -> Value:
    """The gradient of singular values and of the vectors on both sides of them."""
    if gU is None and gS is None and gVh is None:
        return None
    m, n = U.shape[-2], Vh.shape[-1]
    if gU is None and gVh is None:
        if m >= n:
            return ops.matmul.matmul(U, ops.views.unsqueeze(gS, -1) * Vh)
        return ops.matmul.matmul(U * ops.views.unsqueeze(gS, -2), Vh)
    left = None if gU is None else _skew(ops.matmul.matmul(mH(U), gU))
    right = None if gVh is None else _skew(ops.matmul.matmul(Vh, mH(gVh)))
    if is_complex(U):
        _refuse_phases_of_pairs(left, right)
    squares = S * S
    gaps = fill_diagonal(ops.views.unsqueeze(squares, -2) - ops.views.unsqueeze(squares, -1), 1)
    if left is not None and right is not None:
        gA = (left * ops.views.unsqueeze(S, -2) + ops.views.unsqueeze(S, -1) * right) / gaps
    elif left is not None:
        gA = (left / gaps) * ops.views.unsqueeze(S, -2)
    else:
        gA = ops.views.unsqueeze(S, -1) * (right / gaps)
    if gS is not None:
        gA = gA + with_diagonal(gS)
    if left is not None and right is not None and is_complex(left):
        gA = gA + with_diagonal(diagonal(left) / (S * 2.0))
    if m > n and gU is not None:
        gA = ops.matmul.matmul(U, gA)
        w = gU / ops.views.unsqueeze(S, -2)
        gA = gA + w - ops.matmul.matmul(U, ops.matmul.matmul(mH(U), w))
        return ops.matmul.matmul(gA, Vh)
    if m < n and gVh is not None:
        gA = ops.matmul.matmul(gA, Vh)
        w = gVh / ops.views.unsqueeze(S, -1)
        gA = gA + w - ops.matmul.matmul(ops.matmul.matmul(w, mH(Vh)), Vh)
        return ops.matmul.matmul(U, gA)
    if m >= n:
        return ops.matmul.matmul(U, ops.matmul.matmul(gA, Vh))
    return ops.matmul.matmul(ops.matmul.matmul(U, gA), Vh)


def refuse_phases(name: str, turns: Array, others: Any = 0.0, words: str = "quantity, so it is ill-defined") -> None:
    """Refuse the gradient of a loss that depends on the phases of vectors, which are anyone's choice."""
    if not np.allclose(turns, others, 1e-2, 1e-2):
        kind = "singular vectors" if name.startswith("svd") else "eigenvectors"
        fail(
            f"{name}: The {kind} in the complex case are specified up to multiplication by e^{{i phi}}. The specified "
            f"loss function depends on this {words}."
        )


def _refuse_phases_of_pairs(left: Value, right: Value) -> None:
    u, v = (0.0 if x is None else diagonal(x)._a.imag for x in (left, right))
    refuse_phases("svd_backward", u, np.negative(v), "phase term, making it ill-defined")


def _skew(x: Value) -> Value:
    return x - mH(x)


def factors(A: Value, full_matrices: bool, name: str = "linalg.svd") -> tuple[Value, Value, Value]:
    """Singular values and the vectors on both sides of them."""
    a = A._a if isinstance(A, Tensor) else A
    matrices(a, name)
    refuse_halves("linalg_svd_cpu", a.dtype)
    floating(a, name)
    return linalg_svd(A, bool(full_matrices), min(a.shape[-2:]))  # type: ignore[no-any-return]


def _refuse_driver(driver: Any) -> None:
    if driver is not None:
        fail("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.")


@public("linalg")
@given_for_out()
@costs("solving.svd", careful=SQUARED)
@under_autocast("single")
@composite
def svd(A: Value, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Singular values of matrices, from the greatest, and the vectors on both sides of them."""
    if type(full_matrices) is not bool:
        only_bools("linalg_svd", full_matrices=full_matrices)
    _refuse_driver(driver)
    return SVD(factors(A, full_matrices))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@under_autocast("single")
@composite
def svdvals(A: Value, *, driver: str | None = None) -> Value:
    """Singular values of matrices, from the greatest."""
    _refuse_driver(driver)
    if isinstance(A, Tensor) and not is_followed(A):
        matrices(A._a, "linalg.svd")
        refuse_halves("linalg_svd_cpu", A._a.dtype)
        floating(A._a, "linalg.svd")
        return result(quiet(np.linalg.svd, A._a, True, False))
    return factors(A, False)[1]


@public("torch.svd Tensor.svd")
@given_for_out()
@costs("solving.reduced_by_default", careful=SQUARED)
@composite
def old_svd(input: Value, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular values of matrices, from the greatest, and the vectors on both sides of them."""
    if not isinstance(some, bool) or not isinstance(compute_uv, bool):
        raise EngineTypeError("svd(): arguments 'some' and 'compute_uv' must be bool")
    U, S, Vh = factors(input, not some)
    if compute_uv:
        return OldSVD((U, S, mH(Vh)))
    a = input._a if isinstance(input, Tensor) else input
    m, n = a.shape[-2:]
    U, V = (zeros_of((*a.shape[:-2], k, k), a.dtype) for k in (m, n))
    return OldSVD((result(U), S, result(V)) if isinstance(input, Tensor) else (U, S, V))
