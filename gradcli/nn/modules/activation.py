"""Activations as modules, and attention: each is its function, and options shown as PyTorch shows them."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...engine.ops.make import filled
from ...engine.ops.matrix import addmm, matmul
from ...engine.ops.shape import joining
from ...engine.tensor import Tensor
from ...errors import EngineError, EngineValueError
from .. import functional as F, init
from ..base.holder import member
from ..base.options import NEEDED, Options
from ..parameter import Parameter
from .linear import Linear, empty
from .module import Module

_INPLACE = {"inplace": False}


class ReLU(Options):
    """max(x, 0)."""

    _name, _options = "relu", _INPLACE


class ReLU6(Options):
    """min(max(x, 0), 6)."""

    _name, _options = "relu6", _INPLACE


class LeakyReLU(Options):
    """x, or a small multiple of it below zero."""

    _name, _options = "leaky_relu", {"negative_slope": 0.01} | _INPLACE
    _shown = ("negative_slope",)


class ELU(Options):
    """x, or alpha (exp(x) - 1) below zero."""

    _name, _options, _shown = "elu", {"alpha": 1.0} | _INPLACE, ("alpha",)


class CELU(Options):
    """x, or alpha (exp(x / alpha) - 1) below zero."""

    _name, _options, _shown = "celu", {"alpha": 1.0} | _INPLACE, ("alpha",)


class SELU(Options):
    """A scaled ELU whose activations normalise themselves."""

    _name, _options = "selu", _INPLACE


class GELU(Options):
    """x times the normal distribution function of x."""

    _name, _options, _shown = "gelu", {"approximate": "none"}, ("approximate!r",)


class SiLU(Options):
    """x times sigmoid(x)."""

    _name, _options = "silu", _INPLACE


class Mish(Options):
    """x times tanh(softplus(x))."""

    _name, _options = "mish", _INPLACE


class Softplus(Options):
    """log(1 + exp(beta x)) / beta."""

    _name, _options = "softplus", {"beta": 1.0, "threshold": 20.0}
    _shown = ("beta", "threshold")


class Softsign(Options):
    """x / (1 + abs(x))."""

    _name = "softsign"


class Sigmoid(Options):
    """1 / (1 + exp(-x))."""

    _name = "sigmoid"


class Tanh(Options):
    """Hyperbolic tangent."""

    _name = "tanh"


class LogSigmoid(Options):
    """log(sigmoid(x))."""

    _name = "logsigmoid"


class Tanhshrink(Options):
    """x - tanh(x)."""

    _name = "tanhshrink"


class Hardsigmoid(Options):
    """A sigmoid of straight lines."""

    _name, _options = "hardsigmoid", _INPLACE

    def extra_repr(self) -> str:
        """Nothing: PyTorch does not show the option."""
        return ""


class Hardswish(Options):
    """x times hardsigmoid(x)."""

    _name, _options = "hardswish", _INPLACE

    def extra_repr(self) -> str:
        """Nothing: PyTorch does not show the option."""
        return ""


class Hardtanh(Options):
    """x, cut off at both ends."""

    _name, _shown = "hardtanh", ("min_val", "max_val")
    _options = {"min_val": -1.0, "max_val": 1.0} | _INPLACE | {"min_value": None, "max_value": None}
    _own = ("min_value", "max_value")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for new in ("min_val", "max_val"):
            old = new + "ue"
            given = self.__dict__.pop(old, None)
            if given is not None:
                words = f"keyword argument `{old}` is deprecated and renamed to `{new}`"
                warnings.warn(words, FutureWarning, stacklevel=2)
                setattr(self, new, given)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")


class Softshrink(Options):
    """x moved towards zero by lambd."""

    _name, _options, _shown = "softshrink", {"lambd": 0.5}, ("lambd!v",)


class Hardshrink(Options):
    """x, or zero within lambd of it."""

    _name, _options, _shown = "hardshrink", {"lambd": 0.5}, ("lambd!v",)


class Threshold(Options):
    """x above a threshold, else a value."""

    _name, _shown = "threshold", ("threshold", "value")
    _options = {"threshold": NEEDED, "value": NEEDED} | _INPLACE


class GLU(Options):
    """One half of the input, gated by the sigmoid of the other."""

    _name, _options, _shown = "glu", {"dim": -1}, ("dim",)


class Softmax(Options):
    """Exponentials that add up to one."""

    _name, _options, _shown = "softmax", {"dim": None}, ("dim",)


class Softmin(Options):
    """The softmax of the negative."""

    _name, _options, _shown = "softmin", {"dim": None}, ("dim",)


class LogSoftmax(Options):
    """The logarithm of the softmax."""

    _name, _options, _shown = "log_softmax", {"dim": None}, ("dim",)


class Softmax2d(Module):
    """Exponentials that add up to one over the channels of an image."""

    def forward(self, input: Tensor) -> Any:
        """Call the function."""
        if input.dim() not in (3, 4):
            raise EngineValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(Options):
    """x, or a random multiple of it below zero while training."""

    _name, _shown = "rrelu", ("lower", "upper")
    _options = {"lower": 1.0 / 8, "upper": 1.0 / 3} | _INPLACE

    def forward(self, *inputs: Tensor) -> Any:
        """Call the function."""
        return F.rrelu(*inputs, self.lower, self.upper, self.training, self.inplace)  # type: ignore[arg-type, call-arg]


class PReLU(Module):
    """x, or a trained multiple of it below zero."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(filled.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Go back to the starting value."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Any:
        """Call the function."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The options."""
        return f"num_parameters={self.num_parameters}"


