"""A copy of a tensor with one part of it replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ops
from ...call_errors import fail, only_ints
from ...costs import costs
from ...dtypes import F32
from ...modes import refuse_of_samples
from ...numeric.halves import BF16, Brain, is_half
from ...registry import dressed, primitive, public
from ...tensor import Array, Tensor, Value, result
from .padding import zeros


def _twin(self: Array, src: Array) -> Array:
    """A copy to write into, with the strides of the original and the gaps between them."""
    d = src.dtype if src.dtype.kind == "c" else self.dtype
    if d is BF16:
        return _twin(self.view(np.ndarray), src).view(Brain)
    if self.flags.c_contiguous or 0 in self.strides or 0 in self.shape:
        return np.array(self, d, order="C")
    steps = tuple([s // self.itemsize * d.itemsize for s in self.strides])
    span = 1 + sum((n - 1) * s // d.itemsize for n, s in zip(self.shape, steps, strict=True))
    out = np.ndarray(self.shape, d, np.zeros(span, d), 0, steps)
    out[...] = self
    return out


def _patched(self: Array, src: Array, part: Any) -> Array:
    """A copy of ``self`` with ``src`` in the part that ``part`` picks of an array."""
    out = _twin(self, src)
    _fill(part(out), src)
    return out


def _fill(goal: Array, src: Array) -> None:
    if goal.shape != src.shape:
        fail(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(goal.shape)}"
        )
    goal[...] = src


@public("torch Tensor")
@primitive(
    self=lambda g, src_like, dim, index: select_scatter(g, zeros(src_like, g), dim, index),
    src=lambda g, dim, index: ops.views.select(g, dim, index),
    form="along",
)
def select_scatter(self: Array, src: Array, dim: int, index: int) -> Array:
    """A copy with another tensor at one place of an axis."""
    if type(dim) is not int:
        only_ints("select_scatter", dim=dim, places=(3,))
    return _patched(self, src, lambda a: ops.views.select(a, dim, index))


@public("torch Tensor")
@primitive(
    self=lambda g, src_like, dim, start, end, step: slice_scatter(g, zeros(src_like, g), dim, start, end, step),
    src=lambda g, dim, start, end, step: ops.views.slice_(g, dim, start, end, step),
    form="along",
)
def slice_scatter(
    self: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    """A copy with another tensor between two places of an axis."""
    return _patched(self, src, lambda a: ops.views.slice_(a, dim, start, end, step))


@public("torch Tensor")
@primitive(
    self=lambda g, src_like, offset, dim1, dim2: diagonal_scatter(g, zeros(src_like, g), offset, dim1, dim2),
    src=lambda g, offset, dim1, dim2: ops.views.diagonal(g, offset, dim1, dim2),
    form="along",
)
def diagonal_scatter(self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A copy with another tensor on a diagonal."""
    return _patched(self, src, lambda a: ops.views.diagonal(a, offset, dim1, dim2))


def _memory(a: Array, d: Any) -> tuple[Array, int]:
    """A copy of the memory that a tensor is a part of, flat, and where the tensor starts in it."""
    root = ops.strides.storage(a)
    # It may have been made of numbers of another type.
    whole = np.ndarray((root.nbytes // a.itemsize,), a.dtype, root)
    return np.array(whole, d), ops.strides.storage_offset_of(a)


def _of_no_sample(call: Any) -> Any:
    def scatter(input: Any, src: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_of_samples(
            "Error: aten::as_strided_scatter requires special handling, and does not yet have a batching rule. Feel "
            "free to file a github issue!",
            input,
            src,
        )
        return call(input, src, *args, **kwargs)

    return dressed(scatter, call.op)


@public("torch Tensor")
@costs("making.as_strided_scatter")
@_of_no_sample
@primitive(
    reads_storage=True,
    self=lambda g, self_geometry, src_like, size, stride, storage_offset: _beside_strided(
        g, self_geometry, size, stride, storage_offset
    ),
    src=lambda g, size, stride, storage_offset: ops.strides.as_strided(
        ops.converting.contiguous(g) if isinstance(g, Tensor) else np.ascontiguousarray(g), size, stride, storage_offset
    ),
)
def as_strided_scatter(self: Array, src: Array, size: Any, stride: Any, storage_offset: int | None = None) -> Array:
    """A copy with another tensor in the places of its memory that strides read."""
    d = src.dtype if src.dtype.kind == "c" else self.dtype
    memory, start = _memory(self, d)
    goal = ops.strides.as_strided.op.forward(memory, size, stride, start if storage_offset is None else storage_offset)
    _fill(goal, src)
    step = d.itemsize // self.itemsize
    steps = tuple([s * step for s in self.strides])
    return np.ndarray(self.shape, d, memory, start * d.itemsize if self.size else 0, steps)


def _beside_strided(g: Value, geometry: Any, size: Any, stride: Any, storage_offset: int | None) -> Value:
    """The share of what was not replaced."""
    shape, strides, offset = geometry
    array = g._a if isinstance(g, Tensor) else g
    # In the memory of the tensor itself: what was written there has no share of it.
    places = offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if array.size else 0
    at = offset if storage_offset is None else storage_offset
    last = at + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if 0 not in size else 0
    kept = np.ones(max(places, last), F32 if is_half(array.dtype) else array.real.dtype)
    ops.strides.as_strided.op.forward(kept, size, stride, at)[...] = 0
    mask = np.array(ops.strides.as_strided.op.forward(kept, shape, strides, offset))
    return g * (result(mask) if isinstance(g, Tensor) else mask)
