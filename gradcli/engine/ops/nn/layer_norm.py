"""Normalisation: rows brought to mean 0 and variance 1; and what batches and groups share with them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import ops
from ...call_errors import fail
from ...dtypes import DTYPES, F32, full_of, limits_of, ones_of, zeros_of
from ...modes import is_followed
from ...numeric.halves import is_half
from ...numeric.kernels import row_norms
from ...numeric.kernels.fused import multiply_add
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Tensor, Value
from ..common import re

# -- helpers on arrays -----------------------------------------------------------------------------


def dot(a: Array, b: Array) -> Array:
    """Inner products along the last axis, nothing conjugated."""
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return np.add.reduce(a * b, -1)
    return np.vecdot(a, b)


def onto(ufunc: np.ufunc, a: Array, b: Array) -> Array:
    """``ufunc(a, b)`` in the memory of ``a``, which is ours; elsewhere where the result is wider."""
    return ufunc(a, b, a) if a.dtype is b.dtype else ufunc(a, b)


def fresh(sizes: tuple[int, ...], a: Array, b: Array, c: Array | None) -> Array:
    """Memory for a result of these operands."""
    d = a.dtype
    if b.dtype is not d or (c is not None and c.dtype is not d):
        d = np.result_type(a, b) if c is None else np.result_type(a, b, c)
    return np.empty(sizes, d)


def shaped(a: Array, sizes: tuple[int, ...]) -> Array:
    """``a`` in these sizes; itself where it has them, which is faster than asking NumPy."""
    return a if a.shape == sizes else a.reshape(sizes)


def width(a: Array) -> Any:
    """The element type of an array's real part."""
    return a.dtype if a.dtype.kind == "f" else re(a).dtype


def unless_none(x: Any, change: Callable[[Any], Any]) -> Any:
    """A change of what is there, None of what is not."""
    return None if x is None else change(x)


@functools.lru_cache(maxsize=64)
def constants(n: int, eps: float, dtype: Any) -> tuple[Array, Array, Array]:
    """The vector that averages ``n`` elements by a product; 1 / n; eps. Arrays: with numbers NumPy is twice as slow."""
    share = dtype.type(1) / dtype.type(n)
    return full_of(n, share, dtype), np.array(share, subok=True), full_of((), eps, dtype)


@functools.lru_cache(maxsize=64)
def ones(n: int, dtype: Any) -> Array:
    """The vector that adds up ``n`` rows by a product."""
    return ones_of(n, dtype)


# -- the gradient of the gradient, for arrays and Tensors ------------------------------------------


def of_gradient(
    shares: tuple[Value | None, Value | None, Value | None],
    g: Value,
    x: Value,
    weight: Value | None,
    mean: Value,
    scale: Value,
    average: Callable[[Value], Value],
) -> tuple[Value | None, Value | None, Value | None]:
    """The gradients of a normalisation's backward for its incoming gradient and its input.

    All arguments broadcast. With n = (x - mean) * scale and project(u) = u - average(u) - n * average(u * n),
    which is its own adjoint, the gradients are scale * project(g * weight) for the input, g * n for the weight
    and g for the bias. Third, the share's gradient in g * weight, of which the weight's share is made.
    """
    of_input, of_weight, of_bias = shares
    n = (x - mean) * scale
    to_g = to_x = to_h = moved = None

    def project(u: Value) -> Value:
        return u - average(u) - n * average(u * n)

    def plus(a: Value | None, b: Value) -> Value:
        return b if a is None else a + b

    if of_input is not None:
        h = g if weight is None else g * weight
        to_h = scale * project(of_input)
        to_g = to_h if weight is None else to_h * weight
        moved = -scale * (of_input * average(h * n) + h * average(of_input * n))
        to_x = -(scale * scale) * n * average(of_input * project(h))
    if of_weight is not None:
        to_g = plus(to_g, of_weight * n)
        moved = plus(moved, of_weight * g)
    if of_bias is not None:
        to_g = plus(to_g, of_bias)
    if moved is not None:
        to_x = plus(to_x, scale * project(moved))
    return to_g, to_x, to_h


def statistics(x: Value, eps: float, average: Callable[[Value], Value]) -> tuple[Value, Value]:
    """The mean, and one over the standard deviation: as functions of ``x`` where it is recorded.

    What the node keeps of them stands outside the graph, so that from the third order on it would be wrong.
    """
    mean = average(x)
    apart = x - mean
    return mean, ops.elementary.rsqrt(average(apart * apart) + eps)


def _summed(g: Value, size: tuple[int, ...]) -> Value:
    """``g`` summed to the size of a part of it, in which it may stand repeated."""
    have = tuple(g.shape)
    return g if have == size else ops.sums.sum_to(g, size)


def filled_to(g: Value | None, size: tuple[int, ...]) -> Value | None:
    """A gradient repeated to a size."""
    if g is None or tuple(g.shape) == size:
        return g
    return ops.views.expand(g, size)


