"""The group norm of single precision step by step as PyTorch's kernels compute it."""

from __future__ import annotations

import numpy as np

from ...dtypes import F32, F64, Array
from .fused import LARGEST, multiply_add
from .row_norms import moments
from .sums import in_vectors

_LANES = 8
_ONE = F32.type(1)


def follows(*arrays: Array) -> bool:
    """Tell whether these are few enough to be computed as PyTorch does; the first is what is brought to norm."""
    return 0 < arrays[0].size <= LARGEST and all(a is None or a.dtype is F32 for a in arrays)


def normed(
    x: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    """Each group of channels of ``x``, samples by channels by elements, normed; the means; and what it is scaled by."""
    samples, channels, _ = x.shape
    mean, variance = moments(x.reshape(samples * groups, -1))
    rstd = (1 / np.sqrt(np.maximum(variance, 0).astype(F64) + eps)).astype(F32)
    mean, rstd = mean.reshape(samples, groups), rstd.reshape(samples, groups)
    if weight is None and bias is None:
        rows = x.reshape(samples, groups, -1) - mean[..., None]
        rows *= rstd[..., None]
        return rows.reshape(x.shape), mean, rstd
    scale = rstd[..., None] * (np.ones(channels, F32) if weight is None else weight).reshape(groups, -1)
    level = -scale * mean[..., None]
    if bias is not None:
        level = multiply_add(bias.reshape(groups, -1), -scale, mean[..., None])
    by_channel = samples, channels, 1
    return multiply_add(level.reshape(by_channel), x, scale.reshape(by_channel)), mean, rstd


def gradients(
    g: Array, x: Array, mean: Array, rstd: Array, weight: Array | None, wanted: list[bool]
) -> tuple[Array | None, Array | None, Array | None]:
    """The gradients of the numbers, of the factors and of what is added."""
    samples, channels, count = x.shape
    groups = mean.shape[1]
    sums, products = in_vectors(g, _LANES), in_vectors(g * x, _LANES)
    by_group = samples * groups, channels // groups
    to_input = to_weight = to_bias = None
    if wanted[0]:
        factors = np.ones(by_group, F32) if weight is None else np.tile(weight.reshape(groups, -1), (samples, 1))
        column, spread = mean.reshape(-1), rstd.reshape(-1)
        all_sums = _weighed(sums.reshape(by_group), factors)
        share = _ONE / F32.type(by_group[1] * count)
        slope = multiply_add(-_weighed(products.reshape(by_group), factors), all_sums, column)
        slope = slope * spread * spread * spread * share
        level = multiply_add(-slope * column, -(all_sums * spread), share)
        scale = (spread[:, None] * factors).reshape(samples, channels, 1)
        each = samples, groups, -1
        to_input = multiply_add((x.reshape(each) * slope.reshape(samples, groups, 1)).reshape(x.shape), g, scale)
        rows = to_input.reshape(each)
        rows += level.reshape(samples, groups, 1)
    if wanted[1]:
        to_weight = np.zeros((groups, by_group[1]), F32)
        apart = multiply_add(products, -sums, np.repeat(mean, by_group[1], 1)).reshape(samples, groups, -1)
        for sample, spread in zip(apart, rstd[..., None], strict=True):
            to_weight = multiply_add(to_weight, sample, spread)
        to_weight = to_weight.reshape(channels)
    if wanted[2]:
        to_bias = np.add.accumulate(sums, 0)[-1]
    return to_input, to_weight, to_bias


def _weighed(a: Array, factors: Array) -> Array:
    """The sum of each row times factors: by lanes, each product added in one rounding, then what is left."""
    whole = a.shape[1] - a.shape[1] % _LANES
    total = np.zeros(len(a), F32)
    if whole:
        lanes = np.zeros((len(a), _LANES), F32)
        for i in range(0, whole, _LANES):
            lanes = multiply_add(lanes, a[:, i : i + _LANES], factors[:, i : i + _LANES])
        total = np.add.accumulate(lanes, 1)[:, -1]
    for i in range(whole, a.shape[1]):
        total = multiply_add(total, a[:, i], factors[:, i])
    return total
