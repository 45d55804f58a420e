"""Which operands of a product go together, and PyTorch's words for those that do not."""

from __future__ import annotations

from ...call_errors import fail
from ...dtypes import DTYPES, Array
from ..pointwise.masks import refuse_bool


def type_name(a: Array) -> str:
    """An array's element type, as PyTorch's messages name it."""
    name: str = DTYPES[a.dtype].tensor_name
    return name


def c_name(a: Array) -> str:
    """An array's element type, as C++ names it."""
    name: str = DTYPES[a.dtype].c_name
    return name


def fits_mm(a: Array, b: Array) -> None:
    """Refuse what is no pair of matrices with a common inner length."""
    if a.ndim != 2:
        fail("self must be a matrix")
    if b.ndim != 2:
        fail("mat2 must be a matrix")
    fits_inner(a, b)
    if a.dtype != b.dtype:
        fail(f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}")
    refuse_bool("addmm_impl_cpu_", a)


def fits_inner(a: Array, b: Array) -> None:
    """Refuse matrices without a common inner length."""
    (m, k), (n, p) = a.shape, b.shape
    if k != n:
        fail(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {n}x{p})")


def fits_mv(a: Array, b: Array) -> None:
    """Refuse what is no matrix with a vector of its width."""
    if a.ndim != 2 or b.ndim != 1:
        rank = 1 if b.ndim == 1 else a.ndim
        fail(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}" if rank else "")
    if a.shape[1] != b.shape[0]:
        fail(f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec ({b.shape[0]})")
    if a.dtype != b.dtype:
        v, m = type_name(b), type_name(a)
        fail(f"addmv input tensors must have the same dtype, but got {v}, {m}, and {v}")
    refuse_bool("addmv_impl_cpu", a)


def fits_dot(a: Array, b: Array) -> None:
    """Refuse what is no pair of vectors of one length."""
    if a.ndim != 1 or b.ndim != 1:
        fail(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        fail(f"dot : expected both vectors to have same dtype, but found {type_name(a)} and {type_name(b)}")
    if a.shape != b.shape:
        fail(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively"
        )
    refuse_bool("dot", a)


def fits_bmm(a: Array, b: Array) -> None:
    """Refuse what is no pair of equally long stacks of matrices with a common inner length."""
    if a.ndim != 3:
        fail("batch1 must be a 3D tensor")
    if b.ndim != 3:
        fail("batch2 must be a 3D tensor")
    if b.shape[:2] != (a.shape[0], a.shape[2]):
        fail(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    if a.dtype != b.dtype:
        fail(f"expected scalar type {type_name(a)} but found {type_name(b)}")
    refuse_bool("bmm", a)
