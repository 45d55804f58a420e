"""Losses that ask for a margin between the classes of a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineValueError
from ...autocasting import under_autocast
from ...call_errors import fail
from ...costs import costs
from ...dtypes import DTYPES, full_of
from ...numeric.halves import converted
from ...registry import primitive, public
from ...tensor import Array, Value
from ..common import re
from .reduction import MEAN, NONE, number_of

# -- margins between the classes of a sample -------------------------------------------------------


def _shortfalls(x: Array, target: Array, margin: float) -> Array:
    """By how much each class comes too near to the target's, 0 for the target itself."""
    rows = np.arange(x.shape[0])
    z = x - x[rows, target][:, None] + margin
    z[rows, target] = 0
    return z


def _scale(x: Array, target: Array, weight: Array | None, reduction: int) -> Array:
    n, c = x.shape
    scale = full_of((n, 1), 1 / c, re(x).dtype) if weight is None else (weight[target] / c)[:, None]
    return scale / n if reduction == MEAN else scale


def _rows(x: Array, target: Array) -> tuple[Array, Array]:
    return x.reshape(-1, x.shape[-1] if x.ndim else 1), target.reshape(-1)


@under_autocast("single")
@primitive(
    no_whole="multi_margin_loss_cpu_kernel",
    without_rule=("target", "weight"),
    optional=("weight",),
    kink=lambda self, target, margin: _shortfalls(*_rows(re(self), target), margin),
    self=lambda g, self, target, p, margin, weight, reduction: multi_margin_loss_backward(
        g, self, target, p, margin, weight, reduction
    ),
    no_half="multi_margin_loss_cpu_kernel",
)
def multi_margin_loss(
    self: Array, target: Array, p: Any = 1, margin: Any = 1.0, weight: Array | None = None, reduction: int = MEAN
) -> Array:
    """The margin that the target's class still lacks over each of the others."""
    _check_margin(self, target, weight)
    x, t = _rows(self, target)
    h = np.maximum(_shortfalls(x, t, margin), 0)
    losses = np.add.reduce((h if p == 1 else h * h) * _scale(x, t, weight, reduction), 1)
    if reduction == NONE:
        return losses.reshape(target.shape)
    return np.add.reduce(losses)


@primitive(
    not_implemented="multi_margin_loss_backward",
    backward=True,
    without_rule=("target", "weight"),
    grad_output=None,
    self=None,
)
def multi_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, p: Any, margin: Any, weight: Array | None, reduction: int
) -> Array:
    """Gradient of multi_margin_loss."""
    x, t = _rows(self, target)
    z = _shortfalls(x, t, margin)
    q = (re(z) > 0) * (_scale(x, t, weight, reduction) * p)
    q = (q if p == 1 else q * z) * _per_sample(grad_output, reduction)
    q[np.arange(len(t)), t] -= np.add.reduce(q, 1)
    return q.reshape(self.shape)


def _per_sample(g: Array, reduction: int) -> Array:
    """The incoming gradient, as a column of one for each sample."""
    return g.reshape(-1, 1) if reduction == NONE else g


def _check_classes(x: Array) -> None:
    """Refuse a sample without classes."""
    if x.ndim > 2 or (x.ndim and not x.shape[-1]):
        fail(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}")


