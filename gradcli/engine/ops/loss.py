"""Losses that PyTorch shows as one node: squares, Huber's curve, cross entropies of two classes, soft margin."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...errors import EngineValueError, Unsupported
from ..dtypes import DTYPES, promote
from ..numeric.common import quiet
from ..registry import PUBLIC, constant, fail, primitive, public
from ..tensor import Array, Tensor, Value, result
from . import reduce, shape, steps, unary
from .common import lt, re
from .masks import pick

NONE, MEAN, SUM = 0, 1, 2

_NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}

# -- reductions ------------------------------------------------------------------------------------


def number_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """PyTorch's number for a reduction."""
    if size_average is not None or reduce is not None:
        reduction = legacy(size_average, reduce)
    found = _NUMBERS.get(reduction)
    if found is None:
        raise EngineValueError(f"{reduction} is not a valid value for reduction")
    return found


def legacy(size_average: bool | None, reduce: bool | None) -> str:
    """What the older two switches mean."""
    averaged = size_average is None or size_average
    word = "none" if reduce is not None and not reduce else "mean" if averaged else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.",
        UserWarning,
        stacklevel=4,
    )
    return word


def reduced(x: Array, reduction: int) -> Array:
    """All losses as one, or as they are."""
    if reduction == NONE:
        return x
    total = np.add.reduce(x, None)
    return _averaged(total, x.size) if reduction == MEAN else total


def _averaged(total: Array, n: int) -> Array:
    return total / n if n else total.dtype.type(np.nan)


def reduced_by(loss: Value, reduction: int) -> Value:
    """The same, recorded."""
    if reduction == NONE:
        return loss
    return reduce.mean_all(loss) if reduction == MEAN else reduce.sum_all(loss)


def size_of(x: Value) -> int:
    """How many elements an array or a Tensor has."""
    n: int = x._a.size if isinstance(x, Tensor) else x.size
    return n


def averaged_by(g: Value, x: Value, reduction: int) -> Value:
    """The share of each of the elements of ``x`` in ``g``."""
    return g / size_of(x) if reduction == MEAN else g


def written(g: Value, times: int) -> Value:
    """A gradient that PyTorch has written to so often since it was made, which its version shows."""
    if isinstance(g, Tensor):
        g._counter().n += times
    return g


def ones(g: Value) -> Value:
    """Ones, as ``g`` is: arrays or Tensors."""
    if isinstance(g, Tensor):
        return result(ones(g._a))
    return np.ones(g.shape, g.dtype) if g.ndim else g.dtype.type(1)


def _weighted(g: Array, n: int, reduction: int) -> Array:
    """The incoming gradient of each element."""
    return g / n if reduction == MEAN and n else g


def paired(input: Value, target: Value) -> tuple[Value, Value]:
    """Input and target in one shape, with PyTorch's warning when that takes a broadcast."""
    a, b = input._a, target._a
    if a.shape != b.shape:
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=3,
        )
        return joined(input, target)
    return input, target


def joined(input: Value, target: Value) -> tuple[Value, Value]:
    """Two tensors in the shape that they broadcast to."""
    found: tuple[Value, Value] = tuple(PUBLIC["torch"]["broadcast_tensors"](input, target))
    return found


def _refuse_integers(kernel: str, x: Array) -> None:
    if x.dtype.kind not in "fc":
        raise Unsupported(f"\"{kernel}\" not implemented for '{DTYPES[x.dtype].tensor_name}'")


def _difference(self: Array, target: Array) -> Array:
    """self - target, where integers beside a tensor of floats do not widen it as NumPy has it."""
    if self.dtype is not target.dtype:
        d = promote(self, target)
        self, target = self.astype(d), target.astype(d)
    return self - target


# -- squares ---------------------------------------------------------------------------------------


@primitive(
    self=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    target=lambda g, self, target, reduction: mse_loss_backward(g, target, self, reduction),
)
def mse_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """Squared differences, their mean or their sum."""
    d = _difference(self, target)
    if reduction == NONE:
        return d * d
    _refuse_integers("mse_cpu", d)
    d = d.ravel()
    total = np.dot(d, d)
    return _averaged(total, d.size) if reduction == MEAN else total


