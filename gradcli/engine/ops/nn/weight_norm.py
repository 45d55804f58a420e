"""Weights as a length times a direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import ops
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Tensor, Value


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
    lengths = np.sqrt(np.add.reduce(v * v, _axes(v.ndim, dim), keepdims=True))
    return v * (g / lengths), lengths


def _shares(grad: Any, v: Any, g: Any, dim: int, lengths: Any) -> tuple[Value, Value]:
    """The gradients; where they are recorded, the lengths are computed anew: they depend on ``v``."""
    axes = _axes(v.ndim, dim)
    if isinstance(v, Tensor):
        squares = ops.power.pow(v, 2)
        lengths = ops.elementary.sqrt(ops.sums.sum_dim(squares, axes, True))
        along = ops.sums.sum_dim(grad * v, axes, True)
    else:
        along = np.add.reduce(grad * v, axes, keepdims=True)
    return g / lengths * (grad - v * (along / (lengths * lengths))), along / lengths


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
