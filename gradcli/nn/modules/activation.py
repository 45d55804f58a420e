"""Activations as modules, and attention: each is its function, and options shown as PyTorch shows them."""

from __future__ import annotations

import warnings
from typing import Any

from ...engine.ops.make import filled
from ...engine.tensor import Tensor
from ...errors import EngineValueError
from .. import functional as F, init
from ..base.holder import member
from ..base.options import NEEDED, Options, taken
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear, empty
from .module import Module

_INPLACE = {"inplace": False}


class ReLU(Options):
    """max(x, 0)."""

    _name, _options = "relu", _INPLACE


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

    _name = "hardtanh"
    _shown: tuple[str, ...] = ("min_val", "max_val")
    _options: dict[str, Any] = {"min_val": -1.0, "max_val": 1.0} | _INPLACE | {"min_value": None, "max_value": None}
    _own: tuple[str, ...] = ("min_value", "max_value")

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


class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    _name, _options, _shown, _own = "relu6", _INPLACE, Options._shown, Options._own
    _forward_of = "Hardtanh"

    def __init__(self, inplace: bool = False) -> None:
        Options.__init__(self, inplace)
        self.min_val, self.max_val = 0.0, 6.0


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
    _added = {"dim": None}


class Softmin(Options):
    """The softmax of the negative."""

    _name, _options, _shown = "softmin", {"dim": None}, ("dim",)
    _added = {"dim": None}


class LogSoftmax(Options):
    """The logarithm of the softmax."""

    _name, _options, _shown = "log_softmax", {"dim": None}, ("dim",)
    _added = {"dim": None}


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

    def forward(self, *inputs: Tensor, **named: Tensor) -> Any:
        """Call the function."""
        return F.rrelu(*taken(self, inputs, named), self.lower, self.upper, self.training, self.inplace)  # type: ignore[call-arg]


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


class MultiheadAttention(Module):
    """Means of values, weighted by how well their keys suit a query, for several heads at once."""

    _qkv_same_embed_dim: bool
    _added = {"_qkv_same_embed_dim": True}

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
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _length_first(query, key, value)
        apart = not self._qkv_same_embed_dim
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=apart,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (out.transpose(1, 0) if turned else out), weights


def _length_first(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """The three tensors with the length before the batch; keys and values that are one stay one."""
    q = query.transpose(1, 0)
    k = q if key is query and key is value else key.transpose(1, 0)
    return q, k, k if key is value else value.transpose(1, 0)
