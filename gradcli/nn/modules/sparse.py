"""Embeddings: tables of vectors."""

from __future__ import annotations

from typing import Any, Self

from ...engine.tensor import Tensor
from .. import functional as F, init
from ..base.holder import member
from ..parameter import Parameter
from .linear import empty
from .module import Module


class Embedding(Module):
    """The rows of a table that the input names."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
        _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx += num_embeddings * (padding_idx < 0)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is None:
            self.weight = empty(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        elif _weight.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Self:  # fmt: skip
        """A table that is given."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows, columns, padding_idx=padding_idx, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, sparse=sparse, _weight=embeddings, _freeze=freeze,
        )  # fmt: skip

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.normal_(self.weight)
        if self.padding_idx is not None and not self.weight.is_meta:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input: Tensor) -> Any:
        """Look up."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """The options that are not as usual."""
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text + "".join(f", {k}={own}" for k, v in usual.items() if (own := member(self, k)) != v)


class EmbeddingBag(Module):
    """The rows of a table that the input names, put together bag by bag."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx += num_embeddings * (padding_idx < 0)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = padding_idx
        if _weight is None:
            self.weight = empty(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.reset_parameters()
        elif _weight.shape != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:  # fmt: skip
        """A table that is given."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, _weight=embeddings, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse, include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        init.normal_(self.weight)
        if self.padding_idx is not None and not self.weight.is_meta:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input: Tensor, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Look up."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The options that are not as usual."""
        usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += "".join(f", {k}={own}" for k, v in usual.items() if (own := member(self, k)) != v)
        text += f", mode={self.mode!r}"
        return text + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")
