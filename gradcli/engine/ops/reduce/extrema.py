"""Largest and smallest: of all elements, along axes, and where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineIndexError
from ... import ops
from ...call_errors import fail, is_value, no_overload
from ...declaration import given_for_out
from ...dtypes import zeros_of
from ...numeric.common import quiet
from ...registry import composite, constant, primitive, public
from ...tensor import Array, Tensor, Value, result as wrapped
from ..common import axis, eq, re
from ..matrix.matmul import written
from ..named_results import named_result
from .sums import ALL, along, blank, dims, named, one, restored

highest, lowest = np.maximum.reduce, np.minimum.reduce

MaxResult = named_result("max", "values", "indices")
MinResult = named_result("min", "values", "indices")
AminmaxResult = named_result("aminmax", "min", "max")


# -- what reductions to one element share ----------------------------------------------------


def along_axis(a: Array, dim: int, places: Array) -> Array:
    """The elements of ``a`` at ``places`` along an axis; both have the same axes."""
    n = a.ndim
    if n == 0:
        return a
    if n == 1:
        return a[places]
    mesh: list[Any] = []
    for d in range(n):
        mesh.append(places if d == dim else np.arange(places.shape[d]).reshape((-1,) + (1,) * (n - d - 1)))
    return a[tuple(mesh)]


def selected_backward(g: Value, dim: int, indices: Value, sizes: tuple[int, ...], keepdim: bool) -> Value:
    """The gradient of a selection along an axis: each share where its element came from, zero elsewhere."""
    if isinstance(g, Tensor):
        if not keepdim and sizes:
            g, indices = ops.views.unsqueeze(g, dim), ops.views.unsqueeze(indices, dim)
        # Zeros that were filled, then written to.
        return written(written(ops.gather_scatter.scatter(blank(g, sizes), dim, indices, g)))
    n = len(sizes)
    if not n:
        return g
    d = dim % n
    if not keepdim:
        if d == n - 1:
            # One place in each run of memory.
            size = sizes[d]
            out = zeros_of(sizes, g.dtype)
            flat = out.reshape(-1)
            flat[np.arange(0, flat.size, size) + indices.reshape(-1)] = g.reshape(-1)
            return out
        shape_ = (*g.shape[:d], 1, *g.shape[d:])
        g, indices = g.reshape(shape_), indices.reshape(shape_)
    if indices.shape[d] == 1:
        along_dim = np.arange(sizes[d])
        if d != n - 1:
            along_dim = along_dim.reshape((-1,) + (1,) * (n - d - 1))
        return np.where(along_dim == indices, g, g.dtype.type(0))
    out = zeros_of(sizes, g.dtype)
    if n == 1:
        out[indices] = g
    else:
        mesh = [np.arange(m).reshape((-1,) + (1,) * (n - i - 1)) for i, m in enumerate(indices.shape)]
        mesh[d] = indices
        out[tuple(mesh)] = g
    return out


def shared_backward(g: Value, self: Value, result: Value) -> Value:
    """The gradient of one element of all: elements that tie with it share alike."""
    if isinstance(g, Tensor):
        same = _same(self._a, result._a)
        share: Value = g
        ties = wrapped(ops.sums.sum_all(same))
        return written(ops.choosing.masked_fill(blank(g, self.shape), wrapped(same), share / ties))
    same = _same(self, result)
    return np.where(same, quiet(np.divide, g, np.add.reduce(same, None)), g.dtype.type(0))


def _same(a: Array, value: Array) -> Array:
    if a.dtype.kind == "c":
        a, value = a.real, value.real
    return np.equal(a, value) if value == value else np.isnan(a)


def mean_where(a: Array, same: Array, dim: Any, keepdim: bool) -> Array:
    """The mean of the elements that tie: a complex reading moves with all of them."""
    return along(np.add.reduce, np.where(same, a, 0), dim, keepdim) / along(np.add.reduce, same, dim, keepdim, int)


def _side(a: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Zero where an element is the largest, negative elsewhere."""
    return a - along(highest, a, dims(dim), True)


