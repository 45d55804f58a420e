"""Tensors of several lengths, held one behind the other: what torch.nested records.

``sizes`` are those of the parts. They lie along an axis of what holds them, or, where ``axis`` is None, as rows of
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ....errors import EngineError, EngineNotImplementedError
from ... import ops
from ...dtypes import zeros_of
from ...registry import primitive, shared
from ...tensor import Array, Tensor, Value
from .splitting import pieces, regrown

Sizes = Sequence[tuple[int, ...]]


def in_rows(sizes: Sizes) -> bool:
    """Tell whether parts differ in more than their first axis, so that only their numbers can be put in a row."""
    return any(not size or size[1:] != sizes[0][1:] for size in sizes)


def _lengths(sizes: Sizes, axis: int | None) -> list[int]:
    return [math.prod(size) if axis is None else size[axis] for size in sizes]


def _parts(a: Array, sizes: Sizes, axis: int | None) -> tuple[Array, ...]:
    """The parts, which share the memory of what holds them."""
    parts = pieces(a, _lengths(sizes, axis), axis or 0)
    return parts if axis is not None else tuple([p.reshape(size) for p, size in zip(parts, sizes, strict=True)])


def _apart(g: Value, sizes: Sizes) -> list[Value]:
    """The shares of tensors that were put one behind the other."""
    axis = None if in_rows(sizes) else 0
    if not isinstance(g, Tensor):
        return list(_parts(g, sizes, axis))
    parts: Any = ops.splitting.split_with_sizes(g, tuple(_lengths(sizes, axis)), 0)
    return [ops.views.view(part, tuple(size)) for part, size in zip(parts, sizes, strict=True)]


def _together(g: Sequence[Value | None], size: tuple[int, ...], sizes: Sizes, axis: int | None) -> Value:
    """The gradient of what holds parts, of theirs."""
    flat = g if axis is not None else [x if x is None else ops.reshaping.reshape(x, (-1,)) for x in g]
    return regrown(flat, size, _lengths(sizes, axis), axis or 0)


@primitive(
    lists=("list",), keeps=("list",), list=lambda g, list_args_sizes: _apart(g, list_args_sizes), rounding="exact",
)  # fmt: skip
def nested_tensor_from_tensor_list(list: Any) -> Array:
    """Tensors of several lengths one behind the other."""
    rows = in_rows([a.shape for a in list])
    return np.concatenate([a.reshape(-1) for a in list] if rows else list)


@primitive(view=True, self=lambda g: ops.views.alias(g))
def nested_view_from_jagged(self: Array) -> Array:
    """A tensor, seen as parts of several lengths one behind the other."""
    return self[...]


@primitive(view=True, self=lambda g: ops.views.alias(g))
def nested_get_values(self: Array) -> Array:
    """Parts of several lengths, seen as the one tensor that holds them."""
    return self[...]


@primitive(
    view=True, node="ValuesBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes: ops.views.view(g, self_sym_sizes),
)  # fmt: skip
def nested_values(self: Array) -> Array:
    """The numbers of all parts in a row."""
    return self.reshape(-1)


@primitive(
    view=True, siblings=True, node="UnbindBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes, sizes, axis: _together(g, self_sym_sizes, sizes, axis),
)  # fmt: skip
def nested_unbind(self: Array, sizes: Any, axis: int | None = 0) -> tuple[Array, ...]:
    """The parts of several lengths."""
    return _parts(self, sizes, axis)


@primitive(
    view=True, node="SelectBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes, index, sizes, axis: _together(
        [g if at == index else None for at in range(len(sizes))], self_sym_sizes, sizes, axis
    ),
)  # fmt: skip
def nested_select(self: Array, index: int, sizes: Any, axis: int | None = 0) -> Array:
    """One of the parts."""
    return _parts(self, sizes, axis)[index]


@primitive(
    view=True, node="ViewBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes: ops.reshaping.reshape(g, self_sym_sizes),
)  # fmt: skip
def nested_view(self: Array, size: Any) -> Array:
    """Parts of several lengths in another shape."""
    return self.reshape(size)


@primitive(
    view=True, siblings=True, node="ChunkBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes, lengths, dim: regrown(g, self_sym_sizes, lengths, dim),
)  # fmt: skip
def nested_chunk(self: Array, lengths: Any, dim: int) -> tuple[Array, ...]:
    """Pieces of these lengths along an axis that all parts have alike."""
    return pieces(self, lengths, dim)


@primitive(
    self=lambda g, self_sym_sizes, sizes, axis: nested_from_padded(g, sizes, self_sym_sizes, axis), rounding="exact",
)  # fmt: skip
def to_padded_tensor(self: Array, padding: Any, sizes: Any, output_size: Any, axis: int | None = 0) -> Array:
    """Parts side by side, each filled up to one size."""
    out = np.full(output_size, padding, self.dtype)
    for room, part in zip(out, _parts(self, sizes, axis), strict=True):
        both = _in_both(room, part)
        room[both] = part[both]
    return out


def _in_both(room: Array, part: Array) -> tuple[slice, ...]:
    """The places that a part and its room have in common: a part that is too long is cut off."""
    return tuple([slice(min(n, m)) for n, m in zip(room.shape, part.shape, strict=True)])


@primitive(
    self=lambda g, self_sym_sizes, sizes, axis: to_padded_tensor(g, 0, sizes, self_sym_sizes, axis), rounding="exact",
)  # fmt: skip
def nested_from_padded(self: Array, sizes: Any, size: Any, axis: int | None = 0) -> Array:
    """Parts that were filled up, without the filling."""
    out = zeros_of(size, self.dtype)
    for part, room in zip(_parts(out, sizes, axis), self, strict=True):
        both = _in_both(room, part)
        part[both] = room[both]
    return out


# -- what is added up ------------------------------------------------------------------------


@primitive(node="SumBackwardAutogradNestedTensor0", self=lambda g, self_sym_sizes: ops.sums.spread(g, self_sym_sizes))
def nested_sum(self: Array) -> Array:
    """The sum of all parts."""
    return ops.sums.sum_all.op.forward(self)


@primitive(
    node="MeanBackwardAutogradNestedTensor0",
    self=lambda g, self_sym_sizes, self_sym_numel: ops.sums.spread(g / self_sym_numel, self_sym_sizes),
)
def nested_mean(self: Array) -> Array:
    """The mean of all parts."""
    return ops.sums.mean_all.op.forward(self)


def _no_sum_backward(*given: Any) -> NoReturn:
    """PyTorch adds up axes of nested tensors, and knows no gradient of that."""
    raise EngineNotImplementedError("aten._nested_sum_backward.default")


def _no_mean_backward(*given: Any) -> NoReturn:
    raise EngineError("SymIntArrayRef expected to contain only concrete integers")


@primitive(node="SumBackwardAutogradNestedTensor1", fails=_no_sum_backward, self=shared)
def nested_sum_dim(self: Array, dim: Any, keepdim: bool = False) -> Array:
    """The sum along axes that all parts have alike."""
    return ops.sums.sum_dim.op.forward(self, dim, keepdim)


@primitive(node="SumBackwardAutogradNestedTensor1", fails=_no_sum_backward, self=shared)
def nested_sum_of_parts(self: Array, keepdim: bool, sizes: Any, room: Any, axis: int = 0) -> Array:
    """The sum of each part, filled up to a room, along the axis in which they differ."""
    filled = to_padded_tensor.op.forward(self, 0, sizes, room, axis)
    return ops.sums.sum_dim.op.forward(filled, (axis + 1,), keepdim)


@primitive(node="MeanBackward1", fails=_no_mean_backward, self=shared)
def nested_mean_of_parts(self: Array, keepdim: bool, sizes: Any, room: Any, axis: int = 0) -> Array:
    """The mean of each part, filled up to a room, along the axis in which they differ."""
    total = nested_sum_of_parts.op.forward(self, keepdim, sizes, room, axis)
    counts = np.array(_lengths(sizes, axis), total.dtype)
    return total / counts.reshape(-1, *(1,) * (total.ndim - 1))


# -- what multiplies the last axis -----------------------------------------------------------


def _flat(x: Value) -> Value:
    """A matrix of all rows of numbers along the last axis."""
    size = (x._a if isinstance(x, Tensor) else x).shape
    return ops.reshaping.reshape(x, (math.prod(size[:-1]), size[-1]))


def _turned(x: Value) -> Value:
    return ops.views.transpose(x, 0, 1)


@primitive(
    node="LinearBackward0",
    input=lambda g, weight, input_sym_sizes: ops.reshaping.reshape(ops.matmul.mm(_flat(g), weight), input_sym_sizes),
    weight=lambda g, input: ops.matmul.mm(_turned(_flat(g)), _flat(input)),
    bias=lambda g: ops.sums.sum_dim(_flat(g), (0,), False, None),
)
def nested_linear(input: Array, weight: Array, bias: Array) -> Array:
    """Linear layer of each part, input @ weight.T + bias."""
    return ops.addmm.addmm.op.forward(bias, _flat(input), weight.T).reshape(*input.shape[:-1], -1)


@primitive(
    node="LinearBackward0",
    input=lambda g, weight, input_sym_sizes: ops.reshaping.reshape(ops.matmul.mm(_flat(g), weight), input_sym_sizes),
    weight=lambda g, input: ops.matmul.mm(_turned(_flat(g)), _flat(input)),
)
def nested_linear_alone(input: Array, weight: Array) -> Array:
    """Linear layer of each part without a bias, input @ weight.T."""
    return ops.matmul.mm.op.forward(_flat(input), weight.T).reshape(*input.shape[:-1], -1)


@primitive(
    node="MatmulBackward0",
    self=lambda g, other, self_sym_sizes: ops.reshaping.reshape(
        ops.matmul.mm(_flat(g), _turned(other)), self_sym_sizes
    ),
    other=lambda g, self: ops.matmul.mm(_turned(_flat(self)), _flat(g)),
)
def nested_matmul(self: Array, other: Array) -> Array:
    """Product of each part and a matrix."""
    return ops.matmul.mm.op.forward(_flat(self), other).reshape(*self.shape[:-1], -1)
