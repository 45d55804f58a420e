"""Sums and what is counted like them: along some axes, or over all elements."""

from __future__ import annotations

import operator
from math import isfinite
from typing import Any

import numpy as np

from ....errors import EngineTypeError, Unsupported
from ... import ops
from ...autocasting import under_autocast
from ...call_errors import fail
from ...declaration import made_as_out
from ...dtypes import DTYPES, F32, F64, I64, as_numpy, zeros_of
from ...memory.layout import like_operands
from ...numeric.bfloat16 import Brain, viewed
from ...numeric.common import quiet
from ...numeric.halves import converted
from ...numeric.kernels import library
from ...numeric.kernels.sums import over, total as sum_up
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants, result
from ..common import axes, eq
from ..matrix.matmul import written

ndarray = np.ndarray
add_up = np.add.reduce

# "No dim was given": a dim of None is a dim, and makes another node.
ALL: Any = object()


# -- arguments and axes ----------------------------------------------------------------------


def named(function: str, other: dict[str, Any], dim: Any, keepdim: Any = ALL) -> tuple[Any, Any]:
    """``dim`` and ``keepdim``, where NumPy's names for them may have been used; ``ALL``: it has no ``keepdim``."""
    keeps = keepdim is not ALL
    keepdim = keepdim if keeps else False
    for name, value in other.items():
        if name == "axis":
            if type(dim) is int and dim != -1:
                raise EngineTypeError(f"{function}() got multiple values for argument 'dim'")
            dim = value
        elif name == "keepdims" and keeps:
            keepdim = value
        elif name != "out":
            raise EngineTypeError(f"{function}() got an unexpected keyword argument '{name}'")
        elif value is not None:
            raise Unsupported(f"{function}: out= is not supported")
    if not isinstance(keepdim, (bool, np.bool_)):
        raise EngineTypeError(
            f"{function}(): argument 'keepdim' must be bool, not {type(keepdim).__name__}",
            help="several axes stand in a tuple, as in dim=(0, 1)",
        )
    return dim, keepdim


def dims(dim: Any) -> tuple[int, ...] | None:
    """One axis or several, as nodes keep them."""
    if type(dim) is int:
        return (dim,)
    if dim is None:
        return None
    if isinstance(dim, (tuple, list)):
        return tuple(dim)
    return (operator.index(dim),)


def one(function: str, dim: Any) -> int:
    """One axis, and nothing else."""
    if type(dim) is int:
        return dim
    try:
        if dim is not True and dim is not False:
            return operator.index(dim)
    except TypeError:
        pass
    kind = type(dim).__name__
    raise EngineTypeError(f"{function}() received an invalid combination of arguments - got ({kind})")


def checked(dim: Any, ndim: int) -> tuple[int, ...]:
    """Axes counted from the front, as NumPy takes them, or PyTorch's error; all of them for none."""
    found = axes(dim, ndim)
    return found if ndim else ()


def along(reduce: Any, a: Array, dim: tuple[int, ...] | None, keepdim: bool, dtype: Any = None) -> Array:
    """A NumPy reduction along axes, over all of them for none."""
    try:
        r = reduce(a, dim or None, dtype, None, keepdim)
    except ValueError:
        r = reduce(a, checked(dim, a.ndim), dtype, None, keepdim)
    # NumPy lays results out as their operands were; PyTorch lays reductions out row by row.
    return r if a.flags.c_contiguous or not r.ndim else row_by_row(r)


def summed(a: Array, dim: tuple[int, ...] | None, keepdim: bool) -> Array:
    """The sum along axes, over all of them for none, of numbers of any kind: of floats in PyTorch's order."""
    if dim and a.dtype.kind == "f":
        r = None
        if a.ndim:
            dim = checked(dim, a.ndim)
            r = over(a, dim)
            if r is None and not a.flags.c_contiguous:
                from ...numeric.kernels.strided_sums import over_strided

                r = over_strided(a, dim)
        if r is not None:
            # A sum for each of a few rows may lie between sums of parts of them.
            r = r if r.flags.c_contiguous else row_by_row(r)
            return r.reshape(kept(a.shape, dim)) if keepdim else r[()]
    return along(add_up, a, dim, keepdim)


def row_by_row(a: Array) -> Array:
    """An array in row-major order, also where its axes have length 1."""
    return np.ascontiguousarray(a).reshape(-1).reshape(a.shape)


