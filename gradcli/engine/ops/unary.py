"""Functions of one operand."""

from __future__ import annotations

import numpy as np

from ..registry import elementwise, public
from ..tensor import Array


@public("torch Tensor Tensor_")
@elementwise(self=lambda g, result: g * result, floating=True)
def exp(self: Array) -> Array:
    """Exponential."""
    return np.exp(self)


@public("torch Tensor Tensor_")
@elementwise(self=lambda g, self: g * cos(self), floating=True)
def sin(self: Array) -> Array:
    """Sine."""
    return np.sin(self)


@public("torch Tensor Tensor_")
@elementwise(self=lambda g, self: g * -sin(self), floating=True)
def cos(self: Array) -> Array:
    """Cosine."""
    return np.cos(self)


@elementwise(grad_output=lambda g, result: g * (1 - result * result), result=lambda g, grad_output, result: g * (-2 * grad_output * result))
def tanh_backward(grad_output: Array, result: Array) -> Array:
    """Gradient of tanh."""
    return grad_output - grad_output * result * result


@public("torch Tensor Tensor_")
@elementwise(self=lambda g, result: tanh_backward(g, result), floating=True)
def tanh(self: Array) -> Array:
    """Tanh."""
    return np.tanh(self)
