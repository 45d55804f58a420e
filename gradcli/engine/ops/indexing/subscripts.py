"""Indexing: what ``x[key]`` means, and reading and writing by tensors of indices.

A key has two parts. Integers, slices, None and Ellipsis make views; tensors, lists and truth values are
indices, which make a copy. ``resolve`` applies the first part and hands back the second.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineTypeError, EngineValueError
from ... import ops
from ...call_errors import fail, only_bools
from ...dtypes import DTYPES, full_of, zeros_of
from ...memory.layout import axes_in_memory, in_order
from ...modes import refuse_of_samples, watching
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value, as_array, constants, result
from ..common import unlike
from ..shape.padding import zeros

# The end of an open slice, as PyTorch keeps it.
END = 2**63 - 1

# Whole numbers that are no indices.
_NO_PLACES = frozenset(map(np.dtype, ("int8", "int16", "uint16", "uint32", "uint64")))
NO_INDICES = "tensors used as indices must be long, int, byte or bool tensors"
_NO_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)

Indices = Sequence[Any]

# -- the view part of a key --------------------------------------------------------------------


@public("Tensor.__getitem__")
def getitem(input: Tensor, key: Any) -> Any:
    """The part of a tensor at a key."""
    kind = type(key)
    if kind is int:
        return _select(input, 0, key, 0)
    if kind is slice:
        start, end, step = _bounds(key)
        return ops.views.slice_(input, 0, start, end, step)
    if kind is Tensor and key._a.ndim:
        return index(input, (_as_index(key),))
    view, indices = resolve(input, key)
    if indices is not None:
        return index(view, indices)
    return ops.views.alias(view) if view is input else view


def resolve(x: Tensor, key: Any) -> tuple[Tensor, tuple[Any, ...] | None]:
    """``x`` with the view part of a key applied, and the tensors of indices that are left, if any.

    The indices are listed by axis, None for an axis without one.
    """
    kind = type(key)
    if kind is int:
        return _select(x, 0, key, 0), None
    if kind is list and _is_several(key):
        warnings.warn(_NO_TUPLE, UserWarning, stacklevel=4)
        key, kind = tuple(key), tuple
    items = key if kind is tuple else (key,)
    n = x._a.ndim
    taken = 0
    for k in items:
        kind = type(k)
        if kind is not int and kind is not slice:
            items = [_item(k) for k in items]
            taken = sum([_span(k) for k in items])
            break
        taken += 1
    if taken > n:
        if type(key) is slice:
            raise EngineIndexError("slice() cannot be applied to a 0-dim tensor.")
        raise EngineIndexError(f"too many indices for tensor of dimension {n}")
    view: Any = x
    indices: list[Any] = []
    dim = 0
    # Axes that an index of more than one axis takes beyond the first.
    extra = 0
    for place, k in enumerate(items):
        kind = type(k)
        if kind is int:
            view = _select(view, dim, k, place)
        elif kind is slice:
            start, end, step = _bounds(k)
            if start or step != 1 or end < view._a.shape[dim]:
                view = ops.views.slice_(view, dim, start, end, step)
            dim += 1
        elif k is None:
            view = ops.views.unsqueeze(view, dim)
            dim += 1
        elif k is Ellipsis:
            dim += n - taken
        else:
            if kind is bool:
                view = ops.views.unsqueeze(view, dim)
                k = result(np.zeros(1 if k else 0, np.int64))
            indices.extend([None] * (dim - extra - len(indices)))
            indices.append(k)
            wide = _span(k) if kind is not bool else 1
            dim += wide
            extra += wide - 1
    return view, tuple(indices) if indices else None


def _select(x: Any, dim: int, at: int, place: int) -> Any:
    """The part at one place of an axis; ``place`` is where the index stands in the key."""
    try:
        return ops.views.select(x, dim, at)
    except EngineIndexError:
        pass
    size = x._a.shape
    if not size:
        raise EngineIndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim tensor to a number"
        )
    if not -END <= at <= END:
        raise EngineValueError("Overflow when unpacking long long")
    there = dim < len(size)
    raise EngineIndexError(
        f"index {at} is out of bounds for dimension {place if there else dim} with size {size[dim] if there else 0}"
    )


def _bounds(key: slice) -> tuple[int, int, int]:
    """Start, end and step of a slice, as PyTorch keeps them."""
    try:
        step = 1 if key.step is None else operator.index(key.step)
        start = 0 if key.start is None else operator.index(key.start)
        end = END if key.stop is None else operator.index(key.stop)
    except TypeError:
        raise EngineTypeError("slice indices must be integers or None or have an __index__ method") from None
    if step == 0:
        raise EngineValueError("slice step cannot be zero")
    if step < 0:
        raise EngineValueError("step must be greater than zero")
    return start, end, step


def _is_several(key: list[Any]) -> bool:
    """Tell whether a list is read as a tuple: it holds more than numbers."""
    return len(key) < 32 and any(
        k is None or k is Ellipsis or isinstance(k, (Tensor, slice, list, tuple, np.ndarray)) for k in key
    )


def _item(k: Any) -> Any:
    """One item of a key: an int, a slice, None, Ellipsis, a bool or a tensor of indices."""
    kind = type(k)
    if kind is int or kind is slice or k is None or k is Ellipsis or kind is bool:
        return k
    if isinstance(k, Tensor):
        a = k._a
        if a.ndim == 0 and a.dtype.kind in "iub" and not (watching() and _of_sample(k)):
            return bool(a) if a.dtype.kind == "b" or a.dtype == np.uint8 else int(a)
        return _as_index(k)
    if isinstance(k, (np.integer, np.bool_)):
        return k.item()
    if isinstance(k, np.ndarray):
        return _item(result(k))
    if isinstance(k, (list, tuple, range)):
        a = as_array(list(k))
        return result(a if a.size and a.dtype.kind in "ib" else a.astype(np.int64))
    if isinstance(k, str):
        raise EngineTypeError("new(): invalid data type 'str'")
    raise EngineIndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
        f"{kind.__name__})"
    )


def _of_sample(k: Tensor) -> bool:
    """Tell whether an index is another one for each sample of a vmap: it is no number then."""
    return any(watch.depends(k) for watch in watching())


def _as_index(k: Tensor) -> Tensor:
    d = k._a.dtype
    if d.kind not in "iub" or d in _NO_PLACES:
        raise EngineIndexError(NO_INDICES)
    if k._a.dtype == np.uint8:
        warnings.warn(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
            UserWarning,
            stacklevel=4,
        )
    if watching() and _is_mask(k._a):
        refuse_of_samples(
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
            "indexing with a boolean mask.", k,
        )  # fmt: skip
    return k


def _span(k: Any) -> int:
    """The number of axes that an item takes."""
    if isinstance(k, Tensor):
        return k._a.ndim if _is_mask(k._a) else 1
    return 0 if k is None or k is Ellipsis or type(k) is bool else 1


# -- reading -----------------------------------------------------------------------------------


def _is_mask(a: Array) -> bool:
    return bool(a.dtype.kind == "b" or a.dtype == np.uint8)


def places(size: tuple[int, ...], indices: Indices, known: bool = False) -> tuple[Any, ...]:
    """The key that NumPy reads and writes by: masks as integers, every index checked unless it is known to fit."""
    if known and not any(a is not None and _is_mask(a) for a in indices):
        return tuple([slice(None) if a is None else a for a in indices])
    key: list[Any] = []
    found: list[tuple[Array, int]] = []
    dim = 0
    for a in indices:
        if a is None:
            key.append(slice(None))
            dim += 1
            continue
        if _is_mask(a):
            if len(size) < dim + a.ndim:
                raise _too_many(size, dim + a.ndim)
            for j, n in enumerate(a.shape):
                if n != size[dim + j]:
                    raise EngineIndexError(
                        f"The shape of the mask {list(a.shape)} at index {j} does not match the shape of the "
                        f"indexed tensor {list(size)} at index {dim + j}"
                    )
            parts: Sequence[Array] = np.nonzero(a) if a.ndim else ()
        elif a.dtype.kind not in "iu" or a.dtype in _NO_PLACES:
            raise EngineIndexError(NO_INDICES)
        else:
            if len(size) <= dim:
                raise _too_many(size, len(indices))
            parts = (a,)
        key.extend(parts)
        found.extend(zip(parts, size[dim:], strict=False))
        dim += len(parts)
    if len(found) > 1 and any(a.shape != found[0][0].shape for a, _ in found):
        try:
            np.broadcast(*[a for a, _ in found])
        except ValueError:
            shapes = ", ".join(str(list(a.shape)) for a, _ in found)
            raise EngineIndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
    for nth, (a, n) in enumerate(found):
        if a.size and not (-n <= a.min() and a.max() < n):
            wrong = a[(a < -n) | (a >= n)].flat[0] if a.ndim else a
            raise EngineIndexError(f"index {wrong} is out of bounds for dimension {nth} with size {n}")
    return tuple(key)


def _too_many(size: tuple[int, ...], given: int) -> EngineIndexError:
    return EngineIndexError(f"too many indices for tensor of dimension {len(size)} (got {given})")


@primitive(
    lists=("indices",),
    self=lambda g, self_sym_sizes, indices: index_backward(g, self_sym_sizes, indices),
    rounding="exact",
    form="trailing",
)
def index(self: Array, indices: Any) -> Array:
    """The elements at tensors of indices."""
    one = indices[-1]
    plain = self.flags.c_contiguous
    if plain and len(indices) == 1 and self.ndim:
        try:
            kind = one.dtype.kind
            if kind == "i":
                return self.take(one, 0)
            if kind == "b" and one.ndim == self.ndim:
                return self[one]
        except IndexError:
            pass
    key = places(self.shape, indices)
    if plain and len(key) == len(indices) == sum(a is None for a in indices) + 1 and self.size:
        return self.take(key[-1], len(key) - 1)
    r = self[key]
    if r.ndim > 1:
        # NumPy cares little for the strides of axes of length 0 or 1.
        r = _laid_out(r, self, key) if 0 not in r.shape else zeros_of(r.shape, r.dtype)
        return r.reshape(-1).reshape(r.shape) if 1 in r.shape and r.flags.c_contiguous else r
    return r


def _laid_out(r: Array, a: Array, key: tuple[Any, ...]) -> Array:
    """``r`` with its axes in memory as PyTorch has them: by the strides of what was read, then of the indices."""
    at = [i for i, k in enumerate(key) if not isinstance(k, slice)]
    wide = np.broadcast(*[key[i] for i in at]).ndim if len(at) > 1 else key[at[0]].ndim
    others = [a.strides[i] for i in range(a.ndim) if i not in at]
    before = at[0] if at[-1] - at[0] == len(at) - 1 else 0
    lead, tail = others[:before], others[before:]
    strides = [[*lead, *[0] * wide, *tail]]
    for i in at:
        k = key[i]
        own = [0] * (wide - k.ndim) + [s if n > 1 else 0 for s, n in zip(k.strides, k.shape, strict=True)]
        strides.append([0] * len(lead) + own + [0] * len(tail))
    return in_order(r, axes_in_memory(strides, r.shape))


def index_backward(g: Value, size: Any, indices: Indices) -> Value:
    """The gradient of reading by indices: zeros, with every share added to the place that it was read from."""
    if not isinstance(g, Tensor):
        out = zeros_of(size, g.dtype)
        if len(indices) == 1 and indices[0].dtype.kind == "b":
            out[indices[0]] = g
        else:
            add_at(out, places(size, indices, True), g)
        return out
    return ops.matmul.written(index_put_impl(constants(zeros_of(size, g._a.dtype)), indices, g, True))


# -- writing -----------------------------------------------------------------------------------


def _of_its_type(self: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    """Values in the element type that they are written into; one number under a mask may be of any."""
    if not unlike(values, self):
        return values
    given = [i for i in indices if i is not None]
    if values.size != 1 or accumulate or len(given) != 1 or given[0].dtype.kind != "b":
        fail(
            "Index put requires the source and destination dtypes match, got "
            f"{DTYPES[self.dtype].tensor_name} for the destination and {DTYPES[values.dtype].tensor_name} for the "
            "source."
        )
    return full_of(values.shape, ops.filled.fitted(values.item(), self.dtype), self.dtype)


def _index_put(out: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    """Write ``values`` into ``out``."""
    if values.dtype.kind == "c" and values.dtype != out.dtype:
        out = out.astype(values.dtype)
    key = places(out.shape, indices)
    if accumulate:
        add_at(out, key, values)
        return out
    try:
        out[key] = values
        fits = True
    except ValueError:
        fits = False
    if not fits or values.ndim > out.ndim:
        got = out[key].shape
        if not fits or values.ndim > len(got):
            fail(
                f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result "
                f"of shape {list(got)}"
            )
    return out


# From this many elements on, NumPy is several times faster with one index into flat memory.
MANY = 2000


def add_at(out: Array, key: Any, values: Array) -> None:
    """Add values to the elements of ``out`` at a key; to an element that is named twice, twice."""
    if values.size < MANY or not out.flags.c_contiguous:
        np.add.at(out, key, values)
        return
    where = key if out.ndim == 1 and isinstance(key, np.ndarray) else _flat_places(out.shape, key)
    if values.shape != where.shape:
        values = np.broadcast_to(values, where.shape)
    np.add.at(out.reshape(-1), where.reshape(-1), values.reshape(-1))


def _flat_places(size: tuple[int, ...], key: Any) -> Array:
    """Where the elements at a key lie, counted in row-major order."""
    keys = key if isinstance(key, tuple) else (key,)
    at = [i for i, k in enumerate(keys) if not isinstance(k, slice)]
    if len(at) > 1:
        return np.arange(math.prod(size)).reshape(size)[key]
    # Whole slices along one axis.
    (i,) = at
    n, width = size[i], math.prod(size[i + 1 :])
    index = keys[i]
    if index.size and index.min() < 0:
        index = np.where(index < 0, index + n, index)
    places = index.reshape(-1, 1) * width + np.arange(width)
    before = math.prod(size[:i])
    if before > 1:
        places = (np.arange(before) * (n * width)).reshape(-1, 1, 1) + places
    return places.reshape((*size[:i], *index.shape, *size[i + 1 :]))


def _unwritten(g: Value, indices: Indices, values: tuple[Any, Any], accumulate: bool) -> Value:
    """The gradient for what was written into: nothing comes from where it was written over."""
    return g if accumulate else index_put(g, indices, zeros(values, g), False)


@public("torch Tensor Tensor_ torch_")
@primitive(
    lists=("indices",),
    broadcasts=True,
    self=lambda g, indices, values_like, accumulate: _unwritten(g, indices, values_like, accumulate),
    values=lambda g, indices: index(g, indices),
    form="masked",
)
def index_put(self: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    """A copy with values written, or added, at tensors of indices."""
    if type(accumulate) is not bool:
        only_bools("index_put", accumulate=accumulate)
    return _index_put(np.array(self), indices, _of_its_type(self, indices, values, accumulate), accumulate)


@primitive(
    lists=("indices",),
    broadcasts=True,
    node="IndexPutImplBackward0",
    self=lambda g, indices, values_like, accumulate: _unwritten(g, indices, values_like, accumulate),
    values=lambda g, indices: index(g, indices),
    form="masked",
)
def index_put_impl(self: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    """A copy with values written, or added, as the backward of reading does it."""
    return _index_put(np.array(self), indices, _of_its_type(self, indices, values, accumulate), accumulate)
