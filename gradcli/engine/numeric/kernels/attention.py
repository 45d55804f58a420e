"""Attention in single precision step by step as PyTorch's kernel for the CPU computes it, some queries at once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...dtypes import F32, Array
from ...flags import threads
from . import alone
from .fused import multiply_add
from .layer_exponential import rough_exponential
from .products import follows as products_follow, of_matrices, product, stacked
from .sums import UNSHARED, VECTOR, in_vectors
from .vectors import exponential

# So many keys are seen at once; more are not followed.
_KEYS = 512

_ONE = F32.type(1)


def follows(query: Array, key: Array, value: Array, mask: Array | None) -> bool:
    """Tell whether attention of these can be computed as PyTorch does: stacks of some heads, single precision."""
    return (
        products_follow
        and all(type(a) is np.ndarray and a.dtype is F32 and a.ndim == 4 and a.size for a in (query, key, value))
        and (mask is None or mask.dtype is F32)
        and 1 < key.shape[2] <= _KEYS
        and query.size // query.shape[3] * key.shape[2] <= 4 * UNSHARED
    )


def forward(
    query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, factor: float
) -> tuple[Array, Array]:
    """The mean of the values for each query, and the logarithms of the sums of the exponentials."""
    count = query.shape[2]
    key, value = _together(key), _together(value)
    # The only matrix of all is shared among threads; else they share the heads, and blocks of queries.
    multiply = _products if count <= _at_once(count) else stacked
    outputs, logarithms = [], []
    for begun in range(0, count, _at_once(count)):
        rows = slice(begun, begun + _at_once(count))
        scores = multiply(_together(query[:, :, rows]), key.swapaxes(1, 2))
        if mask is None:
            scores *= F32.type(factor)
        else:
            scores = multiply_add(_of_rows(mask, query.shape, rows, scores), scores, F32.type(factor))
        if is_causal:
            _hide_later(scores, rows)
        top = np.maximum.reduce(scores, -1, keepdims=True)
        top[top == -np.inf] = 0
        scores -= top
        shares = rough_exponential(scores)
        whole = _total(shares)
        whole[whole == 0] = _ONE
        outputs.append(_weighed(multiply, shares, value, begun, count) * (_ONE / whole))
        logarithms.append((top + np.where(whole == whole, alone.log(whole), whole))[..., 0])
    sizes = query.shape[:3]
    return np.concatenate(outputs, 1).reshape(*sizes, -1), np.concatenate(logarithms, 1).reshape(sizes)


def backward(
    g: Array, query: Array, key: Array, value: Array, output: Array, logarithms: Array,
    mask: Array | None, is_causal: bool, factor: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of query, key and value."""
    count = query.shape[2]
    keys, values, by = _together(key), _together(value), F32.type(factor)
    to_query, to_key, to_value = [], np.zeros_like(keys), np.zeros_like(values)
    for begun in range(0, count, _at_once(count)):
        rows = slice(begun, begun + _at_once(count))
        q, of_g, of_output = (_together(a[:, :, rows]) for a in (query, g, output))
        scores = _scaled(q, keys.swapaxes(1, 2), by)
        if mask is not None:
            scores += _of_rows(mask, query.shape, rows, scores)
        if is_causal:
            _hide_later(scores, rows)
        scores -= _together(logarithms[:, :, rows, None])
        shares = exponential(scores)
        to_value = _products(shares.swapaxes(1, 2), of_g, to_value)
        through = _products(of_g, values.swapaxes(1, 2)) - in_vectors(of_g * of_output)[..., None]
        through *= shares
        to_query.append(_scaled(through, keys, by))
        to_key = _scaled(through.swapaxes(1, 2), q, by, to_key)
    return (
        np.concatenate(to_query, 1).reshape(query.shape), to_key.reshape(key.shape), to_value.reshape(value.shape),
    )  # fmt: skip


def _at_once(count: int) -> int:
    """So many queries the kernel looks at at once."""
    return 256 if count >= 768 else 64 if count >= 192 else 32


def _together(a: Array) -> Array:
    """The matrices of all heads as one stack."""
    return np.ascontiguousarray(a).reshape(-1, *a.shape[2:])


def _of_rows(mask: Array, sizes: tuple[int, ...], rows: slice, scores: Array) -> Array:
    """The part of a mask that is added to the scores of some queries."""
    return np.broadcast_to(mask, (*sizes[:3], scores.shape[2]))[:, :, rows].reshape(scores.shape)


def _hide_later(scores: Array, rows: slice) -> None:
    """Let no query see a key that comes after it."""
    count, keys = scores.shape[1:]
    scores[:, ~np.tri(count, keys, rows.start, dtype=bool)] = -np.inf


def _total(shares: Array) -> Array:
    """The sums of rows: in vectors, what fills none one by one after them."""
    whole = shares.shape[2] - shares.shape[2] % VECTOR
    total = in_vectors(shares[..., :whole]) if whole else np.zeros(shares.shape[:2], F32)
    for i in range(whole, shares.shape[2]):
        total = total + shares[..., i]
    return total[..., None]


def _weighed(multiply: Any, shares: Array, value: Array, begun: int, count: int) -> Array:
    """The products of shares and values, at the places where the threads, which have parts of all heads, write them."""
    if len(shares) == 1 or not of_matrices(shares, value):
        step = min(_at_once(count), count)
        blocks = -(-count // step)
        each = -(-len(shares) * blocks // threads())
        cuts = [min(-((begun // step - i * each) // blocks), len(shares)) for i in range(threads() + 1)]
        # Scores and the tops and sums of rows stand before the outputs.
        before, size = step * (shares.shape[2] + 2), step * value.shape[2]
        return np.concatenate([
            multiply(shares[first:last], value[first:last], None, before + i * (before + size))
            for i, (first, last) in enumerate(pairwise(cuts))
            if first < last
        ])  # fmt: skip
    return multiply(shares, value)


def _products(a: Array, b: Array, added: Array | None = None, beyond: int = 0) -> Array:
    """The products of matrices, of which a single one is shared among threads, and what they are added to."""
    if len(a) == 1:
        return product(a[0], b[0], None if added is None else added[0], beyond)[None]
    return stacked(a, b, added, beyond)


def _scaled(a: Array, b: Array, factor: Any, added: Array | None = None) -> Array:
    """The products times a factor, which the kernel for matrices takes into the second of them."""
    if of_matrices(a, b):
        return _products(a, b * factor, added)
    # Rows beside columns are multiplied first; else the factor goes into the first.
    if b.strides[1] == b.itemsize:
        r = _products(a, b) * factor
        return r if added is None else r + added
    return _products(a * factor, b, added)
