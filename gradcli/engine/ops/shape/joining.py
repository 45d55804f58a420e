"""Tensors put together."""

from __future__ import annotations

import builtins
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import fail, only_bools, only_ints
from ...costs import ALWAYS, SQUARED, costs
from ...declaration import reads_elsewhere
from ...dtypes import BF16, default, promote, zeros_of
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..common import axis
from ..memory_order import is_channels_last, laid_as


def _alike(arrays: Sequence[Array]) -> Sequence[Array]:
    """The arrays in their common dtype."""
    d = arrays[0].dtype
    if all(a.dtype is d for a in arrays):
        return arrays
    d = promote(*arrays)
    return [a.astype(d) for a in arrays]


def _is_skipped(size: tuple[int, ...]) -> bool:
    """An empty tensor with one axis may be joined to anything."""
    return size == (0,)


def _wrapped(dim: int, sizes: Sequence[tuple[int, ...]]) -> int:
    """The axis that ``dim`` means, by the first tensor that counts."""
    for s in sizes:
        if not _is_skipped(s):
            return axis(dim, len(s))
    return 0


@primitive(
    autocast="widest",
    lists=("tensors",),
    tensors=lambda g, dim, tensors_args_sizes: cut(g, dim, tensors_args_sizes),
    rounding="exact",
    form="joined",
)
def cat(tensors: Any, dim: int = 0) -> Array:
    """Tensors joined along an axis."""
    try:
        r = np.concatenate(tensors, dim)
        # An array of bfloat16 among others would make all of them such ones.
        if r.dtype is tensors[0].dtype and (r.dtype is not BF16 or all(a.dtype is BF16 for a in tensors)):
            if r.ndim > 3 and not tensors[0].flags.c_contiguous and all(map(is_channels_last, tensors)):
                return laid_as(tensors[0], r)
            return r if r.flags.c_contiguous else np.ascontiguousarray(r)
    except ValueError:
        pass
    return np.ascontiguousarray(_joined(tensors, dim))


