"""Attention: values averaged by how well their keys answer a query."""

from __future__ import annotations

import math

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...costs import costs
from ...dtypes import DTYPES, default
from ...numeric.common import quiet
from ...registry import composite, primitive, public
from ...tensor import Array, Value, result
from ..common import re


@primitive(
    no_whole="softmax_kernel_impl",
    node="SafeSoftmaxBackward0", self=lambda g, result, dim: ops.softmax.softmax_backward_data(g, result, dim),
    form="along",
)
def safe_softmax(self: Array, dim: int) -> Array:
    """Softmax that gives 0 where every element is -inf."""
    masked = np.logical_and.reduce(re(self) == -np.inf, dim, keepdims=True)
    return quiet(_safe, self, masked, dim)


def _safe(x: Array, masked: Array, dim: int) -> Array:
    e = np.exp(x - np.where(masked, 0, np.maximum.reduce(re(x), dim, keepdims=True)))
    return np.where(masked, 0, e / np.add.reduce(e, dim, keepdims=True))


@public("F")
@costs("multiplying.attention")
@under_autocast("lower")
@composite
def scaled_dot_product_attention(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Value:
    """The mean of the values, weighted by the softmax of the products of query and keys."""
    _check(query, key, value, attn_mask)
    if query._a.dtype.kind in "biu":
        wanted, given = (DTYPES[d].tensor_name for d in (default.float, query._a.dtype))
        fail(f"expected scalar type {wanted} but found {given}")
    if is_causal:
        later = result(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
        if attn_mask is None:
            attn_mask = later
        elif dropout_p == 0 and _takes_both(query, key, value, attn_mask, enable_gqa):
            nothing = False if attn_mask._a.dtype.kind == "b" else attn_mask._a.dtype.type(-np.inf)
            attn_mask = result(np.where(later._a, attn_mask._a, nothing))
        else:
            fail("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask is not None and attn_mask._a.dtype.kind == "b":
        kind = query._a.dtype.type
        attn_mask = result(np.where(attn_mask._a, kind(0), kind(-np.inf)))
    if dropout_p < 0:
        fail("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
    if dropout_p > 1:
        fail(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if enable_gqa:
        if any(query.shape[-3] % t.shape[-3] for t in (key, value)):
            fail("Number of heads in key and value must divide the number of heads in ")
        key, value = (t.repeat_interleave(query.shape[-3] // t.shape[-3], -3) for t in (key, value))
    root = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    query = ops.arith.mul_number(query, root)
    scores = ops.matmul.matmul(query, ops.arith.mul_number(ops.views.transpose(key, -2, -1), root))
    if attn_mask is not None:
        scores = scores + attn_mask
    weights = safe_softmax(scores, -1)
    if dropout_p > 0:
        weights = ops.dropout.dropout(weights, dropout_p)
    return ops.matmul.matmul(weights, value)


_WORDS = {"Float": "float", "Double": "double", "Long": "long int", "Int": "int", "Bool": "bool", "Half": "c10::Half"}


def _word(t: Value) -> str:
    name = DTYPES[t._a.dtype].tensor_name
    return _WORDS.get(name, name)


def _takes_both(query: Value, key: Value, value: Value, mask: Value, shared_heads: bool) -> bool:
    """Tell whether PyTorch's kernel for the CPU is the one that computes: it takes a mask that is causal besides."""
    shapes = [t.shape for t in (query, key, value)]
    return (
        all(len(s) == 4 and s[0] == shapes[0][0] and s[3] == shapes[0][3] for s in shapes)
        and all(t._a.strides[-1] == t._a.itemsize for t in (query, key, value) if t._a.size)
        and (shared_heads or len({s[1] for s in shapes}) == 1)
        and mask.ndim in (2, 4)
        and not mask.requires_grad
    )


def _check(query: Value, key: Value, value: Value, mask: Value | None) -> None:
    q, k, v = query, key, value
    if not q._a.dtype == k._a.dtype == v._a.dtype:
        fail(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{_word(q)} key.dtype: {_word(k)} and value.dtype: {_word(v)} instead."
        )
    if min(q.ndim, k.ndim, v.ndim) < 2:
        fail(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead."
        )
    if mask is None:
        return
    if mask._a.dtype.kind != "b" and mask._a.dtype not in (q._a.dtype, np.float32):
        fail(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{_word(mask)} and  query.dtype: {_word(q)} instead."
        )
