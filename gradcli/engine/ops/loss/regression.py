"""Losses of differences: squares, absolute values, and curves between the two; and the soft margin."""

from __future__ import annotations

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...dtypes import BF16, DTYPES, F16
from ...numeric.common import quiet
from ...numeric.halves import converted, raised
from ...numeric.kernels import library, vectors
from ...numeric.kernels.sums import UNSHARED, follows
from ...registry import primitive, public
from ...tensor import Array, Value
from ..common import lt, re
from ..pointwise.masks import pick
from .reduction import (
    MEAN,
    NONE,
    arrays,
    averaged,
    averaged_by,
    difference,
    fits_result,
    joined,
    legacy,
    number_of,
    of_one_type,
    ones,
    paired,
    reduced,
    reduced_by,
    unrecorded,
    weighted,
)

# -- squares ---------------------------------------------------------------------------------------


@primitive(
    self=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    target=lambda g, self, target, reduction: mse_loss_backward(g, target, self, reduction),
    form="reduced",
    own_precision=True,
)
def mse_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """Squared differences, their mean or their sum."""
    d = difference(self, target, "mse_cpu")
    if reduction == NONE or d.size <= UNSHARED or follows(d):
        return reduced(d * d, reduction)
    d = d.ravel()
    total = np.dot(d, d)
    return averaged(total, d.size) if reduction == MEAN else total


@primitive(
    backward=True,
    node="MseLossBackwardBackward0",
    broadcasts=True,
    grad_output=lambda g, self, target, reduction: mse_loss_backward(g, self, target, reduction),
    self=lambda g, grad_output, self, reduction: averaged_by(g * grad_output * 2, self, reduction),
    target=lambda g, grad_output, target, reduction: -averaged_by(g * grad_output * 2, target, reduction),
    form="unreduced",
    own_precision=True,
)
def mse_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """Gradient of squared differences."""
    d = difference(self, target)
    factor = 2 / d.size if reduction == MEAN and d.size else 2
    share = d * d.dtype.type(factor) * grad_output if d.size <= UNSHARED or follows(d) else d * (grad_output * factor)
    # A wider target does not widen the gradient.
    return _in_rows(share if share.dtype is self.dtype or share.dtype.kind == "c" else converted(share, self.dtype))


def _in_rows(share: Array) -> Array:
    """A gradient in row-major order, in which these losses make theirs however the operands lie."""
    return share if share.flags.c_contiguous else share.copy()


# -- Huber's curve: a parabola between straight lines ----------------------------------------------


def _outside(self: Array, target: Array, width: float) -> Array:
    """The distance of a difference from the parabola's ends, where the slope has its kinks."""
    return np.abs(re(self) - re(target)) - width


@unrecorded
def _within(self: Array, target: Array, width: float, closed: bool) -> Array:
    """Where a difference is on the parabola."""
    d = np.abs(re(self) - re(target))
    return d <= width if closed else d < width


def _size(d: Array) -> Array:
    """Absolute value, by the real part's sign."""
    return np.abs(d) if d.dtype.kind == "f" else pick(re(d) < 0, -d, d)


def _bent(self: Array, target: Array, width: float) -> Array:
    """d / width between -width and width, and -1 or 1 outside."""
    return np.minimum(np.maximum(difference(self, target) / width, -1), 1)


def _shared(x: Array, reduction: int) -> Array:
    """``x`` as its share of a mean."""
    return x * (1 / x.size) if reduction == MEAN and x.size else x


@primitive(
    node="SmoothL1LossBackward0",
    kink=lambda self, target, beta: _outside(self, target, beta),
    self=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    target=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, target, self, reduction, beta),
    form="reduced",
    own_precision=True,
)
def smooth_l1_loss(self: Array, target: Array, reduction: int = MEAN, beta: float = 1.0) -> Array:
    """Differences, squared below beta."""
    if beta < 0:
        fail("smooth_l1_loss does not support negative values for beta.")
    in_brain = self.dtype is target.dtype is BF16
    if in_brain:
        # PyTorch rounds each step of float16 only.
        self, target = raised(self), raised(target)
    d = _size(difference(self, target, "smooth_l1_cpu"))
    loss = pick(lt(d, beta), 0.5 * d * d / beta, d - 0.5 * beta)
    return reduced(converted(loss, BF16) if in_brain else loss, reduction)


