"""Eigenvalues of any square matrices: complex, whatever the matrices are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_tensor
from ...complex_twins import twin
from ...costs import costs
from ...dtypes import complex_of
from ...modes import is_followed
from ...numeric.halves import is_half
from ...registry import composite, primitive, public
from ...tensor import Array, Value, result
from ..matrix.decompositions import refuse_phases
from ..matrix.fitting_operands import type_name
from ..matrix.inverse import solve
from ..matrix.lu import by_columns
from ..matrix.square import diagonal, fill_diagonal, mH, square
from ..named_results import named_result
from .lazy import conjugate as conj
from .parts import real

Eig = named_result("linalg_eig", "eigenvalues", "eigenvectors")


@twin
@primitive(
    outputs=("eigenvalues", "eigenvectors"),
    A=lambda g, eigenvalues, eigenvectors: _back(g[0], g[1], eigenvalues, eigenvectors),
    no_half="linalg_eig_out_cpu",
)  # fmt: skip
def linalg_eig(A: Array) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of square matrices."""
    check(A, "linalg.eig")
    d = complex_of(A.dtype)
    values, vectors = np.linalg.eig(A)
    return values.astype(d, copy=False), by_columns(vectors.astype(d, copy=False))


def check(A: Array, name: str) -> None:
    """Refuse what has no eigenvalues."""
    square(A, name)
    if A.dtype.kind not in "fc":
        fail(f"Unknown Complex ScalarType for {type_name(A)}")
    if not np.isfinite(A).all():
        fail("torch.linalg.eig: input tensor should not contain infs or NaNs.")


def _back(gL: Value, gV: Value, L: Value, V: Value) -> Value:
    """The gradient of the eigenvalues and eigenvectors."""
    matmul, unsqueeze = ops.matmul.matmul, ops.views.unsqueeze
    if gV is None:
        return None if gL is None else solve(mH(V), unsqueeze(gL, -1) * mH(V))
    p = matmul(mH(V), gV)
    own = diagonal(p)
    refuse_phases("linalg_eig_backward", own._a.imag)
    p = p - matmul(mH(V), V * unsqueeze(real(own), -2))
    turned = conj(L)
    p = p / fill_diagonal(unsqueeze(turned, -2) - unsqueeze(turned, -1), 1)
    if gL is not None:
        p = fill_diagonal(p, gL)
    return solve(mH(V), matmul(p, mH(V)))


@public("linalg")
@costs("solving.decomposed")
@under_autocast("single")
@composite
def eig(A: Value) -> Any:
    """Eigenvalues and eigenvectors of any square matrices, in no order."""
    return Eig(linalg_eig(only_tensor("linalg_eig", A)))


@public("linalg")
@costs("solving.decomposed")
@under_autocast("single")
@composite
def eigvals(A: Value) -> Value:
    """Eigenvalues of any square matrices, in no order."""
    a = only_tensor("linalg_eigvals", A)
    if is_followed(a) or is_half(a._a.dtype):
        return linalg_eig(a)[0]
    check(a._a, "linalg.eigvals")
    return result(np.linalg.eigvals(a._a).astype(complex_of(a._a.dtype), copy=False))
