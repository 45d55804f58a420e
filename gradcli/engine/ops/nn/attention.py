"""Attention: values averaged by how well their keys answer a query."""

from __future__ import annotations

import math

import numpy as np

from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...costs import costs
from ...dtypes import DTYPES, default
from ...flags import FLASH, MATH, settings
from ...numeric.common import quiet
from ...numeric.kernels import attention as in_steps
from ...registry import composite, primitive, public, shared
from ...tensor import Array, Value, result
from ..common import re
from .softmax import softmax_of


@primitive(
    no_whole="softmax_kernel_impl",
    node="SafeSoftmaxBackward0", self=lambda g, result, dim: ops.softmax.softmax_backward_data(g, result, dim),
    form="along",
)
def safe_softmax(self: Array, dim: int) -> Array:
    """Softmax that gives 0 where every element is -inf."""
    if not self.size:
        return self
    masked = np.logical_and.reduce(re(self) == -np.inf, dim, keepdims=True)
    if not masked.any():
        return quiet(softmax_of, self, dim)
    return np.where(masked, 0, quiet(softmax_of, np.where(masked, 0, self), dim))


def _weights(query: Array, key: Array, mask: Array | None, causal: bool, factor: float) -> tuple[Array, Array]:
    """The shares that queries give to keys, and the logarithms of what they are shares of; no share of nothing."""
    scores = query @ key.swapaxes(-1, -2) * re(query).dtype.type(factor)
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool), scores, -np.inf)
    top = np.maximum.reduce(re(scores), -1, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    shares = np.exp(scores - top)
    whole = np.add.reduce(shares, -1, keepdims=True)
    none = whole == 0
    whole = np.where(none, 1, whole)
    return shares / whole, np.where(none, 0, top + np.log(whole))[..., 0]


def _for_each_head(t: Array, query: Array) -> Array:
    """Keys or values for each head of the queries, where several share them."""
    times = query.shape[-3] // t.shape[-3]
    return t if times == 1 else t.repeat(times, -3)


def _of_shared_heads(g: Array, t: Array) -> Array:
    """The gradient of what several heads share; heads lie side by side in memory, as PyTorch's kernel leaves them."""
    if g.shape[-3] != t.shape[-3]:
        g = g.reshape(*g.shape[:-3], t.shape[-3], -1, *g.shape[-2:]).sum(-3)
    return np.ascontiguousarray(g.swapaxes(-2, -3)).swapaxes(-2, -3)


def _factor(scale: float | None, query: Array) -> float:
    width = query.shape[-1]
    return scale if scale is not None else 1 / math.sqrt(width) if width else math.inf


@primitive(
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    outputs=("output",),
    aside=("logsumexp",),
    without_rule=("attn_mask",),
    optional=("attn_mask",),
    query=shared,
    key=shared,
    value=shared,
    joint=lambda g, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale, *, wanted: (
        _scaled_dot_product_flash_attention_for_cpu_backward(
            g, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale
        )
    ),
    form="stacked",
)
def _scaled_dot_product_flash_attention_for_cpu(
    query: Array, key: Array, value: Array, dropout_p: float, is_causal: bool, attn_mask: Array | None,
    scale: float | None,
) -> tuple[Array, Array]:  # fmt: skip
    """Attention as PyTorch's kernel for the CPU computes it: one node, which keeps no weights."""
    keys, values = (_for_each_head(t, query) for t in (key, value))
    how = attn_mask, is_causal, _factor(scale, query)
    if in_steps.follows(query, keys, values, attn_mask):
        found, logarithms = quiet(in_steps.forward, query, keys, values, *how)
    else:
        weights, logarithms = quiet(_weights, query, keys, *how)
        found = weights @ values
    output = np.empty_like(query, found.dtype)
    output[...] = found
    # Heads lie side by side in memory.
    return output, np.ascontiguousarray(logarithms.swapaxes(-1, -2)).swapaxes(-1, -2)


@primitive(
    not_implemented="_scaled_dot_product_flash_attention_for_cpu_backward", backward=True,
    outputs=("grad_query", "grad_key", "grad_value"), without_rule=("attn_mask",), optional=("attn_mask",),
    grad_out=None, query=None, key=None, value=None, output=None, logsumexp=None,
)
def _scaled_dot_product_flash_attention_for_cpu_backward(
    grad_out: Array, query: Array, key: Array, value: Array, output: Array, logsumexp: Array, dropout_p: float,
    is_causal: bool, attn_mask: Array | None, scale: float | None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of attention; the weights are computed once more."""
    keys, values = (_for_each_head(t, query) for t in (key, value))
    factor = _factor(scale, query)
    if grad_out.dtype is query.dtype and in_steps.follows(query, keys, values, attn_mask):
        given = grad_out, query, keys, values, output, logsumexp, attn_mask, is_causal, factor
        to_query, to_key, to_value = quiet(in_steps.backward, *given)
        return _of_shared_heads(to_query, query), _of_shared_heads(to_key, key), _of_shared_heads(to_value, value)
    weights, _ = quiet(_weights, query, keys, attn_mask, is_causal, factor)
    through = grad_out @ values.swapaxes(-1, -2) - np.add.reduce(grad_out * output, -1, keepdims=True)
    scores = weights * through * re(query).dtype.type(factor)
    return (
        _of_shared_heads(scores @ keys, query),
        _of_shared_heads(scores.swapaxes(-1, -2) @ query, key),
        _of_shared_heads(weights.swapaxes(-1, -2) @ grad_out, value),
    )


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
    if dropout_p == 0 and _is_fused(query, key, value, attn_mask, enable_gqa):
        mask = None if attn_mask is None else _added(query, attn_mask)
        return _scaled_dot_product_flash_attention_for_cpu(
            query, key, value, dropout_p, is_causal, mask, scale
        )[0]
    if not settings.get(MATH, True):
        fail("No available kernel.  Aborting execution.")
    if is_causal:
        later = result(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
        if attn_mask is None:
            attn_mask = later
        else:
            fail("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask is not None:
        attn_mask = _added(query, attn_mask)
    if dropout_p < 0 and _is_fused(query, key, value, attn_mask, enable_gqa):
        fail("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
    if dropout_p > 1:
        fail(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if enable_gqa:
        if any(query.shape[-3] % t.shape[-3] for t in (key, value)):
            fail("Number of heads in key and value must divide the number of heads in ")
        key, value = (t.repeat_interleave(query.shape[-3] // t.shape[-3], -3) for t in (key, value))
    factor = _factor(scale, query)
    root = math.sqrt(abs(factor))
    query = ops.arith.mul_number(query, math.copysign(root, factor))
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


def _added(query: Value, mask: Value) -> Value:
    """A mask as what is added to the scores."""
    if mask._a.dtype.kind != "b":
        return mask
    kind = query._a.dtype.type
    return result(np.where(mask._a, kind(0), kind(-np.inf)))


def _fits(mask: tuple[int, ...], scores: tuple[int, ...]) -> bool:
    """Tell whether a mask of two or four axes is spread over the scores."""
    return len(mask) in (2, 4) and all(n in (1, m) for n, m in zip(mask, scores[-len(mask) :], strict=True))


def _is_fused(query: Value, key: Value, value: Value, mask: Value | None, shared_heads: bool) -> bool:
    """Tell whether PyTorch's kernel for the CPU is the one that computes."""
    shapes = q, k, v = [t.shape for t in (query, key, value)]
    return (
        settings.get(FLASH, True)
        and all(len(s) == 4 and s[0] == q[0] and s[3] == q[3] and 0 not in s for s in shapes)
        and k[1:3] == v[1:3]
        and all(t._a.strides[-1] == t._a.itemsize and t._a.dtype.kind != "c" for t in (query, key, value))
        and (k[1] == q[1] or (shared_heads and q[1] % k[1] == 0))
        and (mask is None or (not mask.requires_grad and _fits(mask.shape, (*q[:3], k[2]))))
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
