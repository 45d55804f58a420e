"""Reductions of segments: neighbouring rows of given numbers, each segment to one row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError
from ...call_errors import fail, only_bools
from ...costs import costs
from ...dtypes import DTYPES
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from ..common import axis as axis_of, re

REDUCTIONS: dict[str, Any] = {
    "sum": (np.add, 0.0), "mean": (np.add, 0.0), "prod": (np.multiply, 1.0), "max": (np.maximum, -math.inf),
    "min": (np.minimum, math.inf),
}  # fmt: skip


def _lengths(lengths: Array | None, offsets: Array | None) -> Array:
    if lengths is not None:
        return lengths
    assert offsets is not None
    return np.diff(offsets, axis=-1)


def _segments(data: Array, lengths: Array | None, offsets: Array | None, axis: int) -> tuple[Array, Array, Array]:
    """The rows of all segments, flat; the segment of each; and the lengths of the segments."""
    counts = _lengths(lengths, offsets).reshape(-1)
    many = _lengths(lengths, offsets)
    starts = offsets[..., :-1] if offsets is not None else np.cumsum(many, -1) - many
    rows = data.shape[axis]
    batches = math.prod(data.shape[:axis])
    first = (starts.reshape(batches, -1) + np.arange(batches)[:, None] * rows).reshape(-1)
    segment = np.repeat(np.arange(counts.size), counts)
    within = np.arange(segment.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return first[segment] + within, segment, counts


@primitive(
    no_whole="_segment_reduce_cpu",
    node="SegmentReduceBackward0",
    without_rule=("lengths", "offsets"),
    optional=("lengths", "offsets"),
    data=lambda g, result, data, reduce, lengths, offsets, axis, initial: segment_reduce_backward(
        g, result, data, reduce, lengths, offsets, axis, initial
    ),
)
def segments_reduced(
    data: Array,
    reduce: str,
    lengths: Array | None = None,
    offsets: Array | None = None,
    axis: int = 0,
    initial: float | None = None,
) -> Array:
    """The sum, mean, product or extreme of the rows of each segment."""
    at, segment, counts = _segments(data, lengths, offsets, axis)
    step, neutral = REDUCTIONS[reduce]
    rest = data.shape[axis + 1 :]
    out = np.full((counts.size, *rest), neutral if initial is None else initial, data.dtype)
    step.at(out, segment, data.reshape(-1, *rest)[at])
    if reduce == "mean":
        empty = counts == 0
        out /= np.where(empty, 1, counts).reshape(-1, *(1,) * len(rest)).astype(re(data).dtype)
        if initial is None:
            out[empty] = math.nan
    return out.reshape(*_lengths(lengths, offsets).shape, *rest)


@primitive(
    not_implemented="_segment_reduce_backward",
    without_rule=("lengths", "offsets"),
    optional=("lengths", "offsets"),
    grad=None,
    output=None,
    data=None,
)
def segment_reduce_backward(
    grad: Array,
    output: Array,
    data: Array,
    reduce: str,
    lengths: Array | None,
    offsets: Array | None,
    axis: int,
    initial: float | None,
) -> Array:
    """The gradient of segments reduced: to each row its share of its segment's."""
    at, segment, counts = _segments(data, lengths, offsets, axis)
    rest = data.shape[axis + 1 :]
    rows = data.reshape(-1, *rest)[at]
    share = grad.reshape(counts.size, *rest)[segment]
    reduced = output.reshape(counts.size, *rest)
    if reduce == "mean":
        share = share / counts[segment].reshape(-1, *(1,) * len(rest))
    elif reduce in ("max", "min"):
        picked = re(rows) == re(reduced[segment])
        equals = np.zeros((counts.size, *rest))
        np.add.at(equals, segment, picked)
        share = np.where(picked, share / np.maximum(equals, 1)[segment], 0)
    elif reduce == "prod":
        share = share * _others(rows, segment, counts, initial)
    found = np.zeros((math.prod(data.shape[: axis + 1]), *rest), np.result_type(share, data))
    found[at] = share
    return found.astype(data.dtype, copy=False).reshape(data.shape)


def _others(rows: Array, segment: Array, counts: Array, initial: float | None) -> Array:
    """The products of all rows of a segment but one, for each of its rows."""
    before, after = np.ones_like(rows), np.ones_like(rows)
    for i in range(1, len(rows)):
        if segment[i] == segment[i - 1]:
            before[i] = before[i - 1] * rows[i - 1]
    for i in range(len(rows) - 2, -1, -1):
        if segment[i] == segment[i + 1]:
            after[i] = after[i + 1] * rows[i + 1]
    found: Array = before * after * (1.0 if initial is None else initial)
    return found


@public("torch torch._segment_reduce")
@costs("picking.segments")
@composite
def segment_reduce(
    data: Value,
    reduce: str,
    *,
    lengths: Value | None = None,
    indices: Value | None = None,
    offsets: Value | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Value:
    """The sum, mean, product, max or min of rows, segment by segment: of given lengths, or between given places."""
    if type(unsafe) is not bool:
        only_bools("segment_reduce", unsafe=unsafe)
    axis = axis_of(axis, data.ndim)
    if not data.numel() and not data.ndim:
        fail("segment_reduce(): Expected data to have at least one dimension")
    if reduce not in REDUCTIONS:
        fail(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        fail("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        fail("segment_reduce(): Either lengths or offsets must be defined.")
    name = "lengths" if offsets is None else "offsets"
    given: Any = lengths if offsets is None else offsets
    if axis != given.ndim - 1:
        fail(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    a = given._a
    if a.dtype.kind not in "iu":
        raise EngineNotImplementedError(
            f"\"_segment_reduce_{name}_cpu_kernel1\" not implemented for '{DTYPES[a.dtype].tensor_name}'"
        )
    if offsets is None and not unsafe:
        if a.size and a.min() < 0:
            fail("segment_reduce(): lengths contains negative value!")
        if a.size and (a.sum(-1) != data.shape[axis]).any():
            fail(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                "!unsafe."
            )
    number = None if initial is None else float(initial)
    return segments_reduced(data, reduce, None if offsets is not None else lengths, offsets, axis, number)
