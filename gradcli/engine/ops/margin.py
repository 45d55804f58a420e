"""Distances and similarities of vectors, and the losses that ask for a margin between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import EngineValueError, Unsupported
from ..dtypes import DTYPES, promote
from ..modes import no_grad
from ..registry import PUBLIC, composite, constant, fail, primitive, public
from ..tensor import Array, Value, result
from . import arith, reduce as reductions, select, shape, unary, vectornorm
from .common import re
from .loss import MEAN, NONE, number_of, reduced_by
from .pool import nothing

# -- distances and similarities --------------------------------------------------------------------


@public("F torch")
@composite
def pairwise_distance(x1: Value, x2: Value, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Value:
    """The p-norm of the difference of each pair of vectors."""
    last = max(x1.ndim, x2.ndim) - 1
    return vectornorm.norm_dim(arith.add_number(x1 - x2, eps), float(p), (last,), keepdim)


@public("F torch")
@composite
def cosine_similarity(x1: Value, x2: Value, dim: int = 1, eps: float = 1e-8) -> Value:
    """The cosine of the angle between each pair of vectors."""
    common = promote(x1._a, x2._a)
    if common.kind not in "fc":
        fail(
            "expected common dtype to be floating point, yet common dtype is "
            f"{DTYPES[common].tensor_name}"
        )
    x1, x2 = (x if x._a.dtype is common else x.to(DTYPES[common]) for x in (x1, x2))
    if tuple(x1.shape) != tuple(x2.shape):
        size = tuple(PUBLIC["torch"]["broadcast_shapes"](x1.shape, x2.shape))
        x1, x2 = (shape.expand(x, size) for x in (x1, x2))
    lengths = []
    for x in (x1, x2):
        n = vectornorm.linalg_vector_norm(x, 2, (dim,), True).clone()
        with no_grad():
            n.clamp_min_(eps)
        lengths.append(n)
    return reductions.sum_dim(x1 / lengths[0] * (x2 / lengths[1]), (dim,), False)


@public("F")
@composite
def normalize(input: Value, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Value:
    """Each vector divided by its p-norm."""
    if out is not None:
        raise Unsupported("normalize: out= is not supported")
    length = select.clamp_min(vectornorm.norm(input, p, dim, True), eps)
    return input / shape.expand(length, tuple(input.shape))


# -- margins, built of other ops -------------------------------------------------------------------


def _zeros(x: Value) -> Value:
    return result(np.zeros(x._a.shape, x._a.dtype)[()])


@public("F")
@composite
def hinge_embedding_loss(
    input: Value,
    target: Value,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """Distances of pairs that belong together, and how far others fall short of a margin."""
    number = number_of(reduction, size_average, reduce)
    apart = select.clamp_min(result(np.asarray(margin, input._a.dtype)[()]) - input, 0)
    apart = select.where(target != 1, apart, _zeros(apart))
    together = select.where(target != -1, input, _zeros(input))
    return reduced_by(apart + together, number)


@public("F torch")
@composite
def margin_ranking_loss(
    input1: Value,
    input2: Value,
    target: Value,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """How far pairs fall short of being ranked as the target says, by a margin."""
    number = number_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        fail(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    loss = arith.add_number(-target * (input1 - input2), margin)
    return reduced_by(select.clamp_min(loss, 0), number)


@public("F torch")
@composite
def cosine_embedding_loss(
    input1: Value,
    input2: Value,
    target: Value,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """How far pairs are from the same direction, or how near where they should be apart."""
    number = number_of(reduction, size_average, reduce)
    if target.ndim > 1:
        fail("0D or 1D target tensor expected, multi-target not supported")
    sizes = f"found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
    if target.ndim == 1 and not input1.ndim == input2.ndim == 2:
        fail(f"1D target tensor expects 2D input tensors, but {sizes}")
    if target.ndim == 0 and not input1.ndim == input2.ndim == 1:
        fail(f"0D target tensor expects 1D input tensors, but {sizes}")
    dim = (target.ndim,)
    product = reductions.sum_dim(input1 * input2, dim, False)
    squares = [arith.add_number(reductions.sum_dim(x * x, dim, False), 1e-12) for x in (input1, input2)]
    cosine = product / unary.sqrt(squares[0] * squares[1])
    zeros = _zeros(cosine)
    one = result(np.ones((), cosine._a.dtype)[()])
    near = select.where(target == 1, one - cosine, zeros)
    far = select.where(target == -1, select.clamp_min(arith.sub_number(cosine, margin), 0), zeros)
    return reduced_by(near + far, number)


def _same_rank(anchor: Value, positive: Value, negative: Value) -> None:
    a, p, n = anchor.ndim, positive.ndim, negative.ndim
    if not a == p == n:
        fail(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


@public("F")
@composite
def triplet_margin_loss(
    anchor: Value,
    positive: Value,
    negative: Value,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """How far anchors fall short of being nearer to the positive than to the negative, by a margin."""
    number = number_of(reduction, size_average, reduce)
    if margin <= 0:
        raise EngineValueError(f"margin must be greater than 0, got {margin}")
    _same_rank(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = select.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced_by(select.clamp_min(arith.add_number(near, margin) - far, 0), number)


@public("F")
@composite
def triplet_margin_with_distance_loss(
    anchor: Value,
    positive: Value,
    negative: Value,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Value:
    """The same with a distance of one's own."""
    number = number_of(reduction)
    if margin <= 0:
        raise EngineValueError(f"margin must be greater than 0, got {margin}")
    _same_rank(anchor, positive, negative)
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = select.minimum(far, distance(positive, negative))
    return reduced_by(select.clamp_min(near + margin - far, 0), number)


