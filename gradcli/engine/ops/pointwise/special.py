"""Special functions: of the normal distribution, the gamma family, Bessel's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....errors import EngineNotImplementedError, EngineTypeError
from ... import ops
from ...call_errors import fail, is_value, only_ints
from ...calls.elementwise import in_dtype
from ...costs import costs
from ...declaration import CASTABLE, given_for_out
from ...dtypes import F32, default, limits_of, promote
from ...numeric import bessel, erf as normal, gamma, incomplete_gamma
from ...numeric.common import quiet, stepped
from ...numeric.halves import converted
from ...numeric.kernels import library, vectors
from ...numeric.kernels.fused import LARGEST
from ...registry import composite, elementwise, primitive, public
from ...tensor import Array, Tensor, Value, result as as_result
from ...writes.inplace import write_with
from ..common import ge, le, re
from .masks import pick
from .two_operands import either

_ROOT_PI = math.sqrt(math.pi)

# -- the error function ------------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_ special")
@elementwise(
    self=lambda g, self: 2 / _ROOT_PI * ops.elementary.exp(-ops.power.pow(self, 2)) * g, floating=True,
    rounding="once",
)
def erf(self: Array) -> Array:
    """Error function."""
    return normal.erf(self)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(
    self=lambda g, self: -2 / _ROOT_PI * ops.elementary.exp(-ops.power.pow(self, 2)) * g, floating=True,
    rounding="once",
)
def erfc(self: Array) -> Array:
    """Complement of the error function, 1 - erf(input)."""
    return normal.erfc(self)


@public("torch Tensor Tensor_ special")
@elementwise(
    self=lambda g, self: _ROOT_PI / 2 * ops.elementary.exp(ops.power.pow(erfinv(self), 2)) * g,
    domain=lambda self: np.abs(self) < 1,
    floating=True,
    rounding="once",
)
def erfinv(self: Array) -> Array:
    """Inverse of the error function."""
    return normal.erfinv(self)


@public("special")
@elementwise(
    node="SpecialErfcxBackward0", self=lambda g, self, result: (2.0 * self * result - 2 / _ROOT_PI) * g, floating=True,
    rounding="once",
    no_half="erfcx_cpu",
)
def erfcx(self: Array) -> Array:
    """Scaled complement of the error function, exp(input**2) * erfc(input)."""
    return normal.erfcx(self)


# -- the normal distribution -------------------------------------------------------------------


@public("special")
@composite
def ndtr(input: Value) -> Value:
    """Distribution function of the normal distribution."""
    x = ops.arith.mul_number(ops.arith.beside(input, 0.5), math.sqrt(0.5))
    return ops.arith.mul_number(ops.arith.add_number(erf(x), 1), 0.5)


@public("special")
@elementwise(
    node="SpecialNdtriBackward0",
    self=lambda g, result: g * math.sqrt(2 * math.pi) * ops.elementary.exp(ops.power.pow(result, 2) / 2),
    domain=lambda self: (self > 0) & (self < 1),
    floating=True,
    rounding="once",
    no_half="ndtri_cpu",
)
def ndtri(self: Array) -> Array:
    """Inverse of the normal distribution function."""
    return normal.ndtri(self)


def _log_ndtr(x: Array, t: Array, scaled: Array, rest: Array) -> Array:
    return pick(x < -1, np.log(scaled / 2) - t * t, np.log1p(-rest / 2))


@public("special")
@elementwise(
    node="SpecialLogNdtrBackward0",
    self=lambda g, self, result: (
        g / math.sqrt(2 * math.pi) * ops.elementary.exp(-(result + ops.power.pow(self, 2) / 2))
    ),
    floating=True,
    no_half="log_ndtr_cpu",
)
def log_ndtr(self: Array) -> Array:
    """Logarithm of the normal distribution function."""
    x = re(self)
    t = x * math.sqrt(0.5)
    scaled = normal.erfcx(-np.minimum(t, 0))
    y = quiet(_log_ndtr, x, t, scaled, normal.erfc(t))
    if self.dtype.kind != "c":
        return y.astype(self.dtype)
    density = np.exp(-(y + x * x / 2)) / math.sqrt(2 * math.pi)
    return stepped(self, y, pick(x < -1, math.sqrt(2 / math.pi) / scaled, density))


@public("special")
@elementwise(
    node="SpecialEntrBackward0", self=lambda g, self: g * -(1 + ops.elementary.log(self)), floating=True,
    own_precision=True,
)  # fmt: skip
def entr(self: Array) -> Array:
    """Entropy, -input * log(input): 0 at 0 and -inf below."""
    return quiet(_entr, self)


def _entr(a: Array) -> Array:
    x = re(a)
    return pick(x > 0, -a * np.log(a), pick(x == 0, 0, pick(x < 0, -np.inf, a))).astype(a.dtype)


# -- the gamma family --------------------------------------------------------------------------


@public("torch Tensor Tensor_ special.gammaln")
@elementwise(self=lambda g, self: g * digamma(self), domain=lambda self: self > 0, floating=True, rounding="once")
def lgamma(self: Array) -> Array:
    """Logarithm of the absolute value of the gamma function."""
    return gamma.lgamma(self)


@public("torch Tensor Tensor_ special special.psi")
@elementwise(self=lambda g, self: g * polygamma_(self, 1), domain=lambda self: self > 0, floating=True)
def digamma(self: Array) -> Array:
    """Derivative of lgamma."""
    if self.dtype is F32 and 0 < self.size <= LARGEST and (self > 0).all():
        return quiet(vectors.digamma, self)
    return gamma.digamma(self)


@elementwise(
    node="PolygammaBackward0",
    self=lambda g, self, n: g * polygamma_(self, n + 1),
    domain=lambda self, n: self > 0,
    floating=True,
)
def polygamma_(self: Array, n: int) -> Array:
    """The n-th derivative of digamma."""
    if n < 0:
        fail("polygamma(n, x) does not support negative n.")
    if n == 1 and self.dtype is F32 and 0 < self.size <= LARGEST and (self >= 0.5).all():
        return quiet(vectors.trigamma, self)
    return gamma.polygamma(n, self)


@public("torch special")
@composite
def polygamma(n: int, input: Value) -> Value:
    """The n-th derivative of digamma."""
    if not isinstance(n, int):
        raise EngineTypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    return polygamma_(input, n)


@public("Tensor_.polygamma")
@elementwise(node="PolygammaBackward1", self=lambda g, self, n: g * polygamma_(self, n + 1), floating=True)
def polygamma_in_place(self: Array, n: int) -> Array:
    """The n-th derivative of digamma, to be written over the input."""
    return polygamma_.op.forward(self, n)


@public("Tensor.polygamma")
def polygamma_method(input: Value, n: int) -> Value:
    """The n-th derivative of digamma."""
    return polygamma(n, input)


def _half_steps(p: int, a: Array) -> Array:
    return converted(np.arange(p) * -0.5, re(a).dtype)


def _slope_of_mvlgamma(g: Value, self: Value, p: int) -> Value:
    a = self._a if isinstance(self, Tensor) else self
    steps_ = _half_steps(p, a)[::-1].copy()
    if isinstance(self, Tensor):
        terms = as_result(steps_) + ops.views.unsqueeze(self, -1)
        return g * ops.sums.sum(write_with(digamma, terms, (), {}), -1)
    return g * np.add.reduce(digamma(steps_ + np.expand_dims(self, -1)), -1)


@elementwise(
    node="MvlgammaBackward0", self=_slope_of_mvlgamma, domain=lambda self, p: self > (p - 1) / 2, floating=True
)
def mvlgamma_(self: Array, p: int) -> Array:
    """Logarithm of the multivariate gamma function of dimension p."""
    a = np.expand_dims(self, -1)
    terms = gamma.lgamma(a + _half_steps(p, self))
    return np.add.reduce(terms, -1) + re(self).dtype.type(p * (p - 1) / 4 * math.log(math.pi))


@public("torch Tensor Tensor_ special.multigammaln Tensor.multigammaln")
@costs("picking.mvlgamma")
@composite
def mvlgamma(input: Value, p: int) -> Value:
    """Logarithm of the multivariate gamma function of dimension p."""
    if type(p) is not int:
        only_ints("mvlgamma", p=p, places=(2,))
    if p < 1:
        fail("p has to be greater than or equal to 1")
    if is_value(input) and input._a.dtype.kind == "b":
        fail("The input tensor may not be a boolean tensor.")
    return mvlgamma_(input, p)


def _underived(g: Value) -> Value:
    raise EngineNotImplementedError("the derivative for 'zeta' is not implemented.")


@primitive(
    node="SpecialZetaBackward0",
    broadcasts=True,
    self=_underived,
    other=lambda g, self, other: g * -self * zeta_of_both(self + 1, other),
    form="aligned",
    no_half="zeta_cpu",
)
def zeta_of_both(self: Array, other: Array) -> Array:
    """Hurwitz zeta function."""
    d = promote(self, other)
    d = d if d.kind in "fc" else default.float
    return gamma.zeta(re(in_dtype(self, d)), in_dtype(other, d))


@elementwise(
    node="SpecialZetaBackward1",
    other=lambda g, other, self: g * -self * zeta_of_number(other, self + 1.0),
    floating=True,
    no_half="zeta_cpu",
)
def zeta_of_number(other: Array, self: Any) -> Array:
    """Hurwitz zeta function of a number and a tensor."""
    return gamma.zeta(np.asarray(self, np.float64), other)


@elementwise(no_derivative="zeta", node="SpecialZetaBackward2", self=lambda g: g, floating=True, no_half="zeta_cpu")
def zeta_at_number(self: Array, other: Any) -> Array:
    """Hurwitz zeta function of a tensor and a number."""
    return gamma.zeta(re(self), np.asarray(other, re(self).dtype))


@public("special")
@composite
def zeta(input: Value, other: Value) -> Value:
    """Hurwitz zeta function, the sum of 1 / (k + other)**input over k = 0, 1, 2 ..."""
    return either("special_zeta", zeta_of_number, zeta_at_number, zeta_of_both, input, other)


def _gamma_density(g: Value, self: Value, other: Value) -> Value:
    """The gradient for the end of an incomplete gamma integral: its integrand there."""
    log = ops.elementary.log
    # Whole numbers as floating ones: a rule is called with what there is.
    return g * ops.elementary.exp((self - 1) * log(other) - other - lgamma(self * 1.0))


def _no_slope_of_igamma(g: Value) -> Value:
    raise EngineNotImplementedError("the derivative for 'igamma: input' is not implemented.")


def _no_slope_of_igammac(g: Value) -> Value:
    raise EngineNotImplementedError("the derivative for 'igammac: input' is not implemented.")


def _share(self: Array, other: Array, above: int) -> Array:
    d = promote(self, other)
    d = d if d.kind in "fc" else default.float
    a, x = re(self), re(other)
    y = np.asarray(incomplete_gamma.both(a, x)[above], re(in_dtype(other, d)).dtype)[()]
    if "c" not in (self.dtype.kind, other.dtype.kind):
        return y
    density = np.exp((a - 1) * np.log(x) - x - gamma.lgamma(np.asarray(a, np.float64)))
    return stepped(np.broadcast_to(other + 0j, np.shape(y)), y, -density if above else density)


@public("torch Tensor Tensor_ special.gammainc")
@given_for_out(CASTABLE, cast=True)
@primitive(
    no_whole="igamma_cpu",
    node="IgammaBackward0", broadcasts=True, self=_no_slope_of_igamma, other=_gamma_density, form="aligned",
    domain=lambda self, other: (self > 0) & (other > 0),
)
def igamma(self: Array, other: Array) -> Array:
    """Share of the gamma function's integral that lies below other."""
    return _share(self, other, 0)


