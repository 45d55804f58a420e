"""The negative log-likelihood of classes, and cross entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError, EngineValueError, Unsupported
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail, plain_number
from ...costs import costs
from ...dtypes import DTYPES, F32, zeros_of
from ...numeric.kernels.sums import by_sixteens
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re
from ..pool.window_shapes import nothing
from .reduction import MEAN, NONE, SUM, number_of, of_target

# -- the negative log-likelihood of classes --------------------------------------------------------

# Where the likelihood of each target stands, as a key; and what each counts, None where all count 1.
Places = tuple[Any, Any]

_LONG = np.dtype("int64")
_FIRST = np.arange(256)


def _numbers(n: int) -> Array:
    """The numbers of ``n`` samples."""
    return _FIRST[:n] if n <= 256 else np.arange(n)


def _places(x: Array, target: Array, weight: Array | None, ignore_index: int) -> Places:
    """The key of the targets' elements, and their weights."""
    n, c = x.shape[:2]
    rows = _numbers(n)
    key: tuple[Any, ...]
    if target.ndim == 1:
        key = (rows, target)
    else:
        rest = np.ogrid[tuple([slice(0, m) for m in target.shape[1:]])]
        key = (rows.reshape(-1, *[1] * len(rest)), target, *rest)
    if not target.size:
        return key, None
    low = np.minimum.reduce(target, None)
    if weight is None and ignore_index < 0 <= low:
        return key, None
    used = target != ignore_index
    wrong = used & ((target < 0) | (target >= c))
    if wrong.any():
        raise _out_of_bounds(target[wrong][0])
    key = (key[0], np.where(used, target, 0), *key[2:])
    return key, used.astype(re(x).dtype) if weight is None else np.where(used, weight[key[1]], 0)


def _out_of_bounds(target: Any) -> EngineIndexError:
    return EngineIndexError(f"Target {target} is out of bounds.")


def _sum(a: Array, used: Array | None) -> Any:
    if a.dtype != F32 or not a.size:
        return np.add.reduce(a, None)
    return by_sixteens(a.ravel(), None if used is None else used.ravel())


def _likelihood(
    x: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """The losses, reduced, and the sum of the weights that they count with."""
    kind = re(x).dtype.type
    key, counts = _places(x, target, weight, ignore_index)
    try:
        found = x[key]
    except IndexError:
        raise _out_of_bounds(target[target >= x.shape[1]][0]) from None
    if counts is not None:
        found = np.where(counts == 0, -0.0, found * counts)
    used = None if counts is None else target != ignore_index
    total = kind(target.size) if counts is None else _sum(counts, used)
    if reduction == NONE:
        return -found, kind(0)
    loss = _sum(found, used)
    if reduction == MEAN:
        loss = loss / total if total else kind(np.nan) + loss
    # A sum of zeros has no sign.
    return 0 - loss, total


def _unlikelihood(
    g: Array, x: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int, total: Array
) -> Array:
    """The adjoint of ``_likelihood`` in ``x``."""
    key, counts = _places(x, target, weight, ignore_index)
    spread = zeros_of(x.shape, g.dtype)
    share = -g
    if reduction == MEAN:
        share = share / total if total else share * 0
    spread[key] = share if counts is None else share * counts
    return spread


@primitive(
    no_whole="nll_loss_out_frame",
    without_rule=("target", "weight"),
    optional=("weight",),
    node="NllLossBackward0",
    aside=("total_weight",),
    self=lambda g, self, target, weight, reduction, ignore_index, total_weight: nll_loss_backward(
        g, self, target, weight, reduction, ignore_index, total_weight
    ),
    form="classes",
)
def nll_loss_forward(
    self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN, ignore_index: int = -100
) -> tuple[Array, Array]:
    """The negative log-probability of the target class, and what all of them weigh."""
    if weight is not None or self.ndim != 2 or target.dtype is not _LONG or target.shape != self.shape[:1]:
        _check_classes(self, target, weight)
    if self.ndim == 1:
        loss, total = _likelihood(self[None], target.reshape(1), weight, reduction, ignore_index)
        return loss if reduction else 0 + loss[0], total
    return _likelihood(self, target, weight, reduction, ignore_index)


@primitive(
    backward=True,
    without_rule=("target", "weight", "total_weight"),
    node="NllLossBackwardBackward0",
    grad_output=lambda g, target, weight, reduction, ignore_index: nll_loss_forward(
        g, target, weight, reduction, ignore_index
    )[0],
    self=lambda g, self_like: nothing(g, self_like),
    form="unclassed",
)
def nll_loss_backward(
    grad_output: Array,
    self: Array,
    target: Array,
    weight: Array | None,
    reduction: int,
    ignore_index: int,
    total_weight: Array,
) -> Array:
    """Gradient of nll_loss."""
    if self.ndim == 1:
        if target.ndim:
            fail(f"size mismatch (got input: {list(self.shape)}, target: {list(target.shape)})")
        g = grad_output if reduction else np.reshape(grad_output, 1)
        rest = weight, reduction, ignore_index, total_weight
        return _unlikelihood(g, self[None], target.reshape(1), *rest)[0]
    return _unlikelihood(grad_output, self, target, weight, reduction, ignore_index, total_weight)


@primitive(
    no_whole="nll_loss2d_forward_out_frame",
    without_rule=("target", "weight"),
    optional=("weight",),
    node="NllLoss2DBackward0",
    aside=("total_weight",),
    self=lambda g, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        g, self, target, weight, reduction, ignore_index, total_weight
    ),
    form="classes",
)
def nll_loss2d_forward(
    self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN, ignore_index: int = -100
) -> tuple[Array, Array]:
    """The negative log-probability of the target class of each pixel, and what all of them weigh."""
    _check_pixels(self, target, weight)
    return _likelihood(self, target, weight, reduction, ignore_index)


