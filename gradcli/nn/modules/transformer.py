"""Transformers: layers of attention and of products, one after another."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

from ...engine.guard.outside import guarded
from ...engine.guard.trusted_classes import ours
from ...engine.modes import mode
from ...engine.ops.make import filled
from ...engine.ops.nn.attention_heads import _canonical_mask, _none_or_dtype
from ...engine.own_init import own_init
from ...engine.tensor import Tensor
from ...errors import EngineError
from .. import functional as F, init
from ..base.holder import has, member
from .activation import GELU, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation = Callable[[Tensor], Any]


def _activation(given: str | Activation) -> Activation:
    """An activation, that may be given by its name."""
    if not isinstance(given, str):
        return given
    if given not in ("relu", "gelu"):
        raise EngineError(f"activation should be relu/gelu, not {given}")
    found: Activation = F.relu if given == "relu" else F.gelu
    return found


def _is(given: Any, function: Any) -> bool:
    """Tell whether an activation is one of ours, which may stand behind a door since (see engine/dispatch)."""
    return given is function or given is getattr(function, "__wrapped__", function)


class _Layer(Module):
    """The base of encoder and decoder layers: residual blocks with layer norms."""

    # How many blocks there are, and which attentions.
    _blocks: int
    _attentions: tuple[str, ...]

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        like = {"device": device, "dtype": dtype}
        kind = ours(self, _Layer)
        for name in kind._attentions:
            attention = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **like)
            self.add_module(name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **like)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **like)
        self.norm_first = norm_first
        for i in range(1, kind._blocks + 1):
            self.add_module(f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like))
        for i in range(1, kind._blocks + 1):
            self.add_module(f"dropout{i}", Dropout(dropout))
        self.activation: Any = _activation(activation)

    def __getstate__(self) -> dict[str, Any]:
        """All attributes; the activations that have a name go by it."""
        state = dict(self.__dict__)
        for name, function in (("relu", F.relu), ("gelu", F.gelu)):
            if state.get("activation") is function:
                state["activation"] = name
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; layers of earlier times had no other activation than relu."""
        super().__setstate__(state)
        if not has(self, "activation"):
            self.activation = F.relu
        elif isinstance(self.activation, str):
            self.activation = _activation(self.activation)

    def _chain(self, x: Any, *blocks: Activation) -> Any:
        for i, block in enumerate(blocks, 1):
            norm = member(self, f"norm{i}")
            x = x + block(norm(x)) if self.norm_first else norm(x + block(x))
        return x

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """The block that attends to the sequence itself; subclasses may do it otherwise."""
        return self._attend("self_attn", 1, x, x, attn_mask, key_padding_mask, is_causal)

    def _ff_block(self, x: Any) -> Any:
        """The block of two products; subclasses may do it otherwise."""
        x = self.linear2(self.dropout(guarded(self.activation)(self.linear1(x))))
        return member(self, f"dropout{ours(self, _Layer)._blocks}")(x)

    def _attend(self, name: str, nth: int, x: Any, keys: Any, mask: Any, padding: Any, causal: bool) -> Any:
        """Attend to what has these keys, and drop some of the result in training."""
        found, _ = member(self, name)(
            x, keys, keys, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=causal
        )
        return member(self, f"dropout{nth}")(found)


@own_init
class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, and two products."""

    _blocks, _attentions = 2, ("self_attn",)

    @property
    def activation_relu_or_gelu(self) -> int:
        """1 where the activation is relu, 2 where it is gelu, else 0."""
        relu = _is(self.activation, F.relu) or isinstance(self.activation, ReLU)
        gelu = _is(self.activation, F.gelu) or isinstance(self.activation, GELU)
        return 1 if relu else 2 if gelu else 0

    def forward(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Any:
        """Apply the layer."""
        other = _none_or_dtype(src_mask)
        padding = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", other, "src_mask", src.dtype)
        mask = _canonical_mask(src_mask, "src_mask", None, "", src.dtype)
        return self._chain(src, lambda x: self._sa_block(x, mask, padding, is_causal=is_causal), self._ff_block)


@own_init
class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself and to another, and two products."""

    _blocks, _attentions = 3, ("self_attn", "multihead_attn")

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Apply the layer."""
        return self._chain(
            tgt,
            lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal),
            lambda x: self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal),
            self._ff_block,
        )

    def _mha_block(
        self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Any:
        """The block that attends to the other sequence; subclasses may do it otherwise."""
        return self._attend("multihead_attn", 2, x, mem, attn_mask, key_padding_mask, is_causal)


class _Stack(Module):
    """Copies of a layer, one after another."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm: Any = norm

    def _is_causal(self, mask: Any, x: Any, said: bool | None) -> bool:
        """True if a mask lets each place see only itself and those before it, unless the caller said so or not."""
        if said is not None or mask is None:
            return said is True
        first: Any = self.layers[0]
        length = x.shape[1 if x.dim() == 3 and first.self_attn.batch_first else 0]
        usual = _causal_mask(length, mask.dtype)
        return bool(mask.shape == usual.shape and (mask == usual).all())


class TransformerEncoder(_Stack):
    """Copies of an encoder layer, one after another."""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}", stacklevel=2
            )
            self.use_nested_tensor = False

    def forward(
        self, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """Apply the layers."""
        other = _none_or_dtype(mask)
        padding = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", other, "mask", src.dtype)
        mask = _canonical_mask(mask, "mask", None, "", src.dtype)
        causal = self._is_causal(mask, src, is_causal)
        x: Any = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._skips_padding(src, padding):
            x = x.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return x if self.norm is None else self.norm(x)

    def _skips_padding(self, src: Any, padding: Any) -> bool:
        """True if PyTorch's fast path would apply, which skips padding in evaluation and leaves zeros there."""
        first: Any = self.layers[0]
        tracked = mode.grad and any(t.requires_grad for t in (src, *first.parameters()))
        if not self.use_nested_tensor or first.training or src.dim() != 3 or tracked:
            return False
        kept = padding == 0
        return not self.mask_check or bool((kept[:, 1:] <= kept[:, :-1]).all())


def _not_nested(layer: Any) -> str:
    """Why PyTorch would not leave padding out of what a layer computes."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention: Any = layer.self_attn
    reasons = (
        (layer.norm_first, ".norm_first was True"),
        (
            not attention.batch_first,
            ".self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (not attention._qkv_same_embed_dim, ".self_attn._qkv_same_embed_dim was not True"),
        (attention.in_proj_bias is None, ".self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, ".activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, ".norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, ".self_attn.num_heads is odd"),
    )
    return next((f"encoder_layer{reason}" for holds, reason in reasons if holds), "")


class TransformerDecoder(_Stack):
    """Copies of a decoder layer, one after another."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Apply the layers."""
        causal = self._is_causal(tgt_mask, tgt, tgt_is_causal)
        x: Any = tgt
        for layer in self.layers:
            x = layer(
                x, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder of one sequence, and a decoder that makes another of it."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Activation = F.relu,
        custom_encoder: Module | None = None, custom_decoder: Module | None = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        like = {"device": device, "dtype": dtype}
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)

        if custom_encoder is None:
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*options, **like), num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*options, **like), num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Encode a sequence, and decode."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[batch] != tgt.shape[batch]:
            raise EngineError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise EngineError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """The mask with which each place sees just itself and those before."""
        del device
        return _causal_mask(sz, dtype)


def _causal_mask(size: int, dtype: Any) -> Any:
    mask: Any = filled.full((size, size), -math.inf, dtype=dtype)
    return mask.triu(diagonal=1)
