"""Elements in another order or repeated, triangles and diagonals."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineNotImplementedError, EngineTypeError
from ... import ops
from ...call_errors import fail, only_ints, only_sizes, plain_number
from ...costs import ALWAYS, SQUARED, costs
from ...declaration import given_for_out
from ...dtypes import DTYPES, as_numpy, zeros_of
from ...memory.layout import axes_in_memory, in_order
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, made, result, wished
from ..common import axes, axis
from ..memory_order import laid_as

# -- order -------------------------------------------------------------------------------------


@primitive(self=lambda g, dims: flip(g, dims), rounding="exact", form="flipped")
def flip(self: Array, dims: Any) -> Array:
    """The elements in reverse order along axes."""
    n = self.ndim
    chosen = axes(dims, n) if dims else ()
    backwards = self[tuple([slice(None, None, -1) if i in chosen else slice(None) for i in range(n)])]
    if 0 in self.strides:
        return in_order(backwards.copy("C"), axes_in_memory([self.strides], self.shape))
    return backwards.copy("K")


@public("Tensor.flip")
def flip_method(input: Value, *dims: Any, **named: Any) -> Value:
    """The elements in reverse order along axes."""
    return flip(input, ops.reshaping.sizes("flip", "dims", ops.reshaping.one("flip", "dims", dims, named)))


@public("torch.flip")
def flip_function(input: Value, dims: Any) -> Value:
    """The elements in reverse order along axes."""
    return flip(input, ops.reshaping.sizes("flip", "dims", (dims,)))


@public("torch Tensor")
@composite
def fliplr(input: Value) -> Value:
    """The columns in reverse order."""
    if input.ndim < 2:
        fail("Input must be >= 2-d.")
    return flip(input, (1,))


@public("torch Tensor")
@composite
def flipud(input: Value) -> Value:
    """The rows in reverse order."""
    if input.ndim < 1:
        fail("Input must be >= 1-d.")
    return flip(input, (0,))


@primitive(
    self=lambda g, shifts, dims: roll(g, tuple([-s for s in reversed(shifts)]), tuple(reversed(dims))),
    rounding="exact", form="rolled",
)  # fmt: skip
def roll(self: Array, shifts: Any, dims: Any = ()) -> Array:
    """The elements moved along axes; those that leave at one end come in at the other."""
    if not shifts:
        fail("`shifts` required")
    if not dims and len(shifts) == 1:
        return _rolled(self.reshape(-1), shifts[0], 0).reshape(self.shape)
    if len(shifts) != len(dims):
        fail(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if self.ndim == 0:
        raise EngineIndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    rolled = self
    for shift, d in zip(shifts, dims, strict=True):
        rolled = _rolled(rolled, shift, axis(d, self.ndim))
    return laid_as(self, rolled if rolled.flags.c_contiguous else np.ascontiguousarray(rolled))


def _rolled(a: Array, shift: int, i: int) -> Array:
    """The elements moved along one axis."""
    n = a.shape[i] if a.ndim else 0
    if not n:
        return np.array(a)
    cut = n - shift % n
    lead = (slice(None),) * i
    return np.concatenate((a[(*lead, slice(cut, None))], a[(*lead, slice(cut))]), i)


@public("torch.roll Tensor.roll")
def roll_any(input: Value, shifts: Any, dims: Any = ()) -> Value:
    """The elements moved along axes; those that leave at one end come in at the other."""
    only_sizes("roll", shifts=shifts, places=(2,))
    dims = () if dims is None else dims
    return roll(input, _several(shifts), _several(dims))


def _several(x: Any) -> tuple[int, ...]:
    x = plain_number(x)
    return (x,) if isinstance(x, int) else tuple(x)


@public("torch Tensor")
@primitive(node="Rot90Backward0", self=lambda g, k, dims: rot90(g, -k, dims), form="along")
def rot90(self: Array, k: int = 1, dims: Any = (0, 1)) -> Array:
    """A plane of axes turned by quarter turns."""
    if type(k) is not int:
        only_ints("rot90", k=k, places=(2,))
    n = self.ndim
    if len(dims) != 2:
        fail(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        fail(f"expected total dims >= 2, but got total dims = {n}")
    i, j = axis(dims[0], n), axis(dims[1], n)
    if i == j:
        fail(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 1:
        return flip(self, (j,)).swapaxes(i, j)
    if k == 2:
        return flip(self, (i, j))
    if k == 3:
        return flip(self, (i,)).swapaxes(i, j)
    return self.copy("C")


# -- repetition --------------------------------------------------------------------------------


@primitive(
    self=lambda g, repeats, self_sym_sizes: _repeat_backward(g, repeats, self_sym_sizes),
    rounding="exact", form="repeated",
)
def repeat(self: Array, repeats: Any) -> Array:
    """Copies of a tensor side by side along each axis."""
    lead = len(repeats) - self.ndim
    if lead < 0:
        fail("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    size = (1,) * lead + self.shape
    whole = tuple([n * r for n, r in zip(size, repeats, strict=True)])
    if any(n < 0 for n in whole):
        fail(f"Trying to create tensor with negative dimension {builtins.min(whole)}: {list(whole)}")
    out = zeros_of(whole, self.dtype)
    # Each axis as two: which copy, and where in it.
    copies = out.reshape([m for n, r in zip(size, repeats, strict=True) for m in (r, n)])
    copies[...] = self.reshape([m for n in size for m in (1, n)])
    return out


def _repeat_backward(g: Value, repeats: Any, size: tuple[int, ...]) -> Value:
    """The gradient of repeat: the sum over the copies."""
    lead = len(repeats) - len(size)
    if 0 in repeats:
        z = zeros_of(size, g.dtype if not isinstance(g, Tensor) else g._a.dtype)
        return result(z) if isinstance(g, Tensor) else z
    for _ in range(lead):
        g = ops.sums.sum_dim(g, (0,), False)
    split: list[int] = []
    over: list[int] = []
    for n, r in zip(size, repeats[lead:], strict=True):
        if r != 1:
            over.append(len(split))
            split.append(r)
        split.append(n)
    return ops.sums.sum_dim(ops.views.reshape(g, tuple(split)), tuple(over), False) if over else g


@public("Tensor.repeat")
@costs("arranging.repeated")
def repeat_method(input: Value, *repeats: Any, **named: Any) -> Value:
    """Copies of a tensor side by side along each axis."""
    counts = ops.reshaping.one("repeat", "repeats", repeats, named)
    return repeat(input, ops.reshaping.sizes("repeat", "repeats", counts))


@public("torch.tile")
@costs("arranging.tiled")
@composite
def tile(input: Value, dims: Any) -> Value:
    """Copies of a tensor side by side along its last axes."""
    dims = ops.reshaping.sizes("tile", "dims", (dims,))
    return repeat(input, (1,) * (input.ndim - len(dims)) + dims)


@public("Tensor.tile")
@costs("arranging.tiled")
def tile_method(input: Value, *dims: Any, **named: Any) -> Value:
    """Copies of a tensor side by side along its last axes."""
    return tile(input, ops.reshaping.sizes("tile", "dims", ops.reshaping.one("tile", "dims", dims, named)))


@public("torch Tensor")
@costs("arranging.repeat_interleave", careful=ALWAYS)
@composite
def repeat_interleave(
    input: Value, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Value:
    """Each element several times, one after the other."""
    if repeats is None:
        return result(np.repeat(np.arange(input.numel()), _counts(input._a, output_size)))
    if dim is None:
        input = ops.reshaping.flatten(input)
        dim = 0
    i = axis(dim, input.ndim)
    if not isinstance(repeats, (Tensor, int)):
        raise EngineTypeError(
            f"repeat_interleave() received an invalid combination of arguments - got ({type(repeats).__name__}, "
            f"{type(dim).__name__})"
        )
    have = tuple(input.shape)
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            fail("Repeats must be non-negative")
        if output_size is not None and output_size != have[i] * repeats:
            fail(f"repeat_interleave: Invalid output_size, expected {have[i] * repeats} but got {output_size}")
        wide = ops.views.expand(ops.views.unsqueeze(input, i + 1), (*have[: i + 1], repeats, *have[i + 1 :]))
        return ops.reshaping.flatten(ops.converting.copied(wide, "contiguous_format"), i, i + 1)
    counts = _counts(repeats._a, output_size if repeats.numel() > 1 else None)
    if counts.size == 1:
        counts = np.broadcast_to(counts, (have[i],))
    if counts.size != have[i]:
        fail(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({i}) = {have[i]}"
        )
    return ops.index_select.index_select(input, i, result(np.repeat(np.arange(have[i]), counts)))


def _counts(a: Array, size: int | None) -> Array:
    """The number of times that each element is wanted; ``size`` is what they must come to, if that is said."""
    if a.dtype.kind != "i":
        kind = DTYPES[a.dtype].tensor_name
        raise EngineNotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{kind}'")
    if a.ndim > 1:
        fail("repeat_interleave only accept 1D vector as repeat")
    if (a < 0).any():
        fail("repeats can not be negative")
    if size is not None and size != a.sum():
        fail("allocated size does not match required size")
    return a


# -- triangles ---------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def _triangle(rows: int, columns: int, diagonal: int, lower: bool) -> Array:
    """Where a triangle is."""
    i, j = np.arange(rows)[:, None], np.arange(columns)
    return j <= i + diagonal if lower else j >= i + diagonal


def _part(name: str, a: Array, diagonal: int, lower: bool) -> Array:
    """A copy with zeros outside a triangle."""
    if a.ndim < 2:
        fail(f"{name}: input tensor must have at least 2 dimensions")
    out = zeros_of(a.shape, a.dtype)
    np.copyto(out, a, where=_triangle(*a.shape[-2:], diagonal, lower))
    return out


@public("torch Tensor Tensor_")
@primitive(self=lambda g, diagonal: tril(g, diagonal), rounding="exact", form="stacked")
def tril(self: Array, diagonal: int = 0) -> Array:
    """The lower triangle, with zeros above it."""
    if type(diagonal) is not int:
        only_ints("tril", diagonal=diagonal, places=(2,))
    return _part("tril", self, diagonal, True)


@public("torch Tensor Tensor_")
@primitive(self=lambda g, diagonal: triu(g, diagonal), rounding="exact", form="stacked")
def triu(self: Array, diagonal: int = 0) -> Array:
    """The upper triangle, with zeros below it."""
    if type(diagonal) is not int:
        only_ints("triu", diagonal=diagonal, places=(2,))
    return _part("triu", self, diagonal, False)


def _places(name: str, row: int, col: int, inside: Any, dtype: Any, device: Any) -> Tensor:
    for word, n in (("row", row), ("col", col)):
        if n < 0:
            fail(f"{word} must be non-negative, got{n}")
    i, j = np.nonzero(inside(np.arange(row)[:, None], np.arange(col)))
    kind = np.dtype(np.int64 if dtype is None else as_numpy(dtype))
    if kind.name not in ("int32", "int64"):
        raise EngineNotImplementedError(f"\"{name}\" not implemented for '{DTYPES[kind].tensor_name}'")
    return made(np.stack([i, j]).astype(kind), wished(device, False))


@public("torch")
@costs("making.triangle")
@composite
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The rows and columns of the lower triangle."""
    return _places("tril_indices", row, col, lambda i, j: j <= i + offset, dtype, device)


