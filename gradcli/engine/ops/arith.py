"""Arithmetic: the operators, and powers."""

from __future__ import annotations

from typing import Any

from ..registry import elementwise, public
from ..tensor import Array, Value


def scaled(g: Value, alpha: Any) -> Value:
    """``g * alpha``, with nothing recorded for 1."""
    return g if alpha == 1 else g * alpha


@public("torch Tensor Tensor_ Tensor.__add__ Tensor.__radd__")
@elementwise(self=lambda g: g, other=lambda g, alpha: scaled(g, alpha))
def add(self: Array, other: Array, alpha: Any = 1) -> Array:
    """Sum, self + alpha * other."""
    return self + other if alpha == 1 else self + alpha * other


@public("torch Tensor Tensor_ Tensor.__sub__")
@elementwise(self=lambda g: g, other=lambda g, alpha: scaled(-g, alpha))
def sub(self: Array, other: Array, alpha: Any = 1) -> Array:
    """Difference, self - alpha * other."""
    return self - other if alpha == 1 else self - alpha * other


@public("torch Tensor Tensor_ Tensor.__mul__ Tensor.__rmul__")
@elementwise(self=lambda g, other: g * other, other=lambda g, self: g * self)
def mul(self: Array, other: Array) -> Array:
    """Product."""
    return self * other


@public("torch Tensor Tensor_ Tensor.__truediv__")
@elementwise(self=lambda g, other: g / other, other=lambda g, self, other: -g * ((self / other) / other), floating=True)
def div(self: Array, other: Array) -> Array:
    """Quotient."""
    return self / other


@public("torch Tensor Tensor_ Tensor.__neg__")
@elementwise(self=lambda g: -g)
def neg(self: Array) -> Array:
    """Negative."""
    return -self
