"""Weights as a length times a direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import ops
from ...dtypes import F32
from ...flags import threads
from ...numeric.kernels.fused import multiply_add
from ...numeric.kernels.sums import LANES, in_vectors
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Tensor, Value

# Beyond so many rows a last digit is not worth a pass each.
_MOST_ROWS = 1 << 12


def _axes(n: int, dim: int) -> tuple[int, ...]:
    """All axes but one."""
    return tuple([k for k in range(n) if k != dim])


@primitive(
    node="WeightNormInterfaceBackward0",
    aside=("result1",),
    joint=lambda grad, v, g, dim, result1, *, wanted: _shares(grad, v, g, dim, result1),
    v=shared,
    g=shared,
)
def weight_norm_interface(v: Array, g: Array, dim: int = 0) -> tuple[Array, Array]:
    """Each part of ``v`` along an axis with the length that ``g`` gives it, and the lengths it had."""
    lengths = np.sqrt(_of_parts(v, v, dim))
    return v * (g / lengths), lengths


def _shares(grad: Any, v: Any, g: Any, dim: int, lengths: Any) -> tuple[Value, Value]:
    """The gradients; where they are recorded, the lengths are computed anew: they depend on ``v``."""
    if not isinstance(v, Tensor):
        of_g = _of_parts(grad, v, dim) / lengths
        factor = g / lengths
        return multiply_add(factor * grad, -v, factor * of_g / lengths), of_g
    axes = _axes(v.ndim, dim)
    squares = ops.power.pow(v, 2)
    lengths = ops.elementary.sqrt(ops.sums.sum_dim(squares, axes, True))
    along = ops.sums.sum_dim(grad * v, axes, True)
    return g / lengths * (grad - v * (along / (lengths * lengths))), along / lengths


def _of_parts(a: Array, b: Array, dim: int) -> Array:
    """The sum of ``a * b`` over all axes but the first or the last, added as PyTorch's kernel adds."""
    size = [1] * a.ndim
    size[dim] = own = a.shape[dim]
    if dim == 0 and a.size:
        return in_vectors((a * b).reshape(own, -1), LANES.get(a.dtype, 0)).reshape(size)
    rows = (a.size // own if own else 0, own)
    a, b = a.reshape(rows), b.reshape(rows)
    if a.dtype is not F32 or not a.size or len(a) > _MOST_ROWS:
        return np.add.reduce(a * b, 0).reshape(size)
    # Each thread adds up its rows, every product in one rounding.
    half = -(-len(a) // threads())
    parts = [_rows_in_turn(a[i : i + half], b[i : i + half]) for i in range(0, len(a), half)]
    return sum(parts[1:], parts[0]).reshape(size)


def _rows_in_turn(a: Array, b: Array) -> Array:
    """The sum of ``a * b`` down the rows, one after the other."""
    found = a[0] * b[0]
    for i in range(1, len(a)):
        found = multiply_add(found, a[i], b[i])
    return found


@primitive(
    node="NormBackward0",
    self=lambda g, self, result, p: ops.vector_norms.norm_backward(g, self, p, result, None, False),
)
def norm_all(self: Array, p: float = 2) -> Array:
    """The p-norm of all elements."""
    return ops.vector_norms.power_norm(self, float(p), None, False)


@public("torch")
@composite
def norm_except_dim(v: Value, pow: int = 2, dim: int = 0) -> Value:
    """The lengths of the parts of a tensor along an axis; of all of it for -1."""
    if dim == -1:
        return norm_all(v, pow)
    last = v.ndim - 1
    if dim in (0, last):
        own = v.shape[dim]
        rows = (own, math.prod(v.shape[1:])) if dim == 0 else (math.prod(v.shape[:-1]), own)
        size = [1] * v.ndim
        size[dim] = own
        flat = ops.views.view(ops.converting.contiguous(v), rows)
        return ops.views.view(ops.vector_norms.norm_dim(flat, pow, (0 if dim else 1,), False), tuple(size))
    return ops.views.transpose(norm_except_dim(ops.views.transpose(v, 0, dim), pow, 0), 0, dim)


@public("torch._weight_norm")
@composite
def weight_norm(v: Value, g: Value, dim: int = 0) -> Value:
    """Each part of ``v`` along an axis with the length that ``g`` gives it."""
    v, g = ops.converting.contiguous(v), ops.converting.contiguous(g)
    if dim in (0, v.ndim - 1):
        return weight_norm_interface(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
