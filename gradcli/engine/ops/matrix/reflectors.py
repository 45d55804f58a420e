"""Products of elementary reflectors, as a QR factorisation leaves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, only_bools
from ...costs import SQUARED, costs
from ...declaration import SAFELY, given_for_out
from ...numeric.kernels.orthogonal import multiplies, packed, product as in_turn
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, result
from ..common import unlike
from ..named_results import named_result
from ..pointwise.masks import refuse_integers
from .fitting_operands import type_name
from .lu import by_columns
from .square import matrices, mT


def _reflector(a: Array, i: int) -> Array:
    """The vectors of the i-th reflectors, as columns: what is below the diagonal, and a one on it."""
    v = np.zeros((*a.shape[:-1], 1), a.dtype)
    v[..., i, 0] = 1
    v[..., i + 1 :, 0] = a[..., i + 1 :, i]
    return v


def applied(a: Array, tau: Array, c: Array, ascending: bool, adjoint: Any = mT) -> Array:
    """The product of the reflectors, in one order or the other, and matrices; ``adjoint``: of vectors."""
    count = tau.shape[-1]
    for i in range(count - 1, -1, -1) if ascending else range(count):
        v = _reflector(a, i)
        c = c - tau[..., i, None, None] * np.matmul(v, np.matmul(adjoint(v), c))
    return c


def _same(x: Value) -> Value:
    return x


def gradients(
    g: Value, a: Value, tau: Value, c: Value, ascending: bool, adjoint: Any = mT, conj: Any = _same
) -> tuple[Value, Value, Value]:
    """The gradients of the reflectors, their factors, and the matrices that they are applied to."""
    matmul, narrow = ops.matmul.matmul, ops.reshaping.narrow
    raw = a._a if isinstance(a, Tensor) else a
    *batch, m, n = raw.shape
    count = tau.shape[-1]
    if not raw.size or not count or 0 in tau.shape:
        return None, None, g

    def plain(x: Array) -> Value:
        return result(x) if isinstance(a, Tensor) else x

    def reflector(i: int) -> tuple[Value, Value]:
        head = np.zeros((*batch, i + 1, 1), raw.dtype)
        head[..., i, 0] = 1
        below = narrow(narrow(a, -1, i, 1), -2, i + 1, m - i - 1)
        factor = ops.views.unsqueeze(narrow(tau, -1, i, 1), -1)
        return ops.joining.cat([plain(head), below], -2), factor

    order = range(count) if ascending else range(count - 1, -1, -1)
    parts = {i: reflector(i) for i in order}
    # What each reflector was applied to, from the last one on.
    before: dict[int, Value] = {}
    for i in reversed(order):
        before[i] = c
        v, factor = parts[i]
        c = c - factor * matmul(v, matmul(adjoint(v), c))
    columns: dict[int, Value] = {}
    factors: dict[int, Value] = {}
    for i in order:
        v, factor = parts[i]
        seen, sent = matmul(adjoint(before[i]), v), matmul(adjoint(g), v)
        factors[i] = -ops.views.squeeze_dim(matmul(adjoint(sent), seen), -1)
        columns[i] = -(conj(factor) * matmul(g, seen) + factor * matmul(before[i], sent))
        g = g - conj(factor) * matmul(v, adjoint(sent))
    beyond = plain(np.zeros((*batch, m, n - count), raw.dtype))
    ga = ops.reordering.tril(ops.joining.cat([*(columns[i] for i in range(count)), beyond], -1), -1)
    return ga, ops.joining.cat([factors[i] for i in range(count)], -1), g


def _check(a: Array, tau: Array, name: str) -> None:
    if a.ndim < 2:
        fail(f"{name}: input must have at least 2 dimensions.")
    refuse_integers("orgqr_cpu", a)
    if a.shape[-1] > a.shape[-2]:
        fail(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if tau.shape[-1:] and tau.shape[-1] > a.shape[-1]:
        fail(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if a.ndim - tau.ndim != 1:
        fail(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {a.ndim}"
        )
    if tau.shape[:-1] != a.shape[:-2]:
        fail(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )
    if unlike(tau, a):
        fail(f"{name}: tau dtype {type_name(tau)} does not match input dtype {type_name(a)}")


# -- the orthogonal matrix itself ------------------------------------------------------------------


@public("linalg")
@given_for_out("torch.linalg.{name}" + SAFELY, cast=True)
@costs("solving.decomposed")
@under_autocast("single")
@primitive(
    node="LinalgHouseholderProductBackward0",
    joint=lambda g, input, tau, result, *, wanted: product_backward(g, input, tau),
    input=lambda g: None,
    tau=lambda g: None,
    form="stacked",
    no_half="orgqr_cpu",
)
def householder_product(input: Array, tau: Array) -> Array:
    """The first columns of the product of reflectors."""
    return product(input, tau)


def product(a: Array, tau: Array, adjoint: Any = mT) -> Array:
    """The first columns of the product of reflectors."""
    _check(a, tau, "torch.linalg.householder_product")
    m, n = a.shape[-2:]
    if multiplies(tau) and a.dtype is tau.dtype:
        return by_columns(np.swapaxes(in_turn(np.swapaxes(a, -1, -2), tau, n), -1, -2))
    eye = np.broadcast_to(np.eye(m, n, dtype=a.dtype), a.shape)
    return by_columns(applied(a, tau, eye, True, adjoint))


def product_backward(g: Value, a: Value, tau: Value, **complex_forms: Any) -> tuple[Value, Value]:
    """The gradients of the reflectors and their factors."""
    raw = a._a if isinstance(a, Tensor) else a
    eye: Any = np.array(np.broadcast_to(np.eye(*raw.shape[-2:], dtype=raw.dtype), raw.shape))
    ga, gtau, _ = gradients(g, a, tau, result(eye) if isinstance(a, Tensor) else eye, True, **complex_forms)
    return ga, gtau


Reflectors = named_result("geqrf", "a", "tau")


@public("torch Tensor")
@costs("solving.decomposed")
@composite
def geqrf(input: Value) -> Any:
    """A QR factorisation as LAPACK has it: reflectors below the diagonal of R, and their factors."""
    return Reflectors(reflected(input))


@primitive(
    outputs=("a", "tau"), node="GeqrfBackward0", no_derivative="geqrf", self=None, form="stacked",
    no_half="geqrf_cpu",
)
def reflected(self: Array) -> tuple[Array, Array]:
    """The same, as a plain pair; without a derivative, as PyTorch has it."""
    if self.ndim < 2:
        fail("torch.geqrf: input must have at least 2 dimensions.")
    refuse_integers("geqrf_cpu", self)
    columns, factors = packed(self)
    return by_columns(np.swapaxes(columns, -1, -2)), factors


@public("torch Tensor")
@costs("solving.decomposed")
@composite
def orgqr(input: Value, input2: Value) -> Value:
    """The first columns of the product of reflectors, by the older name."""
    return householder_product(input, input2)


# -- the same, multiplied with matrices --------------------------------------------------------------


@public("torch Tensor")
@costs("solving.reflected", careful=SQUARED)
@primitive(
    no_whole="ormqr_cpu",
    joint=lambda g, self, input2, input3, left, transpose, result, *, wanted: _multiplied_backward(
        g, self, input2, input3, left, transpose
    ),
    self=lambda g: None,
    input2=lambda g: None,
    input3=lambda g: None,
    form="stacked",
    no_half="ormqr_cpu",
)
def ormqr(self: Array, input2: Array, input3: Array, left: bool = True, transpose: bool = False) -> Array:
    """Matrices multiplied with the product of reflectors, from the left or the right."""
    only_bools("ormqr", left=left, transpose=transpose)
    check_multiplied(self, input2, input3, left)
    if left:
        return by_columns(applied(self, input2, input3, not transpose))
    return by_columns(mT(applied(self, input2, mT(input3), transpose)))


def check_multiplied(self: Array, input2: Array, input3: Array, left: bool) -> None:
    """Refuse what cannot be multiplied."""
    name = "torch.ormqr"
    matrices(self, name, "input")
    matrices(input3, name, "other")
    side = -2 if left else -1
    if self.ndim - input2.ndim != 1:
        fail(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {input2.ndim} "
            f"and input.ndim is equal to {self.ndim}"
        )
    if self.ndim != input3.ndim:
        fail(
            f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{input3.ndim} and input.ndim is equal to {self.ndim}"
        )
    if input3.shape[side] != self.shape[-2]:
        fail(f"{name}: other.shape[{side}] must be equal to input.shape[-2]")
    if input2.shape[-1] != min(input3.shape[side], self.shape[-1]):
        fail(f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")


def _multiplied_backward(
    g: Value, a: Value, tau: Value, other: Value, left: bool, transpose: bool
) -> tuple[Value, Value, Value]:
    if left:
        return gradients(g, a, tau, other, not transpose)
    ga, gtau, gother = gradients(mT(g), a, tau, mT(other), transpose)
    return ga, gtau, mT(gother)
