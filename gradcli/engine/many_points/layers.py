"""Layers and losses for many points at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import Array
from ..numeric.kernels.sums import along as along_rows
from ..registry import Op
from .generic import aligned, at_all, outputs

_NONE, _MEAN, _SUM = 0, 1, 2


# -- losses ----------------------------------------------------------------------------------------


def _reduction(op: Op) -> int:
    return op.parameters.index("reduction")


def reduced(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """A loss: element by element, then averaged or summed."""
    at = _reduction(op)
    how, args[at] = args[at], _NONE
    found = aligned(op, args, given, count)
    if found is None or how == _NONE:
        return found
    rows = found[0].reshape(count, -1)
    total = along_rows(rows)
    return (total / rows.shape[1] if how == _MEAN else total,)


def unreduced(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The backward of a loss: of a sum, and divided for an average."""
    at = _reduction(op)
    average = args[at] == _MEAN
    if average:
        args[at] = _SUM
    found = aligned(op, args, given, count)
    return found if found is None or not average else (found[0] / max(found[0][0].size, 1),)


def classes(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The negative log-likelihood of classes: linear in what is given."""
    x, target, weight, how, ignored = args
    if given[1]:
        return _own_classes(op, args, given, count)
    if not given[0] or any(given[1:]) or x.ndim < 3:
        return None
    total = op.forward(x[0], target, weight, how, ignored)[1]
    rows = x.reshape(-1, *x.shape[2:])
    each = op.forward(rows, np.tile(target, (count, *[1] * (target.ndim - 1))), weight, _NONE, ignored)[0]
    each = each.reshape(count, *target.shape)
    if how == _NONE:
        return each, at_all(total, False, count)
    found = along_rows(each.reshape(count, -1))
    return (found / total if how == _MEAN else found), at_all(total, False, count)


def _own_classes(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The same where each point has classes of its own: points are further samples."""
    x, target, weight, how, ignored = args
    if given[2] or how == _NONE:
        return None
    rows, named = _samples(at_all(x, given[0], count), target)
    each = op.forward(rows, named, weight, _NONE, ignored)[0]
    held = named != ignored
    shares = held if weight is None else np.where(held, weight[np.where(held, named, 0)], 0)
    total = np.add.reduce(shares.reshape(count, -1), 1, x.dtype)
    found = along_rows(each.reshape(count, -1))
    return (found / total if how == _MEAN else found), total


def _samples(x: Array, target: Array) -> tuple[Array, Array]:
    """The scores and classes of all points as samples."""
    if x.ndim == 2:
        return x, target
    return x.reshape(-1, *x.shape[2:]), target.reshape(-1, *target.shape[2:])


def heard(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Connectionist temporal classification: the points are further samples, which are the second axis."""
    x, targets, *lengths, blank, infinite = args
    samples = [np.tile(targets, (count, *[1] * (targets.ndim - 1))), *(count * tuple(n) for n in lengths)]
    rows = np.moveaxis(at_all(x, given[0], count), 0, 1).reshape(x.shape[1], -1, x.shape[3])
    return [y.reshape(count, -1, *y.shape[1:]) for y in op.forward(rows, *samples, blank, infinite)]


def unclassed(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Its backward: the gradient that arrives, where the classes are."""
    g, x, *rest = args
    if rest[2] == _NONE or given[3]:
        return None
    if given[2]:
        target, weight, how, ignored, total = rest
        x = at_all(x, given[1], count)
        rows, named = _samples(x, target)
        where = op.forward(np.ones((), x.dtype)[()], rows, named, weight, _SUM, ignored, total).reshape(x.shape)
        share = at_all(g, given[0], count)
        share = share / total if how == _MEAN else share
        return (where * share.reshape(count, *[1] * (x.ndim - 1)),)
    if given[6]:
        return None
    point = x[0] if given[1] else x
    where = op.forward(np.ones((), point.dtype)[()], point, *rest)
    return (where * at_all(g, given[0], count).reshape(count, *[1] * point.ndim),)


# -- layers ----------------------------------------------------------------------------------------


def convolved(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """A convolution: points are further samples, or, of another weight, further channels."""
    x, weight, bias, *how = args
    own = bias if not given[2] else None
    if given[0] and given[1]:
        found = _other_samples_and_weights(op, x, weight, how, count)
        if own is not None:
            found = found + own.reshape(-1, *[1] * (found.ndim - 3))
    elif given[1]:
        found = _other_weights(op, x, weight, how, count)
        if own is not None:
            found = found + own.reshape(-1, *[1] * (found.ndim - 3))
    elif given[0]:
        rows = op.forward(x.reshape(-1, *x.shape[2:]), weight, own, *how)
        found = rows.reshape(count, -1, *rows.shape[1:])
    else:
        found = op.forward(x, weight, own, *how)[None]
    if given[2]:
        found = found + bias.reshape(count, 1, -1, *[1] * (found.ndim - 3))
    return (found,)


def _other_weights(op: Op, x: Array, weight: Array, how: list[Any], count: int) -> Array:
    transposed, groups = how[3], how[5]
    if transposed:
        # (points, channels in, channels out of a group, ...): those of all points side by side.
        wide = np.moveaxis(weight, 0, 1)
        wide = wide.reshape(wide.shape[0], -1, *weight.shape[3:])
        each = weight.shape[2]
    else:
        each = weight.shape[1] // groups
        wide = np.moveaxis(weight.reshape(count, groups, each, *weight.shape[2:]), 0, 1)
        wide = wide.reshape(-1, *weight.shape[2:])
    found = op.forward(x, np.ascontiguousarray(wide), None, *how)
    found = found.reshape(len(x), groups, count, each, *found.shape[2:])
    return np.moveaxis(found, 2, 0).reshape(count, len(x), groups * each, *found.shape[4:])


def _other_samples_and_weights(op: Op, x: Array, weight: Array, how: list[Any], count: int) -> Array:
    """Each point's channels are groups of their own."""
    found = op.forward(_wide(x), weight.reshape(-1, *weight.shape[2:]), None, *how[:-1], count * how[-1])
    return _narrow(found, count)


def convolved_back(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Its backward: the channels of each point are groups of their own."""
    g, x, weight = (at_all(a, own, count) for a, own in zip(args[:3], given[:3], strict=True))
    sizes, *how, groups, wanted = args[3:]
    rows = weight.reshape(-1, *weight.shape[2:])
    to_input, to_weight, to_bias = op.forward(_wide(g), _wide(x), rows, sizes, *how, count * groups, wanted)
    return [
        None if to_input is None else _narrow(to_input, count),
        None if to_weight is None else to_weight.reshape(weight.shape),
        None if to_bias is None else to_bias.reshape(count, -1),
    ]


def _wide(a: Array) -> Array:
    """The channels of all points side by side."""
    return np.ascontiguousarray(np.moveaxis(a, 0, 1)).reshape(a.shape[1], -1, *a.shape[3:])


def _narrow(a: Array, count: int) -> Array:
    """The channels of each point alone."""
    return np.moveaxis(a.reshape(len(a), count, -1, *a.shape[2:]), 1, 0)


def affine(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """A normalisation: first without weight and bias, then scaled and shifted."""
    names = op.parameters
    w, b = names.index("weight"), names.index("bias")
    weight, bias = args[w], args[b]
    args[w] = args[b] = None
    x = args[0]
    ndim = x.ndim - given[0]
    if not given[0]:
        made = [at_all(y, False, count) for y in outputs(op.forward(*args))]
    elif "running_mean" in names:
        made = _other_channels(op, args, count)
    else:
        if "N" in names:
            args[names.index("N")] *= count
        args[0] = x.reshape(-1, *x.shape[2:])
        made = [y.reshape(count, -1, *y.shape[1:]) for y in outputs(op.forward(*args))]
    rows = 0 if "normalized_shape" in names else ndim - 2
    result = made[0]
    for other, g, through in ((weight, given[w], np.multiply), (bias, given[b], np.add)):
        if other is not None:
            lead = ndim - (other.ndim - g) - rows
            shape = other.shape[g:] + (1,) * rows
            result = through(result, other.reshape(count, *[1] * lead, *shape) if g else other.reshape(shape))
    return [result, *made[1:]]


def _other_channels(op: Op, args: list[Any], count: int) -> list[Any]:
    """Normalised channels: those of further points are further channels."""
    x = args[0]
    channels = x.shape[2]
    args[0] = _wide(x)
    for i in (3, 4):
        args[i] = None if args[i] is None else np.tile(args[i], count)
    first, *rest = outputs(op.forward(*args))
    return [_narrow(first, count), *[y.reshape(count, channels) if y.size else at_all(y, False, count) for y in rest]]


def affine_back(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The backward of a normalisation of channels: those of further points are further channels."""
    g, x = (at_all(args[i], given[i], count) for i in (0, 1))
    pairs = zip(args[2:7], given[2:7], strict=True)
    per_channel = [None if a is None else at_all(a, own, count).reshape(-1) for a, own in pairs]
    to_input, *rest = op.forward(_wide(g), _wide(x), *per_channel, *args[7:])
    return [
        None if to_input is None else _narrow(to_input, count),
        *[None if y is None else y.reshape(count, -1) for y in rest],
    ]


def rows_back(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The backward of a normalisation of rows: those of further points are further rows, but for the parameters."""
    g, x, shape, mean, rstd, weight, bias, eps, wanted = args
    if mean is None or rstd is None or not x.size:
        return None
    g, x, mean, rstd = (at_all(args[i], given[i], count) for i in (0, 1, 3, 4))
    flat = g.reshape(count, -1, *shape)
    to_input = to_weight = to_bias = None
    if wanted[1]:
        apart = x.reshape(-1, math.prod(shape)) - mean.reshape(-1, 1)
        products = (flat.reshape(apart.shape) * apart).reshape(count, -1, apart.shape[1])
        to_weight = (rstd.reshape(count, 1, -1) @ products).reshape(count, *shape)
    if wanted[2]:
        to_bias = np.add.reduce(flat, 1)
    if wanted[0]:
        if weight is not None:
            flat = flat * (weight[:, None] if given[5] else weight)
        scaled, rows = flat.reshape(-1, *g.shape[2:]), x.reshape(-1, *x.shape[2:])
        moments = mean.reshape(-1), rstd.reshape(-1)
        made = op.forward(scaled, rows, shape, *moments, None, bias, eps, (True, False, False))
        to_input = made[0].reshape(x.shape)
    return [to_input, to_weight, to_bias]


def looked_up(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """Rows of a table."""
    return (np.take(args[0], args[1], 1),) if given[0] else None


def solved(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """A system of linear equations; a single right side becomes a matrix."""
    a, b, *rest = args
    single = b.ndim - given[1] == 1
    b = at_all(b, given[1], count)
    first, *others = outputs(op.forward(at_all(a, given[0], count), b[..., None] if single else b, *rest))
    return [first[..., 0] if single else first, *others]


def diagonal_sum(op: Op, args: list[Any], given: list[bool], count: int) -> Sequence[Any] | None:
    """The trace of a matrix."""
    return (np.add.reduce(args[0].diagonal(0, 1, 2), -1),)