@public("torch Tensor Tensor_ special.gammaincc")
@given_for_out(CASTABLE, cast=True)
@primitive(
    no_whole="igammac_cpu",
    node="IgammacBackward0", broadcasts=True, self=_no_slope_of_igammac,
    other=lambda g, self, other: -_gamma_density(g, self, other), form="aligned",
    domain=lambda self, other: (self > 0) & (other > 0),
)
def igammac(self: Array, other: Array) -> Array:
    """Share of the gamma function's integral that lies above other."""
    return _share(self, other, 1)


# -- Bessel functions --------------------------------------------------------------------------


@public("torch Tensor Tensor_ torch_ special")
@elementwise(self=lambda g, self: g * i1(self), floating=True, rounding="once")
def i0(self: Array) -> Array:
    """Modified Bessel function of the first kind, of order 0."""
    return bessel.i0(self)


# In these rules, as in PyTorch's formulas, the right operand of a sum or difference is recorded first.


def _slope_of_i0e(g: Value, self: Value, result: Value) -> Value:
    right = ops.kinked.sgn(self) * result
    return g * (i1e(self) - right)


@public("special")
@elementwise(node="SpecialI0EBackward0", self=_slope_of_i0e, floating=True, rounding="once")
def i0e(self: Array) -> Array:
    """i0, scaled by exp(-abs(input))."""
    return bessel.i0e(self)


