"""Order along an axis: sorting, the largest few, the middle, the most frequent."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....errors import EngineIndexError, EngineNotImplementedError
from ... import ops
from ...call_errors import fail, only_bools, only_ints
from ...costs import costs
from ...declaration import given_for_out, reads_elsewhere
from ...memory.layout import empty_like
from ...registry import composite, constant, primitive, public
from ...tensor import Array, Value
from ..common import axis, re
from ..named_results import named_result
from .extrema import along_axis, selected_backward, shared_backward
from .sums import ALL, named, one

SortResult = named_result("sort", "values", "indices")
TopkResult = named_result("topk", "values", "indices")
KthvalueResult = named_result("kthvalue", "values", "indices")
MedianResult = named_result("median", "values", "indices")
NanmedianResult = named_result("nanmedian", "values", "indices")
ModeResult = named_result("mode", "values", "indices")

Two = tuple[Array, Array]


# -- places ----------------------------------------------------------------------------------


def order(a: Array, d: int, descending: bool = False) -> Array:
    """The places along an axis in sorted order; nan is the largest, ties keep their order."""
    real = re(a)
    if not descending:
        return real.argsort(d, "stable")
    rev = (slice(None),) * d + (slice(None, None, -1),)
    return np.subtract(a.shape[d] - 1, real[rev].argsort(d, "stable")[rev], order="C")


def _ranks(a: Array, dim: int = -1, *_: Any) -> Array:
    """The rank of each element, bit by bit, as signs: it changes when two elements change places."""
    if not a.ndim:
        return a
    d = axis(dim, a.ndim)
    rank = order(order(a, d), d)
    return np.stack([(rank >> bit & 1) - 0.5 for bit in range(a.shape[d].bit_length())])


def _ranks_of_k(a: Array, k: int, dim: int = -1, *_: Any) -> Array:
    return _ranks(a, dim)


def _ranks_of_all(a: Array) -> Array:
    return _ranks(a.reshape(-1), 0)


def _tie(ranked: Array, d: int) -> bool:
    """Tell whether a small input has equal elements in a row: PyTorch's steps then say which of them is picked."""
    if ranked.size > ops.tie_breaking.SMALL or ranked.shape[d] < 2:
        return False
    ranked = re(ranked)
    front = (slice(None),) * d
    same = np.equal(ranked[(*front, slice(1, None))], ranked[(*front, slice(-1))])
    return bool(np.logical_or.reduce(same, None))


def _at(places: Array, d: int, k: int) -> Array:
    """The k-th place of each row, with the axis."""
    return places[(slice(None),) * d + (slice(k, k + 1),)]


def _picked(a: Array, places: Array, d: int, keepdim: bool) -> Two:
    """One element for each row along an axis, by its place; ``places`` has the axis, of length 1."""
    places = places.copy()
    values = along_axis(a, d, places)
    if keepdim:
        return values, places
    size = (*a.shape[:d], *a.shape[d + 1 :])
    return values.reshape(size)[()], places.reshape(size)[()]


def _scalar(a: Array) -> Two:
    return a, np.int64(0)


def _nonempty(name: str, a: Array, d: int) -> None:
    if a.ndim and a.shape[d] == 0:
        raise EngineIndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


# -- sorting ---------------------------------------------------------------------------------


def _sorted(a: Array, dim: int, descending: bool, stable: bool) -> Two:
    d = axis(dim, a.ndim)
    if not a.ndim:
        return _scalar(a)
    places = order(a, d, descending)
    values = along_axis(a, d, places)
    if not stable and a.shape[d] > ops.tie_breaking.SHORT and _tie(values, d):
        places = ops.tie_breaking.rows(re(a), d, ops.tie_breaking.in_order(descending))
        values = along_axis(a, d, places)
    return (values, places) if a.flags.c_contiguous else (_laid_like(a, values), _laid_like(a, places))


