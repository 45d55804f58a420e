"""Sequences of different lengths without padding: time by time, those that still go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail
from ...dtypes import full_of, zeros_of
from ...registry import composite, primitive
from ...tensor import Array, Tensor, Value, result

Sizes = tuple[int, ...]


def _going_on(batch_sizes: Array, times: int, samples: int) -> Array:
    """Which sequences go on at which time."""
    sizes = np.zeros(times, np.int64)
    sizes[: len(batch_sizes)] = batch_sizes
    return np.arange(samples) < sizes[:, None]


@primitive(
    without_rule=("lengths",),
    node="PackPaddedSequenceBackward0",
    aside=("result1",),
    input=lambda g, input_sym_sizes, result1, batch_first: unpack_sequences(g, input_sym_sizes, result1, batch_first),
)
def pack_sequences(input: Array, lengths: Array, batch_first: bool = False) -> tuple[Array, Array]:
    """The elements of padded sequences, time by time, and how many sequences go on at each time."""
    x = input.swapaxes(0, 1) if batch_first else input
    if not input.size:
        fail("Cannot pack empty tensors.")
    samples = x.shape[1]
    if len(lengths) != samples:
        fail(f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={samples})")
    if lengths[-1] <= 0:
        fail("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if (lengths[:-1] < lengths[1:]).any():
        fail(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if lengths[0] > len(x):
        fail(f"Expected lengths of at most {len(x)}, the length of the padded sequences, but got {lengths[0]}")
    batch_sizes = np.add.reduce(np.arange(lengths[0])[:, None] < lengths, 1, dtype=np.int64)
    return x[_going_on(batch_sizes, *x.shape[:2])], batch_sizes


@primitive(
    without_rule=("batch_sizes",),
    node="PackPaddedSequenceBackwardBackward0",
    grad=lambda g, batch_sizes, batch_first: pack_sequences(g, _lengths_of(batch_sizes), batch_first)[0],
)
def unpack_sequences(grad: Array, input_size: Sizes, batch_sizes: Array, batch_first: bool) -> Array:
    """Packed elements back at their places, zeros elsewhere."""
    x = zeros_of(input_size, grad.dtype)
    along = x.swapaxes(0, 1) if batch_first else x
    along[_going_on(batch_sizes, *along.shape[:2])] = grad
    return x


def _lengths_of(batch_sizes: Value) -> Value:
    """The length of each sequence."""
    sizes = batch_sizes._a if isinstance(batch_sizes, Tensor) else batch_sizes
    lengths = np.add.reduce(np.arange(sizes[0]) < sizes[:, None], 0, dtype=np.int64)
    return lengths if sizes is batch_sizes else result(lengths)


@composite
def pad_sequences(
    data: Value, batch_sizes: Value, batch_first: bool, padding_value: float, total_length: int
) -> tuple[Value, Value]:
    """Packed sequences side by side in one tensor, and their lengths."""
    sizes = batch_sizes._a.tolist()
    out: Any = result(full_of((total_length, sizes[0], *data.shape[1:]), padding_value, data._a.dtype))
    at = 0
    start = 0
    for i, (size, following) in enumerate(zip(sizes, [*sizes[1:], 0], strict=True), 1):
        # What goes on with as many sequences is written in one piece.
        if following == size:
            continue
        count = size * (i - start)
        piece = ops.views.slice_(data, 0, at, at + count, 1)
        rows = ops.views.slice_(ops.views.slice_(out, 0, start, i, 1), 1, 0, size, 1)
        rows.copy_(ops.views.view(piece, (i - start, size, *data.shape[1:])))
        at += count
        start = i
    return (out.transpose(0, 1) if batch_first else out), _lengths_of(batch_sizes)
