"""Low-rank approximations of matrices, by random projections."""

from __future__ import annotations

from typing import Any

from ....errors import EngineValueError
from ... import ops
from ...costs import SQUARED, costs
from ...registry import composite, public
from ...tensor import Tensor
from .square import mH


def _basis(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """Orthonormal columns that span nearly what the matrix gives, less another one."""

    def times(x: Tensor, turned: bool) -> Tensor:
        matmul = ops.matmul.matmul
        y: Any = matmul(mH(A) if turned else A, x)
        return y if M is None else y - matmul(mH(M) if turned else M, x)  # type: ignore[no-any-return]

    Q: Tensor = ops.decompositions.qr(times(ops.random.randn(A.shape[-1], q, dtype=A.dtype), False))[0]
    for _ in range(niter):
        Q = ops.decompositions.qr(times(Q, True))[0]
        Q = ops.decompositions.qr(times(Q, False))[0]
    return Q


@public("torch")
@costs("solving.low_rank", careful=SQUARED)
@composite
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Any, Any, Any]:
    """The greatest singular values of a matrix, less another one if given, and the vectors on both sides."""
    wide = A.shape[-2] < A.shape[-1]
    if M is not None:
        M = ops.reshaping.broadcast_to(M, tuple(A.shape))
    if wide:
        A, M = mH(A), None if M is None else mH(M)
    matmul = ops.matmul.matmul
    Q = _basis(A, 6 if q is None else q, 2 if niter is None else niter, M)
    B = matmul(mH(Q), A)
    if M is not None:
        B = B - matmul(mH(Q), M)
    U, S, Vh = ops.decompositions.svd(B, False)
    V = mH(Vh)
    U = matmul(Q, U)
    return (V, S, U) if wide else (U, S, V)


@public("torch")
@costs("solving.low_rank", careful=SQUARED)
@composite
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Any, Any, Any]:
    """The principal components of rows: the greatest singular values of a matrix less the mean of its rows."""
    least = min(A.shape[-2:])
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise EngineValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise EngineValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - ops.sums.mean(A, -2, True)
    return svd_lowrank(A, q, niter)  # type: ignore[no-any-return]
