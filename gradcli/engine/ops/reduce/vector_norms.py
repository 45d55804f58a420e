"""Vector norms, of all elements or along axes, and what is built of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineTypeError, Unsupported
from ... import ops
from ...call_errors import fail, only_bools
from ...costs import costs
from ...declaration import given_for_out, in_python
from ...dtypes import DTYPES, F32, as_numpy, ones_of, promote, wider, zeros_of
from ...numeric.common import quiet
from ...numeric.kernels.fused import LARGEST, rounded
from ...numeric.kernels.strided_sums import Walk, one_after_another, walk
from ...numeric.kernels.sums import UNSHARED, squares_of_rows, sum_of_squares
from ...registry import composite, primitive, public
from ...tensor import Array, Tensor, Value, constants
from ..common import axis, eq, gt, re
from .extrema import mean_where
from .sums import along, cast, checked, dims, kept, named, named_dtype, restored

INF = math.inf


# -- the norm itself -------------------------------------------------------------------------


def _size(a: Array) -> Array:
    """|a|, the sign taken from the real part."""
    return np.where(a.real < 0, -a, a) if a.dtype.kind == "c" else np.abs(a)


def _in_turn(a: Array, dim: tuple[int, ...] | None, *more: Any) -> Array:
    """The sum along axes of numbers of single precision as PyTorch's other norms add: one after the other."""
    if a.dtype is F32 and 4 < a.size <= LARGEST and a.flags.c_contiguous:
        if a.size <= UNSHARED and (dim is None or len(dim) == a.ndim):
            total = np.add.accumulate(a.reshape(-1))[-1]
            return total.reshape((1,) * a.ndim) if more[-1] else total
        if dim in ((-1,), (a.ndim - 1,)):
            total = np.add.accumulate(a, -1)[..., -1].copy()
            return total.reshape(*total.shape, 1) if more[-1] else total
    return np.add.reduce(a, dim, *more)


def _walked(a: Array, dim: tuple[int, ...] | None) -> Walk | None:
    """The walk of a norm of single precision along axes that are not all there are."""
    return walk(a, checked(dim, a.ndim)) if dim and a.dtype is F32 and 4 < a.size <= LARGEST else None


def _as_asked(total: Array, a: Array, dim: tuple[int, ...], keepdim: bool, left: tuple[int, ...]) -> Array:
    return total.reshape(kept(a.shape, checked(dim, a.ndim)) if keepdim else left)[()]


def _of_powers(a: Array, p: float, dim: tuple[int, ...] | None, keepdim: bool) -> Array:
    """The root of the sum of powers, of single precision."""
    total = along(_in_turn, rounded(np.power, np.abs(a), F32.type(p)), dim, keepdim)
    return rounded(np.power, total, F32.type(1 / p))


def power_norm(a: Array, p: float, dim: tuple[int, ...] | None, keepdim: bool) -> Array:
    """The p-norm along axes."""
    if p == 2:
        if not dim and not keepdim:
            # What is read is the memory, not the order of the axes.
            v = a.transpose(np.argsort(a.strides, kind="stable")[::-1])
            in_order = a.dtype.kind == "f" and a.dtype.itemsize >= 4 and a.size <= LARGEST and v.flags.c_contiguous
            v = (v if in_order else a).reshape(-1)
            total = sum_of_squares(v) if in_order else np.dot(v, v)
            return np.sqrt(total) if a.dtype.kind == "c" else a.dtype.type(math.sqrt(total))
        if dim in ((-1,), (a.ndim - 1,)) and a.dtype == F32 and a.flags.c_contiguous and a.size and a.ndim:
            total = squares_of_rows(a)
            return np.sqrt(total[..., None] if keepdim else total)
        if dim and (found := _walked(a, dim)):
            x = found.rows
            total = squares_of_rows(x) if found.is_in_rows else one_after_another(x * x)
            return np.sqrt(_as_asked(total, a, dim, keepdim, found.left))
        return np.sqrt(along(np.add.reduce, a * a, dim, keepdim))
    if p == 1:
        if dim and (found := _walked(a, dim)):
            return _as_asked(one_after_another(_size(found.rows)), a, dim, keepdim, found.left)
        return along(_in_turn, _size(a), dim, keepdim)
    if p == 0:
        return along(np.add.reduce, re(a) != 0, dim, keepdim, a.dtype)
    if math.isinf(p):
        extremum = np.maximum.reduce if p > 0 else np.minimum.reduce
        size = _size(a)
        if a.dtype.kind == "c":
            return mean_where(size, np.equal(size.real, along(extremum, size.real, dim, True)), dim, keepdim)
        return along(extremum, size, dim, keepdim)
    if a.dtype == F32:
        return quiet(_of_powers, a, p, dim, keepdim)
    return quiet(lambda: along(np.add.reduce, _size(a) ** p, dim, keepdim) ** (1 / p))


