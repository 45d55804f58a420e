"""Normalisation of batches: each channel brought to mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...call_errors import fail, only_bools
from ...calls.several_tensors import not_differentiable
from ...dtypes import DTYPES, F32, zeros_of
from ...modes import is_followed, mode
from ...numeric.halves import is_half
from ...numeric.kernels import batches
from ...numeric.kernels.batches import raised
from ...numeric.kernels.fused import multiply_add
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Size, Tensor, Value, result
from ..common import axis, re
from ..memory_order import laid_as
from .layer_norm import constants, dot, filled_to, of_gradient, ones, onto, statistics, unless_none

# -- sums over everything but the channels --------------------------------------------------------


def _lifted(p: Any, n: int) -> Any:
    """A parameter for each channel, beside an input with ``n`` axes."""
    return p if p is None or n == 2 else ops.views.view(p, (-1, *[1] * (n - 2)))


def _channels(x: Array) -> Array:
    """``x`` with all axes after its channels made one, and none of a single place."""
    if x.ndim == 2:
        return x
    places = math.prod(x.shape[2:])
    # PyTorch adds up what has one place for each channel as what has none.
    if places == 1:
        return x.reshape(x.shape[:2])
    return x if x.ndim == 3 else x.reshape(x.shape[0], x.shape[1], places)


def _per_channel(x: Array) -> Array:
    """Sums over everything but the channels."""
    if x.ndim == 2:
        return ones(len(x), re(x).dtype) @ x
    return np.add.reduce(x @ ones(x.shape[2], re(x).dtype), 0)


def _dot_per_channel(a: Array, b: Array) -> Array:
    return _per_channel(a * b) if a.ndim == 2 else np.add.reduce(dot(a, b), 0)


# From so many elements on, another pass over them costs more than a few more calls.
_MANY = 4096


def _beside(p: Array, x: Array) -> Array:
    return p if x.ndim == 2 else p.reshape(-1, *[1] * (x.ndim - 2))


def _batch_twice(
    g: Any,
    grad_out: Value,
    input: Value,
    weight: Value | None,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    *,
    wanted: list[bool],
) -> tuple[Value | None, ...]:
    rank = input.ndim
    over = (0, *range(2, rank))
    lifted = _lifted(weight, rank)
    shares = (g[0], unless_none(g[1], lambda p: _lifted(p, rank)), unless_none(g[2], lambda p: _lifted(p, rank)))
    sizes = tuple(input.shape)
    count = math.prod(sizes) // max(sizes[1], 1)
    if train:

        def average(u: Value) -> Value:
            return ops.sums.sum_dim(u, over, True) / count

        if (isinstance(input, Tensor) and is_followed(input)) or save_mean is None or save_invstd is None:
            mean, scale = statistics(input, eps, average)
        else:
            mean, scale = _lifted(save_mean, rank), _lifted(save_invstd, rank)
        to_g, to_x, to_h = of_gradient(shares, grad_out, input, lifted, mean, scale, average)
    else:
        mean, scale = _lifted(running_mean, rank), _lifted(ops.elementary.rsqrt(running_var + eps), rank)
        to_g, to_x, to_h = _of_fixed(shares, grad_out, input, lifted, mean, scale)
    to_weight = None
    if wanted[2] and to_h is not None:
        to_weight = ops.sums.sum_dim(grad_out * to_h, over, False)
    return filled_to(to_g, sizes), to_x, to_weight, None, None


def _of_fixed(
    shares: tuple[Value | None, Value | None, Value | None],
    g: Value,
    x: Value,
    weight: Value | None,
    mean: Value,
    scale: Value,
) -> tuple[Value | None, Value | None, Value | None]:
    """``of_gradient`` where mean and deviation are given numbers: the normalisation is a straight line."""
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
    no_whole="batch_norm",
    without_rule=("running_mean", "running_var"),
    node="NativeBatchNormBackward0",
    aside=("result1", "result2", "squares"),
    input=shared,
    weight=shared,
    bias=shared,
    joint=lambda g, input, weight, running_mean, running_var, result1, result2, training, eps, *, wanted: (
        native_batch_norm_backward(g, input, weight, running_mean, running_var, result1, result2, training, eps, wanted)
    ),
    mixed=True,
    form="affine",
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
    x = _channels(np.ascontiguousarray(input))
    count = x.size // max(x.shape[1], 1)
    _, share, eps_ = constants(max(count, 1), eps, re(input).dtype)
    y = None
    single = input.dtype == F32 and input.size <= batches.LARGEST
    if training:
        if single:
            mean, squares = batches.statistics(x)
            invstd = batches.inverse_deviation(squares / F32.type(count), eps)
        else:
            mean = _per_channel(x) * share
            squares = _squares(x, mean, share)
            if squares is None:
                y = x - raised(mean, x)
                squares = _dot_per_channel(y, y)
            invstd = np.reciprocal(np.sqrt(squares * share + eps_))
        kept = (mean, invstd, squares)
    else:
        assert running_mean is not None
        assert running_var is not None
        mean = running_mean
        invstd = np.reciprocal(np.sqrt(running_var + eps_))
        nothing = np.zeros(0, re(input).dtype)
        kept = (nothing, nothing.copy(), nothing.copy())
    scale = invstd if weight is None else invstd * weight
    if single:
        y = batches.normalised(x, mean, scale, bias)
    elif y is None:
        y = x * raised(scale, x)
        shift = -mean * scale if bias is None else bias - mean * scale
        y = onto(np.add, y, raised(shift, x))
    else:
        y = onto(np.multiply, y, raised(scale, x))
        if bias is not None:
            y = onto(np.add, y, raised(bias, x))
    return laid_as(input, y.reshape(input.shape)), *kept


def _squares(x: Array, mean: Array, share: Array) -> Array | None:
    """The squared distances from the mean by the squares, where that loses no digits to speak of and saves a pass."""
    if x.dtype != np.float64 or x.size < _MANY:
        return None
    all_squares = _dot_per_channel(x, x)
    squares = all_squares - mean * mean / share
    return None if (squares * 64 < all_squares).any() else squares


@primitive(
    backward=True,
    without_rule=("running_mean", "running_var"),
    node="NativeBatchNormBackwardBackward0",
    outputs=("result0", "result1", "result2"),
    grad_out=shared,
    input=shared,
    weight=shared,
    save_mean=shared,
    save_invstd=shared,
    joint=_batch_twice,
    mixed=True,
    form="affine_back",
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
    x, g = _channels(input), _channels(grad_out)
    single = input.dtype == F32 == grad_out.dtype and input.size <= batches.LARGEST
    if train and single and save_mean is not None is not save_invstd:
        found = batches.gradients(g, x, save_mean, save_invstd, weight)
        to_input, to_weight, to_bias = (r if wanted else None for r, wanted in zip(found, output_mask, strict=True))
        return None if to_input is None else laid_as(input, to_input.reshape(input.shape)), to_weight, to_bias
    _, share, eps_ = constants(max(x.size // max(x.shape[1], 1), 1), eps, re(input).dtype)
    to_input = to_weight = to_bias = apart = None
    mean: Array = running_mean if not train else _per_channel(x) * share if save_mean is None else save_mean
    if not train:
        assert running_var is not None
        # Another way than forward.
        invstd = (
            batches.inverse_deviation(running_var, eps) if running_var.dtype == F32
            else np.reciprocal(np.sqrt(running_var + eps_))
        )
    elif save_invstd is None:
        apart = x - raised(mean, x)
        invstd = np.reciprocal(np.sqrt(_dot_per_channel(apart, apart) * share + eps_))
    else:
        invstd = save_invstd
    along: Array = None
    if single and not train:
        total, along = batches.sums(g, x - raised(mean, x))
    else:
        total = _per_channel(g)
    if along is None and (train or output_mask[1]):
        if x.dtype == np.float64 and x.size >= _MANY:
            along = _dot_per_channel(g, x) - mean * total
        else:
            apart = x - raised(mean, x) if apart is None else apart
            along = _dot_per_channel(g, apart)
    if output_mask[1]:
        to_weight = along * invstd
        if single:
            to_weight = to_weight.astype(F32)
    if output_mask[2]:
        to_bias = total.astype(F32) if single else total
    if output_mask[0]:
        scale = invstd if weight is None else invstd * weight
        if train:
            to_input = grad_out * _beside(scale, grad_out)
            # Less scale * (average(g) + apart * invstd^2 * average(g * apart)).
            slope = scale * along * (invstd * invstd * share)
            level = scale * total * share
            if apart is None:
                level = level - mean * slope
                part = x * raised(slope, x)
            else:
                part = onto(np.multiply, apart, raised(slope, x))
            to_input = onto(np.subtract, to_input, part.reshape(input.shape))
            to_input = onto(np.subtract, to_input, _beside(level, input))
        else:
            to_input = grad_out * _beside(invstd, grad_out)
            if weight is not None:
                to_input = onto(np.multiply, to_input, _beside(weight, grad_out))
        to_input = laid_as(input, to_input)
    return to_input, to_weight, to_bias


def _check_batch(input: Value, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool) -> None:
    channels = input.shape[axis(1, input.ndim)]
    if training and (running_mean is None) is not (running_var is None):
        raise EngineValueError("running_mean and running_var must either both be None or neither be None")
    for name, p in (("running_mean", running_mean), ("running_var", running_var)):
        if p is None and not training:
            fail(f"{name} must be defined in evaluation mode")
        if p is not None and p.numel() != channels:
            fail(f"{name} should contain {channels} elements not {p.numel()}")
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p.numel() != channels:
            fail(f"{name} should contain {channels} elements not {p.numel()}")
    given = [p for p in (weight, bias, running_mean, running_var) if p is not None]
    in_half = is_half(input._a.dtype) and any(p.dtype is not input.dtype for p in given)
    wanted = DTYPES[F32] if in_half else input.dtype
    if any(p.dtype is not wanted for p in given):
        fail(
            "mixed dtype (CPU): expect parameter to have scalar type of Float" if in_half
            else "mixed dtype (CPU): all inputs must share same datatype."
        )


_SHARED = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)


def _batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float | None,
    eps: float,
) -> tuple[Value, Value, Value]:
    """Batch norm and its statistics, which in training takes the batch's statistics into the running ones."""
    if not input.numel():
        # Nothing to normalise: PyTorch leaves a trace of the parameters only.
        y = input.clone()
        y = y if weight is None else y * weight[0]
        nothing = result(zeros_of((0,), input._a.dtype))
        return (y if bias is None else y + bias[0]), nothing, nothing
    _check_batch(input, weight, bias, running_mean, running_var, training)
    y, mean, scale, squares = native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )
    if training:
        for watch in mode.writes:
            if any(t is not None and not watch.depends(t) for t in (running_mean, running_var)):
                watch.refuse(input, _SHARED)
        # Without a new version, as PyTorch has it: an earlier graph that kept them can still be walked.
        m = momentum or 0.0
        count = input.numel() // input.shape[1]
        unbiased = squares._a / (count - 1) if count > 1 else np.full_like(squares._a, np.nan)
        for t, new in ((running_mean, mean._a), (running_var, unbiased)):
            if t is not None:
                a = t._memory()
                if mode.tape is not None:
                    mode.tape.before_write(a)
                    mode.tape.keeps(t, input)
                a[...] = multiply_add(a * (1 - m), new, m) if t is running_var else a * (1 - m) + m * new
    return y, mean, scale


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
    if type(training) is not bool:
        only_bools("batch_norm", training=training, places=(6,))
    if training:
        check_several(Size(input.shape))
        if eps <= 0:
            raise EngineValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0:
        raise EngineValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


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
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@public("torch.native_batch_norm")
def batch_norm_with_statistics(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Value, Value, Value]:
    """Batch norm, with the mean of each channel and one over its deviation."""
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@public("F._verify_batch_size")
def check_several(size: Any, shown: str = "") -> None:
    """Refuse to normalise over a single value."""
    count = size[0] if len(size) else 1
    for n in size[2:]:
        count *= n
    if count == 1:
        raise EngineValueError(
            f"Expected more than 1 value per channel when training, got input size {shown or size}"
        )


