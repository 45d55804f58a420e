"""Sums, means and products of complex tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import ops
from ...complex_twins import twin, twins
from ...dtypes import as_numpy, promote
from ...numeric.common import quiet
from ...tensor import Array, Value, constants
from ..reduce import any_all, cumulative, prod, sums, variance, vector_norms
from .lazy import conjugate as conj
from .parts import real_part
from .pointwise_twins import log_of_sum

twins(sums.sum_all, sums.sum_dim, sums.mean_all, sums.mean_dim, sums.trace, cumulative.cumsum)


def _has_zero(x: Value) -> bool:
    return bool((x._a == 0).any())


def _others(g: Value, self: Value, dim: int) -> Value:
    """The gradient of a product with a zero in it."""
    return g if self.shape[dim] == 1 else g * conj(prod.others(self, dim))


def _by_factors(g: Value, self: Value, result: Value) -> Value:
    if not self.shape:
        return g
    if not _has_zero(self):
        return g * conj(result / self)
    return ops.views.reshape(_others(g, ops.views.reshape(self, (-1,)), 0), self.shape)


def _by_factors_along(g: Value, self: Value, result: Value, dim: int, keepdim: bool) -> Value:
    if not self.shape:
        return g
    g = sums.restored(g, self.shape, (dim,), keepdim)
    result = sums.restored(result, self.shape, (dim,), keepdim)
    if not _has_zero(self):
        return g * conj(result / self)
    return _others(g, self, dim % len(self.shape))


twin(prod.prod_all, self=_by_factors)
twin(
    prod.prod_dim,
    self=lambda g, self, result, dim, keepdim: _by_factors_along(g, self, result, dim, keepdim),
)  # fmt: skip


def _by_running_product(g: Value, self: Value, dim: int, result: Value) -> Value:
    sizes = self.shape
    if not sizes or sizes[dim] == 1 or self._a.size <= 1:
        return g
    d = dim % len(sizes)
    own = conj(self)
    if not _has_zero(self):
        return cumulative.from_the_end(conj(result) * g, d) / own
    return ops.joining.stack([cumulative._share_of(g, own, d, k) for k in range(sizes[d])], d)


twin(cumulative.cumprod, self=lambda g, self, dim, result: _by_running_product(g, self, dim, result))

# -- spread ------------------------------------------------------------------------------------


def _moments(name: str, a: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    """The variance of the real parts and of the imaginary ones, added; and the mean."""
    real, mean = variance._moments(name, a.real, dim, correction, keepdim)
    imag, other = variance._moments(name, a.imag, dim, correction, keepdim)
    return real + imag, mean + 1j * other


def _with_moments(name: str, made: Any) -> Any:
    return lambda self, dim=None, correction=None, keepdim=False: made(*_moments(name, self, dim, correction, keepdim))


twin(variance.var, _with_moments("var", lambda var, mean: var))
twin(variance.std, _with_moments("std", lambda var, mean: np.sqrt(var)), pushes=variance.std.op.pushes)
twin(variance.var_mean, _with_moments("var_mean", lambda var, mean: (var, mean)))
twin(variance.std_mean, _with_moments("std_mean", lambda var, mean: (np.sqrt(var), mean)))

# -- logarithms of sums ------------------------------------------------------------------------


def _by_logsumexp(g: Value, self: Value, result: Value, dim: Any, keepdim: bool) -> Value:
    g, result = (sums.restored(x, self.shape, dim, keepdim) for x in (g, result))
    return g * conj(ops.elementary.exp(self - result))


twin(
    sums.logsumexp, self=lambda g, self, result, dim, keepdim: _by_logsumexp(g, self, result, dim, keepdim)
)  # fmt: skip

def _log_running_sum(self: Array, dim: int) -> Array:
    if not self.ndim:
        return self
    rows = np.array(np.moveaxis(self, dim, 0))
    for i in range(1, len(rows)):
        rows[i] = quiet(log_of_sum, rows[i], rows[i - 1])
    return np.ascontiguousarray(np.moveaxis(rows, 0, dim))


def _by_log_running_sum(g: Value, self: Value, result: Value, dim: int) -> Value:
    """The shares of what follows, added up as their logarithms."""
    if not self.shape:
        return g
    left = ops.elementary.log(conj(g)) - result
    sums = ops.reordering.flip(cumulative.logcumsumexp(ops.reordering.flip(left, (dim,)), dim), (dim,))
    return conj(ops.elementary.exp(sums + self))


def _push_log_running_sum(self_t: Value, self: Value, dim: int, result: Value) -> Value:
    """The mean of the tangents so far, weighted as the exponentials are."""
    if not self.shape:
        return self_t
    sums, terms, tangents = [x.movedim(dim, -1) for x in (result, self, self_t)]
    later = constants(~np.tri(self.shape[dim], dtype=bool))
    weights = ops.elementary.exp((terms[..., None, :] - sums[..., None]).masked_fill(later, -math.inf))
    return (weights * tangents[..., None, :]).sum(-1).movedim(-1, dim)


twin(
    cumulative.logcumsumexp, _log_running_sum, self=_by_log_running_sum, pushes=_push_log_running_sum,
)  # fmt: skip

# -- truth -------------------------------------------------------------------------------------

twin(any_all.all_, lambda self, dim=None, keepdim=False: any_all.all_.op.forward(self != 0, dim, keepdim))
twin(any_all.any_, lambda self, dim=None, keepdim=False: any_all.any_.op.forward(self != 0, dim, keepdim))
twin(any_all.count_nonzero, lambda self, dim=None: any_all.count_nonzero.op.forward(self != 0, dim))

# -- norms -------------------------------------------------------------------------------------


def _vector_norm(self: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Array:
    if dtype is not None:
        self = self.astype(as_numpy(dtype))
    return vector_norms.power_norm(np.abs(self), float(ord), dim, keepdim)


twin(
    vector_norms.linalg_vector_norm, _vector_norm, pushes=vector_norms.linalg_vector_norm.op.pushes,
)  # fmt: skip


def _dist(self: Array, other: Array, p: Any = 2) -> Array:
    ops.arith.refuse_bool(self, other)
    d = promote(self, other)
    return vector_norms.power_norm(np.abs(self.astype(d) - other.astype(d)), float(p), None, False)


twin(vector_norms.dist, _dist)
twin(
    vector_norms.norm_dim, lambda self, p, dim, keepdim=False: _vector_norm(self, p, dim, keepdim),
    pushes=vector_norms.norm_dim.op.pushes,
)  # fmt: skip


def _renorm(self: Array, p: Any, dim: int, maxnorm: Any) -> Array:
    factor = vector_norms.renorm_factor(self, np.abs(self), p, dim, maxnorm)
    return np.multiply(self, factor, order="C").astype(self.dtype, copy=False)


twin(
    vector_norms.renorm, _renorm,
    self=lambda g, self, p, dim, maxnorm: vector_norms.renorm_backward(
        g, real_part(conj(self) * g), self, p, dim, maxnorm
    ),
)  # fmt: skip