@primitive(
    backward=True,
    node="SmoothL1LossBackwardBackward0",
    broadcasts=True,
    kink=lambda self, target, beta: _outside(self, target, beta),
    grad_output=lambda g, self, target, reduction, beta: smooth_l1_loss_backward(g, self, target, reduction, beta),
    self=lambda g, grad_output, self, target, reduction, beta: averaged_by(
        g * grad_output * _within(self, target, beta, False) / beta, self, reduction
    ),
    target=lambda g, grad_output, self, target, reduction, beta: (
        -averaged_by(g * grad_output * _within(self, target, beta, False) / beta, self, reduction)
    ),
    form="unreduced",
)
def smooth_l1_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, beta: float) -> Array:
    """Gradient of smooth_l1_loss."""
    return _in_rows(_shared(_bent(self, target, beta), reduction) * grad_output)


def _huber_to_one(g: Value, self: Value, other: Value, reduction: int, delta: float) -> Value:
    # What a complex step gives is beside real numbers.
    if all(a.dtype.kind != "c" for a in arrays(self, other)):
        of_one_type(self, other)
    return huber_loss_backward(g, self, other, reduction, delta)


def _huber_to_gradient(g: Value, grad_output: Value, self: Value, target: Value, reduction: int, delta: float) -> Value:
    if reduction == NONE:
        return huber_loss_backward(g, self, target, reduction, delta)
    return ops.sums.sum_all(huber_loss_backward(ones(grad_output), self, target, reduction, delta) * g)


@primitive(
    kink=lambda self, target, delta: _outside(self, target, delta),
    self=lambda g, self, target, reduction, delta: _huber_to_one(g, self, target, reduction, delta),
    target=lambda g, self, target, reduction, delta: _huber_to_one(g, target, self, reduction, delta),
    form="reduced",
    own_precision=True,
)
def huber_loss(self: Array, target: Array, reduction: int = MEAN, delta: float = 1.0) -> Array:
    """Squared differences, going on as straight lines beyond delta."""
    if delta <= 0:
        fail("huber_loss does not support non-positive values for delta.")
    given = self.dtype
    if given is F16:
        # PyTorch rounds each step of bfloat16 only.
        self, target = raised(self), raised(target)
    d = _size(difference(self, target, "huber_cpu"))
    if d.dtype is BF16:
        delta = BF16.type(delta)
    loss = pick(re(d) <= delta, 0.5 * d * d, delta * (d - 0.5 * delta))
    return reduced(loss if loss.dtype.kind == "c" else converted(loss, given), reduction)


@primitive(
    backward=True,
    node="HuberLossBackwardBackward0",
    broadcasts=True,
    kink=lambda self, target, delta: _outside(self, target, delta),
    grad_output=lambda g, grad_output, self, target, reduction, delta: _huber_to_gradient(
        g, grad_output, self, target, reduction, delta
    ),
    self=lambda g, grad_output, self, target, reduction, delta: averaged_by(
        g * grad_output * _within(self, target, delta, True), self, reduction
    ),
    target=lambda g, grad_output, self, target, reduction, delta: (
        -averaged_by(g * grad_output * _within(self, target, delta, True), self, reduction)
    ),
    form="unreduced",
    own_precision=True,
)
def huber_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int, delta: float) -> Array:
    """Gradient of huber_loss."""
    return _in_rows(_shared(_bent(self, target, delta) * delta, reduction) * grad_output)


# -- soft margin -----------------------------------------------------------------------------------


def _beside(target: Array, a: Array) -> Array:
    """A target in the precision of what it is compared with: a byte has no negative, and nothing is widened."""
    return target if a.dtype.kind == "c" or target.dtype is a.dtype else converted(target, a.dtype)


