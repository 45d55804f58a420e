"""Distances between the rows of one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...costs import SQUARED, costs
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re
from .cdist import lengths, shares


def _steps(a: Array) -> Array:
    """The differences of all pairs of rows, one of each."""
    i, j = np.triu_indices(a.shape[0], 1)
    return a[i] - a[j]


@primitive(
    node="PdistBackward0",
    kink=lambda self, p: _steps(self) if p == 1 else lengths(_steps(self), p),
    domain=lambda self, p: lengths(_steps(self), p) != 0,
    self=lambda g, self, p, result: pdist_backward(g, self, p, result),
    no_half="pdist",
)
def pdist_forward(self: Array, p: float = 2.0) -> Array:
    """Distances between all pairs of rows, in the p-norm."""
    return lengths(_steps(self), p)


@primitive(
    backward=True,
    node="PdistBackwardBackward0",
    no_derivative="_pdist_backward",
    grad=lambda g: None, self=lambda g: None, pdist=lambda g: None
)
def pdist_backward(grad: Array, self: Array, p: float, pdist: Array) -> Array:
    """The gradient of distances for the rows."""
    share = shares(grad, _steps(self), p, pdist)
    i, j = np.triu_indices(self.shape[0], 1)
    found = np.zeros(self.shape, np.result_type(share, self))
    np.add.at(found, i, share)
    np.subtract.at(found, j, share)
    return found


@public("torch F")
@costs("multiplying.pdist", careful=SQUARED)
@composite
def pdist(input: Value, p: float = 2.0) -> Value:
    """Distances between all pairs of rows of a matrix, in the p-norm."""
    a: Any = input._a if isinstance(input, Tensor) else input
    if a.ndim != 2:
        fail(f"pdist only supports 2D tensors, got: {a.ndim}D")
    if re(a).dtype.kind != "f":
        fail("pdist only supports floating-point dtypes")
    if p < 0:
        fail("pdist only supports non-negative p values")
    dense = ops.converting.contiguous(input) if isinstance(input, Tensor) else input
    return pdist_forward(dense, float(p))