class NonDynamicallyQuantizableLinear(Linear):
    """The projection at the end, under the name that PyTorch prints."""


class MultiheadAttention(Module):
    """Means of values, weighted by how well their keys suit a query, for several heads at once."""

    _qkv_same_embed_dim: bool

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise EngineValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        like = {"device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        apart = not self._qkv_same_embed_dim
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            self.register_parameter(f"{name}_proj_weight", empty(embed_dim, width, **like) if apart else None)
        self.register_parameter("in_proj_weight", None if apart else empty(3 * embed_dim, embed_dim, **like))
        self.register_parameter("in_proj_bias", empty(3 * embed_dim, **like) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **like)
        for name in ("bias_k", "bias_v"):
            if add_bias_kv:
                self.register_parameter(name, empty(1, 1, embed_dim, **like))
            else:
                setattr(self, name, None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if (weight := member(self, name)) is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for name in ("bias_k", "bias_v"):
            if (bias := member(self, name)) is not None:
                init.xavier_normal_(bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """The means, and the weights where they are asked for."""
        _check_shapes(query, key, value, key_padding_mask, attn_mask, self.num_heads)
        batched = query.dim() == 3
        if key_padding_mask is not None and attn_mask is not None and key_padding_mask.dtype != attn_mask.dtype:
            warnings.warn(
                "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.",
                UserWarning,
                stacklevel=3,
            )
        padding = additive(key_padding_mask, "key_padding_mask", query)
        mask = additive(attn_mask, "attn_mask", query)
        if is_causal and mask is None:
            raise EngineError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        causal = is_causal and padding is None and not need_weights
        if batched and self.batch_first:
            query, key, value = _length_first(query, key, value)
        elif not batched:
            query, key, value = (t.unsqueeze(1) for t in (query, key, value))
            padding = None if padding is None else padding.unsqueeze(0)
        out, weights = self._attend(query, key, value, padding, None if causal else mask, need_weights, causal)
        if weights is not None and average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            return out.squeeze(1), None if weights is None else weights.squeeze(0)
        return (out.transpose(1, 0) if self.batch_first else out), weights

    def _attend(
        self, query: Any, key: Any, value: Any, padding: Any, mask: Any, need_weights: bool, causal: bool
    ) -> tuple[Any, Any]:
        length, batch, width = query.shape
        heads, head_dim = self.num_heads, self.head_dim
        if width != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {width}")
        q, k, v = self._projected(query, key, value)
        mask = _checked_mask(mask, length, key.shape[0], batch * heads)
        if self.bias_k is not None:
            k = joining.cat([k, self.bias_k.repeat(1, batch, 1)])
            v = joining.cat([v, self.bias_v.repeat(1, batch, 1)])
            mask, padding = _wider(mask), _wider(padding)
        q, k, v = (t.view(t.shape[0], batch * heads, head_dim).transpose(0, 1) for t in (q, k, v))
        if self.add_zero_attn:
            zeros = filled.zeros(batch * heads, 1, head_dim, dtype=k.dtype)
            k, v = joining.cat([k, zeros], 1), joining.cat([v, zeros], 1)
            mask, padding = _wider(mask), _wider(padding)
        source = k.shape[1]
        if padding is not None:
            spread = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1).reshape(batch * heads, 1, source)
            mask = spread if mask is None else mask + spread
        p = self.dropout if self.training else 0.0
        if need_weights:
            scaled = q * math.sqrt(1.0 / float(head_dim))
            against = k.transpose(-2, -1)
            scores = matmul.bmm(scaled, against) if mask is None else addmm.baddbmm(mask, scaled, against)
            weights = F.softmax(scores, dim=-1)
            weights = F.dropout(weights, p) if p > 0.0 else weights
            out = matmul.bmm(weights, v).transpose(0, 1).reshape(length * batch, width)
        else:
            weights = None
            if mask is not None:
                alike = mask.shape[0] == 1 and mask.dim() == 3
                mask = mask.unsqueeze(0) if alike else mask.view(batch, heads, -1, source)
            q, k, v = (t.view(batch, heads, -1, head_dim) for t in (q, k, v))
            out = F.scaled_dot_product_attention(q, k, v, mask, p, causal)
            out = out.permute(2, 0, 1, 3).reshape(batch * length, width)
        out = F.linear(out, self.out_proj.weight, self.out_proj.bias)
        out = out.view(length, batch, out.shape[1])
        return out, None if weights is None else weights.view(batch, heads, length, source)

    def _projected(self, query: Any, key: Any, value: Any) -> Any:
        """Queries, keys and values, computed together where they come of the same tensor."""
        width, bias = self.embed_dim, self.in_proj_bias
        if not self._qkv_same_embed_dim:
            biases = (None,) * 3 if bias is None else bias.chunk(3)
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            return [F.linear(t, w, b) for t, w, b in zip((query, key, value), weights, biases, strict=True)]
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        weight = self.in_proj_weight
        if key is not value:
            biases = (None,) * 3 if bias is None else bias.chunk(3)
            return [F.linear(t, w, b) for t, w, b in zip((query, key, value), weight.chunk(3), biases, strict=True)]
        if query is key:
            return _parted(F.linear(query, weight, bias), 3, width)
        first, rest = weight.split([width, 2 * width])
        b_first, b_rest = (None, None) if bias is None else bias.split([width, 2 * width])
        return [F.linear(query, first, b_first), *_parted(F.linear(key, rest, b_rest), 2, width)]


def _parted(t: Any, n: int, width: int) -> list[Any]:
    t = t.unflatten(-1, (n, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [t[i] for i in range(n)]


def _length_first(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """The three tensors with the length before the batch; keys and values that are one stay one."""
    q = query.transpose(1, 0)
    k = q if key is query and key is value else key.transpose(1, 0)
    return q, k, k if key is value else value.transpose(1, 0)


def _wider(mask: Any) -> Any:
    return None if mask is None else F.pad(mask, (0, 1))


def additive(mask: Any, name: str, like: Tensor) -> Any:
    """A mask as what is added to the scores."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    zeros: Any = filled.zeros(*mask.shape, dtype=like.dtype)
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
