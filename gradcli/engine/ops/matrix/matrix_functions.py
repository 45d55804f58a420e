"""Functions of matrices: pseudo-inverse, exponential, rank, condition, least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import Unsupported
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, only_bools
from ...costs import costs
from ...declaration import SAFELY, given_for_out
from ...dtypes import part_of, wider, zeros_of
from ...numeric.halves import computed, is_half
from ...registry import composite, constant, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..named_results import named_result
from .fitting_operands import type_name
from .square import floating, is_vector, matrices, mH, mT, narrow, square

Lstsq = named_result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


# -- pseudo-inverse ----------------------------------------------------------------------------


@primitive(self=lambda g, self, result: pinv_backward(g, result, self), form="stacked")
def linalg_pinv(self: Array, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Array:
    """Pseudo-inverse of matrices."""
    check_pinv(self, hermitian)
    m, n = self.shape[-2:]
    a = self.real
    if self.size == 0:
        return zeros_of((*self.shape[:-2], n, m), self.dtype)
    if hermitian:
        values, U = np.linalg.eigh(a)
        Vh, sizes = mT(U), np.abs(values)
    else:
        U, values, Vh = np.linalg.svd(a, False)
        sizes = values
    small = sizes <= tolerance(sizes, atol, rtol, m, n)
    inverses = np.where(small, 0, 1 / np.where(small, 1, values)).astype(a.dtype)
    p = np.matmul(mT(Vh) * inverses[..., None, :], mT(U))
    return p + 1j * _pinv_jvp(a, p, self.imag) if self.dtype.kind == "c" else p


def check_pinv(a: Array, hermitian: bool) -> None:
    """Refuse what has no pseudo-inverse."""
    if a.ndim < 2 or a.dtype.kind not in "fc" or is_half(a.dtype):
        fail(
            f"linalg.pinv({type_name(a)}{{{list(a.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    if hermitian and a.size:
        square(a, "linalg.pinv")


def tolerance(sizes: Array, atol: Any, rtol: Any, m: int, n: int) -> Array:
    """The size up to which a singular value counts as 0."""
    atol, rtol = (x._a if isinstance(x, Tensor) else x for x in (atol, rtol))
    if rtol is None:
        rtol = np.where(np.greater(0.0 if atol is None else atol, 0), 0.0, np.finfo(sizes.dtype).eps * max(m, n))
    atol = 0.0 if atol is None else atol
    greatest = sizes.max(-1, initial=0)
    return np.maximum(atol, np.asarray(rtol) * greatest)[..., None]


def _pinv_jvp(a: Array, p: Array, d: Array) -> Array:
    """The derivative of a pseudo-inverse in a direction."""
    t, pt = mT(d), mT(p)
    return (
        np.matmul(p, np.matmul(pt, t) @ (np.eye(a.shape[-2]) - a @ p)) - p @ d @ p
        + (np.eye(a.shape[-1]) - p @ a) @ t @ pt @ p
    )  # fmt: skip


def pinv_backward(g: Value, p: Value, A: Value) -> Value:
    """The gradient of a pseudo-inverse, by products of the smaller side."""
    m, n = A.shape[-2:]
    mul = ops.matmul.matmul
    pt, gt = mH(p), mH(g)
    if m <= n:
        k = mul(gt, p)
        kpt = mul(k, pt)
        return -mH(mul(p, k)) + kpt - mul(mul(A, p), kpt) + mul(mul(pt, p), gt - mul(k, A))
    k = mul(p, gt)
    ptk = mul(pt, k)
    return -mH(mul(k, p)) + mul(mul(gt - mul(A, k), p), pt) + ptk - mul(mul(ptk, p), A)


@public("linalg")
@given_for_out("linalg.{name}" + SAFELY, cast=True)
@costs("solving.tolerant")
@composite
def pinv(
    A: Value, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Value:
    """Pseudo-inverse of matrices: singular values up to max(atol, rtol * the greatest) count as 0."""
    if type(hermitian) is not bool:
        only_bools("linalg_pinv", hermitian=hermitian)
    _refuse_halves(A)
    return linalg_pinv(A, atol, rcond if rtol is None else rtol, hermitian)


def _refuse_halves(A: Value) -> None:
    a = A._a if isinstance(A, Tensor) else A
    if is_half(a.dtype):
        check_pinv(a, False)


@public("torch Tensor")
@costs("solving.tolerant")
@under_autocast("single")
@composite
def pinverse(input: Value, rcond: float = 1e-15) -> Value:
    """Pseudo-inverse of matrices."""
    _refuse_halves(input)
    return linalg_pinv(input, 0.0, rcond, False)


@constant
def ranks(a: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    """The number of singular values above the tolerance."""
    sizes = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
    if a.size == 0:
        return np.zeros(a.shape[:-2], np.int64)[()]
    return np.add.reduce(sizes > tolerance(sizes, atol, rtol, *a.shape[-2:]), -1, dtype=np.int64)


@public("linalg")
@costs("solving.tolerant")
@under_autocast("single")
@composite
def matrix_rank(
    A: Value, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Value:
    """Rank of matrices: singular values up to max(atol, rtol * the greatest) count as 0."""
    if type(hermitian) is not bool:
        only_bools("linalg_matrix_rank", hermitian=hermitian)
    a = A._a if isinstance(A, Tensor) else A
    matrices(a, "torch.linalg.matrix_rank", "input")
    inexact(a)
    if tol is not None:
        atol, rtol = tol, 0.0
    found = ranks(A, atol, rtol, hermitian)
    return ops.matmul.written(found) if isinstance(A, Tensor) else found


# -- exponential -------------------------------------------------------------------------------


@primitive(self=lambda g, self: exponential_differential(self, g), form="stacked")
def linalg_matrix_exp(self: Array) -> Array:
    """Exponential of square matrices."""
    square(self, "linalg.matrix_exp")
    floating(self, "linalg.matrix_exp")
    return exponential(self)


# Numerator of the diagonal Pade approximant of order 13, and the size up to which it is accurate.
_PADE = (
    64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
    10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
)  # fmt: skip
_REACH = 4.25


def exponential(a: Array, sizes: Callable[[Array], Array] = lambda a: np.abs(a.real)) -> Array:
    """Exponential of square matrices: scaled down, approximated, squared up again."""
    n = a.shape[-1]
    if a.size == 0:
        return a.copy()
    if is_half(a.dtype):
        return computed(exponential, a.dtype, a)
    size = sizes(a).sum(-2).max(-1)
    finite = np.where(np.isfinite(size), size, 0)
    halvings = np.ceil(np.log2(np.maximum(finite / _REACH, 1))).astype(np.int64)
    x = (a * (0.5**halvings)[..., None, None]).astype(a.dtype)
    eye = np.eye(n, dtype=a.dtype)
    x2 = np.matmul(x, x)
    x4 = np.matmul(x2, x2)
    x6 = np.matmul(x2, x4)
    b = [a.dtype.type(c) for c in _PADE]
    odd = np.matmul(x6, b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * eye
    odd = np.matmul(x, odd)
    even = np.matmul(x6, b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * eye
    r = np.linalg.solve(even - odd, even + odd)
    for i in range(int(halvings.max())):
        r = np.where((halvings > i)[..., None, None], np.matmul(r, r), r)
    return r


def exponential_differential(A: Value, g: Value) -> Value:
    """The gradient of the exponential: a corner of the exponential of twice as large matrices."""
    n = A.shape[-1]
    a = A._a if isinstance(A, Tensor) else A
    d = (g._a if isinstance(g, Tensor) else g).dtype
    t = mH(A)
    both = zeros_of((*a.shape[:-2], 2 * n, 2 * n), wider(d, a.dtype))
    if isinstance(g, Tensor):
        wide = result(both)
        for i, j, part in ((0, 0, t), (n, n, t), (0, n, g)):
            narrow(narrow(wide, -2, i, n), -1, j, n).copy_(part)
        return narrow(narrow(linalg_matrix_exp(wide), -2, 0, n), -1, n, n)
    both[..., :n, :n] = both[..., n:, n:] = t
    both[..., :n, n:] = g
    return exponential(both)[..., :n, n:]


@public("linalg torch Tensor")
@costs("solving.matrix_exp")
@composite
def matrix_exp(A: Value) -> Value:
    """Exponential of square matrices."""
    return linalg_matrix_exp(A)


# -- least squares -----------------------------------------------------------------------------


@primitive(
    outputs=("solution", "residuals", None, None),
    joint=lambda g, self, b, solution, *, wanted: _lstsq_backward(g[0], g[1], self, b, solution, wanted),
    self=lambda g: None,
    b=lambda g: None,
    no_half="This function doesn't handle types other than float and double",
)
def linalg_lstsq(
    self: Array, b: Array, rcond: float | None = None, driver: str | None = None
) -> tuple[Array, Array, Array, Array]:
    """Least-squares solutions of linear systems, with residuals, ranks and singular values where LAPACK has them."""
    return least_squares(self, b, rcond, driver, linalg_pinv.op.forward)


def inexact(a: Array) -> None:
    """Refuse what has no rounding unit to measure by."""
    if a.dtype.kind not in "fc" or is_half(a.dtype):
        fail("This function doesn't handle types other than float and double")


def least_squares(
    self: Array, b: Array, rcond: float | None, driver: str | None, pinv: Any, for_complex: bool = False
) -> tuple[Array, Array, Array, Array]:
    """The same, by a function that makes pseudo-inverses; of readings, unless ``for_complex``."""
    name = "torch.linalg.lstsq"
    if self.ndim < 2:
        fail(f"{name}: input must have at least 2 dimensions.")
    if b.ndim < 1:
        fail(f"{name}: other must have at least 1 dimension.")
    if self.dtype != b.dtype and (for_complex or "c" not in self.dtype.kind + b.dtype.kind):
        fail(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {type_name(self)} and "
            f"other's dtype {type_name(b)}"
        )
    inexact(self)
    vector = is_vector(self, b)
    if not 0 <= self.ndim - b.ndim <= 1:
        fail(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    problem = broadcast_problem(self.shape[:-2], b.shape[:-1] if b.ndim < self.ndim else b.shape[:-2])
    if problem is not None and not vector:
        raise problem
    rhs = b[..., None] if vector else b
    m, n = self.shape[-2:]
    if rhs.shape[-2] != m:
        fail(f"{name}: input.size(-2) should match other.size({'-1' if vector else '-2'})")
    driver = driver or "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        fail(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    rtol = np.finfo(self.real.dtype).eps * max(m, n) if rcond is None else rcond
    p = pinv(self, 0.0, rtol)
    # LAPACK leaves the solution in the memory of the right-hand side.
    found_x = np.matmul(p, rhs)
    memory = zeros_of((*found_x.shape[:-2], rhs.shape[-1], max(m, n)), found_x.dtype)
    x = memory.swapaxes(-1, -2)[..., :n, :]
    x[...] = found_x
    sizes = np.linalg.svd(self if for_complex else self.real, compute_uv=False)
    found = np.add.reduce(sizes > rtol * sizes.max(-1, initial=0)[..., None], -1, dtype=np.int64)
    if rcond is not None and driver == "gelsy":
        dropped = (sizes <= rcond * sizes[..., :1]) & (sizes > tolerance(sizes, None, None, m, n))
        if dropped.any():
            raise Unsupported("linalg.lstsq(): rcond that drops more than rounding errors needs driver='gelsd'")
    empty = zeros_of(0, part_of(self.dtype) if for_complex else self.dtype)
    residuals = empty
    if driver != "gelsy" and m > n and (driver == "gels" or np.all(found == n)):
        r = np.matmul(self, x) - rhs
        residuals = np.add.reduce((r * r.conj()).real if for_complex else r * r, -2)
    return (
        x[..., 0] if vector else x,
        residuals,
        np.zeros(0, np.int64) if driver == "gels" else found,
        sizes if driver in ("gelsd", "gelss") else empty.real,
    )


def _lstsq_backward(
    gX: Value, gL: Value, A: Value, B: Value, X: Value, wanted: list[bool]
) -> tuple[Value, Value]:
    raw = not isinstance(A, Tensor)
    vector = is_vector(A, B) if raw else is_vector(A._a, B._a)

    def matrix(x: Value) -> Value:
        return ops.views.unsqueeze(x, -1) if vector else x

    def back(x: Value) -> Value:
        return ops.views.squeeze_dim(x, -1) if vector else x

    if gL is not None and 0 in gL.shape:
        gL = None
    gA = gB = None
    b = matrix(B)
    if gX is not None:
        g = matrix(gX)
        p = pinv(A)
        if wanted[0]:
            gA = pinv_backward(ops.matmul.matmul(g, mH(b)), p, A)
        if wanted[1]:
            gB = back(ops.matmul.matmul(mH(p), g))
    if gL is not None:
        x = matrix(X)
        r = ops.matmul.matmul(A, x) - b
        g = ops.views.unsqueeze(gL, -2)
        if wanted[0]:
            more = ops.matmul.matmul(g * r, mH(x)) * 2
            gA = more if gA is None else gA + more
        if wanted[1]:
            more = back(g * -2 * r)
            gB = more if gB is None else gB + more
    return gA, gB


@public("linalg")
@costs("solving.lstsq")
@under_autocast("single")
@composite
def lstsq(input: Value, b: Value, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Least-squares solutions of linear systems."""
    return Lstsq(linalg_lstsq(input, b, rcond, driver))