@primitive(
    node="MseLossBackwardBackward0",
    broadcasts=True,
    grad_output=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    self=lambda g, grad_output, self, reduction: averaged_by(g * grad_output * 2, self, reduction),
    target=lambda g, grad_output, target, reduction: -averaged_by(g * grad_output * 2, target, reduction),
)
def mse_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """Gradient of squared differences."""
    d = _difference(self, target)
    share = d * (grad_output * (2 / d.size if reduction == MEAN and d.size else 2))
    # A wider target does not widen the gradient.
    return share if share.dtype is self.dtype or share.dtype.kind == "c" else share.astype(self.dtype)


# -- Huber's curve: a parabola between straight lines ----------------------------------------------


def _outside(self: Array, target: Array, width: float) -> Array:
    """How far a difference is from the parabola's ends, where the slope has its kinks."""
    return np.abs(re(self) - re(target)) - width


@constant
def within(self: Array, target: Array, width: float, closed: bool) -> Array:
    """Where a difference is on the parabola."""
    d = np.abs(re(self) - re(target))
    return d <= width if closed else d < width


def _size(d: Array) -> Array:
    """Absolute value, by the real part's sign."""
    return np.abs(d) if d.dtype.kind == "f" else pick(re(d) < 0, -d, d)


def _bent(self: Array, target: Array, width: float) -> Array:
    """d / width between -width and width, and -1 or 1 outside."""
    return np.minimum(np.maximum(_difference(self, target) / width, -1), 1)


@primitive(
    node="SmoothL1LossBackward0",
    kink=lambda self, target, reduction, beta: _outside(self, target, beta),
    self=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    target=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, target, self, reduction, beta),
)
def smooth_l1_loss(self: Array, target: Array, reduction: int = MEAN, beta: float = 1.0) -> Array:
    """Differences, squared below beta."""
    if beta < 0:
        fail("smooth_l1_loss does not support negative values for beta.")
    d = _size(_difference(self, target))
    _refuse_integers("smooth_l1_cpu", d)
    return reduced(pick(lt(d, beta), 0.5 * d * d / beta, d - 0.5 * beta), reduction)


@primitive(
    node="SmoothL1LossBackwardBackward0",
    broadcasts=True,
    kink=lambda grad_output, self, target, reduction, beta: _outside(self, target, beta),
    grad_output=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    self=lambda g, grad_output, self, target, reduction, beta: averaged_by(
        g * grad_output * within(self, target, beta, False) / beta, self, reduction
    ),
    target=lambda g, grad_output, self, target, reduction, beta: -averaged_by(
        g * grad_output * within(self, target, beta, False) / beta, self, reduction
    ),
)
def smooth_l1_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, beta: float) -> Array:
    """Gradient of smooth_l1_loss."""
    x = _bent(self, target, beta)
    return x * _weighted(grad_output, x.size, reduction)


def _huber_to_gradient(g: Value, grad_output: Value, self: Value, target: Value, reduction: int, delta: float) -> Value:
    if reduction == NONE:
        return huber_loss_backward(g, self, target, reduction, delta)
    return reduce.sum_all(huber_loss_backward(ones(grad_output), self, target, reduction, delta) * g)