@public("torch")
@costs("making.triangle")
@composite
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The rows and columns of the upper triangle."""
    return _places("triu_indices", row, col, lambda i, j: j >= i + offset, dtype, device)


# -- diagonals ---------------------------------------------------------------------------------


@public("torch Tensor")
@costs("arranging.diag_embed", careful=SQUARED)
@primitive(self=lambda g, offset, dim1, dim2: ops.views.diagonal(g, offset, dim1, dim2), form="along_one_more")
def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """The last axis as a diagonal of two axes, with zeros around it."""
    if type(offset) is not int:
        only_ints("diag_embed", offset=offset)
    n = self.ndim + 1
    i, j = axis(dim1, n), axis(dim2, n)
    if i == j:
        fail(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    side = self.shape[-1] + builtins.abs(offset)
    size = list(self.shape[:-1])
    for k in sorted((i, j)):
        size.insert(k, side)
    out = zeros_of(size, self.dtype)
    out_diagonal = ops.views.diagonal(out, offset, i, j)
    out_diagonal[...] = self
    return out


@public("torch")
@primitive(
    node="DiagonalBackward0_copy",
    self=lambda g, self_sym_sizes, offset, dim1, dim2: ops.views.diagonal_backward(
        g, self_sym_sizes, offset, dim1, dim2
    ),
    form="along",
)
def diagonal_copy(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A copy of a diagonal of two axes, as the last axis."""
    if type(offset) is not int:
        only_ints("diagonal_copy", offset=offset)
    return ops.views.diagonal(self, offset, dim1, dim2).copy()


@public("torch Tensor")
@given_for_out()
@costs("arranging.diagonal_matrix", careful=SQUARED)
@composite
def diag(input: Value, diagonal: int = 0) -> Value:
    """The diagonal of a matrix, or the matrix with a diagonal."""
    if type(diagonal) is not int:
        only_ints("diag", diagonal=diagonal, places=(2,))
    n = input.ndim
    if n not in (1, 2):
        fail(f"diag(): Supports 1D or 2D tensors. Got {n}D")
    return diag_embed(input, diagonal) if n == 1 else diagonal_copy(input, diagonal)


@public("torch Tensor")
@costs("arranging.diagonal_matrix", careful=SQUARED)
@composite
def diagflat(input: Value, offset: int = 0) -> Value:
    """The matrix with all elements of a tensor on a diagonal."""
    return diag(ops.reshaping.ravel(input), offset)
