"""The three discrete Fourier transforms that all others are made of: complex, of real numbers, and to real ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import ops
from ...complex_twins import twin
from ...dtypes import complex_of, part_of
from ...registry import primitive
from ...tensor import Array, Value
from .parts import real

# PyTorch's numbers for what a transform is divided by: nothing, the root of the number of points, or that number.
NOTHING, ROOT, NUMBER = range(3)


def _primitive(**said: Any) -> Callable[[Any], Any]:
    return lambda forward: twin(primitive(**said)(forward))


def _scaled(a: Array, points: int, normalization: int, dtype: Any) -> Array:
    """A transform in its dtype, divided as it is to be."""
    if normalization != NOTHING and points:
        a = a / (math.sqrt(points) if normalization == ROOT else points)
    return np.asarray(a).astype(dtype, copy=False)


def _laid_out(made: Array, of: Array, dim: Sequence[int]) -> Array:
    """A transform as PyTorch leaves it in memory: the axes that it was along are the innermost."""
    order = [*_outermost_first(of, [d for d in range(of.ndim) if d not in dim]), *dim]
    if order == list(range(of.ndim)):
        return np.ascontiguousarray(made) if of.ndim else made
    return np.ascontiguousarray(made.transpose(order)).transpose(np.argsort(order))


def _outermost_first(a: Array, axes: Sequence[int]) -> list[int]:
    return sorted(axes, key=lambda d: -a.strides[d])


def _points(shape: Sequence[int], dim: Sequence[int]) -> int:
    return math.prod(shape[d] for d in dim)


@_primitive(
    node="FftC2CBackward0",
    self=lambda g, dim, normalization, forward: complex_to_complex(g, dim, normalization, not forward),
)  # fmt: skip
def complex_to_complex(self: Array, dim: Any, normalization: int, forward: bool) -> Array:
    """The transform of complex numbers along some axes, or its inverse."""
    if not dim:
        return np.array(self)
    made = np.fft.fftn(self, axes=dim) if forward else np.fft.ifftn(self, axes=dim, norm="forward")
    made = _scaled(made, _points(self.shape, dim), normalization, self.dtype)
    return _laid_out(made, self, _outermost_first(self, dim))


@_primitive(
    node="FftR2CBackward0",
    self=lambda g, dim, normalization, onesided, self_sym_sizes: _of_real_back(
        g, dim, normalization, onesided, self_sym_sizes[dim[-1]]
    ),
)  # fmt: skip
def real_to_complex(self: Array, dim: Any, normalization: int, onesided: bool) -> Array:
    """The transform of real numbers along some axes; ``onesided``: without what the last of them repeats."""
    made = np.fft.rfftn(self, axes=dim) if onesided else np.fft.fftn(self, axes=dim)
    made = _scaled(made, _points(self.shape, dim), normalization, complex_of(self.dtype))
    return _laid_out(made, self, [*_outermost_first(self, dim[:-1]), dim[-1]])


def _of_real_back(g: Any, dim: Any, normalization: int, onesided: bool, size: int) -> Value:
    """The gradient of real numbers: what was left out counts as zero."""
    last = dim[-1]
    have = g.shape[last]
    if onesided and have < size:
        full = ops.filled.new_zeros(g, (*g.shape[:last], size, *g.shape[last + 1 :]))
        ops.views.slice_(full, last, 0, have).copy_(g)
        g = full
    return real(complex_to_complex(g, dim, normalization, False))


@_primitive(
    node="FftC2RBackward0",
    self=lambda g, dim, normalization: _to_real_back(g, dim, normalization),
)  # fmt: skip
def complex_to_real(self: Array, dim: Any, normalization: int, last_dim_size: int) -> Array:
    """The inverse transform to real numbers, of half of what it is of: the other half are the conjugates."""
    sizes = [*[self.shape[d] for d in dim[:-1]], last_dim_size]
    made = np.fft.irfftn(self, s=sizes, axes=dim, norm="forward")
    made = _scaled(made, math.prod(sizes), normalization, part_of(self.dtype))
    first = self
    if len(dim) > 1:
        # All axes but the last are transformed before that.
        first = _laid_out(self, self, _outermost_first(self, dim[:-1]))
    return _laid_out(made, first, dim[-1:])


def _to_real_back(g: Any, dim: Any, normalization: int) -> Value:
    """The gradient of the half: each number with a conjugate in the other half counts twice."""
    found = real_to_complex(g, dim, normalization, True)
    twice = g.shape[dim[-1]] - found.shape[dim[-1]]
    if twice > 0:
        ops.views.slice_(found, dim[-1], 1, 1 + twice).mul_(2)
    return found