def norm_backward(
    g: Value, self: Value, p: Any, norm: Value, dim: tuple[int, ...] | None = None, keepdim: bool = True
) -> Value:
    """The gradient of a p-norm: zero at its tip."""
    p = float(2 if p is None else p)
    g, norm = restored(g, self.shape, dim, keepdim), restored(norm, self.shape, dim, keepdim)
    if p == 0:
        return None
    if p == 1:
        return ops.kinked.sgn(self) * g
    if p == 2:
        return g * _masked(self, norm)
    if math.isinf(p):
        size = ops.kinked.abs(self)
        top = eq(size, norm) | (size != size)
        return ops.kinked.sgn(self) * (g / ops.sums.sum_dim(top, dim or (), True, None) * top)
    if p < 1:
        steep = ops.kinked.sgn(self) * ops.choosing.masked_fill(_power(ops.kinked.abs(self), p - 1), eq(self, 0), 0)
        return steep * g * _power(norm, 1 - p)
    scale = _masked(g, _power(norm, p - 1), eq(norm, 0))
    if p < 2:
        return ops.kinked.sgn(self) * _power(ops.kinked.abs(self), p - 1) * scale
    return self * _power(ops.kinked.abs(self), p - 2) * scale


def _power(x: Value, exponent: float) -> Value:
    if not isinstance(x, Tensor):
        return quiet(np.power, x, exponent)
    base: Value = x
    return base**exponent


def _masked(x: Value, norm: Value, at_zero: Value = None) -> Value:
    """``x / norm``, zero where the norm is."""
    if at_zero is None:
        at_zero = eq(norm, 0)
    if isinstance(x, Tensor) or isinstance(norm, Tensor):
        return ops.choosing.masked_fill(x / norm, at_zero, 0)
    if not np.logical_or.reduce(at_zero, None):
        return x / norm
    return np.where(at_zero, norm.dtype.type(0), x / np.where(at_zero, 1, norm))[()]


def pushed(t: Value, self: Value, p: Any, norm: Value, dim: Any, keepdim: bool) -> Value:
    """The tangent of a norm: the rules turned round would divide by a norm of zero."""
    share = norm_backward(constants(ones_of(norm._a.shape, norm._a.dtype)), self, p, norm, dim, keepdim)
    if share is None:
        return constants(zeros_of(norm._a.shape, norm._a.dtype))
    if self.is_complex():
        share, t = ops.parts.real(ops.lazy.conjugate(share) * t), 1
    return ops.sums.sum_dim(share * t, dim or (), keepdim, None)


