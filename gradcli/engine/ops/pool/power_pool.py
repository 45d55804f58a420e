"""Pools by powers, and responses held against those of neighbouring channels: both are mean pools."""

from __future__ import annotations

import math
from typing import Any

from ....errors import EngineValueError
from ... import ops
from ...costs import CUBED, costs
from ...registry import composite, public
from ...tensor import Value
from .window_shapes import one
from .windows import spread


def _root(input: Value, norm_type: float, means: Any, largest: Any, count: int) -> Value:
    """The ``norm_type``-th root of the sum of powers in windows of ``count`` elements."""
    if isinstance(norm_type, (int, float)) and math.isinf(norm_type):
        size = ops.kinked.abs(input)
        return largest(size) if norm_type > 0 else -largest(-size)
    mean = means(ops.power.pow(input, norm_type))
    kept = ops.kinked.sign(mean) * ops.rectifiers.relu(ops.kinked.abs(mean))
    return ops.power.pow(kept * count, 1.0 / norm_type)


@public("F")
@costs("spatial.pooled_by_power", 1, careful=CUBED)
@composite
def lp_pool1d(input: Value, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Value:
    """The root of the sum of powers in each window of the last axis."""
    return _root(
        input,
        norm_type,
        lambda x: ops.avg_pool.avg_pool1d(x, kernel_size, stride, 0, ceil_mode),
        lambda x: ops.max_pool.max_pool1d(x, kernel_size, stride, 0, 1, ceil_mode),
        one("avg_pool1d", "kernel_size", kernel_size),
    )


@public("F")
@costs("spatial.pooled_by_power", 2, careful=CUBED)
@composite
def lp_pool2d(input: Value, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Value:
    """The root of the sum of powers in each window of two axes."""
    return _root(
        input,
        norm_type,
        lambda x: ops.avg_pool.mean_pool2d(x, kernel_size, stride, 0, ceil_mode),
        lambda x: ops.max_pool.max_pool2d(x, kernel_size, stride, 0, 1, ceil_mode),
        math.prod(spread(kernel_size, 2)),
    )


@public("F")
@costs("spatial.pooled_by_power", 3, careful=CUBED)
@composite
def lp_pool3d(input: Value, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Value:
    """The root of the sum of powers in each window of three axes."""
    return _root(
        input,
        norm_type,
        lambda x: ops.pool_3d.mean_pool3d(x, kernel_size, stride, 0, ceil_mode),
        lambda x: ops.pool_3d.max_pool3d(x, kernel_size, stride, 0, 1, ceil_mode),
        math.prod(spread(kernel_size, 3)),
    )


@public("F")
@costs("spatial.responded", careful=CUBED)
@composite
def local_response_norm(input: Value, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Value:
    """Each element divided by a power of the squares at its place in neighbouring channels."""
    n = input.ndim
    if n < 3:
        raise EngineValueError(
            f"Expected 3D or higher dimensionality                          input (got {n} dimensions)"
        )
    if not input.numel():
        return input
    around = (size // 2, (size - 1) // 2)
    squares = input * input
    if n == 3:
        channels = ops.padding.pad_any(ops.views.unsqueeze(squares, 1), (0, 0, *around))
        means = ops.views.squeeze(ops.avg_pool.mean_pool2d(channels, (size, 1), 1), 1)
    else:
        own = tuple(input.shape)
        squares = ops.views.view(squares, (own[0], 1, own[1], own[2], math.prod(own[3:])))
        channels = ops.padding.pad_any(squares, (0, 0, 0, 0, *around))
        means = ops.views.squeeze(ops.pool_3d.mean_pool3d(channels, (size, 1, 1), 1), 1)
        means = ops.views.view(means, own)
    divisor = ops.power.pow(means * alpha + k, beta)
    return input / divisor