@public("F")
@composite
def multilabel_soft_margin_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """Cross entropy of two classes for each label, averaged over the labels."""
    if size_average is not None or reduce is not None:
        number = number_of(reduction, size_average, reduce)
    elif reduction not in ("none", "mean", "sum"):
        raise EngineValueError(f"{reduction} is not valid")
    else:
        number = number_of(reduction)
    log_sigmoid = PUBLIC["F"]["logsigmoid"]
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    last = input.ndim - 1
    loss = reductions.sum_dim(loss, (last,), False) / input.shape[last]
    return reduced_by(loss, number)


# -- margins between the classes of a sample -------------------------------------------------------


def _shortfalls(x: Array, target: Array, margin: float) -> Array:
    """By how much each class comes too near to the target's, 0 for the target itself."""
    rows = np.arange(x.shape[0])
    z = x - x[rows, target][:, None] + margin
    z[rows, target] = 0
    return z


def _scale(x: Array, target: Array, weight: Array | None, reduction: int) -> Array:
    n, c = x.shape
    scale = np.full((n, 1), 1 / c, re(x).dtype) if weight is None else (weight[target] / c)[:, None]
    return scale / n if reduction == MEAN else scale


def _rows(x: Array, target: Array) -> tuple[Array, Array]:
    return x.reshape(-1, x.shape[-1] if x.ndim else 1), target.reshape(-1)


@constant
def margin_slopes(self: Array, target: Array, p: Any, margin: Any, weight: Array | None, reduction: int) -> Array:
    """The factor of each class's shortfall, to the power p - 1, in the loss's slope."""
    x, t = _rows(self, target)
    return (re(_shortfalls(x, t, margin)) > 0) * (_scale(x, t, weight, reduction) * p)


@constant
def hot(self: Array, target: Array) -> Array:
    """1 at the target's class, 0 elsewhere."""
    x, t = _rows(self, target)
    found = np.zeros(x.shape, re(x).dtype)
    found[np.arange(len(t)), t] = 1
    return found


def _moved(q: Value, at: Value) -> Value:
    """``q``, less all of it at the target: each shortfall grows with its class and falls with the target's."""
    return q - at * reductions.sum_dim(q, (1,), True)


def _per_sample(g: Value, n: int, reduction: int) -> Value:
    """The incoming gradient, as a column of one for each sample."""
    return shape.reshape(g, (-1, 1)) if reduction == NONE else g


def _margin_shares(
    g: Value, self: Value, target: Value, p: Any, margin: Any, weight: Value | None, reduction: int
) -> tuple[Value, Value, Value]:
    """The slopes, the one-hot targets, and each class's share less the target's."""
    slopes = margin_slopes(self, target, p, margin, weight, reduction)
    at = hot(self, target)
    g = shape.reshape(g, tuple(slopes.shape))
    return slopes, at, g - reductions.sum_dim(g * at, (1,), True)


def _margin_to_gradient(
    g: Value,
    grad_output: Value,
    self: Value,
    target: Value,
    p: Any,
    margin: Any,
    weight: Value | None,
    reduction: int,
) -> Value:
    slopes, at, apart = _margin_shares(g, self, target, p, margin, weight, reduction)
    if p == 2:
        x = shape.reshape(self, tuple(slopes.shape))
        apart = apart * (x - reductions.sum_dim(x * at, (1,), True) + margin)
    share = apart * slopes
    if reduction != NONE:
        return reductions.sum_all(share)
    return shape.reshape(reductions.sum_dim(share, (1,), False), tuple(grad_output.shape))