# -- layer norm ------------------------------------------------------------------------------------


def _rows(x: Array, normalized_shape: tuple[int, ...]) -> tuple[tuple[int, ...], int, Array]:
    """The shape of a statistic, how many elements it is over, and ``x`` as a matrix of rows to normalise."""
    k = len(normalized_shape)
    lead = x.shape[: x.ndim - k]
    n = normalized_shape[0] if k == 1 else math.prod(normalized_shape)
    return (*lead, *(1,) * k), n, x if k == 1 and x.ndim == 2 else x.reshape(math.prod(lead), n)


def _layer_twice(
    g: Any,
    grad_out: Value,
    input: Value,
    normalized_shape: tuple[int, ...],
    mean: Value | None,
    rstd: Value | None,
    weight: Value | None,
    eps_hidden: float,
    *,
    wanted: list[bool],
) -> tuple[Value | None, ...]:
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    n = math.prod(normalized_shape)

    def average(u: Value) -> Value:
        return ops.sums.sum_dim(u, axes, True) / n

    if (isinstance(input, Tensor) and is_followed(input)) or mean is None or rstd is None:
        mean, rstd = statistics(input, eps_hidden, average)
    to_g, to_x, to_h = of_gradient(g, grad_out, input, weight, mean, rstd, average)
    to_weight = None
    if wanted[4] and to_h is not None:
        to_weight = _summed(grad_out * to_h, tuple(normalized_shape))
    return filled_to(to_g, tuple(grad_out.shape)), to_x, None, None, to_weight, None