def _check(a: Array, p: Any, dim: tuple[int, ...] | None) -> None:
    if a.dtype.kind not in "fc":
        fail(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {named_dtype(a)}")
    if a.size == 0 and (p < 0 or p == INF):
        if not dim:
            fail(
                f"linalg.vector_norm cannot compute the {float(p):g} norm on an empty tensor because the operation "
                "does not have an identity"
            )
        for d in dim:
            if a.shape[axis(d, a.ndim)] == 0:
                fail(
                    f"linalg.vector_norm cannot compute the {float(p):g} norm on the dimension {axis(d, a.ndim)} "
                    "because this dimension is empty and the operation does not have an identity"
                )


def _kink(a: Array, p: Any, dim: tuple[int, ...] | None = None, *_: Any) -> Array:
    """Elements change sign at kinks of a norm up to the first; the largest changes at one of the last."""
    p = float(p)
    if math.isinf(p):
        extremum = np.maximum.reduce if p > 0 else np.minimum.reduce
        return np.stack([a, np.abs(a) - along(extremum, np.abs(a), dim, True)])
    return a if p <= 1 else np.abs(a)


@primitive(
    self=lambda g, self, result, ord, dim, keepdim: norm_backward(g, self, ord, result, dim, keepdim),
    pushes=lambda self_t, self, ord, dim, keepdim, result: pushed(self_t, self, ord, result, dim, keepdim),
    kink=_kink,
    form="along",
)
def linalg_vector_norm(self: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Array:
    """The p-norm of all elements, or along axes."""
    _check(self, ord, dim)
    if dtype is not None:
        wanted = as_numpy(dtype)
        if wanted.kind not in "fc":
            fail(f"linalg.vector_norm: dtype should be floating point or complex. Got {DTYPES[wanted].tensor_name}")
        if wider(self.dtype, wanted) != wanted and self.dtype.kind != "c":
            fail(
                f"linalg.vector_norm: the dtype of the input ({named_dtype(self)}) should be convertible without "
                f"narrowing to the specified dtype ({DTYPES[wanted].tensor_name})"
            )
    return power_norm(cast(self, dtype), float(ord), dim, keepdim)


@primitive(
    node="NormBackward1",
    self=lambda g, self, result, p, dim, keepdim: norm_backward(g, self, p, result, dim, keepdim),
    pushes=lambda self_t, self, p, dim, keepdim, result: pushed(self_t, self, p, result, dim, keepdim),
    kink=_kink,
    form="along",
)
def norm_dim(self: Array, p: Any, dim: Any, keepdim: bool = False) -> Array:
    """The p-norm along axes, as pairwise distances take it."""
    return power_norm(self, float(p), dim, keepdim)


@public("linalg")
@given_for_out()
@composite
def vector_norm(
    x: Value, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **other: Any
) -> Value:
    """The p-norm of all elements, or along axes."""
    dim, keepdim = named("linalg_vector_norm", other, dim, keepdim)
    if isinstance(ord, (str, type(None))):
        raise EngineTypeError(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}"
        )
    return linalg_vector_norm(x, ord, dims(dim), keepdim, None if dtype is x.dtype else dtype)


# -- norms of matrices -----------------------------------------------------------------------


def _spoken(dims_: Any) -> str:
    return "[" + ", ".join(map(str, dims_)) + "]"


@public("linalg")
@given_for_out("linalg.matrix_norm expected out tensor dtype {found} but got: {given}")
@costs("solving.norm")
@composite
def matrix_norm(A: Value, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Value:
    """A norm of matrices: Frobenius, or the largest (smallest) sum of rows, of columns, or singular value."""
    if type(keepdim) is not bool:
        only_bools("linalg_matrix_norm", keepdim=keepdim)
    if dtype is A.dtype:
        dtype = None
    known = ("fro", "nuc") if isinstance(ord, str) else (1, 2, INF)
    if (ord if isinstance(ord, str) else abs(ord)) not in known:
        shown = ord if isinstance(ord, str) else f"{float(ord):g}"
        fail(f"linalg.matrix_norm: Order {shown} not supported.")
    a = A._a if isinstance(A, Tensor) else A
    if a.ndim < 2:
        fail("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if a.dtype.kind not in "fc":
        fail(f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {named_dtype(a)}")
    over = dims(dim) or ()
    if len(over) != 2:
        fail(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, over))}")
    i, j = axis(over[0], a.ndim), axis(over[1], a.ndim)
    if i == j:
        fail(f"linalg.matrix_norm: dims must be different. Got ({i}, {j})")
    if ord == "fro":
        return linalg_vector_norm(A, 2, (i, j), keepdim, dtype)
    if ord in ("nuc", 2, -2):
        return _of_singular_values(A, ord, i, j, keepdim, dtype)
    if abs(ord) == INF:
        i, j = j, i
    sums = linalg_vector_norm(A, 1.0, (i,), keepdim, dtype)
    if not keepdim and i < j:
        j -= 1
    return _farthest(sums, ord > 0, j, keepdim)


def _farthest(sizes: Value, greatest: bool, d: int, keepdim: bool) -> Value:
    """The greatest along an axis, zero where there is none; or the least."""
    if greatest and not sizes.shape[d]:
        a = sizes._a if isinstance(sizes, Tensor) else sizes
        d %= a.ndim
        none = zeros_of((*a.shape[:d], *([1] if keepdim else []), *a.shape[d + 1 :]), a.dtype)
        return constants(none) if isinstance(sizes, Tensor) else none
    return (ops.extrema.amax if greatest else ops.extrema.amin)(sizes, (d,), keepdim)


def _of_singular_values(A: Value, ord: Any, i: int, j: int, keepdim: bool, dtype: Any) -> Value:
    if dtype is not None:
        A = A.to(dtype)
    rank = len(A.shape)
    order = (*[d for d in range(rank) if d not in (i, j)], i, j)
    values = ops.decompositions.svdvals(ops.views.permute(A, order))
    if ord == "nuc":
        r = ops.sums.sum_dim(values, (-1,), keepdim, None)
    else:
        r = _farthest(values, ord > 0, -1, keepdim)
    return ops.views.permute(ops.views.unsqueeze(r, -1), ops.views.inverse(order)) if keepdim else r


@public("linalg.norm")
@given_for_out("linalg.norm expected out tensor dtype {found} but got: {given}")
@costs("solving.norm")
def _linalg_norm(
    A: Value, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **other: Any
) -> Value:
    """A norm of vectors or matrices, by the shape and the axes."""
    dim, keepdim = named("linalg_norm", other, dim, keepdim)
    over = dims(dim)
    rank = len(A.shape)
    if over is not None:
        if len(over) not in (1, 2):
            fail(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {_spoken(over)}")
    elif ord is not None and rank not in (1, 2):
        fail(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank}D.")
    if isinstance(ord, str) or (ord is not None and (rank if over is None else len(over)) == 2):
        return matrix_norm(A, ord, (-2, -1) if over is None else over, keepdim, dtype=dtype)
    return linalg_vector_norm(A, 2.0 if ord is None else ord, over, keepdim, dtype)


@in_python
@public("torch Tensor")
@given_for_out()
@costs("solving.norm")
@composite
def norm(
    input: Value, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, out: Any = None, dtype: Any = None
) -> Value:
    """A norm of vectors or matrices: 2-norm of all elements unless told otherwise."""
    if out is not None:
        raise Unsupported("norm: out= is not supported")
    over = dims(dim)
    if not isinstance(p, str):
        return vector_norm(input, 2.0 if p is None else p, over, keepdim, dtype=dtype)
    if p == "fro" and (over is None or len(over) <= 2):
        return vector_norm(input, 2, over, keepdim, dtype=dtype)
    return matrix_norm(input, p, tuple(range(len(input.shape))) if over is None else over, keepdim, dtype=dtype)


# -- distances, and norms held down ----------------------------------------------------------


@public("torch Tensor")
@primitive(
    broadcasts=True,
    kink=lambda self, other, p=2: _kink(self - other, p),
    self=lambda g, self, other, p, result: norm_backward(g, self - other, p, result),
    other=lambda g, self, other, p, result: _negated(norm_backward(g, self - other, p, result)),
)
def dist(self: Array, other: Array, p: Any = 2) -> Array:
    """The p-norm of a difference."""
    d = promote(self, other)
    ops.arith.refuse_bool(self, other)
    apart = (self if self.dtype is d else self.astype(d)) - (other if other.dtype is d else other.astype(d))
    if apart.dtype.kind not in "fc":
        fail(f"norm(): input dtype should be either floating point or complex. Got {named_dtype(apart)} instead.")
    return power_norm(apart, float(p), None, False)


def _negated(g: Value) -> Value:
    return None if g is None else -g


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    d = axis(dim, ndim)
    return tuple([i for i in range(ndim) if i != d])


def renorm_backward(g: Value, along_self: Value, self: Value, p: Any, dim: int, maxnorm: Any) -> Value:
    """The gradient of slices scaled down; ``along_self``: what arrives, along each element."""
    over = _others(len(self.shape), dim)
    norm = linalg_vector_norm(self, p, over, True, None)
    total = ops.sums.sum_dim(along_self, over, True, None)
    by_norm = norm_backward(total, self, p, norm, over, True)
    scale = ops.elementary.reciprocal(norm + 1e-7)
    inner = g if by_norm is None else g - scale * by_norm
    return ops.choosing.where(gt(norm, maxnorm), (scale * maxnorm) * inner, g)


def renorm_factor(self: Array, sizes: Array, p: Any, dim: int, maxnorm: Any) -> Array:
    """By what each slice along an axis is scaled down; ``sizes``: those of its elements, as a norm takes them."""
    if self.ndim < 2:
        fail(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if float(p) <= 0:
        fail("renorm: non-positive-norm not supported")
    if float(maxnorm) < 0:
        fail(f"renorm: expected maxnorm to be >= 0 but got {float(maxnorm):g}")
    _check(self, p, None)
    norm = power_norm(sizes, float(p), _others(self.ndim, dim), True)
    over = re(norm) > maxnorm
    factor: Array = np.where(over, maxnorm / (norm + np.where(over, norm.dtype.type(1e-7), 1)), 1)
    return factor


@public("torch Tensor Tensor_")
@primitive(
    kink=lambda self, p, dim, maxnorm: power_norm(self, float(p), _others(self.ndim, dim), True) - maxnorm,
    self=lambda g, self, p, dim, maxnorm: renorm_backward(g, self * g, self, p, dim, maxnorm),
    own_precision=True,
)
def renorm(self: Array, p: Any, dim: int, maxnorm: Any) -> Array:
    """The slices along an axis, each scaled down to a p-norm of at most ``maxnorm``."""
    return np.multiply(self, renorm_factor(self, self, p, dim, maxnorm), order="C")
