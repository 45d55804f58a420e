"""Causal masks for attention that are not made before something needs their numbers."""

from __future__ import annotations

import math
import warnings
from enum import IntEnum
from typing import Any

from ...engine.dtypes import bool_
from ...engine.ops.make.filled import ones, zeros
from ...engine.ops.shape.reordering import tril
from ...engine.tensor import Tensor
from .. import functional as F


class CausalVariant(IntEnum):
    """The corner that the triangle of a mask starts from, where it is not a square."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A mask in which no place sees a later one."""

    # Asked about calls, as classes of programs are and those of this package are not.
    __module__ = "torch.nn.attention.bias"

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        made: CausalBias = zeros(1, seq_len_q, seq_len_kv).as_subclass(cls)
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!", stacklevel=2
            )
        # Functions that a program had before it had this class do not ask it: they find what is added to scores.
        self.masked_fill_(~self._materialize(), -math.inf)

    def _materialize(self, device: Any = None) -> Tensor:
        """Make the mask: true where a query sees a key."""
        shift = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        mask: Tensor = tril(ones(self.seq_len_q, self.seq_len_kv, dtype=bool_, device=device), diagonal=shift)
        return mask

    @staticmethod
    def _dispatch(
        query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float = 0.0, is_causal: bool = False,
        scale: Any = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        """Attention with the mask, which is made only where attention has no word for it."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        spoken = attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant == CausalVariant.UPPER_LEFT
        mask = None if spoken else attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(
            query, key, value, mask, dropout_p, spoken, scale=scale, enable_gqa=enable_gqa
        )

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})

    def __repr__(self, tensor_contents: str | None = None) -> str:
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """A mask whose triangle starts at the first query and the first key."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, size[0], size[1])


def causal_lower_right(*size: int) -> CausalBias:
    """A mask whose triangle ends at the last query and the last key."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, size[0], size[1])