@primitive(
    kink=lambda self, target, reduction, delta: _outside(self, target, delta),
    self=lambda g, self, target, reduction, delta: huber_loss_backward(g, self, target, reduction, delta),
    target=lambda g, self, target, reduction, delta: huber_loss_backward(g, target, self, reduction, delta),
)
def huber_loss(self: Array, target: Array, reduction: int = MEAN, delta: float = 1.0) -> Array:
    """Squared differences, going on as straight lines beyond delta."""
    if delta <= 0:
        fail("huber_loss does not support non-positive values for delta.")
    d = _size(_difference(self, target))
    _refuse_integers("huber_cpu", d)
    return reduced(pick(re(d) <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


@primitive(
    node="HuberLossBackwardBackward0",
    broadcasts=True,
    kink=lambda grad_output, self, target, reduction, delta: _outside(self, target, delta),
    grad_output=lambda g, grad_output, self, target, reduction, delta: _huber_to_gradient(
        g, grad_output, self, target, reduction, delta
    ),
    self=lambda g, grad_output, self, target, reduction, delta: averaged_by(
        g * grad_output * within(self, target, delta, True), self, reduction
    ),
    target=lambda g, grad_output, self, target, reduction, delta: -averaged_by(
        g * grad_output * within(self, target, delta, True), self, reduction
    ),
)
def huber_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, delta: float) -> Array:
    """Gradient of huber_loss."""
    x = _bent(self, target, delta)
    return x * (_weighted(grad_output, x.size, reduction) * delta)


# -- cross entropy of two classes ------------------------------------------------------------------

EPSILON = 1e-12


def _log(x: Array) -> Array:
    """A logarithm that stops at -100."""
    return np.maximum(quiet(np.log, x), -100)


def _check_unit(name: str, x: Array) -> None:
    r = re(x)
    if r.size and not (np.minimum.reduce(r, None) >= 0 and np.maximum.reduce(r, None) <= 1):
        fail(f"all elements of {name} should be between 0 and 1")


def _to_target(g: Value, self: Value, target: Value, weight: Value | None, reduction: int) -> Value:
    share = -PUBLIC["torch"]["logit"](self) * g
    share = share if weight is None else share * weight
    return written(averaged_by(share, target, reduction), 2 + (weight is not None) + (reduction == MEAN))


@primitive(
    domain=lambda self, *_: (re(self) > 0) & (re(self) < 1),
    self=lambda g, self, target, weight, reduction: binary_cross_entropy_backward(g, self, target, weight, reduction),
    target=lambda g, self, target, weight, reduction: _to_target(g, self, target, weight, reduction),
)
def binary_cross_entropy(self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN) -> Array:
    """Cross entropy between probabilities and targets."""
    if target.dtype is not self.dtype and "c" not in (target.dtype.kind, self.dtype.kind):
        fail(f"Found dtype {DTYPES[target.dtype].tensor_name} but expected {DTYPES[self.dtype].tensor_name}")
    _check_unit("input", self)
    _check_unit("target", target)
    loss = (target - 1) * _log(1 - self) - target * _log(self)
    return reduced(loss if weight is None else loss * weight, reduction)


def _of_unit(self: Value) -> tuple[Value, Value]:
    """A probability and its complement, both kept from 0."""
    return self + EPSILON, 1 - self + EPSILON


def _bce_to_gradient(g: Value, self: Value, target: Value, weight: Value | None, reduction: int) -> Value:
    one, other = _of_unit(self)
    share = (self - target) / (one * other) * g
    share = share if weight is None else share * weight
    share = averaged_by(share, self, reduction)
    return share if reduction == NONE else reduce.sum_all(share)


def _bce_to_self(
    g: Value, grad_output: Value, self: Value, target: Value, weight: Value | None, reduction: int
) -> Value:
    one, other = _of_unit(self)
    share = (self * self - self * 2 * target + target) / (one**2 * other**2) * (g * grad_output)
    share = share if weight is None else share * weight
    return averaged_by(share, self, reduction)


def _bce_to_target(
    g: Value, grad_output: Value, self: Value, target: Value, weight: Value | None, reduction: int
) -> Value:
    share = -g * grad_output
    share = share if weight is None else share * weight
    return averaged_by(share / ((1 - self) * self), target, reduction)


@primitive(
    node="BinaryCrossEntropyBackwardBackward0",
    broadcasts=True,
    domain=lambda grad_output, self, *_: (re(self) > 0) & (re(self) < 1),
    grad_output=lambda g, self, target, weight, reduction: _bce_to_gradient(g, self, target, weight, reduction),
    self=lambda g, grad_output, self, target, weight, reduction: _bce_to_self(
        g, grad_output, self, target, weight, reduction
    ),
    target=lambda g, grad_output, self, target, weight, reduction: _bce_to_target(
        g, grad_output, self, target, weight, reduction
    ),
)
def binary_cross_entropy_backward(
    grad_output: Array, self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN
) -> Array:
    """Gradient of binary_cross_entropy in the probabilities."""
    share = grad_output * ((self - target) / np.maximum((1 - self) * self, EPSILON))
    share = share if weight is None else share * weight
    return _weighted(share, share.size, reduction)


def _softplus(x: Array) -> Array:
    """log(1 + exp(x))"""
    if x.dtype.kind == "f":
        return np.logaddexp(x.dtype.type(0), x)
    large = re(x) > 0
    return pick(large, x, 0) + np.log1p(np.exp(pick(large, -x, x)))


def _logits_to_self(
    g: Value, self: Value, target: Value, weight: Value | None, pos_weight: Value | None, reduction: int
) -> Value:
    if pos_weight is None:
        share = (unary.sigmoid(self) - target) * g
    else:
        t = pos_weight * target
        share = ((t + 1 - target) * unary.sigmoid(self) - t) * g
    share = share if weight is None else share * weight
    return written(averaged_by(share, self, reduction), reduction == MEAN)


def _logits_to_target(
    g: Value, self: Value, target: Value, weight: Value | None, pos_weight: Value | None, reduction: int
) -> Value:
    if pos_weight is None:
        share = -self * g
    else:
        log_sigmoid = PUBLIC["F"]["logsigmoid"]
        share = (log_sigmoid(-self) - log_sigmoid(self) * pos_weight) * g
    share = share if weight is None else share * weight
    times = 2 * (pos_weight is not None) + (weight is not None) + (reduction == MEAN)
    return written(averaged_by(share, target, reduction), times)


@primitive(
    broadcasts=True,
    self=lambda g, self, target, weight, pos_weight, reduction: _logits_to_self(
        g, self, target, weight, pos_weight, reduction
    ),
    target=lambda g, self, target, weight, pos_weight, reduction: _logits_to_target(
        g, self, target, weight, pos_weight, reduction
    ),
)
def binary_cross_entropy_with_logits(
    self: Array,
    target: Array,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: int = MEAN,
) -> Array:
    """Cross entropy between the logistic function of the input and targets."""
    if target.dtype.kind not in "fc":
        fail(
            f"result type {DTYPES[self.dtype].tensor_name} can't be cast to the desired output type "
            f"{DTYPES[target.dtype].tensor_name}"
        )
    entropy = _softplus(-self)
    if pos_weight is not None:
        entropy = entropy * ((pos_weight - 1) * target + 1)
    loss = (1 - target) * self + entropy
    return reduced(loss if weight is None else loss * weight, reduction)


# -- soft margin -----------------------------------------------------------------------------------


def _soft_to_gradient(g: Value, grad_output: Value, self: Value, target: Value, reduction: int) -> Value:
    if reduction == NONE:
        return soft_margin_loss_backward(g, self, target, reduction)
    return reduce.sum_all(soft_margin_loss_backward(ones(grad_output), self, target, reduction) * g)


def _soft_to_self(g: Value, grad_output: Value, self: Value, target: Value, reduction: int) -> Value:
    z = unary.exp(self * -target)
    share = g * grad_output * (target * target) * z / ((z + 1) * (z + 1))
    return averaged_by(share, self, reduction)


@primitive(self=lambda g, self, target, reduction: soft_margin_loss_backward(g, self, target, reduction))
def soft_margin_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """Logarithms of 1 + exp(-target * input)."""
    if self.dtype.kind not in "fc":
        fail(f"result type Float can't be cast to the desired output type {DTYPES[self.dtype].tensor_name}")
    return reduced(quiet(np.log1p, quiet(np.exp, -target * self)), reduction)


@primitive(
    node="SoftMarginLossBackwardBackward0",
    broadcasts=True,
    grad_output=lambda g, grad_output, self, target, reduction: _soft_to_gradient(
        g, grad_output, self, target, reduction
    ),
    self=lambda g, grad_output, self, target, reduction: _soft_to_self(g, grad_output, self, target, reduction),
)
def soft_margin_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """Gradient of soft_margin_loss."""
    z = quiet(np.exp, -target * self)
    share = quiet(np.divide, z, z + 1) * -target
    return share * _weighted(grad_output, share.size, reduction)


# -- what users call -------------------------------------------------------------------------------


def _heavy(loss: Value, input: Value, weight: Value, reduction: str, by_weight: bool) -> Value:
    """Losses times weights, reduced; the mean by the sum of the weights where PyTorch has it so."""
    if tuple(weight.shape) != tuple(input.shape):
        raise EngineValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    if reduction == "sum":
        return reduce.sum_all(loss)
    if reduction == "mean":
        return reduce.sum_all(loss) / reduce.sum_all(weight) if by_weight else reduce.mean_all(loss)
    raise EngineValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


@public("F.mse_loss")
def squared_error(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Value | None = None,
) -> Value:
    """The mean, the sum or each of the squared differences of input and target."""
    input, target = paired(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy(size_average, reduce)
    if weight is not None:
        return _heavy((input - target) ** 2, input, weight, reduction, True)
    return mse_loss(input, target, number_of(reduction))


@public("F.l1_loss")
def absolute_error(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Value | None = None,
) -> Value:
    """The mean, the sum or each of the absolute differences of input and target."""
    input, target = paired(input, target)
    if size_average is not None or reduce is not None:
        reduction = legacy(size_average, reduce)
    loss = steps.abs(input - target)
    if weight is not None:
        return _heavy(loss, input, weight, reduction, True)
    return reduced_by(loss, number_of(reduction))


@public("F.smooth_l1_loss")
def smooth_absolute_error(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Value:
    """Absolute differences, squared below beta."""
    input, target = paired(input, target)
    number = number_of(reduction, size_average, reduce)
    if beta == 0:
        return reduced_by(steps.abs(input - target), number)
    return smooth_l1_loss(input, target, number, beta)


@public("F.huber_loss")
def huber_error(
    input: Value, target: Value, reduction: str = "mean", delta: float = 1.0, weight: Value | None = None
) -> Value:
    """Squared differences, going on as straight lines beyond delta."""
    input, target = paired(input, target)
    if weight is None:
        return huber_loss(input, target, number_of(reduction), delta)
    return _heavy(huber_loss(input, target, NONE, delta), input, weight, reduction, False)


@public("F.binary_cross_entropy")
def entropy_of_probabilities(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """Cross entropy between probabilities and targets."""
    number = number_of(reduction, size_average, reduce)
    if tuple(target.shape) != tuple(input.shape):
        raise EngineValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        size = PUBLIC["torch"]["broadcast_shapes"](target.shape, weight.shape)
        weight = shape.expand(weight, tuple(size))
    return binary_cross_entropy(input, target, weight, number)


@public("F.binary_cross_entropy_with_logits")
def entropy_of_logits(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Value | None = None,
) -> Value:
    """Cross entropy between the logistic function of the input and targets."""
    number = number_of(reduction, size_average, reduce)
    if tuple(target.shape) != tuple(input.shape):
        raise EngineValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


@public("torch.binary_cross_entropy_with_logits")
def entropy_of_logits_by_number(
    input: Value,
    target: Value,
    weight: Value | None = None,
    pos_weight: Value | None = None,
    reduction: int = MEAN,
) -> Value:
    """The same with a number for the reduction."""
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


@public("F.soft_margin_loss")
def soft_margin(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """Logarithms of 1 + exp(-target * input)."""
    number = number_of(reduction, size_average, reduce)
    if tuple(target.shape) != tuple(input.shape):
        input, target = joined(input, target)
    return soft_margin_loss(input, target, number)
