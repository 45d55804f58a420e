"""Reductions into places of an axis: sum, product, mean, maximum and minimum of what arrives at each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import EngineIndexError
from ... import ops
from ...call_errors import fail, only_bools
from ...dtypes import DTYPES, ones_of
from ...numeric.halves import converted
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value, result as made
from ..common import axis, eq, re, unlike
from ..pointwise.masks import refuse_bool
from ..shape.padding import zeros_like
from .gather_scatter import at_places, check_scatter, corner, grid
from .index_select import copy, with_axis
from .subscripts import add_at

_EXTREME: dict[str, np.ufunc] = {"amax": np.maximum, "amin": np.minimum}

# What a place holds before anything arrives, when it does not count itself.
_START: dict[str, Callable[[Any], Any]] = {
    "sum": lambda d: 0,
    "mean": lambda d: 0,
    "prod": lambda d: 1,
    "amax": lambda d: -np.inf if d.kind in "fc" else d.kind != "b" and np.iinfo(d).min,
    "amin": lambda d: np.inf if d.kind in "fc" else d.kind == "b" or np.iinfo(d).max,
}


def _collected(out: Array, a: Array, key: Any, src: Array, reduce: str, include_self: bool) -> Array:
    """``out`` with ``src`` reduced into the elements of ``a``, which is its memory, at a key."""
    if not include_self:
        a[key] = _START[reduce](out.dtype)
    if reduce == "prod":
        np.multiply.at(a, key, src)
    elif reduce in ("sum", "mean"):
        add_at(a, key, src)
    elif out.dtype.kind != "c":
        _EXTREME[reduce].at(a, key, src)
    else:
        best = a.real.copy()
        _EXTREME[reduce].at(best, key, src.real)
        # The rest of a complex reading goes along with the real part that won.
        won = src.real == best[key]
        a.reshape(-1)[np.arange(a.size).reshape(a.shape)[key][won]] = np.broadcast_to(src, won.shape)[won]
    if reduce == "mean":
        count = np.full(a.shape, int(include_self))
        np.add.at(count, key, 1)
        count = np.maximum(count, 1).reshape(out.shape)
        return out / count.astype(out.real.dtype) if out.dtype.kind in "fc" else out // count.astype(out.dtype)
    return out


def _shares(
    g: Value, self: Value, src: Value, result: Value, reduce: str, include_self: bool,
    pick: Callable[[Value], Value], add: Callable[[Value, Value], Value],
    again: Callable[[Value, Value], Value], fill: Callable[[Value], Value],
) -> tuple[Value, Value]:  # fmt: skip
    """The gradients for what was there and for what arrived.

    ``pick`` reads at the places, ``add`` adds there, ``again`` repeats the reduction, ``fill`` writes zeros.
    """
    if reduce == "sum":
        mine, its = g, pick(g)
    elif reduce == "mean":
        count = add(_ones(g) if include_self else zeros_like(g), _ones(src))
        count = ops.choosing.masked_fill(count, eq(count, 0), 1)
        mine, its = g / count, pick(g) / pick(count)
    elif reduce == "prod":
        whole = ops.choosing.masked_fill(self, eq(self, 0), 1.0)
        mine = g * again(whole, src) / whole
        zero = eq(src, 0)
        zeros_here = pick(add(zeros_like(self), _as_number(zero, self)))
        if isinstance(g, Tensor) and (zeros_here._a.real > 1).any():
            fail(
                "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the "
                "same position in self"
            )
        alone = zero & eq(zeros_here, 1)
        rest = again(self, ops.choosing.masked_fill(src, alone, 1.0))
        its = ops.choosing.where(alone, pick(g * rest), pick(g * result) / ops.choosing.masked_fill(src, zero, 1.0))
    else:
        is_self = _as_number(eq(self, result), self)
        is_src = _as_number(eq(src, pick(result)), self)
        each = g / add(is_self, is_src)
        mine, its = is_self * each, is_src * pick(each)
    return mine if include_self else fill(mine), its


def _ones(x: Value) -> Value:
    if isinstance(x, Tensor):
        return made(ones_of(x._a.shape, x._a.dtype))
    return ones_of(x.shape, x.dtype)


def _as_number(mask: Value, like: Value) -> Value:
    if isinstance(mask, Tensor):
        return ops.converting.cast(mask, like._a.dtype)
    return converted(mask, re(like).dtype)


def _scatter_joint(
    g: Value, self: Value, dim: int, index: Value, src: Value, reduce: str, include_self: bool, result: Value,
    *, wanted: list[bool],
) -> tuple[Value, Value]:  # fmt: skip
    del wanted
    return _shares(
        g, self, src, result, reduce, include_self,
        lambda x: ops.gather_scatter.gather(x, dim, index),
        lambda x, y: ops.gather_scatter.scatter_add(x, dim, index, y),
        lambda x, y: scatter_reduce(x, dim, index, y, reduce, include_self),
        lambda x: ops.gather_scatter.scatter_value(x, dim, index, 0),
    )  # fmt: skip


def _scatter_kink(self: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True) -> Array:
    """The distance of each element below the winner: the winner changes at a kink."""
    best = scatter_reduce.op.forward(self, dim, index, src, reduce, include_self)
    return _below(corner(src, index), with_axis(best)[grid(with_axis(index), axis(dim, self.ndim))], reduce)


def _below(src: Array, best: Array, reduce: str) -> Array:
    return re(src - best) if reduce in ("amax", "amin") else np.zeros(())


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("index",),
    joint=_scatter_joint,
    kink=_scatter_kink,
    self=lambda g, self, dim, index, src, reduce, include_self, result: g,
    src=lambda g, self, dim, index, src, reduce, include_self, result: g,
    form="along_indexed",
)
def scatter_reduce(self: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True) -> Array:
    """A copy with elements reduced into places of an axis."""
    if type(include_self) is not bool:
        only_bools("scatter_reduce", include_self=include_self)
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in _START:
        fail(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    i = check_scatter(self, dim, index, src)
    if index.size == 0:
        return np.array(self)[()]
    if reduce == "mean":
        refuse_bool("scatter_gather_tensor_cpu_reduce_mean", self)
    out = copy(self, src)
    out = _collected(out, *at_places(out, i, with_axis(index)), corner(src, index), reduce, include_self)
    return out if self.ndim else out[0]


def _index_joint(
    g: Value, self: Value, dim: int, index: Value, source: Value, reduce: str, include_self: bool, result: Value,
    *, wanted: list[bool],
) -> tuple[Value, Value]:  # fmt: skip
    del wanted
    return _shares(
        g, self, source, result, reduce, include_self,
        lambda x: ops.index_select.index_select(x, dim, index),
        lambda x, y: ops.index_select.index_add(x, dim, index, y),
        lambda x, y: index_reduce(x, dim, index, y, reduce, include_self),
        lambda x: ops.index_select.index_fill(x, dim, index, 0),
    )  # fmt: skip


def _index_kink(self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True) -> Array:
    """The distance of each element below the winner: the winner changes at a kink."""
    best = index_reduce.op.forward(self, dim, index, source, reduce, include_self)
    places = ops.index_select.along(axis(dim, self.ndim), with_axis(index))
    return _below(with_axis(source), with_axis(best)[places], reduce)


@public("torch Tensor Tensor_")
@primitive(
    without_rule=("index",),
    joint=_index_joint,
    kink=_index_kink,
    self=lambda g, self, dim, index, source, reduce, include_self, result: g,
    source=lambda g, self, dim, index, source, reduce, include_self, result: g,
    form="along",
)
def index_reduce(self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True) -> Array:
    """A copy with slices reduced into places of an axis."""
    if type(include_self) is not bool:
        only_bools("index_reduce", include_self=include_self)
    if reduce not in ("prod", "mean", "amax", "amin"):
        fail(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    i = axis(dim, self.ndim)
    if index.ndim > 1:
        raise EngineIndexError(
            f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{DTYPES[index.dtype].tensor_name} and size: {list(index.shape)}"
        )
    if unlike(self, source):
        names = [DTYPES[x.dtype].tensor_name for x in (self, source)]
        fail(f"index_reduce_(): self ({names[0]}) and source ({names[1]}) must have the same scalar type")
    if with_axis(source).shape[i] != index.size:
        fail(
            f"index_reduce_(): Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({with_axis(source).shape[i]}), for dim: {dim}"
        )
    ops.index_select.check_added(index, self, i)
    refuse_bool("index_func_" if include_self else "index_reduce_func_exclude_input_init", self)
    out = copy(self, source)
    out = _collected(out, out, ops.index_select.along(i, with_axis(index)), with_axis(source), reduce, include_self)
    return out if self.ndim else out[0]