def _away_from_zero(self: Value) -> tuple[Value, Value]:
    """Where an operand is not 0 to a last place, and the operand with the least such number elsewhere."""
    a = self._a if isinstance(self, Tensor) else self
    tiny = float(limits_of(re(a).dtype).eps)
    far = re(abs(a)) > tiny
    far = as_result(far) if isinstance(self, Tensor) else far
    return far, ops.choosing.where(far, self, tiny)


def _slope_of_i1(g: Value, self: Value, result: Value) -> Value:
    far, x = _away_from_zero(self)
    right = result * ops.elementary.reciprocal(x)
    return g * ops.choosing.where(far, i0(x) - right, 0.5)


@public("special")
@elementwise(node="SpecialI1Backward0", self=_slope_of_i1, floating=True, rounding="once")
def i1(self: Array) -> Array:
    """Modified Bessel function of the first kind, of order 1."""
    return bessel.i1(self)


def _slope_of_i1e(g: Value, self: Value, result: Value) -> Value:
    far, x = _away_from_zero(self)
    inverse = ops.elementary.reciprocal(x)
    right = result * (ops.kinked.sgn(x) + inverse)
    return g * ops.choosing.where(far, i0e(x) - right, 0.5)


@public("special")
@elementwise(node="SpecialI1EBackward0", self=_slope_of_i1e, floating=True, rounding="once")
def i1e(self: Array) -> Array:
    """i1, scaled by exp(-abs(input))."""
    return bessel.i1e(self)


# -- the logit ---------------------------------------------------------------------------------


def _clamped(a: Array, eps: float) -> Array:
    x = re(a)
    return pick(x < eps, eps, pick(x > 1 - eps, 1 - eps, a)).astype(a.dtype)


def _logit(a: Array, eps: float | None) -> Array:
    if eps is not None:
        a = _clamped(a, eps)
    return library.log(a / (1 - a))


def _slope_of_logit(g: Value, self: Value, eps: float | None) -> Value:
    low = 0.0 if eps is None else eps
    inside = ge(self, low) & le(self, 1.0 - low)
    return ops.choosing.where(inside, g / (self * (1 - self)), math.nan if eps is None else 0.0)


@public("torch Tensor Tensor_ torch_ special")
@elementwise(
    self=_slope_of_logit, domain=lambda self, eps=None: (self > 0) & (self < 1), floating=True,
    rounding="once", left_of=("ones",),
    own_precision=True,
)
def logit(self: Array, eps: float | None = None) -> Array:
    """Inverse of the logistic function, log(input / (1 - input)); eps clamps the input first."""
    return quiet(_logit, self, eps)
