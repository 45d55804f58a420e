"""The same form for one small image: products of matrices, which PyTorch takes where its library is not worth it."""

from __future__ import annotations

from math import prod

import numpy as np

from ...dtypes import F32, Array
from ...numeric.kernels import sums
from ...numeric.kernels.products import product
from .windows import Sizes, cropped, fold, padded, windows

# A kernel that is longer than this along its last two axes is left to the library, and planes of more numbers.
_SHORT, _FEW = 3, 20480


def is_large(input: Sizes, kernel: Sizes, groups: int) -> bool:
    """Tell whether PyTorch's library is worth it for an input and a kernel of these sizes, in single precision."""
    return (
        groups > 1
        or input[0] > 1
        or (len(kernel) > 1 and min(kernel[-2:]) > _SHORT)
        or (len(kernel) <= 2 and prod(input) > _FEW)
    )


def is_taken(input: Array, weight: Array, groups: int) -> bool:
    """Tell whether PyTorch takes products of matrices for this input and weight."""
    return (
        input.dtype is weight.dtype is F32
        and 2 < input.ndim <= 4
        and input.size > 0 < weight.size
        and not is_large(input.shape, weight.shape[2:], groups)
    )


def output(
    x: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, bias: Array | None
) -> Array:
    """The output, of these sizes."""
    matrix = w.reshape(len(w), -1)
    added = None if bias is None else bias[:, None]
    return product(matrix, _columns(x, w.shape[2:], size, stride, padding, dilation), added).reshape(1, -1, *size)


def to_input(g: Array, w: Array, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The adjoint in the input, whose spatial sizes are ``size``."""
    kernel, out = w.shape[2:], g.shape[2:]
    grown = tuple([s + 2 * p for s, p in zip(size, padding, strict=True)])
    columns = product(w.reshape(len(w), -1).T, g.reshape(len(w), -1)).reshape(1, w.shape[1], *kernel, *out)
    return cropped(fold(columns, grown, kernel, out, stride, dilation), padding, size)


def to_weight(g: Array, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The adjoint in the weight, whose spatial sizes are ``kernel``."""
    columns = _columns(x, kernel, g.shape[2:], stride, padding, dilation)
    return product(g.reshape(g.shape[1], -1), columns.T).reshape(g.shape[1], x.shape[1], *kernel)


def to_bias(g: Array) -> Array:
    """The sum of each channel."""
    axes = (0, *range(2, g.ndim))
    found = sums.over(g, axes)
    return np.add.reduce(g, axes) if found is None else found


def _columns(x: Array, kernel: Sizes, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    seen = windows(padded(x, [(p, p) for p in padding]), kernel, size, stride, dilation)
    return np.ascontiguousarray(seen).reshape(-1, prod(size))
