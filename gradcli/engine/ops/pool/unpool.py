"""Max pools undone: each element goes back to the place it was found at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineValueError
from ... import ops
from ...call_errors import fail
from ...costs import CUBED, costs
from ...dtypes import zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..matrix.fitting_operands import type_name
from ..memory_order import laid_as
from .max_pool import gathered
from .windows import Sizes, spread


def _put_back(x: Array, indices: Array, size: Sizes) -> Array:
    """Elements at their places in planes or volumes of zeros."""
    rank = len(size)
    if indices.dtype != np.int64:
        fail(f"elements in indices should be type int64{f' but got: {type_name(indices)}' if rank == 2 else ''}")
    if indices.shape != x.shape:
        fail(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    lead = x.shape[:-rank]
    count = int(np.prod(size))
    for i, n in enumerate(x.shape[1:], 1):
        if n == 0:
            place = "max_unpooling2d_forward_out_cpu" if rank == 2 else "max_unpooling3d_shape_check"
            fail(
                f"{place}(): Expected input to have non-zero size for non-batch dimensions, but got {list(x.shape)} "
                f"with dimension {i} being empty."
            )
    at = indices.reshape(*lead, math.prod(x.shape[-rank:]))
    if at.size and not 0 <= at.min() <= at.max() < count:
        wrong = at[(at < 0) | (at >= count)][-1]
        fail(f"Found an invalid max index: {wrong} (output volumes are of size {'x'.join(map(str, size))})")
    out = zeros_of((*lead, count), x.dtype)
    np.put_along_axis(out, at, x.reshape(at.shape), -1)
    return out.reshape(*lead, *size)


# What its node says to each of the elements.
_OVERWRITTEN = "where several elements go to one place the last one stays, and each gets the gradient of that place"


@primitive(
    no_whole="max_unpool2d",
    without_rule=("indices",), node="MaxUnpool2DBackward0", self=lambda g, indices: gathered(g, indices),
    # Of several elements at one place the last stays: their gradients do not tell which it was.
    pushes=lambda self_t, indices, output_size: max_unpooled2d(self_t, indices, output_size),
    astray=_OVERWRITTEN, form="folded",
)
def max_unpooled2d(self: Array, indices: Array, output_size: Sizes) -> Array:
    """The elements of a max pool at the places of a plane that they were found at."""
    if self.ndim not in (3, 4):
        fail(f"Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with {self.ndim} dimensions.")
    return laid_as(self, _put_back(self, indices, output_size))


@primitive(
    no_whole="max_unpool3d",
    without_rule=("indices",), node="MaxUnpool3DBackward0", self=lambda g, indices: gathered(g, indices, 3),
    pushes=lambda self_t, indices, output_size, stride, padding: max_unpooled3d(
        self_t, indices, output_size, stride, padding
    ),
    astray=_OVERWRITTEN, form="folded",
)
def max_unpooled3d(self: Array, indices: Array, output_size: Sizes, stride: Sizes, padding: Sizes) -> Array:
    """The elements of a max pool at the places of a volume that they were found at."""
    if self.ndim not in (4, 5):
        fail(f"Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with dim {self.ndim}")
    if min(stride) <= 0:
        fail(f"strides should be greater than zero, but got stride: {list(stride)}")
    return _put_back(self, indices, output_size)


def _output_size(input: Value, kernel: Sizes, stride: Sizes, padding: Sizes, asked: Any) -> Sizes:
    """The size that was pooled: what was asked for, or the least that it can have been."""
    rank = len(kernel)
    own = tuple(input.shape)[-rank:]
    if min(map(len, (own, stride, padding))) < rank:
        raise EngineIndexError("tuple index out of range")
    usual = tuple([(n - 1) * s + k - 2 * p for n, k, s, p in zip(own, kernel, stride, padding, strict=False)])
    if asked is None:
        found = usual
    else:
        given = tuple(asked)
        found = given[2:] if len(given) == rank + 2 else given
        if len(found) != rank:
            raise EngineValueError(
                f"output_size should be a sequence containing {rank} or {rank + 2} elements, but it has a length of "
                f"'{len(found)}'"
            )
        for d, (n, s) in enumerate(zip(usual, stride, strict=False)):
            if not n - s < found[d] < n + s:
                shown = asked[2:] if len(given) == rank + 2 else asked
                raise EngineValueError(f'invalid output_size "{shown}" (dim {d} must be between {n - s} and {n + s})')
    for d, n in enumerate(found):
        if n < 0:
            raise EngineValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{d}]={n}"
            )
    return tuple([int(n) for n in found])


def _geometry(
    rank: int, input: Value, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> tuple[Sizes, Sizes, Sizes]:
    kernel, border = spread(kernel_size, rank), spread(padding, rank)
    steps = kernel if stride is None else spread(stride, rank)
    return _output_size(input, kernel, steps, border, output_size), steps, border


@public("F")
@costs("spatial.unpooled", 1, careful=CUBED)
@composite
def max_unpool1d(
    input: Value, indices: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Value:
    """The elements of a max pool at the places of a sequence that they were found at."""
    size, _, _ = _geometry(1, input, kernel_size, stride, padding, output_size)
    columns = [ops.views.unsqueeze(x, -1) for x in (input, indices)]
    return ops.views.squeeze(max_unpooled2d(*columns, (*size, 1)), -1)


@public("F")
@costs("spatial.unpooled", 2, careful=CUBED)
@composite
def max_unpool2d(
    input: Value, indices: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Value:
    """The elements of a max pool at the places of a plane that they were found at."""
    size, _, _ = _geometry(2, input, kernel_size, stride, padding, output_size)
    return max_unpooled2d(input, indices, size)


@public("F")
@costs("spatial.unpooled", 3, careful=CUBED)
@composite
def max_unpool3d(
    input: Value, indices: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Value:
    """The elements of a max pool at the places of a volume that they were found at."""
    return max_unpooled3d(input, indices, *_geometry(3, input, kernel_size, stride, padding, output_size))
