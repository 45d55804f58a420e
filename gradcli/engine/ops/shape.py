"""Shapes: views, joins and splits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..registry import primitive, public
from ..tensor import Array, Value
from . import reduce


@public("Tensor")
@primitive(view=True, self=lambda g, self_sym_sizes: reduce.sum_to(g, self_sym_sizes))
def expand(self: Array, size: Any) -> Array:
    """The same elements, repeated along new or length-1 axes without a copy."""
    if self.ndim == 0 and not isinstance(self, np.ndarray):
        e = np.empty(size, self.dtype)
        e.fill(self)
        return e
    return np.broadcast_to(self, size)


@public("torch Tensor")
@primitive(view=True, self=lambda g: t(g))
def t(self: Array) -> Array:
    """The transpose of a matrix."""
    return self.T


@public("Tensor")
@primitive(view=True, node="ViewBackward0", self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes))
def view(self: Array, size: Any) -> Array:
    """The same memory in another shape."""
    return self.reshape(size)


def reshape(self: Value, size: Any) -> Value:
    """placeholder"""
    return view(self, size)