def _check_margin(x: Array, target: Array, weight: Array | None) -> None:
    _check_classes(x)
    n = x.shape[0] if x.ndim == 2 else 1
    if target.ndim > 1 or target.size != n:
        fail(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{n}], but got {list(target.shape)}. Input has shape {list(x.shape)}."
        )
    classes = x.shape[-1] if x.ndim else 1
    if weight is not None and weight.size != classes:
        fail(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype != np.int64:
        fail(f"expected scalar type Long but found {DTYPES[target.dtype].tensor_name}")
    if weight is not None and weight.dtype is not re(x).dtype:
        fail(f"expected scalar type {DTYPES[re(x).dtype].tensor_name} but found {DTYPES[weight.dtype].tensor_name}")
    if target.size and not (target.min() >= 0 and target.max() < classes):
        fail("target out of range")


def _labels(x: Array, target: Array) -> tuple[Array, Array, Array]:
    """The samples, which labels they have (up to the first -1), and for each class whether it is one of them."""
    x, t = x.reshape(-1, x.shape[-1] if x.ndim else 1), target.reshape(-1, target.shape[-1] if target.ndim else 1)
    valid = np.logical_and.accumulate(t >= 0, 1)
    own = np.zeros(x.shape, bool)
    rows = np.broadcast_to(np.arange(len(x))[:, None], t.shape)
    own[rows[valid], t[valid]] = True
    return x, valid, own


def _label_shortfalls(x: Array, target: Array) -> tuple[Array, Array]:
    """By how much class j comes too near to the k-th label of each sample; and whether the pair counts."""
    x, valid, own = _labels(x, target)
    t = np.where(valid, target.reshape(valid.shape), 0)
    z = 1 - np.take_along_axis(x, t, 1)[:, :, None] + x[:, None, :]
    return z, valid[:, :, None] & ~own[:, None, :]


def _label_slopes(self: Array, target: Array, reduction: int) -> Array:
    """The slope of each sample's loss in each class."""
    z, counts = _label_shortfalls(self, target)
    n, _, c = z.shape
    active = counts & (re(z) > 0)
    slopes = converted(np.add.reduce(active, 1), re(self).dtype)
    labels = target.reshape(n, c)
    t = np.where(np.logical_and.accumulate(labels >= 0, 1), labels, 0)
    np.subtract.at(slopes, (np.arange(n)[:, None], t), np.add.reduce(active, 2))
    slopes /= c
    return slopes / n if reduction == MEAN else slopes


@primitive(
    no_whole="multilabel_margin_loss_forward_out_frame",
    without_rule=("target",),
    node="MultilabelMarginLossBackward0",
    aside=("is_target",),
    kink=lambda self, target: _label_shortfalls(re(self), target)[0],
    self=lambda g, self, target, reduction, is_target: multilabel_margin_loss_backward(
        g, self, target, reduction, is_target
    ),
    no_half="multilabel_margin_loss_forward_out_frame",
)
def multilabel_margin_loss_forward(self: Array, target: Array, reduction: int = MEAN) -> tuple[Array, Array]:
    """The lead of 1 that a sample's labels still lack over the other classes; and which classes are labels."""
    _check_classes(self)
    if target.shape != self.shape:
        fail(f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}")
    if target.dtype != np.int64:
        fail(f"expected scalar type Long but found {DTYPES[target.dtype].tensor_name}")
    classes = self.shape[-1] if self.ndim else 1
    if target.size and not (target.min() >= -1 and target.max() < classes):
        fail("argument #2 'target' is out of range")
    z, counts = _label_shortfalls(self, target)
    losses = np.add.reduce(np.where(counts, np.maximum(z, 0), 0), (1, 2)) / re(self).dtype.type(classes)
    own = _labels(self, target)[2].reshape(self.shape).astype(re(self).dtype)
    if reduction == NONE:
        return losses if self.ndim == 2 else losses[0], own
    total = np.add.reduce(losses)
    return total / len(losses) if reduction == MEAN and len(losses) else total, own


@primitive(
    not_implemented="multilabel_margin_loss_backward",
    backward=True,
    without_rule=("target", "is_target"),
    grad_output=None,
    self=None,
)
def multilabel_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, is_target: Array
) -> Array:
    """Gradient of multilabel_margin_loss."""
    slopes = _label_slopes(self, target, reduction)
    return (slopes * _per_sample(grad_output, reduction)).reshape(self.shape)


@public("F.multi_margin_loss")
def class_margin(
    input: Value,
    target: Value,
    p: int = 1,
    margin: float = 1.0,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """The margin that the target's class still lacks over each of the others."""
    number = number_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise EngineValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise EngineValueError("weight must be one-dimensional")
    return multi_margin_loss(input, target, p, margin, weight, number)


@public("F.multilabel_margin_loss")
@costs("picking.label_margin")
def label_margin(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """The lead of 1 that a sample's labels still lack over the other classes."""
    return multilabel_margin_loss_forward(input, target, number_of(reduction, size_average, reduce))[0]