def _soft_to_gradient(g: Value, grad_output: Value, self: Value, target: Value, reduction: int) -> Value:
    if reduction == NONE:
        return soft_margin_loss_backward(g, self, target, reduction)
    return ops.sums.sum_all(soft_margin_loss_backward(ones(grad_output), self, target, reduction) * g)


def _soft_to_self(g: Value, grad_output: Value, self: Value, target: Value, reduction: int) -> Value:
    z = ops.elementary.exp(self * -target)
    share = g * grad_output * (target * target) * z / ((z + 1) * (z + 1))
    return averaged_by(share, self, reduction)


@primitive(
    without_rule=("target",),
    self=lambda g, self, target, reduction: soft_margin_loss_backward(g, self, target, reduction),
    form="reduced",
    own_precision=True,
)
def soft_margin_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """Logarithms of 1 + exp(-target * input)."""
    if self.dtype.kind not in "fc":
        made = DTYPES[target.dtype].tensor_name if target.dtype.kind in "fc" else "Float"
        fail(f"result type {made} can't be cast to the desired output type {DTYPES[self.dtype].tensor_name}")
    return reduced(quiet(vectors.log1p, library.exp(-_beside(target, self) * self)), reduction)


@primitive(
    backward=True,
    without_rule=("target",),
    node="SoftMarginLossBackwardBackward0",
    broadcasts=True,
    grad_output=lambda g, grad_output, self, target, reduction: _soft_to_gradient(
        g, grad_output, self, target, reduction
    ),
    self=lambda g, grad_output, self, target, reduction: _soft_to_self(g, grad_output, self, target, reduction),
    form="unreduced",
    own_precision=True,
)
def soft_margin_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """Gradient of soft_margin_loss."""
    if target.dtype.kind == "b":
        ops.arith.neg.op.forward(target)
    target = _beside(target, self)
    z = library.exp(-target * self)
    share = quiet(np.multiply, target, z) * weighted(-z.dtype.type(1), z.size, reduction)
    return quiet(np.divide, share, z + 1) * grad_output


# -- what users call -------------------------------------------------------------------------------


def _heavy(loss: Value, input: Value, weight: Value, reduction: str, by_weight: bool) -> Value:
    """Losses times weights, reduced; the mean by the sum of the weights where PyTorch has it so."""
    if tuple(weight.shape) != tuple(input.shape):
        raise EngineValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    if reduction == "sum":
        return ops.sums.sum_all(loss)
    if reduction == "mean":
        return ops.sums.sum_all(loss) / ops.sums.sum_all(weight) if by_weight else ops.sums.mean_all(loss)
    raise EngineValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


@public("F.mse_loss")
@under_autocast("single")
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
@under_autocast("single")
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
    loss = ops.kinked.abs(input - target)
    if weight is not None:
        return _heavy(loss, input, weight, reduction, True)
    return reduced_by(loss, number_of(reduction))


@public("F.smooth_l1_loss")
@under_autocast("single")
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
        return reduced_by(ops.kinked.abs(input - target), number)
    return smooth_l1_loss(input, target, number, beta)


@public("F.huber_loss")
@under_autocast("single")
def huber_error(
    input: Value, target: Value, reduction: str = "mean", delta: float = 1.0, weight: Value | None = None
) -> Value:
    """Squared differences, going on as straight lines beyond delta."""
    input, target = paired(input, target)
    fits_result(input, target)
    if weight is None:
        return huber_loss(input, target, number_of(reduction), delta)
    return _heavy(huber_loss(input, target, NONE, delta), input, weight, reduction, False)


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
        own = list(input.shape)
        input, target = joined(input, target)
        if list(input.shape) != own:
            fail(f"output with shape {own} doesn't match the broadcast shape {list(input.shape)}")
    if arrays(input)[0].dtype.kind == "b":
        # PyTorch negates it, and has no negative of these.
        ops.arith.neg(input)
    fits_result(input, target)
    return soft_margin_loss(input, target, number)
