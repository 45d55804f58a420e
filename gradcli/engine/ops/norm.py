"""Normalisation: layers, batches and groups brought to mean 0 and variance 1."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import EngineTypeError, EngineValueError, Unsupported
from ..dtypes import DTYPES
from ..registry import composite, fail, primitive, public, shared
from ..tensor import Array, Size, Tensor, Value, result
from . import arith, reduce, shape, unary
from .common import re

# -- helpers on arrays -----------------------------------------------------------------------------


def dot(a: Array, b: Array) -> Array:
    """Inner products along the last axis, nothing conjugated."""
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return np.add.reduce(a * b, -1)
    return np.vecdot(a, b)


def _onto(ufunc: np.ufunc, a: Array, b: Array) -> Array:
    """``ufunc(a, b)`` in the memory of ``a``, which is ours; elsewhere where the result is wider."""
    return ufunc(a, b, a) if a.dtype is b.dtype else ufunc(a, b)


def _unless_none(x: Any, change: Callable[[Any], Any]) -> Any:
    return None if x is None else change(x)


@functools.lru_cache(maxsize=64)
def _constants(n: int, eps: float, dtype: Any) -> tuple[Array, Array, Array]:
    """What averages ``n`` elements by a product; 1 / n; eps. As arrays: with numbers NumPy takes twice as long."""
    share = dtype.type(1) / dtype.type(n)
    return np.full(n, share, dtype), np.array(share), np.array(eps, dtype)


@functools.lru_cache(maxsize=64)
def _ones(n: int, dtype: Any) -> Array:
    """What adds up ``n`` rows by a product."""
    return np.ones(n, dtype)


# -- the gradient of the gradient, for arrays and Tensors ------------------------------------------


def _of_gradient(
    shares: tuple[Value | None, Value | None, Value | None],
    g: Value,
    x: Value,
    weight: Value | None,
    mean: Value,
    scale: Value,
    average: Callable[[Value], Value],
) -> tuple[Value | None, Value | None, Value | None]:
    """What shares of a normalisation's gradients say about its incoming gradient and its input.

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


def _statistics(x: Value, eps: float, average: Callable[[Value], Value]) -> tuple[Value, Value]:
    """The mean, and one over the standard deviation: as functions of ``x`` where it is recorded.

    What the node keeps of them stands outside the graph, so that from the third order on it would be wrong.
    """
    mean = average(x)
    apart = x - mean
    return mean, unary.rsqrt(average(apart * apart) + eps)


def _summed(g: Value, size: tuple[int, ...]) -> Value:
    """``g`` summed to the size of a part of it, in which it may stand repeated."""
    have = tuple(g.shape)
    return g if have == size else reduce.sum_to(g, size)


def _full(g: Value | None, size: tuple[int, ...]) -> Value | None:
    if g is None or tuple(g.shape) == size:
        return g
    return shape.expand(g, size)


# -- layer norm ------------------------------------------------------------------------------------


def _rows(x: Array, normalized_shape: tuple[int, ...]) -> tuple[tuple[int, ...], int, Array]:
    """The shape of a statistic, how many elements it is over, and ``x`` as a matrix of rows to normalise."""
    lead = x.shape[: x.ndim - len(normalized_shape)]
    n = math.prod(normalized_shape)
    return (*lead, *[1] * len(normalized_shape)), n, x.reshape(math.prod(lead), n)


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
        return reduce.sum_dim(u, axes, True) / n

    if isinstance(input, Tensor) and input.requires_grad or mean is None or rstd is None:
        mean, rstd = _statistics(input, eps_hidden, average)
    to_g, to_x, to_h = _of_gradient(g, grad_out, input, weight, mean, rstd, average)
    to_weight = None
    if wanted[4] and to_h is not None:
        to_weight = _summed(grad_out * to_h, tuple(normalized_shape))
    return _full(to_g, tuple(grad_out.shape)), to_x, None, None, to_weight, None


