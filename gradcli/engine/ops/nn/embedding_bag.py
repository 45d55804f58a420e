"""Rows of a table picked by number, and put together bag by bag."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineValueError
from ... import ops
from ...call_errors import fail, only_ints
from ...dtypes import DTYPES, F32, zeros_of
from ...numeric.common import quiet
from ...numeric.halves import converted
from ...numeric.kernels.fused import multiply_add
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value
from ..common import re
from ..indexing.subscripts import add_at

SUM, MEAN, MAX = 0, 1, 2
_MODES = {"sum": SUM, "mean": MEAN, "max": MAX}
Four = tuple[Array, Array, Array, Array]

# Rows that are named more often are added at once: their last digits are not worth the passes.
_MOST_TIMES = 64


def _for_weight(
    g: Value, indices: Value, rows: int, mode: int, samples: Value | None, padding_idx: int,
    bags: Value, sizes: Value, best: Value, by_freq: bool, sparse: bool,
) -> Value:  # fmt: skip
    """The gradient for the table: the share of each bag, added to the rows that are in it."""
    if sparse and mode != MAX and not isinstance(g, Tensor):
        return ops.embedding.rows_alone(_shares(g, mode, samples, bags, sizes), indices, rows, padding_idx)
    return embedding_bag_backward(g, indices, samples, bags, sizes, best, rows, mode, padding_idx, by_freq)


def _shares(g: Array, mode: int, samples: Array | None, bags: Array, sizes: Array) -> Array:
    """The gradient of each row that was read."""
    if mode == MEAN:
        g = g / converted(np.maximum(sizes, 1)[:, None], g.dtype)
    shares = g.take(bags, 0)
    return shares if samples is None else shares * samples[:, None]


@primitive(
    no_derivative="_embedding_bag_backward", node="EmbeddingBagBackwardBackward0", backward=True,
    without_rule=("indices", "bags", "sizes", "best"), optional=("samples",), g=None, samples=None,
)
def embedding_bag_backward(
    g: Array, indices: Array, samples: Array | None, bags: Array, sizes: Array, best: Array,
    rows: int, mode: int, padding_idx: int, by_freq: bool,
) -> Array:  # fmt: skip
    """The gradient of embedding_bag for its table."""
    out = zeros_of((rows, g.shape[-1]), g.dtype)
    if mode == MAX:
        # A bag that is empty is zero, whatever the table.
        full = sizes > 0
        np.add.at(out, (best[full], np.arange(g.shape[-1])), g[full])
        return out
    if mode == MEAN and not by_freq and g.dtype is F32:
        kept = indices != padding_idx
        _add_means(out, indices[kept], g, bags[kept], sizes)
        return out
    shares = _shares(g, mode, samples, bags, sizes)
    if by_freq:
        shares = shares / _frequencies(indices, rows).astype(re(shares).dtype)[:, None]
    kept = indices != padding_idx
    add_at(out, indices[kept], shares[kept])
    return out


def _add_means(out: Array, indices: Array, g: Array, bags: Array, sizes: Array) -> None:
    """Add each bag's share to the rows that it names, each product in one rounding: rows that are named again later."""
    order = np.argsort(indices, kind="stable")
    indices, bags = indices[order], bags[order]
    shares = quiet(np.reciprocal, sizes.astype(F32))[:, None]
    begun = np.searchsorted(indices, indices)
    times = np.arange(len(indices)) - begun
    most = int(times.max(initial=-1))
    if most >= _MOST_TIMES:
        add_at(out, indices, g[bags] * shares[bags])
        return
    for time in range(most + 1):
        now = times == time
        bag = bags[now]
        out[indices[now]] = multiply_add(out[indices[now]], g[bag], shares[bag])


def _frequencies(indices: Array, rows: int) -> Array:
    """The times that PyTorch takes each number to occur: the third distinct one as often as the third in order."""
    order = np.sort(indices)
    counts = np.bincount(indices, minlength=rows)
    return counts[order[np.unique(indices, return_inverse=True)[1]]]


@primitive(
    not_implemented="_embedding_bag_per_sample_weights_backward", backward=True,
    without_rule=("indices", "bags"), g=None, weight=None,
)
def embedding_bag_per_sample_weights_backward(
    g: Array, weight: Array, indices: Array, bags: Array, padding_idx: int
) -> Array:
    """The gradient for the weights of samples: how far each row lies along the share of its bag."""
    found = (g.take(bags, 0) * weight.take(indices, 0)).sum(1)
    found[indices == padding_idx] = 0
    return found