def _side_min(a: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """Zero where an element is the smallest, positive elsewhere."""
    return a - along(lowest, a, dims(dim), True)


def _nonempty(name: str, a: Array, dim: Any) -> None:
    """Refuse to reduce over no elements where there is no answer."""
    for d in dims(dim) or ():
        if a.ndim and a.shape[axis(d, a.ndim)] == 0:
            raise EngineIndexError(f"{name}: Expected reduction dim {d} to have non-zero size.")


# -- of all elements -------------------------------------------------------------------------


def _all(reduce_: Any, name: str, a: Array) -> Array:
    if a.size == 0:
        fail(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    if a.dtype.kind == "c":
        return mean_where(a, _same(a, reduce_(a.real, None)), None, False)
    return reduce_(a, None)


@primitive(
    node="MaxBackward1", kink=_side, self=lambda g, self, result: shared_backward(g, self, result),
    rounding="exact", form=("rows", "amax", (-1,), False),
)
def max_all(self: Array) -> Array:
    """The largest of all elements."""
    return _all(highest, "max", self)


@primitive(
    node="MinBackward1", kink=_side_min, self=lambda g, self, result: shared_backward(g, self, result),
    rounding="exact", form=("rows", "amin", (-1,), False),
)
def min_all(self: Array) -> Array:
    """The smallest of all elements."""
    return _all(lowest, "min", self)


# -- along one axis, with the place ----------------------------------------------------------


def _along_one(reduce_: Any, place: str, name: str, a: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    d = axis(dim, a.ndim)
    if not a.ndim:
        return a, np.int64(0)
    if a.shape[d] == 0:
        raise EngineIndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    real = a.real if a.dtype.kind == "c" else a
    indices = getattr(real, place)(d, None, keepdims=True) if keepdim else getattr(real, place)(d)
    if real is a:
        return along(reduce_, a, (d,), keepdim), indices
    values = along_axis(a, d, indices if keepdim else np.expand_dims(indices, d))
    return (values if keepdim else values.reshape(indices.shape)[()]), indices


@primitive(
    node="MaxBackward0",
    outputs=("values",),
    aside=("indices",),
    kink=_side,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    rounding="exact",
    form="along",
)
def max_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    """The largest along an axis, and where it is."""
    return _along_one(highest, "argmax", "max", self, dim, keepdim)


@primitive(
    node="MinBackward0",
    outputs=("values",),
    aside=("indices",),
    kink=_side_min,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    rounding="exact",
    form="along",
)
def min_dim(self: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    """The smallest along an axis, and where it is."""
    return _along_one(lowest, "argmin", "min", self, dim, keepdim)


@public("torch Tensor")
@composite
def max(input: Value, dim: Any = ALL, keepdim: bool = False, **other: Any) -> Value:
    """The largest of all elements, along an axis with its place, or of two tensors element by element."""
    if other or type(keepdim) is not bool:
        if "other" in other:
            return ops.choosing.maximum(input, other["other"])
        dim, keepdim = named("max", other, dim, keepdim)
    if dim is ALL:
        return max_all(input)
    if isinstance(dim, Tensor):
        if not is_value(input):
            raise no_overload("max", input, dim)
        return ops.choosing.maximum(input, dim)
    return MaxResult(max_dim(input, one("max", dim), keepdim))


@public("torch Tensor")
@composite
def min(input: Value, dim: Any = ALL, keepdim: bool = False, **other: Any) -> Value:
    """The smallest of all elements, along an axis with its place, or of two tensors element by element."""
    if other or type(keepdim) is not bool:
        if "other" in other:
            return ops.choosing.minimum(input, other["other"])
        dim, keepdim = named("min", other, dim, keepdim)
    if dim is ALL:
        return min_all(input)
    if isinstance(dim, Tensor):
        if not is_value(input):
            raise no_overload("min", input, dim)
        return ops.choosing.minimum(input, dim)
    return MinResult(min_dim(input, one("min", dim), keepdim))


# -- along axes, ties sharing alike ----------------------------------------------------------


def _put_back(g: Value, dim: tuple[int, ...], keepdim: bool) -> Value:
    """``g`` in a shape with the reduced axes of length 1."""
    if keepdim:
        return g
    rank = len(g.shape) + len(dim)
    gone = {d % rank for d in dim}
    left = iter(g.shape)
    return ops.views.reshape(g, tuple([1 if i in gone else next(left) for i in range(rank)]))


def extremum_backward(g: Value, self: Value, result: Value, dim: tuple[int, ...], keepdim: bool) -> Value:
    """The gradient of an extremum along axes: elements that tie share alike."""
    if isinstance(g, Tensor):
        same = eq(_put_back(result, dim, keepdim), self)
        return _put_back(g, dim, keepdim) / ops.sums.sum_dim(same, dim, True, None) * same
    g, result = restored(g, self.shape, dim, keepdim), restored(result, self.shape, dim, keepdim)
    same = np.equal(result, self) if self.dtype.kind != "c" else np.equal(result.real, self.real)
    # Where the extremum is nan nothing ties with it.
    return quiet(_shared, g, along(np.add.reduce, same, dim, True), same)


def _shared(g: Array, count: Array, same: Array) -> Array:
    return g / count * same


def _along(reduce_: Any, name: str, a: Array, dim: tuple[int, ...], keepdim: bool) -> Array:
    if a.size == 0:
        if not dim:
            fail(
                f"{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            )
        _nonempty(name, a, dim)
    if a.dtype.kind == "c":
        same = np.equal(a.real, along(reduce_, a.real, dim, True))
        return mean_where(a, same, dim, keepdim)
    return along(reduce_, a, dim, keepdim)


@primitive(
    broadcasts=True,
    kink=_side,
    self=lambda g, self, result, dim, keepdim: extremum_backward(g, self, result, dim, keepdim),
    form="along",
)
def amax(self: Array, dim: Any = (), keepdim: bool = False) -> Array:
    """The largest along axes."""
    return _along(highest, "amax()", self, dim, keepdim)


@primitive(
    broadcasts=True,
    kink=_side_min,
    self=lambda g, self, result, dim, keepdim: extremum_backward(g, self, result, dim, keepdim),
    form="along",
)
def amin(self: Array, dim: Any = (), keepdim: bool = False) -> Array:
    """The smallest along axes."""
    return _along(lowest, "amin()", self, dim, keepdim)


@public("torch.amax Tensor.amax")
@given_for_out(
    "Expected the dtype for input and out to match, but got {found} for input's dtype and {given} for out's dtype."
)
def _amax(input: Value, dim: Any = (), keepdim: bool = False, **other: Any) -> Value:
    """The largest along axes."""
    dim, keepdim = named("amax", other, dim, keepdim)
    return amax(input, dims(dim) or (), keepdim)


@public("torch.amin Tensor.amin")
@given_for_out(
    "Expected the dtype for input and out to match, but got {found} for input's dtype and {given} for out's dtype."
)
def _amin(input: Value, dim: Any = (), keepdim: bool = False, **other: Any) -> Value:
    """The smallest along axes."""
    dim, keepdim = named("amin", other, dim, keepdim)
    return amin(input, dims(dim) or (), keepdim)


def _aminmax_backward(g: list[Value], self: Value, min: Value, max: Value, dim: int | None, keepdim: bool) -> Value:
    over = tuple(range(len(self.shape))) if dim is None else (dim,)
    low = None if g[0] is None else extremum_backward(g[0], self, min, over, keepdim)
    high = None if g[1] is None else extremum_backward(g[1], self, max, over, keepdim)
    if low is None or high is None:
        return high if low is None else low
    return written(low + high) if isinstance(low, Tensor) else low + high


def _sides(a: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    return np.stack([_side(a, dim), _side_min(a, dim)])


@primitive(
    outputs=("min", "max"),
    broadcasts=True,
    kink=_sides,
    self=lambda g, self, min, max, dim, keepdim: _aminmax_backward(g, self, min, max, dim, keepdim),
    form="along",
)
def aminmax(self: Array, dim: int | None = None, keepdim: bool = False) -> tuple[Array, Array]:
    """The smallest and the largest, of all elements or along an axis."""
    over = () if dim is None else (axis(dim, self.ndim),)
    if self.size == 0 and dim is None:
        fail("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    return _along(lowest, "aminmax", self, over, keepdim), _along(highest, "aminmax", self, over, keepdim)


@public("torch.aminmax Tensor.aminmax")
@given_for_out()
def _aminmax(input: Value, *, dim: int | None = None, keepdim: bool = False, **other: Any) -> Value:
    """The smallest and the largest, of all elements or along an axis."""
    dim, keepdim = named("aminmax", other, dim, keepdim)
    return AminmaxResult(aminmax(input, dim, keepdim))


# -- places ----------------------------------------------------------------------------------


def _place(name: str, a: Array, dim: int | None, keepdim: bool) -> Array:
    real = re(a)
    if a.dtype.kind == "b":
        fail(f"{name}(): does not support bool input")
    if dim is None:
        if a.size == 0:
            raise EngineIndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        i = np.int64(getattr(np, name)(real))
        return np.full((1,) * a.ndim, i) if keepdim and a.ndim else i
    d = axis(dim, a.ndim)
    _nonempty(f"{name}()", a, d)
    return getattr(np, name)(real, d, keepdims=keepdim) if a.ndim else np.int64(0)


@constant
def argmax(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    """Where the largest is, of all elements or along an axis; the first where several tie."""
    return _place("argmax", self, dim, keepdim)


@constant
def argmin(self: Array, dim: int | None = None, keepdim: bool = False) -> Array:
    """Where the smallest is, of all elements or along an axis; the first where several tie."""
    return _place("argmin", self, dim, keepdim)


@public("torch.argmax Tensor.argmax")
@given_for_out()
def _argmax(input: Value, dim: int | None = None, keepdim: bool = False, **other: Any) -> Value:
    """Where the largest is, of all elements or along an axis."""
    dim, keepdim = named("argmax", other, dim, keepdim)
    return argmax(input, dim, keepdim)


@public("torch.argmin Tensor.argmin")
@given_for_out()
def _argmin(input: Value, dim: int | None = None, keepdim: bool = False, **other: Any) -> Value:
    """Where the smallest is, of all elements or along an axis."""
    dim, keepdim = named("argmin", other, dim, keepdim)
    return argmin(input, dim, keepdim)
