"""Factors of symmetric and Hermitian matrices that need not be definite: L D L^T, by Bunch and Kaufman."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import given_for_out
from ...dtypes import DTYPES
from ...numeric.halves import is_half
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..named_results import named_result
from .lu import by_columns
from .square import floating, square

LDLFactor = named_result("linalg_ldl_factor", "LD", "pivots")
LDLFactorEx = named_result("linalg_ldl_factor_ex", "LD", "pivots", "info")

# Below this share of the largest entry of a column, a diagonal entry is no pivot by itself.
_ALPHA = (1 + math.sqrt(17)) / 8


@primitive(outputs=("LD", None, None), not_implemented="linalg_ldl_factor_ex", self=None)
def linalg_ldl_factor_ex(self: Array, hermitian: bool = False) -> tuple[Array, Array, Array]:
    """Packed factors L and D, the row exchanges, and for each matrix 0 or where its first zero pivot is."""
    n = self.shape[-1]
    LD = stacked(np.tril(self))
    pivots, info = np.zeros((len(LD), n), np.int32), np.zeros(len(LD), np.int32)
    for i, a in enumerate(LD):
        info[i] = _factored(a, pivots[i], hermitian and self.dtype.kind == "c")
    lead = self.shape[:-2]
    return by_columns(LD.reshape(self.shape)), pivots.reshape(*lead, n), info.reshape(lead)[()]


def stacked(a: Array) -> Array:
    """The matrices of a stack of stacks, one after the other."""
    return a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:])


def _size(x: Array) -> Array:
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _conj(x: Any, hermitian: bool) -> Any:
    return x.conj() if hermitian else x


def _factored(a: Array, pivots: Array, hermitian: bool) -> int:
    """Factor the lower triangle of a matrix in its place; return where its first zero pivot is, or 0."""
    n, info, k = len(a), 0, 0
    while k < n:
        if hermitian:
            a[k, k] = a[k, k].real
        p, step = _pivot(a, k)
        if p < 0:
            info = info or k + 1
            pivots[k] = k + 1
            k += 1
            continue
        kk = k + step - 1
        if p != kk:
            _exchange(a, k, kk, p, step, hermitian)
        _eliminate(a, k, step, hermitian)
        pivots[k : k + step] = p + 1 if step == 1 else -(p + 1)
        k += step
    return info


def _pivot(a: Array, k: int) -> tuple[int, int]:
    """The row that becomes row k, or k + 1, and the size of the pivot; -1 for the row where all is zero."""
    own = float(_size(a[k, k]))
    below = _size(a[k + 1 :, k])
    column = float(below.max(initial=0))
    if max(own, column) == 0:
        return -1, 1
    if own >= _ALPHA * column or math.isnan(own):
        return k, 1
    row = k + 1 + int(below.argmax())
    largest = max(float(_size(a[row, k:row]).max(initial=0)), float(_size(a[row + 1 :, row]).max(initial=0)))
    if own >= _ALPHA * column * (column / largest):
        return k, 1
    return row, 1 if float(_size(a[row, row])) >= _ALPHA * largest else 2


def _exchange(a: Array, k: int, kk: int, p: int, step: int, hermitian: bool) -> None:
    """Exchange rows and columns kk and p of what is left."""
    a[p + 1 :, [kk, p]] = a[p + 1 :, [p, kk]]
    between = a[kk + 1 : p, kk].copy()
    a[kk + 1 : p, kk] = _conj(a[p, kk + 1 : p], hermitian)
    a[p, kk + 1 : p] = _conj(between, hermitian)
    a[p, kk] = _conj(a[p, kk], hermitian)
    a[[kk, p], [kk, p]] = a[[p, kk], [p, kk]]
    if step == 2:
        a[[k + 1, p], k] = a[[p, k + 1], k]


def _eliminate(a: Array, k: int, step: int, hermitian: bool) -> None:
    """Take the part of a pivot from what is left, and put its columns of L in their place."""
    rest = slice(k + step, None)
    x = a[rest, k : k + step].copy()
    if not len(x):
        return
    d = a[k : k + step, k : k + step].copy()
    if step == 1:
        columns = x / (d[0, 0].real if hermitian else d[0, 0])
    else:
        if hermitian:
            d[1, 1] = d[1, 1].real
        d[0, 1] = _conj(d[1, 0], hermitian)
        columns = _divided(x, d)
    a[rest, rest] -= np.tril(columns @ _conj(x, hermitian).T)
    a[rest, k : k + step] = columns


def _divided(x: Array, d: Array) -> Array:
    """Rows divided by a block of two by two: x D^-1, scaled so that nothing overflows."""
    off, other = d[1, 0], d[0, 1]
    d11, d22 = d[1, 1] / off, d[0, 0] / other
    t = 1 / (d11 * d22 - 1)
    first = (d11 * x[:, 0] - x[:, 1]) * (t / other)
    second = (d22 * x[:, 1] - x[:, 0]) * (t / off)
    return np.stack([first, second], -1)


def _check(A: Value, name: str) -> None:
    if is_half(A._a.dtype):
        raise EngineNotImplementedError(
            f"\"ldl_factor_kernel_cpu\" not implemented for '{DTYPES[A._a.dtype].tensor_name}'"
        )
    square(A._a, name)
    floating(A._a, name)


def _refuse(info: Value, name: str) -> None:
    a = info._a
    if a.any():
        fail(f"{name}: the matrix is singular: pivot {int(np.ravel(a)[np.flatnonzero(a)[0]])} of D is zero")


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def ldl_factor_ex(A: Value, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """Packed factors L and D of symmetric matrices, the row exchanges, and where the first zero pivots are."""
    if type(hermitian) is not bool:
        only_bools("linalg_ldl_factor_ex", hermitian=hermitian)
    _check(A, "torch.linalg.ldl_factor_ex")
    LD, pivots, info = linalg_ldl_factor_ex(A, hermitian)
    if check_errors:
        _refuse(info, "torch.linalg.ldl_factor_ex")
    return LDLFactorEx((LD, pivots, info))


@public("linalg")
@given_for_out()
@costs("solving.decomposed")
@composite
def ldl_factor(A: Value, *, hermitian: bool = False) -> Any:
    """Packed factors L and D of symmetric matrices, and the row exchanges, negative for pivots of two rows."""
    if type(hermitian) is not bool:
        only_bools("linalg_ldl_factor", hermitian=hermitian)
    _check(A, "torch.linalg.ldl_factor_ex")
    LD, pivots, info = linalg_ldl_factor_ex(A, hermitian)
    _refuse(info, "torch.linalg.ldl_factor")
    return LDLFactor((LD, pivots))


@primitive(without_rule=("pivots",), not_implemented="linalg_ldl_solve", LD=None, B=None)
def linalg_ldl_solve(LD: Array, pivots: Array, B: Array, hermitian: bool = False) -> Array:
    """Solutions X of A X = B, of the packed factors of A."""
    n = LD.shape[-1]
    lead = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    factors = stacked(np.broadcast_to(LD, (*lead, n, n)))
    exchanges = np.broadcast_to(pivots, (*lead, n)).reshape(len(factors), n)
    x = stacked(np.broadcast_to(B, (*lead, *B.shape[-2:]))).copy()
    for a, at, b in zip(factors, exchanges, x, strict=True):
        _solve(a, at, b, hermitian and LD.dtype.kind == "c")
    return by_columns(x.reshape(*lead, *B.shape[-2:]))


def _blocks(pivots: Array) -> list[tuple[int, int, int]]:
    """Where each pivot begins, how many rows it has, and with which row its last one was exchanged."""
    found, k = [], 0
    while k < len(pivots):
        step = 1 if pivots[k] > 0 else 2
        found.append((k, step, abs(int(pivots[k])) - 1))
        k += step
    return found


def _solve(a: Array, pivots: Array, b: Array, hermitian: bool) -> None:
    """Solve a system in the place of its right sides."""
    blocks = _blocks(pivots)
    for k, step, p in blocks:
        kk, rest = k + step - 1, slice(k + step, None)
        b[[kk, p]] = b[[p, kk]]
        b[rest] -= a[rest, k : k + step] @ b[k : k + step]
        d = a[k : k + step, k : k + step].copy()
        if step == 1:
            b[k] /= d[0, 0]
        else:
            d[0, 1] = _conj(d[1, 0], hermitian)
            b[k : k + 2] = _divided(b[k : k + 2].T, d.T).T
    for k, step, p in reversed(blocks):
        kk, rest = k + step - 1, slice(k + step, None)
        b[k : k + step] -= _conj(a[rest, k : k + step], hermitian).T @ b[rest]
        b[[kk, p]] = b[[p, kk]]


@public("linalg")
@given_for_out()
@costs("solving.solved")
@composite
def ldl_solve(LD: Value, pivots: Value, B: Value, *, hermitian: bool = False) -> Value:
    """Solution of systems of symmetric matrices, of the factors that ldl_factor gives."""
    if type(hermitian) is not bool:
        only_bools("linalg_ldl_solve", hermitian=hermitian)
    name = "torch.linalg.ldl_solve"
    square(LD._a, name)
    floating(LD._a, name)
    if B._a.ndim < 2:
        fail(f"{name}: Expected B to have at least 2 dimensions, but it has {B._a.ndim} dimensions instead")
    if LD._a.shape[-1] != B._a.shape[-2]:
        n, (rows, columns) = LD._a.shape[-1], B._a.shape[-2:]
        fail(
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {rows} by "
            f"{columns}"
        )
    if LD._a.dtype is not B._a.dtype:
        words = (DTYPES[x._a.dtype].tensor_name for x in (B, LD))
        fail("Expected b and A to have the same dtype, but found b of type {} and A of type {} instead.".format(*words))
    if pivots._a.dtype.kind not in "iu":
        fail(f"{name}: Expected pivots to be integers. Got {DTYPES[pivots._a.dtype].tensor_name}")
    if LD._a.shape[:-1] != pivots._a.shape:
        fail(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._a.shape)} instead"
        )
    return linalg_ldl_solve(LD, pivots, B, hermitian)