@public("F")
def _verify_spatial_size(size: Any) -> None:
    """Refuse to normalise samples of a single value."""
    if math.prod(size[2:]) == 1:
        raise EngineValueError(f"Expected more than 1 spatial element when training, got input size {size!r}")


@public("torch.instance_norm")
def torch_instance_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Value:
    """Instance norm, its arguments in another order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def _for_each(statistic: Value, samples: int) -> Value:
    """A running statistic as often as there are samples."""
    repeated = result(np.tile(statistic._a, samples))
    repeated._cuts = statistic._cuts
    return repeated


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
    if type(use_input_stats) is not bool:
        only_bools("instance_norm", use_input_stats=use_input_stats, places=(6,))
    if use_input_stats:
        _verify_spatial_size(input.shape)
    if not use_input_stats and (running_mean is None or running_var is None):
        fail("Expected running_mean and running_var to be defined when use_input_stats is false")
    if (running_mean is None) is not (running_var is None):
        raise EngineValueError("running_mean and running_var must either both be None or neither be None")
    for name, t in (("running_mean", running_mean), ("running_var", running_var)):
        if t is not None and t.requires_grad and mode.grad:
            raise not_differentiable("native_batch_norm", name)
    b, c = input.shape[:2]
    sizes = tuple(input.shape)
    weight, bias = (None if p is None else p.repeat(b) for p in (weight, bias))
    means, variances = (None if t is None else _for_each(t, b) for t in (running_mean, running_var))
    x = input if input._a.flags.c_contiguous else input.contiguous()
    y, _, _ = _batch_norm(
        ops.views.view(x, (1, b * c, *sizes[2:])), weight, bias, means, variances, use_input_stats, momentum, eps
    )
    for t, many in ((running_mean, means), (running_var, variances)):
        if t is not None and many is not None and use_input_stats:
            t._counter().n += 1
            if mode.tape is not None:
                mode.tape.before_write(t._memory())
                mode.tape.keeps(t, input)
            t._memory()[...] = np.add.reduce(many._a.reshape(b, c), 0) / b
    return ops.views.view(y, sizes)