@primitive(
    without_rule=("indices", "offsets"),
    optional=("per_sample_weights",),
    node="EmbeddingBagBackward0",
    aside=("result1", "result2", "result3"),
    keeps=("offsets", "scale_grad_by_freq", "sparse"),
    order=("weight", "per_sample_weights"),
    weight=lambda g, indices, weight_sym_argsize_0, mode, per_sample_weights, padding_idx, result1, result2, result3, scale_grad_by_freq, sparse: (  # noqa: E501
        _for_weight(
            g, indices, weight_sym_argsize_0, mode, per_sample_weights, padding_idx, result1, result2, result3,
            scale_grad_by_freq, sparse,
        )
    ),
    per_sample_weights=lambda g, weight, indices, padding_idx, result1: embedding_bag_per_sample_weights_backward(
        g, weight, indices, result1, padding_idx
    ),
)
def embedding_bag(
    weight: Array,
    indices: Array,
    offsets: Array,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Array | None = None,
    padding_idx: int = -1,
) -> Four:
    """The rows of a table that indices name, put together bag by bag; the bag of each, their sizes, the largest."""
    n, count = len(indices), len(offsets)
    bags = np.searchsorted(offsets, np.arange(n), "right") - 1
    kept = indices != padding_idx
    sizes = np.bincount(bags[kept], minlength=count)[:count]
    rows = weight.take(indices, 0)
    width = weight.shape[1]
    best = np.zeros((count, width), np.int64)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    out = zeros_of((count, width), rows.dtype)
    if mode != MAX:
        np.add.at(out, bags[kept], rows[kept])
        if mode == MEAN:
            out = out / np.maximum(sizes, 1)[:, None].astype(re(weight).dtype)
        return out, bags, sizes, best
    for i in np.flatnonzero(kept):
        bag = bags[i]
        fresh = not np.any(kept[offsets[bag] : i])
        better = fresh | (re(rows[i]) > re(out[bag]))
        out[bag] = np.where(better, rows[i], out[bag])
        best[bag] = np.where(better, indices[i], best[bag])
    return out, bags, sizes, best


@public("F.embedding_bag")
def embedding_bag_function(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The rows of a table that indices name, summed, averaged or compared bag by bag."""
    if type(padding_idx) is not int:
        only_ints("embedding_bag", padding_idx=padding_idx, places=(9,))
    if weight._a.dtype.kind == "i" and input._a.dtype.kind == "f":
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            UserWarning,
            stacklevel=2,
        )
        input, weight = weight, input
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise EngineValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise EngineValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2:
        if offsets is not None:
            raise EngineValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences. However, found offsets of type <class 'torch.Tensor'>"
            )
        rows, columns = input.shape
        offsets = ops.ranges.arange(0, rows * columns, columns)
        include_last_offset = False
        input = ops.views.reshape(input, (-1,))
        if per_sample_weights is not None:
            per_sample_weights = ops.views.reshape(per_sample_weights, (-1,))
    elif input.ndim != 1:
        raise EngineValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    elif offsets is None:
        raise EngineValueError("offsets has to be a 1D Tensor but got None")
    elif offsets.ndim != 1:
        raise EngineValueError("offsets has to be a 1D Tensor")
    if mode not in _MODES:
        raise EngineValueError("mode has to be one of sum, mean or max")
    for what, asked in (("scaling the gradient by the frequency", scale_grad_by_freq), ("sparse weights", sparse)):
        if asked and mode == "max":
            raise EngineValueError(f"max mode does not support {what}")
    if weight._a.dtype.kind != "f":
        fail(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {DTYPES[weight._a.dtype].type_name} instead (while checking arguments for "
            "embedding_bag)"
        )
    if max_norm is not None:
        ops.embedding.renormed(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise EngineNotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    assert offsets is not None
    if include_last_offset:
        if not offsets.shape[0]:
            fail("include_last_offset: number of offset should be at least 1")
        offsets, last = offsets[:-1], int(offsets[-1])
        _check_end(last, len(input._a))
        if last < len(input._a):
            # What stands behind the last offset is in no bag.
            input, per_sample_weights = input[:last], None if per_sample_weights is None else per_sample_weights[:last]
    n = int(weight.shape[0])
    if padding_idx is not None and not -n <= padding_idx < n:
        fail(f"padding_idx must be within the number of embeddings, -{n} through {n - 1}, but got {padding_idx}")
    if per_sample_weights is not None and per_sample_weights._a.dtype is not weight._a.dtype:
        mine, other = (DTYPES[t._a.dtype].type_name for t in (weight, per_sample_weights))
        fail(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {mine} does not equal {other} (while checking "
            "arguments for embedding_bag)"
        )
    _check(input._a, offsets._a, n, weight._a.dtype == F32 and mode != "max")
    padding = -1 if padding_idx is None else padding_idx % n
    samples = per_sample_weights
    return embedding_bag(weight, input, offsets, scale_grad_by_freq, _MODES[mode], sparse, samples, padding)[0]


@public("torch.embedding_bag")
def embedding_bag_torch(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """The rows of a table that indices name, put together bag by bag; the bag of each, their sizes, the largest."""
    starts = offsets[:-1] if include_last_offset else offsets
    n = int(weight.shape[0])
    _check(indices._a, starts._a, n, weight._a.dtype == F32 and mode != MAX)
    padding = -1 if padding_idx is None else padding_idx % n
    return embedding_bag(weight, indices, starts, scale_grad_by_freq, mode, sparse, per_sample_weights, padding)


def _check_end(last: int, n: int) -> None:
    if last > n:
        fail(f"offsets[-1] can not be greater than input's length {n} but got offsets[-1] of {last}")


def _check(indices: Array, offsets: Array, n: int, single: bool) -> None:
    for a in (indices, offsets):
        if a.dtype.kind not in "iub":
            ops.embedding.refuse_places(a, 1, "embedding_bag")
    if len(offsets) and offsets[0] != 0:
        fail(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {offsets[0]}\n[ torch.LongTensor{{}} ]"
        )
    if len(offsets):
        _check_end(offsets[-1], len(indices))
    outside = np.flatnonzero((indices < 0) | (indices >= n))
    if outside.size:
        i = outside[0]
        # The kernel for single precision says it in other words.
        if single:
            fail(f"Index {i} of input takes value {indices[i]} which is not in the valid range [0, {n})")
        fail(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {indices[i]}"
        )
