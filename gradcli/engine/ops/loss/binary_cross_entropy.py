"""Cross entropy of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...memory.layout import like_operands
from ...numeric.common import log1p, quiet
from ...numeric.halves import converted, is_half, lowered, raised
from ...numeric.kernels.fused import exactly
from ...numeric.kernels.vectors import exponential, log1p as single_log1p
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re
from ..pointwise.masks import pick, refuse_integers
from .reduction import MEAN, NONE, arrays, averaged_by, fits_result, number_of, of_one_type, reduced, weighted, written

# -- cross entropy of two classes ------------------------------------------------------------------

EPSILON = 1e-12

# By the bytes of an element: what is nothing beside any probability, and whose square is still something.
_TINY = {8: 1e-150, 4: 1e-18}


def _stopped(logarithm: Any, x: Array) -> Array:
    """A logarithm that stops at -100."""
    return np.maximum(exactly(logarithm, x), -100)


def _in_place(loss: Array, weight: Array) -> Array:
    """A product that is written over the loss, as PyTorch does it: weights of another dtype do not make it theirs."""
    weighed = loss * weight
    if weighed.shape != loss.shape:
        fail(f"output with shape {list(loss.shape)} doesn't match the broadcast shape {list(weighed.shape)}")
    fits = weighed.dtype is loss.dtype or weighed.dtype.kind != loss.dtype.kind
    return weighed if fits else converted(weighed, loss.dtype)


def _check_unit(name: str, x: Array) -> None:
    r = re(x)
    if r.size and not (np.minimum.reduce(r, None) >= 0 and np.maximum.reduce(r, None) <= 1):
        fail(f"all elements of {name} should be between 0 and 1")


def _to_target(g: Value, self: Value, target: Value, weight: Value | None, reduction: int) -> Value:
    share = -ops.special.logit(self) * g
    share = share if weight is None else share * weight
    return written(averaged_by(share, target, reduction), 2 + (weight is not None) + (reduction == MEAN))


@primitive(
    no_whole="binary_cross_entropy",
    without_rule=("weight",),
    domain=lambda self: (re(self) > 0) & (re(self) < 1),
    self=lambda g, self, target, weight, reduction: binary_cross_entropy_backward(g, self, target, weight, reduction),
    target=lambda g, self, target, weight, reduction: _to_target(g, self, target, weight, reduction),
    form="reduced",
    own_precision=True,
)
def binary_cross_entropy(self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN) -> Array:
    """Cross entropy between probabilities and targets."""
    _check_unit("input", self)
    _check_unit("target", target)
    loss = (target - 1) * _stopped(log1p, -self) - target * _stopped(np.log, self)
    return reduced(loss if weight is None else _in_place(loss, weight), reduction)


def _of_unit(self: Value) -> tuple[Value, Value]:
    """A probability and its complement, kept from 0 by what changes no other."""
    x = re(self._a if isinstance(self, Tensor) else self)
    tiny = _TINY.get(x.dtype.itemsize, EPSILON)
    return self + tiny, 1 - self + tiny


def _bce_to_gradient(g: Value, self: Value, target: Value, weight: Value | None, reduction: int) -> Value:
    one, other = _of_unit(self)
    share = (self - target) / (one * other) * g
    share = share if weight is None else share * weight
    share = averaged_by(share, self, reduction)
    return share if reduction == NONE else ops.sums.sum_all(share)


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
    backward=True,
    without_rule=("weight",),
    node="BinaryCrossEntropyBackwardBackward0",
    broadcasts=True,
    domain=lambda self: (re(self) > 0) & (re(self) < 1),
    grad_output=lambda g, self, target, weight, reduction: _bce_to_gradient(g, self, target, weight, reduction),
    self=lambda g, grad_output, self, target, weight, reduction: _bce_to_self(
        g, grad_output, self, target, weight, reduction
    ),
    target=lambda g, grad_output, self, target, weight, reduction: _bce_to_target(
        g, grad_output, self, target, weight, reduction
    ),
    form="unreduced",
    own_precision=True,
)
def binary_cross_entropy_backward(
    grad_output: Array, self: Array, target: Array, weight: Array | None = None, reduction: int = MEAN
) -> Array:
    """Gradient of binary_cross_entropy in the probabilities."""
    share = grad_output * (self - target) / np.maximum((1 - self) * self, EPSILON)
    share = share if weight is None else share * weight
    return weighted(like_operands(share, self, grad_output, target), share.size, reduction)


def _softplus(x: Array) -> Array:
    """log(1 + exp(x))"""
    if is_half(x.dtype):
        return lowered(_softplus(raised(x)), x.dtype)
    if x.dtype.kind == "f":
        return np.maximum(x, 0) + quiet(single_log1p, quiet(exponential, -np.abs(x)))
    large = re(x) > 0
    return pick(large, x, 0) + log1p(np.exp(pick(large, -x, x)))


def _logits_to_self(
    g: Value, self: Value, target: Value, weight: Value | None, pos_weight: Value | None, reduction: int
) -> Value:
    if pos_weight is None:
        share = (ops.elementary.sigmoid(self) - target) * g
    else:
        t = pos_weight * target
        share = ((t + 1 - target) * ops.elementary.sigmoid(self) - t) * g
    share = share if weight is None else share * weight
    return written(averaged_by(share, self, reduction), reduction == MEAN)


def _logits_to_target(
    g: Value, self: Value, target: Value, weight: Value | None, pos_weight: Value | None, reduction: int
) -> Value:
    if pos_weight is None:
        share = -self * g
    else:
        log_sigmoid = ops.smooth_activations.logsigmoid
        share = (log_sigmoid(-self) - log_sigmoid(self) * pos_weight) * g
    share = share if weight is None else share * weight
    times = 2 * (pos_weight is not None) + (weight is not None) + (reduction == MEAN)
    return written(averaged_by(share, target, reduction), times)


@under_autocast("single")
@primitive(
    without_rule=("weight", "pos_weight"),
    broadcasts=True,
    self=lambda g, self, target, weight, pos_weight, reduction: _logits_to_self(
        g, self, target, weight, pos_weight, reduction
    ),
    target=lambda g, self, target, weight, pos_weight, reduction: _logits_to_target(
        g, self, target, weight, pos_weight, reduction
    ),
    left_of=("largest", "self"),
    form="reduced",
    own_precision=True,
)
def binary_cross_entropy_with_logits(
    self: Array,
    target: Array,
    weight: Array | None = None,
    pos_weight: Array | None = None,
    reduction: int = MEAN,
) -> Array:
    """Cross entropy between the logistic function of the input and targets."""
    refuse_integers("log_sigmoid_cpu", self)
    entropy = _softplus(-self)
    if pos_weight is not None:
        entropy = _in_place(entropy, (pos_weight - 1) * target + 1)
    loss = (1 - target) * self + entropy
    if loss.dtype is not target.dtype and loss.dtype.kind == "f":
        # PyTorch writes it over what it made of the target.
        loss = converted(loss, target.dtype)
    return reduced(loss if weight is None else _in_place(loss, weight), reduction)


@public("F.binary_cross_entropy")
@under_autocast("single")
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
        size = ops.reshaping.broadcast_shapes(target.shape, weight.shape)
        weight = ops.views.expand(weight, tuple(size))
    of_one_type(input, target)
    return binary_cross_entropy(input, target, weight, number)


def _check_target(input: Value, target: Value, pos_weight: Value | None) -> None:
    """Refuse targets that PyTorch could not write the loss over; other inputs than real ones it refuses first."""
    if pos_weight is not None and arrays(pos_weight)[0].dtype.kind == "b":
        ops.arith.sub(pos_weight, 1)
    x, t = arrays(input, target)
    if x.dtype.kind == "f":
        if t.dtype.kind == "b":
            ops.arith.sub(target, target)
        fits_result(target, input)


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
    _check_target(input, target, pos_weight)
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


@public("torch.binary_cross_entropy_with_logits")
def entropy_of_logits_by_number(
    input: Value,
    target: Value,
    weight: Value | None = None,
    pos_weight: Value | None = None,
    reduction: int = NONE,
) -> Value:
    """The same with a number for the reduction."""
    _check_target(input, target, pos_weight)
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
