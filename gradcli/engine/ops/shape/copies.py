"""Copies of what views show: each op has the gradient of its view."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import Unsupported
from ... import ops
from ...call_errors import fail, only_ints
from ...costs import costs
from ...declaration import given_for_out
from ...registry import composite, primitive, public
from ...tensor import Array, Value
from .splitting import lengths, regrown
from .strides import of_a_batch


def _own(a: Array) -> Array:
    """The elements in memory of their own."""
    return a.copy() if a.ndim == 0 else np.array(a, order="C")


def _owned(parts: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple([_own(a) for a in parts])


@public("torch")
@primitive(node="AliasBackward0_copy", self=lambda g: g, rounding="exact", form="same")
def alias_copy(self: Array) -> Array:
    """A copy of a tensor."""
    return _own(self)


@public("torch")
@primitive(not_implemented="detach_copy", self=None)
def detach_copy(self: Array) -> Array:
    """A copy of a tensor, through which no gradient is had."""
    return _own(self)


@public("torch")
@costs("making.as_strided")
@of_a_batch
@primitive(
    node="AsStridedBackward0_copy",
    reads_storage=True,
    self=lambda g, self_geometry, size, stride, storage_offset: ops.strides.as_strided_backward(
        g, self_geometry, size, stride, storage_offset
    ),
)
def as_strided_copy(self: Array, size: Any, stride: Any, storage_offset: int | None = None) -> Array:
    """A copy of the memory of a tensor, read by strides."""
    return _own(ops.strides.as_strided.op.forward(self, size, stride, storage_offset))


@primitive(node="ExpandBackward0_copy", self=lambda g, self_sym_sizes: ops.sums.sum_to(g, self_sym_sizes))
def expanded_copy(self: Array, size: Any) -> Array:
    """The same elements, repeated along new or length-1 axes."""
    return _own(ops.views.expand.op.forward(self, size))


@public("torch")
@given_for_out()
@costs("arranging.expanded")
@composite
def expand_copy(input: Value, size: Any, *, implicit: bool = False) -> Value:
    """The same elements, repeated along new or length-1 axes."""
    del implicit
    return expanded_copy(input, tuple(size))


@public("torch")
@primitive(
    node="PermuteBackward0_copy",
    self=lambda g, dims: ops.views.permute(g, ops.views.inverse(dims)),
    rounding="exact",
    form="permuted",
)
def permute_copy(self: Array, dims: Any) -> Array:
    """A copy with its axes in another order."""
    return _own(ops.views.permute.op.forward(self, dims))


@public("torch")
@primitive(
    node="SelectBackward0_copy",
    self=lambda g, self_sym_sizes, dim, index: ops.views.select_backward(g, self_sym_sizes, dim, index),
    rounding="exact",
    form="along",
)
def select_copy(self: Array, dim: int, index: int) -> Array:
    """A copy of one place of an axis."""
    return _own(ops.views.select.op.forward(self, dim, index))


@public("torch")
@primitive(
    node="SliceBackward0_copy",
    self=lambda g, self_sym_sizes, dim, start, end, step: ops.views.slice_backward(
        g, self_sym_sizes, dim, start, end, step
    ),
    rounding="exact",
    form="along",
)
def slice_copy(
    self: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    """A copy of the part between two places of an axis."""
    return _own(ops.views.slice_.op.forward(self, dim, start, end, step))


@public("torch Tensor")
@primitive(
    self=lambda g, self_sym_sizes, dim, start, length: ops.views.slice_backward(
        g, self_sym_sizes, dim, start, start + length, 1
    ),
    rounding="exact",
    form="along",
)
def narrow_copy(self: Array, dim: int, start: int, length: int) -> Array:
    """A copy of a number of places of an axis, from a first one on."""
    only_ints("narrow_copy", start=start, length=length, places=(3, 4))
    if length < 0:
        fail(f"start ({start}) + length ({length}) exceeds dimension size ({self.shape[dim]}).")
    return _own(ops.reshaping.narrow(self, dim, start, length))


@primitive(
    node="SqueezeBackward0_copy",
    self=lambda g, self_sym_sizes: ops.views.unsqueeze_to(g, self_sym_sizes),
    rounding="exact",
    form="squeezed",
)
def squeezed_copy(self: Array) -> Array:
    """A copy without the axes of length 1."""
    return _own(ops.views.squeeze_all.op.forward(self))


@primitive(
    node="SqueezeBackward1_copy",
    self=lambda g, self_sym_sizes, dim: ops.views.unsqueeze_to(g, self_sym_sizes, (dim,)),
    rounding="exact",
    form="squeezed",
)
def squeezed_copy_dim(self: Array, dim: int) -> Array:
    """A copy without one axis, if it has length 1."""
    return _own(ops.views.squeeze_dim.op.forward(self, dim))


@primitive(
    node="SqueezeBackward2_copy",
    self=lambda g, self_sym_sizes, dim: ops.views.unsqueeze_to(g, self_sym_sizes, dim),
    rounding="exact",
    form="squeezed",
)
def squeezed_copy_axes(self: Array, dim: Any) -> Array:
    """A copy without those of the given axes that have length 1."""
    return _own(ops.views.squeeze_axes.op.forward(self, dim))


@public("torch")
@given_for_out()
@composite
def squeeze_copy(input: Value, dim: Any = None) -> Value:
    """A copy without the axes of length 1, or without those that are named."""
    if dim is None:
        return squeezed_copy(input)
    return squeezed_copy_axes(input, tuple(dim)) if isinstance(dim, (tuple, list)) else squeezed_copy_dim(input, dim)


@public("torch")
@primitive(node="TBackward0_copy", self=lambda g: ops.views.t(g), rounding="exact", form="turned")
def t_copy(self: Array) -> Array:
    """A copy of the transpose of a matrix."""
    return _own(ops.views.t.op.forward(self))


@public("torch")
@primitive(
    node="TransposeBackward0_copy",
    self=lambda g, dim0, dim1: ops.views.transpose(g, dim0, dim1),
    rounding="exact",
    form="along",
)
def transpose_copy(self: Array, dim0: int, dim1: int) -> Array:
    """A copy with two axes swapped."""
    return _own(ops.views.transpose.op.forward(self, dim0, dim1))


@public("torch")
@costs("arranging.windows")
@primitive(
    node="UnfoldBackward0_copy",
    self=lambda g, self_sym_sizes, dimension, size, step: ops.strides.unfold_backward(
        g, self_sym_sizes, dimension, size, step
    ),
    form="along",
)
def unfold_copy(self: Array, dimension: int, size: int, step: int) -> Array:
    """A copy of windows that slide along an axis, each as a new last axis."""
    only_ints("unfold_copy", dimension=dimension, size=size, step=step, places=(2, 3, 4))
    return _own(ops.strides.unfold.op.forward(self, dimension, size, step))


@public("torch")
@primitive(
    node="UnsqueezeBackward0_copy",
    self=lambda g, dim: ops.views.squeeze_dim(g, dim),
    rounding="exact",
    form="along_one_more",
)
def unsqueeze_copy(self: Array, dim: int) -> Array:
    """A copy with a new axis of length 1."""
    return _own(ops.views.unsqueeze.op.forward(self, dim))


@primitive(
    node="ViewBackward0_copy",
    self=lambda g, self_sym_sizes: ops.views.reshape(g, self_sym_sizes),
    rounding="exact",
    form="shaped",
)
def viewed_copy(self: Array, size: Any) -> Array:
    """A copy in another shape."""
    return _own(ops.views.view.op.forward(self, size))


@public("torch")
@given_for_out()
@composite
def view_copy(input: Value, size: Any = None, *, dtype: Any = None) -> Value:
    """A copy in another shape."""
    if dtype is not None or not isinstance(size, (tuple, list)):
        raise Unsupported("view_copy() with a dtype is not supported: use input.view(dtype).clone()")
    return viewed_copy(input, tuple(size))


# -- parts -------------------------------------------------------------------------------------


@public("torch")
@costs("arranging.unbound")
@primitive(
    siblings=True,
    node="UnbindBackward0_copy",
    self=lambda g, dim: ops.splitting.stacked(g, dim),
    rounding="exact",
    form="along",
)
def unbind_copy(self: Array, dim: int = 0) -> tuple[Array, ...]:
    """Copies of the parts at each place of an axis."""
    return _owned(ops.splitting.unbind.op.forward(self, dim))


@public("torch")
@costs("arranging.split_method")
@primitive(
    siblings=True,
    node="SplitBackward0_copy",
    self=lambda g, self_sym_sizes, split_size, dim: regrown(
        g, self_sym_sizes, lengths(self_sym_sizes, dim, split_size), dim
    ),
    rounding="exact",
    form="along",
)
def split_copy(self: Array, split_size: int, dim: int = 0) -> tuple[Array, ...]:
    """Copies of the pieces of one length along an axis."""
    return _owned(ops.splitting.split.op.forward(self, split_size, dim))


@public("torch")
@primitive(
    siblings=True,
    node="SplitWithSizesBackward0_copy",
    self=lambda g, self_sym_sizes, split_sizes, dim: regrown(g, self_sym_sizes, split_sizes, dim),
    rounding="exact",
    form="along",
)
def split_with_sizes_copy(self: Array, split_sizes: Any, dim: int = 0) -> tuple[Array, ...]:
    """Copies of the pieces of given lengths along an axis."""
    return _owned(ops.splitting.split_with_sizes.op.forward(self, split_sizes, dim))


@public("torch Tensor")
@costs("arranging.split_method")
@primitive(
    siblings=True,
    self=lambda g, self_sym_sizes, split_size, dim: regrown(
        g, self_sym_sizes, lengths(self_sym_sizes, dim, split_size), dim
    ),
    rounding="exact",
    form="along",
)
def unsafe_split(self: Array, split_size: int, dim: int = 0) -> tuple[Array, ...]:
    """Pieces of one length along an axis, of whose common memory autograd knows nothing."""
    if type(split_size) is not int:
        only_ints("unsafe_split", split_size=split_size, places=(2,))
    return ops.splitting.split.op.forward(self, split_size, dim)  # type: ignore[no-any-return]


@public("torch Tensor")
@primitive(
    siblings=True,
    self=lambda g, self_sym_sizes, split_sizes, dim: regrown(g, self_sym_sizes, split_sizes, dim),
    rounding="exact",
    form="along",
)
def unsafe_split_with_sizes(self: Array, split_sizes: Any, dim: int = 0) -> tuple[Array, ...]:
    """Pieces of given lengths along an axis, of whose common memory autograd knows nothing."""
    return ops.splitting.split_with_sizes.op.forward(self, split_sizes, dim)  # type: ignore[no-any-return]


@public("torch Tensor")
@costs("arranging.chunk")
@composite
def unsafe_chunk(input: Value, chunks: int, dim: int = 0) -> tuple[Value, ...]:
    """A number of pieces of equal length along an axis, of whose common memory autograd knows nothing."""
    length = ops.splitting.chunk_length(input, chunks, dim)
    if length == 0:
        return unsafe_split_with_sizes(input, (0,) * chunks, dim)  # type: ignore[no-any-return]
    return unsafe_split(input, length, dim)  # type: ignore[no-any-return]