def _laid_like(a: Array, b: Array) -> Array:
    """``b`` with its axes in the order that those of ``a`` have in memory."""
    out = empty_like(a, b.dtype)
    out[...] = b
    return out


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_ranks,
    self=lambda g, indices, self_sym_sizes, dim: selected_backward(g, dim, indices, self_sym_sizes, True),
    rounding="exact",
    form="along",
)
def sort(self: Array, dim: int = -1, descending: bool = False) -> Two:
    """The elements in order along an axis, and where each was."""
    return _sorted(self, dim, descending, False)


@primitive(
    node="SortBackward1",
    outputs=("values",),
    aside=("indices",),
    kink=_ranks,
    self=lambda g, indices, self_sym_sizes, dim: selected_backward(g, dim, indices, self_sym_sizes, True),
    form="along",
)
def sort_stable(self: Array, dim: int = -1, descending: bool = False, stable: bool = True) -> Two:
    """The elements in order along an axis, ties in the order they had if that is asked for, and where each was."""
    return _sorted(self, dim, descending, stable)


@public("torch.sort Tensor.sort")
@given_for_out()
@costs("picking.sorted_")
def _sort(input: Value, dim: int = -1, descending: bool = False, *, stable: bool | None = None, **other: Any) -> Value:
    """The elements in order along an axis, and where each was."""
    if type(descending) is not bool:
        only_bools("sort", descending=descending)
    if stable is not None and type(stable) is not bool:
        only_bools("sort", stable=stable)
    dim, _ = named("sort", other, dim)
    given = (input, one("sort", dim), descending)
    return SortResult(sort(*given) if stable is None else sort_stable(*given, stable))


@public("torch Tensor")
@given_for_out()
@costs("picking.sorted_")
@composite
def msort(input: Value) -> Value:
    """The elements in order along the first axis."""
    return sort(input, 0, False)[0]


@constant
def argsort(self: Array, dim: int = -1, descending: bool = False, stable: bool = False) -> Array:
    """Where each element of the sorted order is, along an axis."""
    return _sorted(self, dim, descending, stable)[1]


@public("torch.argsort Tensor.argsort")
@costs("picking.sorted_")
def _argsort(input: Value, dim: int = -1, descending: bool = False, *, stable: bool = False, **other: Any) -> Value:
    """Where each element of the sorted order is, along an axis."""
    only_bools("argsort", descending=descending, stable=stable)
    return argsort(input, named("argsort", other, dim)[0], descending, stable)


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_ranks_of_k,
    self=lambda g, indices, self_sym_sizes, dim: selected_backward(g, dim, indices, self_sym_sizes, True),
    form="along",
)
def topk(self: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Two:
    """The k largest (or smallest) along an axis in order, and where they are."""
    d = axis(dim, self.ndim)
    n = self.shape[d] if self.ndim else 1
    if not 0 <= k <= n:
        fail("selected index k out of range")
    if self.dtype.kind == "b":
        fail("topk does not support bool dtypes on CPU")
    if not self.ndim:
        return _scalar(self)
    front = (slice(None),) * d
    if self.size > ops.tie_breaking.SMALL and 8 * k < n:
        # Only what may be among them is put in order.
        part = np.argpartition(re(self), n - k if largest else k, d)
        part = np.sort(part[(*front, slice(n - k, None) if largest else slice(k))], d)
        within = order(along_axis(self, d, part), d, largest)
        places = along_axis(part, d, within)
    else:
        places = order(self, d, largest)
        ranked = along_axis(self, d, places)
        head = (*front, slice(k))
        if not k or not (_tie(ranked, d) if sorted else self.size <= ops.tie_breaking.SMALL):
            return ranked[head].copy(), places[head].copy()
        places = ops.tie_breaking.rows(re(self), d, ops.tie_breaking.top(k, largest, sorted)).copy()
    return along_axis(self, d, places), places


@public("torch.topk Tensor.topk")
@given_for_out()
@costs("picking.sorted_")
def _topk(input: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, **other: Any) -> Value:
    """The k largest (or smallest) along an axis, and where they are."""
    only_ints("topk", k=k, dim=dim, places=(2, 3))
    dim, _ = named("topk", other, dim)
    if type(largest) is not bool or type(sorted) is not bool:
        only_bools("topk", largest=largest, sorted=sorted, places=(4, 5))
    return TopkResult(topk(input, operator.index(k), one("topk", dim), largest, sorted))


# -- one of each row -------------------------------------------------------------------------


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_ranks_of_k,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    form="along",
)
def kthvalue(self: Array, k: int, dim: int = -1, keepdim: bool = False) -> Two:
    """The k-th smallest along an axis, and where it is."""
    d = axis(dim, self.ndim)
    _nonempty("kthvalue", self, d)
    if not 1 <= k <= (self.shape[d] if self.ndim else 1):
        fail(f"kthvalue(): selected number k out of range for dimension {d}")
    if not self.ndim:
        return _scalar(self)
    _no_bool("kthvalue_cpu", self)
    if self.size > ops.tie_breaking.SMALL:
        return _picked(self, _at(re(self).argpartition(k - 1, d), d, k - 1), d, keepdim)
    places = order(self, d)
    tie = _tie(along_axis(self, d, places), d)
    found = ops.tie_breaking.rows(re(self), d, ops.tie_breaking.kth(k - 1)) if tie else _at(places, d, k - 1)
    return _picked(self, found, d, keepdim)