@primitive(
    backward=True,
    without_rule=("target", "weight", "total_weight"),
    node="NllLoss2DBackwardBackward0",
    grad_output=lambda g, target, weight, reduction, ignore_index: nll_loss2d_forward(
        g, target, weight, reduction, ignore_index
    )[0],
    self=lambda g, self_like: nothing(g, self_like),
    form="unclassed",
)
def nll_loss2d_backward(
    grad_output: Array,
    self: Array,
    target: Array,
    weight: Array | None,
    reduction: int,
    ignore_index: int,
    total_weight: Array,
) -> Array:
    """Gradient of nll_loss2d."""
    return _unlikelihood(grad_output, self, target, weight, reduction, ignore_index, total_weight)


def _check_target(x: Array, target: Array, weight: Array | None) -> None:
    if target.dtype not in (np.int64, np.uint8):
        fail(f"expected target dtype to be Long or Byte, but got {DTYPES[target.dtype].tensor_name}")
    if weight is not None and weight.dtype is not re(x).dtype:
        fail(f"expected scalar type {DTYPES[re(x).dtype].tensor_name} but found {DTYPES[weight.dtype].tensor_name}")


def _check_classes(x: Array, target: Array, weight: Array | None) -> None:
    if target.ndim > 1:
        fail("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == 1 and target.ndim == 1 and target.size != 1:
        raise EngineValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.size}")
    if x.ndim == 2 and (target.ndim == 0 or target.shape[0] != x.shape[0]):
        fail(f"size mismatch (got input: {list(x.shape)}, target: {list(target.shape)})")
    if weight is not None and weight.shape != x.shape[-1:]:
        fail(
            f"weight tensor should be defined either for all {x.shape[-1]} classes or no classes but got weight tensor "
            f"of shape: {list(weight.shape)}"
        )
    _check_target(x, target, weight)


def _check_pixels(x: Array, target: Array, weight: Array | None) -> None:
    if target.ndim != 3:
        fail(f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}")
    if target.shape != (x.shape[0], *x.shape[2:]):
        fail(f"size mismatch (got input: {list(x.shape)} , target: {list(target.shape)}")
    if weight is not None and weight.size != x.shape[1]:
        fail("weight tensor should be defined either for all or no classes")
    _check_target(x, target, weight)


def _by_class(input: Value, target: Value, weight: Value | None, reduction: int, ignore_index: int) -> Value:
    """The negative log-likelihood, for any number of axes beside that of the classes."""
    n = input.ndim
    if n < 1:
        raise EngineValueError(f"Expected 1 or more dimensions (got {n})")
    if n != 1 and target.ndim and input.shape[0] != target.shape[0]:
        raise EngineValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    if isinstance(target, Tensor) and target.requires_grad:
        fail(f"expected target dtype to be Long or Byte, but got {target.dtype.tensor_name}")
    if n <= 2:
        return nll_loss_forward(input, target, weight, reduction, ignore_index)[0]
    if n == 4:
        return nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]
    N, C, *rest = input.shape
    if list(target.shape[1:]) != rest:
        fail(f"Expected target size {[N, *rest]}, got {list(target.shape)}")
    size = (1, math.prod(rest)) if input.numel() else (0, 0)
    loss = nll_loss2d_forward(
        ops.views.reshape(input, (N, C, *size)), ops.views.reshape(target, (N, *size)), weight, reduction, ignore_index
    )[0]
    return ops.views.view(loss, (N, *rest)) if reduction == NONE else loss


def _tensor(function: str, target: Any) -> None:
    if not isinstance(target, Tensor):
        raise EngineTypeError(
            f"{function}(): argument 'target' (position 2) must be Tensor, not {type(target).__name__}"
        )


@public("F")
@under_autocast("single")
@composite
def nll_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """The negative log-likelihood of classes, of log-probabilities."""
    number = number_of(reduction, size_average, reduce)
    _tensor("nll_loss_nd", target)
    return _by_class(input, target, weight, number, ignore_index)