@primitive(
    node="NativeLayerNormBackward0",
    aside=("result1", "result2"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=lambda g, input, normalized_shape, result1, result2, weight, bias, eps_hidden, *, wanted: (
        native_layer_norm_backward(g, input, normalized_shape, result1, result2, weight, bias, eps_hidden, wanted)
    ),
)
def native_layer_norm(
    input: Array, normalized_shape: tuple[int, ...], weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Each row brought to mean 0 and variance 1, then scaled and shifted; the means, and one over the deviations."""
    if not (
        input.shape[-len(normalized_shape) :] == normalized_shape
        and input.dtype.kind == "f"
        and (weight is None or weight.shape == normalized_shape and weight.dtype is input.dtype)
        and (bias is None or bias.shape == normalized_shape and bias.dtype is input.dtype)
    ):
        _check_layer(input, normalized_shape, weight, bias)
    lead, n, rows = _rows(input, normalized_shape)
    if not input.size:
        return np.zeros(input.shape, input.dtype), np.zeros(lead, input.dtype), np.full(lead, np.nan, input.dtype)
    shares, share, eps_ = _constants(n, eps, re(input).dtype)
    mean = rows @ shares
    y = rows - mean[:, None]
    rstd = np.reciprocal(np.sqrt(dot(y, y) * share + eps_))
    np.multiply(y, rstd[:, None], y)
    if weight is not None:
        y = _onto(np.multiply, y, weight.reshape(n))
    if bias is not None:
        y = _onto(np.add, y, bias.reshape(n))
    return y.reshape(input.shape), mean.reshape(lead), rstd.reshape(lead)


@primitive(
    node="NativeLayerNormBackwardBackward0",
    outputs=("result0", "result1", "result2"),
    grad_out=shared,
    input=shared,
    mean=shared,
    rstd=shared,
    weight=shared,
    bias=shared,
    joint=_layer_twice,
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
    g = grad_out.reshape(x.shape)
    if not input.size:
        to_parameter = [np.zeros(normalized_shape, grad_out.dtype) if wanted else None for wanted in output_mask[1:]]
        return np.zeros(input.shape, grad_out.dtype) if output_mask[0] else None, to_parameter[0], to_parameter[1]
    shares, share, eps_ = _constants(n, eps, re(input).dtype)
    mean = x @ shares if mean is None else mean.reshape(-1)
    normal = x - mean[:, None]
    rstd = np.reciprocal(np.sqrt(dot(normal, normal) * share + eps_)) if rstd is None else rstd.reshape(-1)
    normal = _onto(np.multiply, normal, rstd[:, None])
    to_input = to_weight = to_bias = None
    if output_mask[1]:
        to_weight = (_ones(len(g), g.dtype) @ (g * normal)).reshape(normalized_shape)
    if output_mask[2]:
        to_bias = (_ones(len(g), g.dtype) @ g).reshape(normalized_shape)
    if output_mask[0]:
        h = g if weight is None else g * weight.reshape(n)
        middle = h @ shares
        slope = dot(h, normal)
        slope = slope * share
        part = _onto(np.multiply, normal, slope[:, None])
        part = _onto(np.add, part, middle[:, None])
        part = _onto(np.subtract, h, part) if h is not g else h - part
        to_input = _onto(np.multiply, part, rstd[:, None]).reshape(input.shape)
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
        raise Unsupported(f"\"{name}\" not implemented for '{DTYPES[x.dtype].tensor_name}'")
    _check_mixed(x, weight, bias)


def _check_mixed(x: Array, *parameters: Array | None) -> None:
    if any(p is not None and p.dtype is not x.dtype and "c" not in (p.dtype.kind, x.dtype.kind) for p in parameters):
        fail(f"mixed dtype (CPU): expect parameter to have scalar type of {DTYPES[x.dtype].tensor_name}")


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
    if eps is None:
        eps = float(np.finfo(re(x).dtype).eps)
    axes = tuple(range(x.ndim - 1, x.ndim - len(sizes) - 1, -1))
    square = reduce.mean_dim(input**2, axes, True)
    y = input * unary.rsqrt(arith.add_number(square, eps))
    return y if weight is None else y * weight


# -- batch norm ------------------------------------------------------------------------------------


def _lifted(p: Any, n: int) -> Any:
    """A parameter for each channel, beside an input with ``n`` axes."""
    return p if p is None or n == 2 else shape.view(p, (-1, *[1] * (n - 2)))


def _channels(x: Array) -> Array:
    """``x`` with all axes after its channels made one."""
    return x if x.ndim <= 3 else x.reshape(x.shape[0], x.shape[1], math.prod(x.shape[2:]))


def _per_channel(x: Array) -> Array:
    """Sums over everything but the channels."""
    return np.add.reduce(x if x.ndim == 2 else np.add.reduce(x, 2), 0)


def _dot_per_channel(a: Array, b: Array) -> Array:
    return np.add.reduce(a * b if a.ndim == 2 else dot(a, b), 0)


def _raised(p: Array, x: Array) -> Array:
    return p if x.ndim == 2 else p[:, None]


def _batch_twice(
    g: Any,
    grad_out: Value,
    input: Value,
    weight: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    save_mean: Value | None,
    save_invstd: Value | None,
    train: bool,
    eps: float,
    *,
    wanted: list[bool],
) -> tuple[Value | None, ...]:
    rank = input.ndim
    over = (0, *range(2, rank))
    lifted = _lifted(weight, rank)
    shares = (g[0], _unless_none(g[1], lambda p: _lifted(p, rank)), _unless_none(g[2], lambda p: _lifted(p, rank)))
    sizes = tuple(input.shape)
    count = math.prod(sizes) // max(sizes[1], 1)
    if train:

        def average(u: Value) -> Value:
            return reduce.sum_dim(u, over, True) / count

        if isinstance(input, Tensor) and input.requires_grad or save_mean is None or save_invstd is None:
            mean, scale = _statistics(input, eps, average)
        else:
            mean, scale = _lifted(save_mean, rank), _lifted(save_invstd, rank)
        to_g, to_x, to_h = _of_gradient(shares, grad_out, input, lifted, mean, scale, average)
    else:
        mean, scale = _lifted(running_mean, rank), _lifted(unary.rsqrt(running_var + eps), rank)
        to_g, to_x, to_h = _of_fixed(shares, grad_out, input, lifted, mean, scale)
    to_weight = None
    if wanted[2] and to_h is not None:
        to_weight = reduce.sum_dim(grad_out * to_h, over, False)
    return _full(to_g, sizes), to_x, to_weight, None, None


def _of_fixed(
    shares: tuple[Value | None, Value | None, Value | None],
    g: Value,
    x: Value,
    weight: Value | None,
    mean: Value,
    scale: Value,
) -> tuple[Value | None, Value | None, Value | None]:
    """``_of_gradient`` where mean and deviation are given numbers: the normalisation is a straight line."""
    of_input, of_weight, of_bias = shares
    to_g = to_x = to_h = None
    if of_input is not None:
        to_h = of_input * scale
        to_g = to_h if weight is None else to_h * weight
    if of_weight is not None:
        more = of_weight * ((x - mean) * scale)
        to_g = more if to_g is None else to_g + more
        to_x = of_weight * g * scale
    if of_bias is not None:
        to_g = of_bias if to_g is None else to_g + of_bias
    return to_g, to_x, to_h


@primitive(
    node="NativeBatchNormBackward0",
    aside=("result1", "result2", "variance"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=lambda g, input, weight, running_mean, running_var, result1, result2, training, eps, *, wanted: (
        native_batch_norm_backward(
            g, input, weight, running_mean, running_var, result1, result2, training, eps, wanted
        )
    ),
)
def native_batch_norm(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Array, Array, Array, Array]:
    """Each channel brought to mean 0 and variance 1, by its own statistics or by given ones."""
    kind = re(input).dtype.type
    x = _channels(input)
    if training:
        count = x.size // x.shape[1] if x.shape[1] else 0
        if count:
            mean = _per_channel(x) / kind(count)
            y = x - _raised(mean, x)
            variance = _dot_per_channel(y, y) / kind(count)
        else:
            y, mean, variance = x.copy(), np.zeros(x.shape[1], x.dtype), np.zeros(x.shape[1], x.dtype)
        invstd = 1 / np.sqrt(variance + kind(eps))
        kept = (mean, invstd, variance)
    else:
        assert running_mean is not None and running_var is not None
        y = x - _raised(running_mean, x)
        invstd = 1 / np.sqrt(running_var + kind(eps))
        nothing = np.zeros(0, re(input).dtype)
        kept = (nothing, nothing.copy(), nothing.copy())
    scale = invstd if weight is None else invstd * weight
    y = _onto(np.multiply, y, _raised(scale, x))
    if bias is not None:
        y = _onto(np.add, y, _raised(bias, x))
    return y.reshape(input.shape), *kept


@primitive(
    node="NativeBatchNormBackwardBackward0",
    outputs=("result0", "result1", "result2"),
    grad_out=shared,
    input=shared,
    weight=shared,
    save_mean=shared,
    save_invstd=shared,
    joint=_batch_twice,
)
def native_batch_norm_backward(
    grad_out: Array,
    input: Array,
    weight: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    save_mean: Array | None,
    save_invstd: Array | None,
    train: bool,
    eps: float,
    output_mask: Any = (True, True, True),
) -> tuple[Array | None, Array | None, Array | None]:
    """Gradients of batch norm; its statistics are computed where they are not given."""
    kind = re(input).dtype.type
    x, g = _channels(input), _channels(grad_out)
    count = kind(max(x.size // max(x.shape[1], 1), 1))
    if train:
        mean = _per_channel(x) / count if save_mean is None else save_mean
        apart = x - _raised(mean, x)
        invstd = 1 / np.sqrt(_dot_per_channel(apart, apart) / count + kind(eps)) if save_invstd is None else save_invstd
    else:
        assert running_mean is not None and running_var is not None
        apart = x - _raised(running_mean, x) if output_mask[1] else x
        invstd = 1 / np.sqrt(running_var + kind(eps))
    to_input = to_weight = to_bias = None
    total = _per_channel(g) if train or output_mask[2] else None
    along = _dot_per_channel(g, apart) * invstd if train or output_mask[1] else None
    if output_mask[1]:
        to_weight = along
    if output_mask[2]:
        to_bias = total
    if output_mask[0]:
        scale = invstd if weight is None else invstd * weight
        to_input = g * _raised(scale, x)
        if train:
            assert along is not None and total is not None
            apart = _onto(np.multiply, apart, _raised(scale * along * invstd / count, x))
            apart = _onto(np.add, apart, _raised(scale * total / count, x))
            to_input = _onto(np.subtract, to_input, apart)
        to_input = to_input.reshape(input.shape)
    return to_input, to_weight, to_bias


def _check_batch(
    input: Value, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool
) -> None:
    if input.ndim < 2:
        input.size(1)
    channels = input.shape[1]
    for name, p in (("running_mean", running_mean), ("running_var", running_var)):
        if p is None and not training:
            fail(f"{name} must be defined in evaluation mode")
        if p is not None and p.numel() != channels:
            fail(f"{name} should contain {channels} elements not {p.numel()}")
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p.numel() != channels:
            fail(f"{name} should contain {channels} elements not {p.numel()}")
    if any(p is not None and p.dtype is not input.dtype for p in (weight, bias, running_mean, running_var)):
        fail("mixed dtype (CPU): all inputs must share same datatype.")


def _batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float | None,
    eps: float,
) -> Value:
    """Batch norm, which in training takes the batch's statistics into the running ones."""
    _check_batch(input, weight, bias, running_mean, running_var, training)
    if not input.numel():
        # Nothing to normalise: PyTorch leaves a trace of the parameters only.
        y = input.clone()
        y = y if weight is None else y * weight[0]
        return y if bias is None else y + bias[0]
    running = [t for t in (running_mean, running_var) if t is not None] if training else []
    for t in running:
        # Before the call, which keeps them: their new values are what it will find.
        t._counter().n += 1
    y, mean, _, variance = native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    if running:
        m = momentum or 0.0
        count = input.numel() // max(input.shape[1], 1)
        unbiased = variance._a * (count / (count - 1)) if count > 1 else np.full_like(variance._a, np.nan)
        for t, new in ((running_mean, mean._a), (running_var, unbiased)):
            if t is not None and count:
                a = t._memory()
                a *= 1 - m
                a += m * new
    return y


@public("F")
@composite
def batch_norm(
    input: Value,
    running_mean: Value | None,
    running_var: Value | None,
    weight: Value | None = None,
    bias: Value | None = None,
    training: bool = False,
    momentum: float | None = 0.1,
    eps: float = 1e-5,
) -> Value:
    """Each channel brought to mean 0 and variance 1, over a batch or by running statistics."""
    if training:
        _check_several(input.shape)
        if eps <= 0:
            raise EngineValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise EngineValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@public("torch.batch_norm")
def torch_batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float | None,
    eps: float,
    cudnn_enabled: bool,
) -> Value:
    """Batch norm, its arguments in another order."""
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _check_several(sizes: Any, shown: str = "") -> None:
    count = sizes[0] if len(sizes) else 1
    for n in sizes[2:]:
        count *= n
    if count == 1:
        raise EngineValueError(
            f"Expected more than 1 value per channel when training, got input size {shown or Size(sizes)}"
        )


@public("F")
@composite
def instance_norm(
    input: Value,
    running_mean: Value | None = None,
    running_var: Value | None = None,
    weight: Value | None = None,
    bias: Value | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Value:
    """Each channel of each sample brought to mean 0 and variance 1."""
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise EngineValueError(f"Expected more than 1 spatial element when training, got input size {input.shape!r}")
    if not use_input_stats and (running_mean is None or running_var is None):
        fail("Expected running_mean and running_var to be defined when use_input_stats is false")
    b, c = input.shape[:2]
    sizes = tuple(input.shape)
    weight, bias = (None if p is None else p.repeat(b) for p in (weight, bias))
    repeated = [None if t is None else result(np.tile(t._a, b)) for t in (running_mean, running_var)]
    x = input if input._a.flags.c_contiguous else input.contiguous()
    y = _batch_norm(
        shape.view(x, (1, b * c, *sizes[2:])), weight, bias, *repeated, use_input_stats, momentum, eps
    )
    for t, many in zip((running_mean, running_var), repeated, strict=True):
        if t is not None and many is not None and use_input_stats:
            t._counter().n += 1
            t._memory()[...] = np.add.reduce(many._a.reshape(b, c), 0) / b
    return shape.view(y, sizes)


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
    n = C // group * HxW
    kind = re(input).dtype.type
    normal = input.reshape(N * group, n) - mean.reshape(-1, 1)
    normal = _onto(np.multiply, normal, rstd.reshape(-1, 1))
    to_input = to_weight = to_bias = None
    if of_result is not None:
        of_result = of_result.reshape(N, C, HxW)
        if wanted[1]:
            to_weight = np.add.reduce(dot(of_result, normal.reshape(N, C, HxW)), 0)
        if wanted[2]:
            to_bias = np.add.reduce(np.add.reduce(of_result, 2), 0)
    if wanted[0]:
        total: Array = np.zeros((), input.dtype)
        if of_result is not None:
            h = (of_result if weight is None else of_result * weight[:, None]).reshape(N * group, n)
            part = normal * (dot(h, normal) / kind(n))[:, None]
            part = _onto(np.add, part, (np.add.reduce(h, 1) / kind(n))[:, None])
            total = (h - part) * rstd.reshape(-1, 1)
        if of_mean is not None:
            total = total + of_mean.reshape(-1, 1) / kind(n)
        if of_rstd is not None:
            total = total - (of_rstd * rstd * rstd).reshape(-1, 1) * normal / kind(n)
        to_input = np.broadcast_to(total, (N * group, n)).reshape(input.shape)
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
    share = 1.0 / (D * HxW)
    mean_ = shape.reshape(mean, (N, group, 1, 1))
    rstd_ = shape.reshape(rstd, (N, group, 1, 1))
    to_input = to_weight = to_bias = None
    sums = products = None
    x = shape.reshape(input, (N, group, D, HxW))
    if of_result is not None:
        dy = shape.reshape(of_result, (N, group, D, HxW))
        products = reduce.sum_dim(dy * x, (3,), False).unsqueeze_(-1)
        sums = reduce.sum_dim(dy, (3,), False).unsqueeze_(-1)
    if wanted[0]:
        cube = rstd_ * rstd_ * rstd_
        if of_result is not None:
            a, all_products, all_sums = rstd_, products, sums
            if weight is not None:
                gamma = shape.reshape(weight, (1, group, D, 1))
                a = rstd_ * gamma
                all_products, all_sums = products * gamma, sums * gamma
            all_products = reduce.sum_dim(all_products, (2,), False).unsqueeze_(-2)
            all_sums = reduce.sum_dim(all_sums, (2,), False).unsqueeze_(-2)
            b = (all_sums * mean_ - all_products) * cube * share
            c = -b * mean_ - all_sums * rstd_ * share
            to_input = a * dy + b * x + c
        more = None
        if of_rstd is not None:
            more = (cube * shape.reshape(of_rstd, (N, group, 1, 1))) * -share * (x - mean_)
        if of_mean is not None:
            moved = shape.reshape(of_mean, (N, group, 1, 1)) * share
            more = moved if more is None else more + moved
        if more is not None:
            to_input = more if to_input is None else to_input + more
        if to_input is not None:
            to_input = shape.reshape(_full(to_input, (N, group, D, HxW)), tuple(input.shape))
    if wanted[1] and products is not None:
        spread = (products - sums * mean_) * rstd_
        to_weight = shape.reshape(reduce.sum_dim(spread, (0,), False), (C,))
    if wanted[2] and sums is not None:
        to_bias = shape.reshape(reduce.sum_dim(sums, (0,), False), (C,))
    return to_input, to_weight, to_bias


@primitive(
    node="NativeGroupNormBackward0",
    outputs=("result0", "result1", "result2"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=_group_once,
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
    kind = re(input).dtype.type
    if not input.size:
        nothing = np.zeros((N, group), input.dtype)
        return np.zeros(input.shape, input.dtype), nothing, nothing.copy()
    x = input.reshape(N * group, n)
    mean = np.add.reduce(x, 1) / kind(n)
    y = x - mean[:, None]
    rstd = 1 / np.sqrt(dot(y, y) / kind(n) + kind(eps))
    if weight is None:
        np.multiply(y, rstd[:, None], y)
    else:
        scale = (rstd.reshape(N, group, 1) * weight.reshape(group, -1)).reshape(N, C, 1)
        y = _onto(np.multiply, y.reshape(N, C, HxW), scale)
    if bias is not None:
        y = _onto(np.add, y.reshape(N, C, HxW), bias[:, None])
    return y.reshape(input.shape), mean.reshape(N, group), rstd.reshape(N, group)


def _group_norm(
    input: Value, num_groups: int, weight: Value | None, bias: Value | None, eps: float
) -> Value:
    sizes = tuple(input.shape)
    N, C = sizes[:2]
    if C % num_groups:
        fail(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(sizes)} and num_groups={num_groups}"
        )
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and tuple(p.shape) != (C,):
            fail(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} "
                f"of shape {list(p.shape)} and input of shape {list(sizes)}"
            )
    _check_mixed(input._a, *[None if p is None else p._a for p in (weight, bias)])
    return native_group_norm(input, weight, bias, N, C, math.prod(sizes[2:]), num_groups, eps)[0]


@public("F")
@composite
def group_norm(
    input: Value, num_groups: int, weight: Value | None = None, bias: Value | None = None, eps: float = 1e-5
) -> Value:
    """Each group of channels of each sample brought to mean 0 and variance 1."""
    sizes = tuple(input.shape)
    if len(sizes) < 2:
        fail(f"Expected at least 2 dimensions for input tensor but received {len(sizes)}")
    _check_several((sizes[0] * sizes[1] // num_groups, num_groups, *sizes[2:]), str([sizes[0] * sizes[1] // num_groups, num_groups, *sizes[2:]]))
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
