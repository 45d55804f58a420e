"""Distances between all pairs of rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail
from ...costs import costs
from ...dtypes import F32, zeros_of
from ...numeric.kernels.products import product
from ...numeric.kernels.roots import square_root
from ...numeric.kernels.sums import along, squares_in_turn
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re, unlike
from .fitting_operands import type_name
from .square import mT

MODES = {
    None: 0,
    "use_mm_for_euclid_dist_if_necessary": 0,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}
# From this many rows on, Euclidean distances come of a product of matrices.
MANY = 25


def _steps(x1: Array, x2: Array) -> Array:
    return x1[..., :, None, :] - x2[..., None, :, :]


def _sizes(d: Array) -> Array:
    return d * np.sign(re(d))


@primitive(
    node="CdistBackward0",
    broadcasts=True,
    kink=lambda x1, x2, p: _steps(x1, x2) if p == 1 else lengths(_steps(x1, x2), p),
    domain=lambda x1, x2, p: lengths(_steps(x1, x2), p) != 0,
    x1=lambda g, x1, x2, p, result: _for_rows(_dense(g), x1, x2, p, result),
    x2=lambda g, x1, x2, p, result: _for_rows(_dense(mT(g)), x2, x1, p, _dense(mT(result))),
    form="aligned",
    no_half="cdist",
)
def cdist_forward(x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Distances between all pairs of rows, in the p-norm."""
    return lengths(_steps(x1, x2), p)


def lengths(d: Array, p: float) -> Array:
    """The p-norms of steps along the last axis."""
    if p == 0:
        return np.add.reduce(re(d) != 0, -1, dtype=d.dtype)
    if p == 2:
        return np.sqrt(squares_in_turn(d) if d.dtype is F32 and d.size else np.add.reduce(d * d, -1))
    size = _sizes(d)
    if p == 1:
        return np.add.reduce(size, -1)
    if math.isinf(p):
        if d.shape[-1] == 0:
            return zeros_of(d.shape[:-1], d.dtype)
        greatest = re(size).argmax(-1)[..., None]
        return np.take_along_axis(size, greatest, -1)[..., 0]
    return np.add.reduce(size**p, -1) ** (1 / p)


def _dense(x: Value) -> Value:
    return ops.converting.contiguous(x) if isinstance(x, Tensor) else x


@primitive(
    backward=True,
    node="CdistBackwardBackward0",
    no_derivative="_cdist_backward",
    grad=lambda g: None, x1=lambda g: None, x2=lambda g: None, cdist=lambda g: None
)
def cdist_backward(grad: Array, x1: Array, x2: Array, p: float, cdist: Array) -> Array:
    """The gradient of distances for the rows of the first operand."""
    return np.add.reduce(shares(grad, _steps(x1, x2), p, cdist), -2)


def shares(grad: Array, d: Array, p: float, lengths: Array) -> Array:
    """The gradient of the lengths of steps."""
    g, size = grad[..., None], lengths[..., None]
    apart = re(size) != 0
    some = np.where(apart, size, 1)
    if p == 0:
        return zeros_of(d.shape, d.dtype)
    if p == 1:
        return g * np.sign(re(d))
    if math.isinf(p):
        return g * np.sign(re(d)) * (re(_sizes(d)) == re(size))
    if p == 2:
        return np.where(apart, g * d / some, 0)
    step = re(d) != 0
    slope = np.where(step, _sizes(d), 1) ** (p - 1) * np.sign(re(d))
    return np.where(apart & step, slope * g / some ** (p - 1), 0)


def _for_rows(*given: Any) -> Value:
    return cdist_backward(*given)


@primitive(
    node="EuclideanDistBackward0",
    broadcasts=True,
    domain=lambda x1, x2: lengths(_steps(x1, x2), 2.0) != 0,
    joint=lambda g, x1, x2, result, *, wanted: _euclidean_backward(g, x1, x2, result),
    x1=lambda g: None,
    x2=lambda g: None,
    form="stacked",
)
def euclidean_dist(x1: Array, x2: Array) -> Array:
    """Euclidean distances between all pairs of rows, by one product of matrices."""
    # The squares of the lengths are among the terms of that product.
    n1, n2 = (along(x * x)[..., None] for x in (x1, x2))
    left = np.concatenate((x1 * -2, n1, np.ones_like(n1)), -1)
    right = np.concatenate((x2, np.ones_like(n2), n2), -1)
    squares = product(left, right.T) if left.ndim == right.ndim == 2 else np.matmul(left, mT(right))
    return square_root(np.where(re(squares) > 0, squares, 0))


def _euclidean_backward(g: Value, x1: Value, x2: Value, result: Value) -> tuple[Value, Value]:
    if isinstance(g, Tensor):
        ratio = ops.choosing.masked_fill(g / result, result == 0, 0)
    else:
        apart = re(result) != 0
        ratio = np.where(apart, g / np.where(apart, result, 1), 0)
    rows = ops.sums.sum_dim(ratio, (-1,), True)
    columns = ops.views.unsqueeze(ops.sums.sum_dim(ratio, (-2,), False), -1)
    return x1 * rows - ops.matmul.matmul(ratio, x2), x2 * columns - ops.matmul.matmul(mT(ratio), x1)


@public("torch")
@costs("multiplying.cdist")
@under_autocast("single")
@composite
def cdist(
    x1: Value, x2: Value, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary"
) -> Value:
    """Distances between all pairs of rows, in the p-norm."""
    if compute_mode not in MODES:
        raise EngineValueError(f"{compute_mode} is not a valid value for compute_mode")
    mode = MODES[compute_mode]
    a, b = (x._a if isinstance(x, Tensor) else x for x in (x1, x2))
    for name, x in (("X1", a), ("X2", b)):
        if x.ndim < 2:
            fail(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        fail(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    for name, x in (("X1", a), ("X2", b)):
        if x.dtype.kind not in "fc":
            fail(f"cdist only supports floating-point dtypes, {name} got: {type_name(x)}")
    if p < 0:
        fail("cdist only supports non-negative p values")
    if unlike(a, b):
        fail(f"expected scalar type {type_name(a)} but found {type_name(b)}")
    problem = broadcast_problem(a.shape[:-2], b.shape[:-2])
    if problem is not None:
        raise problem
    rows = (a.shape[-2], b.shape[-2])
    if p != 2 or mode == 2 or (mode == 0 and max(rows) <= MANY) or not a.size or not b.size:
        return cdist_forward(x1, x2, float(p))
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count = math.prod(stack)
    if count == 1 or not isinstance(x1, Tensor):
        dist = euclidean_dist(x1, x2)
    else:
        dist = euclidean_dist(_stacked(x1, stack, count), _stacked(x2, stack, count))
    return ops.views.view(dist, (*stack, *rows))


def _stacked(x: Tensor, stack: tuple[int, ...], count: int) -> Value:
    size = x._a.shape[-2:]
    return ops.views.view(ops.converting.contiguous(ops.views.expand(x, (*stack, *size))), (count, *size))
