"""Variance and standard deviation."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ....errors import EngineTypeError
from ... import ops
from ...call_errors import fail, only_bools
from ...dtypes import F32, F64
from ...numeric.kernels.fused import LARGEST
from ...numeric.kernels.sums import total as sum_up
from ...registry import primitive, public
from ...tensor import Array, Tensor, Value, result as wrapped
from ..common import eq
from .sums import ALL, add_up, along, checked, count, dims, kept, mean_backward, named, restored

# "No correction was given": a correction of None is a correction, and is kept as such.
UNSAID: Any = object()


def var_backward(g: Value, self: Value, dim: tuple[int, ...] | None, correction: Any, keepdim: bool) -> Value:
    """The gradient of a variance."""
    sizes = self.shape
    # No axes, where axes are named, count as one element here, as they do in PyTorch.
    free = count(sizes, dim, math.prod(sizes) if dim is None else 1) - (1 if correction is None else correction)
    if not sizes or dim is None:
        mean = ops.sums.mean_all(self, None)
        if free <= 0:
            # Of fewer elements than are corrected for: 0 times infinity where an element is the mean.
            return g * _infinite(self, mean)
        return (2.0 / free) * g * (self - mean)
    if len(sizes) > 1:
        g = restored(g, sizes, dim, keepdim)
    return (2.0 / free if free else np.inf) * g * (self - ops.sums.mean_dim(self, dim, True, None))


def _infinite(self: Value, mean: Value) -> Value:
    a, m = (x._a if isinstance(x, Tensor) else x for x in (self, mean))
    found = np.where(a == m, a.dtype.type(np.nan), a.dtype.type(np.inf))[()]
    return wrapped(found) if isinstance(self, Tensor) else found


def std_backward(
    g: Value, self: Value, result: Value, dim: tuple[int, ...] | None, correction: Any, keepdim: bool
) -> Value:
    """The gradient of a standard deviation: zero where there is none to share."""
    if isinstance(g, Tensor):
        of_variance = ops.choosing.masked_fill(g / (result * 2), eq(result, 0), 0)
    elif np.logical_and.reduce(result, None):
        of_variance = g / (result + result)
    else:
        at_zero = eq(result, 0)
        of_variance = np.where(at_zero, g.dtype.type(0), g / np.where(at_zero, 1, result * 2))[()]
    return var_backward(of_variance, self, dim, correction, keepdim)


def _moments(
    name: str, a: Array, dim: Any, correction: Any, keepdim: bool, root: bool = False
) -> tuple[Array, Array]:
    """The variance, or its root, and the mean along axes."""
    if a.dtype.kind not in "fc":
        who = "std and var" if "_" not in name else name
        fail(f"{who} only support floating point and complex dtypes")
    d = a.dtype
    over = checked(dim, a.ndim) if dim else tuple(range(a.ndim))
    n = count(a.shape, over, 1)
    exact = d == F32 and a.size <= LARGEST
    alone = d in (F32, F64) and 0 < n == a.size <= LARGEST and "_" not in name
    if alone:
        # Of all elements, and without their mean, PyTorch rounds the mean, and adds up in double width from there.
        mean = sum_up(a) / d.type(n)
        mean = mean.reshape(kept(a.shape, over))
        off = np.subtract(a, mean, dtype=F64)
    else:
        if exact:
            # Else it adds up in double width at once; of many numbers that is not worth the passes.
            a = a.astype(F64)
        mean = along(add_up, a, dim, True)
        mean = mean / n if n else mean * a.dtype.type(np.nan)
        off = a - mean
    if not dim and not keepdim:
        off = off.reshape(-1)
        # Squares of all elements PyTorch adds one after the other.
        total = np.add.accumulate(off * off)[-1] if alone else np.dot(off, off)
    else:
        total = along(add_up, off * off, dim, keepdim)
    free = n - (1 if correction is None else correction)
    if free > 0:
        var = total / free
    else:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
            stacklevel=2,
        )
        var = np.where(total.real > 0, a.dtype.type(np.inf), a.dtype.type(np.nan))[()]
    spread = np.sqrt(var) if root else var
    mean = mean if keepdim else mean.reshape(var.shape)[()]
    return spread.astype(d, copy=False), mean.astype(d, copy=False)


@primitive(self=lambda g, self, dim, correction, keepdim: var_backward(g, self, dim, correction, keepdim), form="along")
def var(self: Array, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Array:
    """The variance along axes, with n - correction degrees of freedom."""
    return _moments("var", self, dim, correction, keepdim)[0]


def _std_pushed(t: Value, self: Value, result: Value, dim: Any, correction: Any, keepdim: bool) -> Value:
    """The tangent of a standard deviation: the rule turned round would divide by one of zero."""
    moved = var_backward(ops.lazy.conjugate(t), self, dim, correction, True)
    if self.is_complex():
        moved = ops.parts.real(moved)
    of_variance = ops.sums.sum_dim(moved, dim or (), keepdim, None)
    return ops.choosing.masked_fill(of_variance / (result * 2), eq(result, 0), 0)


@primitive(
    self=lambda g, self, result, dim, correction, keepdim: std_backward(g, self, result, dim, correction, keepdim),
    pushes=lambda self_t, self, result, dim, correction, keepdim: _std_pushed(
        self_t, self, result, dim, correction, keepdim
    ),
    form="along",
)
def std(self: Array, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Array:
    """The standard deviation along axes, with n - correction degrees of freedom."""
    return _moments("std", self, dim, correction, keepdim, True)[0]


def _pair_backward(first: Value | None, g: Value | None, self: Value, dim: Any, keepdim: bool) -> Value:
    """The gradients of a spread and of a mean, together."""
    if g is None:
        return first
    sizes = self.shape
    of_mean = mean_backward(g, sizes, dim, math.prod(sizes), keepdim)
    return of_mean if first is None else first + of_mean


def _var_mean_backward(g: list[Value], self: Value, dim: Any, correction: Any, keepdim: bool) -> Value:
    first = None if g[0] is None else var_backward(g[0], self, dim, correction, keepdim)
    return _pair_backward(first, g[1], self, dim, keepdim)


def _std_mean_backward(g: list[Value], self: Value, result0: Value, dim: Any, correction: Any, keepdim: bool) -> Value:
    first = None if g[0] is None else std_backward(g[0], self, result0, dim, correction, keepdim)
    return _pair_backward(first, g[1], self, dim, keepdim)


@primitive(
    outputs=("result0", "result1"),
    self=lambda g, self, dim, correction, keepdim: _var_mean_backward(g, self, dim, correction, keepdim),
    form="along",
)
def var_mean(self: Array, dim: Any = None, correction: Any = None, keepdim: bool = False) -> tuple[Array, Array]:
    """The variance and the mean along axes."""
    return _moments("var_mean", self, dim, correction, keepdim)


@primitive(
    outputs=("result0", "result1"),
    self=lambda g, self, result0, dim, correction, keepdim: _std_mean_backward(
        g, self, result0, dim, correction, keepdim
    ),
    form="along",
)
def std_mean(self: Array, dim: Any = None, correction: Any = None, keepdim: bool = False) -> tuple[Array, Array]:
    """The standard deviation and the mean along axes."""
    return _moments("std_mean", self, dim, correction, keepdim, True)


def _call(
    op: Any, input: Value, dim: Any, unbiased: Any, keepdim: bool, correction: Any, other: dict[str, Any]
) -> Value:
    """Sort out the ways to say which axes and which correction."""
    if other:
        dim, keepdim = named(op.__name__, other, dim, keepdim)
    if type(keepdim) is not bool:
        only_bools(op.__name__, keepdim=keepdim)
    if isinstance(dim, bool):
        # var(input, unbiased)
        dim, unbiased = ALL, dim
    if correction is UNSAID:
        if unbiased is None:
            correction = None if dim is ALL else 1
        elif isinstance(unbiased, bool):
            correction = int(unbiased)
        else:
            raise EngineTypeError(f"{op.__name__}(): argument 'unbiased' must be bool, not {type(unbiased).__name__}")
    return op(input, None if dim is ALL else dims(dim), correction, keepdim)


def _offered(op: Any, doc: str) -> Any:
    def call(
        input: Value,
        dim: Any = ALL,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: Any = UNSAID,
        **other: Any,
    ) -> Value:
        return _call(op, input, dim, unbiased, keepdim, correction, other)

    call.__name__ = call.__qualname__ = op.__name__
    call.__doc__ = doc
    return call


public("torch.var Tensor.var")(_offered(var, "The variance of all elements, or along axes."))
public("torch.std Tensor.std")(_offered(std, "The standard deviation of all elements, or along axes."))
public("torch.var_mean")(_offered(var_mean, "The variance and the mean, of all elements or along axes."))
public("torch.std_mean")(_offered(std_mean, "The standard deviation and the mean, of all elements or along axes."))