def _margin_to_self(
    g: Value,
    grad_output: Value,
    self: Value,
    target: Value,
    p: Any,
    margin: Any,
    weight: Value | None,
    reduction: int,
) -> Value:
    if p == 1:
        return g * 0
    slopes, at, apart = _margin_shares(g, self, target, p, margin, weight, reduction)
    share = _moved(apart * slopes * _per_sample(grad_output, len(slopes), reduction), at)
    return shape.reshape(share, tuple(self.shape))


@primitive(
    kink=lambda self, target, p, margin, weight, reduction: _shortfalls(*_rows(re(self), target), margin),
    self=lambda g, self, target, p, margin, weight, reduction: multi_margin_loss_backward(
        g, self, target, p, margin, weight, reduction
    ),
)
def multi_margin_loss(
    self: Array, target: Array, p: Any = 1, margin: Any = 1.0, weight: Array | None = None, reduction: int = MEAN
) -> Array:
    """How far the target's class falls short of leading the others by a margin."""
    _check_margin(self, target, weight)
    x, t = _rows(self, target)
    h = np.maximum(_shortfalls(x, t, margin), 0)
    losses = np.add.reduce((h if p == 1 else h * h) * _scale(x, t, weight, reduction), 1)
    if reduction == NONE:
        return losses if self.ndim == 2 else losses[0]
    return np.add.reduce(losses)


@primitive(
    node="MultiMarginLossBackwardBackward0",
    grad_output=lambda g, grad_output, self, target, p, margin, weight, reduction: _margin_to_gradient(
        g, grad_output, self, target, p, margin, weight, reduction
    ),
    self=lambda g, grad_output, self, target, p, margin, weight, reduction: _margin_to_self(
        g, grad_output, self, target, p, margin, weight, reduction
    ),
)
def multi_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, p: Any, margin: Any, weight: Array | None, reduction: int
) -> Array:
    """Gradient of multi_margin_loss."""
    x, t = _rows(self, target)
    z = _shortfalls(x, t, margin)
    q = (re(z) > 0) * (_scale(x, t, weight, reduction) * p)
    q = (q if p == 1 else q * z) * _per_sample(grad_output, len(x), reduction)
    q[np.arange(len(t)), t] -= np.add.reduce(q, 1)
    return q.reshape(self.shape)


def _check_margin(x: Array, target: Array, weight: Array | None) -> None:
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


@constant
def label_slopes(self: Array, target: Array, reduction: int) -> Array:
    """The slope of each sample's loss in each class."""
    z, counts = _label_shortfalls(self, target)
    n, _, c = z.shape
    active = counts & (re(z) > 0)
    slopes = np.add.reduce(active, 1).astype(re(self).dtype)
    t = np.where(np.logical_and.accumulate(target.reshape(n, -1) >= 0, 1), target.reshape(n, -1), 0)
    np.subtract.at(slopes, (np.arange(n)[:, None], t), np.add.reduce(active, 2))
    slopes /= c
    return slopes / n if reduction == MEAN else slopes


def _label_to_gradient(g: Value, grad_output: Value, self: Value, target: Value, reduction: int) -> Value:
    slopes = label_slopes(self, target, reduction)
    share = shape.reshape(g, tuple(slopes.shape)) * slopes
    if reduction != NONE:
        return reductions.sum_all(share)
    return shape.reshape(reductions.sum_dim(share, (1,), False), tuple(grad_output.shape))


@primitive(
    node="MultilabelMarginLossBackward0",
    aside=("is_target",),
    kink=lambda self, target, reduction: _label_shortfalls(re(self), target)[0],
    self=lambda g, self, target, reduction, is_target: multilabel_margin_loss_backward(
        g, self, target, reduction, is_target
    ),
)
def multilabel_margin_loss_forward(self: Array, target: Array, reduction: int = MEAN) -> tuple[Array, Array]:
    """How far a sample's labels fall short of leading the other classes by 1; and which classes are labels."""
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
    node="MultilabelMarginLossBackwardBackward0",
    grad_output=lambda g, grad_output, self, target, reduction: _label_to_gradient(
        g, grad_output, self, target, reduction
    ),
    self=lambda g, self_like: nothing(g, self_like),
)
def multilabel_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, is_target: Array
) -> Array:
    """Gradient of multilabel_margin_loss."""
    slopes = label_slopes(self, target, reduction)
    return (slopes * _per_sample(grad_output, len(slopes), reduction)).reshape(self.shape)


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
    """How far the target's class falls short of leading the others by a margin."""
    number = number_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise EngineValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise EngineValueError("weight must be one-dimensional")
    return multi_margin_loss(input, target, p, margin, weight, number)


@public("F.multilabel_margin_loss")
def label_margin(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """How far a sample's labels fall short of leading the other classes by 1."""
    return multilabel_margin_loss_forward(input, target, number_of(reduction, size_average, reduce))[0]


