"""Tell whether all or any elements are true, and count them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...call_errors import no_overload
from ...declaration import given_for_out
from ...dtypes import I64
from ...registry import constant, public
from ...tensor import Array, Value
from ..common import re
from .sums import along, checked, dims, named


def _truth(reduce: Any, a: Array, dim: Any, keepdim: bool) -> Array:
    # An empty list of axes reduces nothing here; bytes stay bytes.
    if isinstance(dim, (tuple, list)):
        found = reduce(a, checked(dim, a.ndim) if dim else (), None, None, keepdim)
    else:
        found = along(reduce, a, dims(dim), keepdim)
    return found.astype(a.dtype) if a.dtype == np.uint8 else found


@constant
def all_(self: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """True where all elements are true, of all or along axes."""
    return _truth(np.logical_and.reduce, re(self), dim, keepdim)


@constant
def any_(self: Array, dim: Any = None, keepdim: bool = False) -> Array:
    """True where any element is true, of all or along axes."""
    return _truth(np.logical_or.reduce, re(self), dim, keepdim)


@constant
def count_nonzero(self: Array, dim: Any = None) -> Array:
    """The number of elements that are not zero, of all or along axes."""
    if type(dim) is bool:
        raise no_overload("count_nonzero", self, dim)
    return along(np.add.reduce, re(self) != 0, dims(dim), False, I64)


@public("torch.all Tensor.all")
@given_for_out("{name} only supports bool tensor for result, got: {given}")
def _all(input: Value, dim: Any = None, keepdim: bool = False, **other: Any) -> Value:
    """True where all elements are true, of all or along axes."""
    dim, keepdim = named("all", other, dim, keepdim)
    return all_(input, dim, keepdim)


@public("torch.any Tensor.any")
@given_for_out("{name} only supports bool tensor for result, got: {given}")
def _any(input: Value, dim: Any = None, keepdim: bool = False, **other: Any) -> Value:
    """True where any element is true, of all or along axes."""
    dim, keepdim = named("any", other, dim, keepdim)
    return any_(input, dim, keepdim)


@public("torch.count_nonzero Tensor.count_nonzero")
def _count_nonzero(input: Value, dim: Any = None, **other: Any) -> Value:
    """The number of elements that are not zero, of all or along axes."""
    return count_nonzero(input, named("count_nonzero", other, dim)[0])