def _joined(tensors: Sequence[Array], dim: int) -> Array:
    """The rare cases: tensors of several dtypes, tensors to be skipped, and sizes that do not match."""
    if len(tensors) == 0:
        raise EngineValueError("torch.cat(): expected a non-empty list of Tensors")
    _check_tensors(tensors)
    arrays = _alike(tensors)
    for i, a in enumerate(arrays):
        if a.ndim == 0:
            fail(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    kept = [(i, a) for i, a in enumerate(arrays) if not _is_skipped(a.shape)]
    if not kept:
        return arrays[0].copy()
    first = kept[0][1]
    d = axis(dim, first.ndim)
    for i, a in kept[1:]:
        if a.ndim != first.ndim:
            fail(f"Tensors must have same number of dimensions: got {first.ndim} and {a.ndim}")
        for k in range(first.ndim):
            if k != d and a.shape[k] != first.shape[k]:
                fail(
                    f"Sizes of tensors must match except in dimension {d}. Expected size {first.shape[k]} but got "
                    f"size {a.shape[k]} for tensor number {i} in the list."
                )
    return np.concatenate([a for _, a in kept], d)


def cut(g: Value, dim: int, sizes: Sequence[tuple[int, ...]]) -> list[Value]:
    """``g`` in pieces of these sizes."""
    d = _wrapped(dim, sizes)
    pieces: list[Value] = []
    at = 0
    raw = not isinstance(g, Tensor)
    before = (slice(None),) * d
    for s in sizes:
        if _is_skipped(s):
            pieces.append(zeros_of(s, g.dtype) if raw else constants(zeros_of(s, g._a.dtype)))
            continue
        n = s[d]
        if raw:
            pieces.append(g[(*before, slice(at, at + n))])
        else:
            pieces.append(ops.views.slice_(g, d, at, at + n, 1))
        at += n
    return pieces


def _check_list(name: str, tensors: Any) -> None:
    if not isinstance(tensors, (tuple, list)):
        raise EngineTypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    # Looked at one by one where there are others than plain tensors.
    if {*map(type, tensors)} != _PLAIN:
        _check_tensors(tensors)


_PLAIN = {Tensor}


def _check_tensors(tensors: Sequence[Any]) -> None:
    for i, t in enumerate(tensors):
        if not isinstance(t, (Tensor, np.ndarray, np.generic)):
            raise EngineTypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")


def _listed(name: str, tensors: Any) -> list[Any]:
    """The tensors to be joined, there being some."""
    _check_list(name, tensors)
    if not tensors:
        fail(f"{name} expects a non-empty TensorList")
    return list(tensors)


@public("torch.cat torch.concat torch.concatenate")
@reads_elsewhere
@costs("arranging.joined")
def cat_tensors(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Value:
    """Tensors joined along an axis."""
    _check_list("cat", tensors)
    return cat(tensors, dim if axis is None else axis)


@primitive(
    autocast="widest",
    lists=("tensors",),
    tensors=lambda g, dim, tensors_args_sizes: [ops.views.select(g, dim, i) for i in range(len(tensors_args_sizes))],
    rounding="exact",
    form="joined_anew",
)
def stack(tensors: Any, dim: int = 0) -> Array:
    """Tensors of one shape joined along a new axis."""
    if not tensors:
        fail("stack expects a non-empty TensorList")
    if not dim:
        try:
            r = np.array(tensors)
            if r.dtype is tensors[0].dtype:
                return r
        except ValueError:
            pass
    _check_tensors(tensors)
    arrays = _alike(tensors)
    size = arrays[0].shape
    n = len(size)
    d = axis(dim, n + 1)
    for i, a in enumerate(arrays):
        if a.shape != size:
            fail(
                f"stack expects each tensor to be equal size, but got {list(size)} at entry 0 and {list(a.shape)} "
                f"at entry {i}"
            )
    if d == n:
        r = np.concatenate([a[..., None] for a in arrays], d)
    else:
        # Joined along the axis that follows the new one, then that axis is split in two.
        r = np.concatenate(arrays, d).reshape((*size[:d], len(arrays), *size[d:]))
    return np.ascontiguousarray(r)


@public("torch.stack")
@costs("arranging.joined")
def stack_tensors(tensors: Any, dim: int = 0) -> Value:
    """Tensors of one shape joined along a new axis."""
    _check_list("stack", tensors)
    return stack(tensors, dim)


@public("torch")
@costs("arranging.joined")
@composite
def hstack(tensors: Any) -> Value:
    """Tensors side by side: along the second axis, or the first if there is but one."""
    rows = ops.reshaping.atleast_1d(_listed("hstack", tensors))
    return cat(list(rows), 0 if rows[0].ndim == 1 else 1)


@public("torch torch.row_stack")
@costs("arranging.joined")
@composite
def vstack(tensors: Any) -> Value:
    """Tensors one below the other."""
    return cat(list(ops.reshaping.atleast_2d(_listed("vstack", tensors))), 0)


@public("torch")
@costs("arranging.joined")
@composite
def dstack(tensors: Any) -> Value:
    """Tensors one behind the other, along the third axis."""
    return cat(list(ops.reshaping.atleast_3d(_listed("dstack", tensors))), 2)


@public("torch")
@costs("arranging.joined")
@composite
def column_stack(tensors: Any) -> Value:
    """Tensors side by side, those with one axis as columns."""
    columns = [
        ops.views.reshape(t, (math.prod(t.shape), 1)) if t.ndim <= 1 else t for t in _listed("column_stack", tensors)
    ]
    return cat(columns, 1)


@primitive(lists=("tensors",), broadcasts=True, tensors=lambda g, tensors_args_sizes: _blocks(g, tensors_args_sizes))
def block_diag(tensors: Any) -> Array:
    """Matrices along the diagonal of one."""
    arrays = _alike(tensors)
    corners = [_two_axes(a.shape) for a in arrays]
    out = zeros_of([builtins.sum(c[k] for c in corners) for k in (0, 1)], arrays[0].dtype)
    i = j = 0
    for a, (rows, columns) in zip(arrays, corners, strict=True):
        out[i : i + rows, j : j + columns] = a
        i, j = i + rows, j + columns
    return out


def _two_axes(size: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * (2 - len(size)) + tuple(size)


def _blocks(g: Value, sizes: Sequence[tuple[int, ...]]) -> list[Value]:
    """The gradient of block_diag: its blocks."""
    blocks: list[Value] = []
    i = j = 0
    for size in sizes:
        rows, columns = _two_axes(size)
        block = ops.views.slice_(ops.views.slice_(g, 0, i, i + rows, 1), 1, j, j + columns, 1)
        for _ in range(2 - len(size)):
            block = ops.views.squeeze_dim(block, -1)
        blocks.append(block)
        i, j = i + rows, j + columns
    return blocks


@public("torch.block_diag")
@costs("arranging.block_diag", careful=SQUARED)
def block_diag_tensors(*tensors: Any) -> Value:
    """Matrices along the diagonal of one."""
    if not tensors:
        return result(np.zeros((1, 0), default.float))
    _check_tensors(tensors)
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            fail(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.ndim} dimensions")
    return block_diag(list(tensors))


# -- grids -------------------------------------------------------------------------------------


@public("torch")
@costs("arranging.grid", careful=ALWAYS)
@composite
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Value, ...]:
    """Each vector along an axis of its own, repeated along those of the others."""
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=3,
        )
    if not given:
        fail("meshgrid expects a non-empty TensorList")
    _check_tensors(given)
    for t in given:
        if t.ndim > 1:
            fail(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
    if any(t.dtype != given[0].dtype for t in given):
        fail("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        fail(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(given) >= 2
    if swap:
        given[:2] = given[1::-1]
    n = len(given)
    size = tuple([int(t.numel()) for t in given])
    spread = [(1,) * i + (size[i],) + (1,) * (n - 1 - i) for i in range(n)]
    grids = [ops.views.expand(ops.views.view(t, s), size) for t, s in zip(given, spread, strict=True)]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


@public("torch")
@costs("arranging.grid", careful=ALWAYS)
@composite
def cartesian_prod(*tensors: Any) -> Value:
    """All ways to pick one element from each vector."""
    _check_tensors(tensors)
    for t in tensors:
        if t.ndim != 1:
            fail(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([ops.reshaping.flatten(t) for t in meshgrid(*tensors, indexing="ij")], 1)


@public("torch")
@costs("arranging.combinations", careful=ALWAYS)
@composite
def combinations(input: Value, r: int = 2, with_replacement: bool = False) -> Value:
    """All ways to pick ``r`` elements of a vector."""
    if type(r) is not int:
        only_ints("combinations", r=r)
    if type(with_replacement) is not bool:
        only_bools("combinations", with_replacement=with_replacement)
    if input.ndim != 1:
        fail(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        fail(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return constants(zeros_of(0, input._a.dtype))
    grids = meshgrid(*[input] * r, indexing="ij")
    places = np.indices((len(input),) * r)
    before, after = places[:-1], places[1:]
    mask = result(((before <= after) if with_replacement else (before < after)).all(0))
    return stack([ops.masked.masked_select(t, mask) for t in grids], 1)
