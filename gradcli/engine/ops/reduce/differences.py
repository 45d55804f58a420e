"""Differences of neighbours, and areas under curves that are given by samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import EngineIndexError
from ... import dtypes, ops
from ...call_errors import fail, no_overload, only_ints
from ...costs import costs
from ...declaration import given_for_out
from ...registry import composite, public
from ...tensor import Tensor, Value
from ..common import axis
from .sums import blank


def _kind(x: Value) -> str:
    kind: str = (x._a if isinstance(x, Tensor) else x).dtype.kind
    return kind


def _fits_beside(input: Value, x: Value, at: int) -> None:
    """Refuse what cannot be joined to a tensor along an axis."""
    if len(x.shape) != len(input.shape):
        fail("diff expects prepend or append to be the same dimension as input")
    for i, (n, m) in enumerate(zip(input.shape, x.shape, strict=True)):
        if n != m and i != at:
            fail(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {n}, but got tensor.size({i}) = {m}"
            )


@public("torch Tensor")
@given_for_out("expected scalar_type {found} but found {given}")
@composite
def diff(input: Value, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Value:
    """The n-th differences of neighbours along an axis."""
    if type(n) is not int:
        only_ints("diff", n=n, places=(2,))
    if not input.shape:
        fail("diff expects input to be at least one-dimensional")
    if n < 0:
        fail(f"order must be non-negative but got {n}")
    at = axis(dim, len(input.shape))
    for x in (prepend, append):
        if x is not None:
            _fits_beside(input, x, at)
    if n == 0:
        # PyTorch joins nothing then.
        return ops.filled.zeros_like(input).copy_(input) if isinstance(input, Tensor) else np.array(input)
    parts = [x for x in (prepend, input, append) if x is not None]
    y = ops.joining.cat(parts, dim) if len(parts) > 1 else input
    size = y.shape[dim]
    for left in range(size - 1, size - 1 - min(n, size), -1):
        # Made in this order: gradients meet in the reverse of it.
        behind = ops.views.slice_(y, dim, 0, left, 1)
        ahead = ops.views.slice_(y, dim, 1, 1 + left, 1)
        y = ahead != behind if _kind(y) == "b" else ahead - behind
    return y


# PyTorch's own code takes the overloads for scalars, with one edge.


def _times(x: Value, number: float) -> Value:
    if _kind(x) in "iu":
        return ops.arith.mul(x, number) if isinstance(x, Tensor) else x.astype(dtypes.default.float) * number
    return ops.arith.mul_number(x, number) if isinstance(x, Tensor) else x * number


def _halved(x: Value) -> Value:
    if _kind(x) in "iu":
        return _times(x, 0.5)
    return ops.arith.div_number(x, 2.0) if isinstance(x, Tensor) else x / 2.0


def _checked(name: str, y: Value, x: Any, dx: Any, dim: int) -> int:
    """The axis to integrate along, once the arguments are known to fit."""
    if x is not None and dx is not None:
        fail(f"{name}: x and dx may not both be given")
    rank = len(y.shape)
    if not rank:
        given = dim if x is None else axis(dim, 0)
        raise EngineIndexError(f"Dimension specified as {given} but tensor has no dimensions")
    d = axis(dim, rank)
    if _kind(y) == "b" or (x is not None and _kind(x) == "b"):
        what = "`y`" if x is None else "`x` or `y`"
        fail(f"{name}: received a bool input for {what}, but bool is not supported")
    if isinstance(dx, (bool, complex)):
        fail(f"{name}: Currently, we only support dx as a real number.")
    return d


def _pairs(y: Value, dim: int) -> tuple[Value, Value]:
    """Each element but the last, and each but the first."""
    return ops.views.slice_(y, dim, 0, -1, 1), ops.views.slice_(y, dim, 1, None, 1)


def _widths(name: str, y: Value, x: Value, d: int) -> Value:
    """The widths of the intervals between sample points, to multiply samples with."""
    have, rank = tuple(x.shape), len(y.shape)
    if len(have) == 1:
        if have[0] != y.shape[d]:
            fail(f"{name}: There must be one `x` value for each sample point")
        x = ops.views.view(x, tuple([have[0] if i == d else 1 for i in range(rank)]))
    elif len(have) < rank:
        x = ops.views.view(x, (1,) * (rank - len(have)) + have)
    left, right = _pairs(x, d)
    return right - left


@public("torch torch.trapz")
@costs("picking.trapezoids")
@composite
def trapezoid(y: Value, x: Any = None, *, dx: Any = None, dim: int = -1) -> Value:
    """The area under samples along an axis, by trapezoids."""
    d = _checked("trapezoid", y, x, dx, dim)
    if y.shape[d] == 0:
        return blank(y, (*y.shape[:d], *y.shape[d + 1 :]))
    if x is None:
        last = ops.views.select(y, dim, -1)
        ends = _times(ops.views.select(y, dim, 0) + last, 0.5)
        return _times(ops.sums.sum(y, dim) - ends, float(1 if dx is None else dx))
    widths = _widths("trapezoid", y, x, d)
    left, right = _pairs(y, d)
    return _halved(ops.sums.sum((left + right) * widths, d))


@public("torch")
@costs("picking.trapezoids")
@composite
def cumulative_trapezoid(y: Value, x: Any = None, *, dx: Any = None, dim: int = -1) -> Value:
    """The running area under samples along an axis, by trapezoids."""
    if not y.shape:
        raise EngineIndexError("slice() cannot be applied to a 0-dim tensor.")
    d = _checked("cumulative_trapezoid", y, x, dx, dim)
    if x is None:
        left, right = _pairs(y, dim)
        return ops.cumulative.cumsum(_times(left + right, float(1 if dx is None else dx) / 2), dim, None)
    widths = _widths("cumulative_trapezoid", y, x, d)
    left, right = _pairs(y, d)
    return _halved(ops.cumulative.cumsum((left + right) * widths, d, None))


# -- gradients of sampled functions -----------------------------------------------------------------


def _ends_joined(center: Value, first: Value, last: Value, d: int) -> Value:
    return ops.joining.cat([first, center, last], d)


def _evenly(y: Value, width: float, d: int, edge_order: int) -> Value:
    """The slope along an axis by samples that are equally far apart."""
    part = ops.views.slice_

    def over(x: Value) -> Value:
        return x / width if _kind(x) in "iu" else ops.arith.div_number(x, width)

    center = over(part(y, d, 2, None, 1) - part(y, d, 0, -2, 1))
    if edge_order == 1:
        first = over(part(y, d, 1, 2, 1) - part(y, d, 0, 1, 1))
        last = over(part(y, d, -1, None, 1) - part(y, d, -2, -1, 1))
    else:
        first = over(
            _times(part(y, d, 0, 1, 1), -1.5) + _times(part(y, d, 1, 2, 1), 2) - _times(part(y, d, 2, 3, 1), 0.5)
        )
        last = over(
            _times(part(y, d, -3, -2, 1), 0.5)
            - _times(part(y, d, -2, -1, 1), 2)
            + _times(part(y, d, -1, None, 1), 1.5)
        )
    return _ends_joined(ops.arith.div_number(center, 2), first, last, d)


def _unevenly(y: Value, x: Value, d: int, edge_order: int) -> Value:
    """The slope along an axis by samples at given places."""
    part, at = ops.views.slice_, ops.views.select
    shape = tuple([-1 if i == d else 1 for i in range(len(y.shape))])
    widths = diff(x, 1, 0)
    before, after = part(widths, 0, 0, -1, 1), part(widths, 0, 1, None, 1)
    a = ops.views.reshape(-after / (before * (before + after)), shape)
    b = ops.views.reshape((after - before) / (before * after), shape)
    c = ops.views.reshape(before / (after * (before + after)), shape)
    center = a * part(y, d, 0, -2, 1) + b * part(y, d, 1, -1, 1) + c * part(y, d, 2, None, 1)
    if edge_order == 1:
        first = (part(y, d, 1, 2, 1) - part(y, d, 0, 1, 1)) / at(widths, 0, 0)
        last = (part(y, d, -1, None, 1) - part(y, d, -2, -1, 1)) / at(widths, 0, -1)
        return _ends_joined(center, first, last, d)

    def width(i: int) -> Value:
        return at(widths, 0, i)

    a = -(_times(width(0), 2.0) + width(1)) / (width(0) * (width(0) + width(1)))
    b = (width(0) + width(1)) / (width(0) * width(1))
    c = -width(0) / (width(1) * (width(0) + width(1)))
    first = a * part(y, d, 0, 1, 1) + b * part(y, d, 1, 2, 1) + c * part(y, d, 2, 3, 1)
    a = width(-1) / (width(-2) * (width(-1) + width(-2)))
    b = -(width(-1) + width(-2)) / (width(-2) * width(-1))
    c = (_times(width(-1), 2) + width(-2)) / (width(-1) * (width(-1) + width(-2)))
    last = a * part(y, d, -3, -2, 1) + b * part(y, d, -2, -1, 1) + c * part(y, d, -1, None, 1)
    return _ends_joined(center, first, last, d)


@public("torch")
@costs("picking.slopes")
@composite
def gradient(input: Value, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Value, ...]:
    """The slopes along axes of a function that is given by samples."""
    rank = len(input.shape)
    if input.dtype is dtypes.uint8:
        fail("torch.gradient does not support uint8 input.")
    dims = tuple(range(rank)) if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    many = isinstance(spacing, (tuple, list))
    widths = list(spacing) if many else [1 if spacing is None else spacing] * len(dims)
    if isinstance(spacing, (Tensor, np.ndarray)):
        raise no_overload("gradient", input, spacing)
    if many and len(widths) != len(dims):
        wanted = (
            f"expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {rank}', since "
            f"dim argument was not given, but got a list of length {len(widths)}"
            if dim is None
            else "expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same "
            f"length, but got a spacing argument of length {len(widths)} and a dim argument of length {len(dims)}."
        )
        fail(f"torch.gradient {wanted}")
    axes = [axis(d, rank) for d in dims]
    for d in axes:
        if axes.count(d) > 1:
            fail(f"dim {d} appears multiple times in the list of dims")
    if edge_order not in (1, 2):
        fail("torch.gradient only supports edge_order=1 and edge_order=2.")
    if axes and not rank:
        raise EngineIndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    for d in axes:
        if input.shape[d] < edge_order + 1:
            fail("torch.gradient expected each dimension size to be at least edge_order+1")
    found = []
    for d, width in zip(axes, widths, strict=True):
        if isinstance(width, (Tensor, np.ndarray)):
            found.append(_unevenly(input, width, d, edge_order))
        else:
            found.append(_evenly(input, width, d, edge_order))
    return tuple(found)
