"""Attention with several heads: what the module of that name computes."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ....errors import EngineError
from ... import ops
from ...costs import costs
from ...registry import composite, public


@public("F")
@costs("multiplying.attention_heads")
@composite
def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """Means of values, weighted by how well their keys suit a query, and the weights where they are asked for."""
    _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    batched = query.dim() == 3
    if not batched:
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    padding = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise EngineError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    causal = is_causal and padding is None and not need_weights
    mask = None if causal else _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype)
    length, batch, width = query.shape
    head_dim = width // num_heads
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if head_dim * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, weights)
    mask = _checked_mask(mask, length, key.shape[0], batch * num_heads)
    if bias_k is not None or bias_v is not None:
        _check_bias(bias_k, bias_v, static_k, static_v)
        k = ops.joining.cat([k, bias_k.repeat(1, batch, 1)])
        v = ops.joining.cat([v, bias_v.repeat(1, batch, 1)])
        mask, padding = _wider(mask), _wider(padding)
    rows = batch * num_heads

    def heads_first(t: Any) -> Any:
        return t.view(t.shape[0], rows, head_dim).transpose(0, 1)

    q = heads_first(q)
    k = heads_first(k) if static_k is None else _static(static_k, "static_k", rows, head_dim)
    v = heads_first(v) if static_v is None else _static(static_v, "static_v", rows, head_dim)
    if add_zero_attn:
        zeros = ops.filled.zeros(rows, 1, head_dim, dtype=k.dtype)
        k, v = ops.joining.cat([k, zeros], 1), ops.joining.cat([v, zeros], 1)
        mask, padding = _wider(mask), _wider(padding)
    source = k.shape[1]
    if padding is not None:
        spread = padding.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1).reshape(rows, 1, source)
        mask = spread if mask is None else mask + spread
    p = dropout_p if training else 0.0
    found: Any = None
    if need_weights:
        found = _weights(q, k, mask, p)
        out: Any = ops.matmul.bmm(found, v).transpose(0, 1).reshape(length * batch, width)
    else:
        if mask is not None:
            alike = mask.shape[0] == 1 and mask.dim() == 3
            mask = mask.unsqueeze(0) if alike else mask.view(batch, num_heads, -1, source)
        q, k, v = (t.view(batch, num_heads, -1, head_dim) for t in (q, k, v))
        out = ops.attention.scaled_dot_product_attention(q, k, v, mask, p, causal)
        out = out.permute(2, 0, 1, 3).reshape(batch * length, width)
    out = ops.addmm.linear(out, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.shape[1])
    if found is not None:
        found = found.view(batch, num_heads, length, source)
        found = found.mean(dim=1) if average_attn_weights else found
    if not batched:
        return out.squeeze(1), None if found is None else found.squeeze(0)
    return out, found


def _projected(query: Any, key: Any, value: Any, weight: Any, bias: Any, apart: Any) -> Any:
    """Queries, keys and values."""
    if apart is None:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        return _in_projection_packed(query, key, value, weight, bias)
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    for name, each in zip("qkv", apart, strict=True):
        if each is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    width = query.shape[-1]
    named = zip(("query", "key", "value"), (query, key, value), apart, strict=True)
    for name, t, each in named:
        if each.shape != (width, t.shape[-1]):
            raise AssertionError(f"expecting {name} weights shape of {(width, t.shape[-1])}, but got {each.shape}")
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return [ops.addmm.linear(t, w, b) for t, w, b in zip((query, key, value), apart, biases, strict=True)]


@public("F")
@costs("multiplying.packed_projection")
@composite
def _in_projection_packed(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> Any:
    """Queries, keys and values, computed together where they come of the same tensor."""
    linear = ops.addmm.linear
    width = q.shape[-1]
    if k is not v:
        biases = (None,) * 3 if b is None else b.chunk(3)
        return [linear(t, each, bias) for t, each, bias in zip((q, k, v), w.chunk(3), biases, strict=True)]
    if q is k:
        return _parted(linear(q, w, b), 3, width)
    first, rest = w.split([width, 2 * width])
    b_first, b_rest = (None, None) if b is None else b.split([width, 2 * width])
    return [linear(q, first, b_first), *_parted(linear(k, rest, b_rest), 2, width)]


def _parted(t: Any, n: int, width: int) -> list[Any]:
    t = t.unflatten(-1, (n, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [t[i] for i in range(n)]


def _check_bias(bias_k: Any, bias_v: Any, static_k: Any, static_v: Any) -> None:
    """Refuse one key or value more where there is none of the other, or where those are given as they are."""
    if bias_v is None:
        raise AssertionError("bias_k is set but bias_v is None")
    if bias_k is None:
        raise AssertionError("bias_v is set but bias_k is None")
    for static, what in ((static_k, "key"), (static_v, "value")):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {what}.")


def _weights(q: Any, k: Any, mask: Any, p: float) -> Any:
    """The share of each value in what each query gets, some dropped."""
    scaled = q * math.sqrt(1.0 / float(q.shape[-1]))
    against = k.transpose(-2, -1)
    scores: Any = ops.matmul.bmm(scaled, against) if mask is None else ops.addmm.baddbmm(mask, scaled, against)
    found: Any = ops.softmax.softmax_function(scores, -1)
    return ops.dropout.dropout(found, p) if p > 0.0 else found


def _static(t: Any, name: str, rows: int, head_dim: int) -> Any:
    for at, wanted in ((0, rows), (2, head_dim)):
        if t.shape[at] != wanted:
            raise AssertionError(f"expecting {name}.size({at}) of {wanted}, but got {t.shape[at]}")
    return t


def _wider(mask: Any) -> Any:
    return None if mask is None else ops.padding.pad_any(mask, (0, 1))


@public("F")
@composite
def _none_or_dtype(input: Any) -> Any:
    """The element type of what may be no tensor."""
    return None if input is None else input.dtype


@public("F")
@composite
def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    """A mask as what is added to the scores; PyTorch warns where another one is of another element type."""
    if mask is None:
        return mask
    if not mask.is_floating_point() and mask.dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and other_type != mask.dtype:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
            UserWarning,
            stacklevel=4,
        )
    if mask.is_floating_point():
        return mask
    zeros: Any = ops.filled.zeros(*mask.shape, dtype=target_type)
    return zeros.masked_fill_(mask, -math.inf)


def _check_shapes(query: Any, key: Any, value: Any, padding: Any, mask: Any, heads: int) -> None:
    n = query.dim()
    if n not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {n}-D query tensor")
    case = "batched (3-D)" if n == 3 else "unbatched (2-D)"
    if key.dim() != n or value.dim() != n:
        raise AssertionError(
            f"For {case} `query`, expected `key` and `value` to be {n}-D but found {key.dim()}-D and {value.dim()}-D "
            "tensors respectively"
        )
    if padding is not None and padding.dim() != n - 1:
        raise AssertionError(
            f"For {case} `query`, expected `key_padding_mask` to be `None` or {n - 1}-D but found {padding.dim()}-D "
            "tensor instead"
        )
    if padding is not None and n == 3:
        for i, wanted in enumerate((query.shape[1], key.shape[0])):
            if padding.shape[i] != wanted:
                raise AssertionError(
                    f"Expected key_padded_mask.shape[{i}] to be {wanted}, but got {padding.shape[i]}"
                )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {case} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if mask is not None and n == 2 and mask.dim() == 3:
        wanted = (heads, query.shape[0], key.shape[0])
        if mask.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {mask.shape}")


def _checked_mask(mask: Any, length: int, source: int, rows: int) -> Any:
    if mask is None:
        return None
    wanted = (length, source) if mask.dim() == 2 else (rows, length, source)
    if mask.shape != wanted:
        raise EngineError(f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}.")
    return mask.unsqueeze(0) if mask.dim() == 2 else mask