def kept(sizes: tuple[int, ...], dim: tuple[int, ...]) -> tuple[int, ...]:
    """``sizes`` with the axes ``dim`` of length 1."""
    out = list(sizes)
    for d in dim:
        out[d] = 1
    return tuple(out)


def restored(g: Value, sizes: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool) -> Value:
    """``g`` with the axes that a reduction took away, of length 1."""
    if keepdim or not sizes or not dim:
        return g
    if not isinstance(g, Tensor):
        return g.reshape(kept(sizes, dim))
    if len(dim) == 1:
        return ops.views.unsqueeze(g, dim[0])
    for d in sorted([d % len(sizes) for d in dim]):
        g = ops.views.unsqueeze(g, d)
    return g


def spread(g: Value, sizes: tuple[int, ...]) -> Value:
    """``g`` expanded to ``sizes``: its memory, read again and again."""
    if isinstance(g, Tensor):
        return ops.views.expand(g, sizes)
    if g.shape == sizes:
        return g
    if type(g) is Brain:
        return viewed(np.broadcast_to, g, sizes)
    if not g.ndim:
        # A NumPy scalar has no memory that as_strided could read.
        return ndarray(sizes, g.dtype, np.asarray(g), 0, (0,) * len(sizes))
    if g.ndim == len(sizes) and g.flags.c_contiguous:
        # NumPy's broadcast_to takes five times as long.
        steps = [step if n == m else 0 for step, n, m in zip(g.strides, g.shape, sizes, strict=True)]
        return ndarray(sizes, g.dtype, g, 0, steps)
    return np.broadcast_to(g, sizes)


def _repeated(g: Array, sizes: tuple[int, ...]) -> Array:
    """An array repeated to ``sizes``, in memory of its own."""
    e = zeros_of(sizes, g.dtype)
    e[...] = g
    return e if e.ndim else e[()]


def blank(g: Value, sizes: tuple[int, ...]) -> Value:
    """Zeros of another shape, as ``g`` is: an array, or a Tensor."""
    return constants(zeros_of(sizes, g._a.dtype)) if isinstance(g, Tensor) else zeros_of(sizes, g.dtype)


def count(sizes: tuple[int, ...], dim: tuple[int, ...] | None, numel: int) -> int:
    """The number of elements that are reduced to one."""
    if not dim:
        return numel
    n = 1
    if sizes:
        for d in dim:
            n *= sizes[d]
    return n


def named_dtype(a: Array) -> str:
    """PyTorch's word for an array's element type."""
    return DTYPES[a.dtype].tensor_name


def cast(a: Array, dtype: Any) -> Array:
    """``a`` in the element type that the caller asked for."""
    return a if dtype is None else converted(a, as_numpy(dtype))


# -- sum -------------------------------------------------------------------------------------


@primitive(
    node="SumBackward0", self=lambda g, self_sym_sizes: spread(g, self_sym_sizes), form=("summed", "sum_dim", False)
)
def sum_all(self: Array, dtype: Any = None) -> Array:
    """The sum of all elements."""
    if dtype is not None:
        self = cast(self, dtype)
        return add_up(self, None, self.dtype)
    return add_up(self, None, I64) if self.dtype.kind in "biu" else sum_up(self)


@primitive(
    node="SumBackward1",
    self=lambda g, self_sym_sizes, dim, keepdim: spread(restored(g, self_sym_sizes, dim, keepdim), self_sym_sizes),
    form="along",
)
def sum_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    """The sum along axes."""
    if dtype is not None:
        self = cast(self, dtype)
        return along(add_up, self, dim, keepdim, self.dtype)
    return along(add_up, self, dim, keepdim, I64) if self.dtype.kind in "biu" else summed(self, dim, keepdim)


