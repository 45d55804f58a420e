"""Distances and similarities of vectors, and the losses that ask for a margin between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineValueError
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import broadcast_problem, fail, only_bools
from ...calls.binding import written
from ...dtypes import DTYPES, default, ones_of, promote, zeros_of
from ...guard.outside import guarded
from ...registry import composite, public
from ...tensor import Value, constants, result
from ..common import raise_as_if_not
from .reduction import number_of, of_target, reduced_by

# -- distances and similarities --------------------------------------------------------------------


@public("F torch")
@composite
def pairwise_distance(x1: Value, x2: Value, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Value:
    """The p-norm of the difference of each pair of vectors."""
    if type(keepdim) is not bool:
        only_bools("pairwise_distance", keepdim=keepdim)
    last = max(x1.ndim, x2.ndim) - 1
    apart = x1 - x2
    if apart._a.dtype.kind not in "fc":
        apart = apart.to(DTYPES[default.float])
    return ops.vector_norms.norm_dim(ops.arith.add_number(apart, eps), float(p), (last,), keepdim)


@public("F torch")
@composite
def cosine_similarity(x1: Value, x2: Value, dim: int = 1, eps: float = 1e-8) -> Value:
    """The cosine of the angle between each pair of vectors."""
    common = promote(x1._a, x2._a)
    if common.kind != "f":
        fail(f"expected common dtype to be floating point, yet common dtype is {DTYPES[common].tensor_name}")
    x1, x2 = (x if x._a.dtype is common else x.to(DTYPES[common]) for x in (x1, x2))
    if tuple(x1.shape) != tuple(x2.shape):
        problem = broadcast_problem(tuple(x1.shape), tuple(x2.shape))
        if problem is not None:
            raise problem
        size = np.broadcast_shapes(x1.shape, x2.shape)
        x1, x2 = (ops.views.expand(x, size) for x in (x1, x2))
    lengths = []
    for x in (x1, x2):
        n = ops.vector_norms.linalg_vector_norm(x, 2, (dim,), True).clone()
        raise_as_if_not(n, eps)
        lengths.append(n)
    return ops.sums.sum_dim(x1 / lengths[0] * (x2 / lengths[1]), (dim,), False)


@public("F")
@composite
def normalize(input: Value, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Value:
    """Each vector divided by its p-norm."""
    if out is not None:
        return written(normalize, (input, p, dim, eps), {"out": out})
    length = ops.choosing.clamp_min(ops.vector_norms.norm(input, p, dim, True), eps)
    return input / ops.views.expand(length, tuple(input.shape))


# -- margins, built of other ops -------------------------------------------------------------------


def _zeros(x: Value) -> Value:
    return constants(zeros_of(x._a.shape, x._a.dtype)[()])


@public("F")
@under_autocast("single")
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
    apart = ops.choosing.clamp_min(result(input._a.dtype.type(margin)) - input, 0)
    apart = ops.choosing.where(target != 1, apart, _zeros(apart))
    together = ops.choosing.where(target != -1, input, _zeros(input))
    return reduced_by(apart + together, number)


@public("F")
@under_autocast("single")
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
    """The margin that pairs still lack to be ranked as the target says."""
    number = number_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        fail(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    apart, margin = input1 - input2, float(margin)
    loss = ops.arith.add_number(ops.arith.beside(-target * apart, margin), margin)
    return reduced_by(ops.choosing.clamp_min(loss, 0), number)


@public("F")
@under_autocast("single")
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
    """The distance of pairs from the same direction, or their nearness where they should be apart."""
    number = number_of(reduction, size_average, reduce)
    if target.ndim > 1:
        fail("0D or 1D target tensor expected, multi-target not supported")
    sizes = f"found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
    if target.ndim == 1 and not input1.ndim == input2.ndim == 2:
        fail(f"1D target tensor expects 2D input tensors, but {sizes}")
    if target.ndim == 0 and not input1.ndim == input2.ndim == 1:
        fail(f"0D target tensor expects 1D input tensors, but {sizes}")
    dim = (target.ndim,)
    product = ops.sums.sum_dim(input1 * input2, dim, False)
    sums = [ops.arith.beside(ops.sums.sum_dim(x * x, dim, False), 1e-12) for x in (input1, input2)]
    squares = [ops.arith.add_number(x, 1e-12) for x in sums]
    cosine = product / ops.elementary.sqrt(squares[0] * squares[1])
    zeros = _zeros(cosine)
    one = constants(ones_of((), cosine._a.dtype)[()])
    near = ops.choosing.where(target == 1, one - cosine, zeros)
    far = ops.choosing.where(target == -1, ops.choosing.clamp_min(ops.arith.sub_number(cosine, margin), 0), zeros)
    return reduced_by(near + far, number)


def _same_rank(anchor: Value, positive: Value, negative: Value) -> None:
    a, p, n = anchor.ndim, positive.ndim, negative.ndim
    if not a == p == n:
        fail(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


@public("F")
@under_autocast("single")
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
    """The margin by which anchors still fail to be nearer to the positive than to the negative."""
    if type(swap) is not bool:
        only_bools("triplet_margin_loss", swap=swap, places=(7,))
    number = number_of(reduction, size_average, reduce)
    if margin <= 0:
        raise EngineValueError(f"margin must be greater than 0, got {margin}")
    _same_rank(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.choosing.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced_by(ops.choosing.clamp_min(ops.arith.add_number(near, margin) - far, 0), number)


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
    distance = pairwise_distance if distance_function is None else guarded(distance_function)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.choosing.minimum(far, distance(positive, negative))
    return reduced_by(ops.choosing.clamp_min(near + margin - far, 0), number)


@public("F")
@composite
@of_target
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
    log_sigmoid = ops.smooth_activations.logsigmoid
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    last = input.ndim - 1
    loss = ops.sums.sum_dim(loss, (last,), False) / input.shape[last]
    return reduced_by(loss, number)
