"""Rows of a table picked by number."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ....errors import EngineIndexError
from ... import ops
from ...call_errors import fail
from ...costs import ALWAYS, costs
from ...dtypes import DTYPES, zeros_of
from ...modes import no_grad
from ...numeric.sparse import made_of
from ...registry import constant, primitive, public
from ...tensor import Array, Tensor, Value
from ..indexing.subscripts import add_at


@primitive(
    without_rule=("indices",),
    assumes=("weight", "padded"),
    weight=lambda g, indices, padding_idx, scale_grad_by_freq, sparse, weight_sym_argsize_0: _for_table(
        g, indices, padding_idx, scale_grad_by_freq, sparse, weight_sym_argsize_0
    ),
    form="looked_up",
)
def embedding(
    weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Array:
    """The rows of a table that indices name."""
    if weight.ndim != 2:
        fail("'weight' must be 2-D")
    if indices.dtype.kind != "i" or indices.dtype.itemsize < 4:
        refuse_places(indices, 1, "embedding")
    if not ops.index_select.inside(indices, len(weight)):
        raise EngineIndexError("index out of range in self")
    return weight.take(indices, 0)


def refuse_places(a: Array, argument: int, name: str) -> NoReturn:
    """Refuse an array whose elements are no places in a table."""
    fail(
        f"Expected tensor for argument #{argument} 'indices' to have one of the following scalar types: Long, Int; but "
        f"got {DTYPES[a.dtype].type_name} instead (while checking arguments for {name})"
    )


def _for_table(g: Value, indices: Value, padding_idx: int, by_freq: bool, sparse: bool, rows: int) -> Value:
    """The gradient of a table; a sparse one knows its rows, unless it is to be differentiated itself."""
    if not sparse or isinstance(g, Tensor):
        return embedding_dense_backward(g, indices, rows, padding_idx, by_freq)
    if by_freq:
        fail("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    return rows_alone(g, indices, rows, padding_idx)


def rows_alone(g: Array, indices: Array, rows: int, padding_idx: int) -> Array:
    """The gradient of a table as that of the rows that were read."""
    where = np.asarray(indices).reshape(-1).astype(np.int64)
    shares = g.reshape(where.size, g.shape[-1])
    if padding_idx < 0:
        return made_of(where[None], shares, (rows, g.shape[-1]))
    kept = where != padding_idx
    return made_of(where[kept][None], shares[kept], (rows, g.shape[-1]))


@primitive(
    backward=True,
    without_rule=("indices",),
    node="EmbeddingDenseBackwardBackward0",
    grad_output=lambda g, indices, padding_idx: _embedding_double_backward(g, indices, padding_idx),
)
def embedding_dense_backward(
    grad_output: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    """The gradient of embedding: each row added to the row of the table that it was read from."""
    where = indices.reshape(-1)
    width = grad_output.shape[-1]
    rows = grad_output.reshape(where.size, width)
    out = zeros_of((num_weights, width), grad_output.dtype)
    if scale_grad_by_freq:
        rows = rows / np.bincount(where, minlength=num_weights)[where, None].astype(rows.real.dtype)
    add_at(out, where, rows)
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


def _embedding_double_backward(g: Value, indices: Value, padding_idx: int) -> Value:
    rows = ops.index_select.index_select(g, 0, ops.views.reshape(indices, (-1,)))
    if padding_idx >= 0:
        rows = ops.choosing.masked_fill(rows, ops.views.reshape(indices == padding_idx, (-1, 1)), 0)
    return ops.views.view(rows, (*indices.shape, g.shape[1]))


@public("F.embedding")
@costs("picking.embedding")
def embedding_function(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of a table that indices name."""
    n = int(weight.shape[0]) if weight.ndim else 0
    if padding_idx is None:
        padding_idx = -1
    else:
        if not -n <= padding_idx < n:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= n
    if max_norm is not None:
        renormed(weight.detach(), input, max_norm, norm_type)
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@public("torch.embedding")
@costs("picking.embedding_of_table")
def embedding_torch(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """The rows of a table that indices name."""
    return embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@public("torch.embedding_renorm_")
@costs("picking.embedding_of_table")
def renormed(weight: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """A table in which the rows that indices name are no longer than a norm: longer ones are shortened in place."""
    if weight._a.dtype.kind in "biu":
        fail(f"norm(): input dtype should be either floating point or complex. Got {weight.dtype.tensor_name} instead.")
    if indices._a.dtype.kind != "i" or indices._a.dtype.itemsize < 4:
        refuse_places(indices._a, 2, "embedding_renorm_")
    with no_grad():
        named = ops.counting.unique(indices)
        if not named.numel():
            return weight
        if not ops.index_select.inside(named._a, len(weight._a)):
            wrong = next((i for i in named.tolist() if not -len(weight._a) <= i < len(weight._a)), None)
            if wrong is None:
                raise EngineIndexError("index out of range in self")
            raise EngineIndexError(
                f"select(): index {wrong} out of range for tensor of size {list(weight.shape)} at dimension 0"
            )
        rows = weight[named]
        norms = ops.vector_norms.vector_norm(rows, norm_type, 1, True)
        factors = ops.choosing.where(norms > max_norm, max_norm / (norms + 1e-7), ops.filled.ones_like(norms))
        weight[named] = rows * factors
    return weight


@constant
def one_hot(self: Array, num_classes: int = -1) -> Array:
    """For each class number a row of zeros with a one at that place."""
    if self.dtype.kind != "i" or self.dtype.itemsize != 8:
        fail("one_hot is only applicable to index tensor of type LongTensor.")
    if self.size == 0:
        if num_classes <= 0:
            fail("Can not infer total number of classes from empty tensor.")
    elif self.min() < 0:
        fail("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(self.max()) + 1
    elif self.size and self.max() >= num_classes:
        fail("Class values must be smaller than num_classes.")
    return (np.asarray(self)[..., None] == np.arange(num_classes)).astype(np.int64)


@public("F.one_hot")
@costs("picking.one_hot", careful=ALWAYS)
def one_hot_rows(input: Tensor, num_classes: int = -1) -> Any:
    """For each class number a row of zeros with a one at that place."""
    rows = one_hot(input, num_classes)
    # PyTorch writes the ones in place, in two steps.
    return ops.matmul.written(ops.matmul.written(rows)) if input.numel() else rows
