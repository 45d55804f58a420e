"""Tensors taken apart."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError
from ... import dtypes, ops
from ...call_errors import fail, no_overload
from ...costs import costs
from ...declaration import in_python
from ...dtypes import zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants
from ..common import axis


@public("torch Tensor")
@costs("arranging.unbound")
@primitive(view=True, siblings=True, self=lambda g, dim: stacked(g, dim), form="along")
def unbind(self: Array, dim: int = 0) -> tuple[Array, ...]:
    """The parts at each place of an axis."""
    n = self.ndim
    i = axis(dim, n)
    if n == 0:
        raise EngineIndexError("Dimension specified as 0 but tensor has no dimensions")
    if i:
        self = np.moveaxis(self, i, 0)
    return tuple(self) if n > 1 else tuple([self[k, ...] for k in range(len(self))])


def stacked(g: Sequence[Value | None], dim: int) -> Value:
    """The gradient of unbind: its shares, zero where none arrived."""
    some = next(x for x in g if x is not None)
    if isinstance(some, Tensor):
        return ops.joining.stack([_zeros(some._a.shape, some) if x is None else x for x in g], dim)
    d = axis(dim, some.ndim + 1)
    size = (*some.shape[:d], len(g), *some.shape[d:])
    out = zeros_of(size, some.dtype)
    parts = np.moveaxis(out, d, 0) if d else out
    for i, x in enumerate(g):
        if x is not None:
            parts[i] = x
    return out


def _zeros(size: tuple[int, ...], like: Tensor) -> Tensor:
    return constants(zeros_of(size, like._a.dtype))


@primitive(
    view=True,
    siblings=True,
    self=lambda g, self_sym_sizes, split_size, dim: regrown(
        g, self_sym_sizes, lengths(self_sym_sizes, dim, split_size), dim
    ),
    form="along",
)
def split(self: Array, split_size: int, dim: int = 0) -> tuple[Array, ...]:
    """Pieces of one length along an axis, the last one shorter if need be."""
    if self.ndim == 0:
        fail("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        fail(f"split expects split_size be non-negative, but got split_size={split_size}")
    i = axis(dim, self.ndim)
    if split_size == 0 and self.shape[i]:
        fail(f"split_size can only be 0 if dimension size is 0, but got dimension size of {self.shape[i]}")
    return pieces(self, lengths(self.shape, i, split_size), i)


@public("torch Tensor")
@primitive(
    view=True,
    siblings=True,
    self=lambda g, self_sym_sizes, split_sizes, dim: regrown(g, self_sym_sizes, split_sizes, dim),
    form="along",
)
def split_with_sizes(self: Array, split_sizes: Any, dim: int = 0) -> tuple[Array, ...]:
    """Pieces of given lengths along an axis."""
    if self.ndim == 0:
        fail("split expects at least a 1-dimensional tensor")
    i = axis(dim, self.ndim)
    if any(n < 0 for n in split_sizes):
        fail(
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes="
            f"{list(split_sizes)}"
        )
    if builtins.sum(split_sizes) != self.shape[i]:
        fail(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[i]} (input tensor's size at "
            f"dimension {i}), but got split_sizes={list(split_sizes)}"
        )
    return pieces(self, split_sizes, i)


def lengths(size: tuple[int, ...], dim: int, split_size: int) -> list[int]:
    """The lengths of the pieces of one length along an axis, the last one shorter if need be."""
    have = size[dim]
    if split_size == 0:
        return [0]
    whole, rest = divmod(have, split_size)
    return [split_size] * whole + ([rest] if rest or not have else [])


def pieces(a: Array, lengths: Sequence[int], i: int) -> tuple[Array, ...]:
    """The parts of these lengths along an axis."""
    before = (slice(None),) * i
    parts = []
    at = 0
    for n in lengths:
        parts.append(a[(*before, slice(at, at + n))])
        at += n
    return tuple(parts)


def regrown(g: Sequence[Value | None], size: tuple[int, ...], lengths: Sequence[int], dim: int) -> Value:
    """The gradient of a split: its shares joined again, zero where none arrived."""
    some = next(x for x in g if x is not None)
    i = axis(dim, len(size))
    if isinstance(some, Tensor):
        return ops.joining.cat(
            [_zeros((*size[:i], n, *size[i + 1 :]), some) if x is None else x for x, n in zip(g, lengths, strict=True)],
            i,
        )
    out = zeros_of(size, some.dtype)
    for part, x in zip(pieces(out, lengths, i), g, strict=True):
        if x is not None:
            part[...] = x
    return out


@in_python
@public("torch.split")
@costs("arranging.split")
def split_tensor(tensor: Value, split_size_or_sections: Any, dim: int = 0) -> tuple[Value, ...]:
    """Pieces of one length, or of given lengths, along an axis."""
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, tuple(split_size_or_sections), dim)  # type: ignore[no-any-return]
    if ops.filled.index_of(split_size_or_sections) is None:
        raise EngineTypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
            f"{type(split_size_or_sections).__name__}"
        )
    return split(tensor, int(split_size_or_sections), dim)  # type: ignore[no-any-return]


@in_python
@public("Tensor.split")
@costs("arranging.split_method")
def split_method(input: Value, split_size: Any, dim: int = 0) -> tuple[Value, ...]:
    """Pieces of one length, or of given lengths, along an axis."""
    return split_tensor(input, split_size, dim)  # type: ignore[no-any-return]


@public("torch Tensor")
@costs("arranging.chunk")
@composite
def chunk(input: Value, chunks: int, dim: int = 0) -> tuple[Value, ...]:
    """A number of pieces of equal length along an axis."""
    length = chunk_length(input, chunks, dim)
    if length == 0:
        return split_with_sizes(input, (0,) * chunks, dim)  # type: ignore[no-any-return]
    return split(input, length, dim)  # type: ignore[no-any-return]


def chunk_length(input: Value, chunks: int, dim: int) -> int:
    """The length of each of a number of pieces of an axis."""
    if input.ndim == 0:
        fail("chunk expects at least a 1-dimensional tensor")
    if ops.filled.whole_number("chunk", "chunks", 2, chunks) <= 0:
        fail(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    have: int = input.shape[axis(dim, input.ndim)]
    return -(-have // chunks)


@public("torch Tensor")
@costs("arranging.tensor_split")
@composite
def tensor_split(
    input: Value, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None
) -> tuple[Value, ...]:
    """A number of pieces of nearly equal length, or the pieces between given places."""
    given = next((x for x in (indices_or_sections, indices, sections) if x is not None), None)
    if given is None:
        raise no_overload("tensor_split", input)
    _check_places("tensor_split", input, given)
    if input.ndim == 0:
        fail("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    i = axis(dim, input.ndim)
    have = input.shape[i]
    if isinstance(given, Tensor):
        if given.ndim > 1:
            fail(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
                f"tensor, but got a tensor with {given.ndim} dims"
            )
        if given.dtype is not dtypes.int64:
            fail(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{given.dtype.tensor_name}"
            )
        given = given.tolist()
    if isinstance(given, int):
        if given <= 0:
            fail(f"number of sections must be larger than 0, got {given}")
        least, longer = divmod(have, given)
        ends = [least * k + min(k, longer) for k in range(given + 1)]
        return tuple([ops.views.slice_(input, i, s, e, 1) for s, e in itertools.pairwise(ends)])
    places = list(given or ())
    return tuple([ops.views.slice_(input, i, s, e, 1) for s, e in zip([0, *places], [*places, have], strict=True)])


@public("torch Tensor")
@costs("arranging.split_axis")
@composite
def hsplit(
    input: Value, *indices_or_sections: Any, indices: Any = None, sections: Any = None
) -> tuple[Value, ...]:
    """tensor_split along the second axis, or the first if there is but one."""
    given = _given("hsplit", indices_or_sections, indices, sections)
    return _divided("hsplit", input, given, 0 if input.ndim == 1 else 1, 1)


@public("torch Tensor")
@costs("arranging.split_axis")
@composite
def vsplit(
    input: Value, *indices_or_sections: Any, indices: Any = None, sections: Any = None
) -> tuple[Value, ...]:
    """tensor_split along the first axis."""
    return _divided("vsplit", input, _given("vsplit", indices_or_sections, indices, sections), 0, 2)


@public("torch Tensor")
@costs("arranging.split_axis")
@composite
def dsplit(
    input: Value, *indices_or_sections: Any, indices: Any = None, sections: Any = None
) -> tuple[Value, ...]:
    """tensor_split along the third axis."""
    return _divided("dsplit", input, _given("dsplit", indices_or_sections, indices, sections), 2, 3)


def _given(name: str, placed: tuple[Any, ...], indices: Any, sections: Any) -> Any:
    """The places or the number of pieces that a call names: one after the other, in a list, or by name."""
    named = [x for x in (indices, sections) if x is not None]
    if len(named) + bool(placed) != 1:
        raise no_overload(name, *placed, *named)
    if named:
        return named[0]
    return placed[0] if len(placed) == 1 else placed


def _check_places(name: str, input: Value, given: Any) -> None:
    """Refuse what is neither a number of pieces nor the places between them."""
    if not isinstance(given, Tensor):
        places = given if isinstance(given, (list, tuple)) else () if given is None else (given,)
        if any(ops.filled.index_of(place) is None for place in places):
            raise no_overload(name, input, given)


def _divided(name: str, input: Value, given: Any, dim: int, rank: int) -> tuple[Value, ...]:
    _check_places(name, input, given)
    if input.ndim < rank:
        fail(
            f"torch.{name} requires a tensor with at least {rank} dimension, but got a tensor with {input.ndim} "
            "dimensions!"
        )
    if isinstance(given, int) and given > 0 and input.shape[dim] % given:
        fail(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{input.shape[dim]} is not divisible by the split_size {given}!"
        )
    return tensor_split(input, given, dim)  # type: ignore[no-any-return]