@public("torch")
@primitive(
    node="NativeLayerNormBackward0",
    aside=("result1", "result2"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=lambda g, input, normalized_shape, result1, result2, weight, bias, eps_hidden, *, wanted: (
        native_layer_norm_backward(g, input, normalized_shape, result1, result2, weight, bias, eps_hidden, wanted)
    ),
    mixed=True,
    form="affine",
)
def native_layer_norm(
    input: Array, normalized_shape: tuple[int, ...], weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Each row brought to mean 0 and variance 1, then scaled and shifted; the means, and one over the deviations."""
    if not (
        normalized_shape
        and input.shape[-len(normalized_shape) :] == normalized_shape
        and input.dtype.kind == "f"
        and (weight is None or (weight.shape == normalized_shape and weight.dtype is input.dtype))
        and (bias is None or (bias.shape == normalized_shape and bias.dtype is input.dtype))
    ):
        _check_layer(input, normalized_shape, weight, bias)
        check_mixed(input, weight, bias)
    lead, n, rows = _rows(np.ascontiguousarray(input), normalized_shape)
    if not input.size:
        return zeros_of(input.shape, input.dtype), zeros_of(lead, input.dtype), full_of(lead, np.nan, input.dtype)
    if row_norms.follows(rows):
        return _in_steps(rows, input.shape, lead, weight, bias, eps)
    shares, share, eps_ = constants(n, eps, width(input))
    mean = (rows @ shares)[:, None]
    y = rows - mean
    rstd = np.reciprocal(np.sqrt(dot(y, y) * share + eps_))[:, None]
    y *= rstd
    if weight is not None:
        y = onto(np.multiply, y, shaped(weight, (n,)))
    if bias is not None:
        y = onto(np.add, y, shaped(bias, (n,)))
    return shaped(y, input.shape), shaped(mean, lead), shaped(rstd, lead)


def _in_steps(
    rows: Array, sizes: tuple[int, ...], lead: tuple[int, ...], weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    mean, variance = row_norms.moments(rows)
    rstd = np.reciprocal(np.sqrt(variance + F32.type(eps)))
    y = (rows - mean[:, None]) * rstd[:, None]
    if weight is not None and bias is not None:
        y = multiply_add(bias.reshape(-1), y, weight.reshape(-1))
    elif weight is not None:
        y *= weight.reshape(-1)
    elif bias is not None:
        y += bias.reshape(-1)
    return y.reshape(sizes), mean.reshape(lead), rstd.reshape(lead)


@primitive(
    backward=True,
    node="NativeLayerNormBackwardBackward0",
    outputs=("result0", "result1", "result2"),
    grad_out=shared,
    input=shared,
    mean=shared,
    rstd=shared,
    weight=shared,
    bias=shared,
    joint=_layer_twice,
    mixed=True,
    form="rows_back",
)
def native_layer_norm_backward(
    grad_out: Array,
    input: Array,
    normalized_shape: tuple[int, ...],
    mean: Array | None,
    rstd: Array | None,
    weight: Array | None,
    bias: Array | None,
    eps: float = 1e-5,
    output_mask: Any = (True, True, True),
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of layer norm; the mean and one over the deviation are computed where they are not given."""
    _, n, x = _rows(input, normalized_shape)
    g = shaped(grad_out, x.shape)
    if not input.size:
        to_parameter = [zeros_of(normalized_shape, grad_out.dtype) if wanted else None for wanted in output_mask[1:]]
        return zeros_of(input.shape, grad_out.dtype) if output_mask[0] else None, to_parameter[0], to_parameter[1]
    column = (len(x), 1)
    if mean is not None and rstd is not None and grad_out.dtype is F32 and row_norms.follows(x):
        given = g, x, shaped(mean, column), shaped(rstd, column)
        factors = unless_none(weight, lambda w: w.reshape(n))
        to_input = shaped(row_norms.to_rows(*given, factors), input.shape) if output_mask[0] else None
        return to_input, *[
            unless_none(p, lambda p: p.reshape(normalized_shape))
            for p in row_norms.to_parameters(*given, output_mask[1:])
        ]
    shares, share, eps_ = constants(n, eps, width(input))
    apart = x - ((x @ shares)[:, None] if mean is None else shaped(mean, column))
    if rstd is None:
        rstd = np.reciprocal(np.sqrt(dot(apart, apart) * share + eps_))
    rstd = shaped(rstd, column)
    to_input = to_weight = to_bias = leaning = None
    if output_mask[1]:
        products = g * apart
        to_weight = shaped(rstd[:, 0] @ products, normalized_shape)
        if weight is not None:
            # What dot(h, apart) below comes to.
            leaning = products @ shaped(weight, (n,))
    if output_mask[2]:
        to_bias = shaped(ones(len(g), g.dtype) @ g, normalized_shape)
    if output_mask[0]:
        # With h = g * weight and n = apart * rstd: rstd * (h - average(h) - n * average(h * n)).
        to_input = fresh(input.shape, g, x, weight)
        h = shaped(to_input, g.shape)
        if weight is None:
            h[...] = g
        else:
            np.multiply(g, shaped(weight, (n,)), h)
        middle = (h @ shares)[:, None]
        slope = ((dot(h, apart) if leaning is None else leaning) * share)[:, None] * (rstd * rstd)
        # rstd * (h - middle - apart * slope), in as few passes as there are.
        h -= onto(np.multiply, apart, slope)
        h -= middle
        h *= rstd
    return to_input, to_weight, to_bias


def _check_layer(
    x: Array, normalized_shape: tuple[int, ...], weight: Array | None, bias: Array | None, shown: str = "*, "
) -> None:
    listed = list(normalized_shape)
    if not listed:
        fail(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p.shape != normalized_shape:
            fail(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(p.shape)} "
                f"and normalized_shape = {listed}"
            )
    if x.shape[max(x.ndim - len(listed), 0) :] != normalized_shape:
        fail(
            f"Given normalized_shape={listed}, expected input with shape [{shown}{', '.join(map(str, listed))}], but "
            f"got input of size{list(x.shape)}"
        )
    if x.dtype.kind not in "fc":
        name = "rms_norm" if shown == "*" else "LayerNormKernelImpl"
        raise EngineNotImplementedError(f"\"{name}\" not implemented for '{DTYPES[x.dtype].tensor_name}'")


def check_mixed(x: Array, *parameters: Array | None) -> None:
    """Refuse parameters of another element type than the input, but for single precision beside half."""
    wanted = F32 if is_half(x.dtype) and any(p is not None and p.dtype is not x.dtype for p in parameters) else x.dtype
    if any(p is not None and p.dtype is not wanted and "c" not in (p.dtype.kind, x.dtype.kind) for p in parameters):
        fail(f"mixed dtype (CPU): expect parameter to have scalar type of {DTYPES[wanted].tensor_name}")


def _sizes(name: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)):
        raise EngineTypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {type(value).__name__}"
        )
    return tuple([int(n) for n in value])


@public("torch F")
@composite
def layer_norm(
    input: Value,
    normalized_shape: Any,
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Value:
    """The last axes brought to mean 0 and variance 1, then scaled and shifted."""
    return native_layer_norm(input, _sizes("layer_norm", normalized_shape), weight, bias, eps)[0]


@public("torch F")
@composite
def rms_norm(input: Value, normalized_shape: Any, weight: Value | None = None, eps: float | None = None) -> Value:
    """The last axes divided by the root of their mean square, then scaled."""
    sizes = _sizes("rms_norm", normalized_shape)
    x = input._a if isinstance(input, Tensor) else input
    _check_layer(x, sizes, None if weight is None else getattr(weight, "_a", weight), None, "*")
    d = x.dtype
    if is_half(d):
        # Half precision becomes single, and only the result is rounded.
        input = ops.converting.cast(input, F32)
    if eps is None:
        eps = float(limits_of(F32 if is_half(d) else re(x).dtype).eps)
    axes = tuple(range(x.ndim - 1, x.ndim - len(sizes) - 1, -1))
    square = ops.sums.mean_dim(input**2, axes, True)
    y = input * ops.elementary.rsqrt(ops.arith.add_number(square, eps))
    y = y if weight is None else y * weight
    # A weight of any element type goes along.
    return ops.converting.cast(y, d)
