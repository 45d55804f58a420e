"""Normalisation of groups of channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...dtypes import zeros_of
from ...numeric.kernels import group_norms
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Tensor, Value
from ..common import re
from ..memory_order import is_channels_last, laid_as
from .batch_norm import check_several
from .layer_norm import check_mixed, constants, dot, filled_to, ones, onto

# -- group norm ------------------------------------------------------------------------------------


def _group_once(
    g: Any,
    input: Value,
    result1: Value,
    result2: Value,
    weight: Value | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
    *,
    wanted: list[bool],
) -> tuple[Value | None, Value | None, Value | None]:
    if any(isinstance(x, Tensor) for x in g):
        return _group_recorded(g, input, result1, result2, weight, N, C, HxW, group, wanted)
    return _group_arrays(g, input, result1, result2, weight, N, C, HxW, group, wanted)


def _group_arrays(
    g: Any,
    input: Array,
    mean: Array,
    rstd: Array,
    weight: Array | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    wanted: list[bool],
) -> tuple[Array | None, Array | None, Array | None]:
    """The gradients of group norm, from those of its result, its means and its deviations."""
    of_result, of_mean, of_rstd = g
    if of_mean is None and of_rstd is None and group_norms.follows(input, of_result, weight, mean):
        sizes = N, C, HxW
        to_input, to_weight, to_bias = group_norms.gradients(
            of_result.reshape(sizes), input.reshape(sizes), mean, rstd, weight, wanted
        )
        return to_input if to_input is None else laid_as(input, to_input.reshape(input.shape)), to_weight, to_bias
    n = C // group * HxW
    _, share, _ = constants(n, 0.0, re(input).dtype)
    column = rstd.reshape(-1, 1)
    apart = input.reshape(N * group, n) - mean.reshape(-1, 1)
    to_input = to_weight = to_bias = slope = level = None
    if of_result is not None:
        of_result = of_result.reshape(N, C, HxW)
        # The sums that all gradients are made of: of the incoming gradient, alone and times what is apart.
        sums = of_result @ ones(HxW, re(input).dtype)
        products = dot(of_result, apart.reshape(N, C, HxW))
        if wanted[1]:
            to_weight = np.add.reduce(products * np.repeat(rstd.reshape(N, group), C // group, 1), 0)
        if wanted[2]:
            to_bias = np.add.reduce(sums, 0)
        if wanted[0]:
            if weight is not None:
                sums, products = sums * weight, products * weight
            by_group = N * group, C // group
            level = np.add.reduce(sums.reshape(by_group), 1)[:, None] * share * column
            slope = np.add.reduce(products.reshape(by_group), 1)[:, None] * share * (column * column * column)
    if of_mean is not None:
        level = (0 if level is None else level) - of_mean.reshape(-1, 1) * share
    if of_rstd is not None:
        slope = (0 if slope is None else slope) + of_rstd.reshape(-1, 1) * (column * column * column) * share
    if wanted[0]:
        given = [x for x in (of_result, of_mean, of_rstd) if x is not None]
        to_input = zeros_of(input.shape, np.result_type(*given, input, input if weight is None else weight))
        total = to_input.reshape(N * group, n)
        if of_result is None:
            total[...] = 0
        elif weight is None:
            np.multiply(of_result.reshape(N * group, n), column, total)
        else:
            scale = rstd.reshape(N, group, 1) * weight.reshape(group, -1)
            np.multiply(of_result, scale.reshape(N, C, 1), to_input.reshape(N, C, HxW))
        if slope is not None:
            total -= onto(np.multiply, apart, slope)
        if level is not None:
            total -= level
        to_input = laid_as(input, to_input)
    return to_input, to_weight, to_bias


def _group_recorded(
    g: Any,
    input: Value,
    mean: Value,
    rstd: Value,
    weight: Value | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    wanted: list[bool],
) -> tuple[Value | None, Value | None, Value | None]:
    """The same in recorded ops, as a straight line in the gradient and the input for each group."""
    of_result, of_mean, of_rstd = g
    D = C // group
    share = 1.0 / (D * HxW or 1)
    mean_ = ops.views.reshape(mean, (N, group, 1, 1))
    rstd_ = ops.views.reshape(rstd, (N, group, 1, 1))
    to_input = to_weight = to_bias = None
    sums = products = None
    x = ops.views.reshape(input, (N, group, D, HxW))
    if of_result is not None:
        dy = ops.views.reshape(of_result, (N, group, D, HxW))
        products = ops.sums.sum_dim(dy * x, (3,), False).unsqueeze_(-1)
        sums = ops.sums.sum_dim(dy, (3,), False).unsqueeze_(-1)
    if wanted[0]:
        cube = rstd_ * rstd_ * rstd_
        if of_result is not None:
            a, all_products, all_sums = rstd_, products, sums
            if weight is not None:
                gamma = ops.views.reshape(weight, (1, group, D, 1))
                a = rstd_ * gamma
                all_products, all_sums = products * gamma, sums * gamma
            all_products = ops.sums.sum_dim(all_products, (2,), False).unsqueeze_(-2)
            all_sums = ops.sums.sum_dim(all_sums, (2,), False).unsqueeze_(-2)
            b = (all_sums * mean_ - all_products) * cube * share
            c = -b * mean_ - all_sums * rstd_ * share
            to_input = a * dy + b * x + c
        more = None
        if of_rstd is not None:
            more = (cube * ops.views.reshape(of_rstd, (N, group, 1, 1))) * -share * (x - mean_)
        if of_mean is not None:
            moved = ops.views.reshape(of_mean, (N, group, 1, 1)) * share
            more = moved if more is None else more + moved
        if more is not None:
            to_input = more if to_input is None else to_input + more
        if to_input is not None:
            to_input = ops.views.reshape(filled_to(to_input, (N, group, D, HxW)), tuple(input.shape))
    if wanted[1] and products is not None:
        spread = (products - sums * mean_) * rstd_
        to_weight = ops.views.reshape(ops.sums.sum_dim(spread, (0,), False), (C,))
    if wanted[2] and sums is not None:
        to_bias = ops.views.reshape(ops.sums.sum_dim(sums, (0,), False), (C,))
    return to_input, to_weight, to_bias


@public("torch")
@primitive(
    no_whole="GroupNormKernelImpl",
    node="NativeGroupNormBackward0",
    outputs=("result0", "result1", "result2"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=_group_once,
    mixed=True,
    form="affine",
)
def native_group_norm(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Array, Array, Array]:
    """Each group of channels of each sample brought to mean 0 and variance 1, then scaled and shifted."""
    n = C // group * HxW
    if not input.size:
        nothing = zeros_of((N, group), input.dtype)
        return zeros_of(input.shape, input.dtype), nothing, nothing.copy()
    if group_norms.follows(input, weight, bias):
        y, mean, rstd = group_norms.normed(input.reshape(N, C, HxW), weight, bias, group, eps)
        return laid_as(input, y.reshape(input.shape)), mean, rstd
    shares, share, eps_ = constants(n, eps, re(input).dtype)
    x = input.reshape(N * group, n)
    mean = x @ shares
    y = x - mean[:, None]
    rstd = np.reciprocal(np.sqrt(dot(y, y) * share + eps_))
    if weight is None:
        y *= rstd[:, None]
    else:
        scale = (rstd.reshape(N, group, 1) * weight.reshape(group, -1)).reshape(N, C, 1)
        y = onto(np.multiply, y.reshape(N, C, HxW), scale)
    if bias is not None:
        y = onto(np.add, y.reshape(N, C, HxW), bias[:, None])
    return laid_as(input, y.reshape(input.shape)), mean.reshape(N, group), rstd.reshape(N, group)


def _group_norm(input: Value, num_groups: int, weight: Value | None, bias: Value | None, eps: float) -> Value:
    sizes = tuple(input.shape)
    N, C = sizes[:2]
    if C % num_groups:
        fail(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(sizes)} and num_groups={num_groups}"
        )
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and tuple(p.shape) != (C,):
            # PyTorch shows the weight's shape for both.
            shown = p if weight is None else weight
            fail(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} "
                f"of shape {list(shown.shape)} and input of shape {list(sizes)}"
            )
    check_mixed(input._a, *[None if p is None else p._a for p in (weight, bias)])
    rows = input if is_channels_last(input._a) else ops.converting.contiguous(input)
    return native_group_norm(rows, weight, bias, N, C, math.prod(sizes[2:]), num_groups, eps)[0]


@public("F")
@composite
def group_norm(
    input: Value, num_groups: int, weight: Value | None = None, bias: Value | None = None, eps: float = 1e-5
) -> Value:
    """Each group of channels of each sample brought to mean 0 and variance 1."""
    sizes = tuple(input.shape)
    if len(sizes) < 2:
        fail(f"Expected at least 2 dimensions for input tensor but received {len(sizes)}")
    grouped = [sizes[0] * sizes[1] // num_groups, num_groups, *sizes[2:]]
    check_several(grouped, str(grouped))
    return _group_norm(input, num_groups, weight, bias, eps)


@public("torch.group_norm")
def torch_group_norm(
    input: Value,
    num_groups: int,
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Value:
    """Group norm, also of a single value."""
    return _group_norm(input, num_groups, weight, bias, eps)