@public("F")
@under_autocast("single")
@composite
def cross_entropy(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Value:
    """Cross entropy between scores of classes and class numbers or probabilities."""
    number = number_of(reduction, size_average, reduce)
    label_smoothing = plain_number(label_smoothing)
    _tensor("cross_entropy_loss", target)
    x, t = input._a, target._a
    if x.ndim == 2 and t.ndim == 1 and not label_smoothing and x.shape[0] == t.shape[0]:
        # What is nearly always asked for.
        logs = ops.softmax.log_softmax_along(input, 1)
        return nll_loss_forward(logs, target, weight, number, ignore_index)[0]
    if x.shape == t.shape:
        if t.dtype.kind != "f":
            fail(f"Expected floating point type for target with class probabilities, got {DTYPES[t.dtype].tensor_name}")
        if ignore_index >= 0:
            fail("ignore_index is not supported for floating point target")
    # PyTorch smooths by what is above zero alone.
    label_smoothing = max(label_smoothing, 0.0)
    if label_smoothing > 1:
        fail(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if x.shape == t.shape:
        return _by_probability(input, target, weight, number, label_smoothing)
    logs = ops.softmax.log_softmax_along(input, 0 if x.ndim == 1 else 1)
    loss = _by_class(logs, target, weight, number, ignore_index)
    if not label_smoothing:
        return loss
    smooth = _smooth(logs, target, weight, number, ignore_index)
    classes = x.shape[0 if x.ndim == 1 else 1]
    share = label_smoothing / (classes or 1)
    return ops.arith.mul_number(loss, 1 - label_smoothing) + ops.arith.mul_number(smooth, share)


@public("F")
@costs("multiplying.linear_loss")
@composite
def linear_cross_entropy(
    input: Value,
    linear_weight: Value,
    target: Value,
    *,
    linear_bias: Value | None = None,
    weight: Value | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Value:
    """Cross entropy between the scores that a linear layer makes and class numbers or probabilities."""
    if options is not None:
        raise Unsupported("linear_cross_entropy() in chunks is not supported: leave options away")
    have, rows = tuple(input.shape), tuple(linear_weight.shape)
    if not 1 <= len(have) <= 2:
        fail(f"expected input with dimensionality 1 or 2, got {len(have)}")
    if len(rows) < 2:
        fail(f"expected linear_weight with dimensionality at least 2, got {len(rows)}")
    if have[-1] != rows[-1]:
        fail(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {have[-1]} and {rows[-1]}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != rows[:-1]:
        fail(f"expected linear_bias shape {rows[:-1]}, got {tuple(linear_bias.shape)}")
    if len(rows) > 2 and len(have) == 1:
        fail(
            f"K-dimensional loss defined by linear_weight shape {rows} requires batched input, (N, {have[-1]}), got "
            f"unbatched input with shape {have}"
        )
    size = (*have[:-1], *rows[:-1])
    if tuple(target.shape) == size and ignore_index is not None:
        fail("ignore_index cannot be specified when target contains probabilities")
    if len(rows) > 2:
        flat = math.prod(rows[:-1])
        linear_weight = ops.reshaping.reshape(linear_weight, (flat, have[-1]))
        linear_bias = None if linear_bias is None else ops.reshaping.reshape(linear_bias, (flat,))
    logits = ops.reshaping.reshape(ops.addmm.linear(input, linear_weight, linear_bias), size)
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _beside(weight: Value, n: int) -> Value:
    """Class weights beside an input with ``n`` axes."""
    return ops.views.view(weight, (-1,) if n == 1 else (1, -1, *[1] * (n - 2)))


def _smooth(logs: Value, target: Value, weight: Value | None, reduction: int, ignore_index: int) -> Value:
    """The loss if all classes were as good a target."""
    dim = 0 if logs.ndim == 1 else 1
    loss = -ops.sums.sum_dim(logs if weight is None else logs * _beside(weight, logs.ndim), (dim,), False)
    ignored = target == ignore_index
    if ignored.ndim > loss.ndim:
        fail(f"output with shape {list(loss.shape)} doesn't match the broadcast shape {list(ignored.shape)}")
    loss = ops.choosing.masked_fill(loss, ignored, 0)
    if reduction == NONE:
        return loss
    total = ops.sums.sum_all(loss)
    if reduction == SUM:
        return total
    used = ~ignored
    return total / (used.sum() if weight is None else weight[target[used]].sum())


@of_target
def _by_probability(input: Value, target: Value, weight: Value | None, reduction: int, label_smoothing: float) -> Value:
    dim = 0 if input.ndim <= 1 else 1
    classes = input.shape[dim] if input.ndim else 1
    if weight is not None and tuple(weight.shape) != (classes,):
        fail(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    if label_smoothing:
        share = label_smoothing / (classes or 1)
        target = ops.arith.add_number(ops.arith.mul_number(target, 1 - label_smoothing), share)
    loss = ops.softmax.log_softmax_along(input, dim) * target
    if weight is not None:
        loss = loss * (weight if input.ndim <= 1 else _beside(weight, input.ndim))
    if reduction == NONE:
        return -ops.sums.sum_dim(loss, (dim,), False)
    total = ops.sums.sum_all(loss)
    if reduction == MEAN and not input.numel():
        total.fill_(math.nan)
        return -total
    total = -total
    return total if reduction == SUM else ops.arith.div_number(total, input.numel() // classes)