@public("torch Tensor")
@made_as_out
@composite
def sum(input: Value, dim: Any = ALL, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Value:
    """The sum of all elements, or along axes."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("sum", other, dim, keepdim)
    return sum_all(input, dtype) if dim is ALL else sum_dim(input, dims(dim), keepdim, dtype)


def sum_to(g: Value, size: tuple[int, ...]) -> Value:
    """``g`` summed over the axes along which ``size`` was broadcast to it."""
    if isinstance(g, Tensor):
        return _recorded_sum_to(g, size)
    have = g.shape
    if have == size:
        return g
    if not size:
        return sum_up(g)
    lead = len(have) - len(size)
    if have[lead:] == size:
        return summed(g, tuple(range(lead)), False)
    ones = tuple([i for i, n in enumerate(size, lead) if n == 1 and have[i] != 1])
    return summed(g, (*range(lead), *ones), False).reshape(size)


def _recorded_sum_to(g: Tensor, size: tuple[int, ...]) -> Value:
    have = g._a.shape
    if not size:
        return sum_all(g, None)
    lead = len(have) - len(size)
    over = (*range(lead), *[i for i, n in enumerate(size, lead) if n == 1 and have[i] != 1])
    if over:
        g = sum_dim(g, over, True, None)
    return ops.views.view(g, size) if lead else g


@public("Tensor")
@composite
def sum_to_size(input: Value, *size: Any) -> Value:
    """The sum over the axes along which ``size`` would be broadcast to the tensor."""
    wanted = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    have = input.shape
    tail = have[len(have) - len(wanted) :]
    if len(wanted) > len(have) or any(w not in (1, n) for w, n in zip(wanted, tail, strict=True)):
        fail(f"size {{{list(wanted)}}} is not expandable to size {{{list(have)}}}.")
    return input if tuple(have) == wanted and wanted else sum_to(input, wanted)


# -- mean ------------------------------------------------------------------------------------


def _mean_all_backward(g: Value, sizes: tuple[int, ...], numel: int) -> Value:
    return ops.views.expand(g, sizes) / numel if isinstance(g, Tensor) else _repeated(g / (numel or 1), sizes)


def mean_backward(g: Value, sizes: tuple[int, ...], dim: tuple[int, ...] | None, numel: int, keepdim: bool) -> Value:
    """The gradient of a mean along axes."""
    n = count(sizes, dim, numel)
    if isinstance(g, Tensor):
        return ops.views.expand(restored(g, sizes, dim, keepdim), sizes) / n
    return _repeated(restored(g / (n or 1), sizes, dim, keepdim), sizes)


@primitive(
    node="MeanBackward0",
    self=lambda g, self_sym_sizes, self_sym_numel: _mean_all_backward(g, self_sym_sizes, self_sym_numel),
    pushes=lambda self_t, dtype: mean_all(self_t, dtype),
    form=("summed", "mean_dim", True),
)
def mean_all(self: Array, dtype: Any = None) -> Array:
    """The mean of all elements."""
    if dtype is not None or self.dtype.kind not in "fc":
        self = _floating(self, dtype)
    return sum_up(self) / self.size if self.size else self.dtype.type(np.nan)


@primitive(
    node="MeanBackward1",
    self=lambda g, self_sym_sizes, dim, self_sym_numel, keepdim: mean_backward(
        g, self_sym_sizes, dim, self_sym_numel, keepdim
    ),
    pushes=lambda self_t, dim, keepdim, dtype: mean_dim(self_t, dim, keepdim, dtype),
    form="along",
)
def mean_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    """The mean along axes."""
    if dtype is not None or self.dtype.kind not in "fc":
        self = _floating(self, dtype)
    total = summed(self, dim, keepdim)
    n = count(self.shape, dim, self.size)
    return total / n if n else total * self.dtype.type(np.nan)


def _floating(a: Array, dtype: Any) -> Array:
    asked = "Input" if dtype is None else "Optional"
    a = cast(a, dtype)
    if a.dtype.kind not in "fc":
        fail(
            f"mean(): could not infer output dtype. {asked} dtype must be either a floating point or complex dtype. "
            f"Got: {named_dtype(a)}"
        )
    return a


@public("torch Tensor")
@composite
def mean(input: Value, dim: Any = ALL, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Value:
    """The mean of all elements, or along axes."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("mean", other, dim, keepdim)
    return mean_all(input, dtype) if dim is ALL else mean_dim(input, dims(dim), keepdim, dtype)


# -- sums that skip nan ----------------------------------------------------------------------


@primitive(
    self=lambda g, self, dim, keepdim: spread(restored(g, self.shape, dim, keepdim), self.shape) * eq(self, self),
    form="along",
)
def nansum(self: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Array:
    """The sum along axes of what is not nan."""
    total = sum_dim(self, dim, keepdim, dtype)
    if self.dtype.kind in "fc" and not np.logical_and.reduce(np.equal(total, total), None):
        self = np.where(np.isnan(self), self.dtype.type(0), self)
        total = sum_dim(self, dim, keepdim, dtype)
    return total


@public("torch.nansum Tensor.nansum")
@made_as_out
def _nansum(input: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Value:
    """The sum of what is not nan, of all elements or along axes."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("nansum", other, dim, keepdim)
    return nansum(input, dims(dim), keepdim, dtype)


@public("torch Tensor")
@composite
def nanmean(input: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Value:
    """The mean of what is not nan, of all elements or along axes."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("nanmean", other, dim, keepdim)
    a = input._a if isinstance(input, Tensor) else input
    if a.dtype.kind not in "fc":
        fail(f"nanmean(): expected input to have floating point or complex dtype but got {named_dtype(a)}")
    present = sum_dim(np.equal(a, a), dims(dim), keepdim, None)
    total = nansum(input, dims(dim), keepdim, dtype)
    return total / (result(present) if isinstance(input, Tensor) else present)


# -- trace -----------------------------------------------------------------------------------


def _trace_backward(g: Value, sizes: tuple[int, ...]) -> Value:
    rows, columns = sizes
    end = min(rows, columns) * (columns + 1)
    if isinstance(g, Tensor):
        where = result(np.arange(0, end, columns + 1))
        filled = ops.index_select.index_fill(blank(g, (rows * columns,)), 0, where, g)
        return ops.views.view(written(written(filled)), sizes)
    flat = zeros_of(rows * columns, g.dtype)
    flat[: end : columns + 1] = g
    return flat.reshape(sizes)


@public("torch Tensor")
@under_autocast("single")
@primitive(
    self=lambda g, self_sym_sizes: _trace_backward(g, self_sym_sizes),
    form="diagonal_sum",
    no_whole="trace but integers",
)
def trace(self: Array) -> Array:
    """The sum of the diagonal of a matrix."""
    if self.ndim != 2:
        fail(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    if self.dtype == F32:
        return F32.type(np.add.reduce(self.diagonal(), None, F64))
    return add_up(self.diagonal(), None, I64 if self.dtype.kind in "biu" else None)


# -- log-sum-exp -----------------------------------------------------------------------------


def _logsumexp_backward(g: Value, self: Value, result: Value, dim: Any, keepdim: bool) -> Value:
    if not isinstance(g, Tensor) and dim and not keepdim and self.ndim:
        size = kept(self.shape, dim)
        return g.reshape(size) * library.exp(quiet(np.subtract, self, result.reshape(size)))
    sizes = self.shape
    return restored(g, sizes, dim, keepdim) * ops.elementary.exp(self - restored(result, sizes, dim, keepdim))


@primitive(
    floating=True,
    self=lambda g, self, result, dim, keepdim: _logsumexp_backward(g, self, result, dim, keepdim),
    left_of=("ones",),
    form="along",
    own_precision=True,
)
def logsumexp(self: Array, dim: Any, keepdim: bool = False) -> Array:
    """The logarithm of the sum of exponentials along axes, without overflow."""
    if not self.size:
        with np.errstate(divide="ignore"):
            return np.log(summed(np.exp(self), dim, keepdim))
    if not dim and self.ndim and not keepdim:
        fail(f"output with shape [] doesn't match the broadcast shape {[1] * self.ndim}")
    top = along(np.maximum.reduce, self.real if self.dtype.kind == "c" else self, dim, True)
    if isfinite(quiet(add_up, top, None)):
        r = library.log(summed(library.exp(like_operands(self - top, self, top)), dim, keepdim))
    else:
        top = np.where(np.isfinite(top), top, top.dtype.type(0))
        with np.errstate(divide="ignore"):
            r = library.log(summed(library.exp(like_operands(self - top, self, top)), dim, keepdim))
    return r + (top if keepdim else top.reshape(r.shape))


@public("torch.logsumexp Tensor.logsumexp special.logsumexp")
def _logsumexp(input: Value, dim: Any = ALL, keepdim: bool = False, **other: Any) -> Value:
    """The logarithm of the sum of exponentials along axes."""
    if other or type(keepdim) is not bool:
        dim, keepdim = named("logsumexp", other, dim, keepdim)
    if dim is ALL:
        raise EngineTypeError('logsumexp() missing 1 required positional arguments: "dim"')
    if dim is None:
        raise EngineTypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType")
    return logsumexp(input, dims(dim), keepdim)
