"""Reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import primitive, public
from ..tensor import Array, Tensor, Value
from . import shape


@primitive(node="SumBackward0", self=lambda g, self_sym_sizes: shape.expand(g, self_sym_sizes))
def sum_all(self: Array) -> Array:
    """The sum of all elements."""
    return np.add.reduce(self, None)


@primitive(node="SumBackward1", self=lambda g, self_sym_sizes, dim, keepdim: g)
def sum_dim(self: Array, dim: Any, keepdim: bool = False) -> Array:
    """The sum along axes."""
    return np.add.reduce(self, dim, keepdims=keepdim)


@public("torch Tensor")
def sum(input: Value, dim: Any = None, keepdim: bool = False) -> Value:
    """The sum of all elements, or along axes."""
    return sum_all(input) if dim is None else sum_dim(input, dim, keepdim)


def sum_to(g: Value, size: tuple[int, ...]) -> Value:
    """``g`` summed over the axes along which ``size`` was broadcast to it."""
    a = g._a if isinstance(g, Tensor) else g
    if a.shape == size:
        return g
    lead = a.ndim - len(size)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(size) if n == 1 and a.shape[i + lead] != 1)
    if axes:
        g = sum_dim(g, axes, True)
    return shape.view(g, size) if lead else g