@public("torch.kthvalue Tensor.kthvalue")
@given_for_out("output values must be of same type as input")
@reads_elsewhere
@costs("picking.sorted_")
def _kthvalue(input: Value, k: int, dim: int = -1, keepdim: bool = False, **other: Any) -> Value:
    """The k-th smallest along an axis, and where it is."""
    only_ints("kthvalue", k=k, dim=dim, places=(2, 3))
    dim, keepdim = named("kthvalue", other, dim, keepdim)
    return KthvalueResult(kthvalue(input, operator.index(k), one("kthvalue", dim), keepdim))


def _no_bool(kernel: str, a: Array) -> None:
    if a.dtype.kind == "b":
        raise EngineNotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _middle(a: Array, dim: int, keepdim: bool, skip: bool) -> Two:
    """The lower median of each row: the first nan if there is one, or else of what is not nan, if that is skipped."""
    d = axis(dim, a.ndim)
    _nonempty("median", a, d)
    _no_bool("median_out", a)
    if not a.ndim:
        return _scalar(a)
    n = a.shape[d]
    nan = np.isnan(re(a))
    any_nan = np.logical_or.reduce(nan, None)
    k = (n - 1) // 2
    if any_nan and skip:
        at = along_axis(order(a, d), d, np.maximum(n - nan.sum(d, keepdims=True) - 1, 0) // 2)
    elif a.size > ops.tie_breaking.SMALL:
        at = _at(re(a).argpartition(k, d), d, k)
    else:
        at = _at(order(a, d), d, k)
    if any_nan and not skip:
        at = np.where(nan.any(d, keepdims=True), nan.argmax(d, keepdims=True), at)
    return _picked(a, at, d, keepdim)


# The median of no integers: nan, as C makes an integer of it.
_NONE_OF_INTEGERS = {"B": 0, "b": 0, "h": 0, "i": -(2**31), "l": -(2**63), "q": -(2**63), "?": True}


def _middle_of_all(a: Array, skip: bool) -> Array:
    if not a.size:
        with np.errstate(invalid="ignore"):
            return np.asarray(_NONE_OF_INTEGERS.get(a.dtype.char, np.nan)).astype(a.dtype)[()]
    _no_bool("median_cpu", a)
    flat = a.reshape(-1)
    return _middle(flat, 0, False, skip)[0]


@primitive(
    node="MedianBackward0", kink=_ranks_of_all, self=lambda g, self, result: shared_backward(g, self, result),
    form=("rows", "median_dim", -1, False),
)
def median_all(self: Array) -> Array:
    """The lower median of all elements."""
    return _middle_of_all(self, False)


@primitive(
    node="NanmedianBackward0", kink=_ranks_of_all, self=lambda g, self, result: shared_backward(g, self, result),
    form=("rows", "nanmedian_dim", -1, False),
)
def nanmedian_all(self: Array) -> Array:
    """The lower median of all elements that are not nan."""
    return _middle_of_all(self, True)


@primitive(
    node="MedianBackward1",
    outputs=("values",),
    aside=("indices",),
    kink=_ranks,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    form="along",
)
def median_dim(self: Array, dim: int, keepdim: bool = False) -> Two:
    """The lower median along an axis, and where it is."""
    return _middle(self, dim, keepdim, False)


@primitive(
    node="NanmedianBackward1",
    outputs=("values",),
    aside=("indices",),
    kink=_ranks,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    form="along",
)
def nanmedian_dim(self: Array, dim: int, keepdim: bool = False) -> Two:
    """The lower median along an axis of what is not nan, and where it is."""
    return _middle(self, dim, keepdim, True)


@public("torch Tensor")
@reads_elsewhere
@costs("picking.sorted_")
@composite
def median(input: Value, dim: Any = ALL, keepdim: bool = False, **other: Any) -> Value:
    """The lower median of all elements, or along an axis with its place."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("median", other, dim, keepdim)
    return median_all(input) if dim is ALL else MedianResult(median_dim(input, one("median", dim), keepdim))


@public("torch Tensor")
@costs("picking.sorted_")
@composite
def nanmedian(input: Value, dim: Any = ALL, keepdim: bool = False, **other: Any) -> Value:
    """The lower median of what is not nan, of all elements or along an axis with its place."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("nanmedian", other, dim, keepdim)
    if dim is ALL:
        return nanmedian_all(input)
    return NanmedianResult(nanmedian_dim(input, one("nanmedian", dim), keepdim))


@primitive(
    outputs=("values",),
    aside=("indices",),
    kink=_ranks,
    self=lambda g, indices, self_sym_sizes, dim, keepdim: selected_backward(g, dim, indices, self_sym_sizes, keepdim),
    form="along",
)
def mode(self: Array, dim: int = -1, keepdim: bool = False) -> Two:
    """The most frequent element along an axis, the smallest of several such, and where it last is."""
    d = axis(dim, self.ndim)
    _nonempty("mode", self, d)
    if not self.ndim:
        return _scalar(self)
    places = order(self, d)
    if self.size <= ops.tie_breaking.SMALL and (self.shape[d] > ops.tie_breaking.SHORT or np.isnan(re(self)).any()):
        places = ops.tie_breaking.rows(re(self), d, ops.tie_breaking.sorted_)
    rows = np.moveaxis(re(along_axis(self, d, places)), d, -1)
    step = np.arange(rows.shape[-1])
    starts = np.ones(rows.shape, bool)
    starts[..., 1:] = rows[..., 1:] != rows[..., :-1]
    run = step - np.maximum.accumulate(np.where(starts, step, 0), -1)
    end = np.expand_dims(run.argmax(-1), d)
    return _picked(self, along_axis(places, d, end), d, keepdim)


@public("torch.mode Tensor.mode")
@given_for_out("expected scalar type '{found}' but got '{given}' for values output")
@reads_elsewhere
@costs("picking.sorted_")
def _mode(input: Value, dim: int = -1, keepdim: bool = False, **other: Any) -> Value:
    """The most frequent element along an axis, and where it is."""
    if type(dim) is not int:
        only_ints("mode", dim=dim, places=(2,))
    dim, keepdim = named("mode", other, dim, keepdim)
    return ModeResult(mode(input, one("mode", dim), keepdim))
